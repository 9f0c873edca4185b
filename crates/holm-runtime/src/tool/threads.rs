//! A limit on threads for blocking code.
//!
//! A thread cannot be stopped from outside, and an abandoned call may stay on its thread for
//! ever. So the number of such threads is bounded: each thread returns its permit itself,
//! when it is done.
//!
//! A thread also holds the run's journal until it is done (`driver/journal_hold.rs`). Stopping a
//! call is asked for through its token; this file cannot stop code that ignores it.

use std::sync::{Arc, LazyLock};

use tokio::{sync::Semaphore, task};
use tokio_util::sync::CancellationToken;

use crate::driver::JournalHold;

/// The default number of threads that the tools of one process share. The async runtime's own limit
/// is 512, and other code needs threads too.
const SHARED: usize = 256;

static ALL: LazyLock<BlockingThreads> = LazyLock::new(|| BlockingThreads::new(SHARED));

/// How many blocking calls may run at once; clones share the number.
#[derive(Debug, Clone)]
pub struct BlockingThreads {
    permits: Arc<Semaphore>,
    most: usize,
    /// Held until the thread is done: a run is not released while one of its calls still acts.
    hold: Option<JournalHold>,
}

/// Why a blocking call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ThreadError {
    #[error("the tool panicked: {0}")]
    Panicked(String),
    /// It was stopped before a thread was free.
    #[error("no thread is free: {0} blocking calls do not return; make the tool async or bound its work")]
    NoneFree(usize),
    /// The async runtime is shutting down.
    #[error("Holm is shutting down")]
    ShutDown,
}

impl BlockingThreads {
    /// At most this many threads.
    pub fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        Self { permits: Arc::new(Semaphore::new(most)), most, hold: None }
    }

    /// The threads that all tools of this process share.
    pub fn shared() -> Self {
        ALL.clone()
    }

    /// How many threads are free.
    pub fn free(&self) -> usize {
        self.permits.available_permits()
    }

    /// The same threads, for calls of a run whose journal is held meanwhile.
    pub(crate) fn holding(mut self, hold: JournalHold) -> Self {
        self.hold = Some(hold);
        self
    }

    /// Runs blocking code. If the caller goes away, the thread finishes alone and only
    /// then returns its permit.
    pub(crate) async fn run<T, F>(&self, stop: &CancellationToken, work: F) -> Result<T, ThreadError>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let permit = tokio::select! {
            permit = Arc::clone(&self.permits).acquire_owned() => permit.map_err(|_| ThreadError::ShutDown)?,
            () = stop.cancelled() => return Err(ThreadError::NoneFree(self.most)),
        };
        let hold = self.hold.clone();
        let done = task::spawn_blocking(move || {
            let result = super::panics::caught(work);
            drop((permit, hold));
            result
        });
        match done.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(panic)) => Err(ThreadError::Panicked(panic)),
            Err(_) => Err(ThreadError::ShutDown),
        }
    }
}
