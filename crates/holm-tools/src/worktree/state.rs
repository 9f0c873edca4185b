//! How much of a repository differs from its last commit.

use std::{path::Path, time::Duration};

use super::git::GitRepository;

/// How long the count may take: it is told to a model, and a session does not wait for it.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many files in the repository of a folder differ from the last commit, untracked ones
/// included. None if the folder is not the top of a repository, if git is missing, or if the count
/// takes longer than two seconds. Git runs nothing that the repository names.
pub async fn changed_files(folder: &Path) -> Option<usize> {
    // Settings of a linked worktree may differ from those of its repository, of which
    // nothing is silenced here.
    if !folder.join(".git").is_dir() {
        return None;
    }
    let count = async {
        let printed = GitRepository::of(folder).await.ok()?.status(folder).await.ok()?;
        Some(printed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).count())
    };
    tokio::time::timeout(PATIENCE, count).await.ok().flatten()
}
