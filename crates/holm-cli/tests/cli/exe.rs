//! Tests projects of agents-exe beyond their agents: its example tool, servers, named prompts, and
//! unsupported parts.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use holm_testkit::double::Act;
use serde_json::json;

use crate::stage::{KEY, MODEL, Ran, Stage};

/// The tool that the description of agents-exe describes. It says what it was called with, a word a line, and then what came
/// in.
const MYTOOL: &str = r#"#!/bin/sh
if [ "$1" = describe ]; then
cat <<'END'
{"slug": "mytool", "description": "Publishes an article.", "args": [
 {"name": "name", "description": "author", "type": "string", "backing_type": "string", "arity": "single", "mode": "positional"},
 {"name": "env", "description": "where", "type": "string", "backing_type": "string", "arity": "single", "mode": "dashdashspace"},
 {"name": "topic", "description": "what about", "type": "string", "backing_type": "string", "arity": "single", "mode": "positional"},
 {"name": "tag", "description": "label", "type": "string", "backing_type": "string", "arity": "single", "mode": "dashdashequal"},
 {"name": "comment", "description": "good", "type": "string", "backing_type": "string", "arity": "single", "mode": "stdin"},
 {"name": "rebuttal", "description": "bad", "type": "string", "backing_type": "string", "arity": "single", "mode": "stdin"}]}
END
else
printf '[%s]\n' "$@"
printf 'stdin:\n'
cat
fi
"#;

/// What the model says in that example.
const INPUT: &str = r#"{"name": "John", "env": "prod", "topic": "Salmons", "tag": "fish", "comment": "good article", "rebuttal": "uninteresting"}"#;

/// What the program gets: its first word is always `run`.
const GOT: &str =
    "[run]\n[John]\n[--env]\n[prod]\n[Salmons]\n[--tag=fish]\nstdin:\ngood article\n\nuninteresting\n";

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// An agent of agents-exe whose provider is the stage's.
fn agent(stage: &Stage, more: &serde_json::Value) -> String {
    let mut contents = json!({
        "slug": "main", "apiKeyId": "mine", "flavor": "OpenAIv1", "announce": "Helps.", "modelName": "small",
        "modelUrl": stage.double.base(holm::wire::Format::OpenaiChat), "systemPrompt": ["You help."],
    });
    for (key, value) in more.as_object().unwrap() {
        contents[key] = value.clone();
    }
    serde_json::to_string_pretty(&json!({"tag": "OpenAIAgentDescription", "contents": contents})).unwrap()
}

fn keys(stage: &Stage) {
    let path = stage.work().join("agents-exe.keys");
    fs::write(&path, json!({"keys": [{"id": "mine", "value": KEY}]}).to_string()).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// Runs the agent without what the stage knows of the provider.
fn run(stage: &Stage, args: &[&str]) -> Ran {
    let mut run = stage.command([&["run", "--agent", "agent.json"], args].concat());
    Ran::of(&run.env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL").output().unwrap())
}

#[test]
fn the_example_of_its_description_runs_exactly_as_documented() {
    let stage = Stage::new([Act::calls(&[("c1", "mytool", INPUT)]), Act::says("Published.")]);
    program(&stage.work().join(".holm/tools/mytool.sh"), MYTOOL);
    stage.agrees(["tool", "trust"]);
    let ran = stage.holm(["tool", "execute", "mytool", INPUT, "--grant", "tool:mytool"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), GOT, ""), "{ran:?}");
    stage.run(&["-p", "Publish it."]).says("Published.\n");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("[--tag=fish]") && told.contains("uninteresting"), "{told}");
}

#[test]
fn a_project_with_an_mcp_server_works_and_its_activation_groups_are_named() {
    let acts = [Act::calls(&[("c1", "sea_echo", r#"{"word":"ahoy"}"#)]), Act::says("It said ahoy.")];
    let stage = Stage::new(acts);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-mcp/tests/servers/server.py");
    let script = script.canonicalize().unwrap();
    let server = json!([{"tag": "McpSimpleBinary", "contents": {
        "name": "sea", "executable": "/usr/bin/python3", "args": [script, "ok"],
        "Activation": {"tag": "on-demand", "toolgroup": "g"},
    }}]);
    fs::write(stage.work().join("agent.json"), agent(&stage, &json!({"mcpServers": server}))).unwrap();
    fs::write(
        stage.work().join("agents-exe.cfg.json"),
        "{\"agentsFiles\": [\"agent.json\"],\n\"keymap\": \"k\"}",
    )
    .unwrap();
    keys(&stage);
    stage.agrees(["tool", "trust", "."]);
    let ran = run(&stage, &["-p", "Say ahoy.", "--mode", "full"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It said ahoy.\n"), "{ran:?}");
    assert!(ran.err.contains("agents-exe.cfg.json: not supported: a map of keys at line 2"), "{ran:?}");
    assert!(ran.err.contains("agent.json: not supported: an activation group at line "), "{ran:?}");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("ahoy"), "{told}");
    let checked = stage.holm(["check"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    for expect in
        ["ok   agents ", "ok   agent  ", "note agents ", "not supported: an activation group at line "]
    {
        assert!(checked.out.contains(expect), "{expect}: {checked:?}");
    }
}

#[test]
fn a_server_of_an_agent_starts_with_the_code_that_was_trusted_and_no_other() {
    let call = Act::calls(&[("c1", "sea_echo", r#"{"word":"ahoy"}"#)]);
    let stage = Stage::new([call, Act::says("It said ahoy."), Act::says("There is no sea.")]);
    let script = stage.work().canonicalize().unwrap().join("srv.py");
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-mcp/tests/servers/server.py");
    fs::copy(server, &script).unwrap();
    let server = json!([{"tag": "McpSimpleBinary", "contents": {
        "name": "sea", "executable": "/usr/bin/python3", "args": [script, "ok"],
    }}]);
    fs::write(stage.work().join("agent.json"), agent(&stage, &json!({"mcpServers": server}))).unwrap();
    keys(&stage);
    stage.agrees(["tool", "trust", "."]);
    let ask = ["-p", "Say ahoy.", "--mode", "full"];
    let ran = run(&stage, &ask);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It said ahoy.\n"), "{ran:?}");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, format!("{text}\n# Another line.\n")).unwrap();
    let ran = run(&stage, &ask);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "There is no sea.\n"), "{ran:?}");
    let told =
        "srv.py, which starts it, changed since you trusted it; review it, then run `holm tool trust /";
    assert!(ran.err.contains("the server `sea` is not used: ") && ran.err.contains(told), "{ran:?}");
}

#[test]
fn a_check_finds_keys_of_a_project_that_a_run_could_not_read() {
    let stage = Stage::new([]).file("agents-exe.cfg.json", "{\"agentsFiles\": [\"agent.json\"]}");
    fs::write(stage.work().join("agent.json"), agent(&stage, &json!({}))).unwrap();
    keys(&stage);
    assert_eq!(stage.holm(["check"]).code, Some(0));
    fs::write(stage.work().join("agents-exe.keys"), "\n{\"keys\": 1}").unwrap();
    let checked = stage.holm(["check"]);
    let row = checked.out.lines().find(|line| line.starts_with("bad  keys  ")).unwrap_or_default();
    assert!(checked.code == Some(2) && row.contains("agents-exe.keys:2: "), "{checked:?}");
}

#[test]
fn prompts_that_a_project_has_names_for_work_once_they_are_trusted() {
    let stage = Stage::new([Act::says("Short.")]);
    let cfg = json!({"promptAliases": {"sum": {
        "description": "Sums up.", "template": "Sum up {{filename}}: {{content}}", "inputMode": "file",
    }}});
    let stage = stage.file("agents-exe.cfg.json", &cfg.to_string()).file("a.txt", "long words\n");
    let args = ["--alias", "sum", "-f", "a.txt"];
    stage.run(&args).fails(3, "agents-exe.cfg.json: you have not trusted it\n  hint: `holm tool trust ");
    stage.agrees(["tool", "trust", "."]);
    stage.run(&args).says("Short.\n");
    assert!(stage.double.requests()[0].text().contains("Sum up a.txt: long words"));
    stage.run(&["--alias", "some", "-p", "x"]).fails(6, "no alias is named `some`\n  hint: there are: sum");
    let ran = stage.holm(["run", "--model", MODEL, "--alias", "sum", "-p", "x"]);
    ran.fails(2, "the alias `sum` needs a value for `filename`: no file was given with -f");
}

#[test]
fn a_server_that_is_slow_keeps_neither_the_run_nor_the_other_servers_waiting() {
    let call = Act::calls(&[("c1", "sea_echo", r#"{"word":"ahoy"}"#)]);
    let stage = Stage::new([call, Act::says("It said ahoy.")]);
    let script = stage.work().canonicalize().unwrap().join("srv.py");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-mcp/tests/servers/server.py"), &script)
        .unwrap();
    let server = |name: &str, mode: &str| {
        let contents = json!({"name": name, "executable": "/usr/bin/python3", "args": [script, mode]});
        json!({"tag": "McpSimpleBinary", "contents": contents})
    };
    let servers = json!([server("slow", "hangs"), server("sea", "ok")]);
    fs::write(stage.work().join("agent.json"), agent(&stage, &json!({"mcpServers": servers}))).unwrap();
    keys(&stage);
    stage.agrees(["tool", "trust", "."]);
    let ran = run(&stage, &["-p", "Say ahoy.", "--mode", "full"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It said ahoy.\n"), "{ran:?}");
    assert!(ran.err.contains("1 MCP servers have not answered yet"), "{ran:?}");
    let requests = stage.double.requests();
    let offered = &requests[0].asked.as_ref().unwrap().tools;
    assert!(offered.iter().any(|tool| tool.name == "sea_echo"), "{offered:?}");
}

#[test]
fn the_calls_of_a_session_are_listed_checked_and_run_again() {
    let acts = [Act::calls(&[("c1", "read", r#"{"path":"a.txt"}"#)]), Act::says("Read.")];
    let stage = Stage::new(acts).file("a.txt", "one\n");
    stage.run(&["-p", "Read it.", "--session", "s", "--grant", "read:**"]).says("Read.\n");
    let listed = stage.holm(["session", "calls", "s"]);
    assert_eq!(listed.out.trim(), r#"1  read  succeeded  {"path":"a.txt"}"#, "{listed:?}");
    let listed = stage.holm(["session", "calls", "s", "--json", "--results"]);
    let call: serde_json::Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!((&call["number"], &call["outcome"]), (&json!(1), &json!("succeeded")), "{call}");
    assert!(call["result"].as_str().unwrap().contains("one"), "{call}");
    fs::write(stage.work().join("a.txt"), "two\n").unwrap();
    let again = stage.holm(["tool", "execute", "--again", "s:1", "--grant", "read:a.txt"]);
    assert!(again.code == Some(0) && again.out.contains("two"), "{again:?}");
    let checked = stage.holm(["tool", "execute", "--again", "s:1", "--check"]);
    assert_eq!(checked.out, "read: the arguments are valid; the call needs read:a.txt\n", "{checked:?}");
    stage.holm(["tool", "execute", "read", r#"{"path":5}"#, "--check"]).fails(2, "invalid arguments: ");
    stage.holm(["tool", "execute", "--again", "s:2"]).fails(6, "has 1 calls, not 2");
    stage.holm(["tool", "execute", "--again", "s"]).fails(2, "`s` is not SESSION:NUMBER");
    stage.holm(["tool", "execute"]).fails(2, "required");
}

#[test]
fn a_session_can_be_put_into_the_prompt_of_another() {
    let stage = Stage::new([Act::says("The tide is high."), Act::says("Noted.")]);
    stage.run(&["-p", "How is the tide?", "--session", "first"]).says("The tide is high.\n");
    let export = format!("'{}' session export first", env!("CARGO_BIN_EXE_holm"));
    stage.run(&["-p", "Sum up this session:", "--shell", &export]).says("Noted.\n");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("How is the tide?") && told.contains("The tide is high."), "{told}");
}

#[test]
fn the_command_works_as_it_describes_itself() {
    let stage = Stage::new([Act::says("Here I am.")]);
    let about = stage.holm(["describe"]);
    let about: serde_json::Value = serde_json::from_str(&about.out).unwrap();
    let argument = &about["args"][0];
    assert_eq!(
        (&argument["mode"], &argument["name"]),
        (&json!("dashdashspace"), &json!("prompt")),
        "{about}"
    );
    // As the protocol says: the word `run`, and behind it the arguments.
    let mut run = stage.command(["run", "--prompt", "Are you there?"]);
    Ran::of(&run.env("HOLM_MODEL", MODEL).output().unwrap()).says("Here I am.\n");
    assert!(stage.double.requests()[0].text().contains("Are you there?"));
}

#[test]
fn a_session_of_agents_exe_is_imported_and_goes_on() {
    let call = json!({"id": "look:0", "type": "function", "index": 0,
        "function": {"name": "look", "arguments": "{\"at\":\"sea\"}"}});
    let reply = |said: &str, calls: serde_json::Value| json!({"tag": "LlmTurn", "contents": {"llmResponse": {"responseText": said, "rawResponse": {}}, "llmToolCalls": calls}});
    let user = |query: serde_json::Value, responses: serde_json::Value| {
        json!({"tag": "UserTurn", "contents": {"userPrompt": "You look at the sea.", "userQuery": query, "userTools": [],
            "userToolResponses": responses}})
    };
    // The latest turn comes first.
    let turns = json!([
        reply("It is calm.", json!([])),
        user(json!(null), json!([[call, {"content": {"waves": 0}}]])),
        reply("I look.", json!([call])),
        user(json!("How is the sea?"), json!([])),
    ]);
    let file = json!({"sessionId": "11-22", "forkedFromSessionId": null, "turnId": "t", "sessionVersion": 1, "turns": turns});
    let stage = Stage::new([Act::says("Still calm.")]).file("conv.11-22.json", &file.to_string());
    stage.holm(["session", "import", "conv.11-22.json"]).fails(2, "--model MODEL");
    let imported = stage.holm(["session", "import", "conv.11-22.json", "--model", MODEL]);
    assert_eq!((imported.code, imported.out.as_str()), (Some(0), "agents-exe-11-22\n"), "{imported:?}");
    let calls = stage.holm(["session", "calls", "agents-exe-11-22", "--results"]);
    assert!(calls.out.contains("look  succeeded") && calls.out.contains(r#"{"waves":0}"#), "{calls:?}");
    let shown = stage.holm(["session", "show", "agents-exe-11-22"]);
    assert!(shown.out.contains("How is the sea?") && shown.out.contains("It is calm."), "{shown:?}");
    let ran = stage.holm(["run", "--session", "agents-exe-11-22", "--resume", "-p", "And now?"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Still calm.\n"), "{ran:?}");
    let told = stage.double.requests()[0].text();
    assert!(told.contains("You look at the sea.") && told.contains("It is calm."), "{told}");
}
