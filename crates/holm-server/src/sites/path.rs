//! Parses paths of requests and folders. A path that a file system could read differently is
//! refused, not repaired.
//!
//! It opens nothing: `page.rs` does, from the handle of the workspace. Names that begin with a dot
//! are never part of a path.
//!
//! Links and hidden files are refused by `holm-tools/src/root/`; a site's folder is stored in
//! `site_registry.rs`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ServerError;

/// The longest path in bytes.
const LONGEST: usize = 1_024;

/// A path below a folder: plain names, none of which begins with a dot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SitePath(Vec<String>);

impl SitePath {
    /// Parses the path of a folder, as a user writes it.
    ///
    /// # Errors
    /// [`ServerError::Name`] if it is not a plain relative path.
    pub fn folder(text: &str) -> Result<Self, ServerError> {
        let wrong = || ServerError::Name {
            what: "a folder of the workspace",
            given: text.chars().filter(|character| !character.is_control()).take(64).collect(),
            reason: "use plain names separated by slashes; no name may start with a dot",
        };
        let trimmed = text.trim_end_matches('/');
        if trimmed.is_empty() {
            return if text.starts_with('/') { Err(wrong()) } else { Ok(Self::default()) };
        }
        Self::of(trimmed.split('/').map(|name| Some(name.to_owned()))).ok_or_else(wrong)
    }

    /// Parses the path of a request, and whether it names a file or a folder; `None`
    /// if it is invalid.
    pub(super) fn asked(path: &str) -> Option<(Self, PathTarget)> {
        let rest = path.strip_prefix('/').filter(|_| path.len() <= LONGEST)?;
        let (rest, names) = match rest.strip_suffix('/') {
            Some(rest) => (rest, PathTarget::Folder),
            None if rest.is_empty() => return Some((Self::default(), PathTarget::Folder)),
            None => (rest, PathTarget::File),
        };
        Some((Self::of(rest.split('/').map(decoded))?, names))
    }

    pub(super) fn then(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// A file in it.
    pub(super) fn file(&self, name: &str) -> Self {
        self.then(&Self(vec![name.to_owned()]))
    }

    /// The extension of the last name.
    pub(super) fn extension(&self) -> &str {
        let name = self.0.last().map(String::as_str).unwrap_or_default();
        name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default()
    }

    fn of(names: impl Iterator<Item = Option<String>>) -> Option<Self> {
        let plain = |name: &String| {
            !name.is_empty()
                && !name.starts_with('.')
                && !name.contains(|character: char| {
                    character.is_control() || matches!(character, '/' | '\\' | ':')
                })
        };
        names.map(|name| name.filter(plain)).collect::<Option<Vec<_>>>().map(Self)
    }
}

impl fmt::Display for SitePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.join("/"))
    }
}

impl From<SitePath> for String {
    fn from(path: SitePath) -> Self {
        path.to_string()
    }
}

impl TryFrom<String> for SitePath {
    type Error = ServerError;

    fn try_from(text: String) -> Result<Self, ServerError> {
        Self::folder(&text)
    }
}

/// Whether a request names a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathTarget {
    File,
    Folder,
}

/// Decodes the percent-encoding of a name; `None` if it is invalid or not UTF-8.
fn decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let (digits, after) = rest.split_first_chunk::<2>()?;
        let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
        bytes.push(u8::try_from(high? * 16 + low?).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
