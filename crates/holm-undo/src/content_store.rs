//! Stores the contents of files, named by their digests. A content is written under a temporary
//! name, synced and then renamed, so a name always has all of its bytes. Where the file system can,
//! a copy shares its blocks with the original (`FICLONE`) until one of them is written. Many new
//! contents are synced together, because thousands of single syncs take minutes.
//!
//! Which files are read is decided in `image_taker.rs`, and which record needs a content is in
//! `record.rs`. Contents are removed in `prune.rs`.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use sha2::{Digest as _, Sha256};

use crate::{
    UndoError,
    image::Digest,
    tree::{Stamp, digest_of},
    tree_path::{hex, unhex},
};

/// How many new contents are synced one by one.
const SINGLE_SYNCS: usize = 32;

#[derive(Debug, Clone)]
pub(crate) struct ContentStore {
    folder: PathBuf,
    known: Arc<Mutex<Option<KnownContents>>>,
}

/// What a listing of the folder has found. It holds until a process removes contents.
#[derive(Debug, Default)]
struct KnownContents {
    generation: Vec<u8>,
    digests: HashSet<Digest>,
}

/// Contents that are written and not yet named.
#[derive(Debug)]
pub(crate) struct ContentBatch<'a> {
    store: &'a ContentStore,
    known: KnownContents,
    /// Whether all that is known is there, or in a draft.
    is_whole: bool,
    drafts: Vec<(PathBuf, Digest)>,
    /// Bytes of the drafts.
    bytes: u64,
}

impl ContentStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, known: Arc::default() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins to add contents. It lists those that are there once, which is quicker than asking
    /// for each; a process lists again only if contents were removed. The caller holds the lock.
    pub(crate) fn batch(&self) -> Result<ContentBatch<'_>, UndoError> {
        let generation = fs::read(self.generation()).unwrap_or_default();
        let last = self.known.lock().unwrap_or_else(PoisonError::into_inner).take();
        let known = match last.filter(|known| known.generation == generation) {
            Some(known) => known,
            None => KnownContents { generation, digests: self.list()? },
        };
        Ok(ContentBatch { store: self, known, is_whole: true, drafts: Vec::new(), bytes: 0 })
    }

    /// Says that contents were removed.
    pub(crate) fn removed_some(&self) -> Result<(), UndoError> {
        crate::store::replace(&self.generation(), crate::store::now().to_string().as_bytes(), false)
    }

    fn generation(&self) -> PathBuf {
        self.folder.with_file_name("contents-removed")
    }

    fn list(&self) -> Result<HashSet<Digest>, UndoError> {
        let failed = |error: io::Error| UndoError::store(&self.folder, &error);
        let mut known = HashSet::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let digest = name.to_str().filter(|name| name.len() == 64).and_then(unhex);
            known.extend(digest.and_then(|digest| Digest::try_from(digest).ok()));
        }
        Ok(known)
    }

    /// Begins to add a content or two, without a list of those that are there.
    pub(crate) fn small_batch(&self) -> ContentBatch<'_> {
        let known = KnownContents::default();
        ContentBatch { store: self, known, is_whole: false, drafts: Vec::new(), bytes: 0 }
    }

    /// Opens a content after a check of all its bytes.
    pub(crate) fn open(&self, name: &str, sha256: &str) -> Result<File, UndoError> {
        let damaged = |reason: String| UndoError::damaged(name, reason);
        if sha256.len() != 64 || unhex(sha256).is_none() {
            return Err(damaged("it does not name its content".into()));
        }
        let mut file = File::open(self.folder.join(sha256)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => damaged("its content was deleted to free space".into()),
            _ => damaged(error.to_string()),
        })?;
        let (found, _) = digest_of(&mut file).map_err(|error| damaged(error.to_string()))?;
        if found != sha256 {
            return Err(damaged("its content was changed afterwards".into()));
        }
        file.rewind().map_err(|error| damaged(error.to_string()))?;
        Ok(file)
    }

    /// A file that has no place yet, readable by its owner alone.
    pub(crate) fn draft(&self) -> io::Result<(File, PathBuf)> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let path = self.folder.join(format!("{}.tmp", hex(&random)));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        Ok((file, path))
    }
}

/// Why a file's content was not added.
pub(crate) enum ContentFailure {
    /// The file changed while it was read.
    Changing,
    /// The file cannot be read.
    Unreadable,
    /// The store cannot be written.
    Store(UndoError),
}

impl ContentBatch<'_> {
    /// Whether a content is there, or will be when the batch ends.
    pub(crate) fn has(&self, digest: &Digest) -> bool {
        self.known.digests.contains(digest)
    }

    /// Adds the content of an open file. `likely` is the digest that it probably has:
    /// if so, nothing is copied.
    pub(crate) fn add_file(
        &mut self,
        file: &mut File,
        stamp: &Stamp,
        likely: Option<&Digest>,
    ) -> Result<Digest, ContentFailure> {
        if let Some(likely) = likely.filter(|likely| self.has(likely)) {
            let (found, _) = digest_of(file).map_err(|_| ContentFailure::Unreadable)?;
            let now = rustix::fs::fstat(&*file).map_err(|_| ContentFailure::Unreadable)?;
            if found == hex(likely) && Stamp::of(&now).has_same_bytes(stamp) {
                return Ok(*likely);
            }
            file.rewind().map_err(|_| ContentFailure::Unreadable)?;
        }
        let failed = |error: &io::Error| ContentFailure::Store(UndoError::store(&self.store.folder, error));
        let (mut draft, path) = self.store.draft().map_err(|error| failed(&error))?;
        let copied = copy(file, &mut draft, stamp.size).and_then(|digest| {
            let now = Stamp::of(&rustix::fs::fstat(&*file)?);
            Ok((digest, now))
        });
        let digest = match copied {
            Ok((digest, now)) if now.has_same_bytes(stamp) => digest,
            Ok(_) => {
                let _ = fs::remove_file(path);
                return Err(ContentFailure::Changing);
            }
            Err(CopyError::Read) => {
                let _ = fs::remove_file(path);
                return Err(ContentFailure::Unreadable);
            }
            Err(CopyError::Write(error)) => {
                let _ = fs::remove_file(&path);
                return Err(failed(&error));
            }
        };
        self.take(path, digest, stamp.size);
        Ok(digest)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<Digest, UndoError> {
        let digest: Digest = Sha256::digest(bytes).into();
        if self.has(&digest) || self.store.folder.join(hex(&digest)).is_file() {
            return Ok(digest);
        }
        let failed = |error: io::Error| UndoError::store(&self.store.folder, &error);
        let (mut draft, path) = self.store.draft().map_err(failed)?;
        draft.write_all(bytes).map_err(failed)?;
        self.take(path, digest, bytes.len() as u64);
        Ok(digest)
    }

    fn take(&mut self, draft: PathBuf, digest: Digest, size: u64) {
        if self.known.digests.insert(digest) {
            self.bytes = self.bytes.saturating_add(size);
            self.drafts.push((draft, digest));
        } else {
            let _ = fs::remove_file(draft);
        }
    }

    /// Syncs all new contents and gives them their names. They are on disk when this returns, and it
    /// returns how many bytes they have.
    pub(crate) fn end(mut self) -> Result<u64, UndoError> {
        let drafts = std::mem::take(&mut self.drafts);
        if drafts.is_empty() {
            return Ok(0);
        }
        let folder = &self.store.folder;
        let failed = |error: io::Error| UndoError::store(folder, &error);
        let was_whole = std::mem::take(&mut self.is_whole);
        let handle = File::open(folder).map_err(failed)?;
        if drafts.len() <= SINGLE_SYNCS {
            for (draft, _) in &drafts {
                File::open(draft).and_then(|draft| draft.sync_all()).map_err(failed)?;
            }
        } else {
            sync_all_of(&handle).map_err(failed)?;
        }
        for (draft, digest) in drafts {
            fs::rename(draft, folder.join(hex(&digest))).map_err(failed)?;
        }
        handle.sync_all().map_err(failed)?;
        self.is_whole = was_whole;
        Ok(self.bytes)
    }
}

impl Drop for ContentBatch<'_> {
    fn drop(&mut self) {
        for (draft, digest) in self.drafts.drain(..) {
            let _ = fs::remove_file(draft);
            self.known.digests.remove(&digest);
        }
        if self.is_whole {
            let known = std::mem::take(&mut self.known);
            *self.store.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
        }
    }
}

/// Syncs everything on the file system of this folder.
pub(crate) fn sync_all_of(folder: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(folder)?;
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        rustix::fs::sync();
    }
    Ok(())
}

enum CopyError {
    Read,
    Write(io::Error),
}

impl From<rustix::io::Errno> for CopyError {
    fn from(_: rustix::io::Errno) -> Self {
        Self::Read
    }
}

/// Copies a file and returns the digest of what the copy has. A file that grows meanwhile is not
/// followed further than its size and one byte.
fn copy(from: &mut File, to: &mut File, size: u64) -> Result<Digest, CopyError> {
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(&*to, &*from).is_ok() {
        // The clone cannot change any more, so its digest is read from it.
        let (digest, _) = digest_of(to).map_err(CopyError::Write)?;
        let digest = unhex(&digest).and_then(|digest| Digest::try_from(digest).ok());
        return digest.ok_or(CopyError::Read);
    }
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    let mut from = from.take(size.saturating_add(1));
    loop {
        let read = from.read(&mut buffer).map_err(|_| CopyError::Read)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            return Ok(hash.finalize().into());
        };
        hash.update(bytes);
        to.write_all(bytes).map_err(CopyError::Write)?;
    }
}
