//! What was used is paid for, once: also by a call that was given up before its answer came.

use super::Run;
use crate::{CallId, ChildResult, NanoUsd, Usage};

/// Bills that are waited for at the most. A host that never sends one must not make the state grow; the oldest is
/// forgotten first.
const MOST_OWED: usize = 64;

impl Run {
    /// Adds a usage to the run's account at the price of the model in use and says what it cost.
    pub(super) fn account(&mut self, usage: Usage) -> Option<NanoUsd> {
        self.account_at(self.state.group.model, usage)
    }

    fn account_at(&mut self, model: u64, usage: Usage) -> Option<NanoUsd> {
        self.state.usage = self.state.usage.plus(usage);
        let model = usize::try_from(model).ok().and_then(|index| self.config().models.get(index))?;
        let cost = model.price?.cost(usage);
        self.state.spent = self.state.spent.plus(cost);
        Some(cost)
    }

    /// A model call or a child is given up; its bill may still come.
    pub(super) fn owe(&mut self, call: CallId) {
        self.state.owed.insert(call, self.state.group.model);
        while self.state.owed.len() > MOST_OWED {
            self.state.owed.pop_first();
        }
    }

    /// Whether this is the late bill of a model call that was given up; if so it is paid.
    pub(super) fn pays_late(&mut self, call: CallId, usage: Usage) -> bool {
        let Some(model) = self.state.owed.remove(&call) else { return false };
        self.account_at(model, usage);
        true
    }

    /// The same for a child, which brings its own sum and what has entered it.
    pub(super) fn pays_late_child(&mut self, call: CallId, result: &ChildResult) -> bool {
        if self.state.owed.remove(&call).is_none() {
            return false;
        }
        // What was set aside for it was given back when it was stopped.
        self.settle_child(NanoUsd::ZERO, result);
        true
    }
}
