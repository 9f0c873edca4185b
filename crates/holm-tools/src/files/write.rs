//! The `write` tool: creates or replaces a whole file.
//!
//! An existing file must have been read before; this file checks that and words the report.
//! Locking, comparing, recording for undo and writing are done in `change.rs`. Changes to a part of
//! a file are `edit.rs` and `patch.rs`; what a user is shown before approving a write is
//! `proposed_change.rs`.

use std::sync::Arc;

use holm_grants::Level;
use holm_runtime::{ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    change::NewContent,
    file_tool_context::{FileToolContext, FileToolError, ReadStatus, declared, failed},
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

pub(super) fn tool(context: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Writes a whole file, new or replaced. Read an existing file first. To change part of a \
        file, use edit.";
    let write = blocking_tool("write", text, move |arguments: WriteArguments, invocation: ToolInvocation| {
        run(&context, &arguments, &invocation)
    });
    declared(write, Level::Write, &["write:{path}"])
}

fn run(
    context: &FileToolContext,
    arguments: &WriteArguments,
    invocation: &ToolInvocation,
) -> Result<String, FileToolError> {
    let path = context.root.path(&arguments.path)?;
    let bytes = arguments.content.as_bytes().to_vec();
    let count = bytes.len();
    context.change(invocation, std::slice::from_ref(&path), MissingFolderPolicy::Made, |befores| {
        let existed = match befores.first() {
            Some(before) if before.bytes.is_some() => {
                if before.recalled == ReadStatus::Unseen {
                    return Err(failed(not_read(&path)));
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
