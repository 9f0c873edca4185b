//! Files that a program puts next to a file while it changes it, so that no reader ever finds half
//! of it.
//!
//! A file is replaced safely by writing a draft next to it that then takes its place. SQLite keeps
//! a journal next to a database while a change lasts and, where the system has no locks, a lock.
//! These need further names in the same folder, which a grant for the file does not name. So they
//! count as the file. A guest that may write the file may write its draft. A guest that may read
//! and write it may use its journal and its lock. An unrelated file with such a name is not
//! included.
//!
//! It only says whose companion a name is, and cleans up drafts and locks when a call ends; whether
//! an operation is allowed is decided in `files/guest_files.rs`. A denied path stays denied even if
//! it is a companion.

use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::guest_path::GuestPath;
use super::open_beneath;

/// The kind of a companion file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompanionFile {
    /// The new content, before it takes the file's place.
    Draft,
    /// The rollback journal of an SQLite database.
    Journal,
    /// The empty directory that SQLite uses as a lock.
    Lock,
}

/// The part of a draft's name after the file's own, before a few hexadecimal digits.
const DRAFT: &str = ".holm-draft-";
/// The most digits: as many as a 64-bit number has.
const MAX_DIGITS: usize = 16;
/// The suffix of a journal's name, as SQLite defines it.
const JOURNAL: &str = "-journal";
/// The suffix of a lock's name, as SQLite defines it.
const LOCK: &str = ".lock";
/// The first bytes of a valid journal; before that it begins with zeros.
const JOURNAL_HEAD: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The file that a companion belongs to, by its name alone.
pub(super) fn owner(guest_path: &GuestPath) -> Option<(GuestPath, CompanionFile)> {
    let path = guest_path.path();
    let draft = path.rsplit_once(DRAFT).filter(|(_, digits)| is_number(digits)).map(|(file, _)| file);
    let (file, companion) = match (draft, path.strip_suffix(JOURNAL)) {
        (Some(file), _) => (file, CompanionFile::Draft),
        (None, Some(file)) => (file, CompanionFile::Journal),
        (None, None) => (path.strip_suffix(LOCK)?, CompanionFile::Lock),
    };
    let named = !file.is_empty() && !file.ends_with('/');
    named.then(|| (GuestPath::at(guest_path.root, file.to_owned()), companion))
}

fn is_number(digits: &str) -> bool {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (1..=MAX_DIGITS).contains(&digits.len()) && digits.bytes().all(digit)
}

/// Whether nothing is here yet, or a journal that SQLite has left. A user's diary
/// named `trip-journal` is neither.
pub(super) fn is_journal(root: &File, guest_path: &GuestPath) -> bool {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let file = match open_beneath::open(root, guest_path.os_path(), flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(error) => return error == Errno::NOENT,
    };
    let mut head = Vec::with_capacity(JOURNAL_HEAD.len());
    let read = file.take(JOURNAL_HEAD.len() as u64).read_to_end(&mut head);
    read.is_ok() && (head.is_empty() || head == JOURNAL_HEAD || head == [0; JOURNAL_HEAD.len()])
}

/// Whether nothing is here yet, or a directory: an unrelated file with this name is
/// never opened or removed.
pub(super) fn is_lock(root: &File, guest_path: &GuestPath) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    match open_beneath::open(root, guest_path.os_path(), flags, Mode::empty()) {
        Ok(_) => true,
        Err(error) => error == Errno::NOENT,
    }
}

/// The drafts and locks that one call has made. The rest of them is removed when the call ends: a
/// guest that is cut off cannot clean up, and no other code would.
#[derive(Debug, Clone, Default)]
pub(crate) struct DraftFiles(Arc<OpenDrafts>);

#[derive(Debug, Default)]
struct OpenDrafts(Mutex<Vec<(Arc<File>, GuestPath)>>);

impl DraftFiles {
    /// Remembers a file that was just created, if it is a draft or a lock.
    pub(super) fn made(&self, root: &Arc<File>, guest_path: &GuestPath) {
        if matches!(owner(guest_path), Some((_, CompanionFile::Draft | CompanionFile::Lock))) {
            self.0.lock(|open| open.push((Arc::clone(root), guest_path.clone())));
        }
    }

    /// Forgets a file that no longer exists.
    pub(super) fn gone(&self, guest_path: &GuestPath) {
        self.0.lock(|open| open.retain(|(_, draft)| draft != guest_path));
    }
}

impl OpenDrafts {
    fn lock<T>(&self, act: impl FnOnce(&mut Vec<(Arc<File>, GuestPath)>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for OpenDrafts {
    fn drop(&mut self) {
        for (root, guest_path) in self.lock(std::mem::take) {
            let (parent, name) = guest_path.split();
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            // If the folder is gone, so is the draft.
            let Ok(dir) = open_beneath::open(&root, parent.os_path(), flags, Mode::empty()) else { continue };
            let kind = match owner(&guest_path) {
                Some((_, CompanionFile::Lock)) => AtFlags::REMOVEDIR,
                Some((_, CompanionFile::Draft | CompanionFile::Journal)) | None => AtFlags::empty(),
            };
            let _ = rustix::fs::unlinkat(dir, name, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: Option<(&str, CompanionFile)>) {
        let found = owner(&GuestPath::at(0, path.to_owned()));
        let found = found.as_ref().map(|(guest_path, companion)| (guest_path.path(), *companion));
        assert_eq!(found, expect, "{path}");
    }

    #[test]
    fn a_name_tells_whose_companion_it_is() {
        check("a.txt", None);
        check("a.txt.holm-draft-0", Some(("a.txt", CompanionFile::Draft)));
        check("x/a.txt.holm-draft-00ff", Some(("x/a.txt", CompanionFile::Draft)));
        check("a.holm-draft-1.holm-draft-2", Some(("a.holm-draft-1", CompanionFile::Draft)));
        check("x/a.db-journal", Some(("x/a.db", CompanionFile::Journal)));
        check("x/a.db.lock", Some(("x/a.db", CompanionFile::Lock)));
        for nobody in ["a.holm-draft-", "a.holm-draft-G", "a.holm-draft-00000000000000001", "x/.holm-draft-1"]
        {
            check(nobody, None);
        }
        check("-journal", None);
        check("x/-journal", None);
        check("a.holm-draft-1/b", None);
    }
}
