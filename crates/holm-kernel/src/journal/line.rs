//! One record as one line of JSON: stable key order, written by hand, read strictly.
//!
//! This file knows the format of a line and whether a line follows the one before it. It does not
//! split a text into lines or judge the tail (`journal/reader.rs`), does not compute the chain
//! (`journal/record.rs`) and does not read the input (`journal/payload.rs`). The bytes are hashed
//! and stored for good, so a change of the format needs a new [`VERSION`]. The payload's nesting is
//! checked before any recursive parser sees it.

use alloc::string::{String, ToString as _};
use core::fmt::Write as _;
use core::str;

use holm_read::{JsonText, Read};

use super::error::JournalFault;
use super::hash::{self, Sha256Hash};
use super::nesting::{self, MAX_NESTING};
use super::payload::RecordPayload;
use super::record::JournalRecord;
use crate::{RecordReceipt, Seq, Timestamp};

/// The format of records that this kernel writes and reads.
pub const VERSION: u32 = 1;

/// Bytes of one line: room for a batch of pictures, and an end to a file that has no line ends.
pub const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of a line beside its payload, generously.
const FRAME_BYTES: usize = 288;

/// What an erased payload leaves behind.
const ERASED: &str = "null";

/// How much room a line needs.
pub(super) fn length(payload: &RecordPayload) -> usize {
    payload.text().unwrap_or(ERASED).len().saturating_add(FRAME_BYTES)
}

/// Appends one line and its end.
pub(super) fn write(out: &mut String, receipt: RecordReceipt, payload: &RecordPayload, chain: &Sha256Hash) {
    let RecordReceipt { seq, at, effects } = receipt;
    // Writing into a string cannot fail.
    let _ = write!(out, r#"{{"v":{VERSION},"seq":{seq},"at":{at},"effects":""#);
    hash::push_hex(out, &effects.to_be_bytes());
    out.push_str(r#"","payload":""#);
    hash::push_hex(out, payload.hash().bytes());
    out.push_str(r#"","chain":""#);
    hash::push_hex(out, chain.bytes());
    out.push_str(r#"","input":"#);
    out.push_str(payload.text().unwrap_or(ERASED));
    out.push_str("}\n");
}

/// Reads the line of record `next`, which must follow `before`.
pub(super) fn admit(line: &[u8], next: Seq, before: &Sha256Hash) -> Result<JournalRecord, JournalFault> {
    let text = utf8(line)?;
    let envelope = RecordLine::read(text)?;
    let record = envelope.record();
    if envelope.v == u64::from(VERSION) {
        let record = record?;
        stands(&record, next, before)?;
        return Ok(record);
    }
    match record {
        // Everything but the version is sound under version 1: then the version
        // is what was damaged.
        Ok(record) if stands(&record, next, before).is_ok() => Err(JournalFault::ChainBroken),
        Ok(_) | Err(_) => Err(JournalFault::OtherVersion { found: envelope.v }),
    }
}

/// Reads a line as the record that it claims to be. Its payload is checked, and
/// not what it follows.
pub(super) fn claimed(line: &[u8]) -> Result<JournalRecord, JournalFault> {
    let envelope = RecordLine::read(utf8(line)?)?;
    if envelope.v != u64::from(VERSION) {
        return Err(JournalFault::OtherVersion { found: envelope.v });
    }
    envelope.record()
}

/// Whether a line is a whole record of some journal.
pub(super) fn is_record(line: &[u8]) -> bool {
    utf8(line).and_then(RecordLine::read).and_then(|envelope| envelope.record()).is_ok()
}

/// A line as it is written. Unknown members are ignored; every one of these must be there, or a
/// damaged name could pass for an erasure.
#[derive(Read)]
struct RecordLine<'a> {
    v: u64,
    seq: u64,
    at: u64,
    effects: &'a str,
    payload: &'a str,
    chain: &'a str,
    input: JsonText<'a>,
}

/// What every version of the format has.
#[derive(Read)]
struct LineVersion {
    v: u64,
}

impl<'a> RecordLine<'a> {
    fn read(text: &'a str) -> Result<Self, JournalFault> {
        holm_read::from_str(text).map_err(|error| match holm_read::from_str::<LineVersion>(text) {
            Ok(other) if other.v != u64::from(VERSION) => JournalFault::OtherVersion { found: other.v },
            Ok(_) | Err(_) => JournalFault::NotARecord { reason: error.to_string() },
        })
    }

    /// The record that the line claims to be; its payload has the hash that the line names.
    fn record(&self) -> Result<JournalRecord, JournalFault> {
        let effects = u64::from_be_bytes(hash::read_hex(self.effects).ok_or_else(|| bad("effects"))?);
        let claimed: Sha256Hash = self.payload.parse().map_err(|_| bad("payload"))?;
        let chain: Sha256Hash = self.chain.parse().map_err(|_| bad("chain"))?;
        let receipt = RecordReceipt { seq: Seq::new(self.seq), at: Timestamp::new(self.at), effects };
        let input = self.input.get();
        if input == ERASED {
            return Ok(JournalRecord::claimed(receipt, RecordPayload::erased(claimed), chain));
        }
        if nesting::is_deeper(input, MAX_NESTING) {
            return Err(JournalFault::TooDeep);
        }
        let payload = RecordPayload::kept(input);
        if payload.hash() != claimed {
            return Err(JournalFault::PayloadChanged);
        }
        Ok(JournalRecord::claimed(receipt, payload, chain))
    }
}

fn utf8(line: &[u8]) -> Result<&str, JournalFault> {
    str::from_utf8(line).map_err(|error| JournalFault::NotUtf8 { valid: error.valid_up_to() as u64 })
}

fn stands(record: &JournalRecord, next: Seq, before: &Sha256Hash) -> Result<(), JournalFault> {
    if record.seq() != next {
        return Err(JournalFault::OutOfOrder { found: record.seq() });
    }
    if !record.follows(before) {
        return Err(JournalFault::ChainBroken);
    }
    Ok(())
}

fn bad(member: &str) -> JournalFault {
    JournalFault::NotARecord {
        reason: alloc::format!("`{member}` is not lower-case hex of the right length"),
    }
}
