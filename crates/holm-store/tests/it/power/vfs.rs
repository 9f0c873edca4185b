//! What SQLite writes to one database and its log, in order, as its file system sees it.
//!
//! A file system for SQLite that hands everything on to the real one and writes down what is
//! written, cut off and synced. Power can then be lost anywhere in that list, as often as wanted,
//! without losing any.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_int, c_void},
    ptr, slice,
    sync::{
        Mutex, Once, PoisonError,
        atomic::{AtomicPtr, Ordering},
    },
};

use rusqlite::ffi;

/// One of the two files that a loss of power concerns. What lies in shared memory is created again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Database,
    Log,
}

/// What happened to a file.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Write { which: Which, offset: usize, bytes: Vec<u8> },
    Cut { which: Which, length: usize },
    Sync { which: Which },
}

/// What is known about a file that is open.
#[derive(Clone, Copy)]
struct Opened {
    which: Which,
    methods: &'static ffi::sqlite3_io_methods,
}

struct State {
    /// The database that is watched, by its whole name.
    watched: Option<String>,
    /// Open files by their address.
    files: BTreeMap<usize, Opened>,
    ops: Vec<Op>,
}

static STATE: Mutex<State> = Mutex::new(State { watched: None, files: BTreeMap::new(), ops: Vec::new() });
static PARENT: AtomicPtr<ffi::sqlite3_vfs> = AtomicPtr::new(ptr::null_mut());

/// Puts itself before the real file system, for every connection that is opened from now on,
/// and watches one database.
pub(crate) fn watch(database: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(register);
    with(|state| {
        state.watched = Some(database.to_owned());
        state.ops.clear();
    });
}

/// Forgets what was written so far.
pub(crate) fn begin() {
    with(|state| state.ops.clear());
}

/// Writes down a sync that went past SQLite.
pub(crate) fn synced(which: Which) {
    with(|state| state.ops.push(Op::Sync { which }));
}

/// How much has happened.
pub(crate) fn count() -> usize {
    with(|state| state.ops.len())
}

/// Watches no longer, and gives what was seen.
pub(crate) fn end() -> Vec<Op> {
    with(|state| {
        state.watched = None;
        std::mem::take(&mut state.ops)
    })
}

fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    work(&mut STATE.lock().unwrap_or_else(PoisonError::into_inner))
}

#[expect(unsafe_code, reason = "SQLite's interface for file systems is C")]
fn register() {
    // SAFETY: SQLite's own file system lives as long as the process, and the copy is never freed.
    unsafe {
        let parent = ffi::sqlite3_vfs_find(ptr::null());
        assert!(!parent.is_null(), "SQLite has a file system");
        PARENT.store(parent, Ordering::SeqCst);
        let mut shim = *parent;
        shim.zName = c"recording".as_ptr();
        shim.pNext = ptr::null_mut();
        shim.xOpen = Some(open);
        let registered = ffi::sqlite3_vfs_register(Box::leak(Box::new(shim)), 1);
        assert_eq!(registered, ffi::SQLITE_OK);
    }
}

/// Which of the watched files a name is.
fn which(name: &str) -> Option<Which> {
    with(|state| {
        let rest = name.strip_prefix(state.watched.as_deref()?)?;
        match rest {
            "" => Some(Which::Database),
            "-wal" => Some(Which::Log),
            _ => None,
        }
    })
}

#[expect(unsafe_code, reason = "SQLite's interface for file systems is C")]
unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let parent = PARENT.load(Ordering::SeqCst);
    // SAFETY: SQLite hands over what its own file system takes, and that lives as long as the process; its methods are constants.
    unsafe {
        let Some(open) = (*parent).xOpen else { return ffi::SQLITE_IOERR };
        let code = open(parent, name, file, flags, out);
        if code != ffi::SQLITE_OK || name.is_null() || (*file).pMethods.is_null() {
            return code;
        }
        let Some(which) = which(&CStr::from_ptr(name).to_string_lossy()) else { return code };
        let methods: &'static ffi::sqlite3_io_methods = &*(*file).pMethods;
        let mut ours = *methods;
        ours.xClose = Some(close);
        ours.xWrite = Some(write);
        ours.xTruncate = Some(truncate);
        ours.xSync = Some(sync);
        with(|state| state.files.insert(file.addr(), Opened { which, methods }));
        (*file).pMethods = Box::leak(Box::new(ours));
        code
    }
}

fn opened(file: *mut ffi::sqlite3_file) -> Option<Opened> {
    with(|state| state.files.get(&file.addr()).copied())
}

/// Writes down what happened, while the file is one of the watched database.
fn note(op: Op) {
    with(|state| {
        if state.watched.is_some() {
            state.ops.push(op);
        }
    });
}

#[expect(unsafe_code, reason = "SQLite's interface for file systems is C")]
unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let known = with(|state| state.files.remove(&file.addr()));
    let Some(close) = known.and_then(|known| known.methods.xClose) else { return ffi::SQLITE_IOERR };
    // SAFETY: it is the file's own method.
    unsafe { close(file) }
}

#[expect(unsafe_code, reason = "SQLite's interface for file systems is C")]
unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    amount: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    let Some(Opened { which, methods }) = opened(file) else { return ffi::SQLITE_IOERR };
    let Some(write) = methods.xWrite else { return ffi::SQLITE_IOERR };
    let (Ok(length), Ok(at)) = (usize::try_from(amount), usize::try_from(offset)) else {
        return ffi::SQLITE_IOERR;
    };
    // SAFETY: it is the file's own method, and SQLite says how much there is to read.
    let (code, bytes) = unsafe {
        (write(file, from, amount, offset), slice::from_raw_parts(from.cast::<u8>(), length).to_vec())
    };
    if code == ffi::SQLITE_OK {
        note(Op::Write { which, offset: at, bytes });
    }
    code
}

#[expect(unsafe_code, reason = "SQLite's interface for file systems is C")]
unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: ffi::sqlite3_int64) -> c_int {
    let Some(Opened { which, methods }) = opened(file) else { return ffi::SQLITE_IOERR };
    let Some(truncate) = methods.xTruncate else { return ffi::SQLITE_IOERR };
    // SAFETY: it is the file's own method.
    let code = unsafe { truncate(file, size) };
    if let (ffi::SQLITE_OK, Ok(length)) = (code, usize::try_from(size)) {
        note(Op::Cut { which, length });
    }
    code
}

#[expect(unsafe_code, reason = "SQLite's interface for file systems is C")]
unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    let Some(Opened { which, methods }) = opened(file) else { return ffi::SQLITE_IOERR };
    let Some(sync) = methods.xSync else { return ffi::SQLITE_IOERR };
    // SAFETY: it is the file's own method.
    let code = unsafe { sync(file, flags) };
    if code == ffi::SQLITE_OK {
        note(Op::Sync { which });
    }
    code
}
