use holm_tools::agents::{AgentFile, ToolNames};

use super::*;
use crate::skills::{Listed, Skill};

#[test]
fn servers_of_codex_and_opencode_become_entries() {
    let codex = "model = \"x\"\n[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"t\"]\n[mcp_servers.time.env]\nA = \"b\"\n\
        [mcp_servers.far]\nurl = \"https://x.example\"\nbearer_token_env_var = \"TOK\"\n";
    let found = codex_servers(codex, Path::new("config.toml")).unwrap();
    let expect = json!({"mcpServers": {
        "time": {"command": "uvx", "args": ["t"], "env": {"A": "b"}},
        "far": {"url": "https://x.example", "headers": {"Authorization": "Bearer ${TOK}"}},
    }});
    assert_eq!(found, expect);
    assert_eq!(codex_servers("a = 1\nb = \n", Path::new("c")).unwrap_err().line, Some(2));
    let opencode = r#"{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"K": "v"}},
        "b": {"type": "remote", "url": "https://b.example", "enabled": false}}}"#;
    let found = opencode_servers(opencode, Path::new("opencode.json")).unwrap();
    let expect = json!({"mcpServers": {
        "a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}},
        "b": {"url": "https://b.example", "enabled": false},
    }});
    assert_eq!(found, expect);
    assert_eq!(opencode_servers("{\n", Path::new("o")).unwrap_err().line, Some(2));
}

#[test]
fn an_agent_of_claude_code_becomes_one_that_can_be_read() {
    let text = "---\nname: reviewer\ndescription: Reviews: \"all\" of it.\ntools: Read, Bash(git:*), NotebookEdit\n\
        model: sonnet\ncolor: red\n---\nYou review.\n";
    let made = claude_agent(text).unwrap();
    let file = AgentFile::parse(&made.text).unwrap();
    assert_eq!((file.name.as_str(), file.description.as_str()), ("reviewer", "Reviews: \"all\" of it."));
    assert_eq!(file.tools, ToolNames::These(vec!["read".into(), "shell".into()]));
    assert_eq!(file.system, "You review.");
    assert!(file.grants.is_empty(), "nothing is granted by being imported");
    let notes = made.notes.join("\n");
    for what in ["NotebookEdit", "sonnet", "`color` at line 6", "no grants"] {
        assert!(notes.contains(what), "{what}: {notes}");
    }
    let all = claude_agent("---\nname: a\ndescription: b\n---\nx").unwrap();
    assert_eq!(AgentFile::parse(&all.text).unwrap().tools, ToolNames::All);
    assert!(claude_agent("no head").is_err());
}

#[test]
fn a_command_becomes_a_skill_that_a_person_names() {
    let made = command_skill(
        "Fix_Issue",
        "---\ndescription: Fixes.\n---\nFix $ARGUMENTS, see @README and !`git log`.\n",
    );
    let skill = Skill::parse(&made.text).unwrap();
    assert_eq!((skill.name.as_str(), skill.listed), ("fix-issue", Listed::No));
    assert!(skill.filled("12").starts_with("Fix 12, see @README"));
    assert_eq!(made.notes.len(), 2);
    let bare = Skill::parse(&command_skill("x", "Do it.").text).unwrap();
    assert_eq!((bare.description.as_str(), bare.body.as_str()), ("Does what the command x did.", "Do it."));
}

#[test]
fn an_agent_of_agents_exe_becomes_one_that_can_be_read() {
    let text = r#"{"tag":"OpenAIAgentDescription","contents":{"slug":"main","apiKeyId":"k","flavor":"OpenAIv1",
        "modelUrl":"https://m.example/v1","modelName":"m","announce":"Helps\nall.","systemPrompt":["One.","Two."],
        "mcpServers":[{"tag":"McpSimpleBinary","contents":{"name":"s","executable":"/s","args":["a"]}}],
        "extraAgents":[{"slug":"other","path":"other.json"}],"luaThings":1}}"#;
    let agent = ExeAgent::parse(text, Path::new("/p/agent.json")).unwrap();
    let made = exe_agent(&agent, "main/m");
    let file = AgentFile::parse(&made.text).unwrap();
    assert_eq!((file.model.as_deref(), file.description.as_str()), (Some("main/m"), "Helps all."));
    assert_eq!((file.tools, file.system.as_str()), (ToolNames::These(vec!["other".into()]), "One.\nTwo."));
    assert!(made.notes.iter().any(|note| note.contains("not supported: the key `luaThings` at line 4")));
    assert_eq!(exe_servers(&agent), json!({"mcpServers": {"s": {"command": "/s", "args": ["a"]}}}));
}
