use holm_grants::{CallNeed, Grant};
use holm_kernel::{Outcome, ToolOutput};
use holm_runtime::{Tool, ToolInvocation};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

use super::{calculate::told, tools};
use crate::{files::FileToolContext, root::WorkspaceRoot};

fn project() -> (TempDir, Vec<Arc<dyn Tool>>) {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    std::fs::create_dir_all(work.join("docs")).unwrap();
    std::fs::write(folder.path().join("outside.txt"), "x").unwrap();
    for (path, text) in [
        ("notes.txt", "buy milk\ncall Ann\n"),
        ("docs/plan.md", "The plan is to sail on Friday.\n"),
        ("data.csv", "name,age\nAnn,31\nBob,44\n"),
    ] {
        std::fs::write(work.join(path), text).unwrap();
    }
    let tools = tools(FileToolContext::new(WorkspaceRoot::open(&work).unwrap()));
    (folder, tools)
}

async fn call(tools: &[Arc<dyn Tool>], name: &str, arguments: &Value, grants: &[&str]) -> ToolOutput {
    let tool = tools.iter().find(|tool| tool.declaration().name == name).unwrap();
    let mut job = ToolInvocation::alone(arguments.to_string());
    job.needs = grants.iter().map(|grant| CallNeed::Grant(grant.parse::<Grant>().unwrap())).collect();
    tool.run(job).await
}

#[tokio::test]
async fn each_says_what_is_there_in_words_that_can_be_repeated() {
    let (_folder, tools) = project();
    let check = async |name: &str, arguments: Value, expect: &str| {
        let output = call(&tools, name, &arguments, &["read:**"]).await;
        assert_eq!(
            (output.outcome, output.text.as_str()),
            (Outcome::Succeeded, expect),
            "{name} {arguments}"
        );
    };
    let listing = "2 files and 1 folder; the largest file is data.csv with 23 bytes:\ndata.csv  23 bytes\ndocs/\nnotes.txt  18 bytes";
    check("list_files", json!({}), listing).await;
    let listing = "1 file and 0 folders; the largest file is plan.md with 31 bytes:\nplan.md  31 bytes";
    check("list_files", json!({ "path": "docs" }), listing).await;
    check("read_file", json!({ "path": "notes.txt" }), "buy milk\ncall Ann").await;
    check("count_lines", json!({ "path": "notes.txt" }), "notes.txt has 2 lines, 4 words and 18 bytes").await;
    let found = "lines with it:\ndata.csv:2:Ann,31\nnotes.txt:2:call Ann";
    check("find", json!({ "text": "ann" }), found).await;
    let found =
        "files of that name:\ndocs/plan.md\nlines with it:\ndocs/plan.md:1:The plan is to sail on Friday.";
    check("find", json!({ "text": "plan" }), found).await;
    check("find", json!({ "text": "*.csv" }), "files of that name:\ndata.csv").await;
    check("find", json!({ "text": "[nobody]" }), "`[nobody]` was not found").await;
    check("calculate", json!({ "expression": "12 * 7" }), "12 * 7 = 84").await;
}

#[tokio::test]
async fn none_reaches_what_it_was_not_granted() {
    let (_folder, tools) = project();
    for (name, arguments) in [
        ("list_files", json!({ "path": "docs" })),
        ("read_file", json!({ "path": "docs/plan.md" })),
        ("count_lines", json!({ "path": "docs/plan.md" })),
    ] {
        let output = call(&tools, name, &arguments, &["read:notes.txt"]).await;
        assert_eq!(output.outcome, Outcome::Failed, "{name}: {}", output.text);
        let needs = &tools.iter().find(|tool| tool.declaration().name == name).unwrap().declaration().needs;
        assert_eq!(needs.len(), 1, "{name}");
    }
    let outside = call(&tools, "read_file", &json!({ "path": "../outside.txt" }), &["read:**"]).await;
    assert_eq!(outside.outcome, Outcome::Failed, "{}", outside.text);
}

#[test]
fn sums_are_exact_and_what_is_none_is_said() {
    let check = |expression: &str, expect: &str| {
        let found = told(expression);
        let found =
            found.as_ref().map_or_else(String::as_str, |value| value.split(" = ").nth(1).unwrap_or(value));
        assert!(found.contains(expect), "{expression}: {found}");
    };
    check("1 + 2 * 3", "7");
    check("(1 + 2) * 3 =", "9");
    check("0.1 + 0.2", "0.3");
    check("10 / 4", "2.5");
    check("1 / 3", "0.3333333333 (rounded)");
    check("2 / 3", "0.6666666667 (rounded)");
    check("-4 - -6", "2");
    check("1,250 x 4", "5000");
    check("15% * 200", "30");
    check("10000 minus 1", "9999");
    check("12 divided by 5.", "2.4");
    check("7 ÷ 0", "divided by zero");
    check("2 +", "a number is missing");
    check("two", "is not a number");
    check("(1", "not closed");
    check("1)", "not expected");
    check(&"9".repeat(60), "too large");
    check(&"(".repeat(60), "too many brackets");
    check("99999999999999999999 * 99999999999999999999", "too large");
    check("0.99999999999 * 1", "1 (rounded)");
}

#[test]
fn what_reads_files_says_that_they_may_be_private() {
    let (_folder, tools) = project();
    for tool in &tools {
        let declared = tool.declaration();
        assert_eq!(declared.yields.private, !declared.needs.is_empty(), "{}", declared.name);
    }
}
