//! Models: they answer model calls.
//!
//! Here are the traits and a model made of a function. A model does not retry, wait or fall back,
//! and it does not shorten a request: the kernel decides that from the class of a failure
//! (`holm-kernel/src/run/failure.rs`). Providers over HTTP and the scripted model are in
//! `holm-models`, local inference is in `holm-local`.

use std::{future::Future, pin::Pin, sync::Arc};

use holm_kernel::{Message, ModelCallId, ModelResult, Offer, Request};
use tokio_util::sync::CancellationToken;

use crate::DeltaSink;

/// A future on the heap, so that the traits of this crate are object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A source of replies, shared by many runs.
///
/// A model does not retry, wait or fall back: the kernel decides that from the class of a failure.
pub trait Model: Send + Sync {
    /// Opens a connection for one run. It holds data that is worth keeping between the calls of a
    /// run, such as encoded messages.
    fn open(&self) -> Box<dyn ModelConnection>;

    /// As [`open`](Self::open), for a run of this family: a run has the same one when it is
    /// resumed, and its forks have it too. All their prompts begin alike, so a provider can find
    /// the cached ones by it.
    fn open_run(&self, family: &str) -> Box<dyn ModelConnection> {
        let _ = family;
        self.open()
    }
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn open(&self) -> Box<dyn ModelConnection> {
        (**self).open()
    }

    fn open_run(&self, family: &str) -> Box<dyn ModelConnection> {
        (**self).open_run(family)
    }
}

/// One run's connection to its models.
pub trait ModelConnection: Send {
    /// Sends one request to a model and returns its reply.
    ///
    /// It must read the messages before it returns: the future owns its data, so that the run can
    /// take inputs while the model replies. If [`ModelRequest::stop`] is cancelled, the future ends
    /// soon with [`ModelResult::Aborted`] and what had arrived. Dropping the future
    /// also ends the call.
    fn call(&mut self, ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult>;
}

/// One call of a model.
pub struct ModelRequest<'a> {
    /// The id of the call; every delta carries it.
    pub call: ModelCallId,
    pub request: &'a Request,
    /// The messages that the request names.
    pub messages: &'a [Arc<Message>],
    /// The tools that the model knows: those of the request, or those that its text describes if
    /// the protocol is text. For models that can be constrained to them.
    pub told: Arc<Offer>,
    /// The sink for the pieces of the reply.
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
    F: Fn(ModelRequest<'_>) -> BoxFuture<'static, ModelResult> + Send + Sync + 'static,
{
    FnModel(Arc::new(function))
}

impl<F> Model for FnModel<F>
where
    F: Fn(ModelRequest<'_>) -> BoxFuture<'static, ModelResult> + Send + Sync + 'static,
{
    fn open(&self) -> Box<dyn ModelConnection> {
        Box::new(Self(Arc::clone(&self.0)))
    }
}

impl<F> ModelConnection for FnModel<F>
where
    F: Fn(ModelRequest<'_>) -> BoxFuture<'static, ModelResult> + Send + Sync + 'static,
{
    fn call(&mut self, ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult> {
        (self.0)(ask)
    }
}
