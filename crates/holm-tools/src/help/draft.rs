//! The intermediate result of reading, before properties are named and ambiguities are resolved. It
//! holds data only: `help/describe/read.rs` fills it, and `plan_builder.rs` makes the plan of it.

use holm_grants::Level;

use super::dialect::OptionDialect;
use super::plan::{OptionValueJoin, PlanValueKind};

/// Everything that one help text says.
#[derive(Debug, Clone, Default)]
pub(super) struct HelpDraft {
    pub about: String,
    pub version: Option<String>,
    pub keywords: Vec<String>,
    pub level: Option<Level>,
    pub options: Vec<OptionDraft>,
    pub forms: Vec<UsageForm>,
    pub commands: Vec<CommandDraft>,
    pub dialect: OptionDialect,
    /// Whether something says that this is help: a usage line, or a list of options or commands.
    pub evidence: bool,
}

/// An option as the text shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct OptionDraft {
    /// Its spellings with their dashes, in the order of the text.
    pub names: Vec<String>,
    /// The spellings that turn it off.
    pub off: Vec<String>,
    pub value: Option<ValueDraft>,
    /// A switch that may be given again.
    pub repeat: bool,
    pub required: bool,
    pub about: String,
    pub default: Option<String>,
}

impl OptionDraft {
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
pub(super) struct ValueDraft {
    /// The names in the text; several if several words follow.
    pub names: Vec<String>,
    pub choices: Vec<String>,
    pub kind: Option<PlanValueKind>,
    /// Whether it may be left out.
    pub optional: bool,
    pub many: ValueRepetition,
    pub glue: Option<OptionValueJoin>,
    pub default: Option<String>,
}

/// How often a value may be given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ValueRepetition {
    #[default]
    One,
    /// Several after one flag.
    Values,
    /// The flag again for each.
    Occurrences,
}

/// A way to call the program: one usage line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct UsageForm {
    /// The leading words, which choose the action.
    pub path: Vec<String>,
    pub steps: Vec<StepDraft>,
    /// The options in the line, and whether each is required.
    pub options: Vec<(String, bool)>,
    /// Whether the line has a placeholder for all options.
    pub all_options: bool,
    /// Whether a subcommand follows.
    pub selector: Option<SubcommandSelector>,
}

/// Whether a subcommand must follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubcommandSelector {
    Required,
    Optional,
}

/// A word after the options.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StepDraft {
    Literal(String),
    Dashes,
    Position(PositionDraft),
}

/// A position as the text shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PositionDraft {
    pub name: String,
    pub required: bool,
    pub many: bool,
    /// The text does not say when the position applies, so no decision depends on it.
    pub loose: bool,
    pub choices: Vec<String>,
    pub kind: Option<PlanValueKind>,
    pub about: String,
    pub default: Option<String>,
}

/// A subcommand as the text shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CommandDraft {
    pub name: String,
    pub aliases: Vec<String>,
    pub about: String,
}
