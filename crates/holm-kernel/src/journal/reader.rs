//! Reads a journal, in one go or as its bytes arrive, and verifies each record and the chain.
//!
//! It decides what a bad line means: a torn tail if no whole record follows, and otherwise an
//! error. It repairs nothing and cuts nothing; the host does that
//! (`holm-runtime/src/journal/folder.rs`). It holds at most one line in memory, and the result must
//! not depend on how the bytes were split. The format of a line is in `journal/line.rs`, folding
//! the records in `journal/replay.rs`.

use alloc::vec::Vec;
use core::mem;

use super::error::{JournalError, JournalFault};
use super::hash::Sha256Hash;
use super::line::{self, MAX_LINE_BYTES};
use super::record::{Head, JournalRecord};
use crate::Seq;

/// Reads a whole journal; a torn tail is reported beside the valid records.
///
/// # Errors
/// [`JournalError`] for damage that is followed by whole records, and for another version's format.
///
/// ```
/// use holm_kernel::journal::{JournalTail, decode};
///
/// let decoded = decode(b"{\"v\":1,\"seq\":0,\"at")?;
/// assert!(decoded.records.is_empty());
/// assert!(matches!(decoded.tail, JournalTail::Torn(error) if error.at_byte == 0));
/// # Ok::<(), holm_kernel::journal::JournalError>(())
/// ```
pub fn decode(text: &[u8]) -> Result<DecodedJournal, JournalError> {
    let mut reader = JournalReader::new();
    let mut records = Vec::new();
    reader.feed(text, &mut records)?;
    Ok(DecodedJournal { records, tail: reader.finish()? })
}

/// Reads a whole journal and accepts no damage.
///
/// # Errors
/// [`JournalError`] for any damage, a torn tail included.
pub fn decode_strict(text: &[u8]) -> Result<Vec<JournalRecord>, JournalError> {
    let decoded = decode(text)?;
    match decoded.tail {
        JournalTail::Clean => Ok(decoded.records),
        JournalTail::Torn(error) => Err(error),
    }
}

/// Reads the records after a known one, such as that of a [`Snapshot`](super::Snapshot). The text
/// begins with that record itself, which proves that `head` was taken from this journal.
///
/// # Errors
/// [`JournalError`] for any damage, for a torn tail, and if the first record is not
/// the one of `head`.
pub fn decode_after(head: Head, text: &[u8]) -> Result<Vec<JournalRecord>, JournalError> {
    let refused = |fault| JournalError { record: head.seq, at_byte: 0, fault };
    let end = text.iter().position(|byte| *byte == b'\n').ok_or_else(|| refused(JournalFault::Unfinished))?;
    let (first, rest) = text.split_at(end);
    let first = line::claimed(first).map_err(refused)?;
    if first.seq() != head.seq {
        return Err(refused(JournalFault::OutOfOrder { found: first.seq() }));
    }
    if first.head() != head {
        return Err(refused(JournalFault::ChainBroken));
    }
    let (mut reader, mut records) = (JournalReader::after(head), Vec::new());
    reader.feed(rest.get(1..).unwrap_or_default(), &mut records)?;
    match reader.finish()? {
        JournalTail::Clean => Ok(records),
        JournalTail::Torn(error) => Err(error),
    }
}

/// The contents of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedJournal {
    /// The valid records, from record 0 without a gap.
    pub records: Vec<JournalRecord>,
    /// Whether anything follows them.
    pub tail: JournalTail,
}

/// How a journal ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalTail {
    /// It ends with a whole record, or is empty.
    Clean,
    /// It ends with data that is not a record. Cut the journal at [`JournalError::at_byte`]
    /// before appending to it.
    Torn(JournalError),
}

/// Reads a journal as its bytes arrive; the result does not depend on how they are split.
///
/// It holds at most one line. Call [`feed`](Self::feed), then [`finish`](Self::finish).
///
/// ```
/// use holm_kernel::journal::{JournalReader, JournalTail};
///
/// let mut records = Vec::new();
/// let mut reader = JournalReader::new();
/// reader.feed(b"{\"v\":1,", &mut records)?;
/// assert!(matches!(reader.finish()?, JournalTail::Torn(_)));
/// # Ok::<(), holm_kernel::journal::JournalError>(())
/// ```
#[derive(Debug, Clone)]
pub struct JournalReader {
    next: Seq,
    chain: Sha256Hash,
    /// Where the current line begins.
    start: u64,
    /// Bytes of the current line so far, including dropped ones.
    length: u64,
    held: Vec<u8>,
    max_line: u64,
    condition: ReaderState,
}

impl JournalReader {
    /// Reads from record 0.
    #[must_use]
    pub const fn new() -> Self {
        Self::from(Seq::new(0), Sha256Hash::ZERO)
    }

    /// Reads the records after a known one; byte offsets count from there.
    #[must_use]
    pub const fn after(head: Head) -> Self {
        Self::from(Seq::new(head.seq.value().saturating_add(1)), head.chain)
    }

    const fn from(next: Seq, chain: Sha256Hash) -> Self {
        Self {
            next,
            chain,
            start: 0,
            length: 0,
            held: Vec::new(),
            max_line: MAX_LINE_BYTES,
            condition: ReaderState::Sound,
        }
    }

    /// The same reader with a lower limit on the length of a line, for hosts with little memory.
    #[must_use]
    pub fn max_line(mut self, bytes: u64) -> Self {
        self.max_line = bytes.min(MAX_LINE_BYTES);
        self
    }

    /// Reads more bytes and appends the valid records to `records`.
    ///
    /// # Errors
    /// [`JournalError`] once damage is certainly not a torn tail; later calls
    /// return the same error.
    pub fn feed(&mut self, bytes: &[u8], records: &mut Vec<JournalRecord>) -> Result<(), JournalError> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(end) => self.end_line(end, records)?,
                None => self.hold(piece),
            }
        }
        self.condition.refusal()
    }

    /// Says how the journal ends.
    ///
    /// # Errors
    /// The error of [`feed`](Self::feed), if there was one.
    pub fn finish(self) -> Result<JournalTail, JournalError> {
        self.condition.refusal()?;
        if let ReaderState::Damaged(error) = self.condition {
            return Ok(JournalTail::Torn(error));
        }
        if self.length == 0 {
            return Ok(JournalTail::Clean);
        }
        let fault = if self.length > self.max_line { self.too_long() } else { JournalFault::Unfinished };
        Ok(JournalTail::Torn(JournalError { record: self.next, at_byte: self.start, fault }))
    }

    fn hold(&mut self, piece: &[u8]) {
        self.length = self.length.saturating_add(piece.len() as u64);
        if self.length > self.max_line {
            self.held = Vec::new();
        } else {
            self.held.extend_from_slice(piece);
        }
    }

    fn end_line(&mut self, end: &[u8], records: &mut Vec<JournalRecord>) -> Result<(), JournalError> {
        if self.length == 0 {
            self.length = end.len() as u64;
            self.line(end, records)?;
        } else {
            self.hold(end);
            let mut whole = mem::take(&mut self.held);
            self.line(&whole, records)?;
            whole.clear();
            self.held = whole;
        }
        self.start = self.start.saturating_add(self.length).saturating_add(1);
        self.length = 0;
        Ok(())
    }

    fn line(&mut self, line: &[u8], records: &mut Vec<JournalRecord>) -> Result<(), JournalError> {
        let fits = self.length <= self.max_line;
        match &self.condition {
            ReaderState::Sound => {
                let admitted =
                    if fits { line::admit(line, self.next, &self.chain) } else { Err(self.too_long()) };
                match admitted {
                    Ok(record) => {
                        self.next = Seq::new(self.next.value().saturating_add(1));
                        self.chain = record.head().chain;
                        records.push(record);
                    }
                    Err(fault) => self.condition = self.damage(fault),
                }
            }
            ReaderState::Damaged(error) if fits && line::is_record(line) => {
                self.condition = ReaderState::Refused(error.clone());
            }
            ReaderState::Damaged(_) | ReaderState::Refused(_) => {}
        }
        self.condition.refusal()
    }

    fn damage(&self, fault: JournalFault) -> ReaderState {
        let foreign = fault.is_foreign();
        let error = JournalError { record: self.next, at_byte: self.start, fault };
        if foreign { ReaderState::Refused(error) } else { ReaderState::Damaged(error) }
    }

    const fn too_long(&self) -> JournalFault {
        JournalFault::TooLong { limit: self.max_line }
    }
}

impl Default for JournalReader {
    fn default() -> Self {
        Self::new()
    }
}

/// What the reader has seen so far.
#[derive(Debug, Clone)]
enum ReaderState {
    Sound,
    /// A bad line, and so far no valid line after it.
    Damaged(JournalError),
    /// A bad line that is not a torn tail.
    Refused(JournalError),
}

impl ReaderState {
    fn refusal(&self) -> Result<(), JournalError> {
        match self {
            Self::Sound | Self::Damaged(_) => Ok(()),
            Self::Refused(error) => Err(error.clone()),
        }
    }
}
