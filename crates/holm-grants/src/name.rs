//! Names of variables, programs, agents, tools and secrets, and patterns of them.
//!
//! A name is data: no character in it is special, and characters that users cannot see are refused
//! (`text.rs`). The `*` of a pattern is in `glob.rs`. Names that providers accept for tools are a
//! different matter (`holm-kernel/src/protocol/name.rs`). Grants compare names exactly; only
//! denials ignore case.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::error::GrantNameError;
use crate::glob::NameGlob;
use crate::text::{fold, is_refused, serde_as_text};

/// The longest name in bytes: longer than any provider or system allows, short enough to show.
const MAX_NAME: usize = 256;

/// One name. No character is special; white space, `=`, `@`, braces and
/// invisible characters are refused.
///
/// ```
/// use holm_grants::GrantName;
/// assert!("LANG".parse::<GrantName>().is_ok());
/// assert!("two words".parse::<GrantName>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantName(String);

impl GrantName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both names are the same as denials compare them.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.0 == other.0 || fold(&self.0) == fold(&other.0)
    }
}

impl FromStr for GrantName {
    type Err = GrantNameError;

    fn from_str(text: &str) -> Result<Self, GrantNameError> {
        check(text)?;
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for GrantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A set of names: literal text with any number of `*`.
///
/// ```
/// use holm_grants::NamePattern;
/// let locale: NamePattern = "LC_*".parse()?;
/// assert!(locale.admits(&"LC_ALL".parse()?));
/// assert!(locale.contains(&"LC_T*".parse()?));
/// # Ok::<(), holm_grants::GrantNameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamePattern(NameGlob);

impl NamePattern {
    /// Whether `name` belongs to the set.
    #[must_use]
    pub fn admits(&self, name: &GrantName) -> bool {
        self.0.admits(name.0.as_bytes())
    }

    /// Whether every name of `other` belongs to this set. Exact.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.0.contains(&other.0)
    }

    /// The set of exactly this name, in which no character is special.
    ///
    /// # Errors
    ///
    /// [`GrantNameError::TooLong`] if the name is near the limit and holds stars, each of
    /// which is written `[*]`.
    pub fn exactly(name: &GrantName) -> Result<Self, GrantNameError> {
        let glob = NameGlob::literal(&name.0);
        if glob.text_len() > MAX_NAME {
            return Err(GrantNameError::TooLong { max: MAX_NAME as u64 });
        }
        Ok(Self(glob))
    }

    /// The one admitted name, if there is only one.
    pub(crate) fn as_name(&self) -> Option<GrantName> {
        self.0.as_literal().map(|name| GrantName(name.to_owned()))
    }

    pub(crate) fn folded(&self) -> Self {
        Self(self.0.folded())
    }

    /// Whether `name` belongs to the set as denials compare names.
    pub(crate) fn admits_folded(&self, name: &GrantName) -> bool {
        self.0.admits_folded(&name.0)
    }
}

impl FromStr for NamePattern {
    type Err = GrantNameError;

    fn from_str(text: &str) -> Result<Self, GrantNameError> {
        check(text)?;
        NameGlob::parse(text).map(Self).map_err(|_| GrantNameError::DoubleStar)
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

serde_as_text!(GrantName, NamePattern);

fn check(text: &str) -> Result<(), GrantNameError> {
    if text.is_empty() {
        return Err(GrantNameError::Empty);
    }
    if text.len() > MAX_NAME {
        return Err(GrantNameError::TooLong { max: MAX_NAME as u64 });
    }
    let bad = |c: char| is_refused(c) || c.is_whitespace() || matches!(c, '=' | '@' | '{' | '}');
    match text.chars().find(|c| bad(*c)) {
        Some(c) => Err(GrantNameError::BadCharacter { code: u32::from(c) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
