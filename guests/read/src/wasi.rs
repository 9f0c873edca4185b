//! The four functions of WASI 0.1 that find and read a file, called without a library.
//!
//! A library would look at every directory before the first file is opened, and would allocate for
//! each.

/// An error number of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SystemErrno(i32);

impl SystemErrno {
    /// What the error means for the caller that asked for a file.
    pub(crate) fn said(self) -> String {
        match self.0 {
            2 | 63 | 76 => "this tool was not granted that".to_owned(),
            44 => "there is no such file".to_owned(),
            31 => "it is a folder".to_owned(),
            54 => "a part of the path is no folder".to_owned(),
            other => format!("the system refused with error {other}"),
        }
    }
}

/// Something that is open, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileHandle(i32);

/// The number of the first directory that a guest gets; the others follow.
const FIRST: i32 = 3;

/// The directories that the guest was given, each with its name.
pub(crate) fn directories() -> impl Iterator<Item = (FileHandle, String)> {
    (FIRST..).map_while(|number| Some((FileHandle(number), name(number)?)))
}

#[expect(unsafe_code, reason = "the host is given places of this guest's memory")]
fn name(number: i32) -> Option<String> {
    // A tag, and the length of the name.
    let mut about = [0_u32; 2];
    // SAFETY: the host writes eight bytes there.
    done(unsafe { fd_prestat_get(number, about.as_mut_ptr()) }).ok()?;
    let mut name = vec![0_u8; about[1] as usize];
    // SAFETY: the host writes no more than the given length.
    done(unsafe { fd_prestat_dir_name(number, name.as_mut_ptr(), name.len()) }).ok()?;
    String::from_utf8(name).ok()
}

impl FileHandle {
    /// Opens a file beneath this directory to be read.
    #[expect(unsafe_code, reason = "the host is given places of this guest's memory")]
    pub(crate) fn open(self, path: &str) -> Result<Self, SystemErrno> {
        const FOLLOW_LINKS: i32 = 1;
        const MAY_READ: u64 = 1 << 1;
        let mut opened = 0;
        // SAFETY: the host reads the path within its length and writes one number.
        let status = unsafe {
            path_open(self.0, FOLLOW_LINKS, path.as_ptr(), path.len(), 0, MAY_READ, 0, 0, &raw mut opened)
        };
        done(status).map(|()| Self(opened))
    }

    /// Appends the bytes of the file from `offset` on to `bytes`, as many as there is room
    /// for. Returns how many.
    #[expect(unsafe_code, reason = "the host fills memory that is allocated but not set")]
    pub(crate) fn read(self, offset: u64, bytes: &mut Vec<u8>) -> Result<usize, SystemErrno> {
        let room = bytes.spare_capacity_mut();
        let part = IoVector { at: room.as_mut_ptr().cast(), len: room.len() };
        let (room, mut read) = (room.len(), 0);
        // SAFETY: the host writes into the one part, no more than its length, and one number.
        done(unsafe { fd_pread(self.0, &raw const part, 1, offset, &raw mut read) })?;
        let read = read.min(room);
        // SAFETY: the host has written these bytes, and there is room for them.
        unsafe { bytes.set_len(bytes.len() + read) };
        Ok(read)
    }
}

fn done(status: i32) -> Result<(), SystemErrno> {
    if status == 0 { Ok(()) } else { Err(SystemErrno(status)) }
}

/// A buffer for the host to read into.
#[repr(C)]
struct IoVector {
    at: *mut u8,
    len: usize,
}

#[expect(unsafe_code, reason = "functions of the host")]
#[link(wasm_import_module = "wasi_snapshot_preview1")]
unsafe extern "C" {
    fn fd_prestat_get(fd: i32, about: *mut u32) -> i32;
    fn fd_prestat_dir_name(fd: i32, name: *mut u8, len: usize) -> i32;
    fn path_open(
        fd: i32,
        lookup: i32,
        path: *const u8,
        len: usize,
        flags: i32,
        rights: u64,
        inherited: u64,
        behaviour: i32,
        opened: *mut i32,
    ) -> i32;
    fn fd_pread(fd: i32, parts: *const IoVector, count: usize, offset: u64, read: *mut usize) -> i32;
}
