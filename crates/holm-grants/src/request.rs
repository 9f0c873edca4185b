//! One concrete action that a call wants to take. Its text holds data, never pattern syntax.

use core::fmt;
use core::str::FromStr;

use crate::error::GrantError;
use crate::kind::Kind;
use crate::name::Name;
use crate::net::Url;
use crate::path::FilePath;
use crate::program::Program;
use crate::secret::SecretUse;
use crate::text::serde_as_text;

/// One action in canonical form. The caller must take exactly the action that was checked.
///
/// ```
/// use holm_grants::Request;
/// let request: Request = "read:docs/../src/*".parse()?;
/// assert_eq!(request.to_string(), "read:src/*"); // one file that is called `*`
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// Read this file or list this directory.
    Read(FilePath),
    /// Write this file or change this directory.
    Write(FilePath),
    /// Connect to this URL.
    Fetch(Url),
    /// See this environment variable.
    Env(Name),
    Exec(Program),
    /// Send this secret to this host.
    Secret(SecretUse),
    Spawn(Name),
    Tool(Name),
}

impl Request {
    /// The kind of power that is needed.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Read(_) => Kind::Read,
            Self::Write(_) => Kind::Write,
            Self::Fetch(_) => Kind::Fetch,
            Self::Env(_) => Kind::Env,
            Self::Exec(_) => Kind::Exec,
            Self::Secret(_) => Kind::Secret,
            Self::Spawn(_) => Kind::Spawn,
            Self::Tool(_) => Kind::Tool,
        }
    }

    /// The request of this kind for this value.
    ///
    /// # Errors
    ///
    /// If the value is not a path, URL or name of that kind.
    pub fn new(kind: Kind, value: &str) -> Result<Self, GrantError> {
        kind.check_named(value)?;
        Ok(match kind {
            Kind::Read => Self::Read(value.parse()?),
            Kind::Write => Self::Write(value.parse()?),
            Kind::Fetch => Self::Fetch(value.parse()?),
            Kind::Env => Self::Env(value.parse()?),
            Kind::Exec => Self::Exec(value.parse()?),
            Kind::Secret => Self::Secret(value.parse()?),
            Kind::Spawn => Self::Spawn(value.parse()?),
            Kind::Tool => Self::Tool(value.parse()?),
        })
    }

    /// The same request with an absolute path beneath `workspace` made relative
    /// to it; see [`FilePath::rebased`].
    #[must_use]
    pub fn rebased(&self, workspace: &FilePath) -> Self {
        match self {
            Self::Read(path) => Self::Read(path.rebased(workspace)),
            Self::Write(path) => Self::Write(path.rebased(workspace)),
            Self::Exec(Program::Path(path)) => Self::Exec(Program::Path(path.rebased(workspace))),
            Self::Exec(Program::Name(_))
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
            Self::Exec(Program::Path(path)) => Self::Exec(Program::Path(path.spelled_from_root(workspace)?)),
            Self::Exec(Program::Name(_))
            | Self::Fetch(_)
            | Self::Env(_)
            | Self::Secret(_)
            | Self::Spawn(_)
            | Self::Tool(_) => return None,
        })
    }
}

impl FromStr for Request {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        let (kind, value) = Kind::split(text)?;
        Self::new(kind, value)
    }
}

impl fmt::Display for Request {
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

serde_as_text!(Request);

#[cfg(test)]
mod tests;
