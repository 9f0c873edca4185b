//! Erasing what a record says leaves the chain whole, and cutting records off is seen by a kept head.

use alloc::string::String;

use super::{five, lines};
use crate::Seq;
use crate::journal::{HeadError, InputError, JournalFault, JournalRecord, decode_strict};

#[test]
fn an_erased_payload_leaves_the_chain_whole() {
    let mut records = decode_strict(five().as_bytes()).unwrap();
    let before = records[4].head();
    records[1].erase();
    let text: String = records.iter().map(JournalRecord::line).collect();
    assert!(lines(&text)[1].ends_with("\"input\":null}\n"));
    assert!(!text.contains("world"));
    let again = decode_strict(text.as_bytes()).unwrap();
    assert_eq!(again, records);
    assert_eq!(again[1].payload().input(), Err(InputError::Erased));
    assert_eq!(before.check(&again), Ok(()));
}

#[test]
fn an_eraser_can_do_nothing_else() {
    let mut records = decode_strict(five().as_bytes()).unwrap();
    records[1].erase();
    let text: String = records.iter().map(JournalRecord::line).collect();
    let check = |from: &str, to: &str| {
        let line = lines(&text)[1].replacen(from, to, 1);
        assert_ne!(line, lines(&text)[1]);
        let bytes = text.replacen(&lines(&text)[1], &line, 1);
        assert_eq!(decode_strict(bytes.as_bytes()).unwrap_err().record, Seq::new(1), "{to}");
    };
    check("\"input\":null", "\"input\":{}");
    check("\"input\":null", "\"input\":\"time_passed\"");
    check("\"at\":1710", "\"at\":1711");
    let hash = records[1].payload().hash();
    let line = lines(&text)[1]
        .replace(&alloc::format!("{hash}"), &alloc::format!("{}", records[2].payload().hash()));
    let bytes = text.replacen(&lines(&text)[1], &line, 1);
    assert_eq!(decode_strict(bytes.as_bytes()).unwrap_err().fault, JournalFault::ChainBroken);
}

#[test]
fn a_kept_head_shows_that_records_were_cut_off() {
    let records = decode_strict(five().as_bytes()).unwrap();
    let head = records[4].head();
    assert_eq!(head.check(&records), Ok(()));
    let missing = HeadError::Missing { want: Seq::new(4), last: Some(Seq::new(2)) };
    assert_eq!(head.check(&records[..3]), Err(missing));
    assert_eq!(head.check(&[]), Err(HeadError::Missing { want: Seq::new(4), last: None }));
}

#[test]
fn a_kept_head_shows_that_history_was_rewritten() {
    let records = decode_strict(five().as_bytes()).unwrap();
    let forged = super::forge(&records, |receipt, _| receipt.effects ^= 1);
    let error = records[3].head().check(&forged);
    assert_eq!(error, Err(HeadError::Different { seq: Seq::new(3) }));
}
