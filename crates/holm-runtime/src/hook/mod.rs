//! Hooks: the places where a host's own code is heard. Each is a narrow trait, and a type implements whichever it likes.
//!
//! What hooks say becomes facts of the run and is journaled, so a replay needs none of them. Each has a deadline. One
//! that panics or hangs is contained: what guards something (before a call, the tool gate) closes, everything else goes
//! on without it, and watchers are told ([`Event::HookFailed`](holm_kernel::Event::HookFailed)).

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
