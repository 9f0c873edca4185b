use super::*;

fn past(path: &str, state: PastState) -> PastFile {
    PastFile { path: path.into(), state }
}

fn file(content: &str) -> PastState {
    PastState::File { content: content.as_bytes().to_vec(), mode: Some(0o755) }
}

#[test]
fn a_case_has_the_workspace_before_its_session_without_secrets_and_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (work, case) = (folder.path().join("work"), folder.path().join("case"));
    fs::create_dir_all(work.join("new")).unwrap();
    for (name, text) in [
        ("changed.txt", "after"),
        ("new/made.txt", "made by the session"),
        ("same.txt", "same"),
        (".env", "KEY=1"),
        ("deploy.sh", "export GH=ghp_0123456789abcdefghijABCDEFGHIJ012345\n"),
    ] {
        fs::write(work.join(name), text).unwrap();
    }
    let session = SessionTranscript { prompts: vec!["Go.".into()], ..SessionTranscript::default() };
    let past = [
        past(".git/config", file("[core]")),
        past("../up.txt", file("outside")),
        past(".env.old", file("KEY=2")),
        past("changed.txt", file("before")),
        past("gone/deep.txt", file("deleted by the session")),
        past("link", PastState::Link(b"same.txt".to_vec())),
        past("new", PastState::Absent),
        past("new/made.txt", PastState::Absent),
    ];
    let new = NewCase { session: &session, workspace: &work, past: &past, trust: TrustLevelName::Edit };
    let omissions = new.write(&case, |name| name.starts_with(".env")).unwrap();
    assert_eq!(omissions.left_out, [".env", ".env.old"]);
    assert_eq!(omissions.cleaned, ["deploy.sh"]);
    let copy = case.join("workspace");
    let found: Vec<String> = workspace::files(&copy).unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, ["changed.txt", "deploy.sh", "gone/deep.txt", "link", "same.txt"]);
    let text = |name: &str| fs::read_to_string(copy.join(name)).unwrap();
    assert_eq!((text("changed.txt"), text("link")), ("before".to_owned(), "same".to_owned()));
    assert!(!text("deploy.sh").contains("ghp_"), "{}", text("deploy.sh"));
    assert_eq!(fs::metadata(copy.join("changed.txt")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(
        fs::read_to_string(work.join("changed.txt")).unwrap(),
        "after",
        "the workspace stays as it is"
    );
    assert!(!folder.path().join("case/up.txt").exists() && !copy.join("new").exists());
}

#[test]
fn a_proposed_check_of_a_file_that_was_written_once_has_a_line_of_it() {
    let call = |tool: &str, arguments: serde_json::Value| -> crate::SessionCall {
        let outcome = Outcome::Succeeded;
        let call =
            serde_json::json!({ "tool": tool, "arguments": arguments.to_string(), "outcome": outcome });
        serde_json::from_value(call).unwrap()
    };
    let calls = vec![
        call(
            "edit",
            serde_json::json!({ "path": "/workspace/a.py", "old": "a - b", "new": "\n    return a + b\n" }),
        ),
        call("write", serde_json::json!({ "path": "b.txt", "content": "one\n" })),
        call("write", serde_json::json!({ "path": "b.txt", "content": "two\n" })),
    ];
    let turn = crate::SessionTurn { prompt: 1, text: String::new(), calls };
    let session =
        SessionTranscript { turns: vec![turn], prompts: vec!["Go.".into()], ..SessionTranscript::default() };
    let new =
        NewCase { session: &session, workspace: Path::new("/"), past: &[], trust: TrustLevelName::Edit };
    let text = new.text();
    let expected =
        "[[check]]\nfile = \"a.py\"\ncontains = \"return a + b\"\n\n[[check]]\nfile = \"b.txt\"\n\n[limits]";
    assert!(text.contains(expected), "{text}");
}
