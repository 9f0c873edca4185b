use super::*;

#[test]
fn paths_without_undo_are_read_from_metadata_within_bounds() {
    let check = |metadata: &str, expect: &[&str]| {
        assert_eq!(uncovered(&Json::parse(metadata).unwrap()), expect, "{metadata}");
    };
    check(
        r#"{"undo":{"not_covered":1,"not_covered_paths":["target (build output)"]}}"#,
        &["target (build output)"],
    );
    for none in ["null", "7", r#"{"undo":7}"#, r#"{"undo":{}}"#, r#"{"undo":{"not_covered_paths":"x"}}"#] {
        check(none, &[]);
    }
    check(r#"{"undo":{"not_covered_paths":[1,"a","b","c","d"]}}"#, &["a", "b", "c"]);
    let long = format!(r#"{{"undo":{{"not_covered_paths":["{}"]}}}}"#, "ü".repeat(5_000));
    assert_eq!(uncovered(&Json::parse(&long).unwrap())[0].chars().count(), MOST_UNCOVERED_CHARS);
}

#[test]
fn an_undo_is_named_by_its_turns() {
    let label = |last_turn| OperationLabel { session: "s".into(), turn: 2, last_turn };
    assert_eq!((turns_of(&label(None)), turns_of(&label(Some(5)))), ("turn 2".into(), "turns 2 to 5".into()));
}
