//! The file tools: `read`, `list`, `glob`, `grep`, `write`, `edit`, `patch`.
//!
//! All of them work in one [`WorkspaceRoot`](crate::root::WorkspaceRoot) and cannot be made without
//! one. Each declares what a call needs (`read:{path}`, `write:{path}`), and the kernel decides.
//! The root checks again when it opens the file, so a call cannot reach a file that
//! it was not granted.
//!
//! A change is made completely or not at all. It is refused if the file is no longer what
//! was read. The new content is written beside the file and renamed, and the old content
//! is kept for [`undo`](crate::undo).
//!
//! ```
//! use holm_tools::{files::{self, FileToolContext}, root::WorkspaceRoot};
//!
//! let folder = tempfile::tempdir()?;
//! let tools = files::tools(FileToolContext::new(WorkspaceRoot::open(folder.path())?));
//! let names: Vec<&str> = tools.iter().map(|tool| tool.declaration().name.as_str()).collect();
//! assert_eq!(names, ["read", "list", "glob", "grep", "write", "edit", "patch"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here decides whether a call may run, and no tool may open a path except through the
//! root.
//!
//! Where things are:
//! - `read.rs`, `list.rs`, `glob.rs`, `grep.rs`: tools that only read.
//! - `write.rs`, `edit.rs`, `patch.rs`: tools that change files, all through `change.rs`.
//! - `diff.rs` and its folder: patches as text.
//! - `text_search.rs`, `line_comparison.rs`, `indents.rs`, `lines.rs`, `comparison_budget.rs`:
//!   where an old text is.
//! - `nearest_text.rs`, `changed_lines.rs`: what a model is shown after a failure or a change.
//! - `text.rs`, `image.rs`: encodings and pictures.
//! - `proposed_change.rs`: what a person is shown of a write before it.
//! - `file_tool_context.rs`: what the tools share.

mod change;
mod changed_lines;
mod comparison_budget;
mod diff;
mod edit;
mod file_tool_context;
mod glob;
mod grep;
mod image;
mod indents;
mod line_comparison;
mod lines;
mod list;
mod nearest_text;
mod patch;
mod proposed_change;
mod read;
mod text;
mod text_search;
mod write;

#[cfg(test)]
mod tests;

pub use file_tool_context::{FileToolContext, MOST_BYTES};
pub(crate) use glob::NO_MATCHING_FILE;
pub(crate) use grep::NO_MATCHING_LINE;
pub(crate) use patch::unreadable_patch;
pub(crate) use proposed_change::unread;
pub use proposed_change::{LineDifference, ProposedChange};

use std::sync::Arc;

use holm_runtime::Tool;

/// Tools that open files of the workspace alone: those of this module, and the two of
/// [`simple_tools`](crate::simple_tools) that wrap them.
const NAMES: [&str; 9] =
    ["read", "list", "glob", "grep", "write", "edit", "patch", "read_file", "list_files"];

/// Whether a tool opens files of the workspace alone, so that no grant lets it open another file.
#[must_use]
pub fn is_file_tool(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The tools that share one context, in the order in which a model sees them.
pub fn tools(context: FileToolContext) -> Vec<Arc<dyn Tool>> {
    let context = Arc::new(context);
    vec![
        Arc::new(read::tool(Arc::clone(&context))),
        Arc::new(list::tool(Arc::clone(&context))),
        Arc::new(glob::tool(Arc::clone(&context))),
        Arc::new(grep::tool(Arc::clone(&context))),
        Arc::new(write::tool(Arc::clone(&context))),
        Arc::new(edit::tool(Arc::clone(&context))),
        Arc::new(patch::tool(context)),
    ]
}
