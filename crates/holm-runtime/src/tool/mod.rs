//! Tools: they run the calls that the kernel has allowed.
//!
//! Here are the trait and what a tool receives and returns. Concrete tools are in `holm-tools`,
//! declarations in `holm-kernel/src/config/tool.rs`. A tool must enforce the needs that it was
//! allowed; whether a call may run was decided before. Failures are outputs, never errors.
//!
//! Where things are:
//!
//! - `tool/invocation.rs`: one call with everything that its tool receives.
//! - `tool/output.rs`: what a typed tool may return.
//! - `tool/typed_tool.rs`: tools over Rust types.
//! - `tool/function.rs`: tools over raw jobs.
//! - `tool/schema.rs`: the schema of a type.
//! - `tool/support.rs`: for `#[tool]`.
//! - `tool/containment.rs`: panics, hangs and excessive output.
//! - `tool/panics.rs`: panics as values.
//! - `tool/threads.rs`: threads for blocking code.
//! - `tool/toolbox.rs`: the tools of a run.
//! - `tool/progress.rs`: progress for people.
//! - `tool/error_pointer.rs`: the place of a wrong argument.

mod containment;
mod error_pointer;
mod function;
mod invocation;
mod output;
mod panics;
mod progress;
mod schema;
#[doc(hidden)]
pub mod support;
mod threads;
mod toolbox;
mod typed_tool;

#[cfg(test)]
mod tests;

pub use containment::{OutputLimits, ToolContainment};
pub use function::{FnTool, tool_fn};
pub use invocation::{ArgumentsError, ToolInvocation};
pub use output::{IntoOutput, JsonOutput};
pub use progress::{ProgressReporter, ProgressUpdate};
pub use schema::schema_of;
pub use threads::BlockingThreads;
pub(crate) use toolbox::check_names;
pub use toolbox::{Toolbox, ToolboxError};
pub use typed_tool::{ClosureTool, TypedTool, TypedToolAdapter, blocking_tool, job_tool, tool};

use holm_kernel::ToolOutput;

use crate::BoxFuture;

/// Something a model can call.
///
/// Most tools are plain functions: see `#[tool]`, [`tool`] and [`TypedTool`]. This
/// trait is for tools whose schema is only known at run time. The driver contains
/// a tool's failures ([`ToolContainment`]).
pub trait Tool: Send + Sync {
    /// The declaration for the kernel and the model. It must not change while a run lasts.
    fn declaration(&self) -> &holm_kernel::ToolSpec;

    /// Runs one call. Failures are part of the output; a panic counts as a failed call.
    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput>;

    /// Where references to secrets are replaced by the secrets that a call may use.
    fn reveal(&self) -> SecretReveal {
        SecretReveal::InArguments
    }
}

/// Where references to secrets (`‹secret:name›`) are replaced by the secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecretReveal {
    /// In the arguments, before the tool sees them.
    #[default]
    InArguments,
    /// By the tool itself when it sends them out: for tools that run code which must not see them.
    OnTheWayOut,
}

/// A value that can be used as a tool: a tool, or the function that `#[tool]` generated.
///
/// `M` only distinguishes the two and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool]` on the function, use `tool(…)` for a closure, or implement `Tool`"
)]
pub trait IntoTool<M> {
    type Tool: Tool + 'static;

    fn into_tool(self) -> Self::Tool;
}

/// Marks a tool that is passed directly. See [`IntoTool`].
#[derive(Debug)]
pub enum DirectToolMarker {}

/// Marks a tool that is passed as the function that makes it. See [`IntoTool`].
#[derive(Debug)]
pub enum FactoryToolMarker {}

impl<T: Tool + 'static> IntoTool<DirectToolMarker> for T {
    type Tool = T;

    fn into_tool(self) -> T {
        self
    }
}

impl<F: FnOnce() -> T, T: Tool + 'static> IntoTool<FactoryToolMarker> for F {
    type Tool = T;

    fn into_tool(self) -> T {
        self()
    }
}
