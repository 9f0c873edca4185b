//! Takes an image of the workspace before and after a command, and stores the difference as one
//! record. The first image is on disk before the command starts. So if Holm is killed, the changes
//! of the command can still be found and undone.
//!
//! It starts no command: the host does. Images are taken in `image_taker.rs` and compared in
//! `difference.rs`; records are stored in `store.rs`. Changes of file tools need no image
//! (`UndoArchive::keep` in `store.rs`).

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, atomic::Ordering},
};

use sha2::{Digest as _, Sha256};

use crate::{
    Coverage, PathState, RecordSource, TreePath, UncoveredPath, UndoArchive, UndoError, UndoRecord,
    difference::ImageDifference,
    image::Image,
    image_codec::{self, StoredImage},
    image_taker::ImageTaker,
    record::VERSION,
    store::{draft, entries, now, replace},
    tree::Tree,
    tree_path::hex,
};

/// A command that may change the workspace. Dropping it without [`finish`](Self::finish) leaves its
/// image, and the next look at the workspace finishes it.
#[derive(Debug)]
pub struct CommandUndo {
    store: UndoArchive,
    tree: Tree,
    key: String,
    before: Arc<Image>,
    coverage: Coverage,
    pending: PathBuf,
    /// Locked as long as the process lives.
    _lock: File,
}

/// What a command changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandChanges {
    /// The digest of the record, if there is one.
    pub record: Option<String>,
    pub created: usize,
    pub changed: usize,
    pub deleted: usize,
    /// Paths that changed, in order; at most a few.
    pub examples: Vec<TreePath>,
    /// What changed or was deleted and cannot be restored.
    pub lost: Vec<UncoveredPath>,
    /// What was created and stays after an undo.
    pub left: Vec<UncoveredPath>,
}

/// Paths that are named as examples.
const MOST_EXAMPLES: usize = 5;

impl UndoArchive {
    /// Takes the image before a command. What killed commands did here is recorded first.
    ///
    /// # Errors
    /// [`UndoError`] if the workspace is too large, or an image cannot be taken or stored.
    pub fn begin(&self, key: &str, root: &Path, coverage: &Coverage) -> Result<CommandUndo, UndoError> {
        self.settle(root, coverage)?;
        self.count(0)?;
        let tree = open(root)?;
        let _lock = self.shared_lock()?;
        let known = self.last_image(root);
        let (before, bytes) = ImageTaker::new(&tree, coverage, None).take(&known, &self.contents)?;
        let before = Arc::new(before);
        self.since.fetch_add(bytes, Ordering::Relaxed);
        let pending = self.folder.join("pending").join(format!("{key}.img"));
        let failed = |error: io::Error| UndoError::store(&pending, &error);
        let draft = draft(&pending, &image_codec::encode(root, key, &before), false)?;
        // Locked before it has its name, so that no other process takes it for one of a killed Holm.
        let lock = File::open(&draft).map_err(failed)?;
        lock.lock_shared().and_then(|()| fs::rename(&draft, &pending)).map_err(failed)?;
        sync_later(&pending);
        self.remember(root, Arc::clone(&before));
        let (store, coverage, key) = (self.clone(), coverage.clone(), key.to_owned());
        Ok(CommandUndo { store, tree, key, before, coverage, pending, _lock: lock })
    }

    /// Records what commands did in this folder whose processes were killed. Returns how many there
    /// were. Changes by others since then count as theirs.
    ///
    /// # Errors
    /// [`UndoError`] if an image cannot be taken or stored.
    pub fn settle(&self, root: &Path, coverage: &Coverage) -> Result<usize, UndoError> {
        let mut settled = 0;
        for pending in entries(&self.folder.join("pending"))? {
            let is_complete = pending.extension().is_some_and(|end| end == "img");
            let Some(lock) = File::open(&pending).ok().filter(|_| is_complete) else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            let Some(stored) = fs::read(&pending).ok().and_then(|bytes| image_codec::decode(&bytes)) else {
                // It was cut by a loss of power before its command started.
                continue;
            };
            if stored.root == root {
                let StoredImage { key, image, .. } = stored;
                let (store, tree, coverage) = (self.clone(), open(root)?, coverage.clone());
                let before = Arc::new(image);
                CommandUndo { store, tree, key, before, coverage, pending, _lock: lock }.finish()?;
                settled += 1;
            }
        }
        Ok(settled)
    }

    fn last_image(&self, root: &Path) -> Arc<Image> {
        let images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(image) = images.get(root) {
            return Arc::clone(image);
        }
        let stored = fs::read(self.image_file(root)).ok().and_then(|bytes| image_codec::decode(&bytes));
        Arc::new(stored.filter(|stored| stored.root == root).map(|stored| stored.image).unwrap_or_default())
    }

    fn remember(&self, root: &Path, image: Arc<Image>) {
        self.images.lock().unwrap_or_else(PoisonError::into_inner).insert(root.to_owned(), image);
    }

    fn image_file(&self, root: &Path) -> PathBuf {
        let name = hex(&Sha256::digest(root.as_os_str().as_encoded_bytes()));
        self.folder.join("images").join(format!("{}.img", name.get(..32).unwrap_or(&name)))
    }
}

impl CommandUndo {
    /// Takes the image after the command, and stores the difference as one record.
    ///
    /// # Errors
    /// [`UndoError`] if an image cannot be taken or stored; the first image stays then.
    pub fn finish(self) -> Result<CommandChanges, UndoError> {
        let Self { store, tree, key, before, coverage, pending, _lock } = self;
        let lock = store.shared_lock()?;
        let taker = ImageTaker::new(&tree, &coverage, Some(&before));
        let (after, bytes) = taker.take(&before, &store.contents)?;
        let after = Arc::new(after);
        store.since.fetch_add(bytes, Ordering::Relaxed);
        let ImageDifference { changes, hard_links, lost, left } = ImageDifference::between(&before, &after);
        let mut found = CommandChanges { lost, left, ..CommandChanges::default() };
        for change in &changes {
            match (&change.before, &change.after) {
                (PathState::Absent, _) => found.created += 1,
                (_, PathState::Absent) => found.deleted += 1,
                _ => found.changed += 1,
            }
            if found.examples.len() < MOST_EXAMPLES && !change.before.is_folder() && !change.after.is_folder()
            {
                found.examples.push(change.path.clone());
            }
        }
        if !changes.is_empty() || !hard_links.is_empty() {
            let (root, source) = (tree.at().to_owned(), RecordSource::Command);
            let record = UndoRecord { version: VERSION, at: now(), root, source, changes, hard_links };
            found.record = Some(store.keep_record(&key, &record)?.1);
        }
        let is_new = *before != *after || !store.image_file(tree.at()).exists();
        if is_new {
            // It is not synced: a damaged one is not read, and the next image reads all files.
            replace(&store.image_file(tree.at()), &image_codec::encode(tree.at(), "", &after), false)?;
        }
        store.remember(tree.at(), after);
        fs::remove_file(&pending).map_err(|error| UndoError::store(&pending, &error))?;
        drop(lock);
        Ok(found)
    }

    /// The command did not start, so it changed nothing.
    pub fn cancel(self) {
        let _ = fs::remove_file(&self.pending);
    }

    /// What the first image does not cover.
    #[must_use]
    pub fn uncovered(&self) -> &[UncoveredPath] {
        &self.before.left_out
    }
}

/// Syncs the first image while the command starts. The contents are on disk already; only after a
/// loss of power in the next moment is the image missing.
fn sync_later(image: &Path) {
    // Opened by itself: a copy of the locked handle would hold the lock.
    if let Ok(file) = File::open(image) {
        std::thread::spawn(move || file.sync_data());
    }
}

fn open(root: &Path) -> Result<Tree, UndoError> {
    Tree::open(root).map_err(|error| UndoError::workspace(root.display(), error))
}
