//! Tools whose arguments are a Rust type: the schema is derived, and the arguments arrive parsed.
//!
//! The schema is made in `tool/schema.rs`, arguments are parsed in `tool/invocation.rs`, results
//! become text in `tool/output.rs`. A tool counts as able to do anything until its level is set.
//! Blocking functions run on threads of `tool/threads.rs`, never on the threads of the async
//! runtime.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc, time::Duration};

use holm_grants::{Level, TemplateError};
use holm_guards::postcondition::Postcondition;
use holm_kernel::{Pace, Repeat, ToolOutput, Vote};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{IntoOutput, Tool, ToolInvocation, schema_of, threads::ThreadError};
use crate::BoxFuture;

/// A tool with its own state and typed arguments. [`TypedToolAdapter::new`] makes a [`Tool`] of it.
///
/// ```
/// use std::sync::Arc;
/// use holm_grants::Level;
/// use holm_runtime::{ToolInvocation, Tool, TypedToolAdapter, TypedTool};
///
/// struct Greeter { greeting: String }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Whom { name: String }
///
/// impl TypedTool for Greeter {
///     type Arguments = Whom;
///     type Output = String;
///
///     fn declare(&self) -> holm_kernel::ToolSpec {
///         Self::named("greet", "Greets somebody.").level(Level::None)
///     }
///
///     async fn call(self: Arc<Self>, whom: Whom, _: ToolInvocation) -> String {
///         format!("{} {}", self.greeting, whom.name)
///     }
/// }
///
/// let tool = TypedToolAdapter::new(Greeter { greeting: "hello".into() });
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// assert_eq!(tool.run(ToolInvocation::alone(r#"{"name":"Ada"}"#)).await.text, "hello Ada");
/// # });
/// ```
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments of a call.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// The result of a call.
    type Output: IntoOutput;

    /// The declaration for the kernel and the model; begin with [`named`](Self::named).
    fn declare(&self) -> holm_kernel::ToolSpec;

    /// Runs one call. To stop in time, watch [`ToolInvocation::stop`].
    fn call(
        self: Arc<Self>,
        arguments: Self::Arguments,
        job: ToolInvocation,
    ) -> impl Future<Output = Self::Output> + Send;

    /// A declaration with the schema of the arguments.
    fn named(name: impl Into<String>, description: impl Into<String>) -> holm_kernel::ToolSpec
    where
        Self: Sized,
    {
        holm_kernel::ToolSpec::new(name, description, schema_of::<Self::Arguments>())
    }
}

/// A [`TypedTool`] as a [`Tool`].
pub struct TypedToolAdapter<T> {
    declaration: holm_kernel::ToolSpec,
    tool: Arc<T>,
}

impl<T: TypedTool> TypedToolAdapter<T> {
    /// Asks the tool for its declaration, once.
    pub fn new(tool: T) -> Self {
        Self { declaration: tool.declare(), tool: Arc::new(tool) }
    }
}

impl<T: TypedTool> Tool for TypedToolAdapter<T> {
    fn declaration(&self) -> &holm_kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let tool = Arc::clone(&self.tool);
        Box::pin(async move {
            match job.parse() {
                Ok(arguments) => tool.call(arguments, job).await.into_output(),
                Err(error) => ToolOutput::failed(error.to_string()),
            }
        })
    }
}

impl<T> fmt::Debug for TypedToolAdapter<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("TypedToolAdapter").field(&self.declaration.name).finish()
    }
}

type ToolFunction = dyn Fn(ToolInvocation) -> BoxFuture<'static, ToolOutput> + Send + Sync;

/// A tool made of a function over typed arguments; see [`tool`]. Its methods set the declaration.
#[derive(Clone)]
pub struct ClosureTool<A> {
    declaration: holm_kernel::ToolSpec,
    carry_out: Arc<ToolFunction>,
    arguments: PhantomData<fn(A)>,
}

/// Makes a tool of an async function over its arguments.
///
/// It counts as able to do anything until [`level`](ClosureTool::level) says otherwise.
///
/// ```
/// use holm_grants::Level;
/// use holm_runtime::{ToolInvocation, Tool, tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Sum { a: i64, b: i64 }
///
/// let add = tool("add", "Adds two numbers.", |sum: Sum| async move { sum.a + sum.b }).level(Level::None);
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// assert_eq!(add.run(ToolInvocation::alone(r#"{"a":2,"b":3}"#)).await.text, "5");
/// # });
/// ```
pub fn tool<A, F, Out>(name: impl Into<String>, description: impl Into<String>, function: F) -> ClosureTool<A>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A) -> Out + Send + Sync + 'static,
    Out: Future<Output: IntoOutput> + Send + 'static,
{
    job_tool(name, description, move |arguments, _| function(arguments))
}

/// As [`tool`], for a function that also needs its [`ToolInvocation`]: the stop token, progress,
/// the deadline, the key.
pub fn job_tool<A, F, Out>(
    name: impl Into<String>,
    description: impl Into<String>,
    function: F,
) -> ClosureTool<A>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A, ToolInvocation) -> Out + Send + Sync + 'static,
    Out: Future<Output: IntoOutput> + Send + 'static,
{
    let function = Arc::new(function);
    ClosureTool::new(name, description, move |job| {
        let function = Arc::clone(&function);
        Box::pin(async move {
            match job.parse() {
                Ok(arguments) => function(arguments, job).await.into_output(),
                Err(error) => ToolOutput::failed(error.to_string()),
            }
        })
    })
}

/// As [`tool`], for a function that blocks: it runs on its own thread, of which there is
/// a limited number ([`BlockingThreads`](super::BlockingThreads)).
pub fn blocking_tool<A, F, Out>(
    name: impl Into<String>,
    description: impl Into<String>,
    function: F,
) -> ClosureTool<A>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A, ToolInvocation) -> Out + Send + Sync + 'static,
    Out: IntoOutput,
{
    let function = Arc::new(function);
    ClosureTool::new(name, description, move |job| {
        let function = Arc::clone(&function);
        Box::pin(async move {
            match job.parse() {
                Ok(arguments) => block(job, move |job| function(arguments, job).into_output()).await,
                Err(error) => ToolOutput::failed(error.to_string()),
            }
        })
    })
}

/// Runs a call on a blocking thread.
pub(crate) async fn block(
    job: ToolInvocation,
    work: impl FnOnce(ToolInvocation) -> ToolOutput + Send + 'static,
) -> ToolOutput {
    let (threads, stop) = (job.threads.clone(), job.stop.clone());
    match threads.run(&stop, move || work(job)).await {
        Ok(output) => output,
        Err(error @ (ThreadError::Panicked(_) | ThreadError::NoneFree(_) | ThreadError::ShutDown)) => {
            ToolOutput::failed(error.to_string())
        }
    }
}

impl<A: JsonSchema> ClosureTool<A> {
    fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        carry_out: impl Fn(ToolInvocation) -> BoxFuture<'static, ToolOutput> + Send + Sync + 'static,
    ) -> Self {
        Self {
            declaration: holm_kernel::ToolSpec::new(name, description, schema_of::<A>()),
            carry_out: Arc::new(carry_out),
            arguments: PhantomData,
        }
    }
}

impl<A> ClosureTool<A> {
    /// Sets how much a call can change.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.declaration.level = level;
        self
    }

    /// Adds needs of a call, as templates over its arguments: `read:{path}`.
    ///
    /// # Errors
    /// [`TemplateError`] if one of them is not a valid template.
    pub fn needs<T: AsRef<str>>(mut self, needs: impl IntoIterator<Item = T>) -> Result<Self, TemplateError> {
        self.declaration = self.declaration.needs(needs)?;
        Ok(self)
    }

    /// Declares that running twice has the same effect as running once.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.declaration.repeat = Repeat::Idempotent;
        self
    }

    /// Declares that no other call may run in parallel with it.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.declaration.pace = Pace::Exclusive;
        self
    }

    /// Declares that its results do not count in the vote to end the run.
    #[must_use]
    pub fn advisory(mut self) -> Self {
        self.declaration.vote = Vote::Advisory;
        self
    }

    /// Sets how long one call may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.declaration.timeout_ms = Some(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Sets how many characters of a result the model sees.
    #[must_use]
    pub fn result_limit(mut self, characters: u64) -> Self {
        self.declaration.result_limit = Some(characters);
        self
    }

    /// Adds a condition that every result must meet.
    #[must_use]
    pub fn promises(mut self, postcondition: Postcondition) -> Self {
        self.declaration.postconditions.push(postcondition);
        self
    }

    /// Changes anything else in the declaration.
    #[must_use]
    pub fn declare(mut self, change: impl FnOnce(&mut holm_kernel::ToolSpec)) -> Self {
        change(&mut self.declaration);
        self
    }
}

impl<A> Tool for ClosureTool<A> {
    fn declaration(&self) -> &holm_kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        (self.carry_out)(job)
    }
}

impl<A> fmt::Debug for ClosureTool<A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("ClosureTool").field(&self.declaration.name).finish()
    }
}
