//! Builder methods that add single hooks to an agent.

use holm_kernel::Approvals;

use super::Builder;
use crate::{
    AfterCall, BeforeCall, ContextHook, FollowUpSource, Hook, Hooks, ModelSelect, Nobody, Observer,
    OnCompaction, OnLoop, OnUsage, SteeringSource, ToolGate, host::HookWants,
};

impl Builder {
    /// Adds hooks: most are plain functions, see [`Hooks`].
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.host = self.host.hooks(hooks);
        self
    }

    /// Adds a type that is several hooks at once.
    pub fn hook(self, hook: impl Hook + 'static) -> Self {
        self.hooks(Hooks::new().hook(hook))
    }

    /// Adds a hook that sees every call before it runs.
    pub fn before_call(self, hook: impl BeforeCall + 'static) -> Self {
        self.hooks(Hooks::new().before_call(hook))
    }

    /// Adds a hook that sees every result before it is believed.
    pub fn after_call(self, hook: impl AfterCall + 'static) -> Self {
        self.hooks(Hooks::new().after_call(hook))
    }

    /// Adds a hook that changes the messages of a request.
    pub fn context(self, hook: impl ContextHook + 'static) -> Self {
        self.hooks(Hooks::new().context(hook))
    }

    /// Adds a hook that sees every event and never delays the run.
    pub fn observer(self, hook: impl Observer + 'static) -> Self {
        self.hooks(Hooks::new().observer(hook))
    }

    /// Adds a hook that may send a prompt every turn.
    pub fn steering(self, hook: impl SteeringSource + 'static) -> Self {
        self.hooks(Hooks::new().steering(hook))
    }

    /// Adds a hook that may have more work when a run would stop.
    pub fn follow_up(self, hook: impl FollowUpSource + 'static) -> Self {
        self.hooks(Hooks::new().follow_up(hook))
    }

    /// Adds a hook that decides which tools are on offer.
    pub fn tool_gate(self, hook: impl ToolGate + 'static) -> Self {
        self.hooks(Hooks::new().tool_gate(hook))
    }

    /// Adds a hook that decides which model is called.
    pub fn model_select(self, hook: impl ModelSelect + 'static) -> Self {
        self.hooks(Hooks::new().model_select(hook))
    }

    /// Adds a hook that gets the usage of every model call.
    pub fn on_usage(self, hook: impl OnUsage + 'static) -> Self {
        self.hooks(Hooks::new().on_usage(hook))
    }

    /// Adds a hook that is told when a run repeats itself.
    pub fn on_loop(self, hook: impl OnLoop + 'static) -> Self {
        self.hooks(Hooks::new().on_loop(hook))
    }

    /// Adds a hook that is told when the view was made smaller.
    pub fn on_compaction(self, hook: impl OnCompaction + 'static) -> Self {
        self.hooks(Hooks::new().on_compaction(hook))
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
            Approvals::AskAlways => self.host.parts.hook_wants = HookWants::PeopleToo,
            // Hooks still see the calls, but no person is asked.
            Approvals::Deny => self.host = self.host.approver(Nobody),
        }
        self.config.approvals = Approvals::AskAlways;
        self
    }
}
