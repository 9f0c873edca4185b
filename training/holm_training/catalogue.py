"""Makes the tools of one episode: which kinds, under which names, described how, with arguments called what."""

from . import values
from .kinds import all as kinds
from .wording import nonsense

STYLES = ("snake", "snake", "snake", "camel", "kebab", "dotted", "plain", "prefix")
PREFIXES = "my app hq core sys lab box hub srv x1 acme holm".split()
TAILS = [
    "",
    "",
    "",
    "",
    " Fast.",
    " Needs no login.",
    " Use it with care.",
    " Returns text.",
    " Returns JSON.",
    " May take a while.",
    " Beta.",
]
HEADS = ["", "", "", "", "", "Tool: ", "Use this when needed. ", "(v2) "]

EXTRAS = [
    ("limit", {"type": "integer"}),
    ("verbose", {"type": "boolean"}),
    ("timeout", {"type": "integer"}),
    ("encoding", {"type": "string"}),
    ("dry_run", {"type": "boolean"}),
    ("recursive", {"type": "boolean"}),
    ("page", {"type": "integer"}),
    ("offset", {"type": "integer"}),
    ("sort", {"enum": ["asc", "desc"]}),
    ("force", {"type": "boolean"}),
    ("style", {"enum": ["short", "long"]}),
    ("comment", {"type": "string"}),
]
"""Optional arguments that no request speaks of, and that a call therefore leaves out."""


BESIDE_HELD = [("files", 14), ("world", 14), ("daily", 14), ("work", 14), ("things", 26), ("deeds", 4)]
BESIDE = [
    ("files", 12),
    ("world", 8),
    ("daily", 8),
    ("work", 8),
    ("home", 9),
    ("leisure", 9),
    ("office", 9),
    ("craft", 9),
    ("things", 10),
    ("crossings", 10),
    ("deeds", 6),
    ("meanings", 12),
]
"""How often each field of life is drawn for the tools beside the right one."""


class Pool:
    """The kinds that one side, training or evaluation, may show."""

    def __init__(self, held):
        every = kinds.everything() if held else kinds.known()
        self.held = held
        self.every = {kind.id: kind for kind in every}
        self.targets = [kind for kind in every if kinds.is_held(kind) == held]
        self.plain = [kind for kind in self.targets if not kind.entity]
        self.crossed = [kind for kind in self.targets if kind.domain in ("things", "crossings")]
        self.deeds = [kind for kind in self.targets if kind.domain == "deeds"]
        self.meanings = [kind for kind in self.targets if kind.domain == "meanings"]
        self.shown = [kind for kind in every if held or not kinds.is_held(kind)]
        self.by_entity, self.by_op, self.by_domain = {}, {}, {}
        for kind in self.shown:
            self.by_entity.setdefault(kind.entity, []).append(kind)
            self.by_op.setdefault(kind.op, []).append(kind)
            self.by_domain.setdefault(kind.domain, []).append(kind)
        self.near = {kind.id: kinds.neighbours(kind) for kind in every} if held else kinds.confusable(every)

    def target(self, rng):
        """A kind to ask for; the evaluation keeps to kinds written by hand and to things, which are nearer to life."""
        if self.held:
            return rng.pick(self.plain if rng.chance(0.62) else self.crossed)
        return rng.pick(
            rng.weighted([(self.plain, 48), (self.crossed, 22), (self.deeds, 10), (self.meanings, 20)])
        )

    def beside(self, target, count, rng, missing=False):
        """Other kinds to show: some that look alike, none that would do as well."""
        banned = (
            set(self.near[target.id])
            if missing or rng.chance(0.85)
            else {
                kind
                for kind in self.near[target.id]
                if not target.entity or (kind in self.every and self.every[kind].broad)
            }
        )
        banned.add(target.id)
        out = []
        alike = rng.weighted([(0, 2), (1, 2), (2, 2), (4, 1)])
        for at in range(400):
            if len(out) == count:
                break
            source = self.shown
            if at < alike:
                source = self._alike(target, rng)
            kind = rng.pick(source) if at < alike else self._any(rng)
            if kind.id in banned or (missing and kind.broad) or (kind.broad and not rng.chance(0.3)):
                continue
            out.append(kind)
            banned.add(kind.id)
        return out

    def _any(self, rng):
        return rng.pick(self.by_domain[rng.weighted(BESIDE_HELD if self.held else BESIDE)])

    def _alike(self, target, rng):
        if not target.entity:
            return self.by_domain[target.domain]
        return self.by_entity[target.entity] if rng.chance(0.6) else self.by_op[target.op]


class Catalogue:
    """Tools with names and schemas, and the way back from a kind and its values to a call."""

    def __init__(self, members, rng, order="shuffle"):
        self.tools, self.named, self.spoken = [], {}, set()
        self.style = rng.pick(STYLES)
        self.prefix = rng.pick(PREFIXES)
        odd = rng.weighted([("none", 62), ("all", 30), ("some", 8)])
        taken = set()
        for kind in rng.shuffled(members) if order == "shuffle" else members:
            made_up = odd == "all" or (odd == "some" and rng.chance(0.5))
            name = self._name(kind, rng, made_up)
            while name in taken:
                name += rng.pick("234x_")
            taken.add(name)
            self._add(kind, name, rng, made_up)

    def _name(self, kind, rng, made_up):
        if made_up:
            return nonsense(rng)
        words = rng.pick(kind.names).split("_")
        if self.style == "camel":
            return words[0] + "".join(word.capitalize() for word in words[1:])
        if self.style == "kebab":
            return "-".join(words)
        if self.style == "dotted":
            return ".".join(words) if len(words) > 1 else f"{self.prefix}.{words[0]}"
        if self.style == "plain":
            return "".join(words)
        if self.style == "prefix":
            return f"{self.prefix}_{'_'.join(words)}"
        return "_".join(words)

    def _add(self, kind, name, rng, made_up):
        properties, required, keys = {}, [], {}
        for slot in kind.slots:
            key = rng.pick(
                [
                    option
                    for option in slot.names
                    if option not in properties and option not in ("tool", "skill")
                ]
                or [slot.role]
            )
            keys[slot.role] = key
            properties[key] = self._schema(slot, rng)
            if slot.required:
                required.append(key)
        if rng.chance(0.16):
            for key, extra in rng.sample(EXTRAS, rng.between(1, 2)):
                properties.setdefault(key, extra)
        schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = sorted(required)
        text = rng.pick(kind.descriptions)
        if not made_up and rng.chance(0.03):
            text = ""
        if text and rng.chance(0.15):
            text = f"{text} {rng.pick(kind.descriptions)}"
        if text and rng.chance(0.1):
            text = text.rstrip(".").lower()
        tool = {
            "name": name,
            "description": (rng.pick(HEADS) + text + rng.pick(TAILS)).strip() if text else "",
            "parameters": schema,
        }
        self.tools.append(tool)
        self.named[kind.id] = (name, keys, kind)

    def _schema(self, slot, rng):
        if slot.type in values.CHOICES and rng.chance(0.35):
            return {"enum": values.CHOICES[slot.type][:12]}
        if slot.type in values.INTEGER:
            return {"type": "integer"}
        if slot.type in values.NUMBER:
            return {"type": "number"}
        return {"type": "string"}

    def arguments(self, kind_id, drawn):
        """Values under the names that this catalogue gave them, in the types that its schemas ask for."""
        name, keys, kind = self.named[kind_id]
        types = {slot.role: slot.type for slot in kind.slots}
        properties = next(tool for tool in self.tools if tool["name"] == name)["parameters"]["properties"]
        out = {}
        for role, value in drawn.items():
            out[keys[role]] = value if types[role] in values.INTEGER | values.NUMBER else str(value)
            self._admit(properties[keys[role]], str(value))
        return name, out

    def _admit(self, schema, value):
        """Makes an enum list a value that it lacks, in the place of one that nobody has asked for."""
        choices = schema.get("enum", [value])
        self.spoken.add(value)
        if value not in choices:
            free = [at for at, choice in enumerate(choices) if choice not in self.spoken]
            choices[free[len(value) % len(free)]] = value
