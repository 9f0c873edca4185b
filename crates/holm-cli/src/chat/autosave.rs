//! Saves what must outlive the chat: the draft, and the view state of sessions. Changes are
//! recorded with every key and written a moment after the last one. A signal handler that must end
//! the chat writes at once, because the loop may be blocked on a closed terminal.
//!
//! It only collects and triggers; the files are in `draft.rs` and `view_state.rs`, and
//! `chat_loop.rs` decides when to write. Prompts that were sent are not saved here: they are in the
//! journals.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    draft::FolderDraft,
    state::ChatState,
    view_state::{SessionViewState, ViewStateStore},
};

/// The state that is saved automatically. Clones share it.
#[derive(Clone)]
pub(super) struct AutosaveBuffer {
    notes: Arc<Mutex<AutosaveState>>,
}

struct AutosaveState {
    draft: FolderDraft,
    view_states: ViewStateStore,
    /// The unsent text of the input.
    unsaid: String,
    /// Sessions that received a prompt, and their current view states.
    left: Vec<(String, SessionViewState)>,
}

impl AutosaveBuffer {
    /// Saves a folder's draft and the view states of sessions. The stored state stays until
    /// something else is recorded.
    pub(super) fn new(draft: FolderDraft, view_states: ViewStateStore) -> Self {
        let unsaid = draft.text().to_owned();
        Self { notes: Arc::new(Mutex::new(AutosaveState { draft, view_states, unsaid, left: Vec::new() })) }
    }

    /// Notes how everything stands.
    pub(super) fn note(&self, state: &ChatState) {
        let spoken = state.tabs.iter().filter(|tab| !tab.turns.is_empty());
        let left: Vec<(String, SessionViewState)> =
            spoken.filter_map(|tab| Some((tab.session.clone()?, tab.left()))).collect();
        let unsaid = state.unsaid();
        let mut notes = self.notes();
        (notes.unsaid, notes.left) = (unsaid, left);
    }

    /// Writes down what was noted last. What cannot be kept is still on the screen.
    pub(super) fn write(&self) {
        let mut notes = self.notes();
        let AutosaveState { draft, view_states, unsaid, left } = &mut *notes;
        let _ = draft.keep(unsaid);
        for (session, left) in left {
            let _ = view_states.keep(session, left.clone());
        }
    }

    /// Every change is one step, so a panic elsewhere leaves nothing half done.
    fn notes(&self) -> MutexGuard<'_, AutosaveState> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chat::testing::ChatHarness, holm_paths::HolmPaths};

    #[test]
    fn what_was_noted_is_written_by_whoever_is_there_to_do_it() {
        let data = tempfile::tempdir().unwrap();
        let places = HolmPaths::at(data.path(), "/one");
        let pad = AutosaveBuffer::new(FolderDraft::of(&places), ViewStateStore::of(&places));
        let mut chat = ChatHarness::open();
        chat.types("half a thought");
        pad.note(&chat.state);
        assert_eq!(FolderDraft::of(&places).text(), "");
        let other = pad.clone();
        std::thread::spawn(move || other.write()).join().unwrap();
        assert_eq!(FolderDraft::of(&places).text(), "half a thought");

        // A pad on which nothing was noted yet takes nothing away.
        AutosaveBuffer::new(FolderDraft::of(&places), ViewStateStore::of(&places)).write();
        assert_eq!(FolderDraft::of(&places).text(), "half a thought");
    }
}
