//! A script as the commands in it, read by a real parser of Bash.
//!
//! Two questions are asked of a script, and they lean to opposite sides. *May this pass unasked?* needs certainty: nothing
//! but commands that are written out, so whatever the reader does not plainly know makes the script
//! [`Form::Involved`]. *Is something in it forbidden?* needs thoroughness: every command is collected, wherever it hides,
//! and words that only come about at run time are kept as [`Word::Made`].

use tree_sitter::{Node, Parser, TreeCursor};

/// The longest script. All of it must fit on the screen of the person who is asked, and the kernel shows no more.
pub const MAX_SCRIPT: usize = 16_000;

/// The most words that are given back to commands from redirections; beyond, the script is taken for one that makes its
/// commands at run time.
const MAX_GIVEN: usize = 10_000;

/// What may stand in a script that passes unasked: commands of plain words, one after the other.
const PLAIN: [&str; 17] = [
    "program",
    "list",
    "pipeline",
    "command",
    "command_name",
    "word",
    "string",
    "string_content",
    "raw_string",
    "concatenation",
    "number",
    "&&",
    "||",
    ";",
    "|",
    "\n",
    "\"",
];

/// Commands that the grammar knows by name.
const DECLARING: [&str; 3] = ["declaration_command", "unset_command", "test_command"];

/// A script that was read.
///
/// ```
/// use holm_tools::shell::{Form, Script};
/// let script = Script::read("git status && cargo test")?;
/// assert_eq!(script.form(), Form::Plain);
/// assert_eq!(script.commands().len(), 2);
/// assert_eq!(Script::read("git status > ~/.bashrc")?.form(), Form::Involved);
/// # Ok::<(), holm_tools::shell::Unreadable>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    commands: Vec<Command>,
    assignments: Vec<(String, Word)>,
    form: Form,
}

/// How much of a script is plain to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Commands of plain words, joined by `;`, `&&`, `||`, `|` or line ends, and nothing else.
    Plain,
    /// Something that needs a person: redirections, expansions, assignments, substitutions, loops, functions.
    Involved,
}

/// One command: a program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program's name first.
    pub words: Vec<Word>,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// It stands there as the program will see it, at most in quotes.
    Plain(String),
    /// Its value is known, though it is spelled in another way.
    Known(String),
    /// It is made when the script runs.
    Made,
}

/// Why a script cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is longer than a person could be shown.
    #[error("the script is longer than {MAX_SCRIPT} bytes; write it to a file and run that")]
    TooLong,
    /// It is no Bash.
    #[error("the script cannot be read as Bash; check quotes and brackets")]
    Syntax,
    /// It holds a character that ends texts in C.
    #[error("the script holds a zero byte; remove it")]
    ZeroByte,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// Where it is too long or no Bash; such a script passes no rule.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        if text.len() > MAX_SCRIPT {
            return Err(Unreadable::TooLong);
        }
        if text.contains('\0') {
            return Err(Unreadable::ZeroByte);
        }
        let mut script = parse(text)?;
        // A shell takes these out before it reads, in other places than the parser does.
        if text.contains("\\\n") {
            let joined = parse(&text.replace("\\\n", ""))?;
            script.commands.extend(joined.commands);
            script.assignments.extend(joined.assignments);
            script.form = Form::Involved;
        }
        if is_deceptive(text) {
            script.form = Form::Involved;
        }
        Ok(script)
    }

    /// A single command of these words, which no shell reads.
    #[must_use]
    pub fn of_words(words: &[String]) -> Self {
        let known = |word: &String| {
            if is_deceptive(word) || word.contains('\n') {
                Word::Known(word.clone())
            } else {
                Word::Plain(word.clone())
            }
        };
        let commands = if words.is_empty() {
            Vec::new()
        } else {
            vec![Command { words: words.iter().map(known).collect() }]
        };
        Self { commands, assignments: Vec::new(), form: Form::Plain }
    }

    /// Every command, also those in substitutions, functions and branches.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Every variable that is set, before a command or alone.
    pub(super) fn assignments(&self) -> &[(String, Word)] {
        &self.assignments
    }

    /// How much of it is plain to see.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }
}

impl Word {
    /// What the program sees, where that is known.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Plain(text) | Self::Known(text) => Some(text),
            Self::Made => None,
        }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Plain(one), Self::Plain(other)) => Self::Plain(one + &other),
            (Self::Plain(one) | Self::Known(one), Self::Plain(other) | Self::Known(other)) => {
                Self::Known(one + &other)
            }
            (Self::Made, _) | (_, Self::Made) => Self::Made,
        }
    }
}

/// Whether something in a text does not show itself as what it is.
fn is_deceptive(text: &str) -> bool {
    holm_kernel::visible(text).len() != text.len()
}

fn parse(text: &str) -> Result<Script, Unreadable> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).map_err(|_| Unreadable::Syntax)?;
    let tree = parser.parse(text, None).ok_or(Unreadable::Syntax)?;
    if tree.root_node().has_error() {
        return Err(Unreadable::Syntax);
    }
    let script = Script { commands: Vec::new(), assignments: Vec::new(), form: Form::Plain };
    let mut reading = Reading { script, starts: Vec::new(), given: 0 };
    // With a cursor and not by recursion: ten thousand brackets must not fill the stack.
    let mut cursor = tree.walk();
    loop {
        reading.look(cursor.node(), text);
        if !cursor.goto_first_child() && !advance(&mut cursor) {
            return Ok(reading.script);
        }
    }
}

/// Moves to the next node in the order of the text; false at the end.
fn advance(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

/// A script that is being read, and where each of its commands begins.
struct Reading {
    script: Script,
    starts: Vec<usize>,
    /// How many strays were given to commands.
    given: usize,
}

impl Reading {
    fn look(&mut self, node: Node<'_>, text: &str) {
        let kind = node.kind();
        if !PLAIN.contains(&kind) {
            self.script.form = Form::Involved;
        }
        if kind == "command" {
            let words: Vec<Word> = parts(node, text);
            if words.iter().any(|word| !matches!(word, Word::Plain(_))) {
                self.script.form = Form::Involved;
            }
            self.push(node, words);
        } else if DECLARING.contains(&kind) {
            let words = text.get(node.byte_range()).unwrap_or_default().split_whitespace();
            self.push(node, words.map(|word| Word::Known(word.to_owned())).collect());
        } else if kind == "variable_assignment" {
            let name = node.child_by_field_name("name").and_then(|name| text.get(name.byte_range()));
            let value = node
                .child_by_field_name("value")
                .map_or(Word::Plain(String::new()), |value| word(value, text));
            self.script.assignments.push((name.unwrap_or_default().to_owned(), value));
        } else if matches!(kind, "file_redirect" | "heredoc_redirect") {
            self.give_back(node, text);
        }
    }

    fn push(&mut self, node: Node<'_>, words: Vec<Word>) {
        self.script.commands.push(Command { words });
        self.starts.push(node.start_byte());
    }

    /// Gives the strays of a redirection behind a statement to every command of it: which one they belong to depends on
    /// what the statement is, and one too many is harmless.
    fn give_back(&mut self, redirect: Node<'_>, text: &str) {
        let strays = strays(redirect, text);
        if strays.is_empty() {
            return;
        }
        let outer = std::iter::successors(redirect.parent(), Node::parent)
            .find(|node| node.kind() != "heredoc_redirect");
        // Those inside a command have been read with it.
        let Some(outer) = outer.filter(|outer| outer.kind() != "command") else { return };
        let inside = self.script.commands.iter_mut().zip(&self.starts);
        let inside: Vec<_> = inside.filter(|(_, start)| **start >= outer.start_byte()).collect();
        self.given += inside.len() * strays.len();
        if self.given > MAX_GIVEN {
            return self.push(redirect, vec![Word::Made]);
        }
        if inside.is_empty() {
            return self.push(redirect, strays);
        }
        for (command, _) in inside {
            command.words.extend(strays.iter().cloned());
        }
    }
}

/// The words of a command, without assignments and redirections.
fn parts(command: Node<'_>, text: &str) -> Vec<Word> {
    let mut cursor = command.walk();
    let mut words = Vec::new();
    for node in command.named_children(&mut cursor) {
        match node.kind() {
            "variable_assignment" | "herestring_redirect" | "comment" => {}
            "file_redirect" | "heredoc_redirect" => words.extend(strays(node, text)),
            _ => words.push(word(node, text)),
        }
    }
    words
}

/// Words of a command that the grammar counts to a redirection before them, as in `git > file push`.
fn strays(redirect: Node<'_>, text: &str) -> Vec<Word> {
    let mut cursor = redirect.walk();
    let (field, targets) = match redirect.kind() {
        "heredoc_redirect" => ("argument", 0),
        // Closing a descriptor takes no file.
        _ if redirect.children(&mut cursor).any(|part| matches!(part.kind(), "<&-" | ">&-")) => {
            ("destination", 0)
        }
        _ => ("destination", 1),
    };
    let found = redirect.children_by_field_name(field, &mut cursor);
    found.filter(Node::is_named).skip(targets).map(|node| word(node, text)).collect()
}

fn word(node: Node<'_>, text: &str) -> Word {
    let raw = text.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "command_name" => match (node.named_child(0), node.named_child_count()) {
            (Some(only), 1) => word(only, text),
            _ => Word::Made,
        },
        "word" | "number" => bare(raw),
        "raw_string" => quoted(raw, '\'').map_or(Word::Made, |inner| Word::Plain(inner.to_owned())),
        "string" => {
            let mut cursor = node.walk();
            let only_text = node.named_children(&mut cursor).all(|child| child.kind() == "string_content");
            match quoted(raw, '"').filter(|_| only_text) {
                Some(inner) => in_quotes(inner),
                None => Word::Made,
            }
        }
        "concatenation" => {
            let mut cursor = node.walk();
            let pieces: Vec<Node<'_>> = node.children(&mut cursor).collect();
            // Something between the pieces would be something that the pieces do not say.
            let mut at = node.start_byte();
            let mut whole = Word::Plain(String::new());
            for piece in pieces {
                if piece.start_byte() != at {
                    return Word::Made;
                }
                at = piece.end_byte();
                whole = match piece.kind() {
                    "word" | "number" | "string" | "raw_string" => whole.join(word(piece, text)),
                    _ => Word::Made,
                };
            }
            whole
        }
        _ => Word::Made,
    }
}

/// A word without quotes: patterns and braces become something else, a backslash takes the next character as it is.
fn bare(raw: &str) -> Word {
    if raw.contains(['*', '?', '[', ']', '{', '}', '$', '`', '!', '(', ')', '<', '>', '^']) {
        return Word::Made;
    }
    if raw.starts_with('~') || raw.contains("=~") || raw.contains(":~") {
        return Word::Known(raw.to_owned());
    }
    if !raw.contains('\\') {
        return Word::Plain(raw.to_owned());
    }
    let mut value = String::with_capacity(raw.len());
    let mut letters = raw.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => value.extend(letters.next().filter(|next| *next != '\n')),
            other => value.push(other),
        }
    }
    Word::Known(value)
}

/// What stands in double quotes without any expansion.
fn in_quotes(inner: &str) -> Word {
    if inner.contains(['$', '`', '!']) {
        return Word::Made;
    }
    if !inner.contains('\\') {
        return Word::Plain(inner.to_owned());
    }
    let mut value = String::with_capacity(inner.len());
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => drop(letters.next()),
            ('\\', Some('"' | '\\')) => value.extend(letters.next()),
            (other, _) => value.push(other),
        }
    }
    Word::Known(value)
}

fn quoted(raw: &str, mark: char) -> Option<&str> {
    raw.strip_prefix(mark)?.strip_suffix(mark)
}
