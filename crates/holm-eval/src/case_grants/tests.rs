use std::fs;

use super::*;

/// A case with these lines.
fn case(lines: &str) -> EvalCase {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("workspace")).unwrap();
    let text = format!("prompt = \"Go.\"\n{lines}\n[[check]]\nfile = \"a\"\n");
    fs::write(folder.path().join(CASE_FILE), text).unwrap();
    EvalCase::read(folder.path(), "mine").unwrap()
}

fn missing(lines: &str, granted: &[&str]) -> Option<String> {
    let granted = GrantSet::parse(granted.iter().copied()).unwrap();
    match check_grants(&case(lines), &granted) {
        Ok(()) => None,
        Err(EvalError::NotGranted { grant, .. }) => Some(grant),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_case_has_its_workspace_the_jail_and_this_machine_and_nothing_else_by_itself() {
    for own in [
        "trust = \"jail\"",
        "mode = \"accept-edits\"",
        "grants = [\"read:src/**\", \"write:out/\", \"exec:*\", \"exec:./run\", \"tool:shell\"]",
        "grants = [\"fetch:http://127.0.0.1:18766\", \"fetch:https://localhost/api\", \"fetch:http://[::1]:8080\"]",
    ] {
        assert_eq!(missing(own, &[]), None, "{own}");
    }
    for (wants, grant) in [
        ("grants = [\"fetch:https://api.example.com\"]", "fetch:https://api.example.com"),
        ("grants = [\"fetch:*://*:*\"]", "fetch:*://*:*"),
        ("grants = [\"read:/etc/**\"]", "read:/etc/**"),
        ("grants = [\"secret:github@api.github.com\"]", "secret:github@api.github.com"),
        ("grants = [\"tool:*\"]", "tool:*"),
        ("mode = \"full\"", "tool:*"),
        ("agent = \"deploy\"", "spawn:deploy"),
        ("agent = \"../agent.json\"", "spawn:../agent.json"),
    ] {
        assert_eq!(missing(wants, &[]).as_deref(), Some(grant), "{wants}");
        assert_eq!(missing(wants, &[grant]), None, "{wants}");
    }
}

#[test]
fn the_error_names_the_grant_and_the_flag() {
    let refused = check_grants(&case("grants = [\"fetch:https://api.example.com\"]"), &GrantSet::default());
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("mine needs `fetch:https://api.example.com`"), "{told}");
    assert!(told.contains("--grant 'fetch:https://api.example.com'"), "{told}");
}

#[test]
fn a_grant_or_a_mode_that_is_none_is_an_error_of_the_case() {
    for lines in ["grants = [\"--unconfined\"]", "mode = \"--unconfined\""] {
        let refused = check_grants(&case(lines), &GrantSet::default()).unwrap_err();
        assert!(matches!(refused, EvalError::Case { .. }), "{lines}: {refused}");
    }
}
