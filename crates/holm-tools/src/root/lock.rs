//! Allows one writer at a time for each file, in this process and among all processes of Holm.
//!
//! Within the process, a mutex waits fairly. Between processes, the folder's own handle is locked,
//! so nothing is left behind when a process dies. Writes by programs that do not take the lock are
//! noticed by the file's stamp.
//!
//! It writes nothing: `replace.rs` does, and checks the stamp. Several files are always locked in
//! one order, so that two calls never wait for each other.

use std::{
    collections::BTreeMap,
    os::fd::AsFd,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::Dir;
use rustix::{
    fs::{FlockOperation, flock, fstat},
    io::Errno,
};

use super::{FileLocation, FileStamp, WorkspaceRootError};

/// Mutexes for all files. A few threads seldom share one by chance, and the memory does not grow
/// with the number of files.
const STRIPES: usize = 64;

/// How long another process may hold a folder: a write takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long one waits between two looks.
const PAUSE: Duration = Duration::from_millis(1);

static FILES: LazyLock<Vec<Mutex<()>>> = LazyLock::new(|| (0..STRIPES).map(|_| Mutex::new(())).collect());

/// Held while files are read, changed and replaced. Dropping it admits the next writer.
pub(crate) struct FileLock {
    // Dropped in this order: other processes first, then other threads.
    _folders: Vec<FolderLock>,
    _files: Vec<MutexGuard<'static, ()>>,
}

struct FolderLock(Arc<Dir>);

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Closing the handle would do the same.
        let _ = flock(self.0.as_fd(), FlockOperation::Unlock);
    }
}

impl FileLock {
    /// Waits for all the places together; always in one order, so that two calls never
    /// wait for each other.
    pub(crate) fn hold(places: &[&FileLocation]) -> Result<Self, WorkspaceRootError> {
        let mut stripes = Vec::new();
        let mut folders: BTreeMap<(u64, u64), &FileLocation> = BTreeMap::new();
        for place in places {
            let id = id(&place.dir).map_err(|errno| WorkspaceRootError::of(place.path().as_str(), errno))?;
            stripes.push(stripe(id, &place.name));
            folders.insert(id, place);
        }
        stripes.sort_unstable();
        stripes.dedup();
        let files = stripes.iter().filter_map(|stripe| FILES.get(*stripe));
        let files = files.map(|file| file.lock().unwrap_or_else(PoisonError::into_inner)).collect();
        let folders = folders.into_values().map(folder).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { _folders: folders.into_iter().flatten().collect(), _files: files })
    }
}

/// Locks one folder among processes. Returns `None` if its file system has no locks: then only the
/// file's stamp shows changes.
fn folder(place: &FileLocation) -> Result<Option<FolderLock>, WorkspaceRootError> {
    let failed = |errno| WorkspaceRootError::of(place.path().as_str(), errno);
    // A new handle: the lock belongs to the open file, so two calls in one process
    // exclude each other too.
    let dir = place.root.open_beneath(place.dir.as_fd(), ".", super::handle::FOLDER).map_err(failed)?;
    let dir = Arc::new(Dir::from_std_file(dir.into()));
    let until = Instant::now() + PATIENCE;
    loop {
        match flock(dir.as_fd(), FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(FolderLock(dir))),
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) if Instant::now() < until => thread::sleep(PAUSE),
            Err(Errno::WOULDBLOCK) => {
                return Err(WorkspaceRootError::Busy { path: place.path().to_string() });
            }
            Err(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS | Errno::BADF | Errno::INVAL) => {
                return Ok(None);
            }
            Err(errno) => return Err(failed(errno)),
        }
    }
}

fn id(dir: &Dir) -> Result<(u64, u64), Errno> {
    Ok(FileStamp::of(&fstat(dir.as_fd())?).id())
}

/// FNV-1a: any stripe will do, as long as one file always has the same.
fn stripe((device, inode): (u64, u64), name: &str) -> usize {
    let numbers = [device.to_le_bytes(), inode.to_le_bytes()];
    let bytes = numbers.iter().flatten().copied().chain(name.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % STRIPES as u64).unwrap_or(0)
}
