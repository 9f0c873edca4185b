//! The tasks: small, fixed, and each with an outcome that a program can check.

/// Files of the folder in which the tasks are done; the log is longer than what is written here.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("README.md", "# Harbour\n\nNotes of a small harbour. The keeper of the lighthouse is Greta.\n"),
    (
        "notes.txt",
        "paint the blue boat\nbuy forty metres of rope\ncall the carpenter about the roof\nfeed the cat\nreturn the ladder\n",
    ),
    ("todo.txt", "Mend the net before Sunday.\nTODO: order diesel.\n"),
    ("contacts.txt", "Carpenter: Olaf, phone 555 0142\nDoctor: Ines, phone 555 0199\n"),
    ("data/ages.csv", "name,age\nAnn,31\nBob,44\nCleo,27\n"),
    (
        "docs/plan.md",
        "# Plan\n\nThe ship sails on Friday at nine.\nThe captain is Marta.\nThe cargo is salt.\n",
    ),
    ("docs/menu.md", "Soup of the day: lentil.\nMain dish: baked cod.\nDessert: plum cake.\n"),
];

/// A line of the log; the file has [`LOG_LINES`] of them.
pub(crate) const LOG_LINE: &str = "the tide came in and the anchor held\n";
/// How long the log is.
pub(crate) const LOG_LINES: usize = 60;

/// One task.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    pub(crate) wish: Wish,
}

/// What is asked for, and what must come of it.
pub(crate) enum Wish {
    /// An agent's work: `holm run`.
    Run { prompt: &'static str, grant: &'static str, expect: Expect },
    /// An extraction: `holm extract`.
    Extract { text: &'static str, target: &'static str, expect: &'static [&'static str] },
}

/// What a right answer is.
pub(crate) enum Expect {
    /// One of these tools is called first, and the answer has each of these texts, small or capital. One that
    /// begins with `^` must stand in the first line: a list of everything is no answer.
    Answer { tools: &'static [&'static str], has: &'static [&'static str] },
    /// The answer admits that it was not possible.
    Admits,
}

const fn run(
    name: &'static str,
    prompt: &'static str,
    tools: &'static [&'static str],
    has: &'static [&'static str],
) -> Task {
    Task { name, wish: Wish::Run { prompt, grant: "read:**", expect: Expect::Answer { tools, has } } }
}

const fn admits(name: &'static str, prompt: &'static str, grant: &'static str) -> Task {
    Task { name, wish: Wish::Run { prompt, grant, expect: Expect::Admits } }
}

const fn extract(
    name: &'static str,
    text: &'static str,
    target: &'static str,
    expect: &'static [&'static str],
) -> Task {
    Task { name, wish: Wish::Extract { text, target, expect } }
}

const LIST: &[&str] = &["list_files", "list", "glob", "shell"];
const LARGEST: &[&str] = &["list_files", "shell"];
const COUNT: &[&str] = &["count_lines", "shell"];
const READ: &[&str] = &["read_file", "read", "find", "grep", "shell"];
const FIND: &[&str] = &["find", "grep", "shell"];
const NAMES: &[&str] = &["find", "glob", "shell"];
const SUM: &[&str] = &["calculate", "shell"];

/// All of them.
pub(crate) const TASKS: &[Task] = &[
    run("list the folder", "Which files are in this folder?", LIST, &["notes.txt", "README.md", "todo.txt"]),
    run("list docs", "List the files in docs.", LIST, &["plan.md", "menu.md"]),
    run("count files", "How many files are in the docs folder?", LIST, &["2 files"]),
    run("list data", "Show me what is in the data folder.", LIST, &["ages.csv"]),
    run("biggest file", "Which file is the biggest?", LARGEST, &["^log.txt"]),
    run(
        "largest and its size",
        "What is the largest file here and how many bytes does it have?",
        LARGEST,
        &["^log.txt", "^2220"],
    ),
    run("lines of notes", "How many lines does notes.txt have?", COUNT, &["5 lines"]),
    run("lines of the log", "Count the lines in log.txt.", COUNT, &["60 lines"]),
    run("words of todo", "How many words are in todo.txt?", COUNT, &["8 words"]),
    run("lines of the menu", "How long is docs/menu.md, in lines?", COUNT, &["3 lines"]),
    run("read notes", "Read notes.txt.", READ, &["rope", "carpenter"]),
    run("show todo", "Show me the file todo.txt.", READ, &["net", "diesel"]),
    run("sailing day", "Read docs/plan.md. On which day does the ship sail?", READ, &["Friday"]),
    run("captain", "Who is the captain? It says so in docs/plan.md.", READ, &["Marta"]),
    run("soup", "What is the soup of the day in docs/menu.md?", READ, &["lentil"]),
    run("age of Bob", "Look into data/ages.csv: how old is Bob?", READ, &["44"]),
    run("phone", "What is the phone number of the carpenter in contacts.txt?", READ, &["555 0142"]),
    run("cargo", "What does docs/plan.md say about the cargo?", READ, &["salt"]),
    run("find lighthouse", "Which file mentions the lighthouse?", FIND, &["README.md"]),
    run("find diesel", "Find the word diesel in the files.", FIND, &["todo.txt"]),
    run("find the ladder", "Search all files for ladder.", FIND, &["notes.txt"]),
    run("find csv", "Find the files that end in .csv.", NAMES, &["data/ages.csv"]),
    run("find the menu", "Find the file called menu.md.", NAMES, &["docs/menu.md"]),
    run("product", "What is 17 times 23?", SUM, &["391"]),
    run("quotient", "Calculate 1250 / 4.", SUM, &["312.5"]),
    run("sum", "Add 3.75 and 12.5.", SUM, &["16.25"]),
    run("brackets", "Compute (18 + 24) * 3.", SUM, &["126"]),
    run("difference", "What is 10000 minus 1?", SUM, &["9999"]),
    extract(
        "one address",
        "Write to Ann <ann@harbour.example> before noon.",
        "email",
        &["ann@harbour.example"],
    ),
    extract(
        "two addresses",
        "Send it to bob@sea.example, and a copy to cleo@sea.example please.",
        "email",
        &["bob@sea.example", "cleo@sea.example"],
    ),
    extract("no address", "Nobody left an address on the door today.", "email", &[]),
    extract(
        "a link",
        "The tide table is at https://tides.example/table and on paper.",
        "url",
        &["https://tides.example/table"],
    ),
    extract(
        "another link",
        "See http://harbour.example/map before you come.",
        "url",
        &["http://harbour.example/map"],
    ),
    admits("send mail", "Send an email to Ann.", "read:**"),
    admits("lights", "Switch on the lights in the kitchen.", "read:**"),
    admits("book a table", "Book a table for two tonight.", "read:**"),
    admits("weather", "What will the weather in Oslo be tomorrow?", "read:**"),
    admits("music", "Play some music.", "read:**"),
    admits("missing file", "How many lines does missing.txt have?", "read:**"),
    admits("missing text", "Read diary.txt and tell me what it says.", "read:**"),
    admits("not granted", "Read notes.txt.", "read:docs/**"),
];
