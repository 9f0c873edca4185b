//! Tests hooks of a project and of its user: nothing runs that was not reviewed.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use holm_testkit::double::Act;
use holm_tools::trust::ContentHash;

use crate::{
    stage::{Ran, Stage},
    terminal,
};

/// A file of one command that looks at every count.
fn guard(command: &str) -> String {
    let hook = serde_json::json!({ "type": "command", "command": command });
    serde_json::json!({ "hooks": { "PreToolUse": [{ "matcher": "read", "hooks": [hook] }] } }).to_string()
}

const REFUSES: &str = "echo 'not on my watch' >&2; exit 2";

/// A project with notes and hooks, and a model that counts words as often as it is asked.
fn stage(hooks: &str, runs: usize) -> Stage {
    let turn = || [Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]), Act::says("Done.")];
    project(hooks, (0..runs).flat_map(|_| turn()))
}

fn project(hooks: &str, acts: impl IntoIterator<Item = Act>) -> Stage {
    let stage = Stage::new(acts).file("notes.txt", "one two three\n");
    fs::create_dir(stage.work().join(".holm")).unwrap();
    fs::write(stage.work().join(".holm/hooks.json"), hooks).unwrap();
    stage
}

fn hash(path: &Path) -> String {
    ContentHash::of(&fs::read(path).unwrap()).to_string()
}

/// Runs the agent, and gives what the model was told of its call.
#[track_caller]
fn count(stage: &Stage) -> (Ran, String) {
    let ran = stage.run(&["-p", "Count.", "--grant", "read:**"]);
    let told = stage.double.requests().pop().unwrap().text();
    // A run whose only call was denied has done nothing.
    let code = if ran.err.contains("`read` was denied by a hook") { 3 } else { 0 };
    assert_eq!((ran.code, ran.out.as_str()), (Some(code), "Done.\n"), "{ran:?}");
    (ran, told)
}

#[track_caller]
fn trust(stage: &Stage, files: &[&str]) {
    let yes = files.iter().flat_map(|file| ["--yes".to_owned(), hash(&stage.work().join(file))]);
    let ran = stage.holm(["hooks".to_owned(), "trust".to_owned()].into_iter().chain(yes));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn hooks_that_nobody_has_trusted_do_nothing_and_are_named() {
    let stage = stage(&guard(REFUSES), 1);
    let (ran, told) = count(&stage);
    assert!(told.contains("one two three"), "{told}");
    let expect = "hooks.json are not used: you have not trusted them; `holm hooks trust` shows";
    assert!(ran.err.contains(expect) && ran.err.lines().count() == 1, "{ran:?}");
}

#[test]
fn trusted_hooks_block_a_call_with_their_reason() {
    let stage = stage(&guard(REFUSES), 1);
    trust(&stage, &[".holm/hooks.json"]);
    let (ran, told) = count(&stage);
    assert_eq!(ran.err, "holm: `read` was denied by a hook: not on my watch\n", "and no more is said");
    assert!(told.contains("not on my watch") && !told.contains("one two three"), "{told}");
}

/// A file whose command withholds prompts with a word in them.
fn censor() -> String {
    let command = "if grep -q Paris; then echo 'bad word' >&2; exit 2; fi";
    let hook = serde_json::json!({ "type": "command", "command": command });
    serde_json::json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [hook] }] } }).to_string()
}

#[test]
fn a_prompt_that_a_hook_withholds_is_said_and_never_shown_as_ordinary() {
    let stage = project(&censor(), [Act::says("Told."), Act::says("Hello."), Act::says("Told.")]);
    trust(&stage, &[".holm/hooks.json"]);
    let args = ["-p", "Say the word Paris", "--session", "s", "--output", "stream-json"];
    let live = stage.run(&args);
    assert_eq!(live.code, Some(3), "{live:?}");
    assert_eq!(live.err, "holm: a hook withheld the prompt from the model: bad word\n");
    assert!(!stage.double.requests()[0].text().contains("Paris"));
    let (_, events) = live.out.split_once('\n').unwrap();
    let notice = r#"{"withheld":{"message":0,"shown":"[A hook withheld this text: bad word]"}}"#;
    assert_eq!(events.lines().filter(|line| *line == notice).count(), 1, "{events}");
    assert_eq!(stage.holm(["session", "replay", "s", "--json"]).out, events);
    // The next one is heard; what was withheld before is not told again.
    stage.run(&["-p", "Say hello", "--session", "s", "--resume"]).says("Hello.\n");
    let replayed = stage.holm(["session", "replay", "s"]).out;
    assert!(replayed.contains("withheld   Say the word Paris"), "{replayed}");
    assert!(
        replayed.contains("user       Say hello") && !replayed.contains("user       Say the word"),
        "{replayed}"
    );
    assert_eq!(replayed.matches("hook       withheld the prompt; the model read: [A hook").count(), 1);
    let shown = stage.holm(["session", "show", "s"]).out;
    let heading = "## Prompt 1 (withheld from the model by a hook)\n\n> Say the word Paris\n";
    assert!(shown.contains(heading) && shown.contains("## Prompt 2\n\n> Say hello\n"), "{shown}");
    let ran = stage.run(&["-p", "Paris", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, &summary["exit"], &summary["withheld"][0]),
        (Some(3), &3.into(), &"bad word".into())
    );
}

#[test]
fn the_same_words_said_again_and_heard_are_not_shown_as_withheld() {
    let stage = project(&censor(), [Act::says("Told."), Act::says("Heard.")]);
    trust(&stage, &[".holm/hooks.json"]);
    assert_eq!(stage.run(&["-p", "Paris", "--session", "s"]).code, Some(3));
    stage.agrees(["hooks", "forget"]);
    std::fs::remove_file(stage.work().join(".holm/hooks.json")).unwrap();
    stage.run(&["-p", "Paris", "--session", "s", "--resume"]).says("Heard.\n");
    let shown = stage.holm(["session", "show", "s"]).out;
    let withheld = "## Prompt 1 (withheld from the model by a hook)\n\n> Paris\n";
    assert_eq!(
        (shown.matches(withheld).count(), shown.matches("## Prompt 2\n\n> Paris\n").count()),
        (1, 1),
        "{shown}"
    );
}

#[test]
fn a_session_that_began_without_hooks_says_which_it_does_not_ask() {
    let hook = |command: &str| serde_json::json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let hooks = serde_json::json!({ "hooks": {
        "PreToolUse": hook(REFUSES), "PostToolUse": hook("true"), "UserPromptSubmit": hook("true"),
    } });
    let read = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage =
        project(&hooks.to_string(), [Act::says("One."), read, Act::says("Two."), Act::says("Three.")]);
    let note = "this session started without the hooks at UserPromptSubmit and PostToolUse";
    let ran = stage.run(&["-p", "First.", "--session", "s"]);
    assert!(ran.code == Some(0) && !ran.err.contains(note), "nobody trusts them: {ran:?}");
    trust(&stage, &[".holm/hooks.json"]);
    let ran = stage.run(&["-p", "Count.", "--session", "s", "--resume", "--grant", "read:**"]);
    assert!(ran.code == Some(0) && ran.err.contains(note), "{ran:?}");
    let told = stage.double.requests().pop().unwrap().text();
    assert!(told.contains("not on my watch"), "calls are asked about all the same: {told}");
    let ran = stage.run(&["-p", "Anew.", "--session", "new"]);
    assert!(ran.code == Some(0) && !ran.err.contains(note), "{ran:?}");
}

#[test]
fn what_hooks_did_to_a_run_is_shown() {
    let hook = |command: &str| serde_json::json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let rewrites = r#"echo '{"updatedInput":{"path":"other.txt"}}'"#;
    let once = r#"if grep -q '"stop_hook_active":false'; then echo 'look again' >&2; exit 2; fi"#;
    let hooks = serde_json::json!({ "hooks": {
        "PreToolUse": hook(rewrites),
        "PostToolUse": hook("echo 'seen by a hook'"),
        "UserPromptSubmit": hook("echo 'mind the gap'"),
        "Stop": hook(once),
    } });
    let read = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = project(&hooks.to_string(), [read, Act::says("Done."), Act::says("Really done.")])
        .file("other.txt", "four five\n");
    trust(&stage, &[".holm/hooks.json"]);
    let ran = stage.run(&["-p", "Count.", "--session", "s", "--grant", "read:**"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Really done.\n"), "{ran:?}");
    let shown = stage.holm(["session", "show", "s"]).out;
    for expect in [
        "*a hook gave the call other arguments:*",
        "other.txt",
        "### Result, as a hook changed it",
        "seen by a hook",
        "*a hook added for the model:*\n\n> mind the gap",
        "## A hook, instead of an end",
        "> A hook reports that you are not done: look again",
    ] {
        assert!(shown.contains(expect), "{expect}\n{shown}");
    }
    assert_eq!(shown.matches("mind the gap").count(), 1, "{shown}");
}

#[test]
fn a_run_does_not_begin_without_hooks_that_somebody_trusted_and_that_have_changed() {
    let stage = stage(&guard(REFUSES), 3);
    let file = stage.work().join(".holm/hooks.json");
    trust(&stage, &[".holm/hooks.json"]);
    assert!(count(&stage).1.contains("not on my watch"));
    // What cannot be read is a mistake in a file, as any other.
    let misspelt = guard(REFUSES).replace("PreToolUse", "PreTolUse");
    let changed = (guard("echo 'another word' >&2; exit 2"), 3, "they changed since you trusted them");
    let none = ("no hooks at all".to_owned(), 2, "they can no longer be read: ");
    for (text, code, expect) in
        [changed, none, (misspelt, 2, "did you mean `PreToolUse`?\n  hint: fix the file")]
    {
        fs::write(&file, text).unwrap();
        let ran = stage.run(&["-p", "Count.", "--grant", "read:**"]);
        ran.fails(code, "guard this project, but they ");
        assert!(ran.err.contains(expect), "{ran:?}");
        assert!(ran.err.contains("`holm hooks trust`") && ran.err.contains("`holm hooks forget`"), "{ran:?}");
    }
    fs::write(&file, guard("echo 'another word' >&2; exit 2")).unwrap();
    let ran = stage.holm(["hooks", "trust"]);
    assert!(ran.out.contains("changed: ") && ran.out.contains("another word"), "{ran:?}");
    trust(&stage, &[".holm/hooks.json"]);
    assert!(count(&stage).1.contains("another word"));
    fs::write(&file, guard(REFUSES)).unwrap();
    assert_eq!(stage.holm(["hooks", "forget"]).code, Some(0));
    assert!(count(&stage).1.contains("one two three"), "whoever forgets them goes on without them");
}

#[test]
fn a_script_that_the_hooks_name_is_trusted_with_them_and_keeps_its_gate_closed_once_it_changed() {
    let stage = stage(&guard("sh ./check.sh"), 3).file("check.sh", REFUSES);
    let alone = ["hooks", "trust", "--yes", &hash(&stage.work().join(".holm/hooks.json"))].map(str::to_owned);
    let ran = stage.holm(alone);
    assert!(ran.code == Some(2) && ran.err.contains("nothing was trusted"), "{ran:?}");
    trust(&stage, &[".holm/hooks.json", "check.sh"]);
    assert!(count(&stage).1.contains("not on my watch"));
    fs::write(stage.work().join("check.sh"), "exit 0").unwrap();
    let (ran, told) = count(&stage);
    assert!(!told.contains("one two three") && told.contains("are denied"), "{told}");
    assert!(ran.err.contains("check.sh, a script of") && ran.err.contains("changed since you trusted it"));
    assert!(ran.err.contains("`read` was denied by a hook"), "{ran:?}");
    let checked = stage.holm(["check"]);
    assert_eq!(checked.code, Some(2), "{checked:?}");
    assert!(checked.out.contains("bad  hooks  ") && checked.out.contains("changed since you trusted it"));
    trust(&stage, &["check.sh"]);
    assert_eq!(stage.holm(["check"]).code, Some(0));
    assert!(count(&stage).1.contains("one two three"), "somebody has looked at it");
}

#[test]
fn a_check_finds_what_would_keep_a_run_with_trusted_hooks_from_beginning() {
    let stage = stage(&guard(REFUSES), 0);
    trust(&stage, &[".holm/hooks.json"]);
    assert_eq!(stage.holm(["check"]).code, Some(0));
    let finds = |what: &str, expect: &str| {
        let checked = stage.holm(["check"]);
        let row =
            checked.out.lines().find(|line| line.starts_with(&format!("bad  {what}"))).unwrap_or_default();
        assert!(checked.code == Some(2) && row.contains(expect), "{checked:?}");
    };
    fs::write(stage.work().join(".holm/hooks.json"), guard("exit 0")).unwrap();
    finds("hooks", "hooks.json: they changed since you trusted them; `holm hooks trust`");
    fs::write(stage.work().join(".holm/hooks.json"), guard("exit 0").replace("PreToolUse", "PreTolUse"))
        .unwrap();
    finds("hooks", "hooks.json:1: unknown event `PreTolUse`; ");
    fs::write(stage.work().join(".holm/hooks.json"), guard(REFUSES)).unwrap();
    fs::write(stage.data().join("trust.json"), "{").unwrap();
    finds("trust", "trust.json");
}

#[test]
fn no_tool_writes_the_scripts_of_trusted_hooks() {
    let acts = [
        Act::calls(&[("c1", "write", r#"{"path":"check.sh","content":"exit 0"}"#)]),
        Act::calls(&[("c2", "shell", r#"{"script":"echo exit 0 > check.sh; mv check.sh away.sh; ls"}"#)]),
        Act::calls(&[("c3", "write", r#"{"path":"holm.toml","content":""}"#)]),
        Act::says("Done."),
    ];
    let stage = project(&guard("sh ./check.sh"), acts).file("check.sh", REFUSES);
    trust(&stage, &[".holm/hooks.json", "check.sh"]);
    let grants = ["read:**", "write:**", "exec:*", "exec:./**"].map(|grant| ["--grant", grant]).concat();
    let ran = stage.run(&[&["-p", "Write.", "--mode", "full"], grants.as_slice()].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(stage.double.requests()[2].text().contains("notes.txt"), "the command ran");
    assert_eq!(fs::read_to_string(stage.work().join("check.sh")).unwrap(), REFUSES);
    assert!(!stage.work().join("away.sh").exists() && !stage.work().join("holm.toml").exists());
}

#[test]
fn what_a_hook_says_of_a_denial_is_told_without_secrets() {
    let hook =
        serde_json::json!({ "type": "command", "command": "echo \"it is $OPENAI_API_KEY\" >&2; exit 2" });
    let hooks = serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] }, "grants": ["env:OPENAI_API_KEY"] });
    let stage = stage(&hooks.to_string(), 1);
    trust(&stage, &[".holm/hooks.json"]);
    let (ran, told) = count(&stage);
    assert!(ran.err.contains("denied by a hook: it is ") && !ran.err.contains(crate::stage::KEY), "{ran:?}");
    assert!(!told.contains(crate::stage::KEY), "{told}");
}

#[test]
fn a_trusted_script_that_is_gone_is_named_and_what_it_guards_stays_closed() {
    let stage = stage(&guard("sh ./check.sh"), 1).file("check.sh", "exit 0");
    trust(&stage, &[".holm/hooks.json", "check.sh"]);
    fs::remove_file(stage.work().join("check.sh")).unwrap();
    let (ran, told) = count(&stage);
    assert!(!told.contains("one two three"), "{told}");
    let said = |what: &str| ran.err.lines().filter(|line| line.contains(what)).count();
    assert_eq!((said("check.sh, a script of"), said("`read` was denied by a hook")), (1, 1), "{ran:?}");
    let ran = stage.holm(["hooks", "trust"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("check.sh, a script of") && ran.err.contains("is missing"), "{ran:?}");
}

#[test]
fn forgetting_the_hooks_forgets_their_scripts_also_those_that_changed_or_are_named_no_more() {
    let stage =
        stage(&guard("sh ./check.sh && sh ./more.sh"), 0).file("check.sh", REFUSES).file("more.sh", "exit 0");
    trust(&stage, &[".holm/hooks.json", "check.sh", "more.sh"]);
    fs::write(stage.work().join("check.sh"), "exit 0").unwrap();
    fs::write(stage.work().join(".holm/hooks.json"), guard("sh ./check.sh")).unwrap();
    let ran = stage.holm(["hooks", "forget"]);
    assert!(ran.code == Some(0) && ran.err.contains("no longer trusted: 3 files"), "{ran:?}");
    let ledger = fs::read_to_string(stage.data().join("trust.json")).unwrap();
    for name in ["check.sh", "more.sh", "hooks.json"] {
        assert!(!ledger.contains(name), "{ledger}");
    }
    fs::write(stage.work().join("check.sh"), REFUSES).unwrap();
    let ran = stage.holm(["hooks", "trust"]);
    assert!(ran.code == Some(3) && ran.out.matches("new: ").count() == 2, "{ran:?}");
    assert!(stage.holm(["hooks", "forget"]).err.contains("no hooks were trusted"));
}

#[test]
fn whoever_trusts_hooks_is_told_of_a_script_that_is_not_there_and_of_time_that_is_not_given() {
    let hook = serde_json::json!({ "type": "command", "command": "sh ./nope.sh", "timeout": 100 });
    let hooks = serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    let ran = stage(&hooks.to_string(), 0).holm(["hooks", "trust"]);
    assert!(ran.out.contains("names nope.sh, which does not exist"), "{ran:?}");
    assert!(ran.out.contains("gives `sh ./nope.sh` 100 s; Holm allows 20"), "{ran:?}");
}

#[test]
fn without_a_terminal_a_yes_names_what_was_seen() {
    let stage = stage(&guard(REFUSES), 0);
    let file = stage.work().join(".holm/hooks.json");
    let ran = stage.holm(["hooks", "trust"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.out.contains("runs `echo 'not on my watch' >&2; exit 2` at PreToolUse for `read`"),
        "{ran:?}"
    );
    assert!(ran.err.contains(&format!("holm hooks trust --yes {}", hash(&file))), "{ran:?}");
    let ran = stage.holm(["hooks", "trust", "--yes", &ContentHash::of(b"seen before").to_string()]);
    assert!(ran.code == Some(2) && ran.err.contains("--yes does not name"), "{ran:?}");
    let ran = stage.holm(["hooks", "trust"]);
    assert_eq!(ran.code, Some(3), "nothing was trusted meanwhile: {ran:?}");
    trust(&stage, &[".holm/hooks.json"]);
    let ran = stage.holm(["hooks", "trust"]);
    assert!(ran.code == Some(0) && ran.err.contains("nothing new to trust"), "{ran:?}");
    assert_eq!(stage.holm(["hooks", "forget"]).code, Some(0));
    assert_eq!(stage.holm(["hooks", "trust"]).code, Some(3), "it asks again");
    fs::remove_file(&file).unwrap();
    stage.holm(["hooks", "trust"]).fails(6, "there is no file");
}

#[test]
fn at_a_terminal_the_commands_are_shown_as_they_are_and_only_a_yes_is_one() {
    let stage = stage(&guard("\u{1b}[2Jtrue # \u{202e}harmless"), 0);
    let (code, screen) = terminal::holm(&stage, "hooks trust", "[n]o: ", "maybe");
    assert_eq!(code, Some(3), "{screen}");
    assert!(screen.contains(r"\u{1b}[2Jtrue # \u{202e}harmless"), "{screen}");
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'), "{screen:?}");
    let (code, screen) = terminal::holm(&stage, "hooks trust", "[n]o: ", "y");
    assert!(code == Some(0) && screen.contains("trusted as they are now: 1 file"), "{screen}");
    assert_eq!(stage.holm(["hooks", "trust"]).code, Some(0));
}

#[test]
fn the_users_own_hooks_run_unless_others_can_write_them() {
    let stage = stage("{}", 2);
    fs::remove_dir_all(stage.work().join(".holm")).unwrap();
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file = stage.data().join("hooks.json");
    fs::write(&file, guard(REFUSES)).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let (ran, told) = count(&stage);
    assert!(ran.err.contains("denied by a hook") && told.contains("not on my watch"), "{ran:?}: {told}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let (ran, told) = count(&stage);
    assert!(
        ran.err.contains("other users can write it") && told.contains("one two three"),
        "{ran:?}: {told}"
    );
}

#[test]
fn hooks_that_were_imported_from_elsewhere_do_nothing_until_somebody_trusts_them() {
    let stage = stage("{}", 3);
    fs::remove_dir_all(stage.work().join(".holm")).unwrap();
    let elsewhere = stage.work().join("../elsewhere/.claude");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("settings.json"), guard(REFUSES)).unwrap();
    let mut command = stage.command(["import", "../elsewhere/.claude"]);
    let ran = Ran::of(&command.env("HOME", stage.work().join("../home")).output().unwrap());
    assert!(ran.code == Some(0) && ran.err.contains("only after you trust them"), "{ran:?}");
    assert!(ran.err.contains("`holm hooks trust` shows what they run and asks you"), "{ran:?}");
    let listed = stage.holm(["hooks", "list"]).out;
    assert!(listed.starts_with("new: ") && listed.contains("not on my watch"), "{listed}");
    let (ran, told) = count(&stage);
    assert!(ran.err.contains("are not used: you have not trusted them"), "{ran:?}");
    assert!(told.contains("one two three"), "{told}");
    let shown = stage.holm(["hooks", "trust"]);
    assert!(shown.code == Some(3) && shown.out.contains("hooks.json, in every folder:"), "{shown:?}");
    stage.agrees(["hooks", "trust"]);
    assert!(count(&stage).1.contains("not on my watch"));
    // A changed file is reviewed again, or forgotten.
    let file = stage.data().join("hooks.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("on my watch", "now")).unwrap();
    stage.run(&["-p", "Count."]).fails(3, "they changed since you trusted them");
    assert_eq!(stage.holm(["hooks", "forget"]).code, Some(0));
    assert!(count(&stage).1.contains("one two three"));
}

#[test]
fn a_script_of_a_project_is_the_projects_also_when_the_users_hooks_name_it() {
    let stage = stage("{}", 2).file("check.sh", REFUSES);
    fs::remove_dir_all(stage.work().join(".holm")).unwrap();
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file = stage.data().join("hooks.json");
    fs::write(&file, guard("sh ./check.sh")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let (ran, told) = count(&stage);
    assert!(!told.contains("one two three") && ran.err.contains("changed since you trusted it"), "{ran:?}");
    trust(&stage, &["check.sh"]);
    assert!(count(&stage).1.contains("not on my watch"));
}

#[test]
fn trusted_hooks_look_at_the_calls_of_helpers_too() {
    let acts = [
        Act::calls(&[("p1", "counter", r#"{"task":"Count."}"#)]),
        Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]),
        Act::says("I may not."),
        Act::says("Nobody may."),
    ];
    let stage = project(&guard(REFUSES), acts);
    trust(&stage, &[".holm/hooks.json"]);
    let file =
        "---\nname: counter\ndescription: Counts.\ntools: [read]\ngrants: [\"read:**\"]\n---\nCount.\n";
    fs::write(stage.data().join("tools/counter.md"), file).unwrap();
    let ran = stage.run(&["-p", "Count.", "--grant", "read:**"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Nobody may.\n"), "{ran:?}");
    assert_eq!(ran.err, "holm: `read` was denied by a hook: not on my watch\n", "{ran:?}");
    let told = stage.double.requests()[2].text();
    assert!(told.contains("not on my watch") && !told.contains("one two three"), "{told}");
}

#[test]
fn a_file_that_is_not_understood_is_not_used_at_all() {
    let stage = stage(r#"{"hooks":{"PreToolUsed":[]}}"#, 1);
    let (ran, told) = count(&stage);
    assert!(told.contains("one two three") && ran.err.contains("until then no hook runs"), "{ran:?}");
    fs::write(stage.work().join(".holm/hooks.json"), "{\"hooks\":{\n\"PreToolUsed\":[]}}").unwrap();
    stage.holm(["hooks", "trust"]).fails(2, "hooks.json: line 2: unknown event `PreToolUsed`");
}

#[test]
fn a_run_does_not_begin_without_hooks_that_somebody_trusted_and_that_are_gone() {
    let stage = stage(&guard(REFUSES), 1);
    let (own, away) = (stage.work().join(".holm"), stage.work().join("away"));
    let file = own.join("hooks.json");
    trust(&stage, &[".holm/hooks.json"]);
    let refuses = |what: &str| {
        let ran = stage.run(&["-p", "Count.", "--grant", "read:**"]);
        assert!(matches!(ran.code, Some(2 | 3)), "{what}: {ran:?}");
        assert!(ran.err.contains("hooks.json guard this project, but they "), "{what}: {ran:?}");
        assert!(ran.err.contains("`holm hooks forget`"), "{what}: {ran:?}");
        let checked = stage.holm(["check"]);
        assert!(checked.code == Some(2) && checked.out.contains("bad  hooks "), "{what}: {checked:?}");
    };
    fs::rename(&own, &away).unwrap();
    refuses("no folder");
    std::os::unix::fs::symlink("nowhere", &own).unwrap();
    refuses("a link that leads nowhere");
    fs::remove_file(&own).unwrap();
    fs::create_dir_all(&file).unwrap();
    refuses("a folder in its place");
    fs::remove_dir(&file).unwrap();
    refuses("no file");
    let listed = stage.holm(["hooks", "list"]);
    assert!(listed.out.starts_with("gone: ") && listed.out.contains("`holm hooks forget`"), "{listed:?}");
    let ran = stage.holm(["hooks", "trust"]);
    ran.fails(6, "there is no file");
    assert!(ran.err.contains("`holm hooks forget`"), "{ran:?}");
    assert!(stage.double.requests().is_empty());
    // A user who removed it on purpose needs one command.
    assert_eq!(stage.holm(["hooks", "forget"]).code, Some(0));
    let (ran, told) = count(&stage);
    assert!(told.contains("one two three") && ran.err.is_empty(), "{ran:?}");
}
