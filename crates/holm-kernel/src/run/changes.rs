//! What changes while a run goes on: tools, mode, grants, budget.

use alloc::vec::Vec;

use holm_grants::{GrantSet, Leases, Mode};

use super::Run;
use crate::{Budget, Event, Tool};

impl Run {
    /// The next request offers the new tools; running calls finish as they began.
    pub(super) fn tools_changed(&mut self, tools: Vec<Tool>) {
        self.catalogue.replace(tools);
        self.shared.refresh(&self.state, &self.catalogue);
        self.emit(Event::ToolsChanged { tools: self.catalogue.len() });
    }

    pub(super) fn mode_changed(&mut self, mode: Mode) {
        self.state.mode = mode;
        // What was allowed under another mode is looked at again; so are the answers that people gave.
        self.state.authority.leases = Leases::default();
        self.state.authority.epoch += 1;
        self.emit(Event::ModeChanged { mode });
    }

    /// Replaces the grants. What people gave in mid-run is withdrawn too: this is how a lease is revoked.
    pub(super) fn grants_changed(&mut self, grants: GrantSet) {
        self.state.authority.policy.grants = grants;
        self.state.authority.leases = Leases::default();
        self.state.authority.epoch += 1;
        self.emit(Event::GrantsChanged);
    }

    pub(super) fn budget_changed(&mut self, budget: Budget) {
        self.state.budget = budget;
        self.emit(Event::BudgetChanged { limit: budget.usd });
    }
}
