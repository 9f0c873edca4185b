//! Hooks: a host's own code at fixed points of the loop. Each kind is a narrow trait, and a type
//! implements the ones it needs.
//!
//! The answers of hooks become facts of the run and are journaled, so a replay needs no
//! hooks. Each hook has a deadline. A hook that panics or hangs is contained: guards
//! (before a call, the tool gate) close, everything else continues without it, and
//! watchers are told ([`Event::HookFailed`](holm_kernel::Event::HookFailed)).

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
