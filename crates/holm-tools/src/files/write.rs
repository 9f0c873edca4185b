//! The `write` tool: a whole file.

use std::sync::Arc;

use holm_grants::Level;
use holm_runtime::{ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    change::NewContent,
    file_tool_context::{FileToolContext, FileToolError, ReadStatus, declared, told},
    proposed_change::not_read,
};
use crate::root::MissingFolderPolicy;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteArguments {
    /// The file; relative paths start at the workspace. Missing folders are made.
    path: String,
    /// The whole content of the file.
    content: String,
}

pub(super) fn tool(desk: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Writes a whole file, new or replaced. Read an existing file first. To change part of a \
        file, use edit.";
    let write = blocking_tool("write", text, move |arguments: WriteArguments, job: ToolInvocation| {
        run(&desk, &arguments, &job)
    });
    declared(write, Level::Write, &["write:{path}"])
}

fn run(
    desk: &FileToolContext,
    arguments: &WriteArguments,
    job: &ToolInvocation,
) -> Result<String, FileToolError> {
    let path = desk.root.path(&arguments.path)?;
    let bytes = arguments.content.as_bytes().to_vec();
    let count = bytes.len();
    desk.change(job, std::slice::from_ref(&path), MissingFolderPolicy::Made, |befores| {
        let existed = match befores.first() {
            Some(before) if before.bytes.is_some() => {
                if before.recalled == ReadStatus::Unseen {
                    return Err(told(not_read(&path)));
                }
                true
            }
            Some(_) | None => false,
        };
        let said = if existed { "replaced" } else { "new" };
        let unit = if count == 1 { "byte" } else { "bytes" };
        Ok((vec![NewContent::Bytes(bytes)], format!("`{path}` now has {count} {unit} ({said})")))
    })
}
