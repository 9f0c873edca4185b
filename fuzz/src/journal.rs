//! Journals: reading any bytes, and replaying any facts.

use std::sync::LazyLock;

use holm_kernel::{
    Config, Input, ModelSpec, Started, Timestamp,
    journal::{self as book, JournalReader, JournalRecord, JournalTail},
};

use crate::run::{Host, config};

/// Facts beyond this are left out: a replay costs as much as the run.
const MAX_FACTS: usize = 64;

/// The sound journal that is damaged.
static SOUND: LazyLock<String> = LazyLock::new(|| {
    let started = Started::new("fuzz", 7, Config::new(ModelSpec::named("scripted/fuzz")));
    let mut host = Host::start(started).expect("the configuration can be journaled");
    for line in [r#"{"prompted":{"blocks":[{"text":"hi"}]}}"#, r#"{"replied":{"blocks":[{"text":"ho"}]}}"#] {
        host.line(line);
    }
    host.text
});

/// Any bytes as a journal, and a sound journal with the bytes that the input changes.
pub fn journal(data: &[u8]) {
    any_cut(data);
    let sound = book::decode_strict(SOUND.as_bytes()).expect("it was written by us");
    let mut damaged = SOUND.clone().into_bytes();
    for edit in data.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % damaged.len();
        damaged[at] = edit[2];
    }
    any_cut(&damaged);
    let records = book::decode(&damaged).map_or_else(|_| Vec::new(), |decoded| decoded.records);
    for (record, original) in records.iter().zip(&sound) {
        assert_eq!(record.head(), original.head(), "a foreign record passed for record {}", original.seq());
        assert!(record.payload().is_erased() || record.payload() == original.payload());
    }
}

/// Facts, one a line, as JSON: inputs, or answers to what the run waits for. The first line may be the start. Whatever
/// happens, the journal is sound and a replay ends in the same state.
pub fn replay(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let mut lines = text.lines().take(MAX_FACTS).peekable();
    let first = lines.peek().and_then(|line| serde_json::from_str(line).ok());
    let started = match first {
        // A run starts under the rules of this version only.
        Some(Input::Started(started)) if started.is_known() => *started,
        _ => Started::new("fuzz", 7, config()),
    };
    let Some(mut host) = Host::start(started) else { return };
    lines.for_each(|line| host.line(line));
    let records = book::decode_strict(host.text.as_bytes()).expect("what was written can be read");
    let replayed = book::replay(&records).expect("what happened can happen again");
    assert_eq!(replayed.receipt(), host.run.receipt());
    assert_eq!(replayed.transcript(), host.run.transcript());
    assert_eq!((replayed.spent(), replayed.marks()), (host.run.spent(), host.run.marks()));
}

/// However the bytes come, the outcome is the same; and a record is written as it was read.
fn any_cut(data: &[u8]) {
    let whole = book::decode(data);
    for size in [1, 7, 100] {
        let mut reader = JournalReader::new();
        let mut records = Vec::new();
        let fed = data.chunks(size).try_for_each(|piece| reader.feed(piece, &mut records));
        let tail = fed.and_then(|()| reader.finish());
        match &whole {
            Ok(decoded) => assert_eq!((tail.as_ref(), &records), (Ok(&decoded.tail), &decoded.records)),
            Err(error) => assert_eq!(tail.as_ref(), Err(error)),
        }
    }
    if let Ok(decoded) = &whole {
        let again: String = decoded.records.iter().map(JournalRecord::line).collect();
        let again = book::decode(again.as_bytes()).expect("a record was written that cannot be read");
        assert_eq!((&again.records, &again.tail), (&decoded.records, &JournalTail::Clean));
    }
}

/// The time of the nth fact.
pub(crate) fn at(fact: u64) -> Timestamp {
    Timestamp::new(1_000 + fact)
}
