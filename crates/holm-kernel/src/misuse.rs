//! Mistakes of the host. They leave the run unchanged and are never written to the journal.

use thiserror::Error;

use crate::{CallId, SEMANTICS, ToolCallId};

/// A mistake of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KernelMisuse {
    /// The kernel never issued this id.
    #[error("call {0} was never issued by this run; answer only ids that came from `poll`")]
    UnknownCall(CallId),
    /// A tool's result arrived before its dispatch was recorded.
    #[error(
        "call {0} finished before `Dispatched` was handled; append `Dispatched` first, then run the tool"
    )]
    NotDispatched(ToolCallId),
    /// `Started` arrived again; it is only allowed as record 0.
    #[error("the run has already started; use `Run::start` for a new one")]
    AlreadyStarted,
    /// A run cannot start under the decision rules of another version.
    #[error("record 0 names decision rules {0}, this kernel has {SEMANTICS}; make it with `Started::new`")]
    OtherSemantics(u32),
}
