//! Tracks whether a prompt is running. Only one runs at a time, and a cancel request reaches only
//! the prompt that it was meant for. It starts and stops nothing itself; `acp_session.rs` does. The
//! check and the cancel must happen under one lock, or a late request could stop the next prompt.

use std::sync::{Mutex, PoisonError};

/// The state of a session's prompt. A cancel request that arrives while no prompt is running must
/// not stop the next prompt.
#[derive(Debug, Default)]
pub(super) struct PromptGate {
    state: Mutex<PromptPhase>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum PromptPhase {
    #[default]
    Idle,
    Working,
    /// The work is done, and the session is being put back.
    Ending,
}

impl PromptGate {
    /// Begins one; false if another is under way.
    #[must_use]
    pub(super) fn begin(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let free = *state == PromptPhase::Idle;
        if free {
            *state = PromptPhase::Working;
        }
        free
    }

    /// The work has ended, and the answer is still to be given.
    pub(super) fn ends(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == PromptPhase::Working {
            *state = PromptPhase::Ending;
        }
    }

    /// There is more to do: the prompt's own work after unfinished work, or a prompt that came
    /// too late for it.
    pub(super) fn goes_on(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == PromptPhase::Ending {
            *state = PromptPhase::Working;
        }
    }

    /// The prompt was answered.
    pub(super) fn over(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = PromptPhase::Idle;
    }

    /// Stops the work, if there is any. Nothing ends meanwhile, so no later work can be met.
    pub(super) fn stop(&self, cancel: impl FnOnce()) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == PromptPhase::Working {
            cancel();
        }
    }
}

#[cfg(test)]
mod tests;
