//! The operations on notes that a database must offer.

use crate::backend::Pending;

/// A note as a row; `body` is sealed in an encrypted store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SlipRow {
    pub(crate) tray: String,
    pub(crate) name: String,
    /// The wrapped data key of an encrypted store.
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) at: u64,
    pub(crate) version: u64,
    pub(crate) body: Vec<u8>,
}

pub(crate) trait SlipRows {
    /// Everything in a tray, the oldest first.
    fn slips<'a>(&'a self, tray: &'a str) -> Pending<'a, Vec<SlipRow>>;
    fn slip<'a>(&'a self, tray: &'a str, name: &'a str) -> Pending<'a, Option<SlipRow>>;
    /// Adds a note unless there is one of that name; whether it was added.
    fn put_slip<'a>(&'a self, row: &'a SlipRow) -> Pending<'a, bool>;
    /// Replaces the stored note and increments its version, if `row` has the stored version.
    /// Returns whether it did.
    fn change_slip<'a>(&'a self, row: &'a SlipRow) -> Pending<'a, bool>;
    /// Removes a note; whether there was one.
    fn take_slip<'a>(&'a self, tray: &'a str, name: &'a str) -> Pending<'a, bool>;
}
