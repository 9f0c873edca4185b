//! What holds for every journal and every damage.

use alloc::{string::String, vec::Vec};

use proptest::prelude::*;
use proptest::sample::Index;

use super::{five, journal, lines};
use crate::journal::{
    DecodedJournal, JournalError, JournalReader, JournalRecord, JournalTail, decode, decode_strict,
};
use crate::{
    Block, Input, ModelCallId, ModelResult, Prompt, QuestionId, Reply, ToolCallId, ToolOutput, Verdict,
};

fn input() -> impl Strategy<Value = Input> {
    let number = 0_u64..9;
    prop_oneof![
        any::<String>().prop_map(|host| Input::Resumed { host }),
        any::<String>().prop_map(|text| Input::Prompted(Prompt::text(text))),
        any::<String>().prop_map(|reason| Input::Cancelled { reason }),
        Just(Input::TimePassed),
        number.clone().prop_map(|call| Input::Dispatched { call: ToolCallId::new(call) }),
        (number.clone(), any::<String>()).prop_map(|(call, reason)| Input::Judged {
            call: QuestionId::new(call),
            verdict: Verdict::deny(reason)
        }),
        (number.clone(), any::<String>()).prop_map(|(call, text)| Input::ToolFinished {
            call: ToolCallId::new(call),
            result: ToolOutput::text(text)
        }),
        (number, any::<String>()).prop_map(|(call, text)| {
            let reply = Reply { blocks: [Block::Text(text)].into(), ..Reply::default() };
            Input::ModelFinished { call: ModelCallId::new(call), result: ModelResult::Replied(reply) }
        }),
    ]
}

fn inputs() -> impl Strategy<Value = Vec<Input>> {
    prop::collection::vec(input(), 1..6)
}

/// The records are those of the journal up to somewhere, and what is missing was reported.
fn is_reported_prefix(sound: &[JournalRecord], damaged: &[u8]) -> bool {
    match decode(damaged) {
        Err(_) => true,
        Ok(DecodedJournal { records, tail: JournalTail::Torn(_) }) => {
            records.len() < sound.len() && sound.starts_with(&records)
        }
        Ok(DecodedJournal { tail: JournalTail::Clean, .. }) => false,
    }
}

/// Feeds pieces that end at the given places.
fn read_in_pieces(bytes: &[u8], cuts: &[Index]) -> Result<DecodedJournal, JournalError> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    let mut reader = JournalReader::new();
    let mut records = Vec::new();
    for pair in places.windows(2) {
        reader.feed(&bytes[pair[0]..pair[1]], &mut records)?;
    }
    Ok(DecodedJournal { records, tail: reader.finish()? })
}

#[test]
fn no_flipped_bit_of_a_whole_journal_goes_unseen() {
    let text: String = lines(&five())[..3].concat();
    let sound = decode_strict(text.as_bytes()).unwrap();
    for at in 0..text.len() {
        for bit in 0..8 {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] ^= 1_u8 << bit;
            assert!(is_reported_prefix(&sound, &bytes), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn every_two_way_split_reads_the_same() {
    let text = five();
    let whole = decode(text.as_bytes()).unwrap();
    for at in 0..=text.len() {
        let (a, b) = text.as_bytes().split_at(at);
        let (mut reader, mut records) = (JournalReader::new(), Vec::new());
        reader.feed(a, &mut records).unwrap();
        reader.feed(b, &mut records).unwrap();
        assert_eq!(DecodedJournal { records, tail: reader.finish().unwrap() }, whole, "split at {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encoding_and_decoding_give_the_same_inputs(inputs in inputs()) {
        let records = decode_strict(journal(&inputs).as_bytes()).unwrap();
        let read: Vec<_> = records.iter().map(|record| record.payload().input().unwrap()).collect();
        prop_assert_eq!(read, inputs);
    }

    #[test]
    fn a_flipped_bit_is_seen(inputs in inputs(), at in any::<Index>(), bit in 0_u8..8) {
        let text = journal(&inputs);
        let sound = decode_strict(text.as_bytes()).unwrap();
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        prop_assert!(is_reported_prefix(&sound, &bytes));
    }

    #[test]
    fn a_truncated_journal_gives_its_whole_records(inputs in inputs(), at in any::<Index>()) {
        let text = journal(&inputs);
        let cut = at.index(text.len() + 1);
        let decoded = decode(&text.as_bytes()[..cut]).unwrap();
        let whole = text.as_bytes()[..cut].iter().filter(|byte| **byte == b'\n').count();
        prop_assert_eq!(decoded.records.len(), whole);
        let sound = decode_strict(text.as_bytes()).unwrap();
        prop_assert!(sound.starts_with(&decoded.records));
        let ends_whole = cut == 0 || text.as_bytes()[cut - 1] == b'\n';
        prop_assert_eq!(decoded.tail == JournalTail::Clean, ends_whole);
    }

    #[test]
    fn reordered_doubled_and_left_out_records_are_seen(
        inputs in inputs(), from in any::<Index>(), to in any::<Index>(), how in 0..3,
    ) {
        let text = journal(&inputs);
        let mut parts = lines(&text);
        let (from, to) = (from.index(parts.len()), to.index(parts.len()));
        match how {
            0 => parts.swap(from, to),
            1 => { let copy = parts[from].clone(); parts.insert(to, copy); }
            _ => { parts.remove(from); }
        }
        let changed = parts.concat();
        // A record swapped with itself is no change, and without its end a journal is shorter and sound.
        prop_assume!(!text.starts_with(&changed));
        prop_assert!(decode_strict(changed.as_bytes()).is_err());
        if let Ok(decoded) = decode(changed.as_bytes()) {
            prop_assert!(decode_strict(text.as_bytes()).unwrap().starts_with(&decoded.records));
        }
    }

    #[test]
    fn any_split_of_a_damaged_journal_reads_as_in_one_go(
        inputs in inputs(),
        damage in prop::collection::vec((any::<Index>(), any::<u8>()), 0..3),
        cuts in prop::collection::vec(any::<Index>(), 0..8),
    ) {
        let mut bytes = journal(&inputs).into_bytes();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        prop_assert_eq!(read_in_pieces(&bytes, &cuts), decode(&bytes));
    }

    #[test]
    fn arbitrary_bytes_give_no_record(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(decoded) = decode(&bytes) {
            prop_assert!(decoded.records.is_empty());
        }
    }
}
