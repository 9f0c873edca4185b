use holm::{
    kernel::{StepCause, Timestamp},
    runtime::ModelScore,
};

use super::*;

fn standing(model: &str, score: ModelScore) -> ModelStanding {
    ModelStanding { model: model.into(), kind: TaskKind::new("Copying files"), score }
}

fn why(reason: &str, to: Option<&str>) -> TaskFailure {
    let (at, cause) = (Timestamp::new(7), Some(StepCause::Rejected));
    TaskFailure { at, cause, reason: reason.into(), to: to.map(Into::into) }
}

#[test]
fn the_table_says_how_often_and_why() {
    let whys = vec![why("older", None), why("a copy\nis  there: no match", Some("cloud/large"))];
    let small =
        ModelScore { tasks: 12, successes: 3, rejections: 20, step_ups: 9, whys, ..ModelScore::default() };
    let large = ModelScore { tasks: 9, successes: 9, invalid_calls: 1, ..ModelScore::default() };
    let expect = "\
kind           model         tasks  answered  rejected  invalid  taken over
copying-files  cloud/large       9         9         0        1           0
copying-files  local/small      12         3        20        0           9
    cloud/large took over: a copy is there: no match";
    assert_eq!(table(&[standing("cloud/large", large), standing("local/small", small)]), expect);
}

#[test]
fn a_long_reason_is_cut() {
    let line = reason(&why(&"é".repeat(200), None));
    assert_eq!(line, format!("    failed: {}…", "é".repeat(REASON_CHARS)));
}
