//! Errors in a description, with the file and the field. Text of the program is shortened and
//! cleaned before it becomes part of an error. Errors in the arguments of a call are in `call.rs`.

use holm_guards::json::{JsonKind, JsonParseError};

/// A program's description cannot be used. Other programs of the folder are not affected.
///
/// ```
/// use holm_tools::describe::ProgramDescription;
///
/// let error = ProgramDescription::parse(
///     "ping.sh",
///     br#"{"slug":"ping","description":"d","args":[{"name":"host","mode":"env"}]}"#,
/// )
/// .unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "ping.sh: args[0].mode: unknown value \"env\"; use positional, dashdashspace, dashdashequal or stdin"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {flaw}")]
pub struct DescriptionError {
    /// The program that was asked.
    pub file: String,
    pub flaw: DescriptionErrorKind,
}

/// What is wrong with a description; a field is written like `args[0].mode`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionErrorKind {
    #[error(
        "printed nothing when asked to describe itself; print the description as JSON on standard output"
    )]
    Silent,
    /// More was printed than a description can need.
    #[error("the description takes {bytes} bytes; keep it below {}", super::MAX_BYTES)]
    TooLong { bytes: usize },
    /// The output is not text.
    #[error("the description is not UTF-8")]
    NotText,
    /// The output is not JSON.
    #[error("the description is not JSON: {0}")]
    NotJson(JsonParseError),
    /// A field is missing.
    #[error("{field}: missing; add it")]
    Missing { field: String },
    /// A field holds a value of the wrong type.
    #[error("{field}: expected {expected}, found {found}")]
    WrongKind {
        field: String,
        /// The expected type of value.
        expected: &'static str,
        found: JsonKind,
    },
    /// A field holds an unknown word.
    #[error("{field}: unknown value {value:?}; use {known}")]
    Unknown {
        field: String,
        value: String,
        /// The known words for this field.
        known: &'static str,
    },
    /// A name is empty, too long or cannot be written on a command line.
    #[error("{field}: {value:?} cannot be a name; use letters, digits, `_` and `-`")]
    BadName { field: String, value: String },
    /// Two arguments have one name.
    #[error("{field}: {name:?} is declared twice; rename one")]
    Repeated {
        field: String,
        /// The name of both.
        name: String,
    },
    /// There are more arguments than a schema can hold.
    #[error("args: {count} are declared; at most {} are possible", super::MAX_ARGS)]
    TooMany {
        /// How many there are.
        count: usize,
    },
}
