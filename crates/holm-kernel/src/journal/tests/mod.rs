//! The journal's tests: what is kept, what is found, what is folded.

mod damage;
mod erasure;
mod payload;
mod properties;
mod replay;
mod script;
mod snapshot;

use alloc::{string::String, vec, vec::Vec};

use super::{Head, JournalRecord, JournalWriter, decode_strict, payload as write_payload};
use crate::{Input, Prompt, RecordReceipt, Seq, Timestamp};

/// A journal of these inputs, without a run: times and digests are made up from the place.
fn journal(inputs: &[Input]) -> String {
    let mut writer = JournalWriter::new();
    let mut text = String::new();
    for (input, seq) in inputs.iter().zip(0_u64..) {
        let receipt = RecordReceipt {
            seq: Seq::new(seq),
            at: Timestamp::new(1_700 + seq * 10),
            effects: seq.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        writer.append_to(receipt, &write_payload(input).unwrap(), &mut text).unwrap();
    }
    text
}

/// Five records that say different things.
fn five() -> String {
    journal(&[
        Input::Resumed { host: "native".into() },
        Input::Prompted(Prompt::text("héllo\nworld")),
        Input::TimePassed,
        Input::Steered(Prompt::text("faster")),
        Input::Cancelled { reason: "enough".into() },
    ])
}

/// The lines with their ends.
fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(String::from).collect()
}

/// Where line `index` begins.
fn start_of(text: &str, index: usize) -> u64 {
    text.split_inclusive('\n').take(index).map(|line| line.len() as u64).sum()
}

/// Writes the same records again with one of them changed and a chain that holds: what only a forger does.
fn forge(records: &[JournalRecord], change: impl Fn(&mut RecordReceipt, &mut String)) -> Vec<JournalRecord> {
    let mut writer = JournalWriter::new();
    let mut text = String::new();
    for record in records {
        let mut receipt = record.receipt();
        let mut said = record.payload().text().unwrap().into();
        change(&mut receipt, &mut said);
        // The writer refuses a wrong number, so the order is forged by the writer's own place.
        if writer.append_to(receipt, &super::RecordPayload::kept(&said), &mut text).is_err() {
            break;
        }
    }
    decode_strict(text.as_bytes()).unwrap()
}

#[test]
fn what_was_written_is_read_back() {
    let text = five();
    let records = decode_strict(text.as_bytes()).unwrap();
    let again: String = records.iter().map(JournalRecord::line).collect();
    assert_eq!(again, text);
    assert_eq!(records[2].payload().input(), Ok(Input::TimePassed));
    assert_eq!(records[3].at(), Timestamp::new(1_730));
    assert_eq!(records.iter().map(|record| record.seq().value()).collect::<Vec<_>>(), vec![0, 1, 2, 3, 4]);
}

#[test]
fn a_writer_goes_on_where_another_stopped() {
    let text = five();
    let records = decode_strict(text.as_bytes()).unwrap();
    let mut rest = String::new();
    let mut writer = JournalWriter::after(records[1].head());
    for record in &records[2..] {
        rest += &writer.append(record.receipt(), record.payload()).unwrap();
    }
    assert_eq!(rest, lines(&text)[2..].concat());
    assert_eq!(writer.head(), records.last().map(JournalRecord::head));
}

#[test]
fn a_writer_refuses_a_record_out_of_turn() {
    let mut writer = JournalWriter::new();
    let said = write_payload(&Input::TimePassed).unwrap();
    let receipt = RecordReceipt { seq: Seq::new(1), at: Timestamp::new(0), effects: 0 };
    let error = writer.append(receipt, &said).unwrap_err();
    assert_eq!((error.expected, error.found), (Seq::new(0), Seq::new(1)));
    assert_eq!(writer.head(), None, "the writer is unchanged");
}

#[test]
fn a_head_survives_serde() {
    let head = decode_strict(five().as_bytes()).unwrap()[4].head();
    let text = serde_json::to_string(&head).unwrap();
    assert_eq!(serde_json::from_str::<Head>(&text).unwrap(), head);
}
