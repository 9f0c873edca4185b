//! What was spent: the first answer of every call is paid, whenever it comes, and no other. What nobody reports is paid by
//! estimate, and so is a call that was lost with its host.

use std::collections::BTreeMap;

use holm_kernel::{
    ChildResult, ModelCallId, ModelResult, ModelSpec, NanoUsd, Price, Timestamp, ToolCallId, Usage,
};

use crate::estimate;

/// How long a run waits for the bills of children that were stopped.
const PATIENCE_MS: u64 = 10_000;

/// What the run has spent and set aside.
#[derive(Debug, Default)]
pub(super) struct Money {
    pub(super) spent: NanoUsd,
    pub(super) used: Usage,
    /// Model calls that are not paid yet. The estimates of their requests are set aside.
    models: BTreeMap<ModelCallId, Asked>,
    children: BTreeMap<ToolCallId, Child>,
}

/// A model call.
#[derive(Debug, Clone, Copy)]
struct Asked {
    price: Option<Price>,
    /// The estimate of its request.
    tokens: u64,
}

impl Asked {
    fn cost(self, usage: Usage) -> NanoUsd {
        self.price.map_or(NanoUsd::ZERO, |price| price.cost(usage))
    }
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
    pub(super) fn called(&mut self, call: ModelCallId, model: Option<&ModelSpec>, tokens: u64) {
        let price = model.and_then(|model| model.price);
        self.models.insert(call, Asked { price, tokens });
    }

    /// Pays for an answer and says what it took; none if the call was paid before.
    pub(super) fn answered(&mut self, call: ModelCallId, result: &ModelResult) -> Option<Usage> {
        let asked = self.models.remove(&call)?;
        let usage = estimate::usage(asked.tokens, result);
        self.pay(asked, usage);
        Some(usage)
    }

    /// The host is gone that would have reported what its model calls took.
    pub(super) fn host_gone(&mut self) {
        for asked in std::mem::take(&mut self.models).into_values() {
            self.pay(asked, estimate::lost(asked.tokens));
        }
    }

    fn pay(&mut self, asked: Asked, usage: Usage) {
        self.used = self.used.plus(usage);
        self.spent = self.spent.plus(asked.cost(usage));
    }

    pub(super) fn set_aside(&mut self, call: ToolCallId, share: Share) {
        self.children.insert(call, Child { share, held: true, paid: false, stopped: None });
    }

    /// Gives back what is set aside for a child that has not begun.
    pub(super) fn give_back(&mut self, call: ToolCallId) {
        if let Some(child) = self.children.get_mut(&call) {
            child.held = false;
        }
    }

    /// A child is stopped. What it may have spent stays set aside; what never began has spent nothing.
    pub(super) fn stopped(&mut self, call: ToolCallId, began: bool, now: Timestamp) {
        if let Some(child) = self.children.get_mut(&call) {
            child.held = began;
            child.stopped = Some(now);
        }
    }

    /// Pays a child; false if it was paid before.
    pub(super) fn child_answered(&mut self, call: ToolCallId, result: &ChildResult) -> bool {
        let Some(child) = self.children.get_mut(&call).filter(|child| !child.paid) else { return false };
        child.paid = true;
        child.held = false;
        self.spent = self.spent.plus(result.spent);
        self.used = self.used.plus(result.usage);
        true
    }

    pub(super) fn share(&self, call: ToolCallId) -> Share {
        self.children.get(&call).map(|child| child.share).unwrap_or_default()
    }

    /// How many children have not been paid.
    pub(super) fn open(&self) -> usize {
        self.children.values().filter(|child| !child.paid).count()
    }

    pub(super) fn reserved(&self) -> NanoUsd {
        let held = self.children.values().filter(|child| child.held);
        let children = held.fold(NanoUsd::ZERO, |sum, child| sum.plus(child.share.money));
        let calls = self.models.values();
        calls.fold(children, |sum, asked| sum.plus(asked.cost(estimate::lost(asked.tokens))))
    }

    pub(super) fn money_left(&self, budget: Option<NanoUsd>) -> Option<NanoUsd> {
        Some(budget?.minus(self.spent).minus(self.reserved()))
    }

    pub(super) fn tokens_left(&self, limit: Option<u64>) -> Option<u64> {
        let held = self.children.values().filter(|child| child.held);
        let reserved: u64 = held.filter_map(|child| child.share.tokens).sum();
        let calls = self.models.values();
        let reserved = reserved.saturating_add(calls.map(|asked| asked.tokens).sum());
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
