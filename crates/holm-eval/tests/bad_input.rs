//! Bad input: a case that cannot be used or checked is one clear error and never a pass. Most errors
//! come before the `holm` command is started, so these tests do without it.

#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected should stop")]

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use holm_eval::{AttemptMode, AttemptVerdict, CaseRunner, EvalCase, EvalError, EvalPlan, Evaluation};
use tempfile::TempDir;

/// A check that a case can have.
const CHECK: &str = "[[check]]\nfile = 'a'\n";
/// Replies that answer at once.
const REPLIES: &str = r#"{"results": [{"replied": {"blocks": [{"text": "Done."}]}}]}"#;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A folder with a case of this text.
fn case(text: &str) -> TempDir {
    folder(&[("case/case.toml", text), ("case/workspace/a", ""), ("case/replies.json", REPLIES)])
}

/// A folder with a case that has this in its text.
fn case_with(text: &str) -> TempDir {
    case(&format!("{text}\nprompt = 'go'\n{CHECK}"))
}

/// Evaluates the cases of a folder with this command, and returns the error. There must be no result.
fn refused(folder: &TempDir, holm: &Path) -> EvalError {
    let cases = match EvalCase::find([folder.path()]) {
        Ok(cases) => cases,
        Err(error) => return error,
    };
    let place = tempfile::tempdir().unwrap();
    let plan = EvalPlan { cases, modes: vec![AttemptMode::Replay], repeat: 1, jobs: 1, budget: None };
    let mut evaluation = Evaluation::open(place.path()).unwrap();
    let ended = evaluation.run(&plan, &CaseRunner::new(holm, place.path()), |_| ());
    assert!(evaluation.results().is_empty(), "{:?}", evaluation.results());
    assert!(Evaluation::open(place.path()).unwrap().results().is_empty(), "a result was stored");
    ended.unwrap_err()
}

/// The same with a command that does not exist, so that the error must come before it is started.
fn refused_at_once(folder: &TempDir, expected: &str) {
    let error = refused(folder, Path::new("/nowhere/holm"));
    assert!(!matches!(error, EvalError::Command { .. }), "{error}");
    let told = error.to_string();
    assert!(told.contains(expected), "`{expected}` is not in: {told}");
}

#[test]
fn a_case_without_a_workspace_is_an_error() {
    let text = format!("prompt = 'go'\n{CHECK}");
    refused_at_once(&folder(&[("case/case.toml", &text)]), "it has no workspace");
    refused_at_once(&folder(&[("case/case.toml", &text), ("case/workspace", "")]), "it has no workspace");
}

#[test]
fn a_folder_without_a_case_is_an_error() {
    refused_at_once(&folder(&[("other/file.toml", "")]), "there is no case in");
}

#[test]
fn a_command_that_cannot_be_started_is_an_error_that_names_it() {
    let error = refused(&case_with(""), Path::new("/nowhere/holm"));
    assert!(matches!(error, EvalError::Command { .. }), "{error}");
    assert!(error.to_string().contains("/nowhere/holm could not be started"), "{error}");
}

/// A command in the place of `holm` that extracts an address, and has no program for a check.
fn extracting(folder: &TempDir) -> PathBuf {
    let (text, program) = (folder.path().join("text"), folder.path().join("program"));
    let script = "#!/bin/sh\nfor word; do [ \"$word\" = extract ] && echo ann@b.example && exit 0; done\n\
        echo 'nosuch: not found' >&2\nexit 127\n";
    fs::write(&text, script).unwrap();
    // A file that this process wrote itself may still be open in a process that another test starts.
    let installed = Command::new("install").args(["-m", "755"]).arg(&text).arg(&program).status();
    assert!(installed.unwrap().success());
    program
}

#[test]
fn a_check_whose_program_is_missing_fails_with_the_reason() {
    let text = "extract = { text = 'to ann@b.example', target = 'email' }\n\
        [[check]]\nanswer = { contains = 'ann@b.example' }\n[[check]]\ncommand = 'nosuch'\n";
    let (folder, place) = (case(text), tempfile::tempdir().unwrap());
    let cases = EvalCase::find([folder.path()]).unwrap();
    let runner = CaseRunner::new(extracting(&place), place.path().join("evaluation"));
    let result = runner.attempt(&cases[0], &AttemptMode::Model("local/none".into()), 1).unwrap();
    assert_eq!(result.verdict, AttemptVerdict::Failed, "{result:?}");
    let failures = result.failures();
    assert!(failures.len() == 1 && failures[0].contains("nosuch: not found"), "{failures:?}");
}

#[test]
fn a_recording_of_another_version_is_an_error() {
    for version in ["9", "\"1\"", "null"] {
        let folder = case_with("");
        let recording = format!("{{\"version\": {version}, \"turns\": [], \"system\": \"\", \"tools\": []}}");
        fs::write(folder.path().join("case/recording.json"), recording).unwrap();
        refused_at_once(&folder, "another version of Holm wrote this recording; `holm eval record` with");
    }
    let folder = case_with("");
    fs::write(folder.path().join("case/recording.json"), "{\"version\": 2, \"turns\": 5}").unwrap();
    refused_at_once(&folder, "recording.json: invalid type");
}

#[test]
fn a_cyclic_extends_is_an_error() {
    refused_at_once(&case_with("extends = 'case.toml'"), "case.toml: it extends itself");
    let folder = case_with("extends = '../one.toml'");
    fs::write(folder.path().join("one.toml"), "extends = 'two.toml'").unwrap();
    fs::write(folder.path().join("two.toml"), "extends = './one.toml'").unwrap();
    refused_at_once(&folder, "one.toml: it extends itself");
}

#[test]
fn too_many_files_that_extend_each_other_are_an_error() {
    let folder = case_with("extends = '../0.toml'");
    for number in 0..20 {
        let text = format!("extends = '{}.toml'", number + 1);
        fs::write(folder.path().join(format!("{number}.toml")), text).unwrap();
    }
    refused_at_once(&folder, "files extend each other");
}

#[test]
fn a_device_or_a_very_large_file_in_the_place_of_a_text_is_an_error() {
    refused_at_once(
        &case_with("extends = '/dev/zero'"),
        "/dev/zero: it is larger than 16 MiB or not a regular file",
    );
    let schema = "prompt = 'go'\n[[check]]\nanswer = { schema = '/dev/zero' }\n";
    refused_at_once(&case(schema), "/dev/zero: it is larger than 16 MiB or not a regular file");
    let folder = case_with("extends = '../large.toml'");
    fs::File::create(folder.path().join("large.toml")).unwrap().set_len(1 << 30).unwrap();
    refused_at_once(&folder, "large.toml: it is larger than 16 MiB or not a regular file");
}

#[test]
fn a_huge_workspace_is_an_error() {
    let folder = case_with("");
    fs::File::create(folder.path().join("case/workspace/large")).unwrap().set_len(1 << 30).unwrap();
    refused_at_once(&folder, "the workspace is too large: more than 256 MiB");
}

#[test]
fn a_socket_in_a_workspace_is_an_error() {
    let folder = case_with("");
    let _socket = UnixListener::bind(folder.path().join("case/workspace/socket")).unwrap();
    refused_at_once(&folder, "socket: a case can only hold files, folders and links");
}

#[test]
fn unknown_keys_are_an_error() {
    for text in [
        format!("prompt = 'go'\nnonsense = 1\n{CHECK}"),
        format!("prompt = 'go'\n{CHECK}nonsense = 1\n"),
        "prompt = 'go'\n[limits]\nturns = 1\nnonsense = 1\n".to_owned(),
        "prompt = 'go'\n[[check]]\nanswer = { contains = 'a', nonsense = 1 }\n".to_owned(),
    ] {
        refused_at_once(&case(&text), "unknown field `nonsense`");
    }
}

#[test]
fn replies_that_do_not_exist_are_an_error() {
    let folder = case(&format!("prompts = ['go', 'on']\n{CHECK}"));
    refused_at_once(&folder, "it has no replies for prompt 2");
    fs::remove_file(folder.path().join("case/replies.json")).unwrap();
    refused_at_once(&folder, "it has no replies for prompt 1");
    let judge = "prompt = 'go'\n[[check]]\n\
        judge = { rubric = 'Good.', model = 'a/b', replies = 'none.json' }\n";
    refused_at_once(&case(judge), "none.json, do not exist");
}

#[test]
fn a_regular_expression_that_does_not_compile_is_an_error_of_its_case() {
    for text in [
        "prompt = 'go'\n[[check]]\nfile = 'a'\nmatches = '('\n".to_owned(),
        "prompt = 'go'\n[[check]]\nanswer = { matches = '(' }\n".to_owned(),
        "prompt = 'go'\n[[check]]\ncall = 'read'\narguments = '('\n".to_owned(),
        "prompt = 'go'\n[[check]]\ndeclined = '('\n".to_owned(),
        format!("prompt = 'go'\nvaries = ['a', '(']\n{CHECK}"),
    ] {
        let folder = case(&text);
        refused_at_once(&folder, "`(` is not a valid regular expression");
        refused_at_once(&folder, "case/case.toml: ");
    }
}
