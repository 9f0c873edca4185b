use holm::kernel::{Seq, Timestamp};

use super::*;

fn step(record: u64, what: &'static str, lines: &[&str]) -> ReplayStep {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    ReplayStep { record: Seq::new(record), at: Timestamp::new(0), what, lines }
}

fn steps() -> Vec<ReplayStep> {
    vec![
        step(0, "the beginning", &[]),
        step(1, "a prompt", &["user       Count.\n           All of it."]),
        step(2, "a model's reply", &["assistant  Three.", "end        answered"]),
    ]
}

#[test]
fn keys_move_and_never_out_of_the_session() {
    let check = |at: usize, key: KeyPress, expect: Option<usize>| {
        let expect = expect.map_or(ReplayMove::Leave, |at| ReplayMove::To(ReplayPosition { at, last: 2 }));
        assert_eq!(ReplayPosition { at, last: 2 }.after(key), expect, "{key:?} at {at}");
    };
    check(0, KeyPress::Next, Some(1));
    check(2, KeyPress::Next, Some(2));
    check(0, KeyPress::Back, Some(0));
    check(2, KeyPress::Char('p'), Some(1));
    check(1, KeyPress::First, Some(0));
    check(0, KeyPress::Char('e'), Some(2));
    check(1, KeyPress::Char('x'), Some(1));
    check(1, KeyPress::Leave, None);
}

#[test]
fn a_page_shows_the_run_as_it_stood() {
    insta::assert_snapshot!(page("s", &steps(), ReplayPosition { at: 1, last: 2 }, (24, 80)), @r"
    s  record 1 of 2  1970-01-01 00:00  a prompt

    > user       Count.
    >            All of it.

    → Enter n next   ← p back   Home g first   End e last   q leave
    ");
    // Where there is little room, the newest stays.
    insta::assert_snapshot!(page("s", &steps(), ReplayPosition { at: 2, last: 2 }, (6, 20)), @r"
    s  record 2 of 2  1…

    > assistant  Three.
    > end        answer…

    → Enter n next   ← …
    ");
}

#[test]
fn without_keys_every_record_is_told() {
    let steps = steps();
    assert_eq!(told(0, 3, &steps[0]), "record 0 of 2  1970-01-01 00:00  the beginning");
    assert!(
        told(2, 3, &steps[2]).ends_with("a model's reply\n    assistant  Three.\n    end        answered")
    );
}
