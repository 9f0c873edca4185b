//! Where the command stores its files: the data folder, the folders of the user and of the project,
//! and how private files are created and replaced. Paths that several files use are named here;
//! `session_sidecar.rs`, `chat/draft.rs` and `chat/view_state.rs` add file names of their own below
//! the data folder.
//!
//! It does not read what the files contain. Settings files are searched by
//! `holm-config/src/find.rs`, local models by `local.rs`. Files and folders that may contain
//! conversations or keys must be readable by their owner alone, and a stored file is replaced as a
//! whole.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use holm::{
    grants::FilePath,
    store::{Store, StoreError},
};
use holm_config::ConfigFiles;
use holm_tools::{trust::ContentHash, undo::UndoStore};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    folder_state::{FolderState, is_unwritable},
    folder_trust::FolderAccess,
    network_scope::NetworkScope,
};

/// What the database of the sessions is called in its folder.
const DATABASE: &str = "holm.db";
/// The folder in which MCP servers have their home folders.
pub(crate) const SERVER_HOMES: &str = "server-homes";

/// The folder of the sessions: the flag, or what the environment of this process says.
pub(crate) fn data_here(flag: Option<&Path>) -> Result<PathBuf, CommandError> {
    data_folder(flag, |name| std::env::var(name).ok())
}

/// The folder of the sessions: the flag, `HOLM_DATA`, or the XDG place.
pub(crate) fn data_folder(
    flag: Option<&Path>,
    env: impl Fn(&str) -> Option<String>,
) -> Result<PathBuf, CommandError> {
    let env = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = flag {
        return Ok(folder.to_owned());
    }
    if let Some(folder) = env("HOLM_DATA") {
        return Ok(folder);
    }
    // The specification says that a relative path there is to be ignored.
    if let Some(folder) = env("XDG_DATA_HOME").filter(|folder| folder.is_absolute()) {
        return Ok(folder.join("holm"));
    }
    if let Some(home) = env("HOME") {
        return Ok(home.join(".local/share/holm"));
    }
    let hint = "name a folder with --data, or set HOLM_DATA";
    Err(CommandError::new(CommandExit::Usage, "no folder for sessions: HOME is not set").hint(hint))
}

/// The folders that tools and commands use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HolmPaths {
    /// The user's data folder.
    pub(crate) data: PathBuf,
    /// The folder where the command was started.
    pub(crate) work: PathBuf,
    /// Tool folders of the chosen agent.
    pub(crate) brought: Vec<PathBuf>,
    /// How far connections may go.
    pub(crate) bounds: NetworkScope,
    /// Whose word counts for the files of the project.
    pub(crate) project_trust: ProjectTrust,
    /// What agents may do in the folder without asking, if the session is the user's own.
    pub(crate) folder_access: FolderAccess,
}

/// What makes the settings and the guides of a project count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ProjectTrust {
    /// That a person has trusted each file as it is.
    #[default]
    Ledger,
    /// The flag `--trust-project`, for this run.
    Flag,
}

impl HolmPaths {
    /// The folder that relative paths of calls start from, as grants spell it; none where no grant can.
    pub(crate) fn workspace(&self) -> Option<FilePath> {
        workspace(&self.work)
    }

    /// These two, with nothing brought along and connections that may go anywhere.
    pub(crate) fn at(data: impl Into<PathBuf>, work: impl Into<PathBuf>) -> Self {
        let (data, work) = (data.into(), work.into());
        Self {
            data,
            work,
            brought: Vec::new(),
            bounds: NetworkScope::Anywhere,
            project_trust: ProjectTrust::Ledger,
            folder_access: FolderAccess::None,
        }
    }

    /// Finds the folders as [`Self::look`] does, and creates the data folder and the user's tool
    /// folder. If the disk is full or read-only, they stay missing: a command that writes then
    /// reports its own failure.
    pub(crate) fn find(flag: Option<&Path>) -> anyhow::Result<Self> {
        let data = data_here(flag)?;
        private_folder(&data).or_else(passed).map_err(|error| not_made(&data, &error))?;
        let places = Self::look(flag)?;
        private_folder(&places.tools()).or_else(passed)?;
        Ok(places)
    }

    /// Finds the folders from the flag, the environment and the current folder, for a command that
    /// only looks. Creates nothing, so the data folder may be missing.
    pub(crate) fn look(flag: Option<&Path>) -> anyhow::Result<Self> {
        let data = data_here(flag)?;
        let work = std::env::current_dir().map_err(|error| {
            let message = format!("cannot use the current folder: {error}");
            CommandError::new(CommandExit::Failed, message).hint("go to an existing folder")
        })?;
        Ok(Self::at(real(&data)?, work))
    }

    /// Which files of settings there are for the folder that is worked in.
    pub(crate) fn found(&self) -> ConfigFiles {
        ConfigFiles::from(&self.work, |name| std::env::var(name).ok())
    }

    /// The database of the sessions.
    pub(crate) fn database(&self) -> PathBuf {
        self.data.join(DATABASE)
    }

    /// Opens the database of the sessions.
    pub(crate) async fn store(&self) -> anyhow::Result<Store> {
        store(&self.data).await
    }

    /// Opens the sessions for a command that only reads them.
    pub(crate) async fn store_to_read(&self) -> anyhow::Result<Store> {
        store_to_read(&self.data).await
    }

    /// With connections that go no further than this.
    pub(crate) fn within(self, bounds: NetworkScope) -> Self {
        Self { bounds, ..self }
    }

    /// A command line that uses these folders again: it names the data folder if the environment
    /// alone would lead to another one.
    pub(crate) fn typed(&self, words: &str) -> String {
        let usual = data_here(None).ok().and_then(|folder| folder.canonicalize().ok());
        if usual.as_ref() == Some(&self.data) {
            return format!("holm {words}");
        }
        format!("holm --data {} {words}", quoted(&self.data.to_string_lossy()))
    }

    /// The user's own tools.
    pub(crate) fn tools(&self) -> PathBuf {
        self.data.join("tools")
    }

    /// The tools of the project.
    pub(crate) fn project_tools(&self) -> PathBuf {
        self.work.join(".holm/tools")
    }

    /// The user's own agents.
    pub(crate) fn agents(&self) -> PathBuf {
        self.data.join("agents")
    }

    /// The agents of the project.
    pub(crate) fn project_agents(&self) -> PathBuf {
        self.work.join(".holm/agents")
    }

    /// The user's own hooks.
    pub(crate) fn hooks(&self) -> PathBuf {
        self.data.join("hooks.json")
    }

    /// The hooks of the project.
    pub(crate) fn project_hooks(&self) -> PathBuf {
        self.work.join(".holm/hooks.json")
    }

    /// The worktrees of helpers in this project. Each project has its own folder, because cleaning
    /// up a worktree asks the project's repository.
    pub(crate) fn worktrees(&self) -> PathBuf {
        let project = ContentHash::of(self.work.as_os_str().as_encoded_bytes());
        self.data.join("worktrees").join(project.to_string())
    }

    /// Which files of projects a person has trusted.
    pub(crate) fn trust(&self) -> PathBuf {
        self.data.join("trust.json")
    }

    /// The keys of providers that a person keeps here.
    pub(crate) fn keys(&self) -> PathBuf {
        self.data.join("keys.json")
    }

    /// Which code of the user's own tools was confirmed.
    pub(crate) fn pins(&self) -> PathBuf {
        self.data.join("tools.pins")
    }

    /// What servers said when they were last looked at.
    pub(crate) fn server_lists(&self) -> PathBuf {
        self.data.join("mcp/lists")
    }

    /// OpenAPI documents that were fetched.
    pub(crate) fn api_documents(&self) -> PathBuf {
        self.data.join("api-documents")
    }

    /// The home folders of MCP servers.
    pub(crate) fn server_homes(&self) -> PathBuf {
        self.data.join(SERVER_HOMES)
    }

    pub(crate) fn logins(&self) -> PathBuf {
        self.data.join("mcp/logins")
    }

    pub(crate) fn code(&self) -> PathBuf {
        self.data.join("code")
    }
}

/// A word as a shell takes it for one.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ":/._-@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Makes the folder, for its owner alone, and gives the database's path in it.
pub(crate) fn database(folder: &Path) -> Result<PathBuf, CommandError> {
    private_folder(folder).map_err(|error| not_made(folder, &error))?;
    Ok(folder.join(DATABASE))
}

fn not_made(folder: &Path, error: &io::Error) -> CommandError {
    let message = format!("cannot create the folder {}: {error}", folder.shown());
    CommandError::new(CommandExit::Failed, message).hint("name another one with --data")
}

/// Lets an error pass that says that nothing can be written here.
fn passed(error: io::Error) -> io::Result<()> {
    if is_unwritable(&error) { Ok(()) } else { Err(error) }
}

/// A path without links. The part of it that does not exist stays as it is.
fn real(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_unwritable(&error) => {
            let whole = std::path::absolute(path)?;
            match whole.parent().zip(whole.file_name()) {
                Some((above, name)) => Ok(real(above)?.join(name)),
                None => Ok(whole),
            }
        }
        found => found,
    }
}

/// Opens the database of the sessions of a folder, which is made if it is not there.
pub(crate) async fn store(folder: &Path) -> anyhow::Result<Store> {
    let path = database(folder)?;
    Store::open(&path).await.map_err(|error| unopened(&path, error))
}

/// Opens the sessions of a folder for a command that only reads them. If the disk is full or the
/// folder is read-only, that is a copy in memory, because a database cannot be opened there. If there
/// is no database yet, none is made.
pub(crate) async fn store_to_read(folder: &Path) -> anyhow::Result<Store> {
    let path = folder.join(DATABASE);
    if path.exists() && matches!(FolderState::of(folder), FolderState::Writable { .. }) {
        match Store::open(&path).await {
            Err(StoreError::Full | StoreError::ReadOnly { .. }) => {}
            opened => return Ok(opened?),
        }
    }
    Store::memory_copy(&path).await.map_err(|error| unopened(&path, error))
}

/// Adds what to do to an error of the database.
fn unopened(path: &Path, error: StoreError) -> anyhow::Error {
    let message = match &error {
        StoreError::Full => format!("cannot open {}: there is no room for it", path.shown()),
        StoreError::ReadOnly { reason, .. } => format!("cannot open {}: {reason}", path.shown()),
        _ => return error.into(),
    };
    let folder = path.parent().unwrap_or(path);
    let hint = FolderState::of(folder).problem(folder);
    let hint = hint.unwrap_or_else(|| "check who may read and write it; `holm doctor` says more".into());
    CommandError::new(CommandExit::Failed, message).hint(hint).into()
}

/// Where undo records lie, beside the sessions whose calls they belong to.
pub(crate) fn undo_folder(folder: &Path) -> PathBuf {
    folder.join("undo")
}

/// Where what commands change is kept; none if there is no data folder, or for a
/// worktree of a helper, which is removed as a whole. If the records cannot be opened,
/// commands run without an undo.
pub(crate) fn command_undo(places: &HolmPaths) -> Option<UndoStore> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if !places.data.is_dir() || real(&places.work).starts_with(real(&places.data)) {
        return None;
    }
    UndoStore::open(undo_folder(&places.data)).ok()
}

/// Creates a folder that no other user may read, because sessions contain conversations.
pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Replaces a file atomically. Its folder, and so the file, is private to its owner. Callers at the
/// same time write to different new files, so the last one wins as a whole.
pub(crate) fn keep(file: &Path, text: &str) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    file.parent().map_or(Ok(()), private_folder)?;
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    // Short, because the name of the file may be as long as the system allows.
    let new = file.with_file_name(format!(".{}-{number}.new", std::process::id()));
    // A process with the same number may have left one behind.
    forget(&new)?;
    let kept = private_file(&new)
        .and_then(|mut written| written.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&new, file));
    if kept.is_err() {
        let _ = forget(&new);
    }
    kept
}

/// Takes a file away that may be gone already.
pub(crate) fn forget(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes a file that was not there, for its owner alone: what is written there was said in a session.
pub(crate) fn private_file(path: &Path) -> io::Result<fs::File> {
    new_file(path, 0o600)
}

/// Makes a file that was not there, which others read and its owner alone writes.
pub(crate) fn readable_file(path: &Path) -> io::Result<fs::File> {
    new_file(path, 0o644)
}

/// Why no new file could be made, in words for a person.
pub(crate) fn why_unmade(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists => "it already exists".to_owned(),
        _ => error.to_string(),
    }
}

fn new_file(path: &Path, mode: u32) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    options.open(path)
}

/// The user's home folder, without links: also if `HOME` is not set,
/// because its files are protected then too.
pub(crate) fn home() -> Option<PathBuf> {
    home_of(|name| std::env::var(name).ok())
}

/// The same with this environment.
pub(crate) fn home_of(env: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let set = env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    set.or_else(std::env::home_dir)?.canonicalize().ok()
}

/// A folder as grants spell it: links in it count, as for the tools that work there.
pub(crate) fn workspace(folder: &Path) -> Option<FilePath> {
    folder.canonicalize().ok()?.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests;
