//! The folders that commands have as long as the shell lasts: a home with caches and settings of
//! theirs, one for temporary files, and one with their long outputs, which they only read. A shell
//! that is killed cannot clear up, so the next one does it: a process that uses the folders holds a
//! lock beside them, and folders without a held lock are left over.
//!
//! What is written into them is decided elsewhere: `temporary_files.rs` bounds the temporary files,
//! and `output.rs` keeps the outputs. The folder of all shells has a predictable name, so it is
//! used only if it belongs to this user alone.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile};

/// The home folder of one shell.
#[derive(Debug)]
pub(super) struct ShellHome {
    folder: PathBuf,
    /// Locked as long as the folder is in use.
    _lock: NamedTempFile,
}

/// The folders in use by this process.
static IN_USE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the folders of all shells of this process. For a program that ends while tasks still hold a shell:
/// what they hold is never dropped. Commands cannot be run afterwards.
pub fn remove_shell_homes() {
    let homes = std::mem::take(&mut *IN_USE.lock().unwrap_or_else(PoisonError::into_inner));
    for folder in homes {
        // A folder that cannot be removed now is left to the next shell.
        if fs::remove_dir_all(&folder).is_ok() {
            let _ = fs::remove_file(folder.with_added_extension(LOCK.trim_start_matches('.')));
        }
    }
}

/// How a lock's name ends; before that it is the folder's.
const LOCK: &str = ".lock";

impl ShellHome {
    /// Makes a folder in the system's temporary folder, and removes those that
    /// killed shells left there.
    pub(super) fn make() -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    fn make_in(temporary: &Path) -> io::Result<Self> {
        let all = folder_of_all(temporary)?;
        // One at a time: a lock that was made and is not held yet would look like one that was left.
        let turn = File::options().create(true).append(true).open(all.join("turn"))?;
        turn.lock()?;
        sweep(&all);
        let lock = Builder::new().prefix("shell-").suffix(LOCK).tempfile_in(&all)?;
        lock.as_file().lock()?;
        let folder = folder_of(lock.path());
        private(&folder)?;
        IN_USE.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.clone());
        let own = Self { folder, _lock: lock };
        for part in [own.home(), own.temporary(), own.outputs()] {
            private(&part)?;
        }
        // So that `$HOME/out` leads there in commands too. Holm itself does not use the link, which
        // a command may replace.
        symlink("../out", own.home().join("out"))?;
        Ok(own)
    }

    /// What commands take for the user's home.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Where commands put temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Where the long outputs of commands are.
    pub(super) fn outputs(&self) -> PathBuf {
        self.folder.join("out")
    }
}

impl Drop for ShellHome {
    fn drop(&mut self) {
        // A folder that cannot be removed now is left to the next shell.
        let _ = fs::remove_dir_all(&self.folder);
        IN_USE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.folder);
    }
}

/// The parent folder for all shells of this user. Its name is predictable, so it must belong to
/// this user alone. If it does not, each shell gets a folder with an unpredictable name.
fn folder_of_all(temporary: &Path) -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let all = temporary.join(format!("holm-shells-{user}"));
    match private(&all) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let found = fs::symlink_metadata(&all)?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(all);
    }
    Builder::new().prefix("holm-shells-").tempdir_in(temporary).map(tempfile::TempDir::keep)
}

fn private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)
}

fn folder_of(lock: &Path) -> PathBuf {
    lock.with_extension("")
}

/// Removes every folder whose lock is not held. Folders that cannot be read or removed are left
/// for the next sweep.
fn sweep(all: &Path) {
    let entries = fs::read_dir(all).into_iter().flatten().flatten().map(|entry| entry.path());
    for lock in entries.filter(|path| path.to_string_lossy().ends_with(LOCK)) {
        let left_over = File::open(&lock).is_ok_and(|file| file.try_lock().is_ok());
        let folder = folder_of(&lock);
        if left_over && (fs::remove_dir_all(&folder).is_ok() || !folder.exists()) {
            let _ = fs::remove_file(&lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &Path) -> Vec<String> {
        let entries = fs::read_dir(all).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_home_goes_with_its_shell_and_a_killed_ones_with_the_next() {
        let temporary = tempfile::tempdir().unwrap();
        let first = ShellHome::make_in(temporary.path()).unwrap();
        let all = first.folder.parent().unwrap().to_owned();
        fs::write(first.home().join("cache"), "x").unwrap();
        // As a killed shell leaves it: a lock without a holder, and a folder with something in it.
        fs::write(all.join("shell-dead.lock"), "").unwrap();
        fs::create_dir_all(all.join("shell-dead/deep")).unwrap();
        let second = ShellHome::make_in(temporary.path()).unwrap();
        assert!(first.home().join("cache").exists(), "who is alive keeps what is theirs");
        assert!(!all.join("shell-dead").exists() && !all.join("shell-dead.lock").exists());
        assert_eq!(names(&all).len(), 5, "{:?}", names(&all));
        drop((first, second));
        assert_eq!(names(&all), ["turn"]);
    }

    #[test]
    fn a_folder_that_somebody_else_could_use_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let temporary = tempfile::tempdir().unwrap();
        let known = folder_of_all(temporary.path()).unwrap();
        assert_eq!(folder_of_all(temporary.path()).unwrap(), known);
        fs::set_permissions(&known, fs::Permissions::from_mode(0o777)).unwrap();
        let home = ShellHome::make_in(temporary.path()).unwrap();
        assert!(!home.folder.starts_with(&known));
        assert_eq!(fs::metadata(&home.folder).unwrap().mode() & 0o777, 0o700);
    }
}
