//! The file tools: `read`, `list`, `glob`, `grep`, `write`, `edit`, `patch`.
//!
//! All of them work in one [`WorkspaceRoot`](crate::root::WorkspaceRoot) and cannot be made without one. Each
//! declares what a call needs (`read:{path}`, `write:{path}`), and the kernel decides. The root
//! checks again when it opens the file, so a call cannot reach a file that it was not granted.
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

mod change;
mod desk;
mod diff;
mod echo;
mod edit;
mod effort;
mod glob;
mod grep;
mod image;
mod indents;
mod lines;
mod list;
mod locate;
mod nearest;
mod patch;
mod read;
mod relaxed;
mod text;
mod write;

#[cfg(test)]
mod tests;

pub use desk::{FileToolContext, MOST_BYTES};

use std::sync::Arc;

use holm_runtime::Tool;

/// The tools of one desk, in the order in which a model sees them.
pub fn tools(desk: FileToolContext) -> Vec<Arc<dyn Tool>> {
    let desk = Arc::new(desk);
    vec![
        Arc::new(read::tool(Arc::clone(&desk))),
        Arc::new(list::tool(Arc::clone(&desk))),
        Arc::new(glob::tool(Arc::clone(&desk))),
        Arc::new(grep::tool(Arc::clone(&desk))),
        Arc::new(write::tool(Arc::clone(&desk))),
        Arc::new(edit::tool(Arc::clone(&desk))),
        Arc::new(patch::tool(desk)),
    ]
}
