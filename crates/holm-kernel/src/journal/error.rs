//! Errors of a damaged journal: what is wrong with which record, and at which byte.
//!
//! This file only words the damage. `journal/line.rs` finds it in a line, and `journal/reader.rs`
//! decides whether it is a torn tail. That a sound journal cannot be folded is a different error,
//! in `journal/replay.rs`. A line of another format version never counts as torn: another program
//! could read it, so it must not be cut.

use alloc::string::String;

use super::{MAX_NESTING, VERSION};
use crate::Seq;

/// A journal is damaged.
///
/// ```
/// use holm_kernel::journal::{JournalFault, decode_strict};
///
/// let error = decode_strict(b"{}\n").unwrap_err();
/// assert_eq!((error.record.value(), error.at_byte), (0, 0));
/// assert!(matches!(error.fault, JournalFault::NotARecord { .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record {record} at byte {at_byte}: {fault}")]
pub struct JournalError {
    /// The first record that cannot be read; all records before it are valid.
    pub record: Seq,
    /// Where its line begins.
    pub at_byte: u64,
    /// What is wrong with it.
    pub fault: JournalFault,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalFault {
    /// The text ends before the line does.
    #[error("the line is incomplete; cut the journal here and continue")]
    Unfinished,
    /// The line is longer than the limit.
    #[error("the line is longer than {limit} bytes; restore the journal from a copy")]
    TooLong {
        /// How long it may be.
        limit: u64,
    },
    /// The payload nests too deeply.
    #[error("the payload nests deeper than {MAX_NESTING} brackets; restore the journal from a copy")]
    TooDeep,
    /// The bytes are not valid UTF-8.
    #[error("the line is not UTF-8 after {valid} bytes; restore the journal from a copy")]
    NotUtf8 {
        /// How many bytes of the line are valid text.
        valid: u64,
    },
    /// The text is not a record.
    #[error("the line is not a valid record ({reason}); restore the journal from a copy")]
    NotARecord { reason: String },
    /// The record has an unknown format version.
    #[error(
        "the record has format version {found}, this program reads {VERSION}; use the program that wrote it"
    )]
    OtherVersion {
        /// The version it names.
        found: u64,
    },
    /// A record is missing, doubled or moved.
    #[error(
        "unexpected record {found}: a record is missing, duplicated or moved; restore the journal from a \
        copy"
    )]
    OutOfOrder {
        /// The number it bears.
        found: Seq,
    },
    /// The payload differs from the one that was written.
    #[error("the payload does not match its hash; restore the journal from a copy")]
    PayloadChanged,
    /// The record does not follow the one before it.
    #[error(
        "the hash chain is broken: a field was changed, or the record belongs to another run; restore \
        the journal from a copy"
    )]
    ChainBroken,
}

impl JournalFault {
    /// Whether another program could read the line: such a line never counts as a torn tail.
    pub(super) const fn is_foreign(&self) -> bool {
        match self {
            Self::OtherVersion { .. } => true,
            Self::Unfinished
            | Self::TooLong { .. }
            | Self::TooDeep
            | Self::NotUtf8 { .. }
            | Self::NotARecord { .. }
            | Self::OutOfOrder { .. }
            | Self::PayloadChanged
            | Self::ChainBroken => false,
        }
    }
}
