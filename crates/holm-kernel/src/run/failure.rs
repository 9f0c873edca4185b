//! Decides what follows a failed model call: wait and try again, shrink the view, fall back to the
//! next model, or give up.
//!
//! The host has classified the failure (`holm-wire`); its message is never parsed here. Shrinking
//! is done in `context/overflow.rs`, and the retry starts in `run/stop.rs` once the pause has
//! passed. A reply of poor quality is not a failure (`run/ladder.rs`). Which classes are retried is
//! in `FailureClass::is_transient` (`input.rs`). The jitter comes from the run's
//! seed, so that a replay gets the same times.

use super::{
    Run,
    state::{PreparationStep, RequestDraft, RunPhase},
};
use crate::rng;
use crate::{Ending, Event, Failure, FailureClass, Limit, ModelCallId, NextTry, Timestamp};

impl Run {
    pub(super) fn model_failed(
        &mut self,
        call: ModelCallId,
        mut draft: RequestDraft,
        failure: Failure,
    ) -> RunPhase {
        self.account(failure.usage);
        draft.attempts += 1;
        let next = self.next_try(call, &draft, &failure);
        self.emit(Event::ModelFailed {
            call,
            class: failure.class,
            message: failure.message.clone(),
            next: next.clone(),
        });
        self.emit(Event::Withdrawn { call });
        if let Some(ending) = self.limit_reached() {
            return self.finish(ending);
        }
        match next {
            NextTry::Retry { at } => RunPhase::Backoff { until: at, draft },
            NextTry::Fallback { .. } => {
                self.use_model(self.state.group.model + 1);
                self.advance_turn(PreparationStep::Plan, RequestDraft::default())
            }
            NextTry::Compact => {
                // The next request is smaller, so this failure does not count as an attempt.
                draft.attempts = draft.attempts.saturating_sub(1);
                self.advance_turn(PreparationStep::Patch, draft)
            }
            NextTry::GiveUp => self.give_up(&draft, failure),
        }
    }

    fn next_try(&mut self, call: ModelCallId, draft: &RequestDraft, failure: &Failure) -> NextTry {
        if failure.class == FailureClass::ContextOverflow {
            return if self.shrink() { NextTry::Compact } else { self.fallback() };
        }
        if !failure.class.is_transient() {
            return self.fallback();
        }
        let policy = self.config().retry;
        let impatient = failure.retry_after_ms.is_some_and(|wait| wait > policy.patience_ms);
        let overloaded = failure.class == FailureClass::Overloaded && self.has_fallback();
        if impatient || overloaded || draft.attempts >= policy.attempts {
            return self.fallback();
        }
        NextTry::Retry { at: self.retry_at(call, draft.attempts, failure.retry_after_ms) }
    }

    fn shrink(&mut self) -> bool {
        let policy = self.state.started.config.context.clone();
        let steps = self.state.view.shrink_after_overflow(&policy);
        let shrunk = !steps.is_empty();
        self.emit_planned(steps);
        shrunk
    }

    fn has_fallback(&self) -> bool {
        let next = self.state.group.model.saturating_add(1);
        next < self.config().models.len() as u64
    }

    fn fallback(&self) -> NextTry {
        let next = usize::try_from(self.state.group.model.saturating_add(1)).unwrap_or(usize::MAX);
        self.config()
            .models
            .get(next)
            .map_or(NextTry::GiveUp, |model| NextTry::Fallback { model: model.name.clone() })
    }

    /// Exponential back-off with a cap and jitter, but never shorter than
    /// the `Retry-After` of the provider.
    fn retry_at(&self, call: ModelCallId, attempts: u64, asked: Option<u64>) -> Timestamp {
        let policy = self.config().retry;
        let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(63);
        let pause = policy.base_ms.saturating_mul(1 << doublings).min(policy.cap_ms);
        let most = pause.saturating_mul(policy.jitter_milli.min(1_000)) / 1_000;
        let off = rng::mix(self.state.started.seed, call.value(), attempts) % most.saturating_add(1);
        let pause = (pause - off).max(asked.unwrap_or(0));
        self.state.now.plus(pause)
    }

    fn give_up(&mut self, draft: &RequestDraft, failure: Failure) -> RunPhase {
        let ending = match failure.class {
            FailureClass::ContextOverflow => Ending::OverLimit {
                limit: Limit::ContextWindow,
                used: self.state.view.tokens(),
                allowed: self.window(),
            },
            FailureClass::ContentFilter => Ending::Refused { reason: failure.message },
            class @ (FailureClass::RateLimited
            | FailureClass::Overloaded
            | FailureClass::Server
            | FailureClass::Network
            | FailureClass::Truncated
            | FailureClass::Empty
            | FailureClass::Auth
            | FailureClass::Quota
            | FailureClass::BadRequest
            | FailureClass::HostCrash) => {
                Ending::Failed { class, message: failure.message, attempts: draft.attempts }
            }
        };
        self.finish(ending)
    }
}
