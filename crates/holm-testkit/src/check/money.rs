//! What was spent, counted again by hand from `docs/budgets.md`.

use std::collections::BTreeMap;

use holm_kernel::{
    Bound, Budget, Effect, Event, Input, ModelCallId, NanoUsd, Price, Purpose, Request, ToolCallId, Usage,
};

use super::background::left_working;
use crate::{Outcome, Step, Violation, estimate};

const PROMISE: &str = "money and tokens are counted once, and none are spent beyond their limits";

/// Every answer is paid for once, by estimate where nobody says what it took; no model is called and no child started when
/// nothing is left; and a limit is exceeded by one reply and not by more.
pub fn money_is_counted_once(outcome: &Outcome) -> Vec<Violation> {
    let mut purse = Purse {
        outcome,
        budget: outcome.run.config().limits.budget,
        limit: outcome.run.config().limits.tokens,
        spent: NanoUsd::ZERO,
        tokens: Usage::default(),
        calls: BTreeMap::new(),
        children: BTreeMap::new(),
        bounds: Bounds::default(),
        found: Vec::new(),
    };
    purse.bounds.allow(purse.budget);
    for step in &outcome.steps {
        purse.take(step);
        for effect in &step.effects {
            purse.see(step, effect);
        }
        purse.hold_bounds(step);
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

struct Purse<'a> {
    outcome: &'a Outcome,
    budget: Budget,
    limit: Bound,
    spent: NanoUsd,
    tokens: Usage,
    /// Model calls whose bill is waited for. The estimates of their requests are set aside.
    calls: BTreeMap<ModelCallId, Call>,
    /// Children that nobody has reported on, and what is set aside for them while somebody waits.
    children: BTreeMap<ToolCallId, Aside>,
    bounds: Bounds,
    found: Vec<Violation>,
}

/// One model call.
#[derive(Clone, Copy)]
struct Call {
    price: Option<Price>,
    /// The estimate of its request.
    tokens: u64,
    /// Its answer is no longer awaited.
    stopped: bool,
}

impl Call {
    fn cost(self, usage: Usage) -> NanoUsd {
        self.price.map_or(NanoUsd::ZERO, |price| price.cost(usage))
    }
}

/// What is set aside for one child.
#[derive(Clone, Copy, Default)]
struct Aside {
    money: NanoUsd,
    tokens: u64,
    /// What it may spend, whether or not that is still set aside.
    share: NanoUsd,
}

/// How much may have been spent by the words of the documentation.
#[derive(Default)]
struct Bounds {
    /// The highest budget that ever held; none once there was no budget.
    highest: Option<NanoUsd>,
    unlimited: bool,
    /// The price of the dearest reply.
    reply: NanoUsd,
    /// By how much the bills of stopped calls were higher than their estimates, and those of children than their shares.
    beyond: NanoUsd,
}

impl Bounds {
    fn allow(&mut self, budget: Budget) {
        self.unlimited |= budget.usd.is_none();
        self.highest = self.highest.max(budget.usd);
    }

    fn most(&self) -> Option<NanoUsd> {
        let highest = self.highest.filter(|_| !self.unlimited)?;
        Some(highest.plus(self.reply).plus(self.beyond))
    }
}

impl Purse<'_> {
    fn take(&mut self, step: &Step) {
        match &step.input {
            Input::ModelFinished { call, result } | Input::Summarised { call, result } => {
                let Some(known) = self.calls.remove(call) else { return };
                let usage = estimate::usage(known.tokens, result);
                self.pay(known, usage);
            }
            Input::Resumed { .. } => {
                // The host that would have said what they took is gone.
                for call in std::mem::take(&mut self.calls).into_values() {
                    self.pay(call, estimate::lost(call.tokens));
                }
            }
            Input::ChildFinished { call, result } => {
                let Some(aside) = self.children.remove(call) else { return };
                self.tokens = self.tokens.plus(result.usage);
                self.spent = self.spent.plus(result.spent);
                self.bounds.beyond = self.bounds.beyond.plus(result.spent.minus(aside.share));
            }
            Input::BudgetChanged(budget) => {
                self.budget = *budget;
                self.bounds.allow(*budget);
            }
            _ => {}
        }
    }

    fn pay(&mut self, call: Call, usage: Usage) {
        let cost = call.cost(usage);
        self.tokens = self.tokens.plus(usage);
        self.spent = self.spent.plus(cost);
        // What was set aside for a stopped call was known when the next one began; the rest of its bill was not.
        let known = if call.stopped { cost.min(call.cost(estimate::lost(call.tokens))) } else { cost };
        self.bounds.reply = self.bounds.reply.max(known);
        self.bounds.beyond = self.bounds.beyond.plus(cost.minus(known));
    }

    fn see(&mut self, step: &Step, effect: &Effect) {
        match effect {
            Effect::CallModel { call, request } | Effect::Summarise { call, request } => {
                self.hold_limits(step);
                let tokens = self.request_tokens(step, *call, request);
                self.calls.insert(*call, Call { price: request.model.price, tokens, stopped: false });
            }
            Effect::Abort(call) => {
                if let Some(call) = self.calls.get_mut(&ModelCallId::new(call.value())) {
                    call.stopped = true;
                }
            }
            Effect::Spawn { call, request } => {
                let (money, tokens) =
                    (request.budget.unwrap_or_default(), request.tokens.unwrap_or_default());
                self.children.insert(*call, Aside { money, tokens, share: money });
                self.hold_shares(step, request.resume.is_none());
            }
            Effect::Emit(numbered) => {
                let ended = match &numbered.event {
                    Event::CallFinished { call, outcome, .. } if left_working(step, *call, *outcome) => None,
                    Event::CallFinished { call, .. } | Event::ChildFinished { call, .. } => Some(call),
                    _ => None,
                };
                if let Some(aside) = ended.and_then(|call| self.children.get_mut(call)) {
                    // Nobody waits any more: what it has spent still counts, what was set aside is free again.
                    (aside.money, aside.tokens) = (NanoUsd::ZERO, 0);
                }
            }
            _ => {}
        }
    }

    /// What holds whenever a model is called.
    fn hold_limits(&mut self, step: &Step) {
        let bound = self.spent.plus(self.set_aside());
        if let Some(limit) = self.budget.usd.filter(|limit| bound >= *limit) {
            let message = format!("a model is called with {bound} of {limit} spent or set aside");
            self.found.push(Violation::new(PROMISE, step.seq, message));
        }
        if self.limit.limit().is_some_and(|limit| self.bound_tokens() >= limit) {
            let message = format!("a model is called with {:?} of {:?} used", self.tokens, self.limit);
            self.found.push(Violation::new(PROMISE, step.seq, message));
        }
        let limited = self.budget.usd.is_some() || self.limit.limit().is_some();
        if limited && self.calls.values().any(|call| !call.stopped) {
            let message = "a model is called while another call is under way, and a limit holds";
            self.found.push(Violation::new(PROMISE, step.seq, message));
        }
    }

    /// What holds whenever a child begins.
    fn hold_shares(&mut self, step: &Step, begins: bool) {
        let bound = self.spent.plus(self.set_aside());
        if let Some(limit) = self.budget.usd.filter(|limit| bound > *limit && begins) {
            let message = format!("{bound} are spent or set aside, of {limit}");
            self.found.push(Violation::new(PROMISE, step.seq, message));
        }
        let bound = self.bound_tokens();
        if self.limit.exceeded_by(bound) && begins {
            let message = format!("{bound} tokens are used or set aside, of {:?}", self.limit);
            self.found.push(Violation::new(PROMISE, step.seq, message));
        }
    }

    /// What holds at every record: one reply beyond the limit, and what nobody could have known.
    fn hold_bounds(&mut self, step: &Step) {
        if let Some(most) = self.bounds.most().filter(|most| self.spent > *most) {
            let message = format!("{} were spent, and {most} at the most may have been", self.spent);
            self.found.push(Violation::new(PROMISE, step.seq, message));
        }
    }

    /// The estimate of a request, counted again. Of a turn that hooks have patched the kernel's own figure is taken: it counts
    /// what they hid, which nobody else has seen.
    fn request_tokens(&mut self, step: &Step, call: ModelCallId, request: &Request) -> u64 {
        let said = step.events().find_map(|numbered| match &numbered.event {
            Event::ModelCalled { call: called, tokens, .. } if *called == call => Some(*tokens),
            _ => None,
        });
        let sent = self.outcome.sent.iter().find(|sent| sent.call == call && sent.seq == step.seq);
        let counted = sent.map_or(0, |sent| estimate::request(&sent.request, &sent.messages));
        let is_patched = matches!(request.messages, holm_kernel::Messages::Own(_));
        match said.filter(|_| request.purpose == Purpose::Turn) {
            Some(said) if is_patched && said >= counted => said,
            Some(said) if said == counted => said,
            None if request.purpose != Purpose::Turn => counted,
            said => {
                let message = format!("a request of {counted} tokens is said to have {said:?}");
                self.found.push(Violation::new(PROMISE, step.seq, message));
                counted
            }
        }
    }

    /// What is set aside for children and for model calls.
    fn set_aside(&self) -> NanoUsd {
        let children = self.children.values().fold(NanoUsd::ZERO, |sum, aside| sum.plus(aside.money));
        self.calls.values().fold(children, |sum, call| sum.plus(call.cost(estimate::lost(call.tokens))))
    }

    /// The tokens that are used or set aside.
    fn bound_tokens(&self) -> u64 {
        let used =
            self.children.values().fold(self.tokens.total(), |sum, aside| sum.saturating_add(aside.tokens));
        self.calls.values().fold(used, |sum, call| sum.saturating_add(call.tokens))
    }
}
