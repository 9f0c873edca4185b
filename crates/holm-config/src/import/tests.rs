use holm_tools::agents::{AgentFile, AgentToolNames};

use super::*;
use crate::skills::{SkillDocument, SkillVisibility};

#[test]
fn servers_of_codex_and_opencode_become_entries() {
    let codex = "model = \"x\"\n[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"t\"]\n[mcp_servers.time.env]\nA = \"b\"\n\
        [mcp_servers.far]\nurl = \"https://x.example\"\nbearer_token_env_var = \"TOK\"\n";
    let found = codex_servers(codex, Path::new("config.toml")).unwrap();
    let expect = json!({"mcpServers": {
        "time": {"command": "uvx", "args": ["t"], "env": {"A": "b"}},
        "far": {"url": "https://x.example", "headers": {"Authorization": "Bearer ${TOK}"}},
    }});
    assert_eq!((found.entries, found.notes), (expect, vec!["not imported: `model`".to_owned()]));
    assert_eq!(codex_servers("a = 1\nb = \n", Path::new("c")).unwrap_err().line, Some(2));
    let text = r#"{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"K": "v"}},
        "b": {"type": "remote", "url": "https://b.example", "enabled": false}}, "theme": "dark",
        "agent": {"look": {"description": "Looks.", "prompt": "You look.", "model": "m", "tools": {"write": false}}},
        "command": {"fix it": {"template": "Fix $ARGUMENTS.", "description": "Fixes."}}, "instructions": ["A.md"]}"#;
    let found = opencode(text, Path::new("opencode.json")).unwrap();
    let expect = json!({"mcpServers": {
        "a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}},
        "b": {"url": "https://b.example", "enabled": false},
    }});
    assert_eq!(found.servers.entries, expect);
    assert!(found.servers.notes[0].contains("A.md") && found.servers.notes[1] == "not imported: `theme`");
    let file = AgentFile::parse(&found.agents[0].text).unwrap();
    assert_eq!(
        (file.name.as_str(), file.system.as_str(), file.tools),
        ("look", "You look.", AgentToolNames::All)
    );
    let notes = found.agents[0].notes.join("; ");
    assert!(notes.contains("`model` was not") && notes.contains("`tools` was not"), "{notes}");
    let skill = SkillDocument::parse(&found.commands[0].text).unwrap();
    assert_eq!((skill.name.as_str(), skill.filled("12").unwrap().as_str()), ("fix-it", "Fix 12."));
    assert_eq!(opencode("{\n", Path::new("o")).unwrap_err().line, Some(2));
}

#[test]
fn extensions_of_goose_become_servers_and_what_is_none_is_named() {
    let text = "GOOSE_MODEL: big\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n    name: developer\n  \
        fetch:\n    cmd: uvx\n    args:\n    - mcp-server-fetch\n    - \"8\"\n    enabled: false\n    envs: {A: b}\n    \
        env_keys:\n    - TOKEN\n    type: stdio\n    timeout: 300\n  far:\n    type: streamable_http\n    \
        uri: https://far.example/mcp\n";
    let found = goose_servers(text, Path::new("config.yaml")).unwrap();
    let expect = json!({"mcpServers": {
        "fetch": {"command": "uvx", "args": ["mcp-server-fetch", "8"], "env": {"A": "b", "TOKEN": "${TOKEN}"}, "enabled": false},
        "far": {"url": "https://far.example/mcp"},
    }});
    assert_eq!(found.entries, expect);
    let notes = found.notes.join("; ");
    for expected in
        ["`developer` of type `builtin`", "takes TOKEN from the environment", "not imported: `GOOSE_MODEL`"]
    {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
    assert!(goose_servers("", Path::new("c")).unwrap().is_empty());
}

#[test]
fn a_recipe_of_goose_becomes_a_skill_with_its_parameters() {
    let text = "version: 1.0.0\ntitle: Reviews\ndescription: Reviews \"all\".\ninstructions: |\n  Review {{ language }} code.\n  \
        Keep {{ other }}.\nprompt: Begin in {{folder}}.\nparameters:\n  - key: language\n    input_type: string\n    requirement: \
        required\n  - key: folder\n    default: src\nextensions:\n  - type: stdio\n    name: search\n    cmd: uvx\n    args: [x]\n\
        activities: [a]\n";
    let (made, servers) = goose_recipe("Code_Review", text, Path::new("r.yaml")).unwrap();
    let skill = SkillDocument::parse(&made.text).unwrap();
    assert_eq!((skill.name.as_str(), skill.description.as_str()), ("code-review", "Reviews \"all\"."));
    assert_eq!(
        (skill.args.clone(), skill.listed),
        (vec!["language".to_owned(), "folder".into()], SkillVisibility::No)
    );
    assert_eq!(skill.filled("Rust lib").unwrap(), "Review Rust code.\nKeep {{other}}.\n\nBegin in lib.");
    let notes = made.notes.join("; ");
    for expected in ["`folder` had the default \"src\"", "`{{other}}`", "`activities` has no equivalent"] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
    assert_eq!(servers.entries, json!({"mcpServers": {"search": {"command": "uvx", "args": ["x"]}}}));
}

#[test]
fn yaml_that_is_wrong_or_hostile_is_one_message_with_its_line() {
    let check = |text: &str, line: usize, expect: &str| {
        let error = goose_servers(text, Path::new("c.yaml")).unwrap_err();
        assert!(error.line == Some(line) && error.to_string().contains(expect), "{error}");
    };
    check("a: 1\nb: [1, 2\n", 3, "c.yaml:3: ");
    check("a: &x 1\nb: *x\n", 2, "aliases are not supported");
    check(&format!("{}{}", "[".repeat(100), "]".repeat(100)), 1, "too deep");
    check(&"[".repeat(100_000), 1, "c.yaml:1: ");
    check("? [a]\n: b\n", 1, "a key is one word");
}

#[test]
fn an_agent_of_claude_code_becomes_one_that_can_be_read() {
    let text = "---\nname: reviewer\ndescription: Reviews: \"all\" of it.\ntools: Read, Bash(git:*), NotebookEdit\n\
        model: sonnet\ncolor: red\n---\nYou review.\n";
    let made = markdown_agent("file", text).unwrap();
    let file = AgentFile::parse(&made.text).unwrap();
    assert_eq!((file.name.as_str(), file.description.as_str()), ("reviewer", "Reviews: \"all\" of it."));
    assert_eq!(file.tools, AgentToolNames::These(vec!["read".into(), "shell".into()]));
    assert_eq!(file.system, "You review.");
    assert!(file.grants.is_empty(), "nothing is granted by being imported");
    let notes = made.notes.join("\n");
    for expected in ["NotebookEdit", "sonnet", "`color` at line 6", "no grants"] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
    let all = markdown_agent("a", "---\ndescription: b\n---\nx").unwrap();
    assert_eq!(AgentFile::parse(&all.text).unwrap().tools, AgentToolNames::All);
    assert_eq!(all.name, "a", "opencode names agents by their files");
    assert!(markdown_agent("a", "no head").is_err());
    let off =
        markdown_agent("a", "---\ndescription: b\ntools:\n  write: false\n  bash: true\n---\nx").unwrap();
    assert_eq!(AgentFile::parse(&off.text).unwrap().tools, AgentToolNames::All);
    assert!(off.notes[0].contains("that write are switched off"), "{:?}", off.notes);
}

#[test]
fn a_command_becomes_a_skill_that_a_person_names() {
    let made = command_skill(
        "Fix_Issue",
        "---\ndescription: Fixes.\n---\nFix $ARGUMENTS, see @README and !`git log`.\n",
    );
    let skill = SkillDocument::parse(&made.text).unwrap();
    assert_eq!((skill.name.as_str(), skill.listed), ("fix-issue", SkillVisibility::No));
    assert!(skill.filled("12").unwrap().starts_with("Fix 12, see @README"));
    assert_eq!(made.notes.len(), 2);
    let bare = SkillDocument::parse(&command_skill("x", "Do it.").text).unwrap();
    assert_eq!((bare.description.as_str(), bare.body.as_str()), ("Does what the command x did.", "Do it."));
}

#[test]
fn rules_of_several_files_are_one_text() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let text = rules(&[file("a.md", "One.\n\n"), file("b.md", "Two.")]);
    assert_eq!(text, "<!-- from a.md -->\n\nOne.\n\n<!-- from b.md -->\n\nTwo.\n");
}

#[test]
fn an_agent_of_agents_exe_becomes_one_that_can_be_read() {
    let text = r#"{"tag":"OpenAIAgentDescription","contents":{"slug":"main","apiKeyId":"k","flavor":"OpenAIv1",
        "modelUrl":"https://m.example/v1","modelName":"m","announce":"Helps\nall.","systemPrompt":["One.","Two."],
        "mcpServers":[{"tag":"McpSimpleBinary","contents":{"name":"s","executable":"/s","args":["a","b"]}}],
        "extraAgents":[{"slug":"other","path":"other.json"}],"luaThings":1}}"#;
    let agent = ExeAgent::parse(text, Path::new("/p/agent.json")).unwrap();
    let made = exe_agent(&agent, "main/m", ExeNesting::Plain);
    let file = AgentFile::parse(&made.text).unwrap();
    assert_eq!((file.model.as_deref(), file.description.as_str()), (Some("main/m"), "Helps all."));
    assert_eq!(
        (file.tools, file.system.as_str()),
        (AgentToolNames::These(vec!["other".into()]), "One.\nTwo.")
    );
    assert!(made.notes.iter().any(|note| note.contains("not supported: the key `luaThings` at line 4")));
    let expect = json!({"mcpServers": {"s": {"command": "/s", "args": ["a", "b"]}}});
    assert_eq!(exe_servers(&agent), expect);
}

#[test]
fn hooks_of_others_become_hooks_that_can_be_read() {
    let text = r#"{
        // What everybody here wants.
        "permissions": {"allow": ["Bash"]},
        "hooks": {
            "PreToolUse": [
                {"matcher": "Bash|Edit|Task", "hooks": [
                    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/check.sh", "timeout": 5},
                    {"type": "prompt", "prompt": "Is it fine?"},
                    {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh"},
                ]},
            ],
            "BeforeShellExecution": [{"hooks": [{"command": "./shell.sh"}]}],
            "SessionStart": [{"hooks": [{"type": "command", "command": "./begin.sh"}]}],
        },
    }"#;
    let (made, notes) = hooks(text, Path::new("settings.json")).unwrap();
    let made = made.unwrap();
    let file = holm_tools::hooks::HookFile::parse(Path::new("hooks.json"), &made.text).unwrap();
    assert_eq!(file.warnings(), Vec::<String>::new());
    assert!(file.is_imported(), "so that somebody looks at it: {}", made.text);
    let mut asks = file.asks();
    asks.sort();
    assert_eq!(
        asks,
        [
            "runs `\"$HOLM_PROJECT_DIR\"/.claude/check.sh` at PreToolUse for `shell|edit|Task`",
            "runs `./shell.sh` at PreToolUse for `shell`",
        ]
    );
    let notes = notes.join("; ");
    for expected in [
        "not imported: `permissions`",
        "of type `prompt` at `PreToolUse`",
        "a plug-in folder",
        "no event `SessionStart`",
        "a matcher names `Task`",
        "expect these names",
    ] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
    assert_eq!(hooks("{}", Path::new("s")).unwrap(), (None, Vec::new()));
    assert_eq!(hooks("{\n  \"hooks\": [\n", Path::new("s")).unwrap_err().line, Some(3));
    let flawed = r#"{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"command": "x"}]}]}}"#;
    assert!(hooks(flawed, Path::new("s")).is_err(), "half of it would guard half");
}

#[test]
fn comments_become_blanks_and_lines_stay_where_they_are() {
    let check = |text: &str, expect: &str| assert_eq!(jsonc::plain(text), expect, "{text}");
    check("{\"a\": \"// no, /* no\"} // yes", "{\"a\": \"// no, /* no\"}       ");
    check("[1, /* a\nb */ 2,\n]", "[1,     \n     2 \n]");
    check("[1, // c\n]", "[1      \n]");
    check("{\"a\\\"//\": 1,}", "{\"a\\\"//\": 1 }");
    check("[\"/\", 1]", "[\"/\", 1]");
    check("/* open", "       ");
}

#[test]
fn hooks_in_the_settings_of_codex_are_taken_over_like_those_of_a_file() {
    let text = "model = \"x\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n\
        command = \"./check.sh\"\ntimeout = 5\n[mcp_servers.time]\ncommand = \"uvx\"\n";
    let path = Path::new("config.toml");
    let (made, notes) = codex_hooks(text, path).unwrap();
    let made: serde_json::Value = serde_json::from_str(&made.unwrap().text).unwrap();
    let command = json!({"type": "command", "command": "./check.sh", "timeout": 5});
    let hooks = json!({"PreToolUse": [{"matcher": "shell", "hooks": [command]}]});
    assert_eq!(made, json!({"hooks": hooks, "imported": true}));
    assert!(notes.iter().all(|note| !note.contains("not imported")), "{notes:?}");
    assert_eq!(codex_servers(text, path).unwrap().notes, ["not imported: `model`"]);
    assert_eq!(codex_hooks("model = \"x\"\n", path).unwrap(), (None, Vec::new()));
    assert_eq!(codex_hooks("a = 1\nb = \n", path).unwrap_err().line, Some(2));
}

#[test]
fn servers_and_jobs_of_boxagnts_are_converted() {
    let settings = r#"{"config":{"model":"big","mcp_servers":[
        {"name":"time","command":"uvx","args":["mcp-server-time"],"env":{},"url":null,"type":"stdio"},
        {"name":"web","command":null,"args":[],"env":{},"url":"https://mcp.example.com","type":"http"}]}}"#;
    let servers = boxagnts_servers(settings, Path::new("settings.json")).unwrap();
    assert_eq!(servers.entries["mcpServers"]["time"]["args"][0], "mcp-server-time");
    assert!(servers.entries["mcpServers"]["time"].get("type").is_none());
    assert_eq!(servers.entries["mcpServers"]["web"]["url"], "https://mcp.example.com");
    assert_eq!(servers.notes, ["the model is not imported; set one with `holm init`"]);
    let jobs = r#"{"1":{"id":"1","name":"night","cron":"0 30 2 * * *","prompt":"it's late\nwrite"},"2":{"name":"x"}}"#;
    let jobs = boxagnts_jobs(jobs, Path::new("cron.config.json")).unwrap();
    assert_eq!(jobs, [r"holm job add 'night' 'it'\''s late write' --cron '30 2 * * *' --zone UTC"]);
    assert!(boxagnts_servers("{", Path::new("settings.json")).is_err());
}
