//! A snapshot and the records after it are as good as the whole journal, and a bad one does no harm.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use proptest::prelude::*;
use proptest::sample::Index;

use super::script::{Driven, Move, moves};
use crate::journal::{
    JournalFault, JournalWriter, ReplayError, Snapshot, SnapshotError, decode_after, replay, resume,
    resume_from, step,
};
use crate::{Input, Prompt, Seq};

fn driven() -> Driven {
    Driven::play(&[
        Move::Say("hi".into()),
        Move::Reply("hello".into()),
        Move::Say("more".into()),
        Move::Resume,
    ])
}

fn taken(driven: &Driven, at: usize) -> Snapshot {
    let records = driven.records();
    Snapshot::take(&replay(&records[..=at]).unwrap(), records[at].head()).unwrap()
}

#[test]
fn a_snapshot_survives_its_text() {
    let snapshot = taken(&driven(), 2);
    assert_eq!(Snapshot::decode(snapshot.encode().as_bytes()), Ok(snapshot));
}

#[test]
fn a_snapshot_is_taken_where_the_run_stands() {
    let driven = driven();
    let head = driven.records()[1].head();
    let error = SnapshotError::OtherRecord { expected: Seq::new(1), found: Seq::new(4) };
    assert_eq!(Snapshot::take(&driven.run, head), Err(error));
}

#[test]
fn a_snapshot_of_another_kernel_is_not_used() {
    let text = taken(&driven(), 2).encode();
    let own = env!("CARGO_PKG_VERSION");
    let other = text.replacen(own, "0.0.7", 1);
    let error = SnapshotError::OtherKernel { found: "0.0.7".into() };
    assert_eq!(Snapshot::decode(other.as_bytes()), Err(error));
    assert!(matches!(Snapshot::decode(b"{}"), Err(SnapshotError::Unreadable { .. })));
    assert!(matches!(Snapshot::decode(b"\xff"), Err(SnapshotError::Unreadable { .. })));
}

#[test]
fn an_erased_record_before_the_snapshot_does_no_harm() {
    let driven = driven();
    let snapshot = taken(&driven, 2);
    let mut records = driven.records();
    records[1].erase();
    assert_eq!(replay(&records).unwrap_err(), ReplayError::Erased { seq: Seq::new(1) });
    let run = resume(Some(&snapshot), &records).unwrap();
    assert_eq!(run.freeze().unwrap(), driven.run.freeze().unwrap());
}

#[test]
fn a_snapshot_of_another_run_is_not_used() {
    let other = Driven::play(&[Move::Say("ho".into()), Move::Wait(1)]);
    let driven = driven();
    let snapshot = taken(&other, 2);
    let records = driven.records();
    assert_eq!(
        resume_from(&snapshot, &records[3..]).unwrap_err(),
        ReplayError::Unlinked { seq: Seq::new(3) }
    );
    let run = resume(Some(&snapshot), &records).unwrap();
    assert_eq!(run.freeze().unwrap(), driven.run.freeze().unwrap());
}

#[test]
fn a_tail_begins_right_after_its_snapshot() {
    let driven = driven();
    let snapshot = taken(&driven, 1);
    let error = ReplayError::OutOfOrder { expected: Seq::new(2), found: Seq::new(3) };
    assert_eq!(resume_from(&snapshot, &driven.records()[3..]).unwrap_err(), error);
}

#[test]
fn a_snapshot_without_the_transcript_holds_what_decides_and_counts_the_rest() {
    let driven = driven();
    let records = driven.records();
    let snapshot = Snapshot::without_transcript(&driven.run, records[4].head()).unwrap();
    let run = resume_from(&snapshot, &[]).unwrap();
    assert_eq!(run.transcript(), []);
    assert_eq!(run.earlier_messages(), driven.run.transcript().len() as u64);
    assert_eq!(run.view(), driven.run.view());
    let whole = Snapshot::take(&driven.run, records[4].head()).unwrap();
    assert!(snapshot.encode().len() < whole.encode().len());
}

#[test]
fn a_tail_is_read_from_the_record_of_its_head_on() {
    let driven = driven();
    let records = driven.records();
    let text =
        |from: usize| records[from..].iter().map(crate::journal::JournalRecord::line).collect::<String>();
    let head = records[2].head();
    assert_eq!(decode_after(head, text(2).as_bytes()), Ok(records[3..].to_vec()));
    assert_eq!(decode_after(records[4].head(), text(4).as_bytes()), Ok(Vec::new()));
    let fault = |from: usize| decode_after(head, text(from).as_bytes()).unwrap_err().fault;
    assert_eq!(fault(3), JournalFault::OutOfOrder { found: Seq::new(3) });
    assert_eq!(decode_after(head, b"").unwrap_err().fault, JournalFault::Unfinished);
    let other = Driven::play(&[Move::Say("ho".into()), Move::Wait(1)]).records();
    assert_eq!(decode_after(head, other[2].line().as_bytes()).unwrap_err().fault, JournalFault::ChainBroken);
    let changed = text(2).replacen("more", "less", 1);
    assert!(decode_after(head, changed.as_bytes()).is_err());
}

#[test]
fn no_flipped_bit_of_a_snapshot_goes_unseen() {
    let text = taken(&driven(), 4).encode();
    for at in (0..text.len()).step_by(7) {
        for bit in 0..8 {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] ^= 1_u8 << bit;
            assert!(Snapshot::decode(&bytes).is_err(), "bit {bit} of byte {at} in {text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_and_its_tail_are_the_whole_journal(moves in moves(), at in any::<Index>(), say in ".{0,8}") {
        let driven = Driven::play(&moves);
        let records = driven.records();
        let at = at.index(records.len());
        let text = taken(&driven, at).encode();
        let snapshot = Snapshot::decode(text.as_bytes()).unwrap();
        let mut short = resume_from(&snapshot, &records[at + 1..]).unwrap();
        let mut whole = replay(&records).unwrap();
        prop_assert_eq!(short.freeze().unwrap(), whole.freeze().unwrap());

        let stood = replay(&records[..=at]).unwrap();
        let brief = Snapshot::without_transcript(&stood, records[at].head()).unwrap().encode();
        let brief = Snapshot::decode(brief.as_bytes()).unwrap();
        let mut brief = resume_from(&brief, &records[at + 1..]).unwrap();
        prop_assert_eq!(brief.earlier_messages(), stood.transcript().len() as u64);
        prop_assert_eq!(brief.transcript(), &whole.transcript()[stood.transcript().len()..]);
        prop_assert_eq!(
            brief.freeze_without_transcript().unwrap(),
            whole.freeze_without_transcript().unwrap()
        );

        let head = records.last().unwrap().head();
        let now = whole.receipt().at.plus(5);
        for input in [Input::Prompted(Prompt::text(say)), Input::Resumed { host: "b".to_string() }] {
            let line = step(&mut whole, &mut JournalWriter::after(head), now, input.clone()).ok();
            for run in [&mut short, &mut brief] {
                let again = step(run, &mut JournalWriter::after(head), now, input.clone()).ok();
                prop_assert_eq!(&again, &line);
            }
            loop {
                let (a, b, c) = (short.poll(), whole.poll(), brief.poll());
                prop_assert_eq!(&a, &b);
                prop_assert_eq!(&a, &c);
                if matches!(a, crate::Effect::Wait(_)) {
                    break;
                }
            }
        }
    }
}
