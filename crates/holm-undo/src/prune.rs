//! Removes old records, images and operations, and contents that are not needed any more. It holds
//! the lock of the archive alone, so that no content is removed before its record is written.
//!
//! It never touches a file of the workspace. Records are written in `store.rs`, contents in
//! `content_store.rs`.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::atomic::Ordering,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    UndoArchive, UndoError, image_codec,
    operation::UndoOperation,
    store::{entries, read},
    tree_path::hex,
};

/// The least time between two prunes at a start.
const BETWEEN_PRUNES: Duration = Duration::from_secs(60 * 60);

impl UndoArchive {
    /// Removes records, images and undos that are older than `kept`, contents that nothing needs,
    /// and the oldest contents until at most `most` bytes are left. A record whose content was
    /// removed stays, so that a later change of the file is not taken for its first. Returns the
    /// number of removed records.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn prune(&self, kept: Duration, most: u64) -> Result<usize, UndoError> {
        let lock = self.lock_file("lock")?;
        lock.lock().map_err(|error| UndoError::store(&self.folder, &error))?;
        self.since.store(0, Ordering::Relaxed);
        // Each content by the last moment at which something referred to it.
        let mut used: BTreeMap<String, u64> = BTreeMap::new();
        let mut removed = 0;
        for entry in entries(&self.records())? {
            if is_old(&entry, kept) {
                remove(&entry)?;
                removed += 1;
            } else if let Ok(record) = read(&entry) {
                let digests = record.changes.iter().filter_map(|change| change.before.sha256());
                use_all(&mut used, digests.map(str::to_owned), record.at);
            }
        }
        for entry in entries(&self.operations())? {
            if is_old(&entry, kept) {
                remove(&entry)?;
            } else if let Ok(operation) = UndoOperation::read(&entry) {
                let states = operation.changes.iter().flat_map(|change| [&change.before, &change.after]);
                let digests = states.filter_map(|state| state.sha256());
                use_all(&mut used, digests.map(str::to_owned), operation.at);
            }
        }
        for folder in ["images", "pending"].map(|name| self.folder.join(name)) {
            for entry in entries(&folder)? {
                if is_old(&entry, kept) {
                    remove(&entry)?;
                } else if let Some(stored) =
                    fs::read(&entry).ok().and_then(|bytes| image_codec::decode(&bytes))
                {
                    let at = modified(&entry);
                    use_all(&mut used, stored.image.digests().map(|digest| hex(digest)), at);
                }
            }
        }
        self.prune_contents(&used, most)?;
        Ok(removed)
    }

    /// Like [`prune`](Self::prune), at most once an hour: it reads all images, which takes a while if
    /// there are many workspaces.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn prune_if_due(&self, kept: Duration, most: u64) -> Result<usize, UndoError> {
        let mark = self.folder.join("pruned");
        if mark.exists() && !is_old(&mark, BETWEEN_PRUNES) {
            return Ok(0);
        }
        crate::store::replace(&mark, b"", false)?;
        self.prune(kept, most)
    }

    fn prune_contents(&self, used: &BTreeMap<String, u64>, most: u64) -> Result<(), UndoError> {
        let mut contents = Vec::new();
        for entry in entries(self.contents.folder())? {
            let name = entry.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // The exclusive lock rules out concurrent writers, so a content that nothing refers to
            // is not in use.
            let last = used.get(&name).copied().unwrap_or(0);
            contents.push((last, fs::metadata(&entry).map_or(0, |found| found.len()), entry));
        }
        contents.sort_unstable();
        let mut bytes = contents.iter().fold(0_u64, |sum, (_, size, _)| sum.saturating_add(*size));
        if contents.iter().any(|(last, ..)| *last == 0) || bytes > most {
            self.contents.removed_some()?;
        }
        for (last, size, entry) in contents {
            if last == 0 || bytes > most {
                remove(&entry)?;
                bytes = bytes.saturating_sub(size);
            }
        }
        Ok(())
    }
}

fn use_all(used: &mut BTreeMap<String, u64>, digests: impl Iterator<Item = String>, at: u64) {
    for digest in digests {
        let last = used.entry(digest).or_default();
        *last = at.max(*last).max(1);
    }
}

fn is_old(path: &Path, kept: Duration) -> bool {
    let changed = fs::metadata(path).and_then(|found| found.modified());
    changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > kept))
}

fn modified(path: &Path) -> u64 {
    let changed = fs::metadata(path).and_then(|found| found.modified()).unwrap_or(UNIX_EPOCH);
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn remove(entry: &Path) -> Result<(), UndoError> {
    fs::remove_file(entry).map_err(|error| UndoError::store(entry, &error))
}
