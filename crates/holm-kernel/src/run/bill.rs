//! What was used is paid for, once: also by a call that was given up before its answer came.

use super::{Run, share::Share, state::Stopped};
use crate::planted::{Bug, planted};
use crate::{CallId, ChildResult, NanoUsd, Timestamp, Usage};

/// Bills that are waited for at the most. A host that never sends one must not make the state grow; the oldest is
/// forgotten first, and that of a child never: no further child begins while so many are owed.
const MOST_OWED: usize = 64;

/// How long a run whose money or tokens are with children that were stopped waits for their bills: longer than a child may take to
/// stop its own.
const BILL_PATIENCE_MS: u64 = 10_000;

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
        if planted(Bug::BilledTwice) {
            self.state.spent = self.state.spent.plus(cost);
        }
        Some(cost)
    }

    /// A model call or a child is given up; its bill may still come.
    pub(super) fn owe(&mut self, call: CallId) {
        self.state.owed.insert(call, self.state.group.model);
        while self.state.owed.len() > MOST_OWED + self.state.stopped.len() {
            let stopped = &self.state.stopped;
            let Some(oldest) = self.state.owed.keys().find(|call| !stopped.contains_key(call)).copied()
            else {
                return;
            };
            self.state.owed.remove(&oldest);
        }
    }

    /// A child is given up. What was set aside for it stays so until its bill comes: it may have spent all of it.
    pub(super) fn owe_child(&mut self, call: CallId, share: Share) {
        if self.holds_shares() {
            let Share { money: share, tokens } = share;
            self.state.stopped.insert(call, Stopped { share, tokens, since: self.state.now });
        } else {
            self.release(share);
        }
        self.owe(call);
    }

    /// The first rules gave the share of a stopped child back before its bill was there.
    fn holds_shares(&self) -> bool {
        self.state.started.has_second_rules()
    }

    /// Whether so many bills of children are awaited, or may come to be, that no further child may begin.
    pub(super) fn owes_too_much(&self) -> bool {
        self.holds_shares() && self.state.stopped.len() + self.state.background.len() >= MOST_OWED
    }

    /// Until when a run with nothing left waits for the bills of children that were stopped.
    pub(super) fn bills_due(&self) -> Option<Timestamp> {
        let stopped = self.state.stopped.values();
        let holds = stopped.filter(|stopped| stopped.share > NanoUsd::ZERO || stopped.tokens.is_some());
        holds.map(|stopped| stopped.since.plus(BILL_PATIENCE_MS)).filter(|due| *due > self.state.now).min()
    }

    /// Whether this is the late bill of a model call that was given up; if so it is paid.
    pub(super) fn pays_late(&mut self, call: CallId, usage: Usage) -> bool {
        let Some(model) = self.state.owed.remove(&call) else { return false };
        if !planted(Bug::LateBillLost) {
            self.account_at(model, usage);
        }
        true
    }

    /// The same for a child, which brings its own sum and what has entered it.
    pub(super) fn pays_late_child(&mut self, call: CallId, result: &ChildResult) -> bool {
        if self.state.owed.remove(&call).is_none() {
            return false;
        }
        // Without an entry what was set aside for it was given back when it was stopped.
        let share = self
            .state
            .stopped
            .remove(&call)
            .map(|stopped| Share { money: stopped.share, tokens: stopped.tokens });
        self.settle_child(share.unwrap_or_default(), result);
        true
    }
}
