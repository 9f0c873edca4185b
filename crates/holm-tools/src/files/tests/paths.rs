//! Absolute paths, as `pwd`, compilers and other agents' models write them.

use std::sync::{Arc, Mutex};

use holm_grants::{Grant, Mode};
use holm_kernel::{Approvals, Block, Event, ModelResult, Numbered, Reply, StopReason, ToolCall};
use holm_runtime::{Agent, Toolbox, model_fn};
use serde_json::{Value, json};

use super::{Bench, fails, succeeds};

/// What a model is told that calls a tool in a run: with grants, needs and aliases.
async fn run(bench: &Bench, grants: &[&str], tool: &str, arguments: &Value) -> String {
    let call = ToolCall { id: "c".into(), name: tool.into(), arguments: arguments.to_string(), replay: None };
    let calls = Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() };
    let calls = Mutex::new(Some(calls));
    let model = model_fn(move |_| {
        let done = || Reply { blocks: vec![Block::Text("done".into())], ..Reply::default() };
        let reply = calls.lock().unwrap().take().unwrap_or_else(done);
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let mut tools = Toolbox::new();
    bench.tools.iter().for_each(|tool| tools.add_shared(Arc::clone(tool)).unwrap());
    let told = Arc::new(Mutex::new(String::new()));
    let hears = Arc::clone(&told);
    let agent = Agent::builder("scripted/one", model)
        .tools(tools)
        .grants(grants.iter().map(|grant| grant.parse::<Grant>().unwrap()).collect())
        .mode(Mode::Full)
        .approvals(Approvals::Deny)
        .config(|config| {
            config.workspace = bench.work().canonicalize().unwrap().to_str().unwrap().parse().ok();
            config.policy.aliases = crate::aliases();
        })
        .events(move |event: &Numbered| {
            let Event::MessageAdded { message } = &event.event else { return };
            for block in &message.blocks {
                if let Block::ToolResult(result) = block {
                    hears.lock().unwrap().push_str(result.said());
                }
            }
        });
    agent.build().unwrap().run("go").await.unwrap();
    std::mem::take(&mut *told.lock().unwrap())
}

#[tokio::test]
async fn an_absolute_path_in_the_workspace_is_the_relative_one_in_every_tool() {
    let bench = Bench::new();
    let at = bench.work().canonicalize().unwrap();
    let whole = |path: &str| at.join(path).display().to_string();
    let path = whole("src/a.txt");
    for grants in [
        ["read:**", "write:**"],
        [&*format!("read:{}/**", at.display()), &*format!("write:{}/**", at.display())],
    ] {
        bench.put("src/a.txt", "one\n");
        let check = async |tool: &str, arguments: Value, expect: &str| {
            let said = run(&bench, &grants, tool, &arguments).await;
            assert!(said.contains(expect), "{tool} {arguments} {grants:?}: {said}");
        };
        check("read", json!({ "path": path }), "1\tone").await;
        check("read", json!({ "path": "src/a.txt" }), "1\tone").await;
        check("list", json!({ "path": whole("src") }), "a.txt").await;
        check("glob", json!({ "pattern": "*.txt", "path": whole("src") }), "src/a.txt").await;
        check("glob", json!({ "pattern": whole("src/*.txt") }), "src/a.txt").await;
        check("grep", json!({ "pattern": "one", "path": at }), "src/a.txt:1:one").await;
        check("edit", json!({ "path": path, "old": "one", "new": "two" }), "1\ttwo").await;
        let diff = format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-two\n+three\n");
        check("patch", json!({ "diff": diff }), "1\tthree").await;
        let sections = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-three\n+four\n*** End Patch");
        check("apply_patch", json!({ "input": sections }), "1\tfour").await;
        check("write", json!({ "path": path, "content": "five\n" }), "replaced").await;
        check("Read", json!({ "file_path": path }), "1\tfive").await;
        check(
            "str_replace",
            json!({ "file_path": path, "old_string": "five", "new_string": "six" }),
            "1\tsix",
        )
        .await;
        let edits = json!([{ "oldString": "six", "newString": "seven", "replaceAll": true }]);
        check("MultiEdit", json!({ "filePath": path, "edits": edits }), "1\tseven").await;
        check("Grep", json!({ "query": "seven", "include": "*.txt" }), "src/a.txt:1:seven").await;
        check("Write", json!({ "filename": "new.txt", "contents": "x" }), "new").await;
        std::fs::remove_file(at.join("new.txt")).unwrap();
        check("read", json!({ "path": path, "lines": 3 }), "lines").await;
    }
}

#[tokio::test]
async fn a_path_that_leaves_the_workspace_is_judged_as_what_it_is() {
    let bench = Bench::new();
    let at = bench.work().canonicalize().unwrap();
    std::fs::write(bench.folder.path().join("outside.txt"), "secret").unwrap();
    std::os::unix::fs::symlink("../outside.txt", at.join("link.txt")).unwrap();
    let beside = format!("{}-2/x.txt", at.display());
    let up = format!("{}/../outside.txt", at.display());
    let outside = bench.folder.path().canonicalize().unwrap().join("outside.txt");
    for (path, grants) in [
        (up.as_str(), ["read:**", "write:**"]),
        (beside.as_str(), ["read:**", "write:**"]),
        (outside.to_str().unwrap(), ["read:**", "write:**"]),
        (outside.to_str().unwrap(), ["read:/**", "write:/**"]),
        (at.join("link.txt").to_str().unwrap(), ["read:/**", "write:/**"]),
        ("link.txt", ["read:**", "write:**"]),
        ("../outside.txt", ["read:**", "write:**"]),
    ] {
        let sections = |line: &str| format!("*** Begin Patch\n{line}\n*** End Patch");
        for (tool, arguments) in [
            ("read", json!({ "path": path })),
            ("grep", json!({ "path": path, "pattern": "secret" })),
            ("write", json!({ "path": path, "content": "owned" })),
            ("edit", json!({ "path": path, "old": "secret", "new": "owned" })),
            ("patch", json!({ "diff": format!("--- {path}\n+++ {path}\n@@\n-secret\n+owned\n") })),
            ("patch", json!({ "diff": sections(&format!("*** Delete File: {path}")) })),
            ("patch", json!({ "diff": sections(&format!("*** Add File: {path}\n+owned")) })),
        ] {
            let said = run(&bench, &grants, tool, &arguments).await;
            assert!(!said.contains(":secret") && !said.contains("\tsecret"), "{tool} {path}: {said}");
            assert_eq!(std::fs::read_to_string(&outside).unwrap(), "secret", "{tool} {path}: {said}");
        }
        assert!(!std::path::Path::new(&beside).exists());
    }
}

#[tokio::test]
async fn a_call_needs_the_files_of_its_patch_and_is_denied_for_want_of_one() {
    let bench = Bench::new();
    bench.put("a.txt", "1\n");
    bench.put("b.txt", "1\n");
    let diff = "--- a.txt\n+++ a.txt\n@@\n-1\n+2\n--- b.txt\n+++ b.txt\n@@\n-1\n+2\n";
    let said = run(&bench, &["read:**", "write:a.txt"], "patch", &json!({ "diff": diff })).await;
    assert!(said.contains("write:b.txt") && said.contains("not granted"), "{said}");
    // The list does not replace what the patch names.
    let said =
        run(&bench, &["read:**", "write:a.txt"], "patch", &json!({ "paths": ["a.txt"], "diff": diff })).await;
    assert!(said.contains("write:b.txt"), "{said}");
    bench.check_text("a.txt", "1\n");
    bench.check_text("b.txt", "1\n");
    let said = run(&bench, &["read:**", "write:*.txt"], "patch", &json!({ "diff": diff })).await;
    assert!(said.contains("`b.txt` changed"), "{said}");
    succeeds(&bench.call("read", json!({ "path": "b.txt" })).await, "2");
    fails(&bench.call("read", json!({ "path": "c.txt" })).await, "does not exist");
}

#[tokio::test]
async fn a_write_makes_no_folder_that_is_called_like_a_variable_of_shells() {
    let bench = Bench::new();
    for path in ["$HOME/out/1.txt", "${HOME}/x", "$TMPDIR/x"] {
        let output = bench.call("write", json!({ "path": path, "content": "x" })).await;
        fails(&output, "relative to the workspace");
    }
    assert_eq!(std::fs::read_dir(bench.work()).unwrap().count(), 0);
    // A folder that is there is one of the user's.
    bench.put("$HOME/old.txt", "x");
    for path in ["$HOME/new.txt", "src/$HOME/x"] {
        let output = bench.call("write", json!({ "path": path, "content": "x" })).await;
        succeeds(&output, path);
    }
}
