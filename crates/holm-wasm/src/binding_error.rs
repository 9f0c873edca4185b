//! The error type of this crate: a mistake of the JavaScript caller, or a text that cannot be used.
//!
//! What a model or a tool does wrong is never one of these; it is an input of the run. The kinds
//! are part of the package's interface and are listed again in `packages/holm/src/error.ts`. The
//! conversion into a JavaScript value is in `bindings.rs`.

use alloc::string::{String, ToString};
use core::fmt;

use serde::Serialize;

/// Why a call failed. It is thrown as `HolmError`, whose `kind` is [`BindingErrorKind`] in snake case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BindingError {
    /// The kind of failure, for programs.
    pub kind: BindingErrorKind,
    /// What happened and what to do, for people.
    pub message: String,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingErrorKind {
    /// A text is not JSON of the expected form.
    BadJson,
    /// The kernel refuses the input, which is a mistake of the host.
    Misuse,
    /// The input cannot be journaled.
    Payload,
    /// The journal is damaged.
    Journal,
    /// The journal cannot be folded, or replays with different decisions here.
    Replay,
    /// There is no record to fork at.
    Fork,
    /// The snapshot cannot be taken or used.
    Snapshot,
    /// No call with this number waits for an answer.
    UnknownCall,
    /// There is no codec of this name.
    UnknownFormat,
    /// The reply was already finished or stopped.
    Finished,
    /// A JSON Schema cannot be used.
    Schema,
    /// A postcondition cannot be used.
    Postcondition,
    /// A skill's contract cannot be used.
    Contract,
    /// A skill's input or reply is invalid.
    Skill,
    /// A grant, request, URL or address cannot be read.
    Grant,
    /// An input of the agent.rs protocol cannot be read.
    AgentRs,
}

impl BindingError {
    /// Creates a failure of this kind with the cause's message.
    pub fn new(kind: BindingErrorKind, cause: impl fmt::Display) -> Self {
        Self { kind, message: cause.to_string() }
    }

    /// Returns a function that creates failures of this kind, for `map_err`.
    pub(crate) fn of<E: fmt::Display>(kind: BindingErrorKind) -> impl Fn(E) -> Self {
        move |cause| Self::new(kind, cause)
    }

    /// The failure as JSON, which is its form at the boundary.
    pub fn json(&self) -> String {
        crate::text::json(self)
    }
}

impl fmt::Display for BindingError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl core::error::Error for BindingError {}
