//! What is wrong with a text that is not JSON, and where: line, column and byte.
//!
//! `json/parse.rs` finds the error; this file only names and words it. Models read these messages
//! and try again, so each says what to write instead. How arguments with such an error are shown to
//! a model is in `repair/text.rs`.

use alloc::string::String;
use core::fmt;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPosition {
    /// Bytes before the place.
    pub offset: usize,
    /// The line number, starting at 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl TextPosition {
    /// Finds line and column of a byte offset; an offset inside a character
    /// belongs to that character.
    #[must_use]
    pub fn find(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = text.get(..offset).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { offset, line, column }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A text is not JSON.
///
/// ```
/// use holm_guards::json::{Json, JsonParseErrorKind};
///
/// let error = Json::parse("{\"a\": 1,\n}").unwrap_err();
/// assert_eq!(error.kind, JsonParseErrorKind::TrailingComma);
/// assert_eq!(
///     error.to_string(),
///     "line 2, column 1: trailing comma before the closing bracket; remove it"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {kind}")]
pub struct JsonParseError {
    /// The place where the text stopped being JSON.
    pub at: TextPosition,
    /// The kind of the error.
    pub kind: JsonParseErrorKind,
}

/// The ways in which a text can fail to be JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonParseErrorKind {
    /// Nothing but white space, or an unfinished value.
    #[error("the text ends before the value is complete; send the whole value")]
    UnexpectedEnd,
    /// A value is missing here.
    #[error("expected a JSON value, found {0:?}")]
    ExpectedValue(char),
    /// A property name is missing here.
    #[error("expected a property name in double quotes, found {0:?}")]
    ExpectedName(char),
    /// A colon should follow the property name.
    #[error("expected `:` after the property name, found {0:?}")]
    ExpectedColon(char),
    /// The value is over; a comma or the closing bracket should follow.
    #[error("expected `,` or a closing bracket, found {0:?}")]
    ExpectedComma(char),
    /// A comma directly before the closing bracket.
    #[error("trailing comma before the closing bracket; remove it")]
    TrailingComma,
    /// A number is not written as JSON writes numbers.
    #[error("the number is malformed; write it like 12, -0.5 or 6e23")]
    BadNumber,
    /// A backslash is followed by something that it cannot escape.
    #[error("unknown escape in a string; write a backslash as `\\\\`")]
    BadEscape,
    /// Half of a surrogate pair without the other half.
    #[error("a `\\u` escape holds half of a surrogate pair; write both halves or the character itself")]
    LoneSurrogate,
    /// A raw control character in a string.
    #[error("unescaped control character {0:?} in a string; escape it")]
    ControlCharacter(char),
    /// A property is given twice (only where the caller asked for strictness).
    #[error("the property {0:?} is given twice; send it once")]
    DuplicateName(String),
    /// Arrays and objects are nested too deeply.
    #[error("the value is nested deeper than {} levels; flatten it", super::MAX_DEPTH)]
    TooDeep,
    /// The value is complete but more text follows.
    #[error("text follows the complete value, starting with {0:?}; send one value only")]
    TrailingText(char),
}
