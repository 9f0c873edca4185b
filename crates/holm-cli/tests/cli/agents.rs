//! Tests chosen agents: files in Holm's format, and projects of agents-exe as they are.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use holm_testkit::double::{Act, Seen};
use serde_json::json;

use crate::stage::{KEY, MODEL, Stage};

fn offered(seen: &Seen) -> Vec<String> {
    let mut names: Vec<String> =
        seen.asked.as_ref().unwrap().tools.iter().map(|tool| tool.name.clone()).collect();
    names.sort();
    names
}

/// The file of an agent of agents-exe.
fn exe(stage: &Stage, slug: &str, more: &serde_json::Value) -> String {
    let mut contents = json!({
        "slug": slug, "apiKeyId": "mine", "flavor": "OpenAIv1",
        "modelUrl": stage.double.base(holm::wire::Format::OpenaiChat), "modelName": format!("model-of-{slug}"),
        "announce": format!("Is the agent {slug}."), "systemPrompt": [format!("You are {slug}."), "Be brief."],
    });
    for (key, value) in more.as_object().unwrap() {
        contents[key] = value.clone();
    }
    serde_json::to_string_pretty(&json!({"tag": "OpenAIAgentDescription", "contents": contents})).unwrap()
}

/// Writes a file of the working folder, in a folder that need not be there.
fn write_below(stage: &Stage, path: &str, text: &str) {
    let path = stage.work().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn program(path: &Path, slug: &str) {
    let describe = json!({
        "slug": slug, "description": "Greets.",
        "args": [{"name": "who", "description": "whom", "type": "string", "backing_type": "string", "arity": "single",
            "mode": "positional"}],
    });
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = describe ]; then\n  echo '{describe}'\nelse\n  echo \"hello $2 from {slug}\"\nfi\n"
    );
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_agent_of_ones_own_works_with_its_prompt_tools_grants_and_limits() {
    let call = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = Stage::new([call, Act::says("Three.")]).file("notes.txt", "one two three\n");
    let made = stage.holm(["agent", "new", "counter"]);
    assert!(made.code == Some(0) && made.out.contains("holm run --agent counter"), "{made:?}");
    stage.run(&["--agent", "counter", "-p", "How many words?"]).says("Three.\n");
    let requests = stage.double.requests();
    assert!(requests[0].text().contains("You are careful and brief."), "{}", requests[0].text());
    let names = offered(&requests[0]);
    assert!(names.contains(&"read".into()) && !names.contains(&"write".into()), "{names:?}");
    let listed = stage.holm(["agent", "list"]);
    assert!(listed.out.starts_with("counter  One line about"), "{listed:?}");
    let shown = stage.holm(["agent", "show", "counter", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!((&shown["mode"], &shown["tools"]), (&"plan".into(), &json!(["read", "grep", "glob"])));
    stage.holm(["agent", "new", "counter"]).fails(2, "counter.md: it already exists");
    stage.holm(["agent", "new", "../odd"]).fails(2, "is not a valid agent name");
    stage.run(&["--agent", "nobody", "-p", "x"]).fails(6, "no agent is named `nobody`");
}

#[test]
fn an_agent_of_a_project_waits_for_trust_and_takes_nothing_that_its_user_does_not_give() {
    let call = || Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage =
        Stage::new([call(), Act::says("I may not."), call(), Act::says("Three.")]).file("notes.txt", "one\n");
    assert_eq!(stage.holm(["agent", "new", "counter", "--project"]).code, Some(0));
    stage.run(&["--agent", "counter", "-p", "x"]).fails(3, "counter.md: you have not trusted it");
    stage.agrees(["tool", "trust", ".holm/agents"]);
    stage.run(&["--agent", "counter", "-p", "x"]).says_without("read", 3, "I may not.\n");
    stage.run(&["--agent", "counter", "-p", "x", "--grant", "read:**"]).says("Three.\n");
}

#[test]
fn a_check_names_agents_that_go_in_a_circle_and_keys_that_mean_nothing() {
    let stage = Stage::new([]);
    let agents = stage.data().join("agents");
    fs::create_dir_all(&agents).unwrap();
    let write = |name: &str, says: &str| {
        let text = format!("---\nname: {name}\ndescription: Looks.\n{says}\n---\nLook.\n");
        fs::write(agents.join(name).with_extension("md"), text).unwrap();
    };
    write("one", "tools: [read, two]");
    write("two", "manages: [three]");
    write("three", "tools: [one, three]\ncolour: red");
    write("four", "tools: [one, four]");
    write("five", "manages: [five]");
    let checked = stage.holm(["check"]);
    assert_eq!(checked.code, Some(2), "{checked:?}");
    // Choosing one of them is an error, and no model is asked.
    let ran = stage.run(&["--agent", "one", "-p", "Look."]);
    let mend = "\n  hint: remove one of them from the other's `tools` or `manages`";
    ran.fails(2, &format!("one.md:4: agents delegate in a cycle: one -> two -> three -> one{mend}"));
    let ran = stage.run(&["--agent", "five", "-p", "Look."]);
    ran.fails(2, &format!("five.md:4: agents delegate in a cycle: five -> five{mend}"));
    assert!(stage.double.requests().is_empty());
    // Showing one of them works, and shows what to fix.
    let shown = stage.holm(["agent", "show", "one"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.out.contains("[\"read\",\"two\"]"), "{shown:?}");
    let circles = checked.out.lines().filter(|line| line.contains("agents delegate in a cycle: "));
    let named: Vec<&str> =
        circles.filter_map(|line| line.split("cycle: ").nth(1)?.split(';').next()).collect();
    let expect = [
        "five -> five",
        "one -> two -> three -> one",
        "three -> one -> two -> three",
        "two -> three -> one -> two",
    ];
    assert_eq!(named, expect);
    assert!(
        checked.out.contains("three.md: ") && checked.out.contains("unknown key `colour`"),
        "{checked:?}"
    );
    assert!(checked.out.lines().any(|line| line.starts_with("ok   agent") && line.ends_with("four.md")));
}

#[test]
fn of_two_in_a_circle_none_is_said_to_be_missing() {
    let stage = Stage::new([]);
    let agents = stage.data().join("agents");
    fs::create_dir_all(&agents).unwrap();
    for (name, other) in [("one", "two"), ("two", "one")] {
        let text = format!("---\nname: {name}\ndescription: Looks.\ntools: [{other}]\n---\nLook.\n");
        fs::write(agents.join(format!("{name}.md")), text).unwrap();
    }
    let listed = stage.holm(["tool", "list"]);
    assert!(listed.err.contains("agents delegate in a cycle: "), "{listed:?}");
    assert!(listed.err.contains("it delegates to `"), "{listed:?}");
    assert!(!listed.err.contains("no tool or agent is named"), "{listed:?}");
}

#[test]
fn an_agent_that_names_what_nobody_has_does_not_begin_and_is_told_wherever_one_looks() {
    let stage = Stage::new([Act::says("Not me.")]);
    let agents = stage.data().join("agents");
    fs::create_dir_all(&agents).unwrap();
    let write = |name: &str, head: &str| {
        let text = format!("---\nname: {name}\ndescription: Looks.\n{head}\n---\nLook.\n");
        fs::write(agents.join(name).with_extension("md"), text).unwrap();
    };
    write("lost", "mode: plan\ntools:\n  - read\n  - nosuchtool");
    write("fine", "tools: [read, todo, date, skill]");
    let expect = "no tool or agent is named `nosuchtool`";
    let ran = stage.run(&["--agent", "lost", "-p", "Hi."]);
    ran.fails_after_notes(2, &format!("lost.md:7: the agent `lost` cannot be used: {expect}"));
    assert!(stage.double.requests().is_empty());
    let checked = stage.holm(["check"]);
    assert_eq!(checked.code, Some(2), "{checked:?}");
    assert!(checked.out.contains(&format!("lost.md:7: {expect}; create it")), "{checked:?}");
    assert!(checked.out.lines().any(|line| line.starts_with("ok   agent") && line.ends_with("fine.md")));
    let listed = stage.holm(["agent", "list"]).out;
    assert!(listed.contains(&format!("lost  cannot be used: line 7: {expect}")), "{listed}");
    assert!(listed.contains("fine  Looks.  ("), "{listed}");
    let shown = stage.holm(["agent", "show", "lost"]);
    assert!(shown.code == Some(0) && shown.out.contains(expect), "{shown:?}");
}

#[test]
fn a_file_among_agents_without_a_head_is_told_and_one_for_people_is_not() {
    let stage = Stage::new([]);
    let agents = stage.data().join("agents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("plain.md"), "You are plain.\n").unwrap();
    fs::write(agents.join("README.md"), "These are agents.\n").unwrap();
    let expect = "the front matter is missing";
    let listed = stage.holm(["agent", "list"]).out;
    assert!(listed.starts_with(&format!("plain  cannot be used: line 1: {expect}")), "{listed}");
    assert_eq!(listed.lines().count(), 1, "{listed}");
    stage.holm(["agent", "show", "plain"]).fails(2, expect);
    let checked = stage.holm(["check"]);
    assert!(checked.code == Some(2) && checked.out.contains(&format!("plain.md:1: {expect}")), "{checked:?}");
    assert!(!checked.out.contains("README.md"), "{checked:?}");
}

#[test]
fn a_file_of_agents_exe_that_is_wrong_takes_nobodys_own_agents_away() {
    let stage = Stage::new([Act::says("Here.")]).file("agents-exe.cfg.json", "{\"promptAliases\": []}");
    assert_eq!(stage.holm(["agent", "new", "counter"]).code, Some(0));
    let listed = stage.holm(["agent", "list"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.out.starts_with("counter  One line about"), "{listed:?}");
    let row = listed.out.lines().nth(1).unwrap();
    assert!(row.contains("cannot be used: ") && row.contains("agents-exe.cfg.json:1: "), "{listed:?}");
    assert_eq!(stage.holm(["agent", "show", "counter"]).code, Some(0));
    stage.run(&["--agent", "counter", "-p", "Hi."]).says("Here.\n");
}

#[test]
fn a_project_of_agents_exe_works_as_it_is() {
    let acts = [
        Act::calls(&[("c1", "ping", r#"{"who":"you"}"#)]),
        Act::calls(&[("c2", "expert-1", r#"{"task":"Greet them."}"#)]),
        Act::calls(&[("c3", "deep", r#"{"who":"all"}"#)]),
        Act::says("The expert is done."),
        Act::says("All is done."),
    ];
    let stage = Stage::new(acts);
    let work = stage.work();
    fs::create_dir_all(work.join("tools/expert-1-tools")).unwrap();
    let more =
        json!([{"tag": "FileSystemDirectory", "contents": {"Path": "more", "BasenameFilter": "want"}}]);
    let main = exe(&stage, "main", &json!({"toolDirectory": "tools", "bashToolboxes": more, "luaThings": 1}));
    let expert = exe(&stage, "expert-1", &json!({"toolDirectory": "expert-1-tools"}));
    fs::write(work.join("agent.json"), main).unwrap();
    fs::write(work.join("tools/expert-1.json"), expert).unwrap();
    program(&work.join("tools/ping.sh"), "ping");
    fs::create_dir(work.join("more")).unwrap();
    program(&work.join("more/wanted.sh"), "wanted");
    program(&work.join("more/other.sh"), "other");
    program(&work.join("tools/expert-1-tools/deep.sh"), "deep");
    fs::write(work.join("agents-exe.cfg.json"), r#"{"agentsFiles": ["agent.json"]}"#).unwrap();
    fs::write(work.join("agents-exe.keys"), json!({"keys": [{"id": "mine", "value": KEY}]}).to_string())
        .unwrap();
    fs::set_permissions(work.join("agents-exe.keys"), fs::Permissions::from_mode(0o600)).unwrap();

    let listed = stage.holm(["agent", "list"]);
    assert!(listed.out.starts_with("main  cannot be used: "), "{listed:?}");
    assert!(listed.out.contains("agent.json: you have not trusted it"), "{listed:?}");
    let run = || {
        let look = ["--grant", "read:**"];
        let mut run =
            stage.command(["run", "--agent", "main", "-p", "Go.", "--mode", "full"].iter().chain(&look));
        crate::stage::Ran::of(
            &run.env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL").output().unwrap(),
        )
    };
    run().fails(2, "agent.json: you have not trusted it");
    stage.agrees(["tool", "trust", "."]);
    let listed = stage.holm(["agent", "list"]);
    assert!(listed.out.starts_with("main  Is the agent main.  ("), "{listed:?}");
    assert!(listed.out.contains("    lacks: ") && listed.out.contains("the key `luaThings`"), "{listed:?}");
    let ran = run();
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All is done.\n"), "{ran:?}");
    assert!(ran.err.contains("not supported: the key `luaThings` at line "), "{ran:?}");
    let requests = stage.double.requests();
    let models: Vec<&str> = requests.iter().map(Seen::model).collect();
    assert_eq!(models[..3], ["model-of-main", "model-of-main", "model-of-expert-1"]);
    let names = offered(&requests[0]);
    assert!(names.contains(&"ping".into()) && names.contains(&"expert-1".into()), "{names:?}");
    assert!(names.contains(&"wanted".into()) && !names.contains(&"other".into()), "{names:?}");
    assert!(!names.contains(&"deep".into()) && !names.contains(&"write".into()), "{names:?}");
    assert_eq!(offered(&requests[2]), ["deep"]);
    assert!(requests[0].text().contains("You are main.") && requests[2].text().contains("You are expert-1."));
    assert!(requests[1].text().contains("hello you from ping"), "{}", requests[1].text());
    assert!(requests[3].text().contains("hello all from deep"), "{}", requests[3].text());
    let left = stage.left_behind();
    assert!(!left.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "the key is written nowhere");
}

#[test]
fn what_is_wrong_with_an_agent_is_one_message_with_its_line() {
    let stage = Stage::new([]);
    fs::write(stage.work().join("broken.json"), "{\n\"tag\": \n").unwrap();
    stage.agrees(["tool", "trust", "."]);
    let run = |file: &str| stage.holm(["run", "--model", MODEL, "--agent", file, "-p", "x"]);
    run("broken.json").fails(2, "broken.json:3: ");
    run("gone.json").fails(2, "gone.json: there is no such file");
    let shown = stage.holm(["agent", "show", "broken.json"]);
    shown.fails(2, "broken.json:3: ");
}

#[test]
fn an_agent_of_agents_exe_calls_itself_within_a_budget_and_with_a_context_of_its_own() {
    let task = |agent: &str| Act::calls(&[("c", agent, r#"{"task":"Look."}"#)]);
    let acts = [task("main"), Act::says("Deep."), Act::says("Done.")];
    let stage = Stage::new(acts);
    let path = |slug: &str| json!({"slug": slug, "path": format!("{slug}.json")});
    let main = json!({"extraAgents": [path("main"), path("far"), path("lost")],
        "bashToolboxes": [{"tag": "FileSystemDirectory", "contents": {"Path": "gone/tools"}}]});
    fs::write(stage.work().join("main.json"), exe(&stage, "main", &main)).unwrap();
    let far = json!({"apiKeyId": "second", "extraAgents": [path("main")]});
    fs::write(stage.work().join("far.json"), exe(&stage, "far", &far)).unwrap();
    let lost = json!({"apiKeyId": "third", "modelUrl": "https://api.moonshot.ai/v1"});
    fs::write(stage.work().join("lost.json"), exe(&stage, "lost", &lost)).unwrap();
    fs::write(stage.work().join("agents-exe.cfg.json"), r#"{"agentsFiles": ["main.json"]}"#).unwrap();
    let keys =
        json!({"keys": [{"id": "mine", "value": KEY}, {"id": "second", "value": "sk-another-key-of-far"}]});
    fs::write(stage.work().join("agents-exe.keys"), keys.to_string()).unwrap();
    fs::set_permissions(stage.work().join("agents-exe.keys"), fs::Permissions::from_mode(0o600)).unwrap();
    stage.agrees(["tool", "trust", "."]);
    let listed = stage.holm(["agent", "list"]);
    for lack in ["main.json:", "there are no tools at gone/tools", "no keys file has the key `third`"] {
        assert!(listed.out.contains(lack), "{lack}: {listed:?}");
    }
    // Prices of an endpoint of one's own make a budget possible.
    let settings = stage.work().join("../mine.toml");
    fs::write(&settings, "").unwrap();
    let run = |more: &[&str]| {
        let mut run = stage.command(
            [&["run", "--agent", "main", "-p", "Find the tide table.", "--mode", "full"], more].concat(),
        );
        run.env("HOLM_CONFIG", &settings).env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL");
        crate::stage::Ran::of(&run.output().unwrap())
    };
    let refused = run(&["--budget", "0.50"]);
    assert!(
        refused.code == Some(5) && refused.err.contains("the price of exe-main/model-of-main is unknown"),
        "{refused:?}"
    );
    let prices = "input_price = \"1usd\"\noutput_price = \"1usd\"\n";
    let priced = ["main", "far"].map(|slug| format!("[providers.exe-{slug}]\n{prices}")).concat();
    fs::write(&settings, priced).unwrap();
    let ran = run(&["--budget", "0.50"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(ran.err.contains("there are no tools at gone/tools"), "{ran:?}");
    let requests = stage.double.requests();
    let models: Vec<&str> = requests.iter().map(Seen::model).collect();
    assert_eq!(models, ["model-of-main"; 3], "{ran:?}");
    assert_eq!(requests[1].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert!(requests[0].text().contains("Find the tide table."), "{}", requests[0].text());
    assert!(!requests[1].text().contains("tide"), "a helper has its own context: {}", requests[1].text());
    assert!(requests[2].text().contains("Deep."), "{}", requests[2].text());
}

#[test]
fn an_agent_that_takes_a_providers_name_does_not_get_its_key() {
    let stage = Stage::new([Act::says("Got it.")]);
    fs::write(stage.work().join("agent.json"), exe(&stage, "openai", &json!({}))).unwrap();
    stage.agrees(["tool", "trust", "."]);
    let ran = stage.holm(["run", "--agent", "agent.json", "-p", "x"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(5), ""), "{ran:?}");
    assert!(!stage.double.requests().iter().any(|seen| format!("{seen:?}").contains(KEY)));
}

#[test]
fn what_other_programs_have_written_down_is_taken_over_and_nothing_is_overwritten() {
    let stage = Stage::new([]);
    let write = |path: &str, text: &str| write_below(&stage, path, text);
    write(
        ".claude/agents/reviewer.md",
        "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Frob\n---\nReview.\n",
    );
    write(".claude/commands/fix.md", "Fix $ARGUMENTS.\n");
    write(".codex/config.toml", "[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]\n");
    write("agent.json", &exe(&stage, "main", &json!({})));
    let import = |from: &str| {
        let mut command = stage.command(["import", from]);
        crate::stage::Ran::of(&command.env("HOME", stage.work().join("../home")).output().unwrap())
    };
    let ran = import(".claude");
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 2), "{ran:?}");
    assert!(ran.err.contains("no tool like `Frob`") && ran.err.contains("no grants"), "{ran:?}");
    let skill = stage.work().join("../home/.holm/skills/fix/SKILL.md");
    assert!(fs::read_to_string(skill).unwrap().contains("list: false"));
    assert_eq!(import(".codex/config.toml").code, Some(0));
    assert!(stage.data().join("tools/time.mcp.json").is_file());
    let ran = import("agent.json");
    assert!(ran.code == Some(0) && ran.err.contains("with the key `mine`"), "{ran:?}");
    let listed = stage.holm(["agent", "list"]);
    let names: Vec<&str> = listed.out.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["main", "reviewer"], "{listed:?}");
    let again = import(".claude");
    assert!(again.code == Some(3) && again.err.matches("is left as it is").count() == 2, "{again:?}");
    let whole = import(".");
    assert!(whole.err.contains("import it with `holm import ./.claude`"), "{whole:?}");
    import("nowhere").fails(6, "there is no file or folder nowhere");
    write("notes.txt", "x");
    import("notes.txt").fails(3, "can be imported");
}

#[test]
fn an_import_ends_with_three_where_something_that_has_a_form_here_is_not_there() {
    let stage = Stage::new([]);
    let import = |from: &str| {
        let mut command = stage.command(["import", from, "--project", "--json"]);
        crate::stage::Ran::of(&command.env("HOME", stage.work().join("../home")).output().unwrap())
    };
    let more = json!({ "builtinToolboxes": [{ "tag": "LuaToolbox", "contents": {} }] });
    write_below(&stage, "agent.json", &exe(&stage, "main", &more));
    write_below(&stage, ".claude/settings.json", r#"{"permissions":{"allow":["Bash"]},"model":"big"}"#);
    write_below(
        &stage,
        ".claude/agents/rev.md",
        "---\nname: rev\ndescription: Reviews.\ntools: Read, WebSearch\n---\nReview.\n",
    );
    // Parts without a counterpart are reported, also in JSON, and are not a failure.
    for (from, notes) in
        [("agent.json", vec!["LuaToolbox"]), (".claude", vec!["`permissions`", "set HOLM_SEARCH"])]
    {
        let ran = import(from);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let told: Vec<serde_json::Value> =
            ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(told.iter().any(|line| line["written"].is_string()), "{ran:?}");
        for note in notes {
            let says =
                |line: &serde_json::Value| line["note"].as_str().is_some_and(|said| said.contains(note));
            assert!(told.iter().any(says), "{note}: {ran:?}");
        }
    }
    // An agent that is there already is not taken over again.
    let ran = import(".claude");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains(r#""why":"it already exists""#), "{ran:?}");
    assert!(ran.out.contains("`permissions`"), "{ran:?}");
}

/// What is kept of a server.
fn kept(stage: &Stage, name: &str) -> serde_json::Value {
    let text = fs::read_to_string(stage.data().join(format!("tools/{name}.mcp.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Takes over an agent with one server, and gives what is kept of that.
fn taken_over(stage: &Stage, agent: &str, server: &serde_json::Value) -> serde_json::Value {
    let more = json!({ "mcpServers": [{ "tag": "McpSimpleBinary", "contents": server }] });
    write_below(stage, agent, &exe(stage, "main", &more));
    let ran = stage.holm(["import", agent, "--project"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    kept(stage, "s")
}

#[test]
fn a_server_that_is_taken_over_finds_the_files_beside_its_agent() {
    let stage = Stage::new([]);
    let server = json!({ "name": "s", "executable": "python3", "args": ["srv.py", "fast"] });
    write_below(&stage, "their/srv.py", "");
    let kept = taken_over(&stage, "their/agent.json", &server);
    let file = stage.work().canonicalize().unwrap().join("their/srv.py");
    assert_eq!(kept, json!({ "command": "python3", "args": [file, "fast"] }));
}

#[test]
fn an_agent_in_a_hidden_folder_finds_its_servers_files_there_and_not_above() {
    let stage = Stage::new([]);
    let server = json!({ "name": "s", "executable": "./run.sh", "args": ["srv.py", "above.py"] });
    for name in ["their/.agents/run.sh", "their/.agents/srv.py", "their/above.py"] {
        write_below(&stage, name, "");
    }
    let kept = taken_over(&stage, "their/.agents/agent.json", &server);
    let folder = stage.work().canonicalize().unwrap().join("their/.agents");
    let args = json!([folder.join("srv.py"), "above.py"]);
    assert_eq!(kept, json!({ "command": folder.join("run.sh"), "args": args }));
}

#[test]
fn a_server_of_another_program_finds_the_files_of_its_project() {
    let stage = Stage::new([]);
    for name in ["their/srv.py", "their/run.sh"] {
        write_below(&stage, name, "");
    }
    let plain = json!({ "mcpServers": {
        "one": { "command": "./run.sh", "args": ["srv.py", "--fast"] },
        "two": { "command": "python3", "args": ["srv.py"], "cwd": "elsewhere" },
    } });
    write_below(&stage, "their/.mcp.json", &plain.to_string());
    write_below(
        &stage,
        "their/.codex/config.toml",
        "[mcp_servers.three]\ncommand = \"python3\"\nargs = [\"srv.py\"]\n",
    );
    // Editors keep theirs under another key.
    let editors = json!({ "servers": {
        "four": { "type": "stdio", "command": "./run.sh", "args": ["srv.py"] },
        "five": { "command": "./run.sh", "args": ["srv.py"] },
    } });
    write_below(&stage, "their/.vscode/mcp.json", &editors.to_string());
    let several = json!({ "mcpServers": { "six": { "command": "./run.sh", "args": ["srv.py"] } } });
    write_below(&stage, "their/servers.json", &several.to_string());
    let imports = ["their/.mcp.json", "their/.codex/config.toml", "their/.vscode/mcp.json"];
    let imports = imports.map(|file| vec!["import", file]);
    for args in imports.into_iter().chain([vec!["mcp", "add", "--from", "their/servers.json"]]) {
        let mut command = stage.command(args);
        let ran = crate::stage::Ran::of(&command.env("HOME", stage.work().join("../home")).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let their = stage.work().canonicalize().unwrap().join("their");
    let check = |name: &str, command: &Path, arg: &Path| {
        let kept = fs::read_to_string(stage.data().join(format!("tools/{name}.mcp.json"))).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
        assert_eq!((&kept["command"], &kept["args"][0]), (&json!(command), &json!(arg)), "{kept}");
    };
    check("one", &their.join("run.sh"), &their.join("srv.py"));
    check("two", Path::new("python3"), Path::new("srv.py"));
    check("three", Path::new("python3"), &their.join("srv.py"));
    for name in ["four", "five", "six"] {
        check(name, &their.join("run.sh"), &their.join("srv.py"));
    }
}

#[test]
fn what_goose_and_the_others_tell_agents_is_taken_over_and_what_is_not_is_said() {
    let stage = Stage::new([]);
    let write = |path: &str, text: &str| write_below(&stage, path, text);
    write(
        "goose/config.yaml",
        "GOOSE_MODEL: big\nextensions:\n  time:\n    type: stdio\n    cmd: uvx\n    args: [mcp-server-time]\n  dev:\n    \
         type: builtin\n",
    );
    write("goose/.goosehints", "Prefer small steps.\n");
    write(
        "goose/recipes/review.yaml",
        "title: Review\ndescription: Reviews.\nprompt: Review {{ what }}.\nparameters:\n  - key: what\n",
    );
    write(".claude/rules/style.md", "Use tabs.\n");
    write(".claude/settings.json", "{}");
    write(".claude/agents/evil.md", "---\nname: ../../evil\ndescription: x\n---\nx\n");
    write("oc/agent/look.md", "---\ndescription: Looks.\nmode: subagent\n---\nYou look.\n");
    write("AGENTS.md", "This project's.\n");
    let home = stage.work().join("../home");
    let import = |args: &[&str]| {
        let mut command = stage.command([&["import"], args].concat());
        crate::stage::Ran::of(&command.env("HOME", &home).output().unwrap())
    };
    let ran = import(&["goose"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for said in ["not imported: `GOOSE_MODEL`", "`dev` of type `builtin` has no equivalent"] {
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    }
    assert!(stage.data().join("tools/time.mcp.json").is_file());
    let skill = fs::read_to_string(home.join(".holm/skills/review/SKILL.md")).unwrap();
    assert!(skill.contains("args: [what]") && skill.contains("Review $what."), "{skill}");
    let rules = fs::read_to_string(home.join(".config/holm/AGENTS.md")).unwrap();
    assert!(rules.contains("Prefer small steps.") && rules.contains(".goosehints"), "{rules}");
    // Rules that are there already stay, and what could lie anywhere is left out.
    let ran = import(&[".claude"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    for said in [
        "AGENTS.md is left as it is",
        "settings.json has no hooks that Holm can run",
        "`../../evil` is left out",
    ] {
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    }
    let ran = import(&["oc"]);
    assert!(ran.code == Some(0) && ran.err.contains("`mode` at line 3 has no equivalent"), "{ran:?}");
    assert!(stage.data().join("agents/look.md").is_file());
    let ran = import(&["AGENTS.md"]);
    assert!(ran.code == Some(0) && ran.err.contains("as it is, once you trust it"), "{ran:?}");
    write("goose/recipes/bad.yaml", "a: [\n");
    import(&["goose/recipes/bad.yaml"]).fails(2, "bad.yaml:2: ");
}

#[test]
fn projects_of_boxagnts_and_agents_exe_are_imported_with_a_summary() {
    let stage = Stage::new([]);
    let write = |path: &str, text: &str| write_below(&stage, path, text);
    let skill = "---\nname: forecast\ndescription: Says the weather.\ntools: web-fetch\nargs:\n  - name: city\n    \
        description: City\n    required: true\n---\nWeather of {{city}}.\n";
    write("box/app/extensions/skills/forecast/SKILL.md", skill);
    write("box/app/extensions/skills/bad/SKILL.md", "no head");
    write("box/app/extensions/tools/x.wasm", "\0asm");
    write(
        "box/.boxagnts/settings.json",
        r#"{"mcp_servers":[{"name":"time","command":"uvx","args":["mcp-server-time"]}]}"#,
    );
    write(
        "box/.boxagnts/cron.config.json",
        r#"{"1":{"name":"night","cron":"0 30 2 * * *","prompt":"write"}}"#,
    );
    let both = |slug: &str| json!({"extraAgents": [{"slug": slug, "path": format!("{slug}.json")}]});
    write("exe/agents/main.json", &exe(&stage, "main", &both("far")));
    write("exe/agents/far.json", &exe(&stage, "far", &both("main")));
    write("exe/agents-exe.cfg.json", r#"{"agentsDirectories": ["agents"], "keymap": "k"}"#);
    let import = |from: &str| {
        let mut command = stage.command(["import", from]);
        crate::stage::Ran::of(&command.env("HOME", stage.work().join("../home")).output().unwrap())
    };
    let summary = |from: &str, code: i32, expect: &str| {
        let ran = import(from);
        let last = ran.err.lines().last().unwrap_or_default();
        assert_eq!((ran.code, last), (Some(code), format!("holm: {expect}").as_str()), "{ran:?}");
        ran
    };
    let ran = summary("box/app", 3, "taken: skills 1, tools 1; changed: 1; left out: 1");
    assert!(ran.err.contains("bad/SKILL.md is left out: line 1: "), "{ran:?}");
    assert_eq!(fs::read(stage.data().join("tools/x.wasm")).unwrap(), b"\0asm");
    let kept = fs::read_to_string(stage.work().join("../home/.holm/skills/forecast/SKILL.md")).unwrap();
    assert_eq!(kept, skill);
    let ran = summary("box/.boxagnts", 0, "taken: servers 1; changed: 0; left out: 1");
    assert!(ran.err.contains("holm job add 'night' 'write' --cron '30 2 * * *' --zone UTC"), "{ran:?}");
    // Agents that call each other are imported once each.
    let ran = import("exe/agents-exe.cfg.json");
    assert!(ran.code == Some(0) && ran.err.contains("taken: agents 2; changed: "), "{ran:?}");
    assert!(stage.data().join("agents/far.md").is_file() && stage.data().join("agents/main.md").is_file());
    let listed = stage.holm(["agent", "list"]);
    assert!(listed.out.contains("main  Is the agent main.") && !listed.out.contains("cycle"), "{listed:?}");
}

#[test]
fn hooks_of_claude_code_are_taken_over_and_run_once_a_person_trusts_them() {
    let write_call = Act::calls(&[("c1", "write", r#"{"path":"a.txt","content":"x"}"#)]);
    let stage = Stage::new([write_call, Act::says("It said no.")]);
    let settings = json!({
        "permissions": { "allow": ["Bash"] },
        "hooks": {
            "PreToolUse": [{ "matcher": "Write|Edit", "hooks": [
                { "type": "command", "command": "echo not on a Sunday >&2; exit 2" },
            ] }],
            "Notification": [{ "hooks": [{ "type": "command", "command": "beep" }] }],
        },
    });
    write_below(&stage, ".claude/settings.json", &settings.to_string());
    let home = stage.work().join("../home");
    let import = |args: &[&str]| {
        let mut command = stage.command([&["import"], args].concat());
        crate::stage::Ran::of(&command.env("HOME", &home).output().unwrap())
    };
    // A project's hooks never become the user's, which run everywhere.
    let ran = import(&[".claude/settings.json"]);
    assert!(ran.code == Some(3) && ran.err.contains("import them with --project"), "{ran:?}");
    assert!(!stage.data().join("hooks.json").exists());
    // Wherever in the project that is said.
    let below = stage.work().join("src");
    fs::create_dir_all(&below).unwrap();
    let mut command = stage.command(["import", "../.claude/settings.json"]);
    let ran = crate::stage::Ran::of(&command.env("HOME", &home).current_dir(&below).output().unwrap());
    assert!(ran.code == Some(3) && ran.err.contains("import them with --project"), "{ran:?}");
    let ran = import(&[".claude/settings.json", "--project"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for said in ["not imported: `permissions`", "no event `Notification`", "`holm hooks trust`"] {
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    }
    stage.agrees(["hooks", "trust"]);
    let ran = stage.run(&["-p", "Write.", "--yes", "write:**"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(!stage.work().join("a.txt").exists(), "the hook blocks it");
    assert!(stage.double.requests()[1].text().contains("not on a Sunday"));
    // The user's own, from where the user keeps them.
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::copy(stage.work().join(".claude/settings.json"), home.join(".claude/settings.json")).unwrap();
    let own = home.join(".claude/settings.json").display().to_string();
    let ran = import(&[&own]);
    assert!(ran.code == Some(0) && ran.err.contains("only after you trust them"), "{ran:?}");
    assert!(stage.data().join("hooks.json").is_file());
    // Also in the user's home folder.
    fs::remove_file(stage.data().join("hooks.json")).unwrap();
    let mut command = stage.command(["import", own.as_str()]);
    let ran = crate::stage::Ran::of(&command.env("HOME", &home).current_dir(&home).output().unwrap());
    assert!(ran.code == Some(0) && ran.err.contains("only after you trust them"), "{ran:?}");
}

#[test]
fn hooks_in_the_settings_of_codex_become_the_projects_own() {
    let stage = Stage::new([]);
    let text = "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"exit 2\"\n";
    write_below(&stage, ".codex/config.toml", text);
    let import = |args: &[&str]| {
        let mut command = stage.command([&["import"], args].concat());
        crate::stage::Ran::of(&command.env("HOME", stage.work().join("../home")).output().unwrap())
    };
    let ran = import(&[".codex"]);
    assert!(ran.code == Some(3) && ran.err.contains("they belong to this project"), "{ran:?}");
    let ran = import(&[".codex", "--project"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let made = fs::read_to_string(stage.work().join(".holm/hooks.json")).unwrap();
    assert!(made.contains("exit 2") && made.contains("\"shell\""), "{made}");
}

#[test]
fn nothing_is_taken_over_by_way_of_a_link_that_leads_out_of_the_project() {
    let stage = Stage::new([]);
    let text = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"exit 2\"\n";
    write_below(&stage, ".codex/config.toml", text);
    let elsewhere = stage.work().join("../elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, stage.work().join(".holm")).unwrap();
    let mut command = stage.command(["import", ".codex", "--project"]);
    let ran = crate::stage::Ran::of(&command.env("HOME", stage.work().join("../home")).output().unwrap());
    assert!(ran.code == Some(3) && ran.err.contains("leads out of this project"), "{ran:?}");
    assert!(!ran.err.contains("hooks trust"), "there are none to look at: {ran:?}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}
