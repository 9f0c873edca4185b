//! What runs when the kernel has allowed a call.

use std::{collections::BTreeMap, future::Future, sync::Arc};

use holm_kernel::{CallId, Key, Timestamp, ToolOutput};
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// Something a model can call.
pub trait Tool: Send + Sync {
    /// What the kernel and the model must know of it. Must stay the same while a run lasts.
    fn declaration(&self) -> &holm_kernel::Tool;

    /// Runs one call. What goes wrong is said in the output; a panic counts as a failed call.
    fn run(&self, job: Job) -> BoxFuture<'static, ToolOutput>;
}

/// One call that may run.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its id within the run.
    pub call: CallId,
    /// Valid arguments in canonical JSON.
    pub arguments: Arc<str>,
    /// The same for the same call of the same run, for services that take an idempotency key.
    pub key: Key,
    /// When the kernel stops it.
    pub deadline: Timestamp,
    /// Whether it ran before and its answer was lost.
    pub again: bool,
    /// Cancelled when the answer is no longer wanted.
    pub stop: CancellationToken,
}

/// A tool made of a function; see [`tool_fn`].
#[derive(Debug, Clone)]
pub struct FnTool<F> {
    declaration: holm_kernel::Tool,
    function: F,
}

/// Makes a tool of an async function.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_grants::Level;
/// use holm_kernel::{Tool, ToolOutput};
/// use holm_runtime::{Toolbox, tool_fn};
///
/// let echo = Tool::new("echo", "Says it again.", Json::object([("type", "object".into())])).level(Level::None);
/// let tools = Toolbox::new().with(tool_fn(echo, |job| async move { ToolOutput::text(&*job.arguments) }));
/// assert_eq!(tools.declarations()[0].name, "echo");
/// ```
pub fn tool_fn<F, Out>(declaration: holm_kernel::Tool, function: F) -> FnTool<F>
where
    F: Fn(Job) -> Out + Send + Sync,
    Out: Future<Output = ToolOutput> + Send + 'static,
{
    FnTool { declaration, function }
}

impl<F, Out> Tool for FnTool<F>
where
    F: Fn(Job) -> Out + Send + Sync,
    Out: Future<Output = ToolOutput> + Send + 'static,
{
    fn declaration(&self) -> &holm_kernel::Tool {
        &self.declaration
    }

    fn run(&self, job: Job) -> BoxFuture<'static, ToolOutput> {
        Box::pin((self.function)(job))
    }
}

/// The tools of a run, by name.
#[derive(Clone, Default)]
pub struct Toolbox {
    /// In the order in which the model sees them.
    order: Vec<Arc<dyn Tool>>,
    by_name: BTreeMap<String, Arc<dyn Tool>>,
}

impl Toolbox {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool; of two with one name the first stays.
    #[must_use]
    pub fn with(mut self, tool: impl Tool + 'static) -> Self {
        let name = tool.declaration().name.clone();
        if !self.by_name.contains_key(&name) {
            let tool: Arc<dyn Tool> = Arc::new(tool);
            self.order.push(Arc::clone(&tool));
            self.by_name.insert(name, tool);
        }
        self
    }

    /// What a run's configuration says of them.
    pub fn declarations(&self) -> Vec<holm_kernel::Tool> {
        self.order.iter().map(|tool| tool.declaration().clone()).collect()
    }

    /// The tool of a name.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.by_name.get(name)
    }
}
