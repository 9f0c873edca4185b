//! Backs up and restores the whole data folder while other processes use it. The commands are in
//! `commands/backup.rs` and `commands/restore.rs`; this file does not print and does not delete old
//! backups. Consistent copies of a database are made by `holm-store`.
//!
//! Rules: the manifest is written last, so a backup without it is not valid. A restore verifies
//! every file first and never overwrites a data folder that has content. Files are opened part by
//! part without following links, because a process in a workspace may replace a file at any time.
//! An unreadable file in a workspace is left out and named; anywhere else it is an error.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::{Component, Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use holm::store::{Store, StoreError};
use holm_tools::trust::ContentHash;
use rustix::fs::{Mode, OFlags, openat};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths,
};

/// The list, which makes a folder a copy.
const LIST: &str = "backup.json";
/// The form of the list.
const VERSION: u32 = 1;
/// Where the server keeps copies, below the data folder.
pub(crate) const COPIES: &str = "backups";
/// What is made again when it is gone, and where copies are: left out, at the top alone.
const LEFT_OUT: [&str; 3] = ["code", "worktrees", COPIES];
/// Files that belong to a database and are copied with it, the sockets of sessions in terminals,
/// which are open no longer than the sessions, and what MCP servers downloaded.
const BESIDE: [&str; 6] =
    ["holm.db-wal", "holm.db-shm", "holm.db.locks", "holm.db.blobs", "live", holm_paths::SERVER_HOMES];
const DATABASE: &str = "holm.db";
/// What lines are appended to: one that is half written is not copied.
const LINES: &str = "server/audit.jsonl";
/// Folders within folders that are copied.
const DEEPEST: usize = 128;
/// The longest path in a workspace that is copied, in bytes: together with the path of the backup,
/// the system must still accept it.
const LONGEST: usize = 3_000;
/// Maximum number of left-out files that are named, so that a user cannot make the list endless.
const MOST_NAMED: usize = 1_000;

/// The manifest of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackupManifest {
    version: u32,
    /// When the backup was made, in milliseconds since 1970.
    pub(crate) at: u64,
    files: Vec<BackupFile>,
    /// Files in workspaces that could not be read, up to a maximum number.
    #[serde(default)]
    left_out: Vec<String>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BackupFile {
    /// Its path in the folder, with slashes.
    path: String,
    bytes: u64,
    sha256: ContentHash,
}

/// The files to back up.
#[derive(Debug, Default)]
struct BackupContents {
    files: Vec<PathBuf>,
    databases: Vec<PathBuf>,
    left_out: Vec<String>,
}

impl BackupManifest {
    /// Copies a data folder to a new folder. Files that a user made unreadable in their workspace
    /// are left out and named, so they do not prevent the backup of other users.
    pub(crate) async fn make(data: &Path, to: &Path) -> anyhow::Result<Self> {
        let data = data.canonicalize()?;
        new_folder(to)?;
        let to = to.canonicalize()?;
        if to.starts_with(&data) && !to.starts_with(data.join(COPIES)) {
            fs::remove_dir(&to)?;
            let message = format!("{} is inside the data folder that is being copied", to.shown());
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("name a folder outside it")
                .into());
        }
        let made = Self::fill(&data, &to).await;
        if made.is_err() {
            // Half a copy is of no use, and would keep its name from the next.
            let _ = fs::remove_dir_all(&to);
        }
        made
    }

    async fn fill(data: &Path, to: &Path) -> anyhow::Result<Self> {
        let mut found = BackupContents::default();
        gather(data, Path::new(""), 0, &mut found)?;
        for path in &found.databases {
            let copy = to.join(path);
            holm_paths::private_folder(copy.parent().unwrap_or(to))?;
            // A disk that is full can still be saved to another one.
            let store = match Store::open(data.join(path)).await {
                Err(StoreError::Full | StoreError::ReadOnly { .. }) => {
                    Store::memory_copy(data.join(path)).await?
                }
                opened => opened?,
            };
            store.copy_to(copy).await?;
        }
        let (from, folder) = (data.to_owned(), to.to_owned());
        let archive = tokio::task::spawn_blocking(move || found.copied(&from, &folder)).await??;
        let mut list = holm_paths::private_file(&to.join(LIST))?;
        list.write_all(&serde_json::to_vec(&archive)?)?;
        list.sync_all()?;
        Ok(archive)
    }

    /// Reads the list of a copy.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let text = fs::read(folder.join(LIST)).map_err(|_| {
            let message = format!("{} is not a complete backup: it has no {LIST}", folder.shown());
            CommandError::new(CommandExit::Missing, message).hint("name a folder that `holm backup` created")
        })?;
        let archive: Self = serde_json::from_slice(&text).map_err(|error| {
            CommandError::new(CommandExit::Usage, format!("{}: {error}", folder.join(LIST).shown()))
        })?;
        if archive.version != VERSION {
            let message =
                format!("the backup has format {}; this version of Holm supports {VERSION}", archive.version);
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("use the Holm version that made it, or a newer one")
                .into());
        }
        Ok(archive)
    }

    /// Restores a backup into a data folder that is missing or empty. Every file is verified first
    /// and copied whole; the folder appears completely or not at all.
    pub(crate) fn restore(&self, folder: &Path, data: &Path) -> anyhow::Result<()> {
        if fs::read_dir(data).is_ok_and(|mut entries| entries.next().is_some()) {
            let message = format!("{} is not empty", data.shown());
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("Holm does not overwrite it; move it away, or name another folder with --data")
                .into());
        }
        let held = fs::File::open(folder)?;
        for file in &self.files {
            file.check(&held)?;
        }
        let mut part = data.as_os_str().to_owned();
        part.push(".restoring");
        let part = PathBuf::from(part);
        new_folder(&part)?;
        for file in &self.files {
            copy(open(&held, Path::new(&file.path))?, &part.join(&file.path))?;
        }
        // An empty folder may be there; renaming takes its place.
        fs::rename(&part, data)?;
        Ok(())
    }

    /// How many files it has.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// What of workspaces could not be read.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// What lies in a folder.
    fn list(folder: &Path, left_out: Vec<String>) -> anyhow::Result<Self> {
        let mut all = Vec::new();
        whole(folder, Path::new(""), &mut all)?;
        all.sort();
        let mut files = Vec::with_capacity(all.len());
        for path in all {
            let (bytes, sha256) = hash(fs::File::open(folder.join(&path))?)?;
            let text = path
                .to_str()
                .ok_or_else(|| anyhow::anyhow!("the name of {} is not valid UTF-8", path.shown()))?;
            files.push(BackupFile { path: text.to_owned(), bytes, sha256 });
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Ok(Self { version: VERSION, at, files, left_out })
    }
}

impl BackupFile {
    /// Whether the file is there as it was copied, and lies in the folder.
    fn check(&self, folder: &fs::File) -> anyhow::Result<()> {
        let path = Path::new(&self.path);
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
        let broken = |why: &str| {
            let message = format!("the backup is not usable: {} {why}", self.path);
            CommandError::new(CommandExit::Usage, message).hint("use another backup")
        };
        if !is_below || self.path.is_empty() {
            return Err(broken("leads elsewhere").into());
        }
        let (bytes, sha256) = open(folder, path).and_then(hash).map_err(|_| broken("is missing"))?;
        if (bytes, sha256) != (self.bytes, self.sha256) {
            return Err(broken("changed since it was copied").into());
        }
        Ok(())
    }
}

impl BackupContents {
    /// Notes what is not copied.
    fn leave(&mut self, path: &Path) {
        if self.left_out.len() < MOST_NAMED {
            self.left_out.push(path.shown());
        }
    }

    /// Copies all files, and lists what is there then.
    fn copied(mut self, data: &Path, to: &Path) -> anyhow::Result<BackupManifest> {
        let from = fs::File::open(data)?;
        for path in std::mem::take(&mut self.files) {
            match open(&from, &path) {
                Ok(source) if path == Path::new(LINES) => copy_lines(source, &to.join(&path))?,
                Ok(source) => copy(source, &to.join(&path))?,
                // One that is gone meanwhile is gone.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) if is_work(&path) => self.leave(&path),
                Err(error) => return Err(anyhow::Error::new(error).context(path.shown())),
            }
        }
        BackupManifest::list(to, self.left_out)
    }
}

/// Finds what is to be copied. Links are left out: they lead elsewhere.
fn gather(data: &Path, below: &Path, depth: usize, found: &mut BackupContents) -> io::Result<()> {
    let entries = match fs::read_dir(data.join(below)) {
        Ok(entries) => entries,
        Err(_) if is_work(below) => {
            found.leave(below);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let path = below.join(&name);
        let text = name.to_string_lossy();
        let is_home = is_home(below);
        if (depth == 0 && LEFT_OUT.contains(&&*text)) || (is_home && BESIDE.contains(&&*text)) {
            continue;
        }
        let is_odd = depth >= DEEPEST || path.as_os_str().len() > LONGEST || path.to_str().is_none();
        if is_odd && is_work(&path) {
            found.leave(&path);
        } else if kind.is_dir() && depth < DEEPEST {
            gather(data, &path, depth + 1, found)?;
        } else if kind.is_file() && is_home && text == DATABASE {
            found.databases.push(path);
        } else if kind.is_file() {
            found.files.push(path);
        }
    }
    Ok(())
}

/// Whether a path is in the workspace of a user, who may put anything there.
fn is_work(path: &Path) -> bool {
    let mut parts = path.iter();
    parts.next().is_some_and(|part| part == "users") && parts.nth(1).is_some_and(|part| part == "workspace")
}

/// Opens a file below a folder. It follows no link and waits for no pipe, because a process in a
/// workspace may create one between two looks.
fn open(folder: &fs::File, path: &Path) -> io::Result<fs::File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here = folder.try_clone()?;
    for part in path.parent().into_iter().flatten() {
        here = fs::File::from(openat(&here, part, flags | OFlags::DIRECTORY, Mode::empty())?);
    }
    let name = path.file_name().unwrap_or_default();
    let file = fs::File::from(openat(&here, name, flags | OFlags::NONBLOCK, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Whether the database of a user is here. A workspace contains files of the user, so
/// their names mean nothing.
fn is_home(below: &Path) -> bool {
    let mut parts = below.iter();
    let begins = parts.next();
    let is_user = begins.is_some_and(|part| part == "users") && parts.next().is_some();
    begins.is_none() || (is_user && parts.next().is_some_and(|part| part == "data") && parts.next().is_none())
}

/// All files of a folder that no other process writes.
fn whole(folder: &Path, below: &Path, all: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() { whole(folder, &path, all)? } else { all.push(path) }
    }
    Ok(())
}

/// Copies a file, for its owner alone, with who may run it.
fn copy(mut source: fs::File, to: &Path) -> anyhow::Result<()> {
    let mut file = place(to)?;
    io::copy(&mut source, &mut file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let runs = source.metadata()?.permissions().mode() & 0o100;
        file.set_permissions(fs::Permissions::from_mode(0o600 | runs))?;
    }
    file.sync_all()?;
    Ok(())
}

/// Copies the whole lines of a file.
fn copy_lines(mut source: fs::File, to: &Path) -> anyhow::Result<()> {
    let (mut file, mut lines) = (place(to)?, Vec::new());
    source.read_to_end(&mut lines)?;
    let end = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    file.write_all(lines.get(..end).unwrap_or_default())?;
    file.sync_all()?;
    Ok(())
}

/// A new file, in folders that are made for it.
fn place(to: &Path) -> io::Result<fs::File> {
    if let Some(folder) = to.parent() {
        holm_paths::private_folder(folder)?;
    }
    holm_paths::private_file(to)
}

fn hash(mut file: fs::File) -> io::Result<(u64, ContentHash)> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0_u64);
    let mut piece = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok((bytes, ContentHash::from_bytes(hasher.finalize().into())));
        }
        hasher.update(piece.get(..read).unwrap_or_default());
        bytes = bytes.saturating_add(read as u64);
    }
}

/// Makes a folder that was not there, for its owner alone.
fn new_folder(path: &Path) -> anyhow::Result<()> {
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        holm_paths::private_folder(above)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| {
        let message = match error.kind() {
            io::ErrorKind::AlreadyExists => format!("{} already exists", path.shown()),
            _ => format!("cannot create the folder {}: {error}", path.shown()),
        };
        CommandError::new(CommandExit::Usage, message).hint("name a folder that does not exist yet").into()
    })
}

#[cfg(test)]
mod tests;
