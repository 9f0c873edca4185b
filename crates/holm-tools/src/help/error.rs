//! Errors for texts that are not help texts, and for arguments that do not make a call. Each names
//! the place and what to send instead, since a model reads it. Limits that errors name are in
//! `limits.rs`.

use holm_guards::json::JsonKind;

/// A text is not the help text of a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no help text: {why}")]
pub struct HelpTextError {
    /// What is wrong with it.
    pub why: HelpTextErrorKind,
}

/// Why a text is not a help text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HelpTextErrorKind {
    #[error("the program printed nothing")]
    Empty,
    /// It is not text.
    #[error("the program printed binary data")]
    Binary,
    /// It is longer than any help.
    #[error("the program printed {bytes} bytes; at most {} are read", super::MAX_BYTES)]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// Nothing in it says how to call the program.
    #[error("found no usage line, options or commands; it begins with {begins:?}")]
    NothingFound { begins: String },
}

/// A subcommand's description cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubcommandAttachError {
    /// The program has no such subcommand.
    #[error("there is no subcommand {0:?}")]
    NoSuchCommand(String),
    /// The path is longer than paths may be.
    #[error("subcommands are nested deeper than {} levels", super::MAX_NESTING)]
    TooDeep,
}

/// Arguments do not fit the plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanArgumentError {
    /// They are not an object.
    #[error("{place}: expected an object, found {found}")]
    NotAnObject { place: String, found: JsonKind },
    /// A needed one is missing.
    #[error("{0}: missing; send it")]
    Missing(String),
    /// One does not exist.
    #[error("{0}: unknown argument; leave it out")]
    Unknown(String),
    /// A value has the wrong type.
    #[error("{place}: expected {expected}, found {found}")]
    WrongKind { place: String, expected: String, found: JsonKind },
    /// A value is not one of the choices.
    #[error("{place}: {value:?} is not a valid choice; use one of {choices}")]
    NoChoice { place: String, value: String, choices: String },
    /// There are more or fewer values than it takes.
    #[error("{place}: takes {takes} values, found {found}")]
    Count {
        place: String,
        /// How many it takes.
        takes: String,
        /// How many it got.
        found: usize,
    },
    /// An earlier position was left out, so the program would take this value for the earlier one.
    #[error("{place}: needs {before} before it; send both")]
    Gap {
        place: String,
        /// Which one is missing.
        before: String,
    },
    /// No subcommand is chosen, and one is needed.
    #[error("{place}: choose one of the commands {choices}")]
    NoCommand { place: String, choices: String },
    /// Two subcommands are chosen.
    #[error("{first} and {second}: only one command can be called; leave one out")]
    TwoCommands { first: String, second: String },
    /// A value looks like an option, and this program has no syntax that would mark it as a value.
    #[error("{place}: {value:?} looks like an option to this program; use another value")]
    LooksLikeAnOption { place: String, value: String },
    /// A word of a command line cannot hold a zero byte.
    #[error("{0}: holds a zero byte, which cannot be passed on a command line; remove it")]
    ZeroByte(String),
    /// The call would be longer than the system takes.
    #[error("the call has too many or too long words; at most {} are possible", super::MAX_WORDS)]
    TooLong,
}
