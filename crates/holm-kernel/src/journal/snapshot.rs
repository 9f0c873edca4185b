//! A run's state at a record, so that a long journal need not be folded from its beginning.
//!
//! A snapshot is a cache. Its hash says whether it is complete, and the kernel's version says
//! whether this kernel made it. In case of doubt it is ignored and the journal is folded. The hash
//! has no key: store a snapshot where the journal is stored.
//!
//! A snapshot never replaces records, and nothing may depend on it: snapshot plus tail must equal
//! the full replay. What belongs into the state is decided in `run/state.rs`; when one is made, in
//! `holm-runtime/src/driver/batch.rs`; where it is stored, in `holm-runtime/src/journal/jsonl.rs`
//! and `holm-store/src/store/journal.rs`.

use alloc::string::{String, ToString as _};
use core::fmt::Write as _;

use holm_read::{JsonText, Read, ReadError};

use super::hash::Sha256Hash;
use super::record::{Head, JournalRecord};
use super::replay::{self, ReplayError};
use crate::{Run, Seq};

/// The format of snapshots that this kernel writes and reads.
pub const SNAPSHOT_VERSION: u32 = 3;

/// Separates these hashes from every other use of SHA-256.
const DOMAIN: &[u8; 13] = b"holm snapshot";

/// The state of another version may have other fields, and missing ones
/// would silently get defaults.
const KERNEL: &str = env!("CARGO_PKG_VERSION");

/// The state of a run right after one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    head: Head,
    state: String,
}

impl Snapshot {
    /// Takes a snapshot of a run whose effects were drained; `head` is the head
    /// after its last record.
    ///
    /// # Errors
    /// [`SnapshotError::OtherRecord`] if `head` belongs to a different
    /// record; [`SnapshotError::Unwritable`].
    pub fn take(run: &Run, head: Head) -> Result<Self, SnapshotError> {
        Self::of(run, head, run.freeze())
    }

    /// As [`take`](Self::take), without the transcript, which the records up to `head` contain. It
    /// holds the view and everything that affects decisions. So its size depends on the model's
    /// window and not on the length of the run.
    ///
    /// # Errors
    /// The same errors as [`take`](Self::take).
    pub fn without_transcript(run: &Run, head: Head) -> Result<Self, SnapshotError> {
        Self::of(run, head, run.freeze_without_transcript())
    }

    fn of(run: &Run, head: Head, state: Result<String, serde_json::Error>) -> Result<Self, SnapshotError> {
        let found = run.receipt().seq;
        if found != head.seq {
            return Err(SnapshotError::OtherRecord { expected: head.seq, found });
        }
        let state = state.map_err(|error| SnapshotError::Unwritable { reason: error.to_string() })?;
        Ok(Self { head, state })
    }

    /// The head of the record that it was taken at.
    #[must_use]
    pub const fn head(&self) -> Head {
        self.head
    }

    /// About how many bytes it takes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.state.len() as u64
    }

    /// The snapshot as one line of JSON, without a line's end.
    #[must_use]
    pub fn encode(&self) -> String {
        let Self { head: Head { seq, chain }, state } = self;
        let seal = seal(self.head, KERNEL, state);
        let mut out = String::with_capacity(state.len().saturating_add(256));
        // Writing into a string cannot fail.
        let _ = write!(out, r#"{{"v":{SNAPSHOT_VERSION},"kernel":"{KERNEL}","seq":{seq},"chain":"{chain}","#);
        let _ = write!(out, r#""seal":"{seal}","state":{state}}}"#);
        out
    }

    /// Reads a snapshot that this very version of the kernel has written.
    ///
    /// # Errors
    /// [`SnapshotError`]; in every case, fold the journal instead.
    pub fn decode(text: &[u8]) -> Result<Self, SnapshotError> {
        let unreadable = |error: ReadError| SnapshotError::Unreadable { reason: error.to_string() };
        let form: SnapshotDocument<'_> = holm_read::from_slice(text).map_err(unreadable)?;
        if form.v != SNAPSHOT_VERSION || form.kernel != KERNEL {
            return Err(SnapshotError::OtherKernel { found: form.kernel.into() });
        }
        let snapshot =
            Self { head: Head { seq: form.seq, chain: form.chain }, state: form.state.get().into() };
        if form.seal != seal(snapshot.head, form.kernel, &snapshot.state) {
            return Err(SnapshotError::Changed);
        }
        Ok(snapshot)
    }

    fn restore(&self) -> Result<Run, ReplayError> {
        let state = holm_read::from_str(&self.state)
            .map_err(|error| ReplayError::Snapshot { reason: error.to_string() })?;
        let run = Run::thaw(state);
        if run.receipt().seq != self.head.seq {
            return Err(ReplayError::Snapshot { reason: "it belongs to another record".into() });
        }
        Ok(run)
    }
}

/// Restores a snapshot and folds the records after it.
///
/// # Errors
/// [`ReplayError`]; records before the snapshot are not needed, so an erased one among
/// them does no harm.
pub fn resume_from(snapshot: &Snapshot, tail: &[JournalRecord]) -> Result<Run, ReplayError> {
    let mut run = snapshot.restore()?;
    replay::go_on(&mut run, snapshot.head, tail, &mut |_, _| {})?;
    Ok(run)
}

/// Folds a whole journal, starting from the snapshot if it is valid and belongs to this journal.
///
/// # Errors
/// As [`replay`](super::replay); a bad snapshot never causes an error.
pub fn resume(snapshot: Option<&Snapshot>, records: &[JournalRecord]) -> Result<Run, ReplayError> {
    let helped = snapshot.and_then(|snapshot| {
        let stands = records.iter().rposition(|record| record.head() == snapshot.head)?;
        resume_from(snapshot, records.get(stands.checked_add(1)?..)?).ok()
    });
    helped.map_or_else(|| replay::replay(records), Ok)
}

/// A snapshot cannot be taken or used; the journal can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The run is at a different record.
    #[error("the run is at record {found}, not at {expected}; pass the head of the last record handled")]
    OtherRecord {
        /// The record of the head.
        expected: Seq,
        /// The record of the run.
        found: Seq,
    },
    /// The state could not be written.
    #[error("the state cannot be written: {reason}")]
    Unwritable {
        /// What the writer said.
        reason: String,
    },
    /// The text is not a snapshot.
    #[error("not a valid snapshot ({reason}); replay the journal")]
    Unreadable {
        /// What the reader said.
        reason: String,
    },
    /// Another version of the kernel made it.
    #[error("kernel {found} made the snapshot, this is {KERNEL}; replay the journal")]
    OtherKernel { found: String },
    /// Its bytes differ from those that were written.
    #[error("the snapshot does not match its seal; replay the journal")]
    Changed,
}

/// A snapshot as it is written.
#[derive(Read)]
struct SnapshotDocument<'a> {
    v: u32,
    kernel: &'a str,
    seq: Seq,
    chain: Sha256Hash,
    seal: Sha256Hash,
    state: JsonText<'a>,
}

fn seal(head: Head, kernel: &str, state: &str) -> Sha256Hash {
    Sha256Hash::of_parts(&[
        DOMAIN,
        &SNAPSHOT_VERSION.to_be_bytes(),
        &(kernel.len() as u64).to_be_bytes(),
        kernel.as_bytes(),
        &head.seq.value().to_be_bytes(),
        head.chain.bytes(),
        state.as_bytes(),
    ])
}
