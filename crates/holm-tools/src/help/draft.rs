//! The intermediate result of reading, before properties are named and ambiguities are resolved.

use holm_grants::Level;

use super::dialect::Dialect;
use super::plan::{Glue, Kind};

/// Everything that one help text says.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub about: String,
    pub version: Option<String>,
    pub keywords: Vec<String>,
    pub level: Option<Level>,
    pub options: Vec<DraftOption>,
    pub forms: Vec<Form>,
    pub commands: Vec<DraftCommand>,
    pub dialect: Dialect,
    /// Whether something says that this is help: a usage line, or a list of options or commands.
    pub evidence: bool,
}

/// An option as the text shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DraftOption {
    /// Its spellings with their dashes, in the order of the text.
    pub names: Vec<String>,
    /// The spellings that turn it off.
    pub off: Vec<String>,
    pub value: Option<Value>,
    /// A switch that may be given again.
    pub repeat: bool,
    pub required: bool,
    pub about: String,
    pub default: Option<String>,
}

impl DraftOption {
    /// Whether it has this spelling.
    pub(super) fn is(&self, name: &str) -> bool {
        self.names.iter().chain(&self.off).any(|known| known == name)
    }

    /// The spelling to use: a long one if the option has one.
    pub(super) fn flag(&self) -> &str {
        let long = self.names.iter().find(|name| name.starts_with("--"));
        let word = || self.names.iter().find(|name| name.chars().count() > 2);
        long.or_else(word).or_else(|| self.names.first()).map_or("", String::as_str)
    }
}

/// The value of an option, or of a position.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Value {
    /// The names in the text; several if several words follow.
    pub names: Vec<String>,
    pub choices: Vec<String>,
    pub kind: Option<Kind>,
    /// Whether it may be left out.
    pub optional: bool,
    pub many: Many,
    pub glue: Option<Glue>,
    pub default: Option<String>,
}

/// How often a value may be given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Many {
    #[default]
    One,
    /// Several after one flag.
    Values,
    /// The flag again for each.
    Occurrences,
}

/// A way to call the program: one usage line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Form {
    /// The leading words, which choose the action.
    pub path: Vec<String>,
    pub steps: Vec<DraftStep>,
    /// The options in the line, and whether each is required.
    pub options: Vec<(String, bool)>,
    /// Whether the line has a placeholder for all options.
    pub all_options: bool,
    /// Whether a subcommand follows.
    pub selector: Option<Selector>,
}

/// Whether a subcommand must follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selector {
    Required,
    Optional,
}

/// A word after the options.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DraftStep {
    Literal(String),
    Dashes,
    Position(DraftPosition),
}

/// A position as the text shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DraftPosition {
    pub name: String,
    pub required: bool,
    pub many: bool,
    /// The text does not say when the position applies, so no decision depends on it.
    pub loose: bool,
    pub choices: Vec<String>,
    pub kind: Option<Kind>,
    pub about: String,
    pub default: Option<String>,
}

/// A subcommand as the text shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DraftCommand {
    pub name: String,
    pub aliases: Vec<String>,
    pub about: String,
}
