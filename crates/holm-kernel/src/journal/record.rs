//! One record, its link in the hash chain, and the head that says how far a journal reaches. This
//! file computes chain values and checks heads; it reads no text and stores nothing.
//!
//! The parts of a chain value have fixed widths and a fixed order, which must never change: every
//! stored journal is checked against them.
//!
//! The text of a line is written and read in `journal/line.rs`; the input's text, its limits and
//! its hash are in `journal/payload.rs`. `journal/reader.rs` reads and verifies whole journals,
//! `journal/writer.rs` numbers new records, and `journal/replay.rs` folds them.

use alloc::string::String;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::hash::Sha256Hash;
use super::line;
use super::payload::RecordPayload;
use crate::{RecordReceipt, Seq, Timestamp};

/// Separates these hashes from every other use of SHA-256.
const DOMAIN: &[u8; 12] = b"holm journal";

/// One input as the journal stores it. A caller gets records from [`decode`](super::decode) and the
/// other readers of this module, which verify them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRecord {
    seq: Seq,
    at: Timestamp,
    effects: u64,
    payload: RecordPayload,
    chain: Sha256Hash,
}

impl JournalRecord {
    /// Makes a record of what a line claims, without checks; the caller verifies it.
    pub(super) const fn claimed(receipt: RecordReceipt, payload: RecordPayload, chain: Sha256Hash) -> Self {
        Self { seq: receipt.seq, at: receipt.at, effects: receipt.effects, payload, chain }
    }

    #[must_use]
    pub const fn seq(&self) -> Seq {
        self.seq
    }

    /// When it was handled. Times never go back: the run has already corrected it.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// The digest of its effects.
    #[must_use]
    pub const fn effects(&self) -> u64 {
        self.effects
    }

    #[must_use]
    pub const fn payload(&self) -> &RecordPayload {
        &self.payload
    }

    /// The head of the journal right after this record.
    #[must_use]
    pub const fn head(&self) -> Head {
        Head { seq: self.seq, chain: self.chain }
    }

    /// The receipt of this record.
    pub(super) const fn receipt(&self) -> RecordReceipt {
        RecordReceipt { seq: self.seq, at: self.at, effects: self.effects }
    }

    /// Erases the payload's text. The chain still holds, and a replay will stop here.
    pub fn erase(&mut self) {
        self.payload.erase();
    }

    /// The record as a line, with the line's end.
    #[must_use]
    pub fn line(&self) -> String {
        let mut out = String::with_capacity(line::length(&self.payload));
        line::write(&mut out, self.receipt(), &self.payload, &self.chain);
        out
    }

    /// Whether the chain runs from `before` to here.
    pub(super) fn follows(&self, before: &Sha256Hash) -> bool {
        self.chain == chain(before, self.receipt(), &self.payload.hash())
    }
}

/// How far a journal reaches. It is small enough to be stored elsewhere, where it proves that
/// nothing was cut off or rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Head {
    /// The number of the last record.
    pub seq: Seq,
    /// Its chain value, which covers everything up to it.
    pub chain: Sha256Hash,
}

impl Head {
    /// Checks that `records` contain this record, and so everything before it.
    ///
    /// # Errors
    /// [`HeadError`] if the record is missing or different.
    pub fn check(&self, records: &[JournalRecord]) -> Result<(), HeadError> {
        let found = records.iter().rev().find(|record| record.seq == self.seq);
        let Some(found) = found else {
            return Err(HeadError::Missing { want: self.seq, last: records.last().map(JournalRecord::seq) });
        };
        if found.chain != self.chain {
            return Err(HeadError::Different { seq: self.seq });
        }
        Ok(())
    }
}

/// A journal is not the one that a [`Head`] was taken from, or is incomplete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    /// Records were cut off.
    #[error("record {want} is missing (the last one is {last:?}); restore the journal's end from a copy")]
    Missing {
        /// The record that was there once.
        want: Seq,
        /// The last record that is there now.
        last: Option<Seq>,
    },
    /// The record at this place is not the one the head was taken from.
    #[error(
        "record {seq} is not the one that was written; the journal was rewritten or belongs to another run"
    )]
    Different {
        /// The record that differs.
        seq: Seq,
    },
}

/// The chain value of a record. Every part has a fixed width, so no two records
/// give the same bytes.
pub(super) fn chain(before: &Sha256Hash, receipt: RecordReceipt, payload: &Sha256Hash) -> Sha256Hash {
    Sha256Hash::of_parts(&[
        DOMAIN,
        &line::VERSION.to_be_bytes(),
        before.bytes(),
        &receipt.seq.value().to_be_bytes(),
        &receipt.at.value().to_be_bytes(),
        &receipt.effects.to_be_bytes(),
        payload.bytes(),
    ])
}
