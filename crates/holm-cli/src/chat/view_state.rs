//! The view state of a closed session: its unsent draft and its scroll position. Both are restored
//! when the session is resumed. The draft of a folder is in `draft.rs`; `autosave.rs` decides when
//! to save. Positions count only items that every replay shows, and a file that is missing or
//! invalid means a new session's state.

use std::{collections::BTreeMap, fs, io, path::PathBuf};

use holm_tools::trust::ContentHash;
use serde_json::{Value, json};

use crate::holm_paths::{self, HolmPaths};

/// The longest file that is read.
const MOST: u64 = 1 << 20;

/// The view state of a closed session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SessionViewState {
    pub(super) draft: String,
    /// The scroll position; `None` at the end.
    pub(super) spot: Option<ScrollAnchor>,
}

/// A place in a transcript that is the same whenever the session is replayed. Notes do not count,
/// because no journal has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScrollAnchor {
    /// How many items are above.
    pub(super) above: usize,
    /// The row of the top item at the top of the screen.
    pub(super) row: usize,
}

/// The stored view states of all sessions.
#[derive(Debug)]
pub(super) struct ViewStateStore {
    folder: PathBuf,
    /// The states that are already on disk.
    kept: BTreeMap<String, SessionViewState>,
}

impl ViewStateStore {
    /// The one of a data folder.
    pub(super) fn of(places: &HolmPaths) -> Self {
        Self { folder: places.data.join("chat"), kept: BTreeMap::new() }
    }

    /// How a session was left; as if it were new where that is not known.
    pub(super) fn find(&self, session: &str) -> SessionViewState {
        let file = self.file(session);
        let fits = fs::metadata(&file).is_ok_and(|file| file.len() <= MOST);
        let text = if fits { fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
        serde_json::from_str::<Value>(&text)
            .map_or_else(|_| SessionViewState::default(), |said| SessionViewState::read(&said))
    }

    /// Keeps how one is left.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep(&mut self, session: &str, left: SessionViewState) -> io::Result<()> {
        if self.kept.get(session) == Some(&left) {
            return Ok(());
        }
        let file = self.file(session);
        if left == SessionViewState::default() {
            holm_paths::forget(&file)?;
        } else {
            holm_paths::keep(&file, &left.written().to_string())?;
        }
        self.kept.insert(session.to_owned(), left);
        Ok(())
    }

    fn file(&self, session: &str) -> PathBuf {
        self.folder.join(format!("{}.left", ContentHash::of(session.as_bytes())))
    }
}

/// Forgets how a session was left that is gone.
///
/// # Errors
/// If it cannot be forgotten.
pub(crate) fn forget(places: &HolmPaths, session: &str) -> io::Result<()> {
    ViewStateStore::of(places).keep(session, SessionViewState::default())
}

impl SessionViewState {
    fn written(&self) -> Value {
        let spot = self.spot.map(|spot| json!({ "above": spot.above, "row": spot.row }));
        json!({ "draft": self.draft, "spot": spot })
    }

    fn read(said: &Value) -> Self {
        let number = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
        };
        let spot = said
            .get("spot")
            .and_then(|spot| Some(ScrollAnchor { above: number(spot, "above")?, row: number(spot, "row")? }));
        let draft = said.get("draft").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { draft, spot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_as_it_was_left_and_no_other_is() {
        let data = tempfile::tempdir().unwrap();
        let places = HolmPaths::at(data.path(), "/one");
        let left = SessionViewState {
            draft: "half\na \"thought\"".into(),
            spot: Some(ScrollAnchor { above: 7, row: 2 }),
        };
        ViewStateStore::of(&places).keep("one", left.clone()).unwrap();
        assert_eq!(ViewStateStore::of(&places).find("one"), left);
        assert_eq!(ViewStateStore::of(&places).find("../one"), SessionViewState::default());
        let file = ViewStateStore::of(&places).file("one");
        fs::write(&file, "{\"draft\":7,\"spot\":{\"above\":-1}}").unwrap();
        assert_eq!(
            ViewStateStore::of(&places).find("one"),
            SessionViewState::default(),
            "what means nothing is passed over"
        );
        ViewStateStore::of(&places).keep("one", SessionViewState::default()).unwrap();
        assert!(!file.exists(), "nothing is kept for nothing");
    }
}
