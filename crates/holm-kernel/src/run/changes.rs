//! What changes while a run goes on: tools, mode, grants, budget, and restrictions of a new host.
//!
//! After each change the open calls are checked again (`look_again`): calls that are no longer
//! permitted and have not started are stopped, and so is a child that holds more than its parent
//! does now. Running calls continue. Withdrawing authority must also invalidate approvals that were
//! given before, so it is counted. The rules are in `run/permit.rs`, questions in
//! `run/question.rs`; what a narrowing contains is in `config/narrowing.rs`.

use alloc::{sync::Arc, vec::Vec};

use holm_grants::{GrantSet, Mode};

use super::{
    Run,
    batch::{CallSlot, SlotState},
    permit::PermitDecision,
    state::RunPhase,
    turn::SharedRequestParts,
};
use crate::{Budget, Event, NanoUsd, Narrowing, Started, ToolSpec};

/// The message for a call whose permission was withdrawn.
const WITHDRAWN: &str = "stopped: a grant it needs was withdrawn";

/// The message for a child that the budget no longer covers.
const UNCOVERED: &str = "stopped: the new budget no longer covers its share";

impl Run {
    /// The next request offers the new tools; running calls finish as they started.
    pub(super) fn tools_changed(&mut self, phase: RunPhase, tools: Vec<ToolSpec>) -> RunPhase {
        self.catalogue.replace(tools);
        self.shared.refresh(&self.state, &self.catalogue);
        self.state.loops.forget();
        self.emit(Event::ToolsChanged { tools: self.catalogue.len() });
        self.report_flaws();
        self.state.authority.epoch += 1;
        self.look_again(phase)
    }

    /// Reports problems of tools when they are registered, so that people do not rely on a check
    /// that is not made.
    pub(super) fn report_flaws(&mut self) {
        let flaws: Vec<_> = self.catalogue.flaws().collect();
        for (tool, usable, problems) in flaws {
            self.emit(Event::ToolFlawed { tool, usable, problems });
        }
    }

    /// A person chose the mode, so the model's own plan mode no longer counts.
    pub(super) fn mode_changed(&mut self, phase: RunPhase, mode: Mode) -> RunPhase {
        self.state.planning_from = None;
        self.set_mode(mode);
        self.look_again(phase)
    }

    /// Changes the mode. The caller must then re-evaluate the work under way.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        if mode < self.state.mode {
            self.state.authority.withdrawn += 1;
        }
        self.state.mode = mode;
        self.state.loops.forget();
        self.refresh_plan_offer();
        // Permissions from the old mode are checked again, and leases are withdrawn.
        self.withdraw_leases();
        self.emit(Event::ModeChanged { mode });
    }

    /// Replaces the grants and withdraws all leases: this is how a lease is revoked.
    pub(super) fn grants_changed(&mut self, phase: RunPhase, grants: GrantSet) -> RunPhase {
        self.state.authority.policy.grants = grants;
        self.state.loops.forget();
        self.state.authority.withdrawn += 1;
        self.withdraw_leases();
        self.emit(Event::GrantsChanged);
        self.look_again(phase)
    }

    /// A host takes the run over with restrictions; open calls are checked again under them.
    pub(super) fn narrowed(&mut self, phase: RunPhase, narrowing: &Narrowing) -> RunPhase {
        let mut started = Started::clone(&self.state.started);
        narrowing.apply(&mut started.config);
        let mark_rule = started.config.mark_rule;
        self.state.started = Arc::new(started);
        // Requests are built from parts of the configuration, among them the prices.
        self.shared = SharedRequestParts::new(&self.state, &self.catalogue);
        self.state.authority.epoch += 1;
        self.emit(Event::Narrowed { mark_rule });
        self.mark(narrowing.marks);
        self.look_again(phase)
    }

    /// Stops calls that are no longer permitted and have not started. Running calls continue,
    /// except a child that holds more than its parent does now.
    pub(super) fn look_again(&mut self, phase: RunPhase) -> RunPhase {
        self.stop_those(phase, &|run, slot| !run.may_go_on(slot), WITHDRAWN)
    }

    /// Stops the calls that `which` selects, including children in the background, and
    /// continues with the rest.
    fn stop_those(
        &mut self,
        phase: RunPhase,
        which: &dyn Fn(&Self, &CallSlot) -> bool,
        message: &str,
    ) -> RunPhase {
        self.stop_children(which, message);
        let RunPhase::Working(mut batch) = phase else { return self.look_around(phase) };
        for slot in &mut batch.slots {
            if which(self, slot) {
                self.give_back_call(slot);
                self.stop_call(slot, message);
            }
        }
        self.advance_batch(batch)
    }

    fn may_go_on(&self, slot: &CallSlot) -> bool {
        match &slot.state {
            SlotState::Judging => !matches!(self.standing(slot), PermitDecision::Deny(_)),
            // It was issued with more than it would get now.
            SlotState::Issued { .. } if self.is_narrower_now(slot) => false,
            SlotState::Issued { .. } => match self.standing(slot) {
                PermitDecision::Allow => true,
                PermitDecision::Ask { reasons, missing } => self.is_approved(slot, &reasons, &missing),
                PermitDecision::Deny(_) => false,
            },
            SlotState::Delegated { grants, mode, .. } => {
                self.state.mode >= *mode && self.lasting_grants().contains_all(grants)
            }
            // It is checked again when its turn comes.
            SlotState::Ready => true,
            SlotState::Running { .. }
            | SlotState::Skilled(_)
            | SlotState::SkillDue(_)
            | SlotState::Reviewing { .. }
            | SlotState::Checking { .. }
            | SlotState::Done(_) => true,
        }
    }

    /// Replaces the budget. A child only knows its own share, so a child whose share is no
    /// longer covered is stopped.
    pub(super) fn budget_changed(&mut self, phase: RunPhase, budget: Budget) -> RunPhase {
        self.state.budget = budget;
        self.emit(Event::BudgetChanged { limit: budget.usd });
        self.stop_those(phase, &|run, slot| !run.is_covered(slot), UNCOVERED)
    }

    /// Whether the budget covers a child's share, together with all other shares. A child that
    /// started without a budget has no limit of its own, so no budget covers it.
    fn is_covered(&self, slot: &CallSlot) -> bool {
        let SlotState::Delegated { reserved, .. } = &slot.state else { return true };
        let Some(limit) = self.state.budget.usd else { return true };
        *reserved > NanoUsd::ZERO && self.state.spent.plus(self.state.reserved) <= limit
    }
}
