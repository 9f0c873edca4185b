//! Handles a provider's error that the request was too long: makes the view at least a quarter
//! smaller, and remembers the refused size for later plans.
//!
//! `run/failure.rs` calls it and then repeats the request. Shrinking before a call, by estimate, is
//! done in `context/plan.rs`. No summary is requested here.

use alloc::vec::Vec;

use super::{
    compaction_note::CompactionNote,
    cut::CutTarget,
    plan::{CompactionStep, DIGEST_TOKENS},
    view::{ContextView, index},
};
use crate::{ContextPolicy, PlanStep};

impl ContextView {
    /// Makes the view at least a quarter smaller, or as small as it can be; empty when
    /// nothing more can go.
    ///
    /// Old results go first, then old turns, then the middle of large results, then all turns but
    /// the last, then the summary with what was kept word for word. The size that was refused is
    /// remembered: later plans stay below it.
    pub(crate) fn shrink_after_overflow(&mut self, policy: &ContextPolicy) -> Vec<CompactionStep> {
        let goal = self.tokens - self.tokens / 4;
        self.ceiling = Some(self.ceiling.map_or(self.tokens, |ceiling| ceiling.min(self.tokens)));
        self.asked = None;
        let mut steps = Vec::new();
        for keep in [policy.keep_turns, 1] {
            let keep_start = self.keep_start(keep);
            self.age(keep_start);
            self.step(&mut steps, goal, PlanStep::Elided, |view| view.elide(0, keep_start));
            self.step(&mut steps, goal, PlanStep::Dropped, |view| view.drop_towards(goal, keep));
            self.step(&mut steps, goal, PlanStep::Clipped, |view| {
                let from = view.keep_start(keep);
                view.clip(from, goal);
            });
        }
        self.step(&mut steps, goal, PlanStep::Dropped, ContextView::forget_summary);
        steps
    }

    fn step(
        &mut self,
        steps: &mut Vec<CompactionStep>,
        goal: u64,
        step: PlanStep,
        act: impl FnOnce(&mut Self),
    ) {
        if self.tokens > goal {
            self.note(steps, step, act);
        }
    }

    fn drop_towards(&mut self, goal: u64, keep: u64) {
        let keep_start = self.keep_start(keep);
        let note = DIGEST_TOKENS.saturating_add(self.kept_room());
        let goal = CutTarget { tokens: goal.saturating_sub(note), messages: u64::MAX };
        // A note longer than what it stands for would be no gain.
        if let Some(cut) = self.find_cut(goal, keep_start)
            && ((self.digest.is_some() && self.kept_room() == 0) || cut.tokens > note)
        {
            self.drop_before(cut.at);
        }
    }

    fn forget_summary(&mut self) {
        let Some(digest) = self.digest.take_if(|digest| digest.summary.is_some() || !digest.kept.is_empty())
        else {
            return;
        };
        let gone = digest.gone.saturating_add(digest.summed);
        let digest = CompactionNote { id: digest.id, summed: 0, gone, summary: None, kept: Vec::new() };
        let message = digest.message();
        self.digest = Some(digest);
        if let Some(at) = self.head.checked_sub(1).filter(|at| index(*at) < self.messages.len()) {
            self.replace(at, (*message).clone());
        }
    }
}
