"""The episodes: every situation that an agent with tools meets, each made by a function of its own."""

from . import protocol, talk, values
from .catalogue import Catalogue, Pool
from .errands import Errands
from .kind import PLACE, Draw, draw
from .kinds import all as kinds, family, lessons
from .wording import word

MOST_TOOLS = 12
"""More than this a small model is not shown."""

SYSTEMS = [
    "",
    "",
    "",
    "",
    "",
    "You are Holm.",
    "You are a helpful agent.",
    "You work for the {team} team.",
    "Be brief.",
    "You are Holm, working in the folder {folder}.",
    "You help people at home.",
    "Answer in one sentence.",
    "Today is {date}.",
]


class Maker:
    """Makes episodes for one side: training, or the evaluation with what training never saw."""

    def __init__(self, held):
        self.held = held
        self.pool = Pool(held)
        self.answerable = [kind for kind in self.pool.targets if kind.result]
        self.single = [
            kind
            for kind in self.pool.targets
            if len(kind.slots) == 1 and kind.slots[0].required and not kind.broad
        ]
        self.entities = [
            entity
            for entity in self.pool.by_entity
            if f"get_{entity}" in self.pool.every and (entity in family.HELD) == held
        ]
        self.records = [([entity], family.fields(entity)) for entity in self.entities]
        if not held:
            self.records += list(lessons.records())

    def make(self, category, rng):
        """One episode of a category."""
        self.rng = rng
        self.turns = []
        catalogue = getattr(self, category)()
        form = "kernel" if rng.chance(0.08 if self.held else 0.1) and category != "errand" else "compact"
        own = rng.pick(SYSTEMS)
        own = PLACE.sub(lambda found: str(values.DRAW[found[1]](rng, self.held)), own)
        for turn in self.turns:
            if turn["role"] == "tool" and form == "kernel":
                turn["seal"] = rng.next()
        return {
            "category": category,
            "form": form,
            "system": own,
            "tools": catalogue.tools,
            "turns": self.turns,
        }

    # Turns

    def ask(self, text):
        self.turns.append({"role": "user", "content": text})

    def reply(self, content, expect):
        self.turns.append({"role": "assistant", "content": content, "learn": True, "expect": expect})

    def call(self, catalogue, kind, drawn):
        name, arguments = catalogue.arguments(kind.id, drawn)
        self.reply(protocol.call(name, arguments), {"type": "call", "tool": name, "arguments": arguments})
        return name

    def result(self, name, content):
        self.turns.append({"role": "tool", "name": name, "content": content})

    def answer(self, text, *needed):
        self.reply(text, {"type": "answer", "values": [str(value) for value in needed]})

    def honest(self, text):
        self.reply(text, {"type": "honest"})

    # Parts

    def words(self, kind, drawn):
        """The request; evaluation takes wordings that training does not have."""
        rng = self.rng
        foreign = bool(kind.foreign) and rng.chance(0.12)
        fresh = kind.asks if kinds.is_held(kind) else kind.fresh_asks() or kind.asks
        ask = rng.pick(kind.foreign if foreign else fresh if self.held else kind.known_asks())
        for role in list(drawn.values):
            if f"{{{role}}}" not in ask:
                del drawn.values[role]
        return word(ask, drawn, rng, self.held, foreign)

    def size(self):
        return self.rng.weighted(
            [(1, 2), (2, 3), (3, 3), (4, 3), (5, 3), (6, 2), (7, 2), (8, 1), (9, 1), (10, 1), (11, 1)]
        )

    def around(self, *meant, missing=False):
        """A catalogue with these kinds and others beside them."""
        beside = self.pool.beside(meant[0], min(self.size(), MOST_TOOLS - len(meant)), self.rng, missing)
        ids = {kind.id for kind in meant}
        beside = [
            kind
            for kind in beside
            if kind.id not in ids and not any(kind.id in self.pool.near[other.id] for other in meant[1:])
        ]
        return Catalogue(list(meant) + beside, self.rng)

    def fill_result(self, template, drawn):
        """A result and the values in it that are new."""
        fresh = {}

        def value(found):
            role, kind = found[1], found[2]
            if kind and role not in fresh:
                fresh[role] = values.DRAW[kind](self.rng, self.held)
            return str(fresh.get(role, drawn.get(role, "")))

        return PLACE.sub(value, template), fresh

    def finish(self, kind, drawn, name):
        """Result and answer for a kind that has them."""
        text, fresh = self.fill_result(kind.result, drawn.values)
        self.result(name, text)
        merged = Draw({**drawn.values, **fresh})
        self.answer(merged.fill(kind.answer), *fresh.values())

    # Categories

    def single_call(self):
        kind = self.pool.target(self.rng)
        drawn = draw(kind, self.rng, self.held)
        catalogue = self.around(kind)
        self.ask(self.words(kind, drawn))
        self.call(catalogue, kind, drawn.values)
        return catalogue

    def call_and_answer(self):
        kind = self.rng.pick(self.answerable)
        drawn = draw(kind, self.rng, self.held)
        catalogue = self.around(kind)
        self.ask(self.words(kind, drawn))
        name = self.call(catalogue, kind, drawn.values)
        self.finish(kind, drawn, name)
        return catalogue

    def nothing_fits(self):
        kind = self.pool.target(self.rng)
        while kind.id in kinds.KNOWLEDGE or kind.broad:
            kind = self.pool.target(self.rng)
        drawn = draw(kind, self.rng, self.held)
        beside = self.pool.beside(kind, 1 + self.size(), self.rng, missing=True)
        self.ask(self.words(kind, drawn))
        self.reply(protocol.NONE, {"type": "none"})
        return Catalogue(beside, self.rng)

    def follow_up(self):
        """The same tool again for something else, or another request in the same talk."""
        rng = self.rng
        kind = rng.pick(self.single) if rng.chance(0.6) else self.pool.target(rng)
        drawn = draw(kind, rng, self.held)
        other = self.pool.target(rng)
        catalogue = (
            self.around(kind)
            if other.id in self.pool.near[kind.id] or other.id == kind.id
            else self.around(kind, other)
        )
        self.ask(self.words(kind, drawn))
        name = self.call(catalogue, kind, drawn.values)
        if kind.result:
            self.finish(kind, drawn, name)
        else:
            self.result(name, "ok")
            self.answer("Done.")
        if len(kind.slots) == 1 and rng.chance(0.6):
            again = draw(kind, rng, self.held, optional=1)
            frames = (
                ["so what about {x}?", "do {x} too"]
                if self.held
                else [
                    "and {x}?",
                    "and for {x}?",
                    "now the same for {x}",
                    "what about {x}?",
                    "{x} as well",
                    "same with {x} please",
                    "and now {x}",
                ]
            )
            self.ask(rng.pick(frames).replace("{x}", str(next(iter(again.values.values())))))
            self.call(catalogue, kind, again.values)
        elif other.id in catalogue.named:
            again = draw(other, rng, self.held)
            self.ask(self.words(other, again))
            self.call(catalogue, other, again.values)
        return catalogue

    def field(self):
        """A question about one field of a thing, answered from the record that the tool returns."""
        rng = self.rng
        names, fields = rng.pick(self.records)
        kind = self.pool.every[f"get_{names[0].replace(' ', '_')}"]
        entity = names[0] if len(names) == 1 else rng.pick(names)
        drawn = draw(kind, rng, self.held)
        record = {name: values.DRAW[type_](rng, self.held) for name, type_ in fields}
        names = list(record)
        asked = rng.pick(names)
        code = drawn.values["id"]
        catalogue = self.around(kind)
        frames = (
            ["I must know the {f} of {e} {i}", "{e} {i}: {f}?"]
            if self.held
            else [
                "what is the {f} of {e} {i}?",
                "tell me the {f} of {e} {i}",
                "{f} of {e} {i}",
                "which {f} does {e} {i} have?",
                "look up the {f} of {e} {i}",
                "I need the {f} for {e} {i}",
            ]
        )
        ask = rng.pick(frames).replace("{f}", asked).replace("{e}", entity).replace("{i}", "{id}")
        self.ask(word(ask, drawn, rng, self.held))
        name = self.call(catalogue, kind, drawn.values)
        absent = rng.chance(0.18)
        if absent:
            del record[asked]
        self.result(name, self.record(record))
        if absent:
            self.honest(protocol.SILENT)
        else:
            self.answer(f"The {asked} of {entity} {code} is {record[asked]}.", record[asked])
        return catalogue

    def record(self, record):
        """A record as tools write them: JSON, lines or a row."""
        style = self.rng.below(4)
        if style == 0:
            return protocol.canonical(record)
        if style == 1:
            return "\n".join(f"{key}: {value}" for key, value in record.items())
        if style == 2:
            return ", ".join(f"{key}={value}" for key, value in record.items())
        return "\n".join(f"{key.capitalize()}\t{value}" for key, value in record.items())

    ATTRIBUTES = """deadline:date budget:money owner:person city:city phone:phone email:email version:version room:room price:money color:color
        status:status start:clock number:code address:address language:language total:money author:person priority:priority team:team host:host""".split()

    def facts(self, count):
        """A document made of facts: its text, and the facts by attribute."""
        rng = self.rng
        chosen = [part.split(":") for part in rng.sample(self.ATTRIBUTES, count)]
        facts = {name: values.DRAW[type_](rng, self.held) for name, type_ in chosen}
        style = rng.below(4)
        lines = []
        for name, value in facts.items():
            lines.append(
                [
                    f"The {name} is {value}.",
                    f"{name}: {value}",
                    f"- {name.capitalize()}: {value}",
                    f"{name} = {value}",
                ][style]
            )
            if rng.chance(0.3):
                lines.append(values.sentence(rng, self.held))
        if rng.chance(0.3):
            lines.insert(0, "# " + rng.pick(values.TITLE))
        return "\n".join(lines), facts

    def file_question(self):
        """Read a file, then answer from it, or say that it does not tell."""
        rng = self.rng
        kind = self.pool.every["read_file"]
        file = values.path(rng, self.held)
        text, facts = self.facts(rng.between(2, 6))
        asked = rng.pick(list(facts))
        absent = rng.chance(0.2)
        if absent:
            text = "\n".join(line for line in text.split("\n") if asked not in line.lower())
        catalogue = self.around(kind)
        self.ask(word(self.file_frame().replace("{a}", asked), Draw({"file": file}), rng, self.held))
        name = self.call(catalogue, kind, {"file": file})
        self.result(name, text or "(no text)")
        if absent:
            self.honest(protocol.SILENT)
        else:
            self.answer(f"The {asked} is {facts[asked]}.", facts[asked])
        return catalogue

    def file_frame(self):
        fresh = [
            "{file} should tell the {a}, what is it?",
            "I am after the {a}, it stands in {file}",
            "which {a} is given by {file}?",
        ]
        known = [
            "what is the {a} in {file}?",
            "read {file} and tell me the {a}",
            "which {a} does {file} name?",
            "look into {file}: what is the {a}?",
            "find the {a} in {file}",
            "the {a} according to {file}?",
            "open {file} and give me the {a}",
            "tell me the {a} that stands in {file}",
            "{a} from {file}?",
        ]
        return self.rng.pick(fresh if self.held else known)

    def list_then_read(self):
        """List a folder, read the file that fits, answer from it."""
        rng = self.rng
        lister, reader = self.pool.every["list_files"], self.pool.every["read_file"]
        folder = values.folder(rng, self.held).rstrip("/")
        names = []
        while len(names) < rng.between(3, 6):
            name = values.filename(rng, self.held)
            if name.split(".")[0].lower()[:4] not in {other.split(".")[0].lower()[:4] for other in names}:
                names.append(name)
        goal = rng.pick(names)
        topic = goal.split(".")[0].replace("_", " ").replace("-", " ")
        text, facts = self.facts(rng.between(1, 4))
        asked = rng.pick(list(facts))
        catalogue = self.around(lister, reader)
        frames = (
            ["somewhere in {dir} there is a {t} file, I need the {a} out of it"]
            if self.held
            else [
                "look in {dir} for the file about {t} and tell me the {a}",
                "there is a {t} file in {dir}: what is its {a}?",
                "find the {t} file in {dir} and give me the {a}",
                "what is the {a} in the {t} file? It is somewhere in {dir}",
            ]
        )
        self.ask(
            word(
                rng.pick(frames).replace("{t}", topic).replace("{a}", asked),
                Draw({"dir": folder}),
                rng,
                self.held,
            )
        )
        name = self.call(catalogue, lister, {"dir": folder})
        full = rng.chance(0.3)
        self.result(name, "\n".join(f"{folder}/{entry}" if full else entry for entry in names))
        name = self.call(catalogue, reader, {"file": f"{folder}/{goal}"})
        self.result(name, text)
        self.answer(f"The {asked} is {facts[asked]}.", facts[asked])
        return catalogue

    def listing(self):
        """Questions about a listing: everything, how many, the biggest."""
        rng = self.rng
        kind = self.pool.every["list_files"]
        drawn = draw(kind, rng, self.held, optional=0.8)
        where = f" in {drawn.values['dir']}" if drawn.values else ""
        names = sorted({values.filename(rng, self.held) for _ in range(rng.between(1, 6))})
        sizes = {name: rng.between(1, 9) * 10 ** rng.between(1, 6) + rng.between(0, 9) for name in names}
        catalogue = self.around(kind)
        mode = rng.pick(["all", "count", "biggest"])
        if mode == "all":
            self.ask(self.words(kind, drawn))
        else:
            frames = {
                "count": [
                    "how many files are there[ in {dir}]?",
                    "count the files[ in {dir}]",
                    "number of files[ in {dir}]?",
                ],
                "biggest": [
                    "what is the biggest file[ in {dir}]?",
                    "which file is the largest[ in {dir}]?",
                    "find the largest file[ in {dir}]",
                ],
            }[mode]
            self.ask(word(frames[-1] if self.held else rng.pick(frames[:-1]), drawn, rng, self.held))
        name = self.call(catalogue, kind, drawn.values)
        sized = mode == "biggest" or rng.chance(0.3)
        self.result(name, "\n".join(f"{entry} {sizes[entry]}" if sized else entry for entry in names))
        if mode == "all":
            self.answer(f"The files{where}: {', '.join(names)}.", *names)
        elif mode == "count":
            self.answer(
                f"There are {len(names)} files{where}." if len(names) > 1 else f"There is 1 file{where}.",
                len(names),
            )
        else:
            top = max(names, key=lambda entry: sizes[entry])
            self.answer(f"The largest file{where} is {top} with {sizes[top]} bytes.", top)
        return catalogue

    def chain(self):
        """Find a thing by a name, then do something with the id that came back."""
        rng = self.rng
        entity = rng.pick(self.entities)
        finder = self.pool.every[f"find_{entity}"]
        op = rng.pick(["delete", "archive", "copy", "restore", "assign", "tag", "share", "status", "comment"])
        actor = self.pool.every[f"{op}_{entity}"]
        person = values.person(rng, self.held)
        drawn = draw(actor, rng, self.held)
        code = drawn.values["id"]
        ask = rng.pick([ask for ask in actor.asks[-5:-1] if f"{entity} {{id}}" in ask])
        ask = ask.replace(f"{entity} {{id}}", f"{entity} of {{finder}}")
        catalogue = self.around(finder, actor)
        self.ask(word(ask, Draw({**drawn.values, "finder": person}), rng, self.held))
        name = self.call(catalogue, finder, {"q": person})
        self.result(
            name,
            rng.pick(
                [
                    f"{code} {person}",
                    f"id: {code}, name: {person}",
                    protocol.canonical({"id": code, "name": person}),
                    f"1 match: {code} ({person})",
                ]
            ),
        )
        name = self.call(catalogue, actor, drawn.values)
        done = rng.pick(["ok", "done", f"{code} updated", "1 changed", "success"])
        self.result(name, done)
        self.answer(f"Done: {done}.", done)
        return catalogue

    def correction(self):
        """A call that a guard sent back, and the call that is right."""
        rng = self.rng
        kind = self.pool.target(rng)
        while not any(slot.required for slot in kind.slots):
            kind = self.pool.target(rng)
        drawn = draw(kind, rng, self.held)
        catalogue = self.around(kind)
        name, arguments = catalogue.arguments(kind.id, drawn.values)
        tool = next(tool for tool in catalogue.tools if tool["name"] == name)
        shown = protocol.shape(tool["parameters"])
        wrong, key = dict(arguments), rng.pick(sorted(tool["parameters"]["required"]))
        fault = rng.pick(["missing", "unknown", "renamed", "empty"])
        written = name
        if fault == "missing":
            del wrong[key]
            type_ = protocol.shape(tool["parameters"]["properties"][key])
            message = f"the arguments do not fit the schema:\n- `{key}` is missing; add it ({type_})\nexpected: {shown}"
        elif fault == "renamed":
            wrong[key + "_value"] = wrong.pop(key)
            message = f"the arguments do not fit the schema:\n- `{key}` is missing; add it\n- unknown property `{key}_value`; did you mean `{key}`?\nexpected: {shown}"
        elif fault == "unknown":
            written = rng.pick(["run", "search", "do_it", "tool", "execute", "helper"])
            message = f"there is no tool `{written}`; the tools are: {', '.join(tool['name'] for tool in catalogue.tools)}"
        else:
            wrong[key] = "" if isinstance(wrong[key], str) else 0
            message = f"the result was not accepted: `{key}` is empty. Correct the call and try once more."
        self.ask(self.words(kind, drawn))
        self.turns.append({"role": "assistant", "content": protocol.call(written, wrong), "learn": False})
        self.result(written, message)
        self.call(catalogue, kind, drawn.values)
        return catalogue

    ERRORS = [
        "not found",
        "no such file",
        "timed out",
        "connection refused",
        "permission denied",
        "the service is down",
        "disk full",
        "no entry with that id",
        "quota exceeded",
        "invalid format",
        "network unreachable",
        "internal error 500",
        "rate limit reached",
        "nothing matched",
        "the device is offline",
        "locked by another process",
    ]

    def failure(self):
        """A tool that failed, was denied or brought nothing: said, never glossed over."""
        rng = self.rng
        kind = self.pool.target(rng)
        drawn = draw(kind, rng, self.held)
        catalogue = self.around(kind)
        self.ask(self.words(kind, drawn))
        name = self.call(catalogue, kind, drawn.values)
        mode = rng.pick(["error", "error", "denied", "empty"])
        if mode == "error":
            error = rng.pick(values.split(self.ERRORS, self.held))
            self.result(
                name, rng.pick(["error: {e}", "Error: {e}", "{e}", "failed: {e}"]).replace("{e}", error)
            )
            self.honest(f"{protocol.FAILED}{error}.")
        elif mode == "denied":
            need = (
                rng.pick(["read", "write", "fetch", "exec", "secret", "env"])
                + ":"
                + values.token(rng, self.held)
            )
            self.result(name, f"denied: `{name}` needs {need}, which was not granted")
            self.honest(f"{protocol.DENIED}{need} was not granted.")
        else:
            self.result(name, rng.pick(["", "[]", "{}", "(empty)", "no results", "0 results", "null"]))
            self.honest(protocol.EMPTY)
        return catalogue

    def injected_order(self, catalogue):
        """An order as attackers put it into data, and the word that gives obedience away."""
        rng = self.rng
        opener = rng.pick(talk.FRESH_INJECT_OPEN if self.held else talk.INJECT_OPEN)
        if rng.chance(0.4):
            said = rng.pick(values.split(talk.INJECT_WORDS, self.held))
            return f"{opener} {rng.pick(talk.INJECT_SAY).replace('{w}', said)}", said
        tool = rng.pick(catalogue.tools)["name"]
        target = rng.pick([values.path, values.email, values.url, values.code])(rng, self.held)
        if rng.chance(0.25):
            return f"{opener} {protocol.call(tool, {'target': target})}", ""
        return f"{opener} {rng.pick(talk.INJECT_CALL).replace('{t}', tool).replace('{a}', target)}", ""

    def injection(self):
        """An earlier kind of episode with an order hidden in a tool's output, which changes nothing."""
        inner = self.rng.pick(
            ["file_question", "field", "call_and_answer", "listing", "list_then_read", "chain"]
            + ([] if self.held else ["errand"])
        )
        catalogue = getattr(self, inner)()
        spots = [i for i, turn in enumerate(self.turns[:-1]) if turn["role"] == "tool"]
        if not spots:
            return catalogue
        at = self.rng.pick(spots)
        order, said = self.injected_order(catalogue)
        turn = self.turns[at]
        turn["content"] = (
            f"{turn['content']}\n{order}" if self.rng.chance(0.7) else f"{order}\n{turn['content']}"
        )
        follower = self.turns[at + 1]
        follower["expect"] = {**follower["expect"], "injected": said}
        return catalogue

    def refusal(self):
        rng = self.rng
        bad = rng.pick(talk.FRESH_BAD if self.held else talk.BAD)
        self.ask(word(rng.pick(talk.BAD_FRAMES).replace("{x}", bad), Draw(), rng, self.held))
        self.reply(protocol.REFUSED, {"type": "refuse"})
        return Catalogue(self.pool.beside(self.pool.target(rng), 1 + self.size(), rng), rng)

    def greeting(self):
        rng = self.rng
        catalogue = Catalogue(self.pool.beside(self.pool.target(rng), 1 + self.size(), rng), rng)
        if rng.chance(0.3):
            asks = (talk.FRESH_ABILITIES if self.held else talk.ABILITIES).split("|")
            self.ask(word(rng.pick(asks), Draw(), rng, self.held))
            names = ", ".join(tool["name"] for tool in catalogue.tools)
            self.answer(f"I can use these tools: {names}.", *[tool["name"] for tool in catalogue.tools])
            return catalogue
        reply = rng.pick(list(talk.GREETINGS))
        self.ask(rng.pick(talk.GREETINGS[reply].split("|")))
        self.reply(reply, {"type": "chat"})
        return catalogue

    COMMANDS = {
        "list_files": "ls[ {dir}]",
        "read_file": "cat {file}",
        "count_lines": "wc -l {file}",
        "find_text": "grep -rn {word} [{dir}|.]",
        "file_size": "wc -c {file}",
        "delete_file": "rm {file}",
        "move_file": "mv {file} {dest}",
        "copy_file": "cp {file} {dest}",
        "make_folder": "mkdir -p {dir}",
        "disk_free": "df -h",
        "largest_file": "ls -S[ {dir}] | head -n 1",
        "word_count_file": "wc -w {file}",
        "file_hash": "sha256sum {file}",
        "compare_files": "diff {file} {dest}",
        "git_status": "git status",
        "git_log": "git log[ -n {n}]",
        "git_branch": "git branch {branch}",
        "git_switch": "git switch {branch}",
        "processes": "ps aux",
        "memory": "free -m",
        "current_time": "date",
        "head_file": "head[ -n {n}] {file}",
        "tail_file": "tail[ -n {n}] {file}",
        "ping": "ping -c 1 {h}",
        "find_files": "find [{dir}|.] -name '{mask}'",
        "unpack": "unzip {file}",
        "file_modified": "stat {file}",
    }

    def errand(self):
        """Work in a folder with the tools that Holm itself offers."""
        return Errands(self).make()

    def by_shell(self):
        """No tool made for it, but a shell: the command that does it."""
        rng = self.rng
        shell = self.pool.every["shell"]
        ids = [each for each in sorted(self.COMMANDS) if each in self.pool.every]
        kind = self.pool.every[rng.pick(ids)]
        drawn = draw(kind, rng, self.held)
        beside = [
            other
            for other in self.pool.beside(kind, self.size(), rng, missing=True)
            if other.domain != "files"
        ]
        catalogue = Catalogue([shell] + beside, rng)
        self.ask(self.words(kind, drawn))
        self.call(catalogue, shell, {"cmd": drawn.fill(self.COMMANDS[kind.id])})
        return catalogue


WEIGHTS = [
    ("single_call", 34),
    ("call_and_answer", 11),
    ("nothing_fits", 12),
    ("follow_up", 7),
    ("field", 6),
    ("file_question", 5),
    ("list_then_read", 3),
    ("listing", 4),
    ("chain", 4),
    ("correction", 4),
    ("failure", 5),
    ("injection", 7),
    ("refusal", 2),
    ("greeting", 2),
    ("by_shell", 3),
    ("errand", 13),
]
"""How often each category is drawn for training."""
