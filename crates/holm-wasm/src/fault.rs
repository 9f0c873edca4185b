//! What a JavaScript caller did wrong, or what a text turned out not to be.

use alloc::string::{String, ToString};
use core::fmt;

use serde::Serialize;

/// Why a call failed. Thrown as `HolmError`, whose `kind` is [`FaultKind`] in snake case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// What sort of failure it is; programs decide by it.
    pub kind: FaultKind,
    /// What happened and what to do, for people.
    pub message: String,
}

/// The sorts of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// A text is not JSON of the expected form.
    BadJson,
    /// The kernel refuses the input: the host's own mistake.
    Misuse,
    /// The input cannot be journaled.
    Payload,
    /// The journal is damaged.
    Journal,
    /// The journal cannot be folded, or decides differently here.
    Replay,
    /// There is no record to fork at.
    Fork,
    /// The snapshot cannot be taken or used.
    Snapshot,
    /// No call of this number waits for an answer.
    UnknownCall,
    /// No codec of this name.
    UnknownFormat,
    /// The reply was finished or stopped already.
    Finished,
    /// A JSON Schema cannot be used.
    Schema,
    /// A postcondition cannot be used.
    Postcondition,
    /// A skill's contract cannot be used.
    Contract,
    /// A skill's input or reply does not hold.
    Skill,
    /// A grant, request, URL or address cannot be read.
    Grant,
    /// An input of the agent.rs protocol cannot be read.
    AgentRs,
}

impl Fault {
    /// A failure of one sort, told by its cause.
    pub fn new(kind: FaultKind, cause: impl fmt::Display) -> Self {
        Self { kind, message: cause.to_string() }
    }

    /// A maker of failures of one sort, for `map_err`.
    pub(crate) fn of<E: fmt::Display>(kind: FaultKind) -> impl Fn(E) -> Self {
        move |cause| Self::new(kind, cause)
    }

    /// The failure as JSON, which is how it crosses the boundary.
    pub fn json(&self) -> String {
        crate::text::json(self)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl core::error::Error for Fault {}
