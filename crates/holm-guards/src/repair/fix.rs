//! What was changed in a call's arguments, for the journal and for people.
//!
//! It is a list of kinds and their texts; the changes themselves are made in `repair/text.rs` and
//! `repair/fixer.rs`. Every change must be listed, since a user approves the repaired call.

use alloc::string::String;
use core::fmt;

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// One change that was made to arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ArgumentFix {
    /// Where, as a JSON pointer into the repaired arguments.
    pub pointer: String,
    pub kind: ArgumentFixKind,
}

impl fmt::Display for ArgumentFix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            return self.kind.fmt(f);
        }
        write!(f, "{}: {}", self.pointer, self.kind)
    }
}

/// The kinds of change, each with only one possible result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentFixKind {
    /// No arguments, or `null`, were read as the empty object.
    Empty,
    /// The code fence around the arguments was removed.
    Fence,
    /// Commas before closing brackets were removed.
    TrailingComma,
    /// A `null` was removed from an optional property that cannot be `null`.
    NullDropped,
    /// A string that holds a number, a boolean or `null` became that value.
    Unquoted,
    /// A number or a boolean became the string that shows it.
    Quoted,
    /// A single value became an array of one.
    Listed,
    /// A string that holds an object or an array became that value.
    Unfolded,
    /// A variant in a wrapper became the flat object with its tag.
    Flattened,
}

impl fmt::Display for ArgumentFixKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "missing arguments were read as {}",
            Self::Fence => "a code fence was removed",
            Self::TrailingComma => "commas before closing brackets were removed",
            Self::NullDropped => "a null was left out",
            Self::Unquoted => "quotes around a value were removed",
            Self::Quoted => "a value was put in quotes",
            Self::Listed => "a single value was put in an array",
            Self::Unfolded => "JSON inside a string was unfolded",
            Self::Flattened => "a wrapped variant was flattened",
        })
    }
}
