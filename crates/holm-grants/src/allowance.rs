//! Amounts that are used up: money, time, memory, fuel, output, calls.
//!
//! A grant can be used again and again; an allowance is gone when it is spent. They are different
//! types, so that cloning a set cannot give the same money to two children: a child's amounts are
//! taken out of the parent's (`reserve`). Amounts are whole numbers, because a sum of floats could
//! differ between hosts. The spelling of amounts is in `amount.rs`. Nothing here measures anything:
//! callers count and call `take`. The budget of a run is not an allowance; see
//! `holm-kernel/src/run/budget_share.rs`.

use alloc::collections::BTreeMap;
use core::fmt;
use core::str::FromStr;

use holm_read::{Read, ReadError, Reader};
use serde::de::Error as _;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::amount;
use crate::error::AllowanceError;
use crate::text::serde_as_text;

/// The kind of an allowance. The unit of each amount is a whole number, so that
/// sums are exact everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AllowanceKind {
    /// Money in billionths of a US dollar.
    Spend,
    /// Time, measured in milliseconds.
    Time,
    /// Memory, measured in bytes.
    Mem,
    /// Steps of a sandboxed program.
    Fuel,
    /// Output, measured in bytes.
    Output,
    Calls,
}

impl AllowanceKind {
    pub const ALL: [Self; 6] = [Self::Spend, Self::Time, Self::Mem, Self::Fuel, Self::Output, Self::Calls];

    /// The word in front of the colon.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spend => "spend",
            Self::Time => "time",
            Self::Mem => "mem",
            Self::Fuel => "fuel",
            Self::Output => "output",
            Self::Calls => "calls",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One amount: `spend:0.50usd`, `time:30s`, `mem:64MiB`, `fuel:1e9`, `output:1MiB`, `calls:10`.
///
/// ```
/// use holm_grants::{Allowance, AllowanceKind};
/// let spend: Allowance = "spend:0.50usd".parse()?;
/// assert_eq!(spend, Allowance { kind: AllowanceKind::Spend, amount: 500_000_000 });
/// assert_eq!(spend.to_string(), "spend:0.50usd");
/// # Ok::<(), holm_grants::AllowanceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Allowance {
    /// The kind of the amount.
    pub kind: AllowanceKind,
    /// The amount in the kind's unit.
    pub amount: u64,
}

impl Allowance {
    /// Whether `other` is of the same kind and not larger.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.kind == other.kind && self.amount >= other.amount
    }
}

impl FromStr for Allowance {
    type Err = AllowanceError;

    fn from_str(text: &str) -> Result<Self, AllowanceError> {
        let (word, amount) = text.split_once(':').ok_or(AllowanceError::NoKind)?;
        let kind = AllowanceKind::parse(word).ok_or(AllowanceError::UnknownKind)?;
        Ok(Self { kind, amount: amount::parse(kind, amount)? })
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind.as_str())?;
        amount::print(f, self.kind, self.amount)
    }
}

serde_as_text!(Allowance);

/// The remaining amount of each kind, in serde a list of texts. A kind that is absent was not
/// given: nothing of it may be used.
///
/// ```
/// use holm_grants::{Allowance, AllowanceKind, Allowances};
/// let mut parent = Allowances::parse(["spend:1.00usd", "time:60s"])?;
/// let child = parent.reserve(&Allowances::parse(["spend:0.40usd"])?).unwrap();
/// assert_eq!(parent.left(AllowanceKind::Spend), 600_000_000);
/// parent.settle(&child); // the child used nothing
/// assert_eq!(parent.left(AllowanceKind::Spend), 1_000_000_000);
/// # Ok::<(), holm_grants::AllowanceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allowances(BTreeMap<AllowanceKind, u64>);

/// There is not enough left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{} is used up: {wanted} wanted, {left} left", .kind.as_str())]
pub struct AllowanceExhaustedError {
    /// The kind that is used up.
    pub kind: AllowanceKind,
    /// The requested amount, in the kind's unit.
    pub wanted: u64,
    /// The remaining amount, in the kind's unit.
    pub left: u64,
}

impl Allowances {
    /// Reads a list of texts.
    ///
    /// # Errors
    ///
    /// The first text that is not an allowance, or a kind that is given twice.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, AllowanceError> {
        let mut all = Self::default();
        for text in texts {
            all.give_once(text.parse()?)?;
        }
        Ok(all)
    }

    /// The remaining amount of a kind; zero if it was never given.
    #[must_use]
    pub fn left(&self, kind: AllowanceKind) -> u64 {
        self.limit(kind).unwrap_or(0)
    }

    /// The remaining amount of a kind, if it was given.
    #[must_use]
    pub fn limit(&self, kind: AllowanceKind) -> Option<u64> {
        self.0.get(&kind).copied()
    }

    /// Sets a kind to an amount, replacing the old one.
    pub fn set(&mut self, allowance: Allowance) {
        self.0.insert(allowance.kind, allowance.amount);
    }

    /// Whether no kind was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The allowances in order.
    pub fn iter(&self) -> impl Iterator<Item = Allowance> {
        self.0.iter().map(|(kind, amount)| Allowance { kind: *kind, amount: *amount })
    }

    /// Whether `other` holds no kind that is absent here, and not more of any kind.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.iter().all(|wanted| self.limit(wanted.kind).is_some_and(|left| left >= wanted.amount))
    }

    /// The kinds that both hold, with the smaller amount of each.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let both = self.0.iter().filter_map(|(kind, left)| Some((*kind, other.limit(*kind)?.min(*left))));
        Self(both.collect())
    }

    /// Uses up an amount.
    ///
    /// # Errors
    ///
    /// If less is left; then nothing is used.
    pub fn take(&mut self, wanted: Allowance) -> Result<(), AllowanceExhaustedError> {
        let left = self.left(wanted.kind);
        let Some(rest) = left.checked_sub(wanted.amount) else {
            return Err(AllowanceExhaustedError { kind: wanted.kind, wanted: wanted.amount, left });
        };
        if let Some(amount) = self.0.get_mut(&wanted.kind) {
            *amount = rest;
        }
        Ok(())
    }

    /// Takes the amounts that a child asks for out of this set and returns them as the child's own.
    /// All of them or nothing.
    ///
    /// # Errors
    ///
    /// The first kind of which less is left.
    pub fn reserve(&mut self, wish: &Self) -> Result<Self, AllowanceExhaustedError> {
        let mut rest = self.clone();
        for wanted in wish.iter() {
            rest.take(wanted)?;
        }
        *self = rest;
        Ok(wish.clone())
    }

    /// Returns the amounts that a child did not use. Kinds that were never given here stay absent.
    pub fn settle(&mut self, unused: &Self) {
        for (kind, amount) in &mut self.0 {
            *amount = amount.saturating_add(unused.left(*kind));
        }
    }

    pub(crate) fn give_once(&mut self, allowance: Allowance) -> Result<(), AllowanceError> {
        match self.0.insert(allowance.kind, allowance.amount) {
            Some(_) => Err(AllowanceError::Twice { kind: allowance.kind.as_str() }),
            None => Ok(()),
        }
    }
}

impl Serialize for Allowances {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for allowance in self.iter() {
            list.serialize_element(&allowance)?;
        }
        list.end()
    }
}

impl<'a> Read<'a> for Allowances {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        let mut all = Self::default();
        reader.items(&mut |reader| {
            let allowance = Allowance::read(reader)?;
            all.give_once(allowance).map_err(|error| reader.refused(&error))
        })?;
        Ok(all)
    }
}

impl<'de> Deserialize<'de> for Allowances {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = <alloc::vec::Vec<Allowance> as Deserialize>::deserialize(deserializer)?;
        let mut all = Self::default();
        for allowance in list {
            all.give_once(allowance).map_err(D::Error::custom)?;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
