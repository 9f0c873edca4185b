//! Facts that a model cannot know and may be told: the date, and the kind of machine.
//!
//! Neither tool names the machine, its user or anything stored on it.
//!
//! Files and settings of the machine are not read here; what a session is told about its place is
//! in `holm-cli/src/default_prompt/environment.rs`.

mod date;
mod system;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use holm_runtime::Tool;

/// The tools `date` and `system_info`.
///
/// ```
/// let names: Vec<String> =
///     holm_tools::info::tools().iter().map(|tool| tool.declaration().name.clone()).collect();
/// assert_eq!(names, ["date", "system_info"]);
/// ```
pub fn tools() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(date::tool()), Arc::new(system::tool())]
}
