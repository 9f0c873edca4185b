//! The payload of a record: the exact bytes of its input, and their hash.
//!
//! An input that could be written but not read back is refused here, before the run handles it,
//! because such a journal could never be resumed. The bytes are kept as they were written and never
//! serialised again: the chain covers their hash. Large content does not belong into a payload; the
//! host stores it elsewhere and refers to it (`holm-runtime/src/spill.rs`). The line around the
//! payload is in `journal/line.rs`.

use alloc::string::{String, ToString as _};

use super::hash::Sha256Hash;
use super::line::MAX_LINE_BYTES;
use super::nesting::{self, MAX_NESTING};
use crate::Input;

/// Bytes of one payload; what is larger is spilled by the host and referred to. Leaves room for the
/// rest of the line.
pub const MAX_PAYLOAD_BYTES: u64 = MAX_LINE_BYTES - 1024;

/// Nesting up to which a payload is known to be readable without trying: typed values
/// may nest 127 levels.
const SURELY_READABLE: u64 = 100;

/// Writes an input as a payload; call it before
/// [`Run::handle`](crate::Run::handle) takes the input.
///
/// # Errors
/// [`PayloadError`] if the input could be written but not read back. Then the input
/// must not be handled.
///
/// ```
/// use holm_kernel::{Input, journal};
///
/// let payload = journal::payload(&Input::TimePassed)?;
/// assert_eq!(payload.text(), Some(r#""time_passed""#));
/// assert_eq!(payload.input(), Ok(Input::TimePassed));
/// # Ok::<(), journal::PayloadError>(())
/// ```
pub fn payload(input: &Input) -> Result<RecordPayload, PayloadError> {
    let text = serde_json::to_string(input)
        .map_err(|error| PayloadError::Unwritable { reason: error.to_string() })?;
    check_length(text.len() as u64)?;
    if nesting::is_deeper(&text, SURELY_READABLE) {
        prove_readable(&text)?;
    }
    Ok(RecordPayload { hash: Sha256Hash::of(text.as_bytes()), text: Some(text) })
}

/// The text of an input with its hash; or, after erasure, the hash alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordPayload {
    hash: Sha256Hash,
    text: Option<String>,
}

impl RecordPayload {
    /// Keeps the text of a line with the hash of that text. The caller compares it
    /// with the expected hash.
    pub(super) fn kept(text: &str) -> Self {
        Self { hash: Sha256Hash::of(text.as_bytes()), text: Some(text.into()) }
    }

    /// A payload whose text was erased.
    pub(super) const fn erased(hash: Sha256Hash) -> Self {
        Self { hash, text: None }
    }

    /// The SHA-256 of the text; it outlives the text.
    #[must_use]
    pub const fn hash(&self) -> Sha256Hash {
        self.hash
    }

    /// The exact text, unless it was erased.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Whether the text was erased.
    #[must_use]
    pub const fn is_erased(&self) -> bool {
        self.text.is_none()
    }

    /// Reads the input. Unknown fields are ignored; an unknown kind of input is an error.
    ///
    /// # Errors
    /// [`InputError::Erased`], or [`InputError::Unreadable`] if the text is not an
    /// input of this version.
    pub fn input(&self) -> Result<Input, InputError> {
        let text = self.text().ok_or(InputError::Erased)?;
        holm_read::from_str(text).map_err(|error| InputError::Unreadable { reason: error.to_string() })
    }

    /// Erases the text and keeps its hash.
    pub fn erase(&mut self) {
        self.text = None;
    }
}

/// An input cannot be journaled, so it must not be handled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// The input has too many bytes.
    #[error(
        "the input takes {bytes} bytes, and a record holds at most {MAX_PAYLOAD_BYTES}; store its content \
        elsewhere and refer to it"
    )]
    TooLong { bytes: u64 },
    /// The brackets nest too deeply.
    #[error("the input nests too deeply to be read back; flatten its content")]
    TooDeep,
    /// A part of it could not be written.
    #[error("the input cannot be written as JSON: {reason}")]
    Unwritable { reason: String },
}

/// A payload cannot be read as an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Its text was erased.
    #[error("the payload was erased")]
    Erased,
    /// Its text is not an input.
    #[error("the payload is not an input of this version: {reason}")]
    Unreadable { reason: String },
}

pub(super) const fn check_length(bytes: u64) -> Result<(), PayloadError> {
    if bytes > MAX_PAYLOAD_BYTES {
        return Err(PayloadError::TooLong { bytes });
    }
    Ok(())
}

/// Tries to read the text: arbitrary JSON may nest freely inside a payload, typed blocks may not,
/// and counting brackets cannot tell them apart.
fn prove_readable(text: &str) -> Result<(), PayloadError> {
    if nesting::is_deeper(text, MAX_NESTING) || holm_read::from_str::<Input>(text).is_err() {
        return Err(PayloadError::TooDeep);
    }
    Ok(())
}
