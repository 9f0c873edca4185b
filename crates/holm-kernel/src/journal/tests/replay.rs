//! The same inputs give the same run, or the record is named at which they do not.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use proptest::prelude::*;
use proptest::sample::Index;

use super::forge;
use super::script::{Driven, Move, moves};
use crate::journal::{
    ForkError, JournalRecord, JournalWriter, ReplayError, StepError, begin, decode_strict, fork, replay,
    replay_with, step,
};
use crate::{CallId, Input, KernelMisuse, Prompt, SEMANTICS, Seq, Timestamp, ToolCallId, ToolOutput};

fn short() -> Driven {
    Driven::play(&[Move::Say("hi".into()), Move::Reply("hello".into()), Move::Wait(1_001), Move::Resume])
}

/// What a replay of the records says, after `change` was made to every record and the chain was made to hold.
fn forged(change: impl Fn(&mut crate::RecordReceipt, &mut String)) -> ReplayError {
    replay(&forge(&short().records(), change)).unwrap_err()
}

#[test]
fn a_script_reaches_models_tools_people_and_an_end() {
    let driven = Driven::play(&[
        Move::Say("read it".into()),
        Move::CallTools(1),
        Move::Judge(true),
        Move::Dispatch,
        Move::Finish("seven lines".into()),
        Move::Reply("seven".into()),
    ]);
    for effect in ["call_model", "judge", "run_tool", "finish"] {
        let start = format!("{{\"{effect}\":");
        assert!(driven.effects.iter().any(|(_, text)| text.starts_with(&start)), "{effect}");
    }
    assert_eq!(replay(&driven.records()).unwrap().receipt(), driven.run.receipt());
}

#[test]
fn no_record_is_no_run() {
    assert_eq!(replay(&[]).unwrap_err(), ReplayError::Empty);
}

#[test]
fn a_journal_begins_with_its_start() {
    let error = forged(|receipt, said| {
        if receipt.seq == Seq::new(0) {
            *said = "\"time_passed\"".into();
        }
    });
    assert_eq!(error, ReplayError::NotStarted);
}

#[test]
fn a_journal_of_other_rules_is_refused_even_if_nothing_else_is_understood() {
    let error = forged(|receipt, said| {
        if receipt.seq == Seq::new(0) {
            *said = r#"{"started":{"semantics":99,"version":"0.0.7","config":"elsewhere"}}"#.into();
        }
    });
    assert_eq!(error, ReplayError::OtherSemantics { found: 99, version: "0.0.7".into() });
    assert_eq!(
        error.to_string(),
        format!(
            "record 0 names decision rules 99, this kernel has {SEMANTICS}; open the journal with the \
            version of Holm that wrote it (0.0.7), or start a new run"
        )
    );
}

#[test]
fn a_run_does_not_start_under_other_rules() {
    let mut started = short().run.started().clone();
    started.semantics = 99;
    let error = begin(started, Timestamp::new(0)).unwrap_err();
    assert_eq!(error, StepError::Misuse(KernelMisuse::OtherSemantics(99)));
}

#[test]
fn drift_is_found_at_its_record() {
    let error = forged(|receipt, _| {
        if receipt.seq == Seq::new(2) {
            receipt.effects ^= 1;
        }
    });
    let expected = short().records()[2].effects();
    assert_eq!(error, ReplayError::Diverged { seq: Seq::new(2), expected: expected ^ 1, found: expected });
}

#[test]
fn a_changed_input_is_found_at_its_record() {
    let error = forged(|receipt, said| {
        if receipt.seq == Seq::new(1) {
            *said = said.replace("hi", "ho");
        }
    });
    assert!(matches!(error, ReplayError::Diverged { seq, .. } if seq == Seq::new(1)), "{error}");
}

#[test]
fn time_never_runs_backwards_in_a_journal() {
    let error = forged(|receipt, _| {
        if receipt.seq == Seq::new(3) {
            receipt.at = Timestamp::new(5);
        }
    });
    let (expected, found) = (Timestamp::new(5), Timestamp::new(1_000));
    assert_eq!(error, ReplayError::Clock { seq: Seq::new(3), expected, found });
}

#[test]
fn an_answer_to_nothing_is_no_record() {
    let error = forged(|receipt, said| {
        if receipt.seq == Seq::new(3) {
            *said = r#"{"dispatched":{"call":77}}"#.into();
        }
    });
    let misuse = KernelMisuse::UnknownCall(CallId::new(77));
    assert_eq!(error, ReplayError::Misuse { seq: Seq::new(3), misuse });
}

#[test]
fn an_unknown_input_names_its_record() {
    let error = forged(|receipt, said| {
        if receipt.seq == Seq::new(2) {
            *said = r#"{"dreamed":{}}"#.into();
        }
    });
    assert!(matches!(error, ReplayError::Unreadable { seq, .. } if seq == Seq::new(2)));
}

#[test]
fn a_replay_stops_at_an_erased_record() {
    let mut records = short().records();
    records[2].erase();
    assert_eq!(replay(&records).unwrap_err(), ReplayError::Erased { seq: Seq::new(2) });
    assert!(replay(&records[..2]).is_ok());
    records[0].erase();
    assert_eq!(replay(&records).unwrap_err(), ReplayError::Erased { seq: Seq::new(0) });
}

#[test]
fn records_of_two_journals_do_not_mix() {
    let one = short().records();
    let two = Driven::play(&[Move::Say("ho".into()), Move::Wait(1), Move::Wait(1)]).records();
    let mixed: Vec<JournalRecord> = one[..2].iter().chain(&two[2..]).cloned().collect();
    assert_eq!(replay(&mixed).unwrap_err(), ReplayError::Unlinked { seq: Seq::new(2) });
    let gap: Vec<JournalRecord> = one[..2].iter().chain(&one[3..]).cloned().collect();
    let error = ReplayError::OutOfOrder { expected: Seq::new(2), found: Seq::new(3) };
    assert_eq!(replay(&gap).unwrap_err(), error);
    let error = ReplayError::OutOfOrder { expected: Seq::new(0), found: Seq::new(1) };
    assert_eq!(replay(&one[1..]).unwrap_err(), error);
}

#[test]
fn a_hosts_mistake_leaves_no_trace() {
    let mut driven = short();
    let before = (driven.run.receipt(), driven.writer.head(), driven.text.clone());
    let late = Input::ToolFinished { call: ToolCallId::new(77), result: ToolOutput::text("?") };
    let error = driven.handle(late).unwrap_err();
    assert_eq!(error, StepError::Misuse(KernelMisuse::UnknownCall(CallId::new(77))));
    assert_eq!((driven.run.receipt(), driven.writer.head(), driven.text), before);
}

#[test]
fn a_writer_of_another_journal_is_refused_before_the_run_moves() {
    let mut driven = short();
    driven.writer = JournalWriter::after(driven.records()[1].head());
    let before = driven.run.receipt();
    assert!(matches!(driven.handle(Input::TimePassed), Err(StepError::Append(_))));
    assert_eq!(driven.run.receipt(), before);
}

#[test]
fn there_is_no_fork_at_a_record_that_is_not_there() {
    let records = short().records();
    let last = Some(Seq::new(4));
    for at in [5, u64::MAX] {
        let at = Seq::new(at);
        assert_eq!(fork(&records, at), Err(ForkError { at, last }));
    }
    assert_eq!(fork(&records[2..], Seq::new(2)), Err(ForkError { at: Seq::new(2), last }));
    assert_eq!(fork(&records, Seq::new(4)), Ok(&records[..]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_asks_for_the_same_byte_for_byte(moves in moves()) {
        let driven = Driven::play(&moves);
        let mut effects = Vec::new();
        let again = replay_with(&driven.records(), |seq, effect| {
            effects.push((seq, serde_json::to_string(effect).unwrap()));
        }).unwrap();
        prop_assert_eq!(&effects, &driven.effects);
        prop_assert_eq!(again.receipt(), driven.run.receipt());
        prop_assert_eq!(again.freeze().unwrap(), driven.run.freeze().unwrap());
    }

    #[test]
    fn a_fork_shares_the_past_and_nothing_else(moves in moves(), at in any::<Index>()) {
        let driven = Driven::play(&moves);
        let records = driven.records();
        let at = at.index(records.len());
        let past = fork(&records, Seq::new(at as u64)).unwrap();
        let mut run = replay(past).unwrap();
        let mut writer = JournalWriter::after(past[at].head());
        let mut text: String = past.iter().map(JournalRecord::line).collect();
        let other = Input::Prompted(Prompt::text("something else"));
        let now = run.receipt().at;
        text += &step(&mut run, &mut writer, now, other).unwrap();
        let forked = decode_strict(text.as_bytes()).unwrap();
        prop_assert_eq!(&forked[..=at], past);
        prop_assert!(forked.get(at + 1) != records.get(at + 1));
        prop_assert_eq!(replay(&forked).unwrap().freeze().unwrap(), run.freeze().unwrap());
    }
}

#[test]
fn an_error_of_a_replay_says_what_to_do() {
    let error = ReplayError::Diverged { seq: Seq::new(3), expected: 10, found: 11 };
    let text = format!("{error}");
    assert!(text.contains("record 3") && text.contains("000000000000000b"));
    assert!(text.ends_with("use the kernel that wrote it"));
}
