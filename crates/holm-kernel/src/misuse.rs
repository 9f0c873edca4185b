//! Mistakes of the host. They leave the run unchanged and are never written to the journal.

use thiserror::Error;

use crate::CallId;

/// What a host did wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Misuse {
    /// The id was never handed out.
    #[error("call {0} was never issued by this run; answer only ids that came from `poll`")]
    UnknownCall(CallId),
    /// A tool answered before its dispatch was written down.
    #[error(
        "call {0} finished before `Dispatched` was handled; append `Dispatched` first, then run the tool"
    )]
    NotDispatched(CallId),
    /// `Started` is record 0 and nothing else.
    #[error("the run has already started; use `Run::start` for a new one")]
    AlreadyStarted,
}
