//! Hooks: a host's own code at fixed points of the loop. Each kind is a narrow trait, and a type
//! implements the ones it needs.
//!
//! The answers of hooks become facts of the run and are journaled, so a replay needs no
//! hooks. Each hook has a deadline. A hook that panics or hangs is contained: guards
//! (before a call, the tool gate) close, everything else continues without it, and
//! watchers are told ([`Event::HookFailed`](holm_kernel::Event::HookFailed)).

mod ask;
mod hooks;
mod traits;

#[cfg(test)]
mod tests;

pub(crate) use ask::{Scene, due};
pub use hooks::{HOOK_DEADLINE, Hook, Hooks};
pub use traits::{
    AfterCall, BeforeCall, Called, Compacted, ContextHook, FollowUpSource, Looped, ModelSelect, Observer,
    OnCompaction, OnLoop, OnUsage, Opinion, Proposed, Reaction, Sight, Spent, SteeringSource, ToolGate,
};
