//! Grants and allowances in one list, as users write them.
//!
//! The word in front of the colon decides which of the two an entry is; reading it is left to
//! `grant.rs` and `allowance.rs`. There are no denials in such a list (`denial.rs`), and nothing is
//! decided here: `policy.rs` decides about requests. The length of a list is bounded, since it may
//! come from a stranger's file.

use alloc::string::String;
use alloc::vec::Vec;

use holm_read::{Read, ReadError, Reader};
use serde::de::Error as _;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::allowance::{AllowanceKind, Allowances};
use crate::error::{AllowanceError, GrantError};
use crate::set::{GrantSet, MAX_GRANTS};

/// Everything that a holder may do, and how much of it. In serde one list of texts.
///
/// ```
/// use holm_grants::{AllowanceKind, Authority};
/// let authority = Authority::parse(["read:src/**", "time:30s"])?;
/// assert_eq!(authority.grants.len(), 1);
/// assert_eq!(authority.allowances.left(AllowanceKind::Time), 30_000);
/// # Ok::<(), holm_grants::AuthorityError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Authority {
    /// The powers that can be used again and again.
    pub grants: GrantSet,
    /// The amounts that are used up.
    pub allowances: Allowances,
}

/// A text in the list is neither a grant nor an allowance.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("entry {position}: {reason}")]
pub struct AuthorityError {
    /// Which entry, counted from one.
    pub position: u64,
    /// What is wrong with the entry.
    pub reason: AuthorityEntryError,
}

/// The error of one entry.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AuthorityEntryError {
    /// It would be a grant.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// It would be an allowance.
    #[error(transparent)]
    Allowance(#[from] AllowanceError),
}

impl Authority {
    /// Reads a list of texts.
    ///
    /// # Errors
    ///
    /// The first text that is neither a grant nor an allowance; a kind of allowance that is given
    /// twice; too many texts.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, AuthorityError> {
        let mut authority = Self::default();
        for (position, text) in (1..).zip(texts) {
            authority.add(position, text).map_err(|reason| AuthorityError { position, reason })?;
        }
        Ok(authority)
    }

    /// The authority that both hold: the grants that meet, and the smaller
    /// amount of each allowance.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        Self { grants: self.grants.meet(&other.grants), allowances: self.allowances.meet(&other.allowances) }
    }

    /// Whether everything that `other` holds is held here.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.grants.contains_all(&other.grants) && self.allowances.contains(&other.allowances)
    }

    fn add(&mut self, position: u64, text: &str) -> Result<(), AuthorityEntryError> {
        if position > MAX_GRANTS as u64 {
            return Err(GrantError::TooMany { max: MAX_GRANTS as u64 }.into());
        }
        let word = text.split_once(':').map_or("", |(word, _)| word);
        if AllowanceKind::parse(word).is_some() {
            self.allowances.give_once(text.parse()?)?;
        } else {
            self.grants.insert(text.parse::<crate::Grant>()?);
        }
        Ok(())
    }
}

impl Serialize for Authority {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for grant in self.grants.iter() {
            list.serialize_element(grant)?;
        }
        for allowance in self.allowances.iter() {
            list.serialize_element(&allowance)?;
        }
        list.end()
    }
}

impl<'a> Read<'a> for Authority {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        let texts = Vec::<String>::read(reader)?;
        Self::parse(texts.iter().map(String::as_str)).map_err(|error| reader.refused(&error))
    }
}

impl<'de> Deserialize<'de> for Authority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        Self::parse(texts.iter().map(String::as_str)).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
