//! One concrete action that a call wants to take. Its text holds data, never pattern syntax.
//!
//! The caller must take exactly the action that was checked, in this canonical form. Patterns of
//! actions are grants (`grant.rs`); what a tool declares before its arguments are known is in
//! `template/`; whether the action is allowed is decided in `policy.rs`.

use core::fmt;
use core::str::FromStr;

use crate::error::GrantError;
use crate::kind::GrantKind;
use crate::name::GrantName;
use crate::net::Url;
use crate::path::FilePath;
use crate::program::ProgramRef;
use crate::secret::SecretUse;
use crate::text::serde_as_text;

/// One action in canonical form. The caller must take exactly the action that was checked.
///
/// ```
/// use holm_grants::AccessRequest;
/// let request: AccessRequest = "read:docs/../src/*".parse()?;
/// assert_eq!(request.to_string(), "read:src/*"); // one file that is called `*`
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessRequest {
    /// Read this file or list this directory.
    Read(FilePath),
    /// Write this file or change this directory.
    Write(FilePath),
    /// Connect to this URL.
    Fetch(Url),
    /// See this environment variable.
    Env(GrantName),
    Exec(ProgramRef),
    /// Send this secret to this host.
    Secret(SecretUse),
    Spawn(GrantName),
    Tool(GrantName),
}

impl AccessRequest {
    /// The kind of power that is needed.
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

    /// The request of this kind for this value.
    ///
    /// # Errors
    ///
    /// If the value is not a path, URL or name of that kind.
    pub fn new(kind: GrantKind, value: &str) -> Result<Self, GrantError> {
        kind.check_named(value)?;
        Ok(match kind {
            GrantKind::Read => Self::Read(value.parse()?),
            GrantKind::Write => Self::Write(value.parse()?),
            GrantKind::Fetch => Self::Fetch(value.parse()?),
            GrantKind::Env => Self::Env(value.parse()?),
            GrantKind::Exec => Self::Exec(value.parse()?),
            GrantKind::Secret => Self::Secret(value.parse()?),
            GrantKind::Spawn => Self::Spawn(value.parse()?),
            GrantKind::Tool => Self::Tool(value.parse()?),
        })
    }

    /// The same request with an absolute path beneath `workspace` made relative
    /// to it; see [`FilePath::rebased`].
    #[must_use]
    pub fn rebased(&self, workspace: &FilePath) -> Self {
        match self {
            Self::Read(path) => Self::Read(path.rebased(workspace)),
            Self::Write(path) => Self::Write(path.rebased(workspace)),
            Self::Exec(ProgramRef::Path(path)) => Self::Exec(ProgramRef::Path(path.rebased(workspace))),
            Self::Exec(ProgramRef::Name(_))
            | Self::Fetch(_)
            | Self::Env(_)
            | Self::Secret(_)
            | Self::Spawn(_)
            | Self::Tool(_) => self.clone(),
        }
    }

    /// The same request with a relative path spelled from the root; `None` if it is not a
    /// path, or absolute already.
    #[must_use]
    pub fn spelled_from_root(&self, workspace: &FilePath) -> Option<Self> {
        Some(match self {
            Self::Read(path) => Self::Read(path.spelled_from_root(workspace)?),
            Self::Write(path) => Self::Write(path.spelled_from_root(workspace)?),
            Self::Exec(ProgramRef::Path(path)) => {
                Self::Exec(ProgramRef::Path(path.spelled_from_root(workspace)?))
            }
            Self::Exec(ProgramRef::Name(_))
            | Self::Fetch(_)
            | Self::Env(_)
            | Self::Secret(_)
            | Self::Spawn(_)
            | Self::Tool(_) => return None,
        })
    }
}

impl FromStr for AccessRequest {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        let (kind, value) = GrantKind::split(text)?;
        Self::new(kind, value)
    }
}

impl fmt::Display for AccessRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.kind().as_str();
        match self {
            Self::Read(path) | Self::Write(path) => write!(f, "{word}:{path}"),
            Self::Fetch(url) => write!(f, "{word}:{url}"),
            Self::Exec(program) => write!(f, "{word}:{program}"),
            Self::Secret(used) => write!(f, "{word}:{used}"),
            Self::Env(name) | Self::Spawn(name) | Self::Tool(name) => write!(f, "{word}:{name}"),
        }
    }
}

serde_as_text!(AccessRequest);

#[cfg(test)]
mod tests;
