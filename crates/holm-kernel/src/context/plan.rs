//! Decides before each model call whether and how to shrink the view.
//!
//! The order is fixed: shorten old results, then ask for a summary or drop the oldest turns, then
//! clip kept results if the view cannot be sent otherwise. A change that frees little waits, and
//! one that is made leaves room for several turns, because each change invalidates the provider's
//! prompt cache. In a small window fewer turns are kept for that. The steps themselves are in
//! `context/view.rs`, `context/cut.rs` and `context/clip.rs`. This file calls no model: it returns
//! [`PlanDecision::Summarise`], and `run/turn.rs` makes the request. Planning must not cost more
//! with a longer view unless something has to leave it.

use alloc::vec::Vec;

use super::{
    cut::{CutTarget, ViewCut},
    estimate::MessageSize,
    token_thresholds::{TokenThresholds, share},
    view::{ContextView, SummaryPermission, SummaryRequest, index},
};
use crate::{ContextPolicy, Family, MessageId, PlanStep, SummaryPolicy};

/// A summary of less than this is not worth a model call.
const SUMMARY_WORTH: u64 = 500;

/// Tokens that a cut leaves free for the note.
pub(super) const DIGEST_TOKENS: u64 = 60;

/// A cut with a summary leaves this part of the goal (as a divisor) free for it.
const SUMMARY_PART: u64 = 8;

/// A plan that frees less than this part of the room (as a divisor) waits, unless the view cannot
/// be sent otherwise: each change invalidates the provider's prompt cache.
const WORTH_PART: u64 = 8;

/// Turns of the present size for which a plan leaves room, so that the prefix
/// stays for as many requests.
const SPARE_TURNS: u64 = 3;

/// A token's worth of characters, when all that is known is characters.
const CHARS_PER_TOKEN: u64 = 4;

/// What a plan did, and what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub(crate) struct CompactionPlan {
    /// What was done, in order.
    pub(crate) steps: Vec<CompactionStep>,
    pub(crate) next: PlanDecision,
}

/// One step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CompactionStep {
    pub(crate) step: PlanStep,
    pub(crate) before: u64,
    pub(crate) after: u64,
}

/// What an elision would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlannedElision {
    /// The tokens at which it stops.
    goal: u64,
    /// The first message that it leaves alone.
    end: u64,
    /// The characters that it could remove.
    chars: u64,
}

/// What follows a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanDecision {
    /// The view fits: send it.
    Send,
    /// Ask a model to summarise the messages before `upto`, then
    /// [apply](ContextView::apply_summary) its text (an empty one if it failed) and plan again. A
    /// useless summary is not requested twice.
    Summarise {
        /// The first message that is not summarised.
        upto: MessageId,
    },
    /// By the estimate the view does not fit, and nothing more may leave it.
    TooLong,
}

impl ContextView {
    /// Plans for one request. `window` and `fixed` (system prompt, tools and room for the
    /// reply) are in tokens.
    ///
    /// The cost does not grow with the view unless something must be done, and then it is bounded
    /// by what is removed. Calling it again changes nothing.
    pub(crate) fn plan(
        &mut self,
        policy: &ContextPolicy,
        window: u64,
        fixed: u64,
        family: Family,
    ) -> CompactionPlan {
        self.retarget(family);
        let window = if window == 0 { policy.default_window } else { window };
        let room = TokenThresholds::new(policy, self.estimated_window(window), fixed, self.ceiling);
        let keep_start = self.keep_start(policy.keep_turns);
        self.limit_words(policy, room.target);
        self.age(keep_start);
        let mut steps = Vec::new();
        let Some(goal) = self.goal(policy, room) else {
            self.asked = None;
            return CompactionPlan { steps, next: PlanDecision::Send };
        };
        if let Some(asked) = self.asked {
            return CompactionPlan { steps, next: PlanDecision::Summarise { upto: asked.upto } };
        }
        let elision = self.elision(policy, room, goal);
        let much = elision.chars / CHARS_PER_TOKEN >= room.trigger / WORTH_PART;
        if self.tokens > room.hard || (self.tokens > goal.tokens && much) {
            self.note(&mut steps, PlanStep::Elided, |view| view.elide(elision.goal, elision.end));
        }
        if self.reaches(goal) {
            return CompactionPlan { steps, next: PlanDecision::Send };
        }
        let keep_start = self.affordable_start(policy, room, goal.tokens);
        self.cut_or_ask(policy, room, goal, keep_start, steps)
    }

    /// What an elision would do. If the kept turns and what always stays exceed the goal, it
    /// shortens results of the kept turns too, down to the last turn.
    fn elision(&mut self, policy: &ContextPolicy, room: TokenThresholds, goal: CutTarget) -> PlannedElision {
        let goal = self.elision_goal(policy, room, goal);
        let (mut end, mut chars) = (self.keep_start(policy.keep_turns), self.old.elidable);
        let mut staying = self.tokens.saturating_sub(self.old.tokens);
        for keep in (1..policy.keep_turns.min(self.turns.len() as u64)).rev() {
            if staying <= goal {
                break;
            }
            let next = self.keep_start(keep);
            let results = self.between(end, next).elidable;
            chars = chars.saturating_add(results);
            staying = staying.saturating_sub(results / CHARS_PER_TOKEN);
            end = next;
        }
        PlannedElision { goal, end, chars }
    }

    /// Where an elision stops: at the target, or below it (at half of it at the most) if
    /// [`SPARE_TURNS`] turns like the last ones would not fit before the trigger.
    fn elision_goal(&mut self, policy: &ContextPolicy, room: TokenThresholds, goal: CutTarget) -> u64 {
        if goal.tokens == u64::MAX {
            return goal.tokens;
        }
        let start = self.keep_start(policy.keep_turns);
        let turns = self.turns.iter().rev().take_while(|turn| **turn >= start).count() as u64;
        let kept = self.between(start, self.messages.len() as u64).tokens;
        let spare = (kept / turns.max(1)).saturating_mul(SPARE_TURNS);
        goal.tokens.min(room.trigger.saturating_sub(spare)).max(goal.tokens / 2)
    }

    /// Where the turns begin that a cut keeps: as many as the policy says, but no more than fit
    /// into the goal, and always the last one. A cut that frees little for that keeps them all.
    fn affordable_start(&mut self, policy: &ContextPolicy, room: TokenThresholds, goal: u64) -> u64 {
        let usual = self.keep_start(policy.keep_turns);
        let mut start = self.keep_start(1);
        let mut kept = self.between(start, self.messages.len() as u64).tokens;
        for keep in 2..=policy.keep_turns.min(self.turns.len() as u64) {
            let earlier = self.keep_start(keep);
            kept = kept.saturating_add(self.between(earlier, start).tokens);
            if kept > goal {
                break;
            }
            start = earlier;
        }
        let frees = self.between(usual, start).tokens;
        if frees < room.trigger / WORTH_PART { usual } else { start }
    }

    /// The size of the messages from `start` to before `end`.
    fn between(&mut self, start: u64, end: u64) -> MessageSize {
        self.worked(end.saturating_sub(start));
        let measures = self.measures.get(index(start)..index(end)).unwrap_or_default();
        measures.iter().fold(MessageSize::default(), |sum, measure| MessageSize {
            tokens: sum.tokens.saturating_add(measure.tokens),
            elidable: sum.elidable.saturating_add(measure.elidable),
        })
    }

    /// The target, if the view is too large. A view that only has too many
    /// messages keeps its tokens.
    fn goal(&self, policy: &ContextPolicy, room: TokenThresholds) -> Option<CutTarget> {
        let crowded = policy.max_messages.is_some_and(|most| self.messages.len() as u64 > most);
        let long = self.tokens > room.trigger || (self.asked.is_some() && self.tokens > room.target);
        if !crowded && !long {
            return None;
        }
        Some(CutTarget {
            tokens: if long { room.target } else { u64::MAX },
            messages: if crowded { most_messages(policy) } else { u64::MAX },
        })
    }

    fn reaches(&self, goal: CutTarget) -> bool {
        self.tokens <= goal.tokens && self.messages.len() as u64 <= goal.messages
    }

    fn cut_or_ask(
        &mut self,
        policy: &ContextPolicy,
        room: TokenThresholds,
        goal: CutTarget,
        keep_start: u64,
        mut steps: Vec<CompactionStep>,
    ) -> CompactionPlan {
        let must = self.tokens > room.hard || goal.messages != u64::MAX;
        let old = self.old.tokens.saturating_add(self.between(self.aged, keep_start).tokens);
        if !must && old < room.trigger / WORTH_PART {
            return CompactionPlan { steps, next: PlanDecision::Send };
        }
        if self.may_ask(policy) {
            let summary = CutTarget { tokens: goal.tokens - goal.tokens / SUMMARY_PART, ..goal };
            let cut = self.find_cut(self.with_digest(summary), keep_start);
            if let Some(upto) = cut.and_then(|cut| self.worth_asking(room, cut)) {
                return CompactionPlan { steps, next: PlanDecision::Summarise { upto } };
            }
        }
        let Some(cut) = self.find_cut(self.with_digest(goal), keep_start) else {
            return self.fit(policy, room, steps);
        };
        self.note(&mut steps, PlanStep::Dropped, |view| view.drop_before(cut.at));
        self.fit(policy, room, steps)
    }

    const fn may_ask(&self, policy: &ContextPolicy) -> bool {
        match (&policy.summary, self.summaries) {
            (SummaryPolicy::Never, _) | (_, SummaryPermission::Discarded) => false,
            (SummaryPolicy::Ask { .. }, SummaryPermission::Welcome) => true,
        }
    }

    /// Requests a summary up to a cut, if it is worth a call; returns the first message that stays.
    fn worth_asking(&mut self, room: TokenThresholds, cut: ViewCut) -> Option<MessageId> {
        // A request that is itself too long would only fail.
        if cut.tokens < SUMMARY_WORTH || cut.tokens > room.hard {
            return None;
        }
        let upto = self.messages.get(index(cut.at))?.id;
        self.asked = Some(SummaryRequest { upto, at: cut.at });
        Some(upto)
    }

    /// Clips the kept turns if the view cannot be sent otherwise.
    fn fit(
        &mut self,
        policy: &ContextPolicy,
        room: TokenThresholds,
        mut steps: Vec<CompactionStep>,
    ) -> CompactionPlan {
        if self.tokens > room.hard {
            let from = self.keep_start(policy.keep_turns);
            self.note(&mut steps, PlanStep::Clipped, |view| view.clip(from, room.trigger));
        }
        let next = if self.tokens > room.hard { PlanDecision::TooLong } else { PlanDecision::Send };
        CompactionPlan { steps, next }
    }

    /// The goal less what the note will take.
    const fn with_digest(&self, goal: CutTarget) -> CutTarget {
        CutTarget {
            tokens: goal.tokens.saturating_sub(DIGEST_TOKENS.saturating_add(self.kept_room())),
            messages: if goal.messages == u64::MAX { u64::MAX } else { goal.messages.saturating_sub(1) },
        }
    }

    /// Performs one step and records it if it changed anything.
    pub(super) fn note(
        &mut self,
        steps: &mut Vec<CompactionStep>,
        step: PlanStep,
        act: impl FnOnce(&mut Self),
    ) {
        let (before, epoch) = (self.tokens, self.epoch);
        act(self);
        if self.epoch != epoch {
            // However much a step changed, it counts as one change.
            self.epoch = epoch + 1;
            steps.push(CompactionStep { step, before, after: self.tokens });
        }
    }
}

/// A view with too many messages shrinks by the same share as one with too many tokens, so that
/// it can grow again.
fn most_messages(policy: &ContextPolicy) -> u64 {
    let Some(most) = policy.max_messages else {
        return u64::MAX;
    };
    let trigger = policy.trigger_milli.clamp(1, 1_000);
    share(most, policy.target_milli.min(trigger).saturating_mul(1_000) / trigger)
        .min(most - most / WORTH_PART)
}
