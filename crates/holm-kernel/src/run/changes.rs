//! What changes while a run goes on: tools, mode, grants, budget.

use alloc::{string::String, vec::Vec};

use holm_grants::{GrantSet, Leases, Mode};

use super::Run;
use crate::{Budget, Event, Tool};

impl Run {
    /// The next request offers the new tools; running calls finish as they began.
    pub(super) fn tools_changed(&mut self, tools: Vec<Tool>) {
        self.catalogue.replace(tools);
        self.shared.refresh(&self.state, &self.catalogue);
        self.state.loops.forget();
        self.emit(Event::ToolsChanged { tools: self.catalogue.len() });
        self.report_unusable();
    }

    /// A tool whose declaration does not compile is never on offer; people are told when it is registered.
    pub(super) fn report_unusable(&mut self) {
        let unusable: Vec<_> =
            self.catalogue.unusable().map(|(tool, reason)| (tool.clone(), String::from(reason))).collect();
        for (tool, reason) in unusable {
            self.emit(Event::ToolUnusable { tool, reason });
        }
    }

    pub(super) fn mode_changed(&mut self, mode: Mode) {
        self.state.mode = mode;
        self.state.loops.forget();
        // What was allowed under another mode is looked at again; so are the answers that people gave.
        self.state.authority.leases = Leases::default();
        self.state.authority.epoch += 1;
        self.emit(Event::ModeChanged { mode });
    }

    /// Replaces the grants. What people gave in mid-run is withdrawn too: this is how a lease is revoked.
    pub(super) fn grants_changed(&mut self, grants: GrantSet) {
        self.state.authority.policy.grants = grants;
        self.state.loops.forget();
        self.state.authority.leases = Leases::default();
        self.state.authority.epoch += 1;
        self.emit(Event::GrantsChanged);
    }

    pub(super) fn budget_changed(&mut self, budget: Budget) {
        self.state.budget = budget;
        self.emit(Event::BudgetChanged { limit: budget.usd });
    }
}
