//! A path beneath a workspace, as bytes, because names on a disk are not always text. It is checked
//! once, so that it can never leave its folder.
//!
//! It opens nothing: `tree.rs` does, without following links. The form in JSON is here, because
//! records store paths.

use std::{
    ffi::OsStr,
    fmt::{self, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::Path,
};

use serde::{Deserialize, Serialize};

/// A path beneath a folder. It is relative, and has no empty name, no `.` and no `..`, so joining
/// it to a folder never leaves the folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "PathText", into = "PathText")]
pub struct TreePath(Vec<u8>);

/// Why bytes are not such a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a path beneath the folder")]
pub struct TreePathError;

impl TreePath {
    /// # Errors
    /// [`TreePathError`] if the bytes are not a path beneath a folder.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, TreePathError> {
        let bytes = bytes.into();
        let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
        if bytes.split(|byte| *byte == b'/').all(is_name) { Ok(Self(bytes)) } else { Err(TreePathError) }
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The names from the folder down.
    pub(crate) fn names(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/')
    }

    pub(crate) fn name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// The folder that has this entry; `None` at the top.
    pub(crate) fn parent(&self) -> Option<Self> {
        let end = self.0.iter().rposition(|byte| *byte == b'/')?;
        self.0.get(..end).map(|bytes| Self(bytes.to_vec()))
    }

    /// All folders above this entry, the nearest first.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent)
    }

    /// The entry of this name in this folder; the name is one that the system listed.
    pub(crate) fn child(folder: Option<&Self>, name: &[u8]) -> Self {
        match folder {
            Some(folder) => Self([&folder.0, b"/".as_slice(), name].concat()),
            None => Self(name.to_vec()),
        }
    }
}

impl fmt::Display for TreePath {
    /// On one line: letters that would move a terminal's cursor are written out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for letter in chunk.valid().chars() {
                if letter.is_control() {
                    write!(f, "{}", letter.escape_default())?;
                } else {
                    f.write_char(letter)?;
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// The form in JSON: a text, or the hex of bytes that are not text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum PathText {
    Text(String),
    Bytes { hex: String },
}

impl PathText {
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Bytes { hex: hex(error.as_bytes()) },
        }
    }

    pub(crate) fn bytes(self) -> Result<Vec<u8>, TreePathError> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Bytes { hex } => unhex(&hex).ok_or(TreePathError),
        }
    }
}

impl From<TreePath> for PathText {
    fn from(path: TreePath) -> Self {
        Self::of(path.0)
    }
}

impl TryFrom<PathText> for TreePath {
    type Error = TreePathError;

    fn try_from(text: PathText) -> Result<Self, TreePathError> {
        Self::new(text.bytes()?)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS.get(usize::from(half)).copied().unwrap_or(b'0'));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(|letter| letter.to_digit(16)).collect::<Option<_>>()?;
    let byte = |pair: &[u32]| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    };
    digits.chunks(2).map(byte).collect()
}
