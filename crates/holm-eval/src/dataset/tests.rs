use super::*;
use crate::EvalCase;

#[test]
fn lines_of_other_tools_become_cases() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = folder.path().join("set.jsonl");
    let lines = [
        r#"{"input": "What is \"6\" * 7?", "target": "42", "id": "six seven"}"#,
        "",
        r#"{"inputs": "2 + 2?", "expected_output": 4, "name": "sum"}"#,
        r#"{"input": [{"role": "user", "content": "Say \\ yes."}], "target": "yes"}"#,
    ];
    fs::write(&dataset, lines.join("\n")).unwrap();
    let cases = folder.path().join("cases");
    assert_eq!(import_dataset(&dataset, &cases).unwrap(), 3);
    let read = EvalCase::find([cases.as_path()]).unwrap();
    let prompts: Vec<&str> = read.iter().map(|case| case.prompts[0].as_str()).collect();
    assert_eq!(prompts, ["What is \"6\" * 7?", "2 + 2?", "Say \\ yes."]);
}

#[test]
fn a_line_that_is_no_case_is_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = folder.path().join("set.jsonl");
    for (line, expected) in [
        ("{}", "line 2: it has no input"),
        (r#"{"input": "a"}"#, "line 2: it has no target"),
        (r#"{"input": "a", "target": ""}"#, "line 2: its target is empty"),
        (r#"{"input": "a", "target": []}"#, "line 2: its target is empty"),
        (r#"{"input": " ", "target": "b"}"#, "line 2: its input is empty"),
        (r#"{"input": "a", "choices": ["x", "y"], "target": "C"}"#, "not the letter of a choice"),
        ("{", "line 2: EOF"),
    ] {
        fs::write(&dataset, format!("{{\"input\": \"a\", \"target\": \"b\"}}\n{line}\n")).unwrap();
        let error = import_dataset(&dataset, &folder.path().join("cases")).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!folder.path().join("cases").exists());
    }
}

/// The case of a line, and whether these answers pass it.
fn passes(line: &str, answers: &[&str]) -> (EvalCase, Vec<bool>) {
    let folder = tempfile::tempdir().unwrap();
    let dataset = folder.path().join("set.jsonl");
    fs::write(&dataset, line).unwrap();
    let cases = folder.path().join("cases");
    import_dataset(&dataset, &cases).unwrap();
    let case = EvalCase::find([cases.as_path()]).unwrap().remove(0);
    let outcome = |answer: &&str| {
        let session = crate::SessionTranscript { answer: Some((*answer).to_owned()), ..Default::default() };
        case.checks[0].outcome(folder.path(), &session).unwrap().failure.is_none()
    };
    let passed = answers.iter().map(outcome).collect();
    (case, passed)
}

#[test]
fn targets_are_texts_one_of_several_letters_of_choices_or_values() {
    let (_, passed) = passes(r#"{"input": "a", "target": ["3.5", "7/2"]}"#, &["It is 3.5.", "7/2", "315"]);
    assert_eq!(passed, [true, true, false]);
    let (case, passed) = passes(
        r#"{"input": "Which?", "choices": ["red", "blue"], "target": "B"}"#,
        &["ANSWER: B", "**ANSWER: B**", "B", "ANSWER: A", "ANSWER: Blue"],
    );
    assert_eq!(passed, [true, true, false, false, false]);
    assert!(case.prompts[0].contains("Which?\n\nA) red\nB) blue\n"), "{}", case.prompts[0]);
    let (case, passed) = passes(
        r#"{"inputs": {"city": "Ulm"}, "expected_output": {"rain": true}}"#,
        &[r#"{"rain": true}"#, r#"{"rain": false}"#, "rain"],
    );
    assert_eq!(passed, [true, false, false]);
    assert!(case.prompts[0].contains("\"city\": \"Ulm\""), "{}", case.prompts[0]);
    let talk = r#"{"input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text",
        "text": "Del: \u007f"}]}], "target": "yes"}"#.replace('\n', " ");
    assert_eq!(passes(&talk, &[]).0.prompts[0], "system: Be brief.\n\nuser: Del: \u{7f}");
}

#[test]
fn a_folder_of_datasets_becomes_a_folder_for_each_and_no_case_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let sets = folder.path().join("sets");
    fs::create_dir(&sets).unwrap();
    fs::write(sets.join("README.md"), "").unwrap();
    let cases = folder.path().join("cases");
    assert!(import_dataset(&sets, &cases).unwrap_err().to_string().contains("it has no dataset"));
    for name in ["one", "two"] {
        fs::write(sets.join(name).with_extension("jsonl"), r#"{"input": "a", "target": "b"}"#).unwrap();
    }
    assert_eq!(import_dataset(&sets, &cases).unwrap(), 2);
    let found: Vec<String> =
        EvalCase::find([cases.as_path()]).unwrap().into_iter().map(|case| case.name).collect();
    assert_eq!(found, ["one/case-0001", "two/case-0001"]);
    let error = import_dataset(&sets, &cases).unwrap_err().to_string();
    assert!(error.contains("one/case-0001: there is a case already"), "{error}");
}
