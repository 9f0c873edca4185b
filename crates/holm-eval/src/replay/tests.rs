use holm_kernel::Outcome;

use super::*;

fn call(tool: &str, outcome: Outcome, result: &str) -> SessionCall {
    let json = serde_json::json!({ "tool": tool, "arguments": "{}", "outcome": outcome, "result": result });
    serde_json::from_value(json).unwrap()
}

fn session(turns: &[&[SessionCall]]) -> SessionTranscript {
    let turn = |calls: &&[SessionCall]| SessionTurn { prompt: 1, text: String::new(), calls: calls.to_vec() };
    SessionTranscript {
        turns: turns.iter().map(turn).collect(),
        answer: Some("done".into()),
        ending: Some("answered".into()),
        system: "Be brief.\nDate: 2026-11-18\n".into(),
        tools: vec![RecordedTool { name: "read".into(), description: "Reads.".into(), schema: "a".into() }],
        ..SessionTranscript::default()
    }
}

/// The differences in words, with their kinds.
fn between(old: &SessionTranscript, new: &SessionTranscript) -> Vec<(DifferenceKind, String)> {
    let found = ReplayDifference::between(&CaseRecording::of(old, &[]), new, &[]);
    found.iter().map(|difference| (difference.kind, difference.to_string())).collect()
}

#[test]
fn the_same_session_has_no_difference_on_another_day() {
    let old = session(&[&[call("read", Outcome::Succeeded, "Ran 3 tests in 0.012s at 12:03")]]);
    let mut new = session(&[&[call("read", Outcome::Succeeded, "Ran 3 tests in 1.5s at 18:44")]]);
    new.system = "Be brief.\nDate: 2027-01-01\n".into();
    assert_eq!(between(&old, &new), []);
}

#[test]
fn each_kind_of_change_is_found_and_named() {
    let old = session(&[&[call("read", Outcome::Succeeded, "text")]]);
    let change = |change: &dyn Fn(&mut SessionTranscript)| {
        let mut new = old.clone();
        change(&mut new);
        match between(&old, &new).as_slice() {
            [one] => one.clone(),
            other => panic!("{other:?}"),
        }
    };
    type Change<'a> = &'a dyn Fn(&mut SessionTranscript);
    let cases: [(Change<'_>, DifferenceKind, &str); 9] = [
        (&|new| new.system.push_str("Be kind.\n"), DifferenceKind::Prompt, "+ Be kind."),
        (
            &|new| new.tools[0].description = "Reads a file.".into(),
            DifferenceKind::Tool,
            "- Reads.\n+ Reads a file.",
        ),
        (&|new| new.tools[0].schema = "b".into(), DifferenceKind::Tool, "the schema of read changed"),
        (&|new| new.tools.clear(), DifferenceKind::Tool, "the tool read is gone"),
        (
            &|new| new.turns[0].calls[0].outcome = Outcome::Refused,
            DifferenceKind::Decision,
            "turn 1: read refused, before succeeded",
        ),
        (
            &|new| new.turns[0].calls[0].result = "other".into(),
            DifferenceKind::Result,
            "turn 1: the result of read changed",
        ),
        (&|new| new.turns[0].calls.clear(), DifferenceKind::Call, "turn 1: other calls"),
        (&|new| new.turns.push(SessionTurn::default()), DifferenceKind::Call, "turn 2: the turn is new"),
        (&|new| new.answer = Some("no".into()), DifferenceKind::Answer, "the answer changed"),
    ];
    for (apply, kind, expected) in cases {
        let (found, text) = change(apply);
        assert!(found == kind && text.contains(expected), "{kind:?}: {text}");
    }
}

#[test]
fn only_decisions_calls_and_answers_fail_a_replay() {
    let old = session(&[&[call("edit", Outcome::Succeeded, "text")]]);
    let mut new = old.clone();
    new.turns[0].calls[0].result = "other".into();
    let found = ReplayDifference::between(&CaseRecording::of(&old, &[]), &new, &[]);
    assert!(found.iter().all(|difference| !difference.is_regression()));
    new.turns[0].calls[0].outcome = Outcome::Failed;
    let found = ReplayDifference::between(&CaseRecording::of(&old, &[]), &new, &[]);
    assert!(found.iter().any(ReplayDifference::is_regression));
}

#[test]
fn what_a_case_says_varies_is_no_difference_and_all_else_still_is() {
    let varies =
        [TextPattern::new(r"port \d+".into()).unwrap(), TextPattern::new("(?m)^at .*\n".into()).unwrap()];
    let result = |text: &str| session(&[&[call("shell", Outcome::Succeeded, text)]]);
    let old = result("port 4012 open\nat a\nat b\ndone");
    let between = |new: &str, varies: &[TextPattern]| {
        ReplayDifference::between(&CaseRecording::of(&old, varies), &result(new), varies)
    };
    assert_eq!(between("port 53 open\nat c\nat d\ndone", &varies), []);
    assert_eq!(between("port 53 open\nat c\nat d\nfailed", &varies).len(), 1);
    assert_eq!(between("port 53 open\nat a\nat b\ndone", &[]).len(), 1);
    // A word boundary is empty, so nothing is replaced.
    assert_eq!(
        between("port 53 open\nat a\nat b\ndone", &[TextPattern::new(r"\b".into()).unwrap()]).len(),
        1
    );
}

#[test]
fn a_pattern_that_hides_a_whole_result_is_a_difference() {
    let all = [TextPattern::new("(?s).+".into()).unwrap()];
    let old = session(&[&[call("shell", Outcome::Succeeded, "3 files\nremoved")]]);
    let found = ReplayDifference::between(&CaseRecording::of(&old, &all), &old, &all);
    assert!(
        matches!(&*found, [one] if one.what == "`varies` matches the whole result of shell, so it cannot be compared"),
        "{found:?}"
    );
}

#[test]
fn a_long_result_is_cut_at_the_same_place_however_long_its_durations_are() {
    let lines = |duration: &str| format!("a test in {duration}\n").repeat(1_000);
    let result = |text: &str| session(&[&[call("shell", Outcome::Succeeded, text)]]);
    let (old, new) = (result(&lines("3 ms")), result(&lines("12345.25 ms")));
    assert_eq!(between(&old, &new), []);
}

#[test]
fn a_changed_prompt_is_named_with_the_turn_that_answers_it() {
    let mut old = session(&[&[], &[], &[]]);
    old.turns[2].prompt = 2;
    old.prompts = vec!["Fix it.".into(), "Test it.".into()];
    let mut new = old.clone();
    new.prompts[0] = "Delete it.".into();
    assert_eq!(
        between(&old, &new),
        [(DifferenceKind::Prompt, "at the start: prompt 1 changed:\n- Fix it.\n+ Delete it.".to_owned())]
    );
    new.prompts = vec!["Fix it.".into(), "Delete it.".into()];
    let found = between(&old, &new);
    assert!(found.len() == 1 && found[0].1.starts_with("turn 3: prompt 2 changed"), "{found:?}");
}

#[test]
fn a_changed_decision_shows_the_beginning_and_the_end_of_the_reason() {
    let old = session(&[&[call("shell", Outcome::Succeeded, "OK")]]);
    let lines: Vec<String> = (1..=40).map(|line| format!("line {line}")).collect();
    let text = format!("Traceback:\n\n{}\nKeyError: 'vat'\n", lines.join("\n"));
    let new = session(&[&[call("shell", Outcome::Failed, &text)]]);
    let expected = "turn 1: shell failed, before succeeded: Traceback:\nline 1\nline 2\nline 3\n\
        … 34 more lines\nline 38\nline 39\nline 40\nKeyError: 'vat'";
    assert_eq!(between(&old, &new), [(DifferenceKind::Decision, expected.to_owned())]);
    let short = session(&[&[call("shell", Outcome::Refused, "denied:\nit needs exec:git")]]);
    let expected = "turn 1: shell refused, before succeeded: denied:\nit needs exec:git";
    assert_eq!(between(&old, &short), [(DifferenceKind::Decision, expected.to_owned())]);
}

#[test]
fn a_recording_of_decisions_ignores_results_prompts_and_tools() {
    let old = session(&[&[call("shell", Outcome::Succeeded, "Python 3.11")]]);
    let recording = CaseRecording::of(&old, &[]).within(RecordingScope::Decisions);
    let text = serde_json::to_string(&recording).unwrap();
    assert!(!text.contains("Python") && !text.contains("Be brief") && !text.contains("Reads"), "{text}");
    let recording: CaseRecording = serde_json::from_str(&text).unwrap();
    let mut new = session(&[&[call("shell", Outcome::Succeeded, "Python 3.14")]]);
    (new.system, new.tools) = ("Be kind.".into(), Vec::new());
    assert_eq!(ReplayDifference::between(&recording, &new, &[]), []);
    new.turns[0].calls[0].outcome = Outcome::Failed;
    new.answer = Some("not done".into());
    let found = ReplayDifference::between(&recording, &new, &[]);
    assert_eq!(
        found.iter().map(|difference| difference.kind).collect::<Vec<_>>(),
        [DifferenceKind::Decision, DifferenceKind::Answer]
    );
}
