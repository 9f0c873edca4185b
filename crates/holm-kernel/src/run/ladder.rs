//! Switches to a stronger model when the work of the current one is not good enough.
//!
//! A model is replaced between turns, never within one: a call under way is paid at the price of
//! the model that started it. This file counts shortfalls and changes the model.
//! `run/result_checks.rs`, `run/reply.rs` and `run/skill.rs` report them; the settings are in
//! `config/ladder.rs`. Failed calls of a provider do not belong here (`run/failure.rs`), nor does
//! the choice of the first rung by experience (`holm-runtime/src/ledger/starting_rung.rs`).

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::{Event, Ladder, OnRejection, StepCause, visible_text};

/// The most characters of a reason: it goes into events and into the ledger.
const REASON_CHARS: u64 = 400;

/// How the model of one turn group has performed.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Read)]
#[serde(default)]
pub(crate) struct LadderProgress {
    /// Turns in a row in which no call was valid.
    pub(crate) invalid_turns: u64,
    /// The validity of the calls in the current reply.
    pub(crate) calls: CallValidity,
    /// How the model failed in the current turn.
    pub(crate) shortfall: Option<ModelShortfall>,
    /// Whether the hint was given.
    pub(crate) hinted: bool,
}

/// Whether the calls of a reply were valid.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallValidity {
    #[default]
    None,
    /// At least one call was valid.
    Valid,
    /// No call was valid; the problem of the last one.
    Invalid(String),
}

/// How a model failed.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct ModelShortfall {
    pub(crate) cause: StepCause,
    pub(crate) reason: String,
}

/// Whether a rejected model may still correct itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CorrectionChance {
    /// It may correct itself once.
    Left,
    /// It had its correction, and that did not help.
    Spent,
}

/// Whether anything was done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LadderOutcome {
    /// Another model continues, or this one with the hint.
    Yes,
    /// There was nothing left to do.
    No,
}

impl Run {
    /// The model with which a group begins.
    pub(super) fn first_model(&self) -> u64 {
        let Some(ladder) = &self.config().ladder else { return 0 };
        let rungs = self.rungs(ladder);
        let start = usize::try_from(ladder.start.max(self.state.rung)).unwrap_or(usize::MAX);
        let wanted = rungs.get(start).or(rungs.last()).copied().unwrap_or(0);
        if self.is_usable(wanted) {
            return wanted;
        }
        let usable = |model: &&u64| self.is_usable(**model);
        let above = rungs.iter().skip(start).find(usable);
        above.or_else(|| rungs.iter().take(start).rfind(usable)).copied().unwrap_or(wanted)
    }

    /// If a budget is set, a model without a known price could only end the run.
    fn is_usable(&self, model: u64) -> bool {
        let model = usize::try_from(model).ok().and_then(|place| self.config().models.get(place));
        self.state.budget.usd.is_none() || model.is_some_and(|model| model.price.is_some())
    }

    /// The rungs as indexes into the list of models.
    fn rungs(&self, ladder: &Ladder) -> Vec<u64> {
        let models = &self.config().models;
        if ladder.rungs.is_empty() {
            return (0..models.len() as u64).collect();
        }
        let place = |name: &String| models.iter().position(|model| model.name == *name);
        ladder.rungs.iter().filter_map(place).map(|place| place as u64).collect()
    }

    /// The next rung and its model. A model that is on no rung (a fallback, a hook's choice) counts
    /// as being where the group began. Unusable models are skipped.
    fn next_rung(&self, ladder: &Ladder) -> Option<(u64, u64)> {
        let rungs = self.rungs(ladder);
        let stands = rungs.iter().position(|model| *model == self.state.group.model);
        let began = usize::try_from(ladder.start.max(self.state.rung)).unwrap_or(usize::MAX);
        let next = stands.unwrap_or(began).saturating_add(1);
        (0_u64..).zip(rungs).skip(next).find(|(_, model)| self.is_usable(*model))
    }

    /// Records whether a call was valid. A hook only sees valid calls, and one valid call makes the
    /// reply valid. The hook's changes are not the model's mistake.
    pub(super) fn note_validity(&mut self, wrong: Option<&String>) {
        if self.config().ladder.is_none() {
            return;
        }
        let calls = &mut self.state.group.climb.calls;
        match (wrong, &calls) {
            (None, _) => *calls = CallValidity::Valid,
            (Some(_), CallValidity::Valid) => {}
            (Some(wrong), CallValidity::None | CallValidity::Invalid(_)) => {
                *calls = CallValidity::Invalid(visible_text::visible_bounded(wrong, REASON_CHARS));
            }
        }
    }

    /// Records a guard's rejection. Returns whether the ladder will act once the reply is answered.
    pub(super) fn rejection_climbs(&mut self, correction: CorrectionChance, reason: &str) -> bool {
        let Some(ladder) = &self.config().ladder else { return false };
        let uncured = correction == CorrectionChance::Spent;
        let acts = match ladder.step_up.rejection {
            OnRejection::AfterCorrection => uncured,
            OnRejection::AtOnce => uncured || self.next_rung(ladder).is_some(),
            OnRejection::Never => false,
        };
        acts && self.falls_short(StepCause::Rejected, reason)
    }

    /// Records that the model failed. Returns whether [`climb`](Self::climb) could still act on it.
    pub(super) fn falls_short(&mut self, cause: StepCause, reason: &str) -> bool {
        let Some(ladder) = &self.config().ladder else { return false };
        let climb = &self.state.group.climb;
        if climb.shortfall.is_some() {
            return true;
        }
        let hint_left = !climb.hinted && !ladder.hint.is_empty();
        if !hint_left && self.next_rung(ladder).is_none() {
            return false;
        }
        let reason = visible_text::visible_bounded(reason, REASON_CHARS);
        self.state.group.climb.shortfall = Some(ModelShortfall { cause, reason });
        true
    }

    /// Evaluates the turn: if the model failed, another model continues. If no model is
    /// left, it gets the hint.
    pub(super) fn climb(&mut self) -> LadderOutcome {
        let started = self.state.started.clone();
        let Some(ladder) = &started.config.ladder else { return LadderOutcome::No };
        self.count_invalid(ladder);
        let Some(shortfall) = self.state.group.climb.shortfall.take() else { return LadderOutcome::No };
        match self.next_rung(ladder) {
            Some((rung, model)) => self.step_up(rung, model, shortfall),
            None => self.give_hint(ladder, shortfall),
        }
        LadderOutcome::Yes
    }

    fn count_invalid(&mut self, ladder: &Ladder) {
        let climb = &mut self.state.group.climb;
        match core::mem::take(&mut climb.calls) {
            CallValidity::None => {}
            CallValidity::Valid => climb.invalid_turns = 0,
            CallValidity::Invalid(reason) => {
                climb.invalid_turns += 1;
                let most = ladder.step_up.invalid_turns;
                if most > 0 && climb.invalid_turns >= most {
                    climb.invalid_turns = 0;
                    self.falls_short(StepCause::InvalidCalls, &reason);
                }
            }
        }
    }

    /// Switches to another model, which starts with clean counters.
    fn step_up(&mut self, rung: u64, model: u64, shortfall: ModelShortfall) {
        let from = self.shared.model_name();
        self.state.rung = self.state.rung.max(rung);
        self.state.group.rejections.clear();
        self.state.group.corrected = false;
        self.state.group.warned_stuck = false;
        self.state.group.climb.invalid_turns = 0;
        self.state.loops.forget();
        self.use_model(model);
        let to = self.shared.model_name();
        let ModelShortfall { cause, reason } = shortfall;
        self.emit(Event::SteppedUp { from, to, cause, reason });
    }

    fn give_hint(&mut self, ladder: &Ladder, shortfall: ModelShortfall) {
        self.state.group.climb.hinted = true;
        let ModelShortfall { cause, reason } = shortfall;
        let model: Arc<str> = self.shared.model_name();
        self.emit(Event::LadderExhausted { model, cause, reason });
        self.note(ladder.hint.clone());
    }

    /// The reason of a final failure. It includes the hint that did not help, for the person or
    /// agent that takes the task over.
    pub(super) fn last_reason(&self, reason: &str) -> String {
        match &self.config().ladder {
            Some(ladder) if self.state.group.climb.hinted => {
                alloc::format!("{reason}. {}", ladder.hint)
            }
            Some(_) | None => reason.to_string(),
        }
    }
}
