"""A kind of tool: what it is called, how it describes itself, what it takes, how people ask for it."""

import re
from dataclasses import dataclass, field

from . import values


@dataclass(frozen=True)
class Slot:
    """One argument of a kind, before a catalogue gives it a name."""

    role: str
    type: str
    names: tuple
    required: bool


@dataclass(frozen=True)
class Kind:
    """Everything the generator knows about one kind of tool."""

    id: str
    domain: str
    names: tuple
    descriptions: tuple
    slots: tuple
    asks: tuple
    foreign: tuple = ()
    result: str = ""
    answer: str = ""
    broad: bool = False
    near: frozenset = frozenset()
    """Kinds that would do as well: never shown beside this one, nor where nothing is to fit."""
    entity: str = ""
    op: str = ""
    lesson: bool = False
    """Whether only training shows it; then no wording has to be kept for the evaluation."""

    def fresh_asks(self):
        """Wordings that only the evaluation uses."""
        return self.asks[-1:] if len(self.asks) > 3 else ()

    def known_asks(self):
        return self.asks[:-1] if len(self.asks) > 3 and not self.lesson else self.asks


def slot(text):
    """Reads `role:type`, `role?:type` or `role:type=name,name`."""
    head, _, names = text.partition("=")
    role, _, kind = head.partition(":")
    required = not role.endswith("?")
    role = role.rstrip("?")
    names = tuple(names.split(",")) if names else tuple(values.ARGUMENT_NAMES[kind].split())
    if kind not in values.DRAW:
        raise ValueError(f"no values of type {kind}")
    return Slot(role, kind, names, required)


def parse(domain, text, lesson=False):
    """Reads the blocks of one file of kinds."""
    kinds, block = [], {}
    for line in text.strip().split("\n") + ["# :"]:
        mark, _, rest = line.partition(" ")
        if mark == "#":
            if block:
                kinds.append(_kind(domain, block, lesson))
            block = {"#": rest}
        elif mark in block:
            raise ValueError(f"two lines `{mark}` in {block['#']}")
        else:
            block[mark] = rest
    return kinds


def _split(text):
    return tuple(part.strip() for part in text.split(" | ")) if text else ()


def _kind(domain, block, lesson):
    ident, _, rest = block["#"].partition(":")
    words = rest.split()
    result, _, answer = block.get("r", "").partition(" => ")
    near = [word[1:].split(",") for word in words if word.startswith("!")]
    return Kind(
        id=ident,
        domain=domain,
        names=tuple(word for word in words if word[0] not in "@!"),
        descriptions=_split(block["d"]),
        slots=tuple(slot(part) for part in block.get("a", "").split()),
        asks=_split(block["q"]),
        foreign=_split(block.get("f", "")),
        result=result,
        answer=answer,
        broad="@broad" in words,
        near=frozenset(near[0] if near else ()),
        lesson=lesson,
    )


PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")
OPTIONAL = re.compile(r"\[([^\[\]|]*)(?:\|([^\[\]]*))?\]")


@dataclass
class Draw:
    """Values for the slots of a kind; an optional slot may stay empty."""

    values: dict = field(default_factory=dict)

    def fill(self, template):
        """Puts the values into an ask: a bracket stands only where all its slots have values."""

        def bracket(found):
            roles = [role for role, _ in PLACE.findall(found[1])]
            return found[1] if all(role in self.values for role in roles) else (found[2] or "")

        text = OPTIONAL.sub(bracket, template)
        return PLACE.sub(lambda found: str(self.values[found[1]]), text)


def draw(kind, rng, held, optional=0.5):
    """Values for one call of a kind; two slots of one type never get the same value."""
    out = Draw()
    for part in kind.slots:
        if not part.required and not rng.chance(optional):
            continue
        for _ in range(20):
            value = values.DRAW[part.type](rng, held)
            if value not in out.values.values():
                break
        out.values[part.role] = value
    return out
