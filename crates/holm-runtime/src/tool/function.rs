//! A tool made of a declaration and an async function over the raw call, without a type for its
//! arguments. Typed tools are in `tool/typed_tool.rs`; calls are run in `tool/containment.rs`.

use std::future::Future;

use holm_kernel::ToolOutput;

use super::{Tool, ToolInvocation};
use crate::BoxFuture;

/// A tool made of a function; see [`tool_fn`].
#[derive(Debug, Clone)]
pub struct FnTool<F> {
    declaration: holm_kernel::ToolSpec,
    function: F,
}

/// Makes a tool of an async function.
///
/// ```
/// use holm_grants::Level;
/// use holm_guards::json::Json;
/// use holm_kernel::{ToolOutput, ToolSpec};
/// use holm_runtime::{Toolbox, tool_fn};
///
/// let echo = ToolSpec::new("echo", "Says it again.", Json::object([("type", "object".into())]))
///     .level(Level::None);
/// let tools =
///     Toolbox::new().with(tool_fn(echo, |job| async move { ToolOutput::text(&*job.arguments) }));
/// assert_eq!(tools.declarations()[0].name, "echo");
/// ```
pub fn tool_fn<F, Out>(declaration: holm_kernel::ToolSpec, function: F) -> FnTool<F>
where
    F: Fn(ToolInvocation) -> Out + Send + Sync,
    Out: Future<Output = ToolOutput> + Send + 'static,
{
    FnTool { declaration, function }
}

impl<F, Out> Tool for FnTool<F>
where
    F: Fn(ToolInvocation) -> Out + Send + Sync,
    Out: Future<Output = ToolOutput> + Send + 'static,
{
    fn declaration(&self) -> &holm_kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        Box::pin((self.function)(job))
    }
}
