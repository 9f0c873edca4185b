use holm_eval::{CheckOutcome, ReplayDifference};

use super::*;

fn result(case: &str, text: &str) -> AttemptResult {
    AttemptResult {
        case: case.into(),
        verdict: AttemptVerdict::Failed,
        checks: vec![
            CheckOutcome { check: "run".into(), failure: None },
            CheckOutcome { check: "answer".into(), failure: Some(text.into()) },
        ],
        differences: vec![ReplayDifference { turn: 2, kind: DifferenceKind::Result, what: text.into() }],
        session: "one/two".into(),
        ..serde_json::from_str(
            r#"{"case":"","digest":"","model":"m","attempt":1,"verdict":"passed","checks":[],"session":"",
                "turns":1,"tokens":2,"cost_nano_usd":3,"seconds":0.5}"#,
        )
        .unwrap()
    }
}

/// An evaluation with these results.
fn stored(results: &[AttemptResult]) -> StoredEvaluation {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = results.iter().map(|result| serde_json::to_string(result).unwrap()).collect();
    std::fs::write(folder.path().join("results.jsonl"), lines.join("\n") + "\n").unwrap();
    StoredEvaluation::read(folder.path()).unwrap()
}

#[test]
fn an_attempt_shows_what_failed_and_what_differs_and_long_texts_are_cut() {
    let attempt = EvaluationAttempt::of(&result("a", &"é".repeat(MOST_WORDS + 1)));
    let [failure] = attempt.failures.as_slice() else { panic!("{attempt:?}") };
    assert_eq!((failure.check.as_str(), failure.why.chars().count()), ("answer", MOST_WORDS + 1));
    assert_eq!((attempt.differences[0].turn, attempt.differences[0].fails), (2, false));
    assert_eq!((attempt.applies_until, attempt.session), (Some(2), None), "such a session cannot be opened");
}

#[test]
fn an_evaluation_with_very_much_text_is_cut_and_says_so() {
    let text = "x".repeat(MOST_WORDS);
    let results: Vec<AttemptResult> = (0..1_200).map(|number| result(&format!("{number}"), &text)).collect();
    let view = EvaluationView::of(&"big".parse().unwrap(), &stored(&results));
    assert_eq!(view.attempts.len() + view.left_out, 1_200);
    assert!(view.left_out > 0 && view.attempts.len() > 1_000, "{}", view.left_out);
    assert_eq!((view.summary.attempts, view.summary.passed), (1_200, 0));
}
