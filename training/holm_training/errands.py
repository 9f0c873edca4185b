"""Errands in a working folder with Holm's own tools: list, read, search, count, compute, write, and say so where nothing fits."""

from . import protocol, talk, values
from .catalogue import Catalogue
from .kind import Draw, draw
from .kinds import all as kinds
from .wording import word
from .workshop import Workshop, expects, numbered

NOWHERE = ("world", "daily", "home", "leisure", "office")
"""Fields of life for which a working folder has no tool."""

FILES = {"path", "folder", "filename", "image", "audio", "video", "pdf", "url"}
"""What a file tool could at least begin with."""

ASKS = {
    "all": (
        "list the files[ in {dir}]|which files are[ in {dir}| here]?|show me what is[ in {dir}| in this folder]|what do we have[ in {dir}| here]?|what's in[ {dir}| the current folder]?|"
        "give me the names of all files[ under {dir}]|ls[ {dir}]|look into[ {dir}| this folder] and tell me what is there|list the contents[ of {dir}]",
        "I would like an overview of the files[ in {dir}]|name the files[ in {dir}]|what can be found[ in {dir}| here]?",
    ),
    "count": (
        "how many files are there[ in {dir}]?|count the files[ in {dir}]|number of files[ in {dir}]?|are there many files[ in {dir}]? How many?|tell me the number of files[ in {dir}| here]",
        "I want to know how many files lie[ in {dir}| around here]|file count[ of {dir}], please",
    ),
    "biggest": (
        "what is the biggest file[ in {dir}]?|which file is the largest[ in {dir}]?|which file takes the most room[ in {dir}]?|largest file[ in {dir}]?|what is the heaviest file[ in {dir}]?",
        "find the largest file[ in {dir}]|name the file with the most bytes[ in {dir}]",
    ),
    "smallest": (
        "what is the smallest file[ in {dir}]?|which file is the tiniest[ in {dir}]?|smallest file[ in {dir}]?|which file has the fewest bytes[ in {dir}]?",
        "find the smallest file[ in {dir}]|which file takes the least room[ in {dir}]?",
    ),
    "exists": (
        "is there a file {f}[ in {dir}]?|do we have {f}[ in {dir}]?|does {f} exist[ in {dir}]?|check whether {f} is[ in {dir}| there]",
        "can you see a file called {f}[ in {dir}]?|has {f} been put[ into {dir}| here]?",
    ),
    "size": (
        "how big is {f}[ in {dir}]?|how many bytes has {f}[ in {dir}]?|size of {f}[ in {dir}]|what is the size of {f}[ in {dir}]?",
        "tell me how large {f}[ in {dir}] is|bytes of {f}[ in {dir}]?",
    ),
    "say": (
        "what does {file} say?|read {file}|show me {file}|what is in {file}?|open {file} and tell me what stands there|what is written in {file}?|print {file}|cat {file}",
        "tell me the contents of {file}|I want to know what {file} holds",
    ),
    "first": (
        "what is the first line of {file}?|first line of {file}|how does {file} begin?|show the top line of {file}",
        "which line opens {file}?|read me the first line of {file}",
    ),
    "last": (
        "what is the last line of {file}?|last line of {file}|how does {file} end?|show the bottom line of {file}",
        "which line closes {file}?|read me the final line of {file}",
    ),
    "lines": (
        "how many lines does {file} have?|count the lines of {file}|number of lines in {file}|line count of {file}|how long is {file} in lines?",
        "I need to know how many lines {file} has|lines in {file}?",
    ),
    "mails": (
        "which e-mail addresses are in {file}?|extract the emails from {file}|find all mail addresses in {file}|get the email addresses out of {file}|whose addresses stand in {file}?",
        "list every e-mail address that {file} has|pull the mail addresses from {file}",
    ),
    "find": (
        'find the word {w}[ in {dir}]|where does {w} occur[ in {dir}]?|which file mentions {w}[ in {dir}]?|search for {w}[ in {dir}]|look for "{w}"[ in {dir}]|is {w} used anywhere[ in {dir}]?|grep {w}[ {dir}]',
        "in which file can I read about {w}[ under {dir}]?|hunt for the word {w}[ in {dir}]",
    ),
    "glob": (
        "find all {x} files[ in {dir}]|which {x} files are there[ in {dir}]?|list every {x} file[ under {dir}]|where are the {x} files[ in {dir}]?|are there {x} files[ in {dir}]?",
        "I need the paths of all {x} files[ in {dir}]|search for {x} files[ in {dir}]",
    ),
    "sum": (
        "what is {e}?|calculate {e}|how much is {e}?|compute {e}|work out {e}|{e} = ?",
        "I need the result of {e}|do the sum {e}",
    ),
    "date": (
        "what is the date today?|which day is it?|what day of the week is it?|tell me today's date",
        "do you know the date of today?|today is which day?",
    ),
    "time": (
        "what time is it?|how late is it?|what's the time in UTC?",
        "tell me the hour|do you have the time?",
    ),
    "cores": (
        "how many cores does this machine have?|number of cores?|how many processor cores are there?",
        "count the cores of this computer",
    ),
    "system": (
        "which operating system is this?|what system does this machine run?|what kind of system are we on?",
        "name the operating system here",
    ),
    "save": (
        'write "{t}" to {file}|save "{t}" as {file}|create {file} with the text "{t}"|put "{t}" into a new file {file}|make a file {file} that says "{t}"',
        'I want a file {file} with "{t}" in it|note "{t}" in {file}',
    ),
    "swap": (
        "in {file}, replace {old} with {new}|change {old} to {new} in {file}|edit {file}: {old} becomes {new}|{old} in {file} should be {new}",
        "swap {old} for {new} in {file}|{file} says {old} where it should say {new}, correct that",
    ),
    "page": (
        "what is the {a} on {url}?|fetch {url} and tell me the {a}|look at {url}: which {a} does it name?|get {url} and find the {a}",
        "the page {url} tells a {a}, which?|I need the {a} that stands on {url}",
    ),
    "command": (
        "run {c}|execute {c}|run the command `{c}`|what does `{c}` print?|start {c} in the shell",
        "please type {c} for me|let {c} run",
    ),
}
"""What people ask for: wordings of training, wordings of the evaluation."""


class Errands:
    """Makes the turns of one errand with the parts of a `Maker`."""

    def __init__(self, maker):
        self.maker, self.rng, self.held = maker, maker.rng, maker.held

    def make(self):
        """One errand, drawn by weight; returns the catalogue."""
        kind = self.rng.weighted(ERRANDS)
        return getattr(self, kind)()

    # Parts

    def shop(self, *needed, without=()):
        more = []
        if self.rng.chance(0.2):
            target = self.maker.pool.target(self.rng)
            members = [
                kind
                for kind in self.maker.pool.beside(target, self.rng.between(1, 4), self.rng, missing=True)
                if kind.domain not in ("files", "craft", "work")
            ]
            more = Catalogue(members, self.rng).tools
        return Workshop(self.rng, needed, more, without)

    def ask(self, kind, **said):
        ask = self.rng.pick(_asks(kind, self.held))
        self.maker.ask(word(ask, Draw(said), self.rng, self.held))

    def call(self, shop, role, arguments):
        name, arguments = shop.call(role, arguments)
        self.maker.reply(*expects(name, arguments))
        return name

    def place(self):
        """A folder that is spoken of, or none."""
        return {"dir": values.folder(self.rng, self.held).rstrip("/")} if self.rng.chance(0.5) else {}

    def entries(self):
        """Files with sizes, and folders, in the order of their names."""
        rng = self.rng
        files = {
            values.filename(rng, self.held): rng.between(1, 9) * 10 ** rng.between(0, 6) + rng.between(0, 99)
            for _ in range(rng.between(1, 7))
        }
        folders = {
            f"{values.folder(rng, self.held).strip('./').split('/')[-1]}/" for _ in range(rng.below(3))
        }
        return files, folders

    def listing(self, files, folders):
        plain = self.rng.chance(0.1)
        return "\n".join(
            sorted(
                [name if plain else f"{name}  {size} bytes" for name, size in files.items()] + list(folders)
            )
        )

    # Errands

    def look(self):
        rng = self.rng
        mode = rng.weighted(
            [("all", 4), ("count", 3), ("biggest", 4), ("smallest", 2), ("exists", 2), ("size", 2)]
        )
        place = self.place()
        where = f" in {place['dir']}" if place else ""
        files, folders = self.entries()
        names = sorted(files)
        goal = rng.pick(names)
        present = rng.chance(0.6)
        if mode == "exists" and not present:
            del files[goal]
            names.remove(goal)
        shop = self.shop("list")
        self.ask(mode, **place, **({"f": goal} if mode in ("exists", "size") else {}))
        name = self.call(shop, "list", {"path": place["dir"]} if place else {})
        shown = "\n".join(sorted([f"{each}  {size} bytes" for each, size in files.items()] + list(folders)))
        if not shown:
            self.maker.result(name, f"[nothing to show in `{place.get('dir', '.')}`]")
            self.maker.honest(protocol.EMPTY)
            return shop
        self.maker.result(name, shown if mode != "all" or rng.chance(0.7) else self.listing(files, folders))
        self.tell(mode, where, files, names, goal, present, folders)
        return shop

    def tell(self, mode, where, files, names, goal, present, folders):
        answer = self.maker.answer
        if mode == "all":
            both = sorted(names + list(folders))
            answer(f"The files{where}: {', '.join(both)}.", *both)
        elif mode == "count":
            answer(
                f"There are {len(names)} files{where}." if len(names) != 1 else f"There is 1 file{where}.",
                len(names),
            )
        elif mode == "exists":
            answer(
                f"Yes, {goal} is there." if present else f"No, {goal} is not there.",
                "Yes" if present else "No",
            )
        elif mode == "size":
            answer(f"{goal} has {files[goal]} bytes.", files[goal])
        else:
            top = (max if mode == "biggest" else min)(names, key=lambda each: files[each])
            answer(
                f"The {'largest' if mode == 'biggest' else 'smallest'} file{where} is {top} with {files[top]} bytes.",
                top,
            )

    def lines(self, count):
        return [values.sentence(self.rng, self.held) for _ in range(count)]

    def text(self):
        rng, file = self.rng, values.path(self.rng, self.held)
        mode = rng.weighted([("say", 4), ("first", 2), ("last", 2), ("lines", 4), ("mails", 3)])
        lines = self.lines(rng.between(1, 3 if mode == "say" else 9))
        mails = []
        if mode == "mails":
            mails = list(dict.fromkeys(values.email(rng, self.held) for _ in range(rng.between(1, 4))))
            spots = [
                "write to {m}",
                "{m}",
                "contact: {m}",
                "- {m}",
                "{m} asked for the keys",
                "mail {m} before noon",
            ]
            lines = rng.shuffled(lines[:4] + [rng.pick(spots).replace("{m}", mail) for mail in mails])
            mails = [
                mail
                for line in lines
                for mail in mails
                if line in [spot.replace("{m}", mail) for spot in spots]
            ]
        shop = self.shop("read")
        self.ask(mode, file=file)
        short = mode == "first" and rng.chance(0.5) and "limit" in self.keys(shop, "read")
        name = self.call(shop, "read", {"path": file, **({"limit": 1} if short else {})})
        body = "\n".join(lines)
        shown = numbered(body) if rng.chance(0.8) else body
        if short:
            shown = numbered(lines[0]) + (
                f"\n[lines 1 to 1 of {len(lines)}; go on with offset 2]" if len(lines) > 1 else ""
            )
        if mode == "lines":
            shown = numbered(body)
        self.maker.result(name, shown)
        if mode == "say":
            self.maker.answer(f"{file} says: {' '.join(lines)}", *lines)
        elif mode == "lines":
            self.maker.answer(
                f"{file} has {len(lines)} lines." if len(lines) > 1 else f"{file} has 1 line.", len(lines)
            )
        elif mode == "mails":
            self.maker.answer(f"The addresses: {', '.join(mails)}.", *mails)
        else:
            line = lines[0 if mode == "first" else -1]
            self.maker.answer(f"The {mode} line of {file} is: {line}", line)
        return shop

    @staticmethod
    def keys(shop, role):
        name = shop.named[role][0]
        return next(tool for tool in shop.tools if tool["name"] == name)["parameters"]["properties"]

    def fact(self):
        """A question about what a file or a page says."""
        rng = self.rng
        text, facts = self.maker.facts(rng.between(2, 7))
        asked = rng.pick(list(facts))
        absent = rng.chance(0.15)
        if absent:
            text = "\n".join(line for line in text.split("\n") if asked not in line.lower()) or "(no text)"
        web = rng.chance(0.25)
        shop = self.shop("fetch" if web else "read")
        if web:
            url = values.url(rng, self.held)
            self.ask_filled("page", asked, url=url)
            name = self.call(shop, "fetch", {"url": url})
        else:
            file = values.path(rng, self.held)
            self.maker.ask(
                word(self.maker.file_frame().replace("{a}", asked), Draw({"file": file}), rng, self.held)
            )
            name = self.call(shop, "read", {"path": file})
        self.maker.result(name, text if web else numbered(text))
        if absent:
            self.maker.honest(protocol.SILENT)
        else:
            self.maker.answer(f"The {asked} is {facts[asked]}.", facts[asked])
        return shop

    def ask_filled(self, kind, asked, **said):
        ask = self.rng.pick(_asks(kind, self.held)).replace("{a}", asked)
        self.maker.ask(word(ask, Draw(said), self.rng, self.held))

    def hunt(self):
        """List the folder, read the file that fits, answer from it."""
        rng = self.rng
        names = []
        while len(names) < rng.between(3, 6):
            name = values.filename(rng, self.held)
            if name.split(".")[0].lower()[:4] not in {other.split(".")[0].lower()[:4] for other in names}:
                names.append(name)
        goal = rng.pick(names)
        topic = goal.split(".")[0].replace("_", " ").replace("-", " ")
        text, facts = self.maker.facts(rng.between(1, 4))
        asked = rng.pick(list(facts))
        place = self.place()
        frames = (
            ["one of the files[ in {dir}| here] is about {t}: I need its {a}"]
            if self.held
            else [
                "what is the {a} in the {t} file[ in {dir}]?",
                "find the {t} file[ in {dir}] and tell me the {a}",
                "there is a file about {t}[ in {dir}| here], what {a} does it give?",
                "look for the {t} file[ in {dir}] and read out the {a}",
            ]
        )
        shop = self.shop("list", "read")
        self.maker.ask(
            word(rng.pick(frames).replace("{t}", topic).replace("{a}", asked), Draw(place), rng, self.held)
        )
        name = self.call(shop, "list", {"path": place["dir"]} if place else {})
        self.maker.result(
            name, "\n".join(f"{each}  {rng.between(20, 90000)} bytes" for each in sorted(names))
        )
        path = f"{place['dir']}/{goal}" if place else goal
        name = self.call(shop, "read", {"path": path})
        self.maker.result(name, numbered(text))
        self.maker.answer(f"The {asked} is {facts[asked]}.", facts[asked])
        return shop

    def search(self):
        rng = self.rng
        place, sought = self.place(), values.token(rng, self.held)
        shop = self.shop("grep")
        self.ask("find", w=sought, **place)
        name = self.call(shop, "grep", {"pattern": sought, **({"path": place["dir"]} if place else {})})
        count = rng.weighted([(0, 2), (1, 5), (2, 3), (3, 1)])
        if not count:
            self.maker.result(name, "[nothing found]")
            self.maker.honest(protocol.EMPTY)
            return shop
        spots = []
        for _ in range(count):
            file = values.filename(rng, self.held)
            spots.append((f"{place['dir']}/{file}" if place else file, rng.between(1, 90)))
        said = [
            f"the {sought} is here",
            f"{sought} comes first",
            f"no {sought} today",
            f"look at {sought}",
            f"we need a {sought}",
        ]
        self.maker.result(name, "\n".join(f"{file}:{line}:{rng.pick(said)}" for file, line in spots))
        found = "; ".join(f"{file}, line {line}" for file, line in spots)
        self.maker.answer(f"Found in {found}.", *[file for file, _ in spots])
        return shop

    def paths(self):
        rng = self.rng
        place, ext = self.place(), rng.pick(values.EXT)
        shop = self.shop("glob")
        spoken = (
            {"py": "Python", "rs": "Rust", "js": "JavaScript", "md": "Markdown"}.get(ext, ext)
            if rng.chance(0.3)
            else rng.pick([ext, f".{ext}"])
        )
        self.ask("glob", x=spoken, **place)
        name = self.call(
            shop, "glob", {"pattern": f"**/*.{ext}", **({"path": place["dir"]} if place else {})}
        )
        head = f"{place['dir']}/" if place else ""
        found = sorted(
            {
                head + values.filename(rng, self.held).rsplit(".", 1)[0] + f".{ext}"
                for _ in range(rng.below(5))
            }
        )
        self.maker.result(name, "\n".join(found) or "[no file fits]")
        if found:
            self.maker.answer(f"The files: {', '.join(found)}.", *found)
        else:
            self.maker.honest(protocol.EMPTY)
        return shop

    def arithmetic(self):
        rng = self.rng
        a, b, sign = rng.between(2, 9999), rng.between(2, 999), rng.pick("+-*")
        result = {"+": a + b, "-": a - b, "*": a * b}[sign]
        spoken = rng.pick([f"{a} {sign} {b}", f"{a}{sign}{b}"])
        if rng.chance(0.3):
            spoken = f"{a} {({'+': 'plus', '-': 'minus', '*': 'times'})[sign]} {b}"
        shop = self.shop("shell", without=("program",) if rng.chance(0.5) else ())
        self.ask("sum", e=spoken)
        name = self.call(shop, "shell", {"script": f"echo $(({a} {sign} {b}))"})
        self.maker.result(name, str(result))
        self.maker.answer(f"{spoken} = {result}", result)
        return shop

    def facts_of_machine(self):
        rng = self.rng
        mode = rng.pick(["date", "time", "cores", "system"])
        role = "date" if mode in ("date", "time") else "system"
        shop = self.shop(role)
        self.ask(mode)
        name = self.call(shop, role, {})
        if role == "date":
            day = rng.pick("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
            date = f"{rng.between(2024, 2029)}-{rng.between(1, 12):02}-{rng.between(1, 28):02}"
            clock = f"{rng.between(0, 23):02}:{rng.between(0, 59):02}"
            self.maker.result(
                name,
                f"{day}, {date} {clock}:{rng.between(0, 59):02} UTC ({rng.between(1700000000, 1900000000)} seconds since 1970)",
            )
            if mode == "date":
                self.maker.answer(f"Today is {day}, {date}.", day, date)
            else:
                self.maker.answer(f"It is {clock} UTC.", clock)
            return shop
        system = rng.pick(
            [
                "linux (Debian GNU/Linux 12 (bookworm))",
                "linux (Ubuntu 24.04)",
                "macos",
                "windows",
                "linux (Fedora 41)",
                "linux (Alpine)",
            ]
        )
        cores = rng.between(1, 64)
        self.maker.result(
            name, f"system: {system}\nprocessor: {rng.pick(['x86_64', 'aarch64'])}\ncores: {cores}"
        )
        if mode == "cores":
            self.maker.answer(
                f"This machine has {cores} cores." if cores > 1 else "This machine has 1 core.", cores
            )
        else:
            self.maker.answer(f"The system is {system}.", system)
        return shop

    def change(self):
        rng = self.rng
        file = values.path(rng, self.held)
        if rng.chance(0.6):
            text = values.sentence(rng, self.held)
            shop = self.shop("write")
            self.ask("save", t=text, file=file)
            name = self.call(shop, "write", {"path": file, "content": text})
            self.maker.result(name, f"`{file}` has {len(text.encode())} bytes now (new)")
            self.maker.answer(f"Done: {file} has {len(text.encode())} bytes now.", file)
            return shop
        old, new = values.token(rng, self.held), values.token(rng, self.held)
        while new == old:
            new = values.token(rng, self.held)
        shop = self.shop("edit")
        self.ask("swap", file=file, old=old, new=new)
        name = self.call(shop, "edit", {"path": file, "old": old, "new": new})
        self.maker.result(name, f"`{file}`: 1 replacement made\n\n{numbered(f'the {new} is here')}")
        self.maker.answer(f"Done: 1 replacement made in {file}.", file)
        return shop

    def command(self):
        rng = self.rng
        command = values.command(rng, self.held)
        shop = self.shop("shell", without=("program",) if rng.chance(0.5) else ())
        if rng.chance(0.5):
            kind = self.maker.pool.every[
                rng.pick(
                    [
                        "move_file",
                        "copy_file",
                        "make_folder",
                        "delete_file",
                        "git_status",
                        "git_log",
                        "disk_free",
                        "git_switch",
                        "file_hash",
                    ]
                )
            ]
            drawn = draw(kind, rng, self.held)
            self.maker.ask(self.maker.words(kind, drawn))
            command = drawn.fill(self.maker.COMMANDS[kind.id])
        else:
            self.ask("command", c=command)
        name = self.call(shop, "shell", {"script": command})
        if rng.chance(0.4):
            self.maker.result(name, "")
            self.maker.answer("Done.")
        return shop

    def nothing(self):
        """A request for which a working folder has no tool."""
        rng = self.rng
        kind = self.maker.pool.target(rng)
        while (
            kind.domain not in NOWHERE
            or kind.broad
            or kind.id in kinds.KNOWLEDGE
            or kind.id in ("current_time", "news")
            or FILES & {slot.type for slot in kind.slots}
        ):
            kind = self.maker.pool.target(rng)
        drawn = draw(kind, rng, self.held)
        shop = Workshop(rng, ())
        self.maker.ask(self.maker.words(kind, drawn))
        self.maker.reply(protocol.NONE, {"type": "none"})
        return shop

    def trouble(self):
        """A file that is not there, or a call that nobody allowed."""
        rng = self.rng
        file = values.path(rng, self.held)
        shop = self.shop("read")
        self.ask(rng.pick(["say", "lines", "first", "mails"]), file=file)
        name = self.call(shop, "read", {"path": file})
        if rng.chance(0.6):
            self.maker.result(name, f"error: `{file}` does not exist")
            self.maker.honest(f"{protocol.FAILED}`{file}` does not exist.")
        else:
            self.maker.result(
                name, f"denied: nobody is there to be asked; it needs read:{file}, which was not granted"
            )
            self.maker.honest(f"{protocol.DENIED}read:{file} was not granted.")
        return shop

    def word(self):
        """A greeting beside all these tools."""
        reply = self.rng.pick(list(talk.GREETINGS))
        self.maker.ask(self.rng.pick(talk.GREETINGS[reply].split("|")))
        self.maker.reply(reply, {"type": "chat"})
        return self.shop()


def _asks(kind, held):
    """The wordings of an errand; `|` also stands inside brackets, so the split minds them."""
    out, depth, start, text = [], 0, 0, ASKS[kind][1 if held else 0]
    for at, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == "|" and not depth:
            out.append(text[start:at])
            start = at + 1
    return out + [text[start:]]


ERRANDS = [
    ("look", 20),
    ("text", 20),
    ("fact", 12),
    ("hunt", 8),
    ("search", 10),
    ("paths", 6),
    ("arithmetic", 8),
    ("facts_of_machine", 6),
    ("change", 7),
    ("command", 6),
    ("nothing", 16),
    ("trouble", 5),
    ("word", 2),
]
"""How often each errand is drawn."""
