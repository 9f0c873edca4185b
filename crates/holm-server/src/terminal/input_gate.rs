//! Decides whether a session in a terminal accepts input from servers, based on its events. A
//! server learns of the end of a turn slightly later than the session. Input that arrives in
//! between would stay unread.
//!
//! It sends nothing itself: `host.rs` does. The same gate for a session that the server drives is
//! in `live/live_session.rs`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use holm_kernel::Event;

use super::activity::works_after;

/// The error for input to an idle session.
const IDLE: &str = "the session is idle; type it in its terminal";

/// Tracks whether the session works, and whether input arrived that its last turn
/// may not have read.
#[derive(Debug, Default)]
pub(super) struct RemoteInputGate(Mutex<RemoteInputState>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum RemoteInputState {
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

impl RemoteInputGate {
    pub(super) fn hear(&self, event: &Event) {
        let Some(works) = works_after(event) else { return };
        let mut state = self.lock();
        *state = match (works, *state) {
            (true, RemoteInputState::Shut | RemoteInputState::Open) => RemoteInputState::Open,
            (true, RemoteInputState::Missed | RemoteInputState::Spoken) => RemoteInputState::Spoken,
            (false, RemoteInputState::Shut | RemoteInputState::Open) => RemoteInputState::Shut,
            (false, RemoteInputState::Missed | RemoteInputState::Spoken) => RemoteInputState::Missed,
        };
    }

    pub(super) fn works(&self) -> bool {
        matches!(*self.lock(), RemoteInputState::Open | RemoteInputState::Spoken)
    }

    /// Sends input to a working session; the session cannot end meanwhile without noticing.
    pub(super) fn say(&self, say: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        self.while_it_works(RemoteInputState::Spoken, say)
    }

    /// Cancels a working session. Earlier input starts nothing after that.
    pub(super) fn stop(&self, stop: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        self.while_it_works(RemoteInputState::Open, stop)
    }

    fn while_it_works(
        &self,
        then: RemoteInputState,
        act: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let mut state = self.lock();
        match *state {
            RemoteInputState::Shut | RemoteInputState::Missed => Err(IDLE.into()),
            RemoteInputState::Open | RemoteInputState::Spoken => {
                act()?;
                *state = then;
                Ok(())
            }
        }
    }

    /// Whether input arrived just before the end of the last turn; reports it once.
    pub(super) fn missed(&self) -> bool {
        let mut state = self.lock();
        let missed = *state == RemoteInputState::Missed;
        if missed {
            *state = RemoteInputState::Shut;
        }
        missed
    }

    /// No change here can be left incomplete, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, RemoteInputState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
