//! Pays for usage exactly once, also for a call that was given up before its answer came.
//!
//! Usage that no provider reports is paid by estimate. Otherwise a budget would hold only if the
//! provider cooperates. Reservations for children, and whether a limit is reached, are in
//! `run/budget_share.rs`; prices in `config/model.rs`; estimates in `context/estimate.rs`. The list
//! of open bills is bounded, but the bill of a child is never dropped, because it may have spent
//! its whole share.

use alloc::vec::Vec;

use super::{
    Run,
    budget_share::BudgetShare,
    state::{UnbilledCall, UnbilledChild},
};
use crate::{
    CallId, ChildResult, Failure, FailureClass, Family, ModelCallId, ModelResult, ModelSpec, NanoUsd,
    Timestamp, ToolCallId, Usage,
};

/// The most bills to wait for. A host that never sends them must not make the state grow. The
/// oldest is forgotten first, but never that of a child: no further child starts while so
/// many bills are open.
const MOST_OWED: usize = 64;

/// How long a run waits for the bills of stopped children that hold its money or tokens. This is
/// longer than a child may take to stop its own children.
const BILL_PATIENCE_MS: u64 = 10_000;

impl Run {
    /// Adds a usage to the run's account at the price of the current model, and returns the cost.
    pub(super) fn account(&mut self, usage: Usage) -> Option<NanoUsd> {
        self.account_at(self.state.group.model, usage)
    }

    fn account_at(&mut self, model: u64, usage: Usage) -> Option<NanoUsd> {
        self.state.usage = self.state.usage.plus(usage);
        let cost = self.model_at(model)?.price?.cost(usage);
        self.state.spent = self.state.spent.plus(cost);
        Some(cost)
    }

    fn model_at(&self, model: u64) -> Option<&ModelSpec> {
        usize::try_from(model).ok().and_then(|index| self.config().models.get(index))
    }

    /// The usage of a call: as its provider reported it, or by estimate if it reported nothing.
    /// `tokens` is the estimate of the request.
    fn usage_of(&self, model: u64, tokens: u64, result: &ModelResult) -> Usage {
        let family = || self.model_at(model).map_or(Family::Other, |model| model.family);
        match result {
            ModelResult::Replied(reply) if reply.usage.output > 0 => reply.usage.with_request(tokens),
            ModelResult::Replied(reply) | ModelResult::Aborted(reply) => {
                reply.usage_so_far(family()).with_request(tokens)
            }
            ModelResult::Failed(failure) if is_charged(failure) => failure.usage.with_request(tokens),
            ModelResult::Failed(failure) => failure.usage,
        }
    }

    /// Takes the answer to a call of the current model: releases its reservation and writes its
    /// usage into the answer.
    pub(super) fn fill_in(&mut self, tokens: u64, result: &mut ModelResult) {
        self.release_call(tokens);
        let counted = self.usage_of(self.state.group.model, tokens, result);
        match result {
            ModelResult::Replied(reply) | ModelResult::Aborted(reply) => reply.usage = counted,
            ModelResult::Failed(failure) => failure.usage = counted,
        }
    }

    /// The estimated cost of a request to the current model.
    fn request_cost(&self, tokens: u64) -> UnbilledCall {
        let model = self.state.group.model;
        let price = self.model_at(model).and_then(|model| model.price);
        let money = price.map_or(NanoUsd::ZERO, |price| price.cost(Usage::of_request(tokens)));
        UnbilledCall { model, tokens, money }
    }

    /// Reserves the estimate of a request until its bill arrives, so that no child gets it.
    pub(super) fn hold_call(&mut self, tokens: u64) {
        self.hold(share_of(self.request_cost(tokens)));
    }

    fn release_call(&mut self, tokens: u64) {
        self.release(share_of(self.request_cost(tokens)));
    }

    /// Gives a model call up. Its reservation stays until its bill arrives.
    pub(super) fn owe(&mut self, call: ModelCallId, tokens: u64) {
        self.await_bill(call.into(), self.request_cost(tokens));
    }

    /// Gives a call up that has no reservation, or whose share is held elsewhere.
    pub(super) fn owe_nothing(&mut self, call: CallId) {
        let owed = UnbilledCall { model: self.state.group.model, tokens: 0, money: NanoUsd::ZERO };
        self.await_bill(call, owed);
    }

    fn await_bill(&mut self, call: CallId, owed: UnbilledCall) {
        self.state.owed.insert(call, owed);
        while self.state.owed.len() > MOST_OWED + self.state.stopped.len() {
            let stopped = &self.state.stopped;
            let Some(oldest) = self.state.owed.keys().find(|call| !stopped.contains_key(call)).copied()
            else {
                return;
            };
            self.write_off(oldest);
        }
    }

    /// Pays for a call by estimate, without waiting for its bill any longer.
    fn write_off(&mut self, call: CallId) {
        let Some(owed) = self.state.owed.remove(&call) else { return };
        self.release(share_of(owed));
        if owed.tokens > 0 {
            self.account_at(owed.model, Usage::of_request(owed.tokens));
        }
    }

    /// The host that would have sent the bills of model calls is gone. Those of children
    /// come from their journals.
    pub(super) fn write_off_model_calls(&mut self) {
        let calls = self.state.owed.iter().filter(|(_, owed)| owed.tokens > 0);
        let lost: Vec<CallId> = calls.map(|(call, _)| *call).collect();
        for call in lost {
            self.write_off(call);
        }
    }

    /// Pays by estimate for a call of the current model that was lost with its host.
    pub(super) fn pay_lost(&mut self, tokens: u64) {
        self.release_call(tokens);
        self.account(Usage::of_request(tokens));
    }

    /// Gives a child up. Its reservation stays until its bill arrives: it may have spent all of it.
    pub(super) fn owe_child(&mut self, call: ToolCallId, share: BudgetShare) {
        let BudgetShare { money: share, tokens } = share;
        self.state.stopped.insert(call.into(), UnbilledChild { share, tokens, since: self.state.now });
        self.owe_nothing(call.into());
    }

    /// Whether so many bills of children are open, or may become open, that no
    /// further child may start.
    pub(super) fn owes_too_much(&self) -> bool {
        self.state.stopped.len() + self.state.background.len() >= MOST_OWED
    }

    /// How long a run without budget waits for the bills of stopped children.
    pub(super) fn bills_due(&self) -> Option<Timestamp> {
        let stopped = self.state.stopped.values();
        let holds = stopped.filter(|stopped| stopped.share > NanoUsd::ZERO || stopped.tokens.is_some());
        holds.map(|stopped| stopped.since.plus(BILL_PATIENCE_MS)).filter(|due| *due > self.state.now).min()
    }

    /// Whether this is the late bill of a model call that was given up; if so, pays it.
    pub(super) fn pays_late(&mut self, call: ModelCallId, result: &ModelResult) -> bool {
        let Some(owed) = self.state.owed.remove(&call.into()) else { return false };
        self.release(share_of(owed));
        self.account_at(owed.model, self.usage_of(owed.model, owed.tokens, result));
        true
    }

    /// The same for a child, which reports its own cost and marks.
    pub(super) fn pays_late_child(&mut self, call: ToolCallId, result: &ChildResult) -> bool {
        let call = call.into();
        if self.state.owed.remove(&call).is_none() {
            return false;
        }
        // Without an entry, its share was released when it was stopped.
        let share = self
            .state
            .stopped
            .remove(&call)
            .map(|stopped| BudgetShare { money: stopped.share, tokens: stopped.tokens });
        self.settle_child(share.unwrap_or_default(), result);
        true
    }
}

/// Whether the provider charges for a failed call, because it had begun to answer. A refused or
/// undelivered request is free.
const fn is_charged(failure: &Failure) -> bool {
    matches!(failure.class, FailureClass::Truncated | FailureClass::Empty) || failure.usage.output > 0
}

const fn share_of(owed: UnbilledCall) -> BudgetShare {
    BudgetShare { money: owed.money, tokens: Some(owed.tokens) }
}
