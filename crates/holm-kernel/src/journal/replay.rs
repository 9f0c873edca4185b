//! Replays a journal: the same inputs give the same run, or the error names the first record that
//! differs.
//!
//! It folds verified records and performs no effect: a caller that replays must only display what
//! it is passed. Reading lines is done in `journal/reader.rs`, starting from a saved state in
//! `journal/snapshot.rs`. The digests of effects are compared at every record, so a kernel that
//! decides differently is found and never continues with a different past. To continue a replayed
//! run, the host feeds [`Input::Resumed`] (`run/resume.rs`).

use alloc::string::String;

use holm_read::{JsonText, Read};

use super::hash::Sha256Hash;
use super::payload::InputError;
use super::record::{Head, JournalRecord};
use crate::{Effect, Input, KernelMisuse, RecordReceipt, Run, SEMANTICS, Seq, Started, Timestamp};

/// Folds a whole journal without performing effects.
///
/// The run is in the state after the last record, with every effect drained. To take it over, feed
/// it [`Input::Resumed`]: it then requests the remaining work again.
///
/// # Errors
/// [`ReplayError`], naming the record.
pub fn replay(records: &[JournalRecord]) -> Result<Run, ReplayError> {
    replay_with(records, |_, _| {})
}

/// As [`replay`], and passes every effect to `each`, including the `Wait` at the end of each drain.
/// That is enough to display a run again; do not perform the effects again.
///
/// # Errors
/// As [`replay`]. Effects of a record that diverges are not passed on.
pub fn replay_with(
    records: &[JournalRecord],
    mut each: impl FnMut(Seq, &Effect),
) -> Result<Run, ReplayError> {
    let mut fold = ReplayFold::new();
    records.iter().try_for_each(|record| fold.add(record, &mut each))?;
    Ok(fold.finish()?.0)
}

/// Folds a journal record by record, so that a long one is never in memory as a whole.
///
/// ```
/// use holm_kernel::{Config, ModelSpec, Started, Timestamp, journal};
///
/// let started = Started::new("run-1", 7, Config::new(ModelSpec::named("scripted/echo")));
/// let (run, _, text) = journal::begin(started, Timestamp::new(1_000))?;
/// let mut fold = journal::ReplayFold::new();
/// for record in journal::decode_strict(text.as_bytes())? {
///     fold.add(&record, |_, _| {})?;
/// }
/// let (folded, head) = fold.finish()?;
/// assert_eq!((folded.receipt(), head.seq), (run.receipt(), run.receipt().seq));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Default)]
pub struct ReplayFold {
    stands: Option<(Run, Head)>,
}

impl ReplayFold {
    /// Begins before record 0.
    #[must_use]
    pub const fn new() -> Self {
        Self { stands: None }
    }

    /// Folds the next record and passes on its effects, as [`replay_with`] does.
    ///
    /// # Errors
    /// [`ReplayError`]; the fold is then unusable.
    pub fn add(
        &mut self,
        record: &JournalRecord,
        mut each: impl FnMut(Seq, &Effect),
    ) -> Result<(), ReplayError> {
        let Some((run, head)) = &mut self.stands else {
            self.stands = Some((begin(record, &mut each)?, record.head()));
            return Ok(());
        };
        go_on(run, *head, core::slice::from_ref(record), &mut each)?;
        *head = record.head();
        Ok(())
    }

    /// Drops the messages so far, which are in the journal; see [`Run::leave_transcript`].
    pub fn leave_transcript(&mut self) {
        if let Some((run, _)) = &mut self.stands {
            run.leave_transcript();
        }
    }

    /// The run after the last record.
    ///
    /// # Errors
    /// [`ReplayError::Empty`] before record 0.
    pub fn finish(self) -> Result<(Run, Head), ReplayError> {
        self.stands.ok_or(ReplayError::Empty)
    }
}

fn begin(first: &JournalRecord, each: &mut impl FnMut(Seq, &Effect)) -> Result<Run, ReplayError> {
    if first.seq() != Seq::new(0) {
        return Err(ReplayError::OutOfOrder { expected: Seq::new(0), found: first.seq() });
    }
    if !first.follows(&Sha256Hash::ZERO) {
        return Err(ReplayError::Unlinked { seq: first.seq() });
    }
    let mut run = Run::start(started(first)?, first.at());
    let receipt = run.receipt();
    settle(&mut run, first, receipt, each)?;
    Ok(run)
}

/// Folds more records into a run whose last record is `head`.
pub(super) fn go_on(
    run: &mut Run,
    mut head: Head,
    records: &[JournalRecord],
    each: &mut impl FnMut(Seq, &Effect),
) -> Result<(), ReplayError> {
    for record in records {
        let (seq, expected) = (record.seq(), Seq::new(head.seq.value().saturating_add(1)));
        if seq != expected {
            return Err(ReplayError::OutOfOrder { expected, found: seq });
        }
        if !record.follows(&head.chain) {
            return Err(ReplayError::Unlinked { seq });
        }
        let receipt =
            run.handle(record.at(), input(record)?).map_err(|misuse| ReplayError::Misuse { seq, misuse })?;
        settle(run, record, receipt, each)?;
        head = record.head();
    }
    Ok(())
}

/// A journal cannot be folded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There is nothing to fold.
    #[error("the journal is empty; start a run instead")]
    Empty,
    /// Record 0 does not start a run.
    #[error("record 0 does not start a run; this is not a run's journal")]
    NotStarted,
    /// The journal was made under the decision rules of another version.
    #[error(
        "record 0 names decision rules {found}, this kernel has {SEMANTICS}; open the journal with the \
        version of Holm that wrote it{}, or start a new run",
        of_version(.version)
    )]
    OtherSemantics {
        /// What record 0 names.
        found: u32,
        /// The program that wrote record 0, if it says so.
        version: String,
    },
    /// The kernel decides differently now.
    #[error(
        "record {seq} now gives different effects ({found:016x}, journaled {expected:016x}); use the \
        kernel that wrote it"
    )]
    Diverged {
        /// The first such record.
        seq: Seq,
        /// The digest in the journal.
        expected: u64,
        found: u64,
    },
    /// Time ran backwards: no kernel wrote this.
    #[error("record {seq} is at {expected} but was handled at {found}; no kernel wrote this journal")]
    Clock {
        /// The first such record.
        seq: Seq,
        /// The time in the journal.
        expected: Timestamp,
        /// The time after clamping.
        found: Timestamp,
    },
    /// An input that a run refuses; such an input is never journaled.
    #[error("record {seq} was refused: {misuse}; no kernel wrote this journal")]
    Misuse { seq: Seq, misuse: KernelMisuse },
    /// The record was erased.
    #[error("record {seq} was erased; resume from a snapshot taken after it")]
    Erased { seq: Seq },
    /// The record cannot be read.
    #[error("record {seq} is not an input of this kernel ({reason}); use the kernel that wrote it")]
    Unreadable {
        seq: Seq,
        /// What the reader said.
        reason: String,
    },
    /// A record is missing, doubled or moved.
    #[error("expected record {expected}, found record {found}; pass the records of one journal in order")]
    OutOfOrder {
        /// The number that belongs there.
        expected: Seq,
        /// The number that was found.
        found: Seq,
    },
    /// A record of another journal.
    #[error("record {seq} does not follow the one before it; pass the records of one journal")]
    Unlinked { seq: Seq },
    /// The snapshot cannot be used.
    #[error("the snapshot cannot be used ({reason}); replay the whole journal")]
    Snapshot { reason: String },
}

/// Compares the effects of a record with the journal, and drains the run.
fn settle(
    run: &mut Run,
    record: &JournalRecord,
    receipt: RecordReceipt,
    each: &mut impl FnMut(Seq, &Effect),
) -> Result<(), ReplayError> {
    let seq = record.seq();
    if receipt.seq != seq {
        return Err(ReplayError::OutOfOrder { expected: receipt.seq, found: seq });
    }
    if receipt.at != record.at() {
        return Err(ReplayError::Clock { seq, expected: record.at(), found: receipt.at });
    }
    if receipt.effects != record.effects() {
        return Err(ReplayError::Diverged { seq, expected: record.effects(), found: receipt.effects });
    }
    loop {
        let effect = run.poll();
        each(seq, &effect);
        if matches!(effect, Effect::Wait(_)) {
            return Ok(());
        }
    }
}

fn input(record: &JournalRecord) -> Result<Input, ReplayError> {
    let seq = record.seq();
    record.payload().input().map_err(|error| match error {
        InputError::Erased => ReplayError::Erased { seq },
        InputError::Unreadable { reason } => ReplayError::Unreadable { seq, reason },
    })
}

/// Reads record 0, its semantics first: under other rules the rest may be unreadable.
fn started(record: &JournalRecord) -> Result<Started, ReplayError> {
    let text = record.payload().text().ok_or(ReplayError::Erased { seq: record.seq() })?;
    let Ok(first) = holm_read::from_str::<OpeningRecord<'_>>(text) else {
        return Err(ReplayError::NotStarted);
    };
    let Ok(rules) = holm_read::from_str::<SemanticsVersion>(first.started.get()) else {
        return Err(ReplayError::NotStarted);
    };
    if rules.semantics != SEMANTICS {
        return Err(ReplayError::OtherSemantics { found: rules.semantics, version: rules.version });
    }
    let Input::Started(started) = input(record)? else { return Err(ReplayError::NotStarted) };
    Ok(*started)
}

/// The shape of record 0 under every set of rules.
#[derive(Read)]
struct OpeningRecord<'a> {
    started: JsonText<'a>,
}

#[derive(Read)]
struct SemanticsVersion {
    semantics: u32,
    #[serde(default)]
    version: String,
}

/// Names a version in an error message; record 0 may not have one.
fn of_version(version: &str) -> String {
    if version.is_empty() { String::new() } else { alloc::format!(" ({version})") }
}
