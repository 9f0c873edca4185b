use holm_kernel::Outcome;

use super::*;
use crate::SessionTurn;

/// The checks of a case file.
fn checks(text: &str) -> Result<Vec<CaseCheck>, String> {
    #[derive(Deserialize)]
    struct Checks {
        check: Vec<CheckText>,
    }
    let checks: Checks = toml::from_str(text).map_err(|error| error.to_string())?;
    checks.check.into_iter().map(|check| check.read(Path::new("/nowhere"))).collect()
}

fn session(answer: &str, calls: &[(&str, &str, Outcome)]) -> SessionTranscript {
    let call = |(tool, arguments, outcome): &(&str, &str, Outcome)| {
        let json =
            serde_json::json!({ "tool": tool, "arguments": arguments, "outcome": outcome, "result": "" });
        serde_json::from_value(json).unwrap()
    };
    let turn = SessionTurn { prompt: 1, text: String::new(), calls: calls.iter().map(call).collect() };
    SessionTranscript { turns: vec![turn], answer: Some(answer.into()), ..SessionTranscript::default() }
}

/// Whether each check passes.
fn passes(text: &str, workspace: &Path, session: &SessionTranscript) -> Vec<bool> {
    let checks = checks(text).unwrap();
    checks.iter().map(|check| check.outcome(workspace, session).unwrap().failure.is_none()).collect()
}

#[test]
fn a_file_is_checked_by_its_text_or_its_absence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one two\n").unwrap();
    let text = "
        [[check]]\nfile = 'a.txt'\n[[check]]\nfile = 'b.txt'\n
        [[check]]\nfile = 'a.txt'\nabsent = true\n[[check]]\nfile = 'b.txt'\nabsent = true\n
        [[check]]\nfile = 'a.txt'\nequals = 'one two'\n[[check]]\nfile = 'a.txt'\nequals = 'one'\n
        [[check]]\nfile = 'a.txt'\ncontains = 'two'\n[[check]]\nfile = 'a.txt'\nlacks = 'two'\n
        [[check]]\nfile = 'a.txt'\nmatches = '^one\\s'\n[[check]]\nfile = 'a.txt'\nmatches = '^two'";
    let expected = [true, false, false, true, true, false, true, false, true, false];
    assert_eq!(passes(text, folder.path(), &session("", &[])), expected);
}

#[test]
fn an_answer_is_checked_by_its_text_or_a_number_in_it() {
    let text = "
        [[check]]\nanswer = { contains = 'total' }\n[[check]]\nanswer = { equals = '42' }\n
        [[check]]\nanswer = { number = 1234.5 }\n[[check]]\nanswer = { number = 1234, tolerance = 1 }\n
        [[check]]\nanswer = { number = 1234, tolerance = 0.1 }";
    let answer = session("The total is 1,234.5.", &[]);
    assert_eq!(passes(text, Path::new("/"), &answer), [true, false, true, true, false]);
    let silent = SessionTranscript::default();
    assert!(passes(text, Path::new("/"), &silent).iter().all(|passed| !passed), "no answer passes nothing");
}

#[test]
fn calls_must_come_or_must_not_and_denials_are_expected() {
    let text = "
        [[check]]\ncall = 'shell'\n[[check]]\ncall = 'shell'\narguments = 'unittest'\n
        [[check]]\ncall = 'shell'\nnever = true\n[[check]]\ncall = 'fetch'\nnever = true\n
        [[check]]\ndenied = 'write'\n[[check]]\ndenied = 'shell'";
    let calls =
        [("shell", r#"{"script":"ls"}"#, Outcome::Succeeded), ("write", r#"{"path":"a"}"#, Outcome::Refused)];
    assert_eq!(passes(text, Path::new("/"), &session("", &calls)), [true, false, false, true, true, false]);
}

#[test]
fn a_check_that_cannot_be_made_is_an_error_of_its_case() {
    for (text, expected) in [
        ("[[check]]\nfile = '../a'", "not a path below the workspace"),
        ("[[check]]\nfile = '/etc/passwd'", "not a path below the workspace"),
        ("[[check]]\nfile = 'a'\ncommand = 'b'", "exactly one of"),
        ("[[check]]\nfile = 'a'\nmatches = '('", "not a valid regular expression"),
        ("[[check]]\nfile = 'a'\ncontains = 'b'\nequals = 'c'", "use one of"),
        ("[[check]]\nfile = 'a'\ncontains = 'b'\nabsent = true", "to be absent and to have a text"),
        ("[[check]]\ncommand = 'a'\ncontains = 'b'", "belong to a check of a `file`"),
        ("[[check]]\ncommand = 'a'\nnever = true", "belong to a check of a `call`"),
        ("[[check]]\nanswer = { tolerance = 1 }", "belongs to a `number`"),
        ("[[check]]\nanswer = {}", "exactly one of"),
        ("[[check]]\nanswer = { schema = 'none.json' }", "none.json"),
        ("[[check]]\nfiles = 'a'", "unknown field"),
        ("[[check]]", "exactly one of"),
    ] {
        let error = checks(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn a_task_is_declined_without_an_answer_or_with_one_that_says_so() {
    let text = "[[check]]\ndeclined = '^(That failed|I cannot)'\n\
        [[check]]\ndeclined = '^(That failed|I cannot)'\nnever = true\n";
    let nowhere = Path::new("/nowhere");
    assert_eq!(passes(text, nowhere, &session("That failed: no such file.", &[])), [true, false]);
    assert_eq!(passes(text, nowhere, &session("It is 5. That failed before.", &[])), [false, true]);
    assert_eq!(passes(text, nowhere, &SessionTranscript::default()), [true, false]);
    let allows: Vec<bool> = checks(text).unwrap().iter().map(CaseCheck::allows_no_answer).collect();
    assert_eq!(allows, [true, false]);
    assert!(checks("[[check]]\ndeclined = 'a'\ncall = 'read'\n").unwrap_err().contains("no other subject"));
}
