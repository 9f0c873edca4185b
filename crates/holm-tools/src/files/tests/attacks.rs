use holm_grants::Level;
use holm_kernel::Outcome;
use holm_runtime::Toolbox;
use serde_json::{Value, json};

use super::{Bench, call, fails, job, succeeds};
use crate::{
    files::{FileToolContext, tools},
    root::{
        ProtectionLevel, WorkspaceRoot,
        tests::{
            corpus,
            stage::{OPEN, SECRET, Stage},
        },
    },
};

/// Every call that a tool could make with a path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("read", json!({ "path": path })),
        ("list", json!({ "path": path })),
        ("glob", json!({ "path": path, "pattern": "**" })),
        ("grep", json!({ "path": path, "pattern": "secret|root" })),
        ("write", json!({ "path": path, "content": "owned" })),
        ("edit", json!({ "path": path, "old": SECRET, "new": "owned" })),
        ("edit", json!({ "path": path, "edits": [{ "old": SECRET, "new": "owned" }] })),
        (
            "patch",
            json!({ "paths": [path], "diff": format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-{SECRET}\n+owned\n") }),
        ),
        (
            "patch",
            json!({ "paths": [path], "diff": format!("--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+owned\n") }),
        ),
    ];
    // A line end in a patch ends the line, so this names a different file.
    if !path.contains(['\n', '\r']) {
        let section = |lines: &str| json!({ "diff": format!("*** Begin Patch\n{lines}\n*** End Patch") });
        calls.push(("patch", json!({ "diff": format!("--- {path}\n+++ {path}\n@@\n-{SECRET}\n+owned\n") })));
        calls.push(("patch", section(&format!("*** Add File: {path}\n+owned"))));
        calls.push(("patch", section(&format!("*** Delete File: {path}"))));
        calls.push(("patch", section(&format!("*** Update File: ok.txt\n*** Move to: {path}"))));
    }
    calls
}

#[tokio::test]
async fn no_attack_on_a_path_succeeds_in_any_tool_although_everything_is_granted() {
    for way in 0..2 {
        let stage = Stage::new();
        let tools = tools(FileToolContext::new(stage.roots()[way].clone()));
        let before = stage.guarded();
        for (name, path) in corpus::all(stage.base()) {
            // A folder may be listed; what is listed has no secret in it.
            let is_root = name == "the root itself as a file";
            for (tool, arguments) in calls(&path) {
                let output =
                    call(&tools, tool, job(&arguments, &["read:**", "write:**", "read:/**", "write:/**"]))
                        .await;
                assert!(!output.text.contains(SECRET), "{name}, {tool}: {}", output.text);
                let lists = is_root && ["list", "glob", "grep"].contains(&tool);
                assert!(lists || output.outcome == Outcome::Failed, "{name}, {tool}: {}", output.text);
            }
            assert_eq!(stage.guarded(), before, "{name}");
        }
    }
}

#[tokio::test]
async fn what_no_tool_may_write_is_written_by_no_tool() {
    let stage = Stage::new();
    std::fs::create_dir(stage.inside().join("held")).unwrap();
    let root = WorkspaceRoot::open(&stage.inside()).unwrap();
    let root = root.protect(&stage.inside().join("tools"), ProtectionLevel::Writes).unwrap();
    let tools = tools(FileToolContext::new(
        root.protect(&stage.inside().join("held"), ProtectionLevel::Everything).unwrap(),
    ));
    let before = stage.guarded();
    for (name, path) in corpus::UNWRITTEN {
        for (tool, mut arguments) in calls(path).into_iter().skip(4) {
            for text in ["old", "diff"] {
                if let Some(Value::String(text)) = arguments.get_mut(text) {
                    *text = text.replace(SECRET, OPEN);
                }
            }
            let output = call(&tools, tool, job(&arguments, &["read:**", "write:**"])).await;
            fails(&output, "");
            assert!(
                output.text.contains("no tool") || output.text.contains("hidden from tools"),
                "{name}, {tool}: {}",
                output.text
            );
        }
        assert_eq!(stage.guarded(), before, "{name}");
    }
}

#[tokio::test]
async fn a_hook_that_the_configuration_names_is_what_it_was_at_the_users_next_commit() {
    for hooks in ["ci/hooks", ".husky", ".husky/_"] {
        let bench = Bench::new();
        let git = |args: &[&str]| {
            let mut command = std::process::Command::new("git");
            command
                .arg("-C")
                .arg(bench.work())
                .args(["-c", "user.name=u", "-c", "user.email=u@h"])
                .args(args);
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
            assert!(command.status().unwrap().success(), "{args:?}");
        };
        git(&["init", "-q", "."]);
        git(&["config", "core.hooksPath", hooks]);
        let marker = bench.folder.path().join("ran");
        let evil = format!("#!/bin/sh\ntouch {}\n", marker.display());
        let hook = format!("{hooks}/pre-commit");
        bench.put(&hook, "#!/bin/sh\nexit 0\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(bench.work().join(&hook), mode).unwrap();
        succeeds(&bench.call("read", json!({ "path": hook })).await, "exit 0");
        fails(&bench.call("write", json!({ "path": hook, "content": evil })).await, "");
        fails(&bench.call("edit", json!({ "path": hook, "old": "exit 0", "new": evil })).await, "");
        let new = format!("{hooks}/post-commit");
        fails(&bench.call("write", json!({ "path": new, "content": evil })).await, "");
        git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        assert!(!marker.exists(), "{hooks}");
        succeeds(&bench.call("write", json!({ "path": "hooks.txt", "content": "x" })).await, "new");
    }
}

#[tokio::test]
async fn harmless_twins_of_the_attacks_work_in_every_tool() {
    for way in 0..2 {
        let stage = Stage::new();
        let tools = tools(FileToolContext::new(stage.roots()[way].clone()));
        for (name, path) in corpus::BENIGN {
            let path = corpus::filled(path, stage.base());
            let all = ["read:**", "write:**"];
            let run = |tool: &'static str, arguments: Value| {
                let tools = &tools;
                async move { call(tools, tool, job(&arguments, &all)).await }
            };
            succeeds(&run("read", json!({ "path": path })).await, OPEN);
            succeeds(&run("grep", json!({ "path": path, "pattern": "^open" })).await, OPEN);
            succeeds(&run("edit", json!({ "path": path, "old": "open", "new": "shut" })).await, "shut-word");
            succeeds(&run("write", json!({ "path": path, "content": OPEN })).await, "replaced");
            assert_eq!(
                run("read", json!({ "path": path })).await.text.trim(),
                format!("1\t{OPEN}"),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn searches_find_nothing_that_is_denied() {
    let stage = Stage::new();
    for root in stage.roots() {
        let tools = tools(FileToolContext::new(root));
        for (tool, arguments) in [
            ("grep", json!({ "pattern": "planted", "ignored": true })),
            ("grep", json!({ "pattern": "planted", "show": "files", "ignored": true })),
            ("grep", json!({ "pattern": "planted", "show": "counts", "ignored": true })),
            ("glob", json!({ "pattern": "**/.env*", "ignored": true })),
            ("glob", json!({ "pattern": "**/*.pem", "ignored": true })),
            ("glob", json!({ "pattern": ".git/**", "ignored": true })),
            ("list", json!({})),
        ] {
            let output = call(&tools, tool, job(&arguments, &["read:**"])).await;
            assert_eq!(output.outcome, Outcome::Succeeded, "{}", output.text);
            for hidden in [SECRET, "server.pem", ".git/", ".ssh", "config"] {
                assert!(!output.text.contains(hidden), "{tool} {arguments}: {}", output.text);
            }
            assert!(output.text.contains("hidden from tools by a rule"), "{tool}: {}", output.text);
        }
        let patterns = ["../**", "/etc/*", "a/../../**", "{..,a}/*"];
        for pattern in patterns {
            let output = call(&tools, "glob", job(&json!({ "pattern": pattern }), &["read:**"])).await;
            assert!(
                !output.text.contains("secret") && !output.text.contains("passwd"),
                "{pattern}: {}",
                output.text
            );
        }
    }
    // A hard link to a file outside is in the root: reads cannot tell.
    let tools = tools(FileToolContext::new(WorkspaceRoot::open(&stage.inside()).unwrap()));
    let output = call(&tools, "grep", job(&json!({ "pattern": "linked" }), &["read:**"])).await;
    succeeds(&output, "hard:1:");
}

#[tokio::test]
async fn a_call_reaches_what_its_needs_say_and_nothing_else() {
    let bench = Bench::new();
    bench.put("a/x.txt", "word");
    bench.put("b/x.txt", "word");
    let check = async |tool: &str, arguments: Value, needs: &[&str], expect: &str| {
        let output = call(&bench.tools, tool, job(&arguments, needs)).await;
        fails(&output, expect);
    };
    check("read", json!({ "path": "a/x.txt" }), &[], "read:a/x.txt").await;
    check("read", json!({ "path": "a/x.txt" }), &["read:b/**", "write:a/**"], "read:a/x.txt").await;
    check("list", json!({}), &["read:a/**"], "read:.").await;
    check("glob", json!({ "pattern": "*" }), &["read:a/**"], "read:.").await;
    check("grep", json!({ "pattern": "w", "path": "b" }), &["read:a/**"], "read:b").await;
    check("write", json!({ "path": "a/y.txt", "content": "" }), &["read:**"], "write:a/y.txt").await;
    check("edit", json!({ "path": "a/x.txt", "old": "w", "new": "v" }), &["write:**"], "read:a/x.txt").await;
    check("edit", json!({ "path": "a/x.txt", "old": "w", "new": "v" }), &["read:**"], "write:a/x.txt").await;
    let diff = "--- a/x.txt\n+++ a/x.txt\n@@ -1 +1 @@\n-word\n+other\n";
    check(
        "patch",
        json!({ "paths": ["a/x.txt"], "diff": diff }),
        &["read:**", "write:b/**"],
        "write:a/x.txt",
    )
    .await;
    bench.check_text("a/x.txt", "word");
    // A walk shows only what the needs allow, no matter which files are there.
    let output = call(&bench.tools, "glob", job(&json!({ "pattern": "**" }), &["read:.", "read:a/**"])).await;
    assert!(output.text.starts_with("a/x.txt") && !output.text.contains("b/x.txt"), "{}", output.text);
}

#[test]
fn the_tools_say_what_they_need_and_no_argument_chooses_a_root() {
    let bench = Bench::new();
    let mut toolbox = Toolbox::new();
    for tool in &bench.tools {
        toolbox.add_shared(std::sync::Arc::clone(tool)).unwrap();
    }
    assert_eq!(toolbox.check(), Ok(()));
    let mut said = String::new();
    for tool in toolbox.declarations() {
        let needs: Vec<String> = tool.needs.iter().map(ToString::to_string).collect();
        said += &format!("{} {:?} {}\n", tool.name, tool.level, needs.join(" "));
        let reads = needs.iter().any(|need| need.starts_with("read:"));
        assert_eq!(tool.yields.private, reads, "{}: what was read is marked", tool.name);
        assert!(!tool.yields.egress && !tool.yields.untrusted, "{}", tool.name);
        assert!(
            tool.level == Level::ReadOnly || needs.iter().any(|need| need.starts_with("write:")),
            "{}",
            tool.name
        );
        for name in ["root", "cwd", "folder", "base"] {
            assert!(
                tool.schema.pointer(&format!("/properties/{name}")).is_none(),
                "{} has {name}",
                tool.name
            );
        }
    }
    insta::assert_snapshot!(said, @r"
    read ReadOnly read:{path?}
    list ReadOnly read:{path=.}
    glob ReadOnly read:{path=.}/**
    grep ReadOnly read:{path=.}/**
    write Write write:{path}
    edit Write read:{path} write:{path}
    patch Write read:{paths?} write:{paths?} read:{diff:files?} write:{diff:files?}
    ");
}
