//! Look-ups for models that are too small for the other tools. There are few, each with one plain
//! argument, and their results need no arithmetic and can be repeated as they are.
//!
//! A model of a hundred million parameters reads a catalogue of six lines, but not one of twenty
//! schemas. It copies a number, but cannot compare two. So these tools count, compare and
//! calculate themselves. They ask for the same grants as the [`crate::files`] tools, which do the
//! work, and they change nothing.
//!
//! ```
//! use holm_tools::{files::FileToolContext, root::WorkspaceRoot, simple_tools};
//!
//! let folder = tempfile::tempdir()?;
//! let tools = simple_tools::tools(FileToolContext::new(WorkspaceRoot::open(folder.path())?));
//! let names: Vec<&str> = tools.iter().map(|tool| tool.declaration().name.as_str()).collect();
//! assert_eq!(names, [
//!     "find", "read_file", "count_lines", "list_files", "calculate",
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where things are:
//! - `simple_tool.rs`: a file tool with one plain argument. `find.rs`, `count.rs`, `calculate.rs`:
//!   the other tools.
//! - `checked_model.rs`: a model whose answers are checked. `answer.rs`: the rules of that check.

mod answer;
mod calculate;
mod checked_model;
mod count;
mod find;
mod simple_tool;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use holm_runtime::Tool;

use crate::files::{self, FileToolContext};

pub use answer::{FOUND, UNCHECKED};
pub use checked_model::CheckedModel;

/// The tools whose result is the answer, or is shown as what was found ([`CheckedModel`]). The one
/// that reads a file is not included, because the question is usually about the content.
pub const ANSWERING: &[&str] = &["find", "count_lines", "list_files", "calculate", "date"];

/// The tools of one desk, in the order in which a model sees them.
pub fn tools(desk: FileToolContext) -> Vec<Arc<dyn Tool>> {
    let root = Arc::new(desk.root().clone());
    let inner = files::tools(desk);
    let named = |name: &str| inner.iter().find(|tool| tool.declaration().name == name);
    let wrapped = |form: simple_tool::SimpleToolForm| -> Option<Arc<dyn Tool>> {
        named(form.inner).map(|tool| Arc::new(simple_tool::SimpleTool::of(form, tool)) as Arc<dyn Tool>)
    };
    let find = named("glob").zip(named("grep")).map(|(names, texts)| find::SimpleFindTool::by(names, texts));
    let tools: [Option<Arc<dyn Tool>>; 5] = [
        find.map(|find| Arc::new(find) as Arc<dyn Tool>),
        wrapped(simple_tool::READ),
        Some(Arc::new(count::tool(root))),
        wrapped(simple_tool::LIST),
        Some(Arc::new(calculate::tool())),
    ];
    tools.into_iter().flatten().collect()
}
