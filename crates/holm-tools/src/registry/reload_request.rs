//! Lets a loader request a reload of a file that has not changed itself, for example because a
//! server answers at last. It only collects the requests: `watch.rs` waits for them and reloads the
//! files. The loaders are behind `loader.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;

/// Requests a reload of files whose tools have changed although the files have not, for example
/// because a server has answered at last. Clones share the requests.
///
/// ```
/// use holm_tools::registry::{ReloadRequester, ToolFolders, ToolRegistry};
/// let again = ReloadRequester::new();
/// let folders = ToolFolders::new(&ToolRegistry::new()).again(&again);
/// again.look("tools/far.mcp.json".as_ref());
/// # drop(folders);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReloadRequester(Arc<watch::Sender<BTreeSet<PathBuf>>>);

impl ReloadRequester {
    /// A requester without a watcher.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests a reload. Several requests before the reload count as one. If the folder is
    /// not watched, nothing happens.
    pub fn look(&self, path: &Path) {
        self.0.send_if_modified(|wanted| wanted.insert(path.to_owned()));
    }

    /// Wakes when a reload is requested.
    pub(super) fn asked(&self) -> watch::Receiver<BTreeSet<PathBuf>> {
        self.0.subscribe()
    }

    /// The requests since the last call.
    pub(super) fn take(&self) -> BTreeSet<PathBuf> {
        let mut taken = BTreeSet::new();
        self.0.send_if_modified(|wanted| {
            taken = std::mem::take(wanted);
            // The reader that takes the requests needs no notification.
            false
        });
        taken
    }
}
