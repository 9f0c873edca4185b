//! The `list` tool: the entries of one folder. Recursive search is `glob.rs`. Entries that a rule
//! hides from tools are counted and not named; links are shown and not followed.

use std::{fmt::Write, os::fd::AsFd, sync::Arc};

use holm_grants::{FilePath, Level};
use holm_runtime::{ClosureTool, ToolInvocation, blocking_tool};
use rustix::fs::{AtFlags, FileType, statat};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    file_tool_context::{FileToolContext, FileToolError, declared},
    glob::count_entries,
};
use crate::root::{DirEntryKind, VERSION_CONTROL, WorkspaceRootError};

/// Entries that are shown; to see more, the model must search.
const MOST: usize = 1_000;

/// Entries that are read.
const MOST_LOOKED: usize = 100_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    /// The folder; the workspace if left out.
    path: Option<String>,
}

pub(super) fn tool(context: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Lists a folder, one name a line: folders end with a slash, files show their size, links \
        end with an @. Not recursive; use glob for that.";
    let list = blocking_tool("list", text, move |arguments: ListArguments, invocation: ToolInvocation| {
        run(&context, &arguments, &invocation)
    });
    declared(list, Level::ReadOnly, &["read:{path=.}"])
}

fn run(
    context: &FileToolContext,
    arguments: &ListArguments,
    invocation: &ToolInvocation,
) -> Result<String, FileToolError> {
    let path = context.root.path(arguments.path.as_deref().unwrap_or("."))?;
    context.root.permit(&invocation.needs).read(&path)?;
    let dir = context.root.folder(&path)?;
    let entries = dir.entries().map_err(|error| WorkspaceRootError::io(path.as_str(), &error))?;
    let mut names = Vec::new();
    let (mut hidden, mut unnamed) = (0_usize, 0_usize);
    for entry in entries.take(MOST_LOOKED).flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            unnamed += 1;
            continue;
        };
        match below(&path, &name) {
            None => unnamed += 1,
            Some(inner) if context.root.rules().reading(&inner).is_some() => {
                hidden += usize::from(name != VERSION_CONTROL);
            }
            Some(_) => names.push(name),
        }
    }
    names.sort_unstable();
    let mut out = String::new();
    for name in names.iter().take(MOST) {
        let _ = writeln!(out, "{}", row(dir.as_fd(), name));
    }
    if names.is_empty() {
        let _ = writeln!(out, "[nothing to show in `{path}`]");
    }
    let cut = names.len().saturating_sub(MOST);
    if cut > 0 {
        let _ = writeln!(out, "[{cut} more; use glob to narrow them down]");
    }
    for (count, why) in [
        (hidden, "hidden from tools by a rule"),
        (
            unnamed,
            "the name cannot be written as a \
        path",
        ),
    ] {
        if count > 0 {
            let _ = writeln!(out, "[{} not shown: {why}]", count_entries(count));
        }
    }
    out.truncate(out.trim_end().len());
    Ok(out)
}

fn below(folder: &FilePath, name: &str) -> Option<FilePath> {
    let text = if folder.as_str() == "." { name.to_owned() } else { format!("{folder}/{name}") };
    text.parse().ok()
}

fn row(dir: std::os::fd::BorrowedFd<'_>, name: &str) -> String {
    let Ok(found) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) else { return name.to_owned() };
    match DirEntryKind::of(FileType::from_raw_mode(found.st_mode)) {
        DirEntryKind::Folder => format!("{name}/"),
        DirEntryKind::Link => format!("{name}@"),
        DirEntryKind::File => format!("{name}  {} bytes", found.st_size),
        kind @ (DirEntryKind::Pipe | DirEntryKind::Socket | DirEntryKind::Device) => {
            format!("{name}  ({})", kind.in_words())
        }
    }
}
