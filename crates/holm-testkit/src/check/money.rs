//! What was spent, counted again by hand.

use std::collections::BTreeMap;

use holm_kernel::{Bound, Budget, CallId, Effect, Event, Input, ModelResult, NanoUsd, Price, Usage};

use super::background::left_working;
use crate::{Outcome, Step, Violation};

const PROMISE: &str = "money and tokens are counted once, and none are spent beyond their limits";

/// Every answer is paid for once; no model is called and no child started when nothing is left.
pub fn money_is_counted_once(outcome: &Outcome) -> Vec<Violation> {
    let mut purse = Purse {
        budget: outcome.run.config().limits.budget,
        limit: outcome.run.config().limits.tokens,
        spent: NanoUsd::ZERO,
        tokens: Usage::default(),
        owed: BTreeMap::new(),
        children: BTreeMap::new(),
        found: Vec::new(),
    };
    for step in &outcome.steps {
        purse.take(step);
        for effect in &step.effects {
            purse.see(step, effect);
        }
    }
    if purse.spent != outcome.run.spent() {
        let message = format!("{} were spent, the run says {}", purse.spent, outcome.run.spent());
        purse.found.push(Violation::new(PROMISE, None, message));
    }
    if purse.tokens != outcome.run.usage() {
        let message = format!("{:?} were used, the run says {:?}", purse.tokens, outcome.run.usage());
        purse.found.push(Violation::new(PROMISE, None, message));
    }
    purse.found
}

struct Purse {
    budget: Budget,
    limit: Bound,
    spent: NanoUsd,
    tokens: Usage,
    /// Model calls that nobody has reported on, with their price.
    owed: BTreeMap<CallId, Option<Price>>,
    /// Children that nobody has reported on, and what is set aside for them while somebody waits.
    children: BTreeMap<CallId, Aside>,
    found: Vec<Violation>,
}

/// What is set aside for one child.
#[derive(Clone, Copy, Default)]
struct Aside {
    money: NanoUsd,
    tokens: u64,
}

impl Purse {
    fn take(&mut self, step: &Step) {
        match &step.input {
            Input::ModelFinished { call, result } | Input::Summarised { call, result } => {
                let Some(price) = self.owed.remove(call) else { return };
                let usage = usage_of(result);
                self.tokens = self.tokens.plus(usage);
                let cost = price.map_or(NanoUsd::ZERO, |price| price.cost(usage));
                self.spent = self.spent.plus(cost);
            }
            Input::ChildFinished { call, result } if self.children.remove(call).is_some() => {
                self.tokens = self.tokens.plus(result.usage);
                self.spent = self.spent.plus(result.spent);
            }
            Input::BudgetChanged(budget) => self.budget = *budget,
            _ => {}
        }
    }

    fn see(&mut self, step: &Step, effect: &Effect) {
        match effect {
            Effect::CallModel { call, request } | Effect::Summarise { call, request } => {
                let price = request.model.price;
                if let Some(limit) =
                    self.budget.usd.filter(|limit| self.spent.plus(self.reserved()) >= *limit)
                {
                    let message = format!("a model is called with {} of {limit} spent", self.spent);
                    self.found.push(Violation::new(PROMISE, step.seq, message));
                }
                if self.limit.limit().is_some_and(|limit| self.bound_tokens() >= limit) {
                    let message =
                        format!("a model is called with {:?} of {:?} used", self.tokens, self.limit);
                    self.found.push(Violation::new(PROMISE, step.seq, message));
                }
                self.owed.insert(*call, price);
            }
            Effect::Spawn { call, request } => {
                let (money, tokens) =
                    (request.budget.unwrap_or_default(), request.tokens.unwrap_or_default());
                self.children.insert(*call, Aside { money, tokens });
                let bound = self.spent.plus(self.reserved());
                let over = self.budget.usd.filter(|limit| bound > *limit && request.resume.is_none());
                if let Some(limit) = over {
                    let message = format!("{bound} are spent or set aside, of {limit}");
                    self.found.push(Violation::new(PROMISE, step.seq, message));
                }
                let bound = self.bound_tokens();
                if self.limit.exceeded_by(bound) && request.resume.is_none() {
                    let message = format!("{bound} tokens are used or set aside, of {:?}", self.limit);
                    self.found.push(Violation::new(PROMISE, step.seq, message));
                }
            }
            Effect::Emit(numbered) => {
                let ended = match &numbered.event {
                    Event::CallFinished { call, outcome, .. } if left_working(step, *call, *outcome) => None,
                    Event::CallFinished { call, .. } | Event::ChildFinished { call, .. } => Some(call),
                    _ => None,
                };
                if let Some(aside) = ended.and_then(|call| self.children.get_mut(call)) {
                    // Nobody waits any more: what it has spent still counts, what was set aside is free again.
                    *aside = Aside::default();
                }
            }
            _ => {}
        }
    }

    fn reserved(&self) -> NanoUsd {
        self.children.values().fold(NanoUsd::ZERO, |sum, aside| sum.plus(aside.money))
    }

    /// The tokens that are used or set aside.
    fn bound_tokens(&self) -> u64 {
        self.children.values().fold(self.tokens.total(), |sum, aside| sum.saturating_add(aside.tokens))
    }
}

fn usage_of(result: &ModelResult) -> Usage {
    match result {
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => reply.usage,
        ModelResult::Failed(failure) => failure.usage,
    }
}
