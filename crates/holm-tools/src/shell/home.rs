//! The folders that commands have: a home with caches and settings of theirs, one for temporary
//! files, and one with their long outputs, which they only read.
//!
//! They go with the shell, unless it belongs to a session: then they are kept for the next process
//! that resumes it. What is kept is bounded in size and in age. A shell that is killed cannot clear
//! up, so the next one does it: a process that uses the folders holds a lock beside them, and
//! folders without a held lock are left over or kept.
//!
//! What is written into them is decided elsewhere: `temporary_files.rs` bounds the temporary files,
//! and `output.rs` keeps the outputs. The folder of all shells has a predictable name, so it is
//! used only if it belongs to this user alone.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tempfile::Builder;

use super::kept_home::{KeptHome, MAX_KEPT_AGE, MAX_KEPT_BYTES, MAX_KEPT_HOMES, SessionFolderKey};

/// The home folder of one shell.
#[derive(Debug)]
pub(super) struct ShellHome {
    folder: PathBuf,
    /// Locked as long as the folder is in use.
    _lock: File,
    /// What an earlier process of the session left here.
    pub(super) found: FoundFolders,
}

/// What a shell finds in its folders when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundFolders {
    /// Nothing: they are new.
    Nothing,
    /// Everything that an earlier process of the session left.
    Everything,
    /// All but the temporary files, which were too large to keep.
    NoTemporaryFiles,
}

/// What becomes of a folder when its shell ends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum HomeFate {
    Removed,
    Kept(SessionFolderKey),
}

/// The folders in use by this process.
static IN_USE: Mutex<BTreeMap<PathBuf, HomeFate>> = Mutex::new(BTreeMap::new());

/// Removes the folders of all shells of this process, or closes those of sessions. For a program that ends
/// while tasks still hold a shell: what they hold is never dropped. Commands cannot be run afterwards.
pub fn remove_shell_homes() {
    let homes = std::mem::take(&mut *IN_USE.lock().unwrap_or_else(PoisonError::into_inner));
    for (folder, fate) in homes {
        close(&folder, &fate);
    }
}

/// Removes the kept folders of a session that is erased. Folders in use go with their shell.
pub fn forget_session_folders(key: &SessionFolderKey) {
    let mut homes = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    for fate in homes.values_mut().filter(|fate| **fate == HomeFate::Kept(key.clone())) {
        *fate = HomeFate::Removed;
    }
    drop(homes);
    let Ok(all) = folder_of_all(&std::env::temp_dir()) else { return };
    if let Some(kept) = KeptHome::find(&all, key) {
        let lock = all.join(format!("{}{LOCK}", kept.name));
        if File::open(&lock).is_ok_and(|file| file.try_lock().is_ok()) {
            remove(&all.join(&kept.name));
        }
        kept.forget(&all);
    }
}

/// How a lock's name ends; before that it is the folder's.
const LOCK: &str = ".lock";

impl ShellHome {
    /// Opens the folders that were kept for a session, or makes new ones in the system's temporary
    /// folder. Removes those that killed shells left there.
    pub(super) fn make(session: Option<&SessionFolderKey>) -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir(), session)
    }

    fn make_in(temporary: &Path, session: Option<&SessionFolderKey>) -> io::Result<Self> {
        let all = folder_of_all(temporary)?;
        // One at a time: a lock that was made and is not held yet would look like one that was left.
        let turn = File::options().create(true).append(true).open(all.join("turn"))?;
        turn.lock()?;
        sweep(&all);
        if let Some(own) = session.and_then(|session| Self::reopen(&all, session)) {
            return Ok(own);
        }
        let lock = Builder::new().prefix("shell-").suffix(LOCK).tempfile_in(&all)?;
        lock.as_file().lock()?;
        let folder = folder_of(lock.path());
        private(&folder)?;
        let (lock, _) = lock.keep().map_err(|error| error.error)?;
        let own = Self { folder, _lock: lock, found: FoundFolders::Nothing };
        own.set_fate(HomeFate::Removed);
        own.make_parts()?;
        Ok(own)
    }

    /// The folders that were kept for a session; none if they are gone or another process has them.
    fn reopen(all: &Path, session: &SessionFolderKey) -> Option<Self> {
        let kept = KeptHome::find(all, session)?;
        let folder = all.join(&kept.name);
        let lock = File::open(folder.with_added_extension(LOCK.trim_start_matches('.'))).ok()?;
        lock.try_lock().ok()?;
        let found =
            if kept.has_temporary { FoundFolders::Everything } else { FoundFolders::NoTemporaryFiles };
        let own = Self { folder, _lock: lock, found };
        own.set_fate(HomeFate::Kept(session.clone()));
        own.make_parts().ok()?;
        Some(own)
    }

    /// Makes the folders that are missing.
    fn make_parts(&self) -> io::Result<()> {
        for part in [self.home(), self.temporary(), self.outputs()] {
            match private(&part) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if !fs::symlink_metadata(&part)?.is_dir() {
                        return Err(error);
                    }
                }
                made => made?,
            }
        }
        // So that `$HOME/out` leads there in commands too. Holm itself does not use the link, which
        // a command may replace.
        match symlink("../out", self.home().join("out")) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Keeps the folders for the next process that resumes this session.
    pub(super) fn keep_for(&self, session: &SessionFolderKey) {
        self.set_fate(HomeFate::Kept(session.clone()));
        // At once, so that a killed process loses nothing.
        if let Some(all) = self.folder.parent() {
            KeptHome::of(&self.folder, true, 0).write(all, session);
        }
    }

    fn set_fate(&self, fate: HomeFate) {
        IN_USE.lock().unwrap_or_else(PoisonError::into_inner).insert(self.folder.clone(), fate);
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
        let fate = IN_USE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.folder);
        if let Some(fate) = fate {
            close(&self.folder, &fate);
        }
    }
}

/// Ends the use of a folder: it is removed, or made small enough to be kept.
fn close(folder: &Path, fate: &HomeFate) {
    let (HomeFate::Kept(session), Some(all)) = (fate, folder.parent()) else {
        remove(folder);
        return;
    };
    let mut has_temporary = true;
    let mut size = size_of(folder);
    if size.is_none_or(|bytes| bytes > MAX_KEPT_BYTES) {
        has_temporary = false;
        let _ = fs::remove_dir_all(folder.join("tmp"));
        size = size_of(folder);
    }
    match size {
        Some(bytes) if bytes > 0 && bytes <= MAX_KEPT_BYTES => {
            KeptHome::of(folder, has_temporary, bytes).write(all, session);
            let lock = File::options().append(true).open(lock_of(folder));
            // The age counts from here.
            let _ = lock.and_then(|lock| lock.set_modified(SystemTime::now()));
        }
        Some(_) | None => {
            remove(folder);
            KeptHome::of(folder, false, 0).forget_key(all, session);
        }
    }
}

/// Removes a folder and its lock. One that cannot be removed now is left to the next shell.
fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
        let _ = fs::remove_file(lock_of(folder));
    }
}

/// The bytes of all files in a folder; none if there are too many files to count.
fn size_of(folder: &Path) -> Option<u64> {
    let (mut bytes, mut entries) = (0_u64, 0_u64);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(data) = entry.metadata() else { continue };
            entries += 1;
            if entries > MAX_ENTRIES {
                return None;
            }
            if data.is_dir() {
                folders.push(entry.path());
            } else if data.is_file() {
                // An empty file is worth keeping too.
                bytes = bytes.saturating_add(data.len().max(1));
            }
        }
    }
    Some(bytes)
}

/// Files and folders in a folder that is kept.
const MAX_ENTRIES: u64 = 20_000;

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

fn lock_of(folder: &Path) -> PathBuf {
    folder.with_added_extension(LOCK.trim_start_matches('.'))
}

/// Removes every folder whose lock is not held, except those that are kept for a session: of
/// these the newest stay, within the bounds. Folders that cannot be read or removed are left
/// for the next sweep.
fn sweep(all: &Path) {
    let mut kept = KeptHome::all(all);
    let entries = fs::read_dir(all).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut closed: Vec<(SystemTime, PathBuf)> = Vec::new();
    for lock in entries.filter(|path| path.to_string_lossy().ends_with(LOCK)) {
        let is_free = File::open(&lock).is_ok_and(|file| file.try_lock().is_ok());
        if is_free {
            let modified = fs::metadata(&lock).and_then(|data| data.modified());
            closed.push((modified.unwrap_or(SystemTime::UNIX_EPOCH), folder_of(&lock)));
        }
    }
    closed.sort_by(|one, other| other.cmp(one));
    let (mut homes, mut bytes) = (0_usize, 0_u64);
    for (modified, folder) in closed {
        let own =
            kept.iter().position(|(_, kept)| folder.file_name().is_some_and(|name| *name == *kept.name));
        let own = own.map(|at| kept.swap_remove(at));
        let is_young = modified.elapsed().map_or(true, |age| age < MAX_KEPT_AGE);
        if let Some((_, home)) = &own
            && is_young
            && homes < MAX_KEPT_HOMES
            && bytes.saturating_add(home.bytes) <= MAX_KEPT_BYTES
        {
            homes += 1;
            bytes = bytes.saturating_add(home.bytes);
            continue;
        }
        remove(&folder);
        if let Some((note, _)) = own {
            let _ = fs::remove_file(note);
        }
    }
    for (note, home) in kept {
        if !all.join(&home.name).exists() {
            let _ = fs::remove_file(note);
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
        let first = ShellHome::make_in(temporary.path(), None).unwrap();
        let all = first.folder.parent().unwrap().to_owned();
        fs::write(first.home().join("cache"), "x").unwrap();
        // As a killed shell leaves it: a lock without a holder, and a folder with something in it.
        fs::write(all.join("shell-dead.lock"), "").unwrap();
        fs::create_dir_all(all.join("shell-dead/deep")).unwrap();
        let second = ShellHome::make_in(temporary.path(), None).unwrap();
        assert!(first.home().join("cache").exists(), "who is alive keeps what is theirs");
        assert!(!all.join("shell-dead").exists() && !all.join("shell-dead.lock").exists());
        assert_eq!(names(&all).len(), 5, "{:?}", names(&all));
        drop((first, second));
        assert_eq!(names(&all), ["turn"]);
    }

    #[test]
    fn folders_of_a_session_are_there_when_it_is_resumed() {
        let temporary = tempfile::tempdir().unwrap();
        let session = SessionFolderKey::of(Path::new("/data"), "s1");
        let first = ShellHome::make_in(temporary.path(), Some(&session)).unwrap();
        assert_eq!(first.found, FoundFolders::Nothing);
        first.keep_for(&session);
        fs::write(first.outputs().join("1.txt"), "long").unwrap();
        fs::write(first.temporary().join("keep"), "x").unwrap();
        let other = ShellHome::make_in(temporary.path(), Some(&session)).unwrap();
        assert_ne!(other.folder, first.folder, "two processes do not share them");
        let place = first.folder.clone();
        drop((first, other));
        let again = ShellHome::make_in(temporary.path(), Some(&session)).unwrap();
        assert_eq!((again.folder.clone(), again.found), (place.clone(), FoundFolders::Everything));
        assert!(again.outputs().join("1.txt").exists() && again.temporary().join("keep").exists());
        let stranger = SessionFolderKey::of(Path::new("/data"), "s2");
        let other = ShellHome::make_in(temporary.path(), Some(&stranger)).unwrap();
        assert!(!other.outputs().join("1.txt").exists());
        drop((again, other));
        // After the age limit the next shell removes them.
        let old = SystemTime::now() - MAX_KEPT_AGE - std::time::Duration::from_secs(60);
        File::options().append(true).open(lock_of(&place)).unwrap().set_modified(old).unwrap();
        let last = ShellHome::make_in(temporary.path(), Some(&session)).unwrap();
        assert_eq!(last.found, FoundFolders::Nothing);
        let all = place.parent().unwrap().to_owned();
        assert!(!place.exists() && !lock_of(&place).exists());
        drop(last);
        assert_eq!(names(&all), ["turn"]);
    }

    #[test]
    fn a_session_without_files_keeps_no_folder() {
        let temporary = tempfile::tempdir().unwrap();
        let session = SessionFolderKey::of(Path::new("/data"), "s1");
        let home = ShellHome::make_in(temporary.path(), None).unwrap();
        home.keep_for(&session);
        let all = home.folder.parent().unwrap().to_owned();
        drop(home);
        assert_eq!(names(&all), ["turn"]);
    }

    #[test]
    fn too_many_temporary_files_are_not_kept_and_this_is_known() {
        let temporary = tempfile::tempdir().unwrap();
        let session = SessionFolderKey::of(Path::new("/data"), "s1");
        let home = ShellHome::make_in(temporary.path(), None).unwrap();
        home.keep_for(&session);
        fs::write(home.outputs().join("1.txt"), "long").unwrap();
        // A file with a hole takes no room on the disk.
        File::create(home.temporary().join("large")).unwrap().set_len(MAX_KEPT_BYTES + 1).unwrap();
        drop(home);
        let again = ShellHome::make_in(temporary.path(), Some(&session)).unwrap();
        assert_eq!(again.found, FoundFolders::NoTemporaryFiles);
        assert!(again.outputs().join("1.txt").exists() && !again.temporary().join("large").exists());
    }

    #[test]
    fn a_folder_that_somebody_else_could_use_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let temporary = tempfile::tempdir().unwrap();
        let known = folder_of_all(temporary.path()).unwrap();
        assert_eq!(folder_of_all(temporary.path()).unwrap(), known);
        fs::set_permissions(&known, fs::Permissions::from_mode(0o777)).unwrap();
        let home = ShellHome::make_in(temporary.path(), None).unwrap();
        assert!(!home.folder.starts_with(&known));
        assert_eq!(fs::metadata(&home.folder).unwrap().mode() & 0o777, 0o700);
    }
}
