"""Tools as Holm's own host offers them: many at once, long descriptions, short names, optional arguments nobody speaks of.

The real texts stand among paraphrases, so that a tool is found by what it says and not by its name.
"""

from dataclasses import dataclass

from . import protocol
from .wording import nonsense

MOST = 20
"""Holm shows up to this many; a catalogue of training may be as long."""

ARRAY = {"type": "array", "items": {"type": "string"}}
WHERE = {"exec": ARRAY, "fetch": ARRAY, "folder": {"type": "string"}, "read": ARRAY, "write": ARRAY}


@dataclass(frozen=True)
class Spec:
    """One tool: names and descriptions of which the first are Holm's, properties, and other names for them."""

    names: str
    descriptions: tuple
    properties: dict
    required: tuple = ()
    aliases: tuple = ()


TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}

SPECS = {
    "read": Spec(
        "read read_file view open show_file",
        (
            "Reads a file: its lines with their numbers, or a picture. Long files come in pages; say where to go on with offset. With reference in place of path it reads a "
            "result that was too large to show.",
            "Shows a file line by line, each line numbered. A long one is given in pages: offset says where the next begins.",
            "Gives the text of a file with line numbers. Use limit and offset for big files.",
            "Returns what a file holds, numbered by line; pictures too.",
            "Opens one file of the workspace and shows it. Very long files are cut into pages.",
            "The contents of a file, with the number of each line in front of it.",
        ),
        {"path": TEXT, "limit": WHOLE, "offset": WHOLE, "reference": TEXT},
        (),
        (("path", "file", "filename"),),
    ),
    "list": Spec(
        "list ls list_folder dir",
        (
            "Lists what is in a folder, one name a line: folders with a slash behind them, files with their size, links with an @. Does not look into folders; glob does.",
            "Names everything in a directory, one entry a line, with sizes. Subfolders end with a slash and are not opened.",
            "Shows the entries of a folder and how large each file is.",
            "What a directory holds: files with their bytes, folders with a slash.",
            "Gives the contents of one folder; without a path, of the folder that the task is in.",
        ),
        {"path": TEXT},
        (),
        (("path", "folder", "dir", "directory"),),
    ),
    "glob": Spec(
        "glob find_files match_paths",
        (
            "Finds files by a pattern of their paths, such as `src/**/*.rs`. Leaves out what git ignores unless told otherwise. The paths it gives can be read as they are.",
            "Lists the paths that fit a wildcard like `**/*.md`. Ignored files are left out.",
            "Searches for files by name with `*` and `**`.",
            "Which files have a path that matches a pattern.",
        ),
        {"pattern": TEXT, "path": TEXT, "ignored": FLAG},
        ("pattern",),
        (("pattern", "mask", "wildcard"),),
    ),
    "grep": Spec(
        "grep search find_text rg",
        (
            "Searches the text of files with a regular expression. Leaves out what git ignores and what is no text. Shows `path:line:text`; lines around a match have - in "
            "place of the colons.",
            "Looks for a text in all files and shows each line that has it, with file and number.",
            "Finds lines that match a pattern, anywhere in the workspace or under a path.",
            "Full text search: where does something occur in the files. Gives path, line number and line.",
        ),
        {
            "pattern": TEXT,
            "path": TEXT,
            "context": WHOLE,
            "glob": TEXT,
            "ignore_case": FLAG,
            "ignored": FLAG,
            "limit": WHOLE,
            "literal": FLAG,
            "multiline": FLAG,
            "show": {"enum": ["lines", "files", "counts"]},
        },
        ("pattern",),
        (("pattern", "query", "text", "regex"),),
    ),
    "write": Spec(
        "write write_file save create",
        (
            "Writes a whole file, new or in place of what it held. A file that exists has to be read first. To change a part of a file use edit.",
            "Saves a text as a file; folders that are missing are made.",
            "Creates a file with the content given, or replaces all that a file held.",
            "Puts a text into a file.",
        ),
        {"path": TEXT, "content": TEXT},
        ("content", "path"),
        (("path", "file", "filename"), ("content", "text", "body")),
    ),
    "edit": Spec(
        "edit replace change_file",
        (
            "Replaces a text in a file by another. The old text must stand in the file exactly so, and once, unless all is said. Refused if the file has changed since it was read.",
            "Changes one place in a file: the old text gives way to the new.",
            "Swaps a piece of a file for something else, leaving the rest as it is.",
        ),
        {"path": TEXT, "old": TEXT, "new": TEXT, "all": FLAG},
        ("new", "old", "path"),
        (("path", "file"),),
    ),
    "edits": Spec(
        "edits many_edits",
        (
            "Makes several replacements in one file, in their order: all of them, or none.",
            "Many edits of one file at once.",
        ),
        {
            "path": TEXT,
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"all": FLAG, "new": TEXT, "old": TEXT},
                    "required": ["new", "old"],
                },
            },
        },
        ("edits", "path"),
    ),
    "patch": Spec(
        "patch apply_diff",
        (
            "Applies a unified diff to files: all hunks of all files, or nothing. The lines around each change must stand in the file exactly so; line numbers may be off. "
            "Name all files of the diff in paths.",
            "Changes several files by a diff, whole or not at all.",
        ),
        {"paths": ARRAY, "diff": TEXT},
        ("diff", "paths"),
    ),
    "date": Spec(
        "date clock now today",
        (
            "Tells the date, the day of the week and the time, in UTC.",
            "What day and hour it is now.",
            "The current time and date.",
        ),
        {},
    ),
    "system": Spec(
        "system_info machine about_host",
        (
            "Tells what kind of machine the tools work on: operating system, processor, how many cores.",
            "Facts about the computer: its system, its processor and how many cores it has.",
        ),
        {},
    ),
    "shell": Spec(
        "shell bash run_script terminal",
        (
            "Runs a Bash script in the workspace, confined: it reads and writes the workspace, and of the network it reaches what `fetch` names, through the proxy in its "
            "environment. When something was refused, the result names the grant that is missing and what to add to the call to ask for it.",
            "Runs commands in Bash, inside the workspace, and gives what they print.",
            "Executes a shell script and returns its output; it cannot leave the workspace.",
        ),
        {"script": TEXT, "seconds": WHOLE, **WHERE},
        ("script",),
        (("script", "command", "cmd"),),
    ),
    "program": Spec(
        "run_program exec_program",
        (
            "Runs one program with exactly these arguments, without a shell, confined like `shell`.",
            "Starts a single program with its arguments.",
        ),
        {"program": TEXT, "args": ARRAY, "input": TEXT, "seconds": WHOLE, **WHERE},
        ("program",),
    ),
    "fetch": Spec(
        "fetch get_page web_get",
        (
            "Fetches a page or a text from the web; pages come as Markdown.",
            "Gets what is behind a URL and gives it as text.",
            "Downloads a web page and shows it as Markdown.",
        ),
        {"url": TEXT, "raw": FLAG},
        ("url",),
        (("url", "link", "address"),),
    ),
    "ask": Spec(
        "ask_user question",
        (
            "Asks the person a question and waits for the answer. Ask only what you cannot find out yourself.",
            "Puts a question to the person and waits.",
        ),
        {"question": TEXT, "choices": ARRAY},
        ("question",),
    ),
    "brief": Spec(
        "brief tell_person",
        (
            "Tells the person how things stand; you go on without an answer.",
            "A short word on progress to the person.",
        ),
        {"text": TEXT},
        ("text",),
    ),
    "todo": Spec(
        "todo task_list",
        (
            "Keeps your list of what is to be done. Give the whole list every time; begin one thing at a time.",
            "The list of steps that you are working through.",
        ),
        {"items": ARRAY},
        ("items",),
    ),
    "sleep": Spec(
        "sleep wait",
        ("Waits. Use it while something else takes its time.", "Does nothing for some seconds."),
        {"seconds": WHOLE},
        ("seconds",),
    ),
    "plan": Spec(
        "enter_plan plan_mode",
        (
            "Enters plan mode: from now on you look and change nothing. Use it before work that is large or cannot be undone, and come back with a plan.",
            "Goes over to planning only.",
        ),
        {},
    ),
}
MAIN = (
    "read",
    "list",
    "glob",
    "grep",
    "write",
    "edit",
    "edits",
    "patch",
    "date",
    "system",
    "shell",
    "program",
    "fetch",
)
TALK = ("ask", "brief", "todo", "sleep", "plan")


class Workshop:
    """A catalogue of such tools, and the way from a role to a call."""

    def __init__(self, rng, needed, more=(), without=()):
        self.named, self.tools = {}, []
        shown = [role for role in MAIN if role not in without]
        if rng.chance(0.5):
            shown = [role for role in shown if role in needed or rng.chance(0.6)]
        if rng.chance(0.4):
            shown += [role for role in TALK if rng.chance(0.7)]
        real = rng.chance(0.45)
        odd = not real and rng.chance(0.15)
        if not rng.chance(0.5):
            shown = rng.shuffled(shown)
        for role in shown:
            self._add(role, rng, real, odd)
        taken = {tool["name"] for tool in self.tools}
        self.tools += [tool for tool in more if tool["name"] not in taken][: MOST - len(self.tools)]

    def _add(self, role, rng, real, odd):
        spec = SPECS[role]
        name = spec.names.split()[0] if real else nonsense(rng) if odd else rng.pick(spec.names.split())
        description = spec.descriptions[0] if real else rng.pick(spec.descriptions)
        renamed = {} if real else {group[0]: rng.pick(group) for group in spec.aliases}
        properties = {renamed.get(key, key): schema for key, schema in spec.properties.items()}
        if not real and rng.chance(0.5):
            properties = {
                key: schema
                for key, schema in properties.items()
                if key == "path" or key in renamed.values() or key in spec.required or rng.chance(0.4)
            }
        schema = {"type": "object", "properties": properties}
        if spec.required:
            schema["required"] = sorted(renamed.get(key, key) for key in spec.required)
        self.tools.append({"name": name, "description": description, "parameters": schema})
        self.named[role] = (name, renamed)

    def call(self, role, arguments):
        """The name of a role's tool, and arguments as this catalogue calls them."""
        name, renamed = self.named[role]
        return name, {renamed.get(key, key): value for key, value in arguments.items()}


def numbered(text):
    """A text as Holm's `read` shows it."""
    return "\n".join(f"{at:>6}\t{line}" for at, line in enumerate(text.split("\n"), 1))


def expects(name, arguments):
    return protocol.call(name, arguments), {"type": "call", "tool": name, "arguments": arguments}
