//! One record as one line of JSON: stable key order, written by hand, read strictly.

use alloc::string::{String, ToString as _};
use core::fmt::Write as _;
use core::str;

use holm_read::{Raw, Read};

use super::error::Fault;
use super::hash::{self, Hash};
use super::nesting::{self, MAX_NESTING};
use super::payload::Payload;
use super::record::Record;
use crate::{Receipt, Seq, Timestamp};

/// The format of records that this kernel writes and reads.
pub const VERSION: u32 = 1;

/// Bytes of one line: room for a batch of pictures, and an end to a file that has no line ends.
pub const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of a line beside its payload, generously.
const FRAME_BYTES: usize = 288;

/// What an erased payload leaves behind.
const ERASED: &str = "null";

/// How much room a line needs.
pub(super) fn length(payload: &Payload) -> usize {
    payload.text().unwrap_or(ERASED).len().saturating_add(FRAME_BYTES)
}

/// Appends one line and its end.
pub(super) fn write(out: &mut String, receipt: Receipt, payload: &Payload, chain: &Hash) {
    let Receipt { seq, at, effects } = receipt;
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
pub(super) fn admit(line: &[u8], next: Seq, before: &Hash) -> Result<Record, Fault> {
    let text = utf8(line)?;
    let envelope = Envelope::read(text)?;
    let record = envelope.record();
    if envelope.v == u64::from(VERSION) {
        let record = record?;
        stands(&record, next, before)?;
        return Ok(record);
    }
    match record {
        // Everything but the version is sound under version 1: then the version
        // is what was damaged.
        Ok(record) if stands(&record, next, before).is_ok() => Err(Fault::ChainBroken),
        Ok(_) | Err(_) => Err(Fault::OtherVersion { found: envelope.v }),
    }
}

/// Reads a line as the record that it claims to be. Its payload is checked, and
/// not what it follows.
pub(super) fn claimed(line: &[u8]) -> Result<Record, Fault> {
    let envelope = Envelope::read(utf8(line)?)?;
    if envelope.v != u64::from(VERSION) {
        return Err(Fault::OtherVersion { found: envelope.v });
    }
    envelope.record()
}

/// Whether a line is a whole record of some journal.
pub(super) fn is_record(line: &[u8]) -> bool {
    utf8(line).and_then(Envelope::read).and_then(|envelope| envelope.record()).is_ok()
}

/// A line as it is written. Unknown members are ignored; every one of these must be there, or a
/// damaged name could pass for an erasure.
#[derive(Read)]
struct Envelope<'a> {
    v: u64,
    seq: u64,
    at: u64,
    effects: &'a str,
    payload: &'a str,
    chain: &'a str,
    input: Raw<'a>,
}

/// What every version of the format has.
#[derive(Read)]
struct AnyVersion {
    v: u64,
}

impl<'a> Envelope<'a> {
    fn read(text: &'a str) -> Result<Self, Fault> {
        holm_read::from_str(text).map_err(|error| match holm_read::from_str::<AnyVersion>(text) {
            Ok(other) if other.v != u64::from(VERSION) => Fault::OtherVersion { found: other.v },
            Ok(_) | Err(_) => Fault::NotARecord { reason: error.to_string() },
        })
    }

    /// The record that the line claims to be; its payload has the hash that the line names.
    fn record(&self) -> Result<Record, Fault> {
        let effects = u64::from_be_bytes(hash::read_hex(self.effects).ok_or_else(|| bad("effects"))?);
        let claimed: Hash = self.payload.parse().map_err(|_| bad("payload"))?;
        let chain: Hash = self.chain.parse().map_err(|_| bad("chain"))?;
        let receipt = Receipt { seq: Seq::new(self.seq), at: Timestamp::new(self.at), effects };
        let input = self.input.get();
        if input == ERASED {
            return Ok(Record::claimed(receipt, Payload::erased(claimed), chain));
        }
        if nesting::is_deeper(input, MAX_NESTING) {
            return Err(Fault::TooDeep);
        }
        let payload = Payload::kept(input);
        if payload.hash() != claimed {
            return Err(Fault::PayloadChanged);
        }
        Ok(Record::claimed(receipt, payload, chain))
    }
}

fn utf8(line: &[u8]) -> Result<&str, Fault> {
    str::from_utf8(line).map_err(|error| Fault::NotUtf8 { valid: error.valid_up_to() as u64 })
}

fn stands(record: &Record, next: Seq, before: &Hash) -> Result<(), Fault> {
    if record.seq() != next {
        return Err(Fault::OutOfOrder { found: record.seq() });
    }
    if !record.follows(before) {
        return Err(Fault::ChainBroken);
    }
    Ok(())
}

fn bad(member: &str) -> Fault {
    Fault::NotARecord { reason: alloc::format!("`{member}` is not lower-case hex of the right length") }
}
