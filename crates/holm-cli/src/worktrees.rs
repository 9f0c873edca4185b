//! Worktrees for helpers that work separately. Git is only called when such a helper is called, or
//! when an earlier run may have left worktrees behind. The git commands are in
//! `holm-tools/src/worktree/`; which helper gets a worktree is said in its agent file.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use holm::runtime::{BoxFuture, ChildIsolation};
use holm_tools::worktree::{WorktreeCleanup, WorktreeManager};
use tokio::sync::OnceCell;

use crate::holm_paths::HolmPaths;

/// The worktrees of the repository in which the command was started.
#[derive(Debug)]
pub(crate) struct HelperWorktrees {
    repository: PathBuf,
    folder: PathBuf,
    opened: OnceCell<WorktreeManager>,
}

impl HelperWorktrees {
    /// Finds the worktrees, if this folder is the top of a repository. Leftovers of a
    /// killed run are removed.
    pub(crate) async fn find(places: &HolmPaths) -> Result<Option<Arc<Self>>, String> {
        let this = Self::here(places);
        if let Some(this) = this.as_ref().filter(|this| this.folder.exists()) {
            this.open().await?;
        }
        Ok(this)
    }

    /// The same, and nothing is swept until one is entered.
    pub(crate) fn here(places: &HolmPaths) -> Option<Arc<Self>> {
        let (repository, folder) = (places.work.clone(), places.worktrees());
        let this = Self { repository, folder, opened: OnceCell::new() };
        this.repository.join(".git").exists().then(|| Arc::new(this))
    }

    /// The top of the repository in which a folder lies, if it lies in one below its top.
    pub(crate) fn top_above(folder: &Path) -> Option<PathBuf> {
        folder.ancestors().skip(1).find(|above| above.join(".git").exists()).map(Path::to_owned)
    }

    async fn open(&self) -> Result<&WorktreeManager, String> {
        let open = || WorktreeManager::open(&self.repository, &self.folder, WorktreeCleanup::Remove);
        self.opened.get_or_try_init(open).await.map_err(|error| error.to_string())
    }
}

impl ChildIsolation for HelperWorktrees {
    fn enter<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<PathBuf, String>> {
        Box::pin(async move { self.open().await?.enter(child).await })
    }

    fn leave<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async move { self.open().await?.leave(child).await })
    }
}
