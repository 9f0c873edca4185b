use std::fs;

use super::*;

fn options(words: &[&str]) -> CaseTestOptions {
    CaseTestOptions::of(words.iter().map(|word| (*word).to_owned()))
}

/// What a test program with these cases prints, and whether it succeeds. There is no command.
fn run(words: &[&str]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["fix-a", "fix-b", "add"] {
        fs::create_dir_all(folder.path().join(name).join("workspace")).unwrap();
        let text = "prompt = 'go'\n[[check]]\nfile = 'a'\n";
        fs::write(folder.path().join(name).join("case.toml"), text).unwrap();
        fs::write(folder.path().join(name).join("replies.json"), "{}").unwrap();
    }
    let list = "[[case]]\nname = 'ask'\nprompt = 'go'\n[[case.check]]\nanswer = { contains = 'a' }\n";
    fs::create_dir_all(folder.path().join("list/workspace")).unwrap();
    fs::write(folder.path().join("list/cases.toml"), list).unwrap();
    let cases = EvalCase::find([folder.path()]).unwrap();
    let runner = CaseRunner::new("/nowhere/holm", folder.path().join("data"));
    let mut out = Vec::new();
    let is_done = run_cases(&runner, cases, &options(words), &mut out).unwrap();
    (is_done, String::from_utf8(out).unwrap())
}

#[test]
fn each_case_is_a_test_with_a_name_that_can_be_selected() {
    assert_eq!(
        run(&["--list", "--format", "terse"]),
        (true, "add: test\nfix-a: test\nfix-b: test\nlist/ask: test\n".into())
    );
    assert_eq!(run(&["--list", "--format", "terse", "--ignored"]).1, "list/ask: test\n");
    assert_eq!(run(&["--list", "fix", "--skip=fix-a"]).1, "fix-b: test\n");
    assert_eq!(run(&["--list", "--exact", "fix"]).1, "");
    let expected = CaseTestOptions { threads: Some(3), filters: vec!["fix".into()], ..Default::default() };
    assert_eq!(options(&["--nocapture", "--test-threads", "3", "--color=always", "fix"]), expected);
}

#[test]
fn a_case_that_fails_fails_its_test_and_one_for_a_model_is_ignored() {
    let (is_done, said) = run(&["--test-threads=2", "--skip", "fix-a"]);
    assert!(!is_done);
    for line in [
        "running 3 tests",
        "test list/ask ... ignored",
        "test add ... FAILED",
        "---- fix-b ----\n/nowhere/holm could not be started",
        "test result: FAILED. 0 passed; 2 failed; 1 ignored; 0 measured; 1 filtered out",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(run(&["ask"]).0, "only an ignored case is selected");
}
