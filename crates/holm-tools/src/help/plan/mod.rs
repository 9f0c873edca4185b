//! The plan of a call: which argument becomes which words, and in which order. It holds data that a
//! host may store; `help/plan_builder.rs` makes it, and `argv.rs` uses it.
//!
//! Where things are:
//! - `argv.rs`: from arguments to words. `value.rs`: from one value to its text.

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
/// use holm_tools::help::{HelpDescription, HelpProgram};
///
/// let text = b"Usage: head [OPTION]... [FILE]...\n\n  -n, --lines=NUM   print NUM lines\n  -q, --quiet   no names\n";
/// let head = HelpDescription::read(&HelpProgram::named("head"), None, Some(text))?;
/// let arguments = Json::parse(r#"{"lines": 3, "quiet": true, "file": ["a.txt", "-b"]}"#).unwrap();
/// assert_eq!(head.plan.argv(&arguments).unwrap(), ["--lines=3", "--quiet", "--", "a.txt", "-b"]);
/// # Ok::<(), holm_tools::help::HelpTextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallPlan {
    /// The program itself; its subcommands are inside.
    pub root: CommandNode,
}

/// One command: its options, positions and subcommands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandNode {
    /// Its options, in the order in which they are written.
    pub options: Vec<PlanOption>,
    /// What follows the options, in order.
    pub steps: Vec<PlanArgument>,
    /// Its subcommands; at most one is called.
    pub commands: Vec<PlanSubcommand>,
    /// Whether one must be.
    pub command: PlanNeed,
    /// Whether `--` ends the options.
    pub dashes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSubcommand {
    /// The property that chooses it.
    pub property: String,
    /// The word that calls it.
    pub name: String,
    /// Other words that call it.
    pub aliases: Vec<String>,
    pub about: String,
    /// Its arguments. `None` until its own help was read; until then it takes words as they are.
    pub node: Option<Box<CommandNode>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanOption {
    /// The property that sets it.
    pub property: String,
    /// How it is written, dashes included.
    pub flag: String,
    pub takes: OptionArgument,
    /// Whether it must be given.
    pub need: PlanNeed,
    pub about: String,
    /// The value that applies without it.
    pub default: Option<String>,
}

/// Whether an argument is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanNeed {
    Required,
    /// It may be left out.
    #[default]
    Optional,
}

/// The value that an option takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionArgument {
    /// No value: the option is given or not.
    Nothing(SwitchOffForm),
    /// No value; the option counts how often it is given.
    Count,
    Value {
        /// The type of the value.
        kind: PlanValueKind,
        /// How it is joined to the option.
        glue: OptionValueJoin,
        /// How many there may be.
        times: OptionValueCount,
        /// Whether the option may be given without a value.
        bare: bool,
        /// Whether `=` may join a value that begins with a dash.
        equals: bool,
    },
}

/// How a switch is turned off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SwitchOffForm {
    /// By leaving it out.
    Omit,
    Flag(String),
}

/// How a value is joined to its option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionValueJoin {
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
pub enum OptionValueCount {
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
pub enum PlanValueKind {
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
pub enum PlanArgument {
    /// A word that is always written here.
    Literal(String),
    Dashes,
    Position(PlanPosition),
}

/// A value without a flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanPosition {
    /// The property that sets it.
    pub property: String,
    pub kind: PlanValueKind,
    /// Whether it must be given.
    pub need: PlanNeed,
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
