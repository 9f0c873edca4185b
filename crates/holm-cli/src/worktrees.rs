//! Worktrees for helpers that work apart. Git is only asked when one of them is called, or when an earlier run may have
//! left something behind.

use std::{path::PathBuf, sync::Arc};

use holm::runtime::{BoxFuture, Isolation};
use holm_tools::worktree::{Afterwards, Worktrees};
use tokio::sync::OnceCell;

use crate::places::Places;

/// The worktrees of the repository in which the command was started.
#[derive(Debug)]
pub(crate) struct Trees {
    repository: PathBuf,
    folder: PathBuf,
    opened: OnceCell<Worktrees>,
}

impl Trees {
    /// Worktrees, if this folder is the top of a repository. What a run left there that was killed is swept.
    pub(crate) async fn find(places: &Places) -> Result<Option<Arc<Self>>, String> {
        if !places.work.join(".git").exists() {
            return Ok(None);
        }
        let this =
            Self { repository: places.work.clone(), folder: places.worktrees(), opened: OnceCell::new() };
        if this.folder.exists() {
            this.open().await?;
        }
        Ok(Some(Arc::new(this)))
    }

    async fn open(&self) -> Result<&Worktrees, String> {
        let open = || Worktrees::open(&self.repository, &self.folder, Afterwards::Remove);
        self.opened.get_or_try_init(open).await.map_err(|error| error.to_string())
    }
}

impl Isolation for Trees {
    fn enter<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<PathBuf, String>> {
        Box::pin(async move { self.open().await?.enter(child).await })
    }

    fn leave<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async move { self.open().await?.leave(child).await })
    }
}
