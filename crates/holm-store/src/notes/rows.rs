//! The operations on notes that a database must offer.

use crate::backend::StoreFuture;

/// A note as a row; `body` is sealed in an encrypted store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteRow {
    pub(crate) tray: String,
    pub(crate) name: String,
    /// The wrapped data key of an encrypted store.
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) at: u64,
    pub(crate) version: u64,
    pub(crate) body: Vec<u8>,
}

pub(crate) trait NoteTable {
    /// Everything in a tray, the oldest first.
    fn slips<'a>(&'a self, tray: &'a str) -> StoreFuture<'a, Vec<NoteRow>>;
    fn slip<'a>(&'a self, tray: &'a str, name: &'a str) -> StoreFuture<'a, Option<NoteRow>>;
    /// Adds a note unless there is one of that name; whether it was added.
    fn put_slip<'a>(&'a self, row: &'a NoteRow) -> StoreFuture<'a, bool>;
    /// Replaces the stored note and increments its version, if `row` has the stored version.
    /// Returns whether it did.
    fn change_slip<'a>(&'a self, row: &'a NoteRow) -> StoreFuture<'a, bool>;
    /// Removes a note; whether there was one.
    fn take_slip<'a>(&'a self, tray: &'a str, name: &'a str) -> StoreFuture<'a, bool>;
}
