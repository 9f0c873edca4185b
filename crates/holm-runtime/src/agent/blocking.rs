//! A blocking interface, for programs without an async runtime. It creates a runtime for one call;
//! agents are built in `agent/builder.rs`, and runs are driven in `driver/mod.rs`.

use holm_kernel::Prompt;

use super::{Agent, RunReport};
use crate::DriveError;

impl Agent {
    /// As [`run`](Self::run), in a small runtime on this thread.
    ///
    /// # Errors
    /// [`BlockingError::InsideRuntime`] inside a runtime: use [`run`](Self::run) there.
    ///
    /// ```
    /// # use holm_runtime::{Agent, model_fn};
    /// # use holm_kernel::{Block, ModelResult, Reply};
    /// # let client = model_fn(|_| {
    /// #     let reply = Reply { blocks: vec![Block::Text("hello".into())], ..Reply::default() };
    /// #     Box::pin(async move { ModelResult::Replied(reply) })
    /// # });
    /// let agent = Agent::builder("example/model", client).build()?;
    /// assert_eq!(agent.run_blocking("hi")?.text()?, "hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_blocking(&self, prompt: impl Into<Prompt>) -> Result<RunReport, BlockingError> {
        if tokio::runtime::Handle::try_current().is_ok() {
            return Err(BlockingError::InsideRuntime);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| BlockingError::System { reason: error.to_string() })?;
        // The runtime ends with this call, so the observers get a moment before.
        runtime.block_on(async {
            let mut session = self.start().await?;
            let report = session.prompt(prompt).await?;
            session.close().await;
            Ok(report)
        })
    }
}

/// A blocking prompt could not be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockingError {
    /// The thread belongs to a runtime, which must not be blocked.
    #[error("this thread belongs to an async runtime already; call `run` and await it")]
    InsideRuntime,
    /// The runtime could not be created.
    #[error("cannot create a runtime for this thread ({reason})")]
    System {
        /// The operating system's error.
        reason: String,
    },
    /// The run cannot continue.
    #[error(transparent)]
    Drive(#[from] DriveError),
}
