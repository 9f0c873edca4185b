//! Decides whether a session in a terminal accepts input from servers, based on its events. A
//! server learns of the end of a turn slightly later than the session. Input that arrives in
//! between would stay unread.

use std::sync::{Mutex, MutexGuard, PoisonError};

use holm_kernel::Event;

use super::pulse::works_after;

/// The error for input to an idle session.
const IDLE: &str = "the session is idle; type it in its terminal";

/// Tracks whether the session works, and whether input arrived that its last turn
/// may not have read.
#[derive(Debug, Default)]
pub(super) struct Ears(Mutex<State>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// The session is idle.
    #[default]
    Shut,
    /// The session is idle, and input arrived just before the end.
    Missed,
    /// It works, and no input arrived since it was last cancelled.
    Open,
    /// It works, and input arrived.
    Spoken,
}

impl Ears {
    pub(super) fn hear(&self, event: &Event) {
        let Some(works) = works_after(event) else { return };
        let mut state = self.lock();
        *state = match (works, *state) {
            (true, State::Shut | State::Open) => State::Open,
            (true, State::Missed | State::Spoken) => State::Spoken,
            (false, State::Shut | State::Open) => State::Shut,
            (false, State::Missed | State::Spoken) => State::Missed,
        };
    }

    pub(super) fn works(&self) -> bool {
        matches!(*self.lock(), State::Open | State::Spoken)
    }

    /// Sends input to a working session; the session cannot end meanwhile without noticing.
    pub(super) fn say(&self, say: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        self.while_it_works(State::Spoken, say)
    }

    /// Cancels a working session. Earlier input starts nothing after that.
    pub(super) fn stop(&self, stop: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        self.while_it_works(State::Open, stop)
    }

    fn while_it_works(&self, then: State, act: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let mut state = self.lock();
        match *state {
            State::Shut | State::Missed => Err(IDLE.into()),
            State::Open | State::Spoken => {
                act()?;
                *state = then;
                Ok(())
            }
        }
    }

    /// Whether input arrived just before the end of the last turn; reports it once.
    pub(super) fn missed(&self) -> bool {
        let mut state = self.lock();
        let missed = *state == State::Missed;
        if missed {
            *state = State::Shut;
        }
        missed
    }

    /// No change here can be left half done, so a panic of another thread does no harm.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
