//! Models: they answer model calls.

use std::{future::Future, pin::Pin, sync::Arc};

use holm_kernel::{CallId, Message, ModelResult, Offer, Request};
use tokio_util::sync::CancellationToken;

use crate::DeltaSink;

/// A future on the heap, so that the traits of this crate are object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A source of replies, shared by many runs.
///
/// A model does not retry, wait or fall back: the kernel decides that from the class of a failure.
pub trait Model: Send + Sync {
    /// Opens a line for one run. What is worth keeping between the calls of a run (messages that are already encoded)
    /// is kept there.
    fn open(&self) -> Box<dyn Line>;

    /// As [`open`](Self::open), for a run of this name: one that goes on later has the same, by which a provider can find
    /// what it keeps of the run's prompts.
    fn open_run(&self, run: &str) -> Box<dyn Line> {
        let _ = run;
        self.open()
    }
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn open(&self) -> Box<dyn Line> {
        (**self).open()
    }

    fn open_run(&self, run: &str) -> Box<dyn Line> {
        (**self).open_run(run)
    }
}

/// One run's line to its models.
pub trait Line: Send {
    /// Calls a model.
    ///
    /// What is needed of the messages is taken before this returns: the future owns everything and borrows nothing, so
    /// that the run can go on listening while the model speaks. When [`Ask::stop`] is cancelled the future ends soon,
    /// with [`ModelResult::Aborted`] and what had arrived by then; dropping it ends the call too.
    fn call(&mut self, ask: Ask<'_>) -> BoxFuture<'static, ModelResult>;
}

/// One call of a model.
pub struct Ask<'a> {
    /// Its id; every delta carries it.
    pub call: CallId,
    /// What the kernel asks for.
    pub request: &'a Request,
    /// The messages that the request names.
    pub messages: &'a [Arc<Message>],
    /// The tools that the model knows of: those of the request, or those that its text describes where the protocol is
    /// text. For models that can be held to them.
    pub told: Arc<Offer>,
    /// Where the pieces of the reply go.
    pub deltas: Arc<dyn DeltaSink>,
    /// Cancel it to end the call.
    pub stop: CancellationToken,
}

/// A model made of a function; see [`model_fn`].
#[derive(Debug, Clone)]
pub struct FnModel<F>(Arc<F>);

/// Makes a model of a function, for tests and small programs.
///
/// ```
/// use holm_kernel::{Failure, FailureClass, ModelResult, Usage};
/// use holm_runtime::{Model, model_fn};
///
/// let broken = model_fn(|_| {
///     let message = "nobody is there".into();
///     let failure =
///         Failure { class: FailureClass::Network, message, retry_after_ms: None, usage: Usage::default() };
///     Box::pin(async { ModelResult::Failed(failure) })
/// });
/// let _line = broken.open();
/// ```
pub fn model_fn<F>(function: F) -> FnModel<F>
where
    F: Fn(Ask<'_>) -> BoxFuture<'static, ModelResult> + Send + Sync + 'static,
{
    FnModel(Arc::new(function))
}

impl<F> Model for FnModel<F>
where
    F: Fn(Ask<'_>) -> BoxFuture<'static, ModelResult> + Send + Sync + 'static,
{
    fn open(&self) -> Box<dyn Line> {
        Box::new(Self(Arc::clone(&self.0)))
    }
}

impl<F> Line for FnModel<F>
where
    F: Fn(Ask<'_>) -> BoxFuture<'static, ModelResult> + Send + Sync + 'static,
{
    fn call(&mut self, ask: Ask<'_>) -> BoxFuture<'static, ModelResult> {
        (self.0)(ask)
    }
}
