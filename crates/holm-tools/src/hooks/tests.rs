//! What files say and what answers mean; commands that really run are in `tests/processes.rs`.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{Arc, Mutex},
};

use holm_kernel::{Author, Block, Message, MessageId, Outcome, Patch, Role, Spill, ToolCallId, ToolOutput};
use holm_runtime::{AfterCallHook as _, BoxFuture, CompletedCall, ContextHook as _};
use serde_json::{Value, json};

use super::{file::HookEntry, reply::HookReply, *};
use crate::trust::TrustLedger;

fn parse(text: &str) -> Result<HookFile, HookFileError> {
    HookFile::parse(Path::new("/project/hooks.json"), text)
}

/// A person says yes.
fn trust(ledger: &mut TrustLedger, file: HookFile) {
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
    let mut ledger = TrustLedger::in_memory();
    trust(&mut ledger, parse(&file("", "a")).unwrap());
    assert!(parse(&file("", "a")).unwrap().trusted(&ledger).is_ok());
    let changed = parse(&file("", "b")).unwrap().trusted(&ledger).unwrap_err();
    assert_eq!(changed.asks, ["runs `b` at PreToolUse"]);
    assert!(changed.to_string().contains("new or changed"), "{changed}");
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
    let mut ledger = TrustLedger::in_memory();
    trust(&mut ledger, load());
    assert!(
        load().asks().iter().any(|line| line.starts_with("with tools/check.sh (")),
        "{:?}",
        load().asks()
    );
    let trusted = load().trusted(&ledger).unwrap();
    let HookEntry { command, .. } = trusted.entries.first().unwrap();
    let check = || trusted.scripts.iter().try_for_each(|script| script.check(command));
    assert_eq!(check(), Ok(()));
    fs::write(&script, "exit 2\n").unwrap();
    assert_eq!(check(), Err(HookRunError::Changed { path: "tools/check.sh".into() }));
    assert!(load().trusted(&ledger).is_err(), "it is asked about again");
    fs::remove_file(&script).unwrap();
    assert!(check().is_err());
    let (place, missing) = (folder.path().canonicalize().unwrap().join("tools/check.sh"), load());
    assert_eq!(missing.gone(&ledger), std::slice::from_ref(&place), "somebody has looked at it");
    assert!(missing.gone(&TrustLedger::in_memory()).is_empty(), "nobody has");
    assert!(missing.scripts().any(|path| path == place));
    let asks = missing.asks();
    assert!(asks.iter().any(|line| line == "names tools/check.sh, which does not exist"), "{asks:?}");
}

#[test]
fn a_script_that_is_not_there_is_told_also_where_its_name_has_hidden_letters() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tools")).unwrap();
    let path = folder.path().join("hooks.json");
    fs::write(&path, file("", "./tools/che\u{200d}ck.sh")).unwrap();
    let asks = HookFile::load(folder.path(), &path).unwrap().asks();
    let is_told =
        |line: &String| line.starts_with("names tools/che") && line.ends_with(", which does not exist");
    assert!(asks.iter().any(is_told), "{asks:?}");
}

/// A project with a script in a folder, and a file of hooks that has one command.
fn project(command: &str) -> (tempfile::TempDir, Result<HookFile, HookFileError>) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tools/more")).unwrap();
    fs::write(folder.path().join("tools/check.sh"), "exit 0\n").unwrap();
    let path = folder.path().join("hooks.json");
    let command = command.replace("@@", folder.path().to_str().unwrap());
    fs::write(&path, file("", &command)).unwrap();
    let loaded = HookFile::load(folder.path(), &path);
    (folder, loaded)
}

/// Whether the hooks notice that a file of the project is written.
fn notices(command: &str, script: &str) -> bool {
    let (folder, loaded) = project(command);
    let mut ledger = TrustLedger::in_memory();
    trust(&mut ledger, loaded.clone().unwrap());
    let trusted = loaded.unwrap().trusted(&ledger).unwrap();
    let HookEntry { command, .. } = trusted.entries.first().unwrap();
    let check = || trusted.scripts.iter().try_for_each(|script| script.check(command));
    assert_eq!(check(), Ok(()), "{command}");
    fs::write(folder.path().join(script), "exit 2\n").unwrap();
    check().is_err()
}

#[test]
fn a_script_is_noticed_however_a_command_names_it() {
    let script = "tools/check.sh";
    for command in [
        "tools/check.sh",
        "\"$HOLM_PROJECT_DIR\"/tools/check.sh",
        "\"${HOLM_PROJECT_DIR}\"/tools/'check.sh'",
        "cd tools && ./check.sh",
        "cd tools; sh check.sh",
        "cd \"$HOLM_PROJECT_DIR/tools\" && ./check.sh",
        "cd tools/more && sh ../check.sh",
        "cd tools && cd more && sh ../check.sh",
        "@@/tools/check.sh",
        "@@/./tools/more/../check.sh",
        "tools/more/../check.sh",
        "sh -c 'exec tools/check.sh'",
        "bash -c \"cd tools && './check.sh'\"",
        "X=tools/check.sh; sh -c \"$X\"",
        "echo $(sh tools/check.sh)",
        "echo `sh tools/check.sh`",
        "echo ${X:-$(sh tools/check.sh)}",
        "tools/che\\ck.sh",
    ] {
        assert!(notices(command, script), "{command}");
    }
    assert!(!notices("grep -q please && echo tools", script));
}

#[test]
fn a_script_that_is_made_later_was_seen_by_nobody() {
    for (command, script) in [
        ("./late.sh", "late.sh"),
        ("sh late.sh", "late.sh"),
        ("cd tools && ./late.sh", "tools/late.sh"),
        ("\"$HOLM_PROJECT_DIR\"/tools/late.sh", "tools/late.sh"),
        ("if test -f extra; then sh extra; fi", "extra"),
        ("python3 tools", "tools/__main__.py"),
        ("/usr/bin/python3.12 -m late", "late.py"),
        ("python3 -mlate", "late.py"),
        ("python3 -Imtools.late", "tools/late.py"),
        ("python3 -m tools.more.deep", "tools/more/__init__.py"),
        ("cd tools && node more", "tools/more/index.js"),
    ] {
        assert!(notices(command, script), "{command}");
    }
    let (folder, loaded) = project("./late.sh");
    let mut ledger = TrustLedger::in_memory();
    trust(&mut ledger, loaded.unwrap());
    let load = || HookFile::load(folder.path(), &folder.path().join("hooks.json")).unwrap();
    assert!(load().trusted(&ledger).is_ok());
    fs::write(folder.path().join("late.sh"), "exit 0\n").unwrap();
    assert!(load().trusted(&ledger).is_err(), "it is asked about");
}

#[test]
fn a_script_that_is_not_what_was_trusted_shuts_its_own_gate_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.json");
    let hook = |command: &str| json!({ "type": "command", "command": command });
    let hooks = json!({ "PreToolUse": [{ "hooks": [hook("sh ./one.sh"), hook("sh ./two.sh")] }] });
    fs::write(&path, json!({ "hooks": hooks }).to_string()).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("one.sh", "exit 2\n");
    write("two.sh", "exit 2\n");
    let load = || HookFile::load(folder.path(), &path).unwrap();
    let mut ledger = TrustLedger::in_memory();
    assert!(load().held(&ledger, HookTrustSource::ByLedger).is_err(), "nobody has looked at it");
    trust(&mut ledger, load());
    let place = |name: &str| folder.path().canonicalize().unwrap().join(name);
    assert_eq!(load().kept(&ledger), [place("one.sh"), place("two.sh")]);
    let check =
        |held: &TrustedHooks, command: &str| held.scripts.iter().try_for_each(|one| one.check(command));
    for spoil in
        [|place: &Path| fs::write(place, "exit 0\n").unwrap(), |place: &Path| fs::remove_file(place).unwrap()]
    {
        spoil(&place("one.sh"));
        let held = load().held(&ledger, HookTrustSource::ByLedger).unwrap();
        assert_eq!(held.shut().collect::<Vec<_>>(), [place("one.sh")]);
        assert_eq!(check(&held, "sh ./one.sh"), Err(HookRunError::Changed { path: "one.sh".into() }));
        assert_eq!(check(&held, "sh ./two.sh"), Ok(()));
        assert_eq!(load().kept(&ledger), [place("one.sh"), place("two.sh")], "also what is gone is kept");
    }
    // The owner's word is about the file, and not about scripts that others can write.
    let held = load().held(&TrustLedger::in_memory(), HookTrustSource::ByOwner).unwrap();
    assert_eq!(held.shut().collect::<Vec<_>>(), [place("two.sh")]);
}

#[test]
fn hooks_that_are_a_link_are_never_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("project")).unwrap();
    fs::create_dir_all(folder.path().join("elsewhere")).unwrap();
    fs::write(folder.path().join("elsewhere/hooks.json"), file("", "exit 0")).unwrap();
    let project = folder.path().join("project");
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(folder.path().join(to), project.join(from)).unwrap();
    };
    link("elsewhere/hooks.json", "hooks.json");
    link("elsewhere", ".holm");
    for name in ["hooks.json", ".holm/hooks.json"] {
        let error = HookFile::load(&project, &project.join(name)).unwrap_err();
        assert!(error.to_string().contains("links are never trusted"), "{name}: {error}");
    }
}

#[test]
fn a_path_that_only_a_shell_could_tell_is_refused() {
    for command in [
        "\"$DIR\"/check.sh",
        "$(pwd)/tools/check.sh",
        "`pwd`/tools/check.sh",
        "~/check.sh",
        "sh tools/*.sh",
        "sh tools/$NAME",
        "sh tools/{check,other}.sh",
        "cd \"$DIR\" && ./check.sh",
        "sh -c \"$DIR/check.sh now\"",
        &"$(".repeat(1_000),
    ] {
        let (_folder, loaded) = project(command);
        assert!(matches!(loaded, Err(HookFileError::UnknownPath { .. })), "{command}: {loaded:?}");
    }
    for command in [
        "jq -r .tool_input.path | grep -qE '^/etc/.*$' && exit 2",
        "case \"$(cat)\" in */etc/*) exit 2;; esac",
        "read -r all; n=${all#*/}; echo \"{\\\"n\\\":$(( (n + 1) % 9 ))}\" >&2; kill -SEGV $$",
        "sed 's/\\(.*\\)/\\1/' < /dev/null",
    ] {
        let (_folder, loaded) = project(command);
        assert!(loaded.is_ok(), "{command}: {loaded:?}");
    }
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
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"prompt","command":"x"}]}]}}"#,
        r#"{"hooks":{},"network":"some"}"#,
    ] {
        assert!(matches!(parse(text), Err(HookFileError::Unreadable { .. })), "{text}");
    }
    for event in ["PreTool", "pretooluse", "", "Session Start"] {
        let unknown = parse(&json!({ "hooks": { event: [] } }).to_string());
        assert_eq!(unknown, Err(HookFileError::UnknownEvent { event: event.into(), line: 1 }));
    }
    let unknown = parse("{\"hooks\":{\n\"Stop\":[],\n\"Stopp\":[]}}");
    assert_eq!(unknown, Err(HookFileError::UnknownEvent { event: "Stopp".into(), line: 3 }));
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
    assert_eq!(asks, ["asks for write:out/", "asks for env:LANG", "asks for the whole network"]);
    for grant in ["fetch:https://example.com", "secret:key@example.com", "spawn:x", "tool:x", "fly:high"] {
        assert!(matches!(asking(&[grant]), Err(HookFileError::BadGrant { .. })), "{grant}");
    }
    let hidden = parse(&file("", "echo \u{1b}[2J\u{202e}")).unwrap().asks().concat();
    assert!(!hidden.contains(['\u{1b}', '\u{202e}']), "{hidden:?}");
}

#[test]
fn events_of_other_agents_are_named_and_hurt_nobody_else() {
    let hook = json!({ "hooks": [{ "type": "command", "command": "x" }] });
    // What stands there is for others, so it need not be understood.
    let hooks = json!({ "SessionStart": [hook], "PreToolUse": [hook], "SubagentStop": { "type": "agent" } });
    let file = parse(&json!({ "hooks": hooks }).to_string()).unwrap();
    let warning = |event: &str| format!("has commands for {event}, an event that Holm does not have");
    assert_eq!(file.warnings(), [warning("SessionStart"), warning("SubagentStop")]);
    let asks = file.asks();
    assert_eq!(asks, ["runs `x` at PreToolUse".to_owned(), warning("SessionStart"), warning("SubagentStop")]);
    let mut ledger = TrustLedger::in_memory();
    trust(&mut ledger, file.clone());
    assert_eq!(file.trusted(&ledger).unwrap().entries.len(), 1);
    assert_eq!(parse(&super::tests::file("", "x")).unwrap().warnings(), Vec::<String>::new());
}

#[test]
fn members_that_mean_nothing_are_named_with_what_may_have_been_meant() {
    let hook = json!({ "type": "command", "command": "x", "timeut": 3 });
    let group = json!({ "match": "read", "hooks": [hook] });
    let file = parse(&json!({ "hooks": { "Stop": [group] }, "grant": [], "frob": 1 }).to_string()).unwrap();
    let strange = |member: &str, meant: &str| format!("has the unknown key `{member}`{meant}");
    assert_eq!(
        file.warnings(),
        [
            strange("frob", ""),
            strange("grant", "; did you mean `grants`?"),
            strange("match", "; did you mean `matcher`?"),
            strange("timeut", "; did you mean `timeout`?"),
        ]
    );
}

#[test]
fn an_empty_command_is_refused_and_a_file_without_any_needs_no_trust() {
    let refused = parse(&file("", " ")).unwrap_err();
    assert!(refused.to_string().contains("a command of PreToolUse is empty"), "{refused}");
    assert!(parse("{}").unwrap().trusted(&TrustLedger::in_memory()).is_ok());
}

#[test]
fn a_command_is_shown_exactly_as_it_is() {
    let asked = |command: &str| parse(&file("", command)).unwrap().asks().concat();
    let quoted = r#"sh -c "echo 'a b' \\ \"$X\"""#;
    for command in [quoted, r"grep -E '^\d+$' — ünïcode", "echo `date`"] {
        assert_eq!(asked(command), format!("runs `{command}` at PreToolUse"));
    }
    assert_eq!(asked("a\nb\u{1b}\u{200b}"), "runs `a\\u{a}b\\u{1b}\\u{200b}` at PreToolUse");
}

#[test]
fn a_matcher_is_a_pattern_for_the_whole_name() {
    let is_for = |matcher: &str, tool: &str| {
        let (mut ledger, file) = (TrustLedger::in_memory(), parse(&file(matcher, "x")).unwrap());
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
        HookReply::of(Ok(HookOutput { code, stdout: stdout.into(), stderr: stderr.into() })).unwrap()
    };
    let blocks = |wish: HookReply| wish.block;
    let none = HookReply::default();
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
        (r#"{"decision":3}"#, "a hook answered with an object that Holm does not understand"),
        (r#"{"decision":"block""#, "a hook answered with an object that Holm does not understand"),
    ] {
        assert_eq!(blocks(said(0, stdout, "")).as_deref(), Some(reason), "{stdout}");
    }
    let rewrite =
        said(0, r#"{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"n":2}}}"#, "");
    assert_eq!((rewrite.block, rewrite.arguments), (None, Some(json!({ "n": 2 }))));
    assert_eq!(said(0, r#"{"additionalContext":"c"}"#, "").context.as_deref(), Some("c"));
}

/// Runs no process: blocks what has a word in it, and writes down what it is asked.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<Value>>>);

impl HookRunner for Listener {
    fn run(&self, command: HookCommand) -> BoxFuture<'_, Result<HookOutput, HookRunError>> {
        let about: Value = serde_json::from_str(&command.input).unwrap();
        let code = if command.input.contains("secret") { 2 } else { 0 };
        let prompt = about["prompt"].as_str().map(|prompt| format!("about {prompt}")).unwrap_or_default();
        self.0.lock().unwrap().push(about);
        Box::pin(async move { Ok(HookOutput { code, stdout: prompt, stderr: "no".into() }) })
    }
}

impl Listener {
    fn hooks(&self, event: &str) -> CommandHooks {
        let hook = json!({ "type": "command", "command": "listen" });
        let file = parse(&json!({ "hooks": { event: [{ "hooks": [hook] }] } }).to_string()).unwrap();
        let mut ledger = TrustLedger::in_memory();
        trust(&mut ledger, file.clone());
        CommandHooks::new(file.trusted(&ledger).unwrap(), self.clone())
    }

    fn prompts(&self) -> Vec<String> {
        self.0.lock().unwrap().drain(..).map(|about| about["prompt"].as_str().unwrap().to_owned()).collect()
    }
}

fn message(id: u64, role: Role, texts: &[&str]) -> Arc<Message> {
    let blocks = texts.iter().map(|text| Block::Text((*text).to_owned())).collect();
    Arc::new(Message::new(MessageId::new(id), role, blocks))
}

fn withheld(patches: &[Patch]) -> Vec<MessageId> {
    let ids = patches.iter().filter_map(|patch| match patch {
        Patch::Replace { id, .. } => Some(*id),
        Patch::Hide(_) | Patch::Append(_) => None,
    });
    ids.collect()
}

#[tokio::test]
async fn a_prompt_that_was_withheld_stays_withheld_when_others_follow() {
    let listener = Listener::default();
    let hooks = listener.hooks("UserPromptSubmit");
    let mut view = vec![message(1, Role::User, &["the secret"])];
    assert_eq!(withheld(&hooks.context(&view).await), [1].map(MessageId::new));
    assert_eq!(listener.prompts(), ["the secret"]);
    view.push(message(2, Role::Assistant, &["a secret of its own"]));
    view.push(message(3, Role::User, &["go on"]));
    let patches = hooks.context(&view).await;
    assert_eq!(withheld(&patches), [1].map(MessageId::new));
    assert!(patches.contains(&Patch::Append(vec![Block::Text("about go on".into())])), "{patches:?}");
    assert_eq!(listener.prompts(), ["go on"], "each is asked about once");
    // Two at once, one of them with the word in a later block.
    view.push(message(4, Role::User, &["look", "at my secret"]));
    view.push(message(5, Role::User, &["and here"]));
    let patches = hooks.context(&view).await;
    assert_eq!(withheld(&patches), [4, 1].map(MessageId::new));
    assert!(patches.contains(&Patch::Append(vec![Block::Text("about and here".into())])), "{patches:?}");
    // A process that goes on with the run has been told nothing.
    let anew = listener.hooks("UserPromptSubmit").context(&view).await;
    assert_eq!(withheld(&anew), [4, 1].map(MessageId::new));
}

#[tokio::test]
async fn whoever_wants_to_hears_of_a_withheld_prompt_once() {
    let (listener, heard) = (Listener::default(), Arc::new(Mutex::new(Vec::new())));
    let told = Arc::clone(&heard);
    let hooks = listener.hooks("UserPromptSubmit").on_withheld(move |id, reason: &str| {
        told.lock().unwrap().push((id, reason.to_owned()));
        Box::pin(async {})
    });
    let mut view = vec![message(1, Role::User, &["the secret"])];
    hooks.context(&view).await;
    view.push(message(2, Role::User, &["go on"]));
    hooks.context(&view).await;
    assert_eq!(*heard.lock().unwrap(), [(MessageId::new(1), "no".to_owned())]);
}

/// Takes its time over everything.
struct Slow;

impl HookRunner for Slow {
    fn run(&self, command: HookCommand) -> BoxFuture<'_, Result<HookOutput, HookRunError>> {
        Box::pin(async move {
            tokio::time::sleep(command.limit).await;
            Err(HookRunError::Late { limit: command.limit })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn prompts_that_there_was_no_time_for_are_withheld_until_there_is() {
    let hook = json!({ "type": "command", "command": "listen", "timeout": 10 });
    let file = parse(&json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [hook] }] } }).to_string()).unwrap();
    let mut ledger = TrustLedger::in_memory();
    trust(&mut ledger, file.clone());
    let hooks = CommandHooks::new(file.trusted(&ledger).unwrap(), Slow);
    let view = [1, 2, 3].map(|id| message(id, Role::User, &["said"]));
    for left in [vec![2, 1], vec![1], vec![]] {
        let expect: Vec<_> = left.into_iter().map(MessageId::new).collect();
        let began = tokio::time::Instant::now();
        assert_eq!(withheld(&hooks.context(&view).await), expect);
        assert!(began.elapsed().as_secs() < 15, "the runtime does not give up before");
    }
}

#[tokio::test]
async fn a_large_result_is_seen_and_refused_like_any_other() {
    let listener = Listener::default();
    let hooks = listener.hooks("PostToolUse");
    let call = CompletedCall {
        run: "r".into(),
        call: ToolCallId::new(1),
        tool: "shell".into(),
        arguments: "{}".into(),
    };
    let spill = Spill {
        head: "it begins".into(),
        tail: "a secret at the end".into(),
        bytes: 1 << 20,
        sha256: String::new(),
        reference: "more".into(),
    };
    let output = ToolOutput { spill: Some(Box::new(spill)), ..ToolOutput::default() };
    let refused = hooks.after_call(&call, &output).await.unwrap();
    assert_eq!(refused.outcome, Outcome::Failed);
    assert!(refused.spill.unwrap().tail.ends_with("A hook refused this result: no"));
    let seen = listener.0.lock().unwrap()[0]["tool_response"].as_str().unwrap().to_owned();
    assert_eq!(seen, "it begins\n[...]\na secret at the end");
}

#[tokio::test]
async fn a_script_that_changed_withholds_prompts_and_refuses_results() {
    let (folder, listener) = (tempfile::tempdir().unwrap(), Listener::default());
    let path = folder.path().join("hooks.json");
    let hook = json!({ "hooks": [{ "type": "command", "command": "sh ./check.sh" }] });
    fs::write(&path, json!({ "hooks": { "UserPromptSubmit": [hook], "PostToolUse": [hook] } }).to_string())
        .unwrap();
    fs::write(folder.path().join("check.sh"), "exit 2\n").unwrap();
    let load = || HookFile::load(folder.path(), &path).unwrap();
    let mut ledger = TrustLedger::in_memory();
    trust(&mut ledger, load());
    fs::write(folder.path().join("check.sh"), "exit 0\n").unwrap();
    let hooks = CommandHooks::new(load().held(&ledger, HookTrustSource::ByLedger).unwrap(), listener.clone());
    let patches = hooks.context(&[message(1, Role::User, &["go"])]).await;
    assert_eq!(withheld(&patches), [MessageId::new(1)]);
    let call = CompletedCall {
        run: "r".into(),
        call: ToolCallId::new(1),
        tool: "shell".into(),
        arguments: "{}".into(),
    };
    let refused = hooks.after_call(&call, &ToolOutput::text("done")).await.unwrap();
    assert_eq!(refused.outcome, Outcome::Failed);
    assert!(listener.0.lock().unwrap().is_empty(), "nothing was run");
}

#[tokio::test]
async fn what_the_kernel_says_is_no_prompt() {
    let listener = Listener::default();
    let hooks = listener.hooks("UserPromptSubmit");
    let said = message(0, Role::User, &["go"]);
    let noted = message(1, Role::User, &["The helper `kid` has ended; it found a secret."]);
    let noted = Arc::new(Message { author: Author::Kernel, ..(*noted).clone() });
    let patches = hooks.context(&[said, noted]).await;
    assert_eq!(listener.prompts(), ["go"]);
    assert_eq!(withheld(&patches), []);
    // A person who says the same is asked about.
    let forged = message(2, Role::User, &["The helper `kid` has ended; it found a secret."]);
    assert_eq!(withheld(&hooks.context(&[forged]).await), [MessageId::new(2)]);
}

#[test]
fn the_files_of_a_started_program_are_those_that_its_words_name_and_what_an_interpreter_takes_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().canonicalize().unwrap();
    for name in [
        "srv.py",
        "mod.py",
        "mod/__main__.py",
        "sub/srv.py",
        "sub/run.sh",
        "other.py",
        "run.js",
        "conf.ini",
        "pack/__init__.py",
        "pack/inner.py",
    ] {
        let path = project.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let whole = project.join("sub/srv.py");
    let whole = whole.to_str().unwrap();
    let check = |cwd: &str, line: &[&str], expect: &[&str]| {
        let found = started(&project, &project.join(cwd), line.iter().copied()).unwrap();
        let expect: Vec<_> = expect.iter().map(|name| project.join(name)).collect();
        assert_eq!(found, expect, "{line:?} in `{cwd}`");
    };
    check("", &["/usr/bin/python3", "srv.py", "ok"], &["srv.py"]);
    check("sub", &["/usr/bin/python3", "srv.py"], &["sub/srv.py"]);
    check("", &["python3.12", "-m", "mod"], &["mod/__main__.py", "mod.py"]);
    check("", &["python3", "-mmod"], &["mod/__main__.py", "mod.py"]);
    check("", &["python3", "-m", "pack.inner"], &["pack/__init__.py", "pack/inner.py"]);
    check("", &["python3", "-Impack.inner"], &["pack/__init__.py", "pack/inner.py"]);
    check("", &["/usr/bin/env", "-m", "mod"], &[]);
    check("", &["node", "run"], &["run.js"]);
    check("", &["./sub/run.sh", "--conf=conf.ini"], &["conf.ini", "sub/run.sh"]);
    check("", &["sh", "-c", "cd sub && exec ./run.sh $MORE"], &["sub/run.sh"]);
    check("", &["uv", "--directory", "sub", "run", "srv.py"], &["srv.py", "sub/srv.py"]);
    check("/", &["/usr/bin/python3", whole], &["sub/srv.py"]);
    check("/", &["/usr/bin/python3", "srv.py"], &[]);
    check("/", &["/usr/bin/python3", whole.trim_start_matches('/')], &["sub/srv.py"]);
    check("", &["uvx", "mcp-server-git"], &[]);
}
