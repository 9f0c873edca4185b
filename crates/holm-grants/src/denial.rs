//! Denials: what is refused even if a grant allows it.
//!
//! A grant that misses a disguised name refuses too much, which is safe; a denial that misses one
//! lets it through. So denials compare without case and joiners, and also as file systems that drop
//! trailing dots would open the name. The folding itself is in `text.rs`, the patterns are in
//! `path/pattern.rs`, `net/pattern.rs` and their neighbours. Whether a grant or a denial wins is
//! decided in `policy.rs`. A change here may only make a denial hit more, never less.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::error::GrantError;
use crate::glob::NameGlob;
use crate::grant::Grant;
use crate::path::{FilePath, PathPattern};
use crate::program::{ProgramPattern, ProgramRef};
use crate::request::AccessRequest;
use crate::text::{bare, fold, is_dressed, serde_as_text};

/// One denial: `path:**/.env` for reading, writing and running alike, or the text of a grant
/// for that power alone.
///
/// This crate does not know Unicode normal forms. Write the form that the file system stores; if
/// the file system ignores the difference, deny the folder. A path denial is relative to the
/// workspace or absolute; [`FilePath::rebased`] brings requests into the relative form first.
///
/// ```
/// use holm_grants::Denial;
/// let git: Denial = "path:**/.git/".parse()?;
/// assert!(git.hits(&"write:lib/.GIT/config".parse()?));
/// assert!(!git.hits(&"read:.gitignore".parse()?));
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Denial {
    /// Files, for reading, writing and running alike.
    Path(PathPattern),
    Grant(Grant),
}

impl Denial {
    /// Whether the request is refused.
    #[must_use]
    pub fn hits(&self, request: &AccessRequest) -> bool {
        match (self, request) {
            (
                Self::Path(pattern),
                AccessRequest::Read(path)
                | AccessRequest::Write(path)
                | AccessRequest::Exec(ProgramRef::Path(path)),
            )
            | (Self::Grant(Grant::Read(pattern)), AccessRequest::Read(path))
            | (Self::Grant(Grant::Write(pattern)), AccessRequest::Write(path)) => path_denied(pattern, path),
            (Self::Grant(Grant::Fetch(pattern)), AccessRequest::Fetch(url)) => pattern.denies(url),
            (Self::Grant(Grant::Exec(pattern)), AccessRequest::Exec(program)) => pattern.denies(program),
            (Self::Grant(Grant::Secret(pattern)), AccessRequest::Secret(used)) => pattern.denies(used),
            (Self::Grant(Grant::Env(pattern)), AccessRequest::Env(name))
            | (Self::Grant(Grant::Spawn(pattern)), AccessRequest::Spawn(name))
            | (Self::Grant(Grant::Tool(pattern)), AccessRequest::Tool(name)) => pattern.admits_folded(name),
            _ => false,
        }
    }

    /// Whether everything that the grant would let pass is refused.
    ///
    /// A grant that is denied only in part is not covered; each request under it is
    /// then judged by itself.
    #[must_use]
    pub fn covers(&self, grant: &Grant) -> bool {
        match (self, grant) {
            (Self::Path(a), Grant::Read(b) | Grant::Write(b) | Grant::Exec(ProgramPattern::Path(b)))
            | (Self::Grant(Grant::Read(a)), Grant::Read(b))
            | (Self::Grant(Grant::Write(a)), Grant::Write(b)) => a.folded().contains(&b.folded()),
            (Self::Path(_), _) => false,
            (Self::Grant(denied), _) => denied.contains(grant),
        }
    }
}

/// Whether a denied pattern hits a path in any form in which a file system might open it.
pub(crate) fn path_denied(pattern: &PathPattern, path: &FilePath) -> bool {
    if pattern.is_absolute() != path.is_absolute() {
        return false;
    }
    // In ASCII, case is the only thing that folding changes, so nothing needs to be copied to
    // compare.
    if path.as_str().is_ascii() && pattern.is_ascii() {
        return pattern.fits(path.components(), NameGlob::admits_caseless)
            || (path.components().any(is_dressed)
                && pattern.fits(path.components().map(bare), NameGlob::admits_caseless));
    }
    folded_denied(pattern, path)
}

/// The same question for any text.
fn folded_denied(pattern: &PathPattern, path: &FilePath) -> bool {
    let folded = pattern.folded();
    let names: Vec<String> = path.components().map(fold).collect();
    let names = || names.iter().map(String::as_str);
    folded.fits(names(), NameGlob::admits) || folded.fits(names().map(bare), NameGlob::admits)
}

impl FromStr for Denial {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        if let Some(path) = text.strip_prefix("path:") {
            return Ok(Self::Path(path.parse()?));
        }
        match text.parse()? {
            Grant::Fetch(pattern) if pattern.names_path() => Err(GrantError::DeniedUrlPath),
            grant => Ok(Self::Grant(grant)),
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(pattern) => write!(f, "path:{pattern}"),
            Self::Grant(grant) => f.write_str(&grant.to_string()),
        }
    }
}

serde_as_text!(Denial);

/// An ordered set of denials, in serde a list of their texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, Read)]
#[serde(transparent)]
pub struct DenialSet(BTreeSet<Denial>);

impl DenialSet {
    /// The set that refuses nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeSet::new())
    }

    /// Reads a list of texts.
    ///
    /// # Errors
    ///
    /// The first text that is not a denial.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, GrantError> {
        texts.into_iter().map(str::parse).collect::<Result<_, _>>().map(Self)
    }

    /// Adds a denial. Returns whether it was new.
    pub fn insert(&mut self, denial: Denial) -> bool {
        self.0.insert(denial)
    }

    /// Whether nothing is denied.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The denials in order.
    pub fn iter(&self) -> impl Iterator<Item = &Denial> {
        self.0.iter()
    }

    /// The first denial that refuses the request.
    #[must_use]
    pub fn hitting(&self, request: &AccessRequest) -> Option<&Denial> {
        self.iter().find(|denial| denial.hits(request))
    }

    /// The first denial that refuses everything under the grant.
    #[must_use]
    pub fn covering(&self, grant: &Grant) -> Option<&Denial> {
        self.iter().find(|denial| denial.covers(grant))
    }

    /// Both sets together: a child is denied what its parent is denied.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        self.0.union(&other.0).cloned().collect()
    }
}

impl FromIterator<Denial> for DenialSet {
    fn from_iter<I: IntoIterator<Item = Denial>>(denials: I) -> Self {
        // One by one: collecting would bring a sort of its own into every program.
        let mut all = Self::default();
        all.0.extend(denials);
        all
    }
}

#[cfg(test)]
mod tests;
