//! One grant: a set of things that may be done, written as one line of text.
//!
//! This file joins the kinds: it reads, prints, compares and narrows a grant by asking the pattern
//! of its kind (`path/pattern.rs`, `net/pattern.rs`, `name.rs`, `program.rs`, `secret.rs`). Sets of
//! grants are in `set.rs`, one concrete action in `request.rs`. Containment must be exact, and no
//! kind may imply another: a child's authority rests on it. The text is the stored form, so it must
//! read back to the same grant.

use core::fmt;
use core::str::FromStr;

use crate::error::GrantError;
use crate::kind::GrantKind;
use crate::name::NamePattern;
use crate::net::FetchPattern;
use crate::path::{FilePath, PathPattern};
use crate::program::ProgramPattern;
use crate::request::AccessRequest;
use crate::secret::SecretPattern;
use crate::text::serde_as_text;

/// A power that can be used again and again within its bounds; amounts that are
/// used up are [`crate::Allowance`]s.
///
/// The text is the only form, also in serde: the same line is shown, stored and compared. No kind
/// implies another: `write:out/` does not allow reading `out`.
///
/// ```
/// use holm_grants::Grant;
/// let parent: Grant = "read:src/**".parse()?;
/// let child: Grant = "read:src/net/*.rs".parse()?;
/// assert!(parent.contains(&child));
/// assert!(parent.admits(&"read:src/lib.rs".parse()?));
/// assert!(!parent.admits(&"write:src/lib.rs".parse()?));
/// assert_eq!(parent.to_string(), "read:src/**");
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grant {
    /// `read:src/**`
    Read(PathPattern),
    /// `write:out/`
    Write(PathPattern),
    /// `fetch:https://api.example.com`
    Fetch(FetchPattern),
    /// `env:LC_*`
    Env(NamePattern),
    /// `exec:git`
    Exec(ProgramPattern),
    /// `secret:github@api.github.com`
    Secret(SecretPattern),
    /// `spawn:reviewer`
    Spawn(NamePattern),
    /// `tool:grep`
    Tool(NamePattern),
}

impl Grant {
    /// The grant of this kind for this pattern.
    ///
    /// # Errors
    ///
    /// If the text is not a pattern of that kind.
    pub fn new(kind: GrantKind, pattern: &str) -> Result<Self, GrantError> {
        kind.check_value(pattern)?;
        Ok(match kind {
            GrantKind::Read => Self::Read(pattern.parse()?),
            GrantKind::Write => Self::Write(pattern.parse()?),
            GrantKind::Fetch => Self::Fetch(pattern.parse()?),
            GrantKind::Env => Self::Env(pattern.parse()?),
            GrantKind::Exec => Self::Exec(pattern.parse()?),
            GrantKind::Secret => Self::Secret(pattern.parse()?),
            GrantKind::Spawn => Self::Spawn(pattern.parse()?),
            GrantKind::Tool => Self::Tool(pattern.parse()?),
        })
    }

    /// The kind of power.
    #[must_use]
    pub fn kind(&self) -> GrantKind {
        match self {
            Self::Read(_) => GrantKind::Read,
            Self::Write(_) => GrantKind::Write,
            Self::Fetch(_) => GrantKind::Fetch,
            Self::Env(_) => GrantKind::Env,
            Self::Exec(_) => GrantKind::Exec,
            Self::Secret(_) => GrantKind::Secret,
            Self::Spawn(_) => GrantKind::Spawn,
            Self::Tool(_) => GrantKind::Tool,
        }
    }

    /// Whether this grant lets the request pass.
    #[must_use]
    pub fn admits(&self, request: &AccessRequest) -> bool {
        match (self, request) {
            (Self::Read(pattern), AccessRequest::Read(path))
            | (Self::Write(pattern), AccessRequest::Write(path)) => pattern.admits(path),
            (Self::Fetch(pattern), AccessRequest::Fetch(url)) => pattern.admits(url),
            (Self::Exec(pattern), AccessRequest::Exec(program)) => pattern.admits(program),
            (Self::Secret(pattern), AccessRequest::Secret(used)) => pattern.admits(used),
            (Self::Env(pattern), AccessRequest::Env(name))
            | (Self::Spawn(pattern), AccessRequest::Spawn(name))
            | (Self::Tool(pattern), AccessRequest::Tool(name)) => pattern.admits(name),
            _ => false,
        }
    }

    /// Whether this grant lets everything pass that `other` lets pass. Exact: never wider and never
    /// narrower than the sets themselves.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read(a), Self::Read(b)) | (Self::Write(a), Self::Write(b)) => a.contains(b),
            (Self::Fetch(a), Self::Fetch(b)) => a.contains(b),
            (Self::Exec(a), Self::Exec(b)) => a.contains(b),
            (Self::Secret(a), Self::Secret(b)) => a.contains(b),
            (Self::Env(a), Self::Env(b))
            | (Self::Spawn(a), Self::Spawn(b))
            | (Self::Tool(a), Self::Tool(b)) => a.contains(b),
            _ => false,
        }
    }

    /// The same grant with an absolute pattern beneath `workspace` made relative
    /// to it; see [`FilePath::rebased`].
    ///
    /// ```
    /// use holm_grants::Grant;
    /// let grant: Grant = "read:/home/me/project/src/**".parse()?;
    /// assert_eq!(grant.rebased(&"/home/me/project".parse()?).to_string(), "read:src/**");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rebased(&self, workspace: &FilePath) -> Self {
        match self {
            Self::Read(pattern) => pattern.rebased(workspace).map_or_else(|| self.clone(), Self::Read),
            Self::Write(pattern) => pattern.rebased(workspace).map_or_else(|| self.clone(), Self::Write),
            Self::Fetch(_)
            | Self::Env(_)
            | Self::Exec(_)
            | Self::Secret(_)
            | Self::Spawn(_)
            | Self::Tool(_) => self.clone(),
        }
    }

    /// The same grant with a relative pattern spelled from the root; `None` if it is not a
    /// path, or absolute already.
    #[must_use]
    pub fn spelled_from_root(&self, workspace: &FilePath) -> Option<Self> {
        match self {
            Self::Read(pattern) => pattern.spelled_from_root(workspace).map(Self::Read),
            Self::Write(pattern) => pattern.spelled_from_root(workspace).map(Self::Write),
            Self::Fetch(_)
            | Self::Env(_)
            | Self::Exec(_)
            | Self::Secret(_)
            | Self::Spawn(_)
            | Self::Tool(_) => None,
        }
    }

    /// The narrowest grant that lets the request pass, to offer to the user and to be a call's
    /// authority. For a URL that is its path and everything beneath it, with any query.
    ///
    /// # Errors
    ///
    /// If no grant may ever let it pass, no pattern can spell it, or the text would be too long
    /// to be read back.
    ///
    /// ```
    /// use holm_grants::Grant;
    /// let grant = Grant::exactly(&"read:notes/*.md".parse()?)?;
    /// assert_eq!(grant.to_string(), "read:notes/[*].md");
    /// # Ok::<(), holm_grants::GrantError>(())
    /// ```
    pub fn exactly(request: &AccessRequest) -> Result<Self, GrantError> {
        let grant = match request {
            AccessRequest::Read(path) => Self::Read(PathPattern::exactly(path)?),
            AccessRequest::Write(path) => Self::Write(PathPattern::exactly(path)?),
            AccessRequest::Fetch(url) => Self::Fetch(FetchPattern::exactly(url)?),
            AccessRequest::Env(name) => Self::Env(NamePattern::exactly(name)?),
            AccessRequest::Exec(program) => Self::Exec(ProgramPattern::exactly(program)?),
            AccessRequest::Secret(used) => Self::Secret(SecretPattern::exactly(used)?),
            AccessRequest::Spawn(name) => Self::Spawn(NamePattern::exactly(name)?),
            AccessRequest::Tool(name) => Self::Tool(NamePattern::exactly(name)?),
        };
        grant.readable()
    }

    /// The grant, if its own text can be read back: a pattern that begins with a space cannot.
    pub(crate) fn readable(self) -> Result<Self, GrantError> {
        let begins_with_space = match &self {
            Self::Read(pattern) | Self::Write(pattern) => pattern.begins_with_space(),
            Self::Exec(ProgramPattern::Path(pattern)) => pattern.begins_with_space(),
            // Neither names nor hosts hold white space.
            Self::Exec(ProgramPattern::Name(_))
            | Self::Fetch(_)
            | Self::Env(_)
            | Self::Secret(_)
            | Self::Spawn(_)
            | Self::Tool(_) => false,
        };
        if begins_with_space { Err(GrantError::Space { kind: self.kind().as_str() }) } else { Ok(self) }
    }
}

impl FromStr for Grant {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        let (kind, value) = GrantKind::split(text)?;
        Self::new(kind, value)
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.kind().as_str();
        match self {
            Self::Read(pattern) | Self::Write(pattern) => write!(f, "{word}:{pattern}"),
            Self::Fetch(pattern) => write!(f, "{word}:{pattern}"),
            Self::Exec(pattern) => write!(f, "{word}:{pattern}"),
            Self::Secret(pattern) => write!(f, "{word}:{pattern}"),
            Self::Env(pattern) | Self::Spawn(pattern) | Self::Tool(pattern) => write!(f, "{word}:{pattern}"),
        }
    }
}

serde_as_text!(Grant);

#[cfg(test)]
mod tests;
