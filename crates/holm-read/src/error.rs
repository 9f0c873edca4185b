//! Errors of reading JSON, with the position where they occurred.
//!
//! It is made in `reader.rs` and the other parts of the reader. It is one pointer wide, because
//! every reading function returns it.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

/// The text is not a value of the requested type.
///
/// It is one pointer wide, because every reading function returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError(Box<ReadErrorDetail>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct ReadErrorDetail {
    kind: ReadErrorKind,
    line: usize,
    column: usize,
}

/// Why a text is not a value of the requested type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The text ends too early.
    End,
    /// The text is not JSON, or not of the expected kind.
    Expected(&'static str),
    /// A required field is missing.
    Missing(&'static str),
    /// A field occurs twice.
    Twice(&'static str),
    /// The enum has no variant of this name.
    Unknown {
        /// The name in the text.
        found: String,
        /// The names of the variants.
        known: &'static [&'static str],
    },
    /// Lists and objects are nested too deeply.
    TooDeep,
    /// More text follows after the value.
    Trailing,
    /// The value has the right form, and its type rejects it with this reason.
    Refused(String),
}

impl ReadError {
    #[cold]
    pub(crate) fn new(kind: ReadErrorKind, bytes: &[u8], at: usize) -> Self {
        let before = bytes.get(..at).unwrap_or(bytes);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        Self(Box::new(ReadErrorDetail { kind, line, column }))
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

    /// The column in bytes, counted from 1.
    #[must_use]
    pub const fn column(&self) -> usize {
        self.0.column
    }
}

impl core::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadErrorDetail { kind, line, column } = &*self.0;
        match kind {
            ReadErrorKind::End => out.write_str("the text ends too early")?,
            ReadErrorKind::Expected(expected) => write!(out, "expected {expected}")?,
            ReadErrorKind::Missing(name) => write!(out, "missing field `{name}`")?,
            ReadErrorKind::Twice(name) => write!(out, "duplicate field `{name}`")?,
            ReadErrorKind::Unknown { found, known } => {
                write!(out, "unknown variant `{found}`, expected ")?;
                for (index, name) in known.iter().enumerate() {
                    write!(out, "{}`{name}`", if index == 0 { "" } else { ", " })?;
                }
            }
            ReadErrorKind::TooDeep => out.write_str("nested too deeply")?,
            ReadErrorKind::Trailing => out.write_str("text follows the complete value")?,
            ReadErrorKind::Refused(reason) => out.write_str(reason)?,
        }
        write!(out, " at line {line} column {column}")
    }
}
