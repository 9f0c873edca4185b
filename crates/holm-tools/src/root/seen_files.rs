//! Remembers which files a model has read, by their content. The file tools of a root write it, and
//! the questions about calls read it: a person is not asked about a call that its tool would refuse.
//!
//! It opens no file and decides nothing; `files/change.rs` refuses changes to files that were not read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holm_grants::FilePath;

use crate::undo::digest;

/// Files whose state is remembered; beyond that the file has to be read again before it is changed.
const MOST_SEEN: usize = 10_000;

/// The files that were read, or written by a tool. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct SeenFiles(Arc<Mutex<BTreeMap<FilePath, String>>>);

impl SeenFiles {
    /// Remembers the content of a file that the model saw or that a tool wrote.
    pub(crate) fn saw(&self, path: &FilePath, bytes: &[u8]) {
        let mut seen = self.lock();
        if seen.len() >= MOST_SEEN && !seen.contains_key(path) {
            seen.pop_first();
        }
        seen.insert(path.clone(), digest(bytes));
    }

    pub(crate) fn forget(&self, path: &FilePath) {
        self.lock().remove(path);
    }

    /// Whether the file was read, whatever it contains now.
    pub(crate) fn has(&self, path: &FilePath) -> bool {
        self.lock().contains_key(path)
    }

    /// Whether a file with this content is the one that was read; `None` if it was not read.
    pub(crate) fn is_same(&self, path: &FilePath, bytes: &[u8]) -> Option<bool> {
        self.lock().get(path).map(|seen| *seen == digest(bytes))
    }

    fn content(&self) -> BTreeMap<FilePath, String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<FilePath, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Equal if they remember the same now.
impl PartialEq for SeenFiles {
    fn eq(&self, other: &Self) -> bool {
        self.content() == other.content()
    }
}

impl Eq for SeenFiles {}
