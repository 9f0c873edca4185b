//! Replaces a file so that no reader ever finds half of it, however the guest ends.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Replaces the content of a file with `bytes`: writes a draft beside it, which then takes its
/// name. A guest that is cut off leaves the old file. The sandbox counts a draft of this name as
/// the file itself, and removes it if the guest could not.
///
/// A link is written through to the file that it leads to, and so is a file beside which
/// nothing can be made: then the new bytes come first and the rest is cut off last, so that at
/// least it is never empty.
///
/// # Errors
///
/// If the file may not or cannot be written; [`ErrorKind::NotFound`] if its folder is missing.
pub fn replace(path: &str, bytes: &[u8]) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return overwrite(path, bytes);
    }
    let draft = format!("{path}.holm-draft-{:x}", RandomState::new().hash_one(path));
    let file = match File::options().write(true).create_new(true).open(&draft) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(error),
        Err(_) => return overwrite(path, bytes),
    };
    let placed = fill(file, bytes).and_then(|()| fs::rename(&draft, path));
    if placed.is_err() {
        // The error is reported; that the draft stays as well would not help the caller.
        let _ = fs::remove_file(&draft);
    }
    placed
}

/// Makes the folders that a file has to be in. Only those that are missing are touched, so nothing
/// else needs a grant.
///
/// # Errors
///
/// If a folder is missing and may not or cannot be created.
pub fn make_folder_of(path: &str) -> io::Result<()> {
    let named = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    named.map_or(Ok(()), make_folder)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty()) else {
                return Err(error);
            };
            make_folder(above)?;
            fs::create_dir(folder)
        }
        done => done,
    }
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    // First the content, then the name: a machine that fails between the two must not find the name
    // alone.
    file.sync_all()
}

fn overwrite(path: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_replaced_and_no_draft_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for text in ["long text", "short", ""] {
            replace(path.to_str().unwrap(), text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_link_is_written_through_and_a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "a long old text").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        replace(link.to_str().unwrap(), b"new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(replace(folder.path().to_str().unwrap(), b"x").is_err());
    }

    #[test]
    fn a_name_that_leaves_no_room_for_a_draft_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n".repeat(250));
        fs::write(&path, "a long old text").unwrap();
        replace(path.to_str().unwrap(), b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn missing_folders_are_told_and_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x/y/a.txt");
        let path = path.to_str().unwrap();
        assert_eq!(replace(path, b"x").unwrap_err().kind(), ErrorKind::NotFound);
        make_folder_of(path).unwrap();
        make_folder_of(path).unwrap();
        replace(path, b"x").unwrap();
        assert!(make_folder_of("a.txt").is_ok());
    }
}
