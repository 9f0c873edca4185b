//! The plan of a call: which argument becomes which words, and in which order.

mod argv;
mod value;

use serde::{Deserialize, Serialize};

/// The plan of a program: turns JSON arguments into the words of a command line.
///
/// The words are what the program's `main` gets, after its own name. They pass through no shell, so
/// nothing is quoted and nothing can break out of quotes. A value that looks like an option is
/// written so that the program takes it for a value, or refused.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_tools::help::{Description, Program};
///
/// let text = b"Usage: head [OPTION]... [FILE]...\n\n  -n, --lines=NUM   print NUM lines\n  -q, --quiet   no names\n";
/// let head = Description::read(&Program::named("head"), None, Some(text))?;
/// let arguments = Json::parse(r#"{"lines": 3, "quiet": true, "file": ["a.txt", "-b"]}"#).unwrap();
/// assert_eq!(head.plan.argv(&arguments).unwrap(), ["--lines=3", "--quiet", "--", "a.txt", "-b"]);
/// # Ok::<(), holm_tools::help::NotHelp>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallPlan {
    /// The program itself; its subcommands are inside.
    pub root: Node,
}

/// One command: its options, positions and subcommands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Node {
    /// Its options, in the order in which they are written.
    pub options: Vec<Opt>,
    /// What follows the options, in order.
    pub steps: Vec<Step>,
    /// Its subcommands; at most one is called.
    pub commands: Vec<Command>,
    /// Whether one must be.
    pub command: Need,
    /// Whether `--` ends the options.
    pub dashes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The property that chooses it.
    pub property: String,
    /// The word that calls it.
    pub name: String,
    /// Other words that call it.
    pub aliases: Vec<String>,
    pub about: String,
    /// Its arguments. `None` until its own help was read; until then it takes words as they are.
    pub node: Option<Box<Node>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opt {
    /// The property that sets it.
    pub property: String,
    /// How it is written, dashes included.
    pub flag: String,
    pub takes: Takes,
    /// Whether it must be given.
    pub need: Need,
    pub about: String,
    /// The value that applies without it.
    pub default: Option<String>,
}

/// Whether an argument is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    Required,
    /// It may be left out.
    #[default]
    Optional,
}

/// The value that an option takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Takes {
    /// No value: the option is given or not.
    Nothing(Off),
    /// No value; the option counts how often it is given.
    Count,
    Value {
        /// The type of the value.
        kind: Kind,
        /// How it is joined to the option.
        glue: Glue,
        /// How many there may be.
        times: Times,
        /// Whether the option may be given without a value.
        bare: bool,
        /// Whether `=` may join a value that begins with a dash.
        equals: bool,
    },
}

/// How a switch is turned off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Off {
    /// By leaving it out.
    Omit,
    Flag(String),
}

/// How a value is joined to its option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Glue {
    /// As the next word.
    Space,
    /// In the same word after `=`.
    Equals,
    /// In the same word directly.
    Attached,
}

/// How many values an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Times {
    Once,
    /// The option again for each.
    Occurrences,
    /// Any number after the option.
    Values,
    /// Exactly so many after the option.
    Exactly(u8),
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Any text; numbers and booleans are written as text.
    Text,
    Integer,
    Number,
    /// `true` or `false`, as a word.
    Boolean,
    Choice(Vec<String>),
}

/// A word after the options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A word that is always written here.
    Literal(String),
    Dashes,
    Position(Position),
}

/// A value without a flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The property that sets it.
    pub property: String,
    pub kind: Kind,
    /// Whether it must be given.
    pub need: Need,
    /// Whether there may be several.
    pub many: bool,
    /// Its description, for the model.
    pub about: String,
    /// The value that applies without it.
    pub default: Option<String>,
    /// Properties of positions that must be given with it, because the program counts from the left.
    pub after: Vec<String>,
}

/// The property that takes words for a subcommand whose help was not read.
pub(super) const WORDS: &str = "words";
