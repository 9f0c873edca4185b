//! Programs: a bare name that the host looks up in its own trusted folders, or a path to one file.
//!
//! The two never stand for each other in a grant: a file named `git` in the workspace is not the
//! program `git`. A denied name, however, is denied in every folder. Nothing here looks a program
//! up or starts it; that is done where tools run programs (`holm-tools/src/program/`, `holm-jail`).
//! Names are in `name.rs`, paths in `path/`.

use alloc::string::ToString;
use core::fmt;
use core::str::FromStr;

use crate::error::{GrantError, PathError};
use crate::name::{GrantName, NamePattern};
use crate::path::{FilePath, PathPattern};
use crate::text::{bare, fold, serde_as_text};

/// One program. With a slash it is a path (`./run.sh`, `/usr/bin/git`), without one a bare name.
///
/// The two never stand for each other: a grant for `git` does not allow a file of that
/// name in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramRef {
    Name(GrantName),
    Path(FilePath),
}

/// A set of programs, written as [`ProgramRef`] with the wildcards of names or paths.
///
/// ```
/// use holm_grants::ProgramPattern;
/// let git: ProgramPattern = "git".parse()?;
/// assert!(git.admits(&"git".parse()?));
/// assert!(!git.admits(&"./git".parse()?));
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramPattern {
    Name(NamePattern),
    Path(PathPattern),
}

impl ProgramPattern {
    /// Whether `program` belongs to the set.
    #[must_use]
    pub fn admits(&self, program: &ProgramRef) -> bool {
        match (self, program) {
            (Self::Name(pattern), ProgramRef::Name(name)) => pattern.admits(name),
            (Self::Path(pattern), ProgramRef::Path(path)) => pattern.admits(path),
            (Self::Name(_), ProgramRef::Path(_)) | (Self::Path(_), ProgramRef::Name(_)) => false,
        }
    }

    /// Whether every program of `other` belongs to this set. Exact.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(a), Self::Name(b)) => a.contains(b),
            (Self::Path(a), Self::Path(b)) => a.contains(b),
            (Self::Name(_), Self::Path(_)) | (Self::Path(_), Self::Name(_)) => false,
        }
    }

    /// The set of exactly this program.
    ///
    /// # Errors
    ///
    /// If the text would be too long to be read back.
    pub fn exactly(program: &ProgramRef) -> Result<Self, GrantError> {
        Ok(match program {
            ProgramRef::Name(name) => Self::Name(NamePattern::exactly(name)?),
            ProgramRef::Path(path) => Self::Path(PathPattern::exactly(path)?),
        })
    }

    /// Whether a denial of this pattern hits `program`: a denied name is denied in every folder.
    pub(crate) fn denies(&self, program: &ProgramRef) -> bool {
        match (self, program) {
            (Self::Name(pattern), ProgramRef::Name(name)) => pattern.admits_folded(name),
            (Self::Name(pattern), ProgramRef::Path(path)) => path
                .components()
                .next_back()
                .and_then(|last| bare(&fold(last)).parse().ok())
                .is_some_and(|name| pattern.folded().admits(&name)),
            (Self::Path(pattern), ProgramRef::Path(path)) => crate::denial::path_denied(pattern, path),
            (Self::Path(_), ProgramRef::Name(_)) => false,
        }
    }
}

impl FromStr for ProgramRef {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        if text.contains(['/', '\\']) {
            let path: FilePath = text.parse()?;
            // A root is not a program, and `./` would read back as everything beneath it.
            let is_root = path.components().next().is_none();
            return if is_root { Err(PathError::Empty.into()) } else { Ok(Self::Path(path)) };
        }
        Ok(Self::Name(text.parse()?))
    }
}

impl FromStr for ProgramPattern {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        if !text.contains(['/', '\\']) {
            return Ok(Self::Name(text.parse()?));
        }
        // The dot marks a single component as a path, not a name; patterns themselves have no dots.
        let path = if text == "./" { text } else { text.strip_prefix("./").unwrap_or(text) };
        if path == "." {
            return Err(PathError::Empty.into());
        }
        Ok(Self::Path(path.parse()?))
    }
}

impl fmt::Display for ProgramRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Path(path) => write_path(f, &path.to_string()),
        }
    }
}

impl fmt::Display for ProgramPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Path(path) => write_path(f, &path.to_string()),
        }
    }
}

serde_as_text!(ProgramRef, ProgramPattern);

/// Prints a path so that it can never be read as a bare name.
fn write_path(f: &mut fmt::Formatter<'_>, path: &str) -> fmt::Result {
    match path {
        "./" => f.write_str("./"),
        absolute if absolute.starts_with('/') => f.write_str(absolute),
        relative => write!(f, "./{relative}"),
    }
}

#[cfg(test)]
mod tests;
