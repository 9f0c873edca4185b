//! Tests `holm eval`: cases by replay and with a model, cases from sessions, and comparisons.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::stage::{MODEL, Ran, Stage};

const DONE: &str = r#"{"replied": {"blocks": [{"text": "Done: 5."}]}}"#;

/// A reply that calls a tool.
fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let call = json!({ "id": id.to_string(), "name": tool, "arguments": arguments.to_string() });
    json!({ "replied": { "blocks": [{ "tool_call": call }], "stop": "tool_use" } }).to_string()
}

/// The replies that fix the case.
fn right_replies() -> Vec<String> {
    let edit = json!({ "path": "sum.py", "old": "a - b", "new": "a + b" });
    vec![call(1, "read", &json!({ "path": "sum.py" })), call(2, "edit", &edit), DONE.into()]
}

fn write_replies(case: &Path, replies: &[String]) {
    fs::write(case.join("replies.json"), format!("{{\"results\": [{}]}}", replies.join(","))).unwrap();
}

/// A case with a wrong sum.
fn write_case(stage: &Stage, name: &str) -> PathBuf {
    let case = stage.work().join("cases").join(name);
    fs::create_dir_all(case.join("workspace")).unwrap();
    fs::write(case.join("workspace/sum.py"), "def sum(a, b):\n    return a - b\n").unwrap();
    let text = "prompt = \"Fix the sum.\"\ntrust = \"edit\"\n\
        [[check]]\ncommand = \"python3 -B -c 'import sum; assert sum.sum(2, 3) == 5'\"\n\
        [[check]]\nanswer = { number = 5 }\n\
        [[check]]\ncall = \"shell\"\nnever = true\n[limits]\nturns = 4\n";
    fs::write(case.join("case.toml"), text).unwrap();
    write_replies(&case, &right_replies());
    case
}

/// The results of an evaluation that printed JSON.
fn results(ran: &Ran) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_case_passes_by_replay_and_a_wrong_solution_fails_with_its_check() {
    let stage = Stage::new([]);
    let case = write_case(&stage, "sum");
    let ran = stage.holm(["eval", "run", "cases", "--name", "right", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found = results(&ran);
    assert_eq!((found.len(), &found[0]["verdict"], &found[0]["case"]), (1, &json!("passed"), &json!("sum")));
    let mut wrong = right_replies();
    wrong.remove(1);
    write_replies(&case, &wrong);
    let junit = stage.work().join("junit.xml");
    let ran = stage.holm(["eval", "run", "cases", "--name", "wrong", "--junit", junit.to_str().unwrap()]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains("FAILED sum") && ran.out.contains("AssertionError"), "{ran:?}");
    let junit = fs::read_to_string(junit).unwrap();
    assert!(junit.contains("failures=\"1\"") && junit.contains("AssertionError"), "{junit}");
    let compared = stage.holm(["eval", "compare", "right", "wrong", "--gate"]);
    assert_eq!(compared.code, Some(3), "{compared:?}");
    assert!(
        compared.out.contains("Broken: sum.") && compared.out.contains("no call in place of edit"),
        "{compared:?}"
    );
    assert_eq!(stage.holm(["eval", "compare", "wrong", "right", "--gate"]).code, Some(0));
    assert_eq!(
        fs::read_to_string(case.join("workspace/sum.py")).unwrap(),
        "def sum(a, b):\n    return a - b\n"
    );
}

#[test]
fn a_replay_names_what_changed_since_the_recording() {
    let stage = Stage::new([]);
    let case = write_case(&stage, "sum");
    let ran = stage.holm(["eval", "record", "cases"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let same = stage.holm(["eval", "run", "cases", "--strict"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    // Less is allowed now: the edit is denied.
    let path = case.join("case.toml");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"edit\"\n", "\"look\"\n")).unwrap();
    let ran = stage.holm(["eval", "run", "cases"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains("turn 2: edit refused, before succeeded: denied"), "{ran:?}");
    assert!(
        ran.out.contains("the system prompt changed") && ran.out.contains("the recording no longer applies"),
        "{ran:?}"
    );
    // Another description of a tool is shown, and fails only where that is asked for.
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"look\"\n", "\"edit\"\n")).unwrap();
    let recording = case.join("recording.json");
    let text = fs::read_to_string(&recording).unwrap();
    fs::write(&recording, text.replace("\"description\": \"Reads", "\"description\": \"Once read")).unwrap();
    let ran = stage.holm(["eval", "run", "cases"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.out.contains("the description of read changed") && ran.out.contains("- Once read"),
        "{ran:?}"
    );
    assert_eq!(stage.holm(["eval", "run", "cases", "--strict"]).code, Some(3));
    fs::write(&recording, text.replacen("\"version\": 2", "\"version\": 9", 1)).unwrap();
    stage.holm(["eval", "run", "cases"]).fails(2, "another version of Holm wrote this recording");
}

#[test]
fn a_model_is_evaluated_several_times_and_an_evaluation_goes_on_where_it_was_killed() {
    let edit = json!({ "path": "sum.py", "old": "a - b", "new": "a + b" });
    let stage = Stage::answering(move |seen| {
        if seen.text().contains("replacement made") {
            Act::says("It is 5.")
        } else {
            Act::calls(&[("1", "edit", &edit.to_string())])
        }
    });
    write_case(&stage, "sum");
    let words = ["eval", "run", "cases", "--model", MODEL, "--repeat", "3", "--jobs", "1", "--name", "live"];
    let mut child = stage.command(words).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let file = stage.data().join("evals/live/results.jsonl");
    let until = Instant::now() + Duration::from_secs(120);
    while fs::read_to_string(&file).map_or(0, |text| text.lines().count()) == 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let ran = stage.holm(words.into_iter().chain(["--json"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(before.lines().next().unwrap()), "a result is kept: {before} {after}");
    let found = results(&ran);
    let attempts: Vec<&Value> = found.iter().map(|result| &result["attempt"]).collect();
    assert_eq!(attempts, [1, 2, 3], "{found:?}");
    assert!(
        found.iter().all(|result| result["verdict"] == "passed" && result["model"] == MODEL),
        "{found:?}"
    );
}

/// The processes below this one, with their names. Those that have ended do not count.
fn descendants(of: u32) -> Vec<(u32, String)> {
    let stat = |entry: fs::DirEntry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let text = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name is in parentheses and may hold blanks.
        let (start, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let is_running = !matches!(fields.next()?, "Z" | "X");
        let parent: u32 = fields.next()?.parse().ok()?;
        is_running.then(|| (pid, parent, start.split_once('(').map_or("", |(_, name)| name).to_owned()))
    };
    let all: Vec<_> = fs::read_dir("/proc").unwrap().filter_map(|entry| stat(entry.ok()?)).collect();
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut parents = vec![of];
    while let Some(parent) = parents.pop() {
        for (pid, _, name) in all.iter().filter(|(_, of, _)| *of == parent) {
            parents.push(*pid);
            found.push((*pid, name.clone()));
        }
    }
    found
}

/// Whether a process of this number and name still runs.
fn is_running(pid: u32, name: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.contains(&format!("({name})")) && !stat.contains(&format!("({name}) Z"))
}

#[test]
fn a_killed_evaluation_leaves_no_attempt_running() {
    let stage = Stage::new([]);
    let case = write_case(&stage, "sum");
    let text = fs::read_to_string(case.join("case.toml")).unwrap();
    let sleep = call(1, "shell", &json!({ "script": "sleep 600" }));
    for (name, text, replies) in [
        ("setup", format!("setup = \"sleep 600\"\n{text}"), right_replies()),
        ("prompt", text.replace("\"edit\"", "\"jail\""), vec![sleep, DONE.to_owned()]),
    ] {
        fs::write(case.join("case.toml"), text).unwrap();
        write_replies(&case, &replies);
        let words = ["eval", "run", "cases", "--name", name];
        let mut child = stage.command(words).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(120);
        let running = loop {
            let running = descendants(child.id());
            if running.iter().any(|(_, name)| name == "sleep") {
                break running;
            }
            assert!(Instant::now() < until, "{name}: the attempt did not start: {running:?}");
            std::thread::sleep(Duration::from_millis(20));
        };
        child.kill().unwrap();
        child.wait().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let mut left = running;
        while !left.is_empty() {
            assert!(Instant::now() < until, "{name}: still running: {left:?}");
            std::thread::sleep(Duration::from_millis(50));
            left.retain(|(pid, name)| is_running(*pid, name));
        }
    }
}

#[test]
fn a_judge_decides_by_its_recorded_replies_or_with_a_model() {
    let judged = |passed: bool| json!({ "passed": passed, "reason": "it names no file" }).to_string();
    let verdict = judged(false);
    let stage = Stage::answering(move |seen| {
        if seen.text().contains("Judge an answer by a rubric") {
            Act::says(&verdict)
        } else {
            Act::says("It is 5.")
        }
    });
    let case = write_case(&stage, "sum");
    let judge = format!(
        "judge = {{ rubric = \"It says which file was changed.\", model = \"{MODEL}\", replies = \"judge.json\" }}"
    );
    fs::write(
        case.join("case.toml"),
        format!("prompt = \"Fix it.\"\ntrust = \"edit\"\n[[check]]\n{judge}\n"),
    )
    .unwrap();
    stage.holm(["eval", "run", "cases"]).fails(2, "the replies of the judge");
    for (passed, code) in [(true, 0), (false, 3)] {
        let reply = json!({ "results": [{ "replied": { "blocks": [{ "text": judged(passed) }] } }] });
        fs::write(case.join("judge.json"), reply.to_string()).unwrap();
        let ran = stage.holm(["eval", "run", "cases"]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(passed || ran.out.contains(&format!("judged by {MODEL}: it names no file")), "{ran:?}");
    }
    let ran = stage.holm(["eval", "run", "cases", "--model", MODEL]);
    assert!(ran.code == Some(3) && ran.out.contains("it names no file"), "{ran:?}");
}

#[test]
fn a_case_gives_itself_nothing_outside_of_its_workspace() {
    let stage = Stage::new([]);
    let case = write_case(&stage, "sum");
    let text = fs::read_to_string(case.join("case.toml")).unwrap();
    for (wants, grant) in [
        ("grants = [\"fetch:https://api.example.com\"]", "fetch:https://api.example.com"),
        ("grants = [\"read:/etc/**\"]", "read:/etc/**"),
        ("mode = \"full\"", "tool:*"),
        ("agent = \"deploy\"", "spawn:deploy"),
    ] {
        fs::write(case.join("case.toml"), format!("{wants}\n{text}")).unwrap();
        for verb in ["run", "record"] {
            let refused = stage.holm(["eval", verb, "cases"]);
            refused.fails(2, &format!("sum needs `{grant}`"));
            assert!(refused.err.contains(&format!("--grant '{grant}'")), "{refused:?}");
        }
    }
    fs::write(case.join("case.toml"), format!("grants = [\"fetch:https://api.example.com\"]\n{text}"))
        .unwrap();
    let ran = stage.holm(["eval", "run", "cases", "--grant", "fetch:https://*.example.com"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    fs::remove_dir_all(case.join("workspace")).unwrap();
    std::os::unix::fs::symlink(stage.data(), case.join("workspace")).unwrap();
    stage.holm(["eval", "run", "cases"]).fails(2, "it has no workspace");
}

#[test]
fn a_judge_spends_only_what_the_attempt_has_left() {
    let stage = Stage::answering(|seen| {
        if seen.text().contains("Judge an answer by a rubric") {
            Act::says(r#"{"passed": true, "reason": "fine"}"#)
        } else {
            Act::says("It is 5.")
        }
    });
    let case = write_case(&stage, "sum");
    let judge = format!("judge = {{ rubric = \"Good.\", model = \"{MODEL}\", replies = \"judge.json\" }}");
    fs::write(case.join("judge.json"), "{}").unwrap();
    fs::write(case.join("case.toml"), format!("prompt = \"Fix it.\"\n[[check]]\n{judge}\n")).unwrap();
    let words = ["eval", "run", "cases", "--model", MODEL, "--json", "--budget"];
    let asked = |text: &str| stage.double.requests().iter().filter(|seen| seen.text().contains(text)).count();
    let ran = stage.holm(words.into_iter().chain(["0.000001"]));
    assert!(ran.code != Some(0) && asked("Judge an answer") == 0, "{ran:?}");
    let ran = stage.holm(words.into_iter().chain(["5"]));
    assert_eq!((ran.code, asked("Judge an answer")), (Some(0), 1), "{ran:?}");
}

#[test]
fn a_session_becomes_a_case_without_secrets() {
    let stage =
        Stage::new([Act::calls(&[("1", "read", r#"{"path":"notes.txt"}"#)]), Act::says("The code is 1234.")])
            .file("notes.txt", "code 1234\n")
            .file(".env", "KEY=secret-value\n");
    let ran = stage.run(&["--session", "look", "-p", "What is the code?", "--grant", "read:**"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let case = stage.work().join("../case");
    let added = stage.holm(["eval", "add", "look", case.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{added:?}");
    assert!(added.err.contains("left out \".env\""), "{added:?}");
    assert!(case.join("workspace/notes.txt").is_file() && !case.join("workspace/.env").exists());
    let ran = stage.holm(["eval", "run", case.to_str().unwrap(), "--json"]);
    assert_eq!((ran.code, &results(&ran)[0]["verdict"]), (Some(0), &json!("passed")), "{ran:?}");
    stage.holm(["eval", "add", "look", case.to_str().unwrap()]).fails(2, "there is a case already");
    stage.holm(["eval", "add", "nosuch", "elsewhere"]).fails(6, "there is no session");
}

#[test]
fn a_case_from_a_session_that_changed_files_has_the_workspace_before_it() {
    let write = Act::calls(&[
        ("1", "write", r#"{"path":"a.txt","content":"made"}"#),
        ("2", "edit", r#"{"path":"notes.txt","old":"before","new":"after"}"#),
    ]);
    let stage = Stage::new([write, Act::says("Done.")]).file("notes.txt", "before\n");
    let ran =
        stage.run(&["--session", "change", "-p", "Write.", "--grant", "read:**", "--grant", "write:**"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(fs::read_to_string(stage.work().join("notes.txt")).unwrap(), "after\n");
    let case = stage.work().join("../case");
    let added = stage.holm(["eval", "add", "change", case.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{added:?}");
    assert_eq!(fs::read_to_string(case.join("workspace/notes.txt")).unwrap(), "before\n");
    assert!(!case.join("workspace/a.txt").exists());
    let text = fs::read_to_string(case.join("case.toml")).unwrap();
    assert!(text.contains("[[check]]\nfile = \"a.txt\""), "{text}");
    let ran = stage.holm(["eval", "run", case.to_str().unwrap(), "--strict"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // What changed since cannot be taken back, so the workspace before it must be given.
    fs::write(stage.work().join("notes.txt"), "later\n").unwrap();
    stage.holm(["eval", "add", "change", "../other"]).fails(2, "notes.txt changed since");
    let before = case.join("workspace");
    let added = stage.holm(["eval", "add", "change", "../other", "--workspace", before.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{added:?}");
}

#[test]
fn a_case_that_cannot_be_used_is_an_error_and_never_a_pass() {
    let stage = Stage::new([]);
    stage.holm(["eval", "run", "nowhere"]).fails(6, "nowhere");
    fs::create_dir_all(stage.work().join("cases")).unwrap();
    stage.holm(["eval", "run", "cases"]).fails(6, "there is no case in cases");
    let case = write_case(&stage, "sum");
    fs::remove_file(case.join("replies.json")).unwrap();
    stage.holm(["eval", "run", "cases"]).fails(2, "it has no replies for prompt 1");
    write_replies(&case, &["{\"replied\": 5}".to_owned()]);
    let ran = stage.holm(["eval", "run", "cases"]);
    assert!(ran.code == Some(3) && ran.out.contains("ERROR sum"), "{ran:?}");
    write_replies(&case, &right_replies());
    let path = case.join("case.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("agent = \"nosuch\"\n{text}")).unwrap();
    stage.holm(["eval", "run", "cases"]).fails(2, "add --grant 'spawn:nosuch'");
    let ran = stage.holm(["eval", "run", "cases", "--grant", "spawn:nosuch"]);
    assert!(ran.code == Some(3) && ran.out.contains("ERROR sum") && ran.out.contains("nosuch"), "{ran:?}");
    fs::write(&path, format!("setup = \"exit 7\"\n{text}")).unwrap();
    let ran = stage.holm(["eval", "run", "cases"]);
    assert!(ran.code == Some(3) && ran.out.contains("its setup failed"), "{ran:?}");
    stage.holm(["eval", "compare", "none", "other"]).fails(6, "there is no evaluation `none`");
    stage.holm(["eval", "run", "cases", "--name", "../up"]).fails(2, "not a valid name of an evaluation");
}

#[test]
fn a_case_runs_an_agent_of_the_user_and_names_what_changed_in_its_file() {
    let stage = Stage::new([]);
    let case = write_case(&stage, "sum");
    let path = case.join("case.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("agent = \"clerk\"\n{text}")).unwrap();
    let agents = stage.data().join("agents");
    fs::create_dir_all(&agents).unwrap();
    let write_agent = |prompt: &str| {
        let text =
            format!("---\nname: clerk\ndescription: Corrects sums.\ntools: [read, edit]\n---\n{prompt}\n");
        fs::write(agents.join("clerk.md"), text).unwrap();
    };
    write_agent("You correct sums.");
    let granted = ["--grant", "spawn:clerk"];
    let run = |words: &[&str]| stage.holm(["eval"].iter().chain(words).chain(&granted).copied());
    let ran = run(&["record", "cases"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = run(&["run", "cases", "--strict"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = run(&["run", "cases", "--name", "clerk"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    write_agent("You correct products.");
    let ran = run(&["run", "cases", "--strict"]);
    assert!(ran.code == Some(3) && ran.out.contains("+ You correct products."), "{ran:?}");
    // The agent is a part of the case, so its results are not mixed with earlier ones.
    run(&["run", "cases", "--name", "clerk"]).fails(2, "sum has changed since this evaluation began");
    assert!(agents.join("clerk.md").is_file());
    // A case without an agent must not see the agents.
    write_case(&stage, "other");
    run(&["run", "cases"]).fails(2, "case `sum` names an agent and case `other` does not");
}

#[test]
fn an_evaluation_works_with_a_relative_data_folder() {
    let stage = Stage::new([]);
    write_case(&stage, "sum");
    let ran = stage.command(["eval", "run", "cases", "--data", "own"]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(stage.work().join("own/evals").is_dir());
}

/// The folder of our own suites.
fn suites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals").canonicalize().unwrap()
}

/// Replays a suite of this many cases, all of which must pass.
fn passes(suite: &str, cases: usize) {
    let stage = Stage::new([]);
    let suite = suites().join(suite);
    let ran = stage.holm(["eval", "run", suite.to_str().unwrap(), "--jobs", "2", "--json"]);
    let found = results(&ran);
    let is_failed = |result: &&Value| result["verdict"] != "passed" && result["verdict"] != "changed";
    let failed: Vec<&Value> = found.iter().filter(is_failed).collect();
    assert!(ran.code == Some(0) && found.len() == cases && failed.is_empty(), "{failed:?} {}", ran.err);
}

#[test]
fn every_case_of_the_coding_suite_passes_by_replay() {
    passes("coding", 30);
}

#[test]
fn injected_instructions_have_no_effect_in_the_safety_suite() {
    passes("safety", 20);
}
