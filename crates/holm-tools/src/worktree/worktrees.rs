//! The worktrees of one repository: made for a child, locked while it works, and put away when it
//! ends. Patches are made in `changes.rs`, and git is called in `git.rs`. Changes are stored before
//! a worktree is removed, and the base file is written last, so that a crash at any moment loses no
//! work.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_runtime::{BoxFuture, ChildIsolation};

use super::{
    changes::{self, WorktreeChanges},
    git::{GitLocation, GitRepository},
};

/// The longest name of a worktree; names of files end at 255 bytes.
const MOST_NAME: usize = 200;

/// Gives every child a worktree of a repository, at the repository's current commit.
///
/// Each worktree has a lock file beside it that its process holds. So after a crash, another
/// process can tell which worktrees are abandoned. [`open`](Self::open) keeps their changes as
/// `NAME.diff` and removes them. The changes of a child that has ended are kept in the same way. So
/// a child that is resumed, or whose end was not received, finds them again.
///
/// Nothing that a repository or a child names is run: no hook, no filter (so large files of
/// extensions stay pointers), no monitor, no driver.
#[derive(Debug, Clone)]
pub struct WorktreeManager {
    inner: Arc<WorktreeManagerState>,
}

#[derive(Debug)]
struct WorktreeManagerState {
    repository: PathBuf,
    folder: PathBuf,
    afterwards: WorktreeCleanup,
    held: Mutex<BTreeMap<String, File>>,
}

/// What happens to a worktree when its child has ended. In both cases its changes are returned with
/// the result and stay as `NAME.diff`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorktreeCleanup {
    #[default]
    Remove,
    /// It stays if something was changed in it.
    KeepChanged,
}

impl WorktreeManager {
    /// Worktrees of a repository, in a folder outside it. Worktrees of dead processes are swept.
    ///
    /// # Errors
    /// [`WorktreeError`] if this is not a repository or the folder cannot be used.
    pub async fn open(
        repository: impl Into<PathBuf>,
        folder: impl Into<PathBuf>,
        afterwards: WorktreeCleanup,
    ) -> Result<Self, WorktreeError> {
        let (repository, folder) = (repository.into(), folder.into());
        let git = GitRepository::of(&repository).await?;
        git.run(GitLocation::Repository, &["rev-parse", "--verify", "HEAD"], b"").await?;
        fs::create_dir_all(&folder)?;
        let inner = WorktreeManagerState {
            repository,
            folder: folder.canonicalize()?,
            afterwards,
            held: Mutex::default(),
        };
        let this = Self { inner: Arc::new(inner) };
        this.sweep().await?;
        Ok(this)
    }

    /// Removes the worktrees of processes that are gone and says which; their changes stay as
    /// `NAME.diff`. One that cannot be removed stays as it is and is tried again at the next start.
    ///
    /// # Errors
    /// [`WorktreeError`] if the folder cannot be read or git fails altogether.
    pub async fn sweep(&self) -> Result<Vec<String>, WorktreeError> {
        let git = GitRepository::of(&self.inner.repository).await?;
        let mut swept = Vec::new();
        for entry in fs::read_dir(&self.inner.folder)? {
            let name = entry?.file_name();
            let Some(name) = name.to_str().and_then(|name| name.strip_suffix(".lock")) else { continue };
            let Some(_lock) = self.inner.take(name)? else { continue };
            if self.inner.place(name).exists() {
                if self.inner.put_away(&git, name).await.is_err() {
                    continue;
                }
                swept.push(name.to_owned());
            }
            git.forget(&self.inner.place(name))?;
            fs::remove_file(self.inner.beside(name, "lock"))?;
        }
        Ok(swept)
    }

    /// The file with the changes of a child, if it changed anything. It begins with the base commit
    /// of the changes; `git apply` accepts it as it is.
    pub fn kept_changes(&self, child: &str) -> Option<PathBuf> {
        let path = self.inner.beside(child, "diff");
        (check_name(child).is_ok() && path.is_file()).then_some(path)
    }

    /// Removes the stored changes of a child.
    ///
    /// # Errors
    /// [`WorktreeError`] if the file cannot be removed.
    pub fn forget(&self, child: &str) -> Result<(), WorktreeError> {
        match self.kept_changes(child) {
            Some(path) => Ok(fs::remove_file(path)?),
            None => Ok(()),
        }
    }
}

impl ChildIsolation for WorktreeManager {
    fn enter<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<PathBuf, String>> {
        Box::pin(async move { self.inner.enter(child).await.map_err(|error| error.to_string()) })
    }

    fn leave<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async move { self.inner.leave(child).await.map_err(|error| error.to_string()) })
    }

    fn abandon(&self, child: &str) {
        self.inner.held().remove(child);
    }
}

impl WorktreeManagerState {
    async fn enter(&self, name: &str) -> Result<PathBuf, WorktreeError> {
        check_name(name)?;
        let Some(lock) = self.take(name)? else { return Err(WorktreeError::Busy { name: name.into() }) };
        let place = self.place(name);
        if !(place.exists() && self.beside(name, "base").exists())
            && let Err(error) = self.make(name, &place).await
        {
            // No work was begun in it, so it needs no lock.
            fs::remove_file(self.beside(name, "lock"))?;
            return Err(error);
        }
        self.held().insert(name.to_owned(), lock);
        Ok(place)
    }

    /// Makes the worktree of a child, with the changes in it that are kept of an earlier one.
    async fn make(&self, name: &str, place: &Path) -> Result<(), WorktreeError> {
        let mut git = GitRepository::of(&self.repository).await?;
        if place.exists() {
            self.remove(&git, name).await?;
        }
        let kept = WorktreeChanges::read(&self.beside(name, "diff"))?;
        let base = match &kept {
            Some(kept) => kept.base.clone(),
            None => {
                let head = git.run(GitLocation::Repository, &["rev-parse", "--verify", "HEAD"], b"").await?;
                String::from_utf8_lossy(&head).trim().to_owned()
            }
        };
        let args = ["worktree", "add", "--no-checkout", "--detach", "--force", path(place)?, &base];
        git.run(GitLocation::Repository, &args, b"").await?;
        // Files are written when it is known what the repository would start in this very worktree.
        let own = git.own_folder(place).ok_or_else(|| not_ours(name))?;
        let index = own.join("index");
        let at = GitLocation::Worktree { place, own: &own, index: &index };
        git.silence(at).await?;
        git.run(at, &["read-tree", "--reset", "-u", &base], b"").await?;
        if let Some(kept) = kept.filter(|kept| !kept.diff.is_empty()) {
            let index = self.beside(name, "index");
            let at = GitLocation::Worktree { place, own: &own, index: &index };
            git.run(at, &["apply", "--binary", "--whitespace=nowarn"], &kept.diff).await?;
        }
        // Written last: without it, the worktree is incomplete and holds no work. A child may
        // commit, and its changes are those since it began.
        fs::write(self.beside(name, "base"), &base)?;
        Ok(())
    }

    async fn leave(&self, name: &str) -> Result<Option<String>, WorktreeError> {
        check_name(name)?;
        // Released in every case: a worktree that cannot be removed now is abandoned,
        // and is swept later.
        let lock = self.held().remove(name);
        let git = GitRepository::of(&self.repository).await?;
        let changes = match self.afterwards {
            WorktreeCleanup::Remove => self.put_away(&git, name).await?,
            WorktreeCleanup::KeepChanged => self.keep(&git, name).await?,
        };
        // A worktree that is kept has no lock, so that it is not taken for an abandoned one.
        fs::remove_file(self.beside(name, "lock"))?;
        drop(lock);
        Ok(changes.map(|changes| changes.shown(&self.beside(name, "diff"))))
    }

    /// Keeps the changes of a worktree, and then removes it.
    async fn put_away(
        &self,
        git: &GitRepository,
        name: &str,
    ) -> Result<Option<WorktreeChanges>, WorktreeError> {
        let changes = self.store(git, name).await?;
        self.remove(git, name).await?;
        Ok(changes)
    }

    /// Keeps the changes of a worktree, and removes it if there are none.
    async fn keep(&self, git: &GitRepository, name: &str) -> Result<Option<WorktreeChanges>, WorktreeError> {
        let changes = self.store(git, name).await?;
        if changes.is_none() {
            self.remove(git, name).await?;
        }
        Ok(changes)
    }

    /// Stores the changes of a worktree, before anything happens to it. A partially made worktree
    /// has no changes, and those of an earlier one stay.
    async fn store(&self, git: &GitRepository, name: &str) -> Result<Option<WorktreeChanges>, WorktreeError> {
        let place = self.place(name);
        let (base, index) = (self.beside(name, "base"), self.beside(name, "index"));
        if !base.exists() {
            return Ok(None);
        }
        let base = fs::read_to_string(base)?;
        let own = git.own_folder(&place).ok_or_else(|| not_ours(name))?;
        let at = GitLocation::Worktree { place: &place, own: &own, index: &index };
        let mut git = git.clone();
        git.silence(at).await?;
        let changes = changes::collect(&git, at, &place, &base).await?;
        remove_if_there(&index)?;
        let kept = self.beside(name, "diff");
        match &changes {
            Some(changes) => changes.write(&kept)?,
            None => remove_if_there(&kept)?,
        }
        Ok(changes)
    }

    async fn remove(&self, git: &GitRepository, name: &str) -> Result<(), WorktreeError> {
        let place = self.place(name);
        // Not by git: it would read the worktree, whose content a child controls.
        let folder = place.clone();
        changes::aside(move || {
            changes::tidy(&folder)?;
            Ok(fs::remove_dir_all(folder)?)
        })
        .await?;
        git.forget(&place)?;
        remove_if_there(&self.beside(name, "base"))?;
        Ok(())
    }

    /// The lock of a worktree, if no process holds it.
    fn take(&self, name: &str) -> Result<Option<File>, WorktreeError> {
        let path = self.beside(name, "lock");
        loop {
            let lock = File::options().create(true).append(true).open(&path)?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // The previous holder may have removed the file meanwhile. A lock on a removed
            // file does not count.
            if fs::metadata(&path)
                .is_ok_and(|there| lock.metadata().is_ok_and(|own| own.ino() == there.ino()))
            {
                return Ok(Some(lock));
            }
        }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn beside(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }

    /// Every change here is a single step, so a panic elsewhere leaves no partial state.
    fn held(&self) -> MutexGuard<'_, BTreeMap<String, File>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks a name: it must be a single folder, not a name that git uses itself, and not a file of
/// ours beside a folder.
fn check_name(name: &str) -> Result<(), WorktreeError> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if plain && begins && name.len() <= MOST_NAME {
        return Ok(());
    }
    Err(WorktreeError::BadName { name: name.escape_debug().to_string() })
}

fn not_ours(name: &str) -> WorktreeError {
    WorktreeError::System { reason: format!("git has no worktree `{name}`; it was moved or removed") }
}

fn remove_if_there(path: &Path) -> Result<(), WorktreeError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn path(path: &Path) -> Result<&str, WorktreeError> {
    path.to_str().ok_or_else(|| WorktreeError::System { reason: "its path is not UTF-8".into() })
}

/// A worktree cannot be made or used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorktreeError {
    /// The name is not valid for a worktree.
    #[error("`{name}` cannot name a worktree; use letters, digits, - and _")]
    BadName { name: String },
    #[error("git {command} failed: {reason}")]
    Git {
        /// The command that was run.
        command: String,
        reason: String,
    },
    /// Another process works in it.
    #[error("the worktree `{name}` is already in use")]
    Busy { name: String },
    #[error("the worktree cannot be used ({reason})")]
    System { reason: String },
}

impl From<std::io::Error> for WorktreeError {
    fn from(error: std::io::Error) -> Self {
        Self::System { reason: error.to_string() }
    }
}
