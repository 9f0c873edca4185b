//! The `count_lines` tool: the number of lines, words and bytes of a file.

use std::sync::Arc;

use holm_grants::Level;
use holm_runtime::{ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::simple_tool::{SHOWN, number};
use crate::{files::MOST_BYTES, root::WorkspaceRoot};

#[derive(Debug, Deserialize, JsonSchema)]
struct CountArguments {
    path: String,
}

pub(super) fn tool(root: Arc<WorkspaceRoot>) -> ClosureTool<impl JsonSchema> {
    let text = "Counts the lines, the words and the bytes of a file.";
    let count = blocking_tool("count_lines", text, move |arguments: CountArguments, job: ToolInvocation| {
        run(&root, &arguments.path, &job)
    });
    let count = count.level(Level::ReadOnly).result_limit(SHOWN).declare(|tool| tool.yields.private = true);
    #[expect(clippy::expect_used, reason = "a constant, which a test uses")]
    count.needs(["read:{path}"]).expect("needs of our own tools are templates")
}

fn run(root: &WorkspaceRoot, path: &str, job: &ToolInvocation) -> Result<String, String> {
    let counted = || {
        let path = root.path(path)?;
        root.permit(&job.needs).read(&path)?;
        root.read(&path)?.bytes(MOST_BYTES)
    };
    let bytes = counted().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let (lines, words) = (text.lines().count(), text.split_whitespace().count());
    Ok(format!(
        "{path} has {}, {} and {}",
        number(lines, "line"),
        number(words, "word"),
        number(bytes.len(), "byte")
    ))
}
