use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use holm_jail::{JailEngine, JailLauncher};
use holm_kernel::{
    Approvals, ArgumentDialect, Block, Event, ModelResult, Numbered, Reply, StopReason, ToolCall,
};
use holm_runtime::{Agent, Tool, Toolbox, TypedToolAdapter, model_fn};
use serde_json::{Value, json};

use super::aliases;
use crate::{
    conversation::TodoTool,
    files::{FileToolContext, tools},
    root::WorkspaceRoot,
    shell::WorkspaceShell,
};

/// All tools that have other names.
fn tools_with_aliases() -> Vec<Arc<dyn Tool>> {
    let folder = tempfile::tempdir().unwrap();
    let (launcher, engine) = (JailLauncher::this_executable(), JailEngine::Landlock);
    let shell = WorkspaceShell::new(launcher, engine, folder.path()).unwrap();
    let others: [Arc<dyn Tool>; 2] =
        [Arc::new(shell.script_tool()), Arc::new(TypedToolAdapter::new(TodoTool::new()))];
    file_tools().into_iter().chain(others).collect()
}

fn file_tools() -> Vec<Arc<dyn Tool>> {
    let folder = tempfile::tempdir().unwrap();
    tools(FileToolContext::new(WorkspaceRoot::open(folder.path()).unwrap()))
}

#[test]
fn every_alias_means_a_tool_and_an_argument_that_are_there() {
    let tools = tools_with_aliases();
    for alias in aliases() {
        let tool = tools.iter().find(|tool| tool.declaration().name == alias.tool);
        let schema = &tool.unwrap_or_else(|| panic!("{}", alias.tool)).declaration().schema;
        for (written, meant) in &alias.arguments {
            let (place, written) = match written.split_once('.') {
                Some((list, inner)) => (format!("/properties/{list}/items/properties"), inner),
                None => ("/properties".into(), written.as_str()),
            };
            assert!(schema.pointer(&format!("{place}/{meant}")).is_some(), "{} {meant}", alias.name);
            assert!(schema.pointer(&format!("{place}/{written}")).is_none(), "{} {written}", alias.name);
        }
    }
}

#[test]
fn no_value_is_translated_that_the_tool_declares_itself() {
    let tools = tools_with_aliases();
    for alias in aliases() {
        let tool = tools.iter().find(|tool| tool.declaration().name == alias.tool).unwrap();
        // A beginning such as `~/` is no path that a tool takes, so nothing valid changes its meaning.
        let is_checked = |(written, dialect): &(&String, &ArgumentDialect)| {
            !written.contains('.') && !matches!(dialect, ArgumentDialect::Beginnings(_))
        };
        for (written, _) in alias.values.iter().filter(is_checked) {
            let place = format!("/properties/{written}");
            assert!(tool.declaration().schema.pointer(&place).is_none(), "{} {written}", alias.name);
        }
    }
}

/// The call that a run makes of a model's call, or what the model is told instead.
async fn understood(tool: &str, arguments: &Value) -> String {
    let call = ToolCall { id: "c".into(), name: tool.into(), arguments: arguments.to_string(), replay: None };
    let calls = Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() };
    let calls = Mutex::new(Some(calls));
    let model = model_fn(move |_| {
        let done = || Reply { blocks: vec![Block::Text("done".into())], ..Reply::default() };
        let reply = calls.lock().unwrap().take().unwrap_or_else(done);
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let mut tools = Toolbox::new();
    tools_with_aliases().into_iter().for_each(|tool| tools.add_shared(tool).unwrap());
    let found = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&found);
    let agent = Agent::builder("scripted/one", model)
        .tools(tools)
        .approvals(Approvals::Deny)
        .config(|config| config.policy.aliases = aliases())
        .events(move |event: &Numbered| {
            let Event::MessageAdded { message } = &event.event else { return };
            for block in &message.blocks {
                match block {
                    Block::ToolCall(call) => {
                        hears.lock().unwrap().push(format!("{} {}", call.name, call.arguments));
                    }
                    Block::ToolResult(result) => hears.lock().unwrap().push(result.said().to_owned()),
                    _ => {}
                }
            }
        });
    agent.build().unwrap().run("go").await.unwrap();
    let [call, said] = &*std::mem::take(&mut *found.lock().unwrap()) else { panic!("{tool}") };
    let is_refused = said.contains("not run") || said.contains("do not fit the schema");
    if is_refused { said.clone() } else { call.clone() }
}

#[tokio::test]
async fn a_call_in_another_dialect_becomes_ours() {
    let check = async |tool: &str, arguments: Value, expected: &str, translated: Value| {
        assert_eq!(understood(tool, &arguments).await, format!("{expected} {translated}"), "{arguments}");
    };
    let script = || json!({ "script": "ls -l" });
    check("bash", json!({ "command": "ls -l", "description": "Lists" }), "shell", script()).await;
    check("Bash", json!({ "command": "ls -l", "run_in_background": false }), "shell", script()).await;
    check("shell", json!({ "command": ["bash", "-lc", "ls -l"] }), "shell", script()).await;
    check("shell", json!({ "command": ["ls", "-l"] }), "shell", script()).await;
    check("exec_command", json!({ "cmd": "ls -l", "yield_time_ms": 1000 }), "shell", script()).await;
    check("shell_command", json!({ "command": "ls -l", "login": true }), "shell", script()).await;
    let inside = json!({ "folder": "src", "script": "ls" });
    check("run_shell_command", json!({ "command": "ls", "directory": "src" }), "shell", inside).await;
    let found = json!({ "glob": "*.rs", "path": "src", "pattern": "x" });
    let searched = json!({ "pattern": "x", "dir_path": "src", "include": "*.rs" });
    check("search_file_content", searched, "grep", found).await;
    check("read_file", json!({ "absolute_path": "a" }), "read", json!({ "path": "a" })).await;
    let timed = |seconds: u64| json!({ "script": "ls", "seconds": seconds });
    check("bash", json!({ "command": "ls", "timeout": 5000 }), "shell", timed(5)).await;
    check("bash", json!({ "command": "ls", "timeout": 300 }), "shell", timed(300)).await;
    check("bash", json!({ "command": "ls", "timeout_ms": 500 }), "shell", timed(1)).await;
    check("shell", json!({ "script": "ls", "seconds": 5000 }), "shell", timed(5000)).await;

    let listed = || json!({ "items": [{ "progress": "in_progress", "text": "a" }] });
    let one = |text: &str| json!([{ text: "a", "status": "in_progress" }]);
    check("todo", json!({ "items": one("content") }), "todo", listed()).await;
    check("TodoWrite", json!({ "todos": one("content") }), "todo", listed()).await;
    check("update_plan", json!({ "plan": one("step") }), "todo", listed()).await;

    let grep = json!({ "pattern": "x", "output_mode": "content", "-n": true, "-A": 2, "-B": 4 });
    check("Grep", grep, "grep", json!({ "context": 4, "pattern": "x", "show": "lines" })).await;
    let grep = json!({ "pattern": "x", "type": "py", "-i": true, "head_limit": 9 });
    let ours = json!({ "glob": "*.{py,pyi}", "ignore_case": true, "limit": 9, "pattern": "x" });
    check("Grep", grep, "grep", ours).await;
    let edits = json!({ "path": "a", "edits": [{ "old_string": "a", "new_string": "b" }] });
    let ours = json!({ "edits": [{ "new": "b", "old": "a" }], "path": "a" });
    check("multi_edit", edits, "edit", ours).await;
}

#[tokio::test]
async fn a_wish_that_no_command_can_have_is_answered_in_one_sentence() {
    for (name, expected) in [
        ("run_in_background", "commands cannot run in the background"),
        ("tty", "no terminal"),
        ("with_escalated_permissions", "cannot lift the limits"),
    ] {
        let said = understood("bash", &json!({ "command": "ls", name: true })).await;
        assert!(said.contains(expected) && !said.contains("schema"), "{said}");
    }
    let said = understood("grep", &json!({ "pattern": "x", "type": "zig" })).await;
    assert!(said.contains("`type`"), "{said}");
}

#[test]
fn a_name_means_one_tool() {
    let aliases = aliases();
    let names: BTreeSet<&str> = aliases.iter().map(|alias| alias.name.as_str()).collect();
    assert_eq!(names.len(), aliases.len());
    let tools = tools_with_aliases();
    let own = |name: &str| tools.iter().any(|tool| tool.declaration().name == name);
    assert!(aliases.iter().all(|alias| alias.name == alias.tool || !own(&alias.name)));
}

#[test]
fn an_unknown_argument_of_a_file_tool_is_named() {
    for tool in file_tools() {
        let tool = tool.declaration();
        let closed = tool.schema.pointer("/additionalProperties").map(holm_guards::json::Json::canonical);
        assert_eq!(closed.as_deref(), Some("false"), "{}", tool.name);
    }
}
