use super::*;
use crate::AttemptVerdict;

fn result(case: &str, attempt: u32, passed: bool, calls: &[&str]) -> AttemptResult {
    AttemptResult {
        case: case.into(),
        digest: String::new(),
        model: "m".into(),
        attempt,
        verdict: if passed { AttemptVerdict::Passed } else { AttemptVerdict::Failed },
        checks: Vec::new(),
        differences: Vec::new(),
        session: String::new(),
        calls: calls.iter().map(|call| (*call).to_owned()).collect(),
        turns: 2,
        tokens: 100,
        cost_nano_usd: 500_000_000,
        seconds: 1.0,
    }
}

fn compared(first: &[AttemptResult], second: &[AttemptResult]) -> EvalComparison {
    let (first, second): (Vec<_>, Vec<_>) = (first.iter().collect(), second.iter().collect());
    EvalComparison::between(&first, &second)
}

/// Whether two numbers are the same to four digits.
fn is_near(one: f64, two: f64) -> bool {
    (one - two).abs() < 5e-5
}

#[test]
fn intervals_are_those_of_the_textbooks() {
    // Wilson's interval for 8 of 10 (Brown, Cai and DasGupta 2001 give the formula).
    let (low, high) = wilson(8, 10);
    assert!(is_near(low, 0.4902) && is_near(high, 0.9433), "{low} {high}");
    assert_eq!(wilson(0, 0), (0.0, 1.0));
    let (low, high) = wilson(10, 10);
    assert!(is_near(low, 0.7225) && is_near(high, 1.0), "{low} {high}");
    // 10 pairs, 4 lost and 1 won, with half a pair more of each kind: -3/12 ± 1.96 sqrt(6 - 9/12)/12.
    let paired = PairedDifference::of(4, 1, 10);
    assert!(is_near(paired.difference, -0.3), "{paired:?}");
    assert!(is_near(paired.interval.0, -0.6242) && is_near(paired.interval.1, 0.1242), "{paired:?}");
}

#[test]
fn attempts_are_paired_and_failures_grouped_by_the_first_call_that_differs() {
    let first = [
        result("a", 1, true, &["read {}", "edit {}"]),
        result("b", 1, true, &["read {}"]),
        result("c", 1, false, &[]),
    ];
    let second = [
        result("a", 1, false, &["read {}", "shell {}"]),
        result("b", 1, true, &["read {}"]),
        result("c", 1, true, &[]),
    ];
    let found = compared(&first, &second);
    assert_eq!((found.paired.pairs, found.paired.lost, found.paired.won), (3, 1, 1));
    assert_eq!(found.broken, ["a"]);
    let expected = BTreeMap::from([("call 2: shell in place of edit".to_owned(), vec!["a (1)".to_owned()])]);
    assert_eq!(found.lost_by_call, expected);
    assert!(is_near(found.means.0.cost_usd, 0.5), "{found:?}");
    assert!(found.is_worse(), "a case is broken");
}

#[test]
fn an_evaluation_with_nothing_in_common_is_no_success() {
    assert!(compared(&[result("a", 1, true, &[])], &[result("b", 1, true, &[])]).is_worse());
    assert!(!compared(&[result("a", 1, true, &[])], &[result("a", 1, true, &[])]).is_worse());
    let before: Vec<AttemptResult> = (1..=20).map(|attempt| result("a", attempt, true, &[])).collect();
    let now: Vec<AttemptResult> =
        (1..=20).map(|attempt| result("a", attempt, attempt % 2 == 0, &[])).collect();
    assert!(compared(&before, &now).is_worse(), "half of the attempts are lost");
    assert!(!compared(&now, &before).is_worse());
}

#[test]
fn a_case_that_changed_in_between_is_named() {
    let first = [result("a", 1, true, &[]), result("b", 1, true, &[])];
    let mut second = first.clone();
    second[1].digest = "other".into();
    let found = compared(&first, &second);
    assert_eq!(found.changed, ["b"]);
    assert!(
        crate::markdown(("x", "y"), &found).contains("Cases that changed between the two evaluations: b.")
    );
}

#[test]
fn attempts_of_several_models_are_paired_with_those_of_the_same_model() {
    let by =
        |model: &str, passed: bool| AttemptResult { model: model.to_owned(), ..result("a", 1, passed, &[]) };
    let first = [by("large", true), by("small", false)];
    let found = compared(&first, &[by("large", false), by("small", true)]);
    assert_eq!((found.paired.pairs, found.paired.lost, found.paired.won), (2, 1, 1));
    assert_eq!(found.broken, ["a with large"]);
    // A new model is compared with nothing, because there is another one to compare.
    assert_eq!(compared(&first, &[by("large", true), by("new", true)]).paired.pairs, 1);
    assert_eq!(compared(&[by("large", true)], &[by("new", false)]).paired.lost, 1);
    assert_eq!(compared(&first, &[by("new", true)]).paired.pairs, 0);
}
