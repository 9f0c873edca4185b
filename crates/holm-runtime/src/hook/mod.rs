//! Hooks: a host's own code at fixed points of the loop. Each kind is a narrow trait, and a type
//! implements the ones it needs.
//!
//! The answers of hooks become facts of the run and are journaled, so a replay needs no
//! hooks. Each hook has a deadline. A hook that panics or hangs is contained: guards
//! (before a call, the tool gate) close, everything else continues without it, and
//! watchers are notified ([`Event::HookFailed`](holm_kernel::Event::HookFailed)).
//!
//! Where things are:
//!
//! - `hook/traits.rs`: the traits, one for each point of the loop.
//! - `hook/hooks.rs`: the set of hooks of an agent.
//! - `hook/hook_calls.rs`: asks them in turn.
//!
//! The driver starts the questions in `driver/hooks.rs`; hooks that are commands or files are in
//! `holm-tools/src/hooks/`. The points of the loop are defined in
//! `holm-kernel/src/consultation.rs`.

mod hook_calls;
mod hooks;
mod traits;

#[cfg(test)]
mod tests;

pub(crate) use hook_calls::{HookContext, due};
pub use hooks::{HOOK_DEADLINE, Hook, HookSet};
pub use traits::{
    AfterCallHook, BeforeCallHook, CompactionHook, CompactionNotice, CompletedCall, ContextHook,
    EventObserver, FollowUpSource, GateVisibility, HookOpinion, HookReaction, LoopHook, LoopNotice,
    ModelCallCost, ModelSelector, ProposedCall, SteeringSource, ToolGate, UsageHook,
};
