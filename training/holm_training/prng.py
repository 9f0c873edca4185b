"""A pinned generator of numbers: the data must be the same bytes under every version of Python."""

MASK = (1 << 64) - 1


class Rng:
    """SplitMix64. Small, fast enough, and its sequence is fixed by these lines alone."""

    def __init__(self, seed):
        self.state = seed & MASK

    @classmethod
    def named(cls, *parts):
        """A stream of its own for a seed and a name, so that one part's draws never shift another's."""
        state = 0xCBF29CE484222325
        for byte in "/".join(str(part) for part in parts).encode():
            state = ((state ^ byte) * 0x100000001B3) & MASK
        return cls(state)

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        return self.next() % bound

    def between(self, low, high):
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability):
        return (self.next() >> 11) < probability * (1 << 53)

    def pick(self, items):
        return items[self.below(len(items))]

    def shuffled(self, items):
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def sample(self, items, count):
        return self.shuffled(items)[:count]

    def weighted(self, pairs):
        """One of `(item, weight)`; weights are whole numbers."""
        total = sum(weight for _, weight in pairs)
        at = self.below(total)
        for item, weight in pairs:
            if at < weight:
                return item
            at -= weight
        raise AssertionError("weights are positive")
