//! What runs when the kernel has allowed a call.

mod contain;
mod function;
mod job;
mod output;
mod panics;
mod place;
mod progress;
mod schema;
#[doc(hidden)]
pub mod support;
mod threads;
mod toolbox;
mod typed;

#[cfg(test)]
mod tests;

pub use contain::{Carry, Containment};
pub use function::{FnTool, tool_fn};
pub use job::{BadArguments, Job};
pub use output::{Data, IntoOutput};
pub use progress::{Progress, Update};
pub use schema::schema_of;
pub use threads::Threads;
pub use toolbox::{Toolbox, ToolboxError};
pub use typed::{ClosureTool, Typed, TypedTool, blocking_tool, job_tool, tool};

use holm_kernel::ToolOutput;

use crate::BoxFuture;

/// Something a model can call.
///
/// Most tools are plain functions: see `#[tool]`, [`tool`] and [`TypedTool`]. This trait is for tools whose schema is
/// only known when the program runs. Whatever a tool does wrong is contained by the driver ([`Containment`]).
pub trait Tool: Send + Sync {
    /// What the kernel and the model must know of it. Must stay the same while a run lasts.
    fn declaration(&self) -> &holm_kernel::Tool;

    /// Runs one call. What goes wrong is said in the output; a panic counts as a failed call.
    fn run(&self, job: Job) -> BoxFuture<'static, ToolOutput>;
}
