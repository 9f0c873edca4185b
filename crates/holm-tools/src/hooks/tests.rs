//! What files say and what answers mean; commands that really run are in `tests/processes.rs`.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::json;

use super::{file::Entry, reply::Wish, *};
use crate::trust::Ledger;

fn parse(text: &str) -> Result<HookFile, HookFileError> {
    HookFile::parse(Path::new("/project/hooks.json"), text)
}

/// A person says yes.
fn trust(ledger: &mut Ledger, file: HookFile) {
    for (path, hash) in file.trusted(ledger).unwrap_err().files {
        ledger.trust_file(&path, hash).unwrap();
    }
}

fn file(matcher: &str, command: &str) -> String {
    json!({ "hooks": { "PreToolUse": [{ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] }] } })
        .to_string()
}

#[test]
fn a_changed_file_is_not_the_one_that_was_trusted() {
    let mut ledger = Ledger::in_memory();
    trust(&mut ledger, parse(&file("", "a")).unwrap());
    assert!(parse(&file("", "a")).unwrap().trusted(&ledger).is_ok());
    let changed = parse(&file("", "b")).unwrap().trusted(&ledger).unwrap_err();
    assert_eq!(changed.asks, ["runs `b` at PreToolUse"]);
    assert!(changed.to_string().contains("have changed"), "{changed}");
    let elsewhere = HookFile::parse(Path::new("/other/hooks.json"), &file("", "a")).unwrap();
    assert!(elsewhere.trusted(&ledger).is_err(), "trust is for a place");
}

#[test]
fn a_script_that_changed_is_a_change_of_the_hooks() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("tools/check.sh");
    fs::create_dir(folder.path().join("tools")).unwrap();
    fs::write(&script, "exit 0\n").unwrap();
    let path = folder.path().join("hooks.json");
    fs::write(&path, file("", "sh \"$HOLM_PROJECT_DIR/tools/check.sh\" && echo tools")).unwrap();
    let load = || HookFile::load(folder.path(), &path).unwrap();
    let mut ledger = Ledger::in_memory();
    trust(&mut ledger, load());
    assert!(
        load().asks().iter().any(|line| line.starts_with("with tools/check.sh (")),
        "{:?}",
        load().asks()
    );
    let trusted = load().trusted(&ledger).unwrap();
    let Entry { command, .. } = trusted.entries.first().unwrap();
    let check = || trusted.scripts.iter().try_for_each(|script| script.check(command));
    assert_eq!(check(), Ok(()));
    fs::write(&script, "exit 2\n").unwrap();
    assert_eq!(check(), Err(NotDone::Changed { path: "tools/check.sh".into() }));
    assert!(load().trusted(&ledger).is_err(), "it is asked about again");
    fs::remove_file(&script).unwrap();
    assert!(check().is_err());
}

#[test]
fn what_is_no_plain_small_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is needed: coreutils");
    assert!(made.success());
    assert!(matches!(HookFile::load(folder.path(), &pipe), Err(HookFileError::Unreadable { .. })));
    assert!(HookFile::load(folder.path(), folder.path()).is_err());
    let large = folder.path().join("large");
    fs::write(&large, vec![b' '; (1 << 20) + 1]).unwrap();
    fs::set_permissions(&large, fs::Permissions::from_mode(0o600)).unwrap();
    let error = HookFile::load(folder.path(), &large).unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
}

#[test]
fn a_file_that_is_not_understood_is_not_used_at_all() {
    for text in [
        "",
        "[]",
        r#"{"hooks":{"PreTool":[]}}"#,
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"prompt","command":"x"}]}]}}"#,
        r#"{"hooks":{},"network":"some"}"#,
    ] {
        assert!(matches!(parse(text), Err(HookFileError::Unreadable { .. })), "{text}");
    }
    assert!(matches!(parse(&file("(", "x")), Err(HookFileError::BadMatcher { .. })));
    let hook = r#"{"type":"command","command":"x"}"#;
    let many = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{}]}}]}}}}"#, vec![hook; 65].join(","));
    assert_eq!(parse(&many), Err(HookFileError::TooMany { found: 65 }));
}

#[test]
fn what_a_file_asks_for_is_shown_and_what_nobody_can_hold_is_refused() {
    let asking =
        |grants: &[&str]| parse(&json!({ "hooks": {}, "grants": grants, "network": "open" }).to_string());
    let asks = asking(&["write:out/", "env:LANG"]).unwrap().asks();
    assert_eq!(asks, ["wants write:out/", "wants env:LANG", "wants the whole network"]);
    for grant in ["fetch:https://example.com", "secret:key@example.com", "spawn:x", "tool:x", "fly:high"] {
        assert!(matches!(asking(&[grant]), Err(HookFileError::BadGrant { .. })), "{grant}");
    }
    let hidden = parse(&file("", "echo \u{1b}[2J\u{202e}")).unwrap().asks().concat();
    assert!(!hidden.contains(['\u{1b}', '\u{202e}']), "{hidden:?}");
}

#[test]
fn a_matcher_is_a_pattern_for_the_whole_name() {
    let is_for = |matcher: &str, tool: &str| {
        let (mut ledger, file) = (Ledger::in_memory(), parse(&file(matcher, "x")).unwrap());
        trust(&mut ledger, file.clone());
        file.trusted(&ledger).unwrap().entries.first().unwrap().matcher.is_for(tool)
    };
    for (matcher, tool, expect) in [
        ("", "shell", true),
        ("*", "shell", true),
        ("shell", "shell", true),
        ("shell", "shell_2", false),
        ("read|write", "write", true),
        ("read|write", "rewrite", false),
        ("mcp__.*", "mcp__files__read", true),
        ("mcp__.*", "my_mcp__x", false),
    ] {
        assert_eq!(is_for(matcher, tool), expect, "{matcher} for {tool}");
    }
}

#[test]
fn answers_mean_what_everybody_takes_them_to_mean() {
    let said = |code: i32, stdout: &str, stderr: &str| {
        Wish::of(Ok(Done { code, stdout: stdout.into(), stderr: stderr.into() })).unwrap()
    };
    let blocks = |wish: Wish| wish.block;
    let none = Wish::default();
    assert_eq!(said(0, "", "noise"), none);
    assert_eq!(said(1, "x", "its own fault"), none);
    assert_eq!(blocks(said(2, "x", " no \n")).as_deref(), Some("no"));
    assert_eq!(blocks(said(2, "", "")).as_deref(), Some("a hook blocked it"));
    assert_eq!(said(0, " mind \n", "").context.as_deref(), Some("mind"));
    for (stdout, reason) in [
        (r#"{"decision":"block","reason":"r"}"#, "r"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"d"}}"#, "d"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"ask"}}"#, "a hook blocked it"),
        (r#"{"continue":false,"stopReason":"s"}"#, "s"),
        (r#"{"decision":3}"#, "a hook answered with an object that is not understood"),
        (r#"{"decision":"block""#, "a hook answered with an object that is not understood"),
    ] {
        assert_eq!(blocks(said(0, stdout, "")).as_deref(), Some(reason), "{stdout}");
    }
    let rewrite =
        said(0, r#"{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"n":2}}}"#, "");
    assert_eq!((rewrite.block, rewrite.arguments), (None, Some(json!({ "n": 2 }))));
    assert_eq!(said(0, r#"{"additionalContext":"c"}"#, "").context.as_deref(), Some("c"));
}
