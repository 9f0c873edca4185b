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
    for (line, expected) in
        [("{}", "line 2: it has no text as input"), (r#"{"input": "a"}"#, "as target"), ("{", "line 2: EOF")]
    {
        fs::write(&dataset, format!("{{\"input\": \"a\", \"target\": \"b\"}}\n{line}\n")).unwrap();
        let error = import_dataset(&dataset, &folder.path().join("cases")).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!folder.path().join("cases").exists());
    }
}
