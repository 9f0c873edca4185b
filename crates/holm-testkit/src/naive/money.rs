//! What was spent: the first answer of every call is paid, whenever it comes, and no other.

use std::collections::BTreeMap;

use holm_kernel::{CallId, ChildResult, Model, ModelResult, NanoUsd, Timestamp, Usage};

/// How long a run waits for the bills of children that were stopped.
const PATIENCE_MS: u64 = 10_000;

/// What the run has spent and set aside.
#[derive(Debug, Default)]
pub(super) struct Money {
    pub(super) spent: NanoUsd,
    pub(super) used: Usage,
    /// Which of the configured models was called; none once it is paid.
    models: BTreeMap<CallId, Option<usize>>,
    children: BTreeMap<CallId, Child>,
}

#[derive(Debug, Clone, Copy)]
struct Child {
    share: Share,
    /// Whether what was set aside is still held.
    held: bool,
    paid: bool,
    stopped: Option<Timestamp>,
}

/// What is set aside for one child.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    pub(super) money: NanoUsd,
    pub(super) tokens: Option<u64>,
}

impl Money {
    pub(super) fn called(&mut self, call: CallId, model: usize) {
        self.models.insert(call, Some(model));
    }

    pub(super) fn answered(&mut self, call: CallId, result: &ModelResult, models: &[Model]) {
        let Some(model) = self.models.get_mut(&call).and_then(Option::take) else { return };
        let usage = match result {
            ModelResult::Replied(reply) | ModelResult::Aborted(reply) => reply.usage,
            ModelResult::Failed(failure) => failure.usage,
        };
        self.used = self.used.plus(usage);
        if let Some(price) = models.get(model).and_then(|model| model.price) {
            self.spent = self.spent.plus(price.cost(usage));
        }
    }

    pub(super) fn set_aside(&mut self, call: CallId, share: Share) {
        self.children.insert(call, Child { share, held: true, paid: false, stopped: None });
    }

    /// A child is stopped. What it may have spent stays set aside; what never began has spent nothing.
    pub(super) fn stopped(&mut self, call: CallId, began: bool, now: Timestamp) {
        if let Some(child) = self.children.get_mut(&call) {
            child.held = began;
            child.stopped = Some(now);
        }
    }

    /// Pays a child; false if it was paid before.
    pub(super) fn child_answered(&mut self, call: CallId, result: &ChildResult) -> bool {
        let Some(child) = self.children.get_mut(&call).filter(|child| !child.paid) else { return false };
        child.paid = true;
        child.held = false;
        self.spent = self.spent.plus(result.spent);
        self.used = self.used.plus(result.usage);
        true
    }

    pub(super) fn share(&self, call: CallId) -> Share {
        self.children.get(&call).map(|child| child.share).unwrap_or_default()
    }

    /// How many children have not been paid.
    pub(super) fn open(&self) -> usize {
        self.children.values().filter(|child| !child.paid).count()
    }

    pub(super) fn reserved(&self) -> NanoUsd {
        let held = self.children.values().filter(|child| child.held);
        held.fold(NanoUsd::ZERO, |sum, child| sum.plus(child.share.money))
    }

    pub(super) fn money_left(&self, budget: Option<NanoUsd>) -> Option<NanoUsd> {
        Some(budget?.minus(self.spent).minus(self.reserved()))
    }

    pub(super) fn tokens_left(&self, limit: Option<u64>) -> Option<u64> {
        let held = self.children.values().filter(|child| child.held);
        let reserved: u64 = held.filter_map(|child| child.share.tokens).sum();
        Some(limit?.saturating_sub(self.used.total().saturating_add(reserved)))
    }

    /// Whether what stopped children hold may still come back.
    pub(super) fn awaits_bills(&self, now: Timestamp) -> bool {
        self.children.values().filter(|child| child.held).any(|child| {
            let holds = child.share.money > NanoUsd::ZERO || child.share.tokens.is_some();
            holds && child.stopped.is_some_and(|since| since.plus(PATIENCE_MS) > now)
        })
    }
}
