//! Builder methods that add single hooks to an agent, and tell the kernel where hooks must be
//! asked.
//!
//! Each method only adds to a `HookSet` (`hook/hooks.rs`); what hooks may do is in
//! `hook/traits.rs`. With a hook before calls, the kernel asks about every call: otherwise the hook
//! would not see the calls that the mode allows.

use holm_kernel::Approvals;

use super::AgentBuilder;
use crate::{
    AfterCallHook, BeforeCallHook, CompactionHook, ContextHook, DenyAllApprover, EventObserver,
    FollowUpSource, Hook, HookSet, LoopHook, ModelSelector, SteeringSource, ToolGate, UsageHook,
    host::HookReviewers,
};

impl AgentBuilder {
    /// Adds hooks: most are plain functions, see [`HookSet`].
    pub fn hooks(mut self, hooks: HookSet) -> Self {
        self.host = self.host.hooks(hooks);
        self
    }

    /// Adds a type that is several hooks at once.
    pub fn hook(self, hook: impl Hook + 'static) -> Self {
        self.hooks(HookSet::new().hook(hook))
    }

    /// Adds a hook that sees every call before it runs.
    pub fn before_call(self, hook: impl BeforeCallHook + 'static) -> Self {
        self.hooks(HookSet::new().before_call(hook))
    }

    /// Adds a hook that sees every result before it is believed.
    pub fn after_call(self, hook: impl AfterCallHook + 'static) -> Self {
        self.hooks(HookSet::new().after_call(hook))
    }

    /// Adds a hook that changes the messages of a request.
    pub fn context(self, hook: impl ContextHook + 'static) -> Self {
        self.hooks(HookSet::new().context(hook))
    }

    /// Adds a hook that sees every event and never delays the run.
    pub fn observer(self, hook: impl EventObserver + 'static) -> Self {
        self.hooks(HookSet::new().observer(hook))
    }

    /// Adds a hook that may send a prompt every turn.
    pub fn steering(self, hook: impl SteeringSource + 'static) -> Self {
        self.hooks(HookSet::new().steering(hook))
    }

    /// Adds a hook that may have more work when a run would stop.
    pub fn follow_up(self, hook: impl FollowUpSource + 'static) -> Self {
        self.hooks(HookSet::new().follow_up(hook))
    }

    /// Adds a hook that decides which tools are on offer.
    pub fn tool_gate(self, hook: impl ToolGate + 'static) -> Self {
        self.hooks(HookSet::new().tool_gate(hook))
    }

    /// Adds a hook that decides which model is called.
    pub fn model_select(self, hook: impl ModelSelector + 'static) -> Self {
        self.hooks(HookSet::new().model_select(hook))
    }

    /// Adds a hook that gets the usage of every model call.
    pub fn on_usage(self, hook: impl UsageHook + 'static) -> Self {
        self.hooks(HookSet::new().on_usage(hook))
    }

    /// Adds a hook that is notified when a run repeats itself.
    pub fn on_loop(self, hook: impl LoopHook + 'static) -> Self {
        self.hooks(HookSet::new().on_loop(hook))
    }

    /// Adds a hook that is notified when the view was made smaller.
    pub fn on_compaction(self, hook: impl CompactionHook + 'static) -> Self {
        self.hooks(HookSet::new().on_compaction(hook))
    }

    /// Tells the kernel where the hooks must be asked.
    pub(super) fn place_hooks(mut self) -> Self {
        let hooks = &self.host.parts.hooks;
        self.config.consult.extend(hooks.points());
        if hooks.before_call.is_empty() {
            return self;
        }
        match self.config.approvals {
            Approvals::Ask => {}
            Approvals::AskAlways => self.host.parts.hook_wants = HookReviewers::PeopleToo,
            // Hooks still see the calls, but no person is asked.
            Approvals::Deny => self.host = self.host.approver(DenyAllApprover),
        }
        self.config.approvals = Approvals::AskAlways;
        self
    }
}
