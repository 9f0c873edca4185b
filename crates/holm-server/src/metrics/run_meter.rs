//! Reads the metrics of runs from their events: how long models and tools took, and what failed.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use holm_kernel::{Ending, Event, FailureClass, ModelCallId, Numbered, Outcome, Timestamp};

use super::ServerMetrics;

/// Measures one session.
#[derive(Debug, Default)]
pub(crate) struct RunMeter {
    /// The model calls under way, and when they began.
    called: Mutex<BTreeMap<ModelCallId, Timestamp>>,
}

impl RunMeter {
    pub(crate) fn event(&self, event: &Numbered, metrics: &ServerMetrics) {
        match &event.event {
            Event::ModelCalled { call, .. } => {
                self.called().insert(*call, event.at);
            }
            Event::ModelReplied { call, .. } => self.model_ended(*call, event.at, metrics),
            Event::ModelFailed { call, class, .. } => {
                self.model_ended(*call, event.at, metrics);
                metrics.model_failures.add_one(class_name(*class));
            }
            Event::CallFinished { outcome, millis, .. } => {
                metrics.tool_time.observe(Duration::from_millis(*millis));
                metrics.tool_calls.add_one(outcome_name(*outcome));
            }
            Event::GroupEnded { ending, .. } => {
                self.called().clear();
                metrics.endings.add_one(ending_name(ending));
            }
            _ => {}
        }
    }

    fn model_ended(&self, call: ModelCallId, at: Timestamp, metrics: &ServerMetrics) {
        if let Some(began) = self.called().remove(&call) {
            metrics.model_time.observe(Duration::from_millis(at.since(began)));
        }
    }

    fn called(&self) -> std::sync::MutexGuard<'_, BTreeMap<ModelCallId, Timestamp>> {
        self.called.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const fn class_name(class: FailureClass) -> &'static str {
    match class {
        FailureClass::RateLimited => "rate_limited",
        FailureClass::Overloaded => "overloaded",
        FailureClass::Server => "server",
        FailureClass::Network => "network",
        FailureClass::Truncated => "truncated",
        FailureClass::Empty => "empty",
        FailureClass::ContextOverflow => "context_overflow",
        FailureClass::Auth => "auth",
        FailureClass::Quota => "quota",
        FailureClass::BadRequest => "bad_request",
        FailureClass::ContentFilter => "content_filter",
        FailureClass::HostCrash => "host_crash",
    }
}

const fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed => "failed",
        Outcome::Refused => "refused",
        Outcome::Unknown => "unknown",
        Outcome::Stopped => "stopped",
    }
}

const fn ending_name(ending: &Ending) -> &'static str {
    match ending {
        Ending::Answered { .. } => "answered",
        Ending::Refused { .. } => "refused",
        Ending::OverBudget { .. } => "over_budget",
        Ending::OverLimit { .. } => "over_limit",
        Ending::Failed { .. } => "failed",
        Ending::Rejected { .. } => "rejected",
        Ending::Looping { .. } => "looping",
        Ending::Cancelled { .. } => "cancelled",
    }
}
