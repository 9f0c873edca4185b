//! Secrets: a name, and the hosts that may receive the value.
//!
//! Values never come near this crate: `holm-runtime/src/secrets/` keeps and inserts them. A grant
//! must name its host, because a secret that may go anywhere is not protected. Hosts are compared
//! in `net/host.rs`.

use core::fmt;
use core::str::FromStr;

use crate::error::{GrantError, UrlError};
use crate::name::GrantName;
use crate::net::{HostPattern, UrlHost};
use crate::text::serde_as_text;

/// One secret on its way to one host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretUse {
    /// The secret's name, never its value.
    pub name: GrantName,
    /// The host that would receive it.
    pub host: UrlHost,
}

/// One secret and the hosts that may receive it: `github@api.github.com`, `internal@*.example.com`.
///
/// ```
/// use holm_grants::SecretPattern;
/// let token: SecretPattern = "github@api.github.com".parse()?;
/// assert!(token.admits(&"github@API.github.com.".parse()?));
/// assert!(!token.admits(&"github@evil.example".parse()?));
/// assert!("github@*".parse::<SecretPattern>().is_err());
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretPattern {
    name: GrantName,
    host: HostPattern,
}

impl SecretPattern {
    /// The secret's name, never its value.
    #[must_use]
    pub fn name(&self) -> &GrantName {
        &self.name
    }

    /// Whether this use of a secret belongs to the set.
    #[must_use]
    pub fn admits(&self, used: &SecretUse) -> bool {
        self.name == used.name && self.host.admits(&used.host)
    }

    /// Whether every use in `other` belongs to this set. Exact.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.name == other.name && self.host.contains(&other.host)
    }

    /// The set of exactly this use.
    ///
    /// # Errors
    ///
    /// If no grant may ever open the host.
    pub fn exactly(used: &SecretUse) -> Result<Self, GrantError> {
        let host = HostPattern::exactly(used.host.clone()).map_err(UrlError::from)?;
        Ok(Self { name: used.name.clone(), host })
    }

    pub(crate) fn denies(&self, used: &SecretUse) -> bool {
        self.name.is_alike(&used.name) && self.host.denies(&used.host)
    }
}

impl FromStr for SecretUse {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        let (name, host) = text.split_once('@').ok_or(GrantError::SecretWithoutHost)?;
        Ok(Self { name: name.parse()?, host: host.parse().map_err(UrlError::Host)? })
    }
}

impl FromStr for SecretPattern {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        let (name, host) = text.split_once('@').ok_or(GrantError::SecretWithoutHost)?;
        match host.parse().map_err(UrlError::Host)? {
            HostPattern::Any => Err(GrantError::SecretForAnyHost),
            host @ (HostPattern::One(_) | HostPattern::Beneath(_)) => Ok(Self { name: name.parse()?, host }),
        }
    }
}

impl fmt::Display for SecretUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.host)
    }
}

impl fmt::Display for SecretPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.host)
    }
}

serde_as_text!(SecretUse, SecretPattern);

#[cfg(test)]
mod tests;
