//! What a text is not, and where.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

/// A text is not the value that was asked for.
///
/// It is one pointer wide: every reader returns it, so its width is paid everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError(Box<Problem>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    kind: ReadErrorKind,
    line: usize,
    column: usize,
}

/// The ways in which a text can fail to be a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// It ends too early.
    End,
    /// It is no JSON, or JSON of another kind than this.
    Expected(&'static str),
    /// A needed field did not come.
    Missing(&'static str),
    /// A field came twice.
    Twice(&'static str),
    /// No variant has this name.
    Unknown {
        /// The name that came.
        found: String,
        /// Those that there are.
        known: &'static [&'static str],
    },
    /// Lists and objects are nested too deeply.
    TooDeep,
    /// The value is complete and more follows.
    Trailing,
    /// The value has the right form and cannot be: what its own type says.
    Refused(String),
}

impl ReadError {
    #[cold]
    pub(crate) fn new(kind: ReadErrorKind, bytes: &[u8], at: usize) -> Self {
        let before = bytes.get(..at).unwrap_or(bytes);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        Self(Box::new(Problem { kind, line, column }))
    }

    /// The kind of error that occurred.
    #[must_use]
    pub const fn kind(&self) -> &ReadErrorKind {
        &self.0.kind
    }

    /// Whether the text only ended too early.
    #[must_use]
    pub const fn is_end(&self) -> bool {
        matches!(self.0.kind, ReadErrorKind::End)
    }

    /// The line number, counted from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.0.line
    }

    /// Column in bytes, from 1.
    #[must_use]
    pub const fn column(&self) -> usize {
        self.0.column
    }
}

impl core::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { kind, line, column } = &*self.0;
        match kind {
            ReadErrorKind::End => out.write_str("the text ends too early")?,
            ReadErrorKind::Expected(what) => write!(out, "expected {what}")?,
            ReadErrorKind::Missing(name) => write!(out, "missing field `{name}`")?,
            ReadErrorKind::Twice(name) => write!(out, "duplicate field `{name}`")?,
            ReadErrorKind::Unknown { found, known } => {
                write!(out, "unknown variant `{found}`, expected ")?;
                for (place, name) in known.iter().enumerate() {
                    write!(out, "{}`{name}`", if place == 0 { "" } else { ", " })?;
                }
            }
            ReadErrorKind::TooDeep => out.write_str("nested too deeply")?,
            ReadErrorKind::Trailing => out.write_str("text follows the complete value")?,
            ReadErrorKind::Refused(reason) => out.write_str(reason)?,
        }
        write!(out, " at line {line} column {column}")
    }
}
