//! Forwards the events of a session to its feed, and counts what the session costs.
//!
//! Metrics count replies as they arrive. The user's budget gets the total of the run, because calls
//! that fail cost money too. The budget is divided in `budget_reservations.rs`.

use std::sync::{Arc, Mutex, PoisonError};

use holm_kernel::{Budget, Event, NanoUsd, Numbered};
use holm_runtime::EventSink;

use super::{SessionFeed, budget_reservations::BudgetReservations};
use crate::{ServerMetrics, SessionId, auth::UserName, metrics::RunMeter};

/// Forwards events to the feed and records their cost.
pub(super) struct EventMeter {
    pub(super) user: UserName,
    pub(super) id: SessionId,
    pub(super) feed: Arc<SessionFeed>,
    pub(super) metrics: Arc<ServerMetrics>,
    pub(super) purses: Arc<BudgetReservations>,
    /// The last budget that was reported to the session.
    pub(super) told: Mutex<Option<Budget>>,
    pub(super) runs: RunMeter,
}

impl EventMeter {
    /// The last budget that was reported to the session.
    pub(super) fn last_budget(&self) -> Option<Budget> {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for EventMeter {
    fn event(&self, event: &Numbered) {
        self.metrics.events.add(1);
        self.runs.event(event, &self.metrics);
        match &event.event {
            Event::ModelReplied { usage, cost, .. } => {
                self.metrics.tokens_in.add(usage.input);
                self.metrics.tokens_out.add(usage.output);
                self.metrics.cost.add(cost.map_or(0, NanoUsd::value));
            }
            Event::ChildStarted { .. } => self.purses.delegated(&self.user, &self.id),
            Event::BudgetChanged { limit } => {
                let mut budget = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                *budget = Some(Budget { usd: *limit });
            }
            _ => {}
        }
        self.feed.event(event);
    }

    fn spent(&self, total: NanoUsd) {
        self.purses.spent(&self.user, &self.id, total);
    }
}
