//! The temporary files of commands: one folder for all commands of a shell, which is their `/tmp`
//! and their `$TMPDIR`. The folder is made and removed in `home.rs`; this file gives it to a jail
//! and bounds its size. Folders of `/tmp` that lead into the jail are mount points of every
//! command, so that no command can put a link in their place.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use holm_jail::Jail;

/// What commands may leave in the folder. Enough for a build, too little to fill a disk
/// over a long session.
const MAX_BYTES: u64 = 1 << 30;
const MAX_ENTRIES: u64 = 100_000;

/// Where commands find the system's temporary folder.
const TEMPORARY: &str = "/tmp";

/// A folder for temporary files that lasts as long as its shell.
#[derive(Debug)]
pub(super) struct TemporaryFiles {
    folder: PathBuf,
    /// Folders of `/tmp` that lead to folders of the jail. They are mount points of every command,
    /// so that no command can put a link in their place.
    ways: Vec<PathBuf>,
    max_bytes: u64,
}

impl TemporaryFiles {
    /// Uses this folder, for commands that see these other folders.
    pub(super) fn new(folder: PathBuf, seen: &[&Path]) -> io::Result<Self> {
        let mut ways: Vec<PathBuf> = seen.iter().filter_map(|path| way_to(path)).collect();
        ways.sort();
        ways.dedup();
        for place in ways.iter().filter_map(|way| way.file_name()).map(|name| folder.join(name)) {
            // A folder that was kept may hold a link where a mount point belongs.
            if fs::symlink_metadata(&place).is_ok_and(|found| !found.is_dir()) {
                fs::remove_file(&place)?;
            }
            fs::create_dir_all(&place)?;
        }
        Ok(Self { folder, ways, max_bytes: MAX_BYTES })
    }

    /// Gives the folder to a command, under both names.
    pub(super) fn give_to(&self, jail: Jail) -> Jail {
        let jail = jail.write(&self.folder).env("TMPDIR", &self.folder);
        jail.temporary(&self.folder, self.ways.iter().cloned())
    }

    /// Empties the folder if commands have left too much in it, and says so.
    pub(super) fn bound(&self) -> Option<String> {
        if self.fits() {
            return None;
        }
        let own: Vec<_> = self.ways.iter().filter_map(|way| way.file_name()).collect();
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| !own.contains(&&*entry.file_name())) {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // A command of another tool may still write here; what is left counts again
            // after the next one.
            let _ = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
        Some(format!(
            "/tmp and $TMPDIR had more than {} MiB or {MAX_ENTRIES} files; Holm emptied them",
            self.max_bytes >> 20
        ))
    }

    fn fits(&self) -> bool {
        let (mut bytes, mut entries) = (0_u64, 0_u64);
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Ok(data) = entry.metadata() else { continue };
                entries = entries.saturating_add(1);
                bytes = bytes.saturating_add(data.len());
                if bytes > self.max_bytes || entries > MAX_ENTRIES {
                    return false;
                }
                if data.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        true
    }
}

/// The folder of `/tmp` that leads to a path beneath it.
fn way_to(path: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix(TEMPORARY).ok()?;
    match rest.components().next()? {
        Component::Normal(name) => Some(Path::new(TEMPORARY).join(name)),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_too_much_in_it_is_emptied_except_for_mount_points() {
        let folder = tempfile::tempdir().unwrap();
        let seen = [Path::new("/tmp/a/work"), Path::new("/tmp/a/home"), Path::new("/home/me")];
        let mut files = TemporaryFiles::new(folder.path().to_owned(), &seen).unwrap();
        files.max_bytes = 1 << 20;
        assert_eq!(files.ways, [Path::new("/tmp/a")]);
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(folder.path().join("deep/small"), [0; 1000]).unwrap();
        assert_eq!(files.bound(), None);
        assert!(folder.path().join("deep/small").exists());
        fs::write(folder.path().join("deep/large"), vec![0; 1 << 20]).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("link")).unwrap();
        let told = files.bound().unwrap();
        assert!(told.contains("more than 1 MiB"), "{told}");
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a"]);
        assert!(Path::new("/etc").is_dir() && files.bound().is_none());
    }
}
