//! Writes records as they are handled: numbers and chains them, and returns each as a line.
//!
//! It returns text and stores nothing. The host must store the line durably before it performs an
//! effect, and must drop run and writer if that fails. A payload is made before the run handles the
//! input, so an input that cannot be journaled is never handled. The format of a line is in
//! `journal/line.rs`, the chain in `journal/record.rs`.

use alloc::{boxed::Box, string::String};

use super::hash::Sha256Hash;
use super::line;
use super::payload::{PayloadError, RecordPayload, payload};
use super::record::{self, Head};
use crate::{Input, KernelMisuse, RecordReceipt, Run, Seq, Started, Timestamp};

/// Starts a run and writes record 0.
///
/// # Errors
/// [`StepError::Payload`] if the configuration cannot be journaled, and [`StepError::Misuse`] if
/// `started` names the decision rules of another version; then there is no run.
pub fn begin(started: Started, now: Timestamp) -> Result<(Run, JournalWriter, String), StepError> {
    if !started.is_known() {
        return Err(KernelMisuse::OtherSemantics(started.semantics).into());
    }
    // Record 0 has its own copy: this happens once per run, and `Run::start` takes ownership.
    let payload = payload(&Input::Started(Box::new(started.clone())))?;
    let run = Run::start(started, now);
    let mut writer = JournalWriter::new();
    let line = writer.append(run.receipt(), &payload)?;
    Ok((run, writer, line))
}

/// Handles one input and returns the line to append durably before any effect is performed.
///
/// If the append fails, drop the run and the writer and fold the journal again.
///
/// # Errors
/// [`StepError`]; run and writer are unchanged, and there is nothing to append.
pub fn step(
    run: &mut Run,
    writer: &mut JournalWriter,
    now: Timestamp,
    input: Input,
) -> Result<String, StepError> {
    let next = after(run.receipt().seq);
    if writer.next != next {
        return Err(AppendError { expected: writer.next, found: next }.into());
    }
    let payload = payload(&input)?;
    let receipt = run.handle(now, input)?;
    Ok(writer.append(receipt, &payload)?)
}

/// Turns handled inputs into lines. It only knows the end of one journal, so a new one
/// is cheap to make.
///
/// ```
/// use holm_kernel::{Input, RecordReceipt, Seq, Timestamp, journal};
///
/// let mut writer = journal::JournalWriter::new();
/// let payload = journal::payload(&Input::TimePassed)?;
/// let receipt = RecordReceipt { seq: Seq::new(0), at: Timestamp::new(5), effects: 1 };
/// let line = writer.append(receipt, &payload)?;
/// assert!(line.starts_with(r#"{"v":1,"seq":0,"at":5,"effects":"0000000000000001","payload":""#));
/// assert!(line.ends_with("\"input\":\"time_passed\"}\n"));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct JournalWriter {
    next: Seq,
    chain: Sha256Hash,
}

impl JournalWriter {
    /// Writes a new journal.
    #[must_use]
    pub const fn new() -> Self {
        Self { next: Seq::new(0), chain: Sha256Hash::ZERO }
    }

    /// Continues after a record: the last one of a journal, or the one at which it is forked.
    #[must_use]
    pub const fn after(head: Head) -> Self {
        Self { next: after(head.seq), chain: head.chain }
    }

    /// The end of the journal; `None` before record 0.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.next.value().checked_sub(1).map(|last| Head { seq: Seq::new(last), chain: self.chain })
    }

    /// The line of a handled input, with its end.
    ///
    /// # Errors
    /// [`AppendError`] if the receipt does not belong to the next record; the writer is unchanged.
    pub fn append(&mut self, receipt: RecordReceipt, payload: &RecordPayload) -> Result<String, AppendError> {
        let mut line = String::with_capacity(line::length(payload));
        self.append_to(receipt, payload, &mut line)?;
        Ok(line)
    }

    /// As [`append`](Self::append), into a reusable buffer.
    ///
    /// # Errors
    /// As [`append`](Self::append); the buffer is also unchanged.
    pub fn append_to(
        &mut self,
        receipt: RecordReceipt,
        payload: &RecordPayload,
        out: &mut String,
    ) -> Result<(), AppendError> {
        if receipt.seq != self.next {
            return Err(AppendError { expected: self.next, found: receipt.seq });
        }
        self.chain = record::chain(&self.chain, receipt, &payload.hash());
        self.next = after(self.next);
        line::write(out, receipt, payload, &self.chain);
        Ok(())
    }
}

impl Default for JournalWriter {
    fn default() -> Self {
        Self::new()
    }
}

/// A run and a writer are at different records: they belong to different journals, or
/// a line is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal expects record {expected}, but the run handles {found}; replay the journal")]
pub struct AppendError {
    /// The record that the writer expects next.
    pub expected: Seq,
    /// The record that it was given.
    pub found: Seq,
}

/// An input was not handled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The host's own mistake.
    #[error(transparent)]
    Misuse(#[from] KernelMisuse),
    /// The run and the writer do not belong together.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The input cannot be journaled.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

const fn after(seq: Seq) -> Seq {
    Seq::new(seq.value().saturating_add(1))
}
