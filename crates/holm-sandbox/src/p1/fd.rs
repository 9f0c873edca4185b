//! Functions on open files: reading, writing, seeking, listing, metadata.
//!
//! The policy decided when a file was opened (`p1/path.rs`, through `files/guest_files.rs`); here
//! the rights of the open file are kept, and listings show only granted entries. Writing is counted
//! (`files/quota.rs`). One call moves a bounded number of bytes, so that a guest can be stopped in
//! between.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;

use rustix::fs::{Dir, FileType, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use wasmtime::Linker;

use super::abi::{GuestMemory, HostCallError, WasiErrno, fdflags, filetype, rights};
use super::table::{Descriptor, OpenFile};
use super::{define, errno};
use crate::files::{FileStat, GuestPath, NodeKind};
use crate::output::OutputSink;
use crate::state::GuestState;

pub(super) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    define! { linker,
        "fd_close" => |_, state, fd: i32| Ok(state.descriptors.close(fd)?);
        "fd_renumber" => |_, state, from: i32, to: i32| Ok(state.descriptors.renumber(from, to)?);
        "fd_advise" => |_, state, fd: i32, _offset: i64, _len: i64, _advice: i32| {
            Ok(state.descriptors.file(fd).map(|_| ())?)
        };
        "fd_allocate" => |_, state, fd: i32, offset: u64, len: u64| {
            let end = offset.checked_add(len).ok_or(WasiErrno::FBIG)?;
            let size = FileStat::of(&writable(state, fd)?.file)?.size;
            if end > size { resize(state, fd, end) } else { Ok(()) }
        };
        "fd_datasync" => |_, state, fd: i32| sync(state, fd);
        "fd_sync" => |_, state, fd: i32| sync(state, fd);
        "fd_fdstat_get" => |guest, state, fd: i32, at: u32| fdstat(guest, state, fd, at);
        "fd_fdstat_set_flags" => |_, state, fd: i32, flags: i32| set_flags(state, fd, flags);
        "fd_fdstat_set_rights" => |_, state, fd: i32, _base: i64, _inheriting: i64| {
            // Rights can only be given up, and what decides here is the policy.
            Ok(state.descriptors.get(fd).map(|_| ())?)
        };
        "fd_filestat_get" => |guest, state, fd: i32, at: u32| {
            let stat = match state.descriptors.get(fd)? {
                Descriptor::File(file) => FileStat::of(&file.file)?,
                Descriptor::Directory(dir) => FileStat::of(&*dir.dir)?,
                Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => {
                    return put_stream_stat(guest, at);
                }
            };
            put_stat(guest, at, &stat)
        };
        "fd_filestat_set_size" => |_, state, fd: i32, size: u64| resize(state, fd, size);
        "fd_filestat_set_times" => |_, state, fd: i32, atim: u64, mtim: u64, flags: i32| {
            let times = timestamps(atim, mtim, flags)?;
            Ok(rustix::fs::futimens(&writable(state, fd)?.file, &times)?)
        };
        "fd_prestat_get" => |guest, state, fd: i32, at: u32| {
            let name = preopened(state, fd)?;
            let len = u32::try_from(name.len()).map_err(|_| WasiErrno::OVERFLOW)?;
            guest.put_u32(at, 0)?;
            Ok(guest.put_u32(at.checked_add(4).ok_or(WasiErrno::FAULT)?, len)?)
        };
        "fd_prestat_dir_name" => |guest, state, fd: i32, at: u32, len: u32| {
            let name = preopened(state, fd)?;
            if name.len() > len as usize {
                return Err(WasiErrno::NAMETOOLONG.into());
            }
            Ok(guest.put(at, name.as_bytes())?)
        };
        "fd_read" => |guest, state, fd: i32, parts: u32, count: u32, at: u32| {
            read(guest, state, fd, (parts, count), None, at)
        };
        "fd_pread" => |guest, state, fd: i32, parts: u32, count: u32, offset: u64, at: u32| {
            read(guest, state, fd, (parts, count), Some(offset), at)
        };
        "fd_write" => |guest, state, fd: i32, parts: u32, count: u32, at: u32| {
            write(guest, state, fd, (parts, count), None, at)
        };
        "fd_pwrite" => |guest, state, fd: i32, parts: u32, count: u32, offset: u64, at: u32| {
            write(guest, state, fd, (parts, count), Some(offset), at)
        };
        "fd_seek" => |guest, state, fd: i32, offset: i64, whence: i32, at: u32| {
            let to = match whence {
                0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| WasiErrno::INVAL)?),
                1 => SeekFrom::Current(offset),
                2 => SeekFrom::End(offset),
                _ => return Err(WasiErrno::INVAL.into()),
            };
            let position = (&state.descriptors.file(fd)?.file).seek(to)?;
            Ok(guest.put_u64(at, position)?)
        };
        "fd_tell" => |guest, state, fd: i32, at: u32| {
            let position = (&state.descriptors.file(fd)?.file).stream_position()?;
            Ok(guest.put_u64(at, position)?)
        };
        "fd_readdir" => |guest, state, fd: i32, at: u32, len: u32, cookie: u64, used: u32| {
            let filled = read_dir(guest.bytes_mut(at, len)?, state, fd, cookie)?;
            Ok(guest.put_u32(used, filled)?)
        };
    }
    Ok(())
}

fn preopened(state: &GuestState, fd: i32) -> Result<String, HostCallError> {
    // Anything else ends the guest library's search for directories.
    let dir = state.descriptors.dir(fd).map_err(|_| WasiErrno::BADF)?;
    Ok(dir.name.clone().ok_or(WasiErrno::BADF)?)
}

fn writable(state: &GuestState, fd: i32) -> Result<&OpenFile, HostCallError> {
    let file = state.descriptors.file(fd)?;
    if file.writable { Ok(file) } else { Err(errno(WasiErrno::BADF)) }
}

fn resize(state: &GuestState, fd: i32, size: u64) -> Result<(), HostCallError> {
    let file = writable(state, fd)?;
    may_reach(state, &file.file, size)?;
    Ok(file.file.set_len(size)?)
}

/// Checks whether a file may be extended to a size: only by as much as may still be written.
fn may_reach(state: &GuestState, file: &File, size: u64) -> Result<(), HostCallError> {
    let fits = state.files.quota.admits_growth(FileStat::of(file)?.size, size);
    if fits { Ok(()) } else { Err(errno(WasiErrno::FBIG)) }
}

fn sync(state: &GuestState, fd: i32) -> Result<(), HostCallError> {
    match state.descriptors.get(fd)? {
        Descriptor::File(file) => Ok(file.file.sync_data()?),
        Descriptor::Directory(_) | Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => {
            Ok(())
        }
    }
}

fn set_flags(state: &mut GuestState, fd: i32, flags: i32) -> Result<(), HostCallError> {
    let append = flags & i32::from(fdflags::APPEND) != 0;
    match state.descriptors.get_mut(fd)? {
        Descriptor::File(file) => {
            let mut now = rustix::fs::fcntl_getfl(&file.file)?;
            now.set(rustix::fs::OFlags::APPEND, append);
            rustix::fs::fcntl_setfl(&file.file, now)?;
            file.append = append;
        }
        Descriptor::Directory(_) | Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => {}
    }
    Ok(())
}

/// The most bytes that one call of a guest moves: the rest is for its next call, between which
/// it can be stopped.
const MAX_MOVED: u32 = 1 << 20;

/// Fills the parts one by one, until one is not filled.
fn read(
    guest: &mut GuestMemory<'_>,
    state: &mut GuestState,
    fd: i32,
    (parts, count): (u32, u32),
    mut offset: Option<u64>,
    at: u32,
) -> Result<(), HostCallError> {
    let parts = guest.parts(parts, count)?;
    let stdin = state.stdin.clone();
    let mut total = 0_u32;
    for (part, len) in parts {
        let len = len.min(MAX_MOVED - total);
        let buffer = guest.bytes_mut(part, len)?;
        let read = match state.descriptors.get_mut(fd)? {
            Descriptor::Stdin { read } if offset.is_none() => {
                let from = stdin.get(*read..).unwrap_or_default();
                let taken = from.len().min(buffer.len());
                for (to, byte) in buffer.iter_mut().zip(from) {
                    *to = *byte;
                }
                *read += taken;
                taken
            }
            Descriptor::File(file) if file.readable => read_some(&file.file, buffer, offset)?,
            Descriptor::File(_) | Descriptor::Stdout | Descriptor::Stderr => {
                return Err(WasiErrno::BADF.into());
            }
            Descriptor::Stdin { .. } => return Err(WasiErrno::SPIPE.into()),
            Descriptor::Directory(_) => return Err(WasiErrno::ISDIR.into()),
        };
        let read = u32::try_from(read).map_err(|_| WasiErrno::OVERFLOW)?;
        offset = offset.map(|offset| offset.saturating_add(read.into()));
        total = total.saturating_add(read);
        if read < len || total >= MAX_MOVED {
            break;
        }
    }
    Ok(guest.put_u32(at, total)?)
}

fn read_some(mut file: &File, buffer: &mut [u8], offset: Option<u64>) -> std::io::Result<usize> {
    match offset {
        Some(offset) => file.read_at(buffer, offset),
        None => file.read(buffer),
    }
}

fn write(
    guest: &mut GuestMemory<'_>,
    state: &mut GuestState,
    fd: i32,
    (parts, count): (u32, u32),
    mut offset: Option<u64>,
    at: u32,
) -> Result<(), HostCallError> {
    let parts = guest.parts(parts, count)?;
    let mut total = 0_u32;
    for (part, len) in parts {
        let len = len.min(MAX_MOVED - total);
        let bytes = guest.bytes(part, len)?;
        match (state.descriptors.get(fd)?, offset) {
            (Descriptor::Stdout, None) => OutputSink::write(&state.stdout, bytes)?,
            (Descriptor::Stderr, None) => OutputSink::write(&state.stderr, bytes)?,
            (Descriptor::File(file), offset) if file.writable => {
                state.files.quota.take(bytes.len())?;
                let from = match offset {
                    Some(offset) => offset,
                    // The end, wherever the position is.
                    None if file.append => 0,
                    None => (&file.file).stream_position()?,
                };
                may_reach(state, &file.file, from.saturating_add(len.into()))?;
                match offset {
                    Some(offset) => file.file.write_all_at(bytes, offset)?,
                    None => (&file.file).write_all(bytes)?,
                }
            }
            (Descriptor::Stdout | Descriptor::Stderr, Some(_)) => return Err(WasiErrno::SPIPE.into()),
            (Descriptor::File(_) | Descriptor::Stdin { .. }, _) => return Err(WasiErrno::BADF.into()),
            (Descriptor::Directory(_), _) => return Err(WasiErrno::ISDIR.into()),
        }
        offset = offset.map(|offset| offset.saturating_add(len.into()));
        total = total.saturating_add(len);
        if total >= MAX_MOVED {
            break;
        }
    }
    Ok(guest.put_u32(at, total)?)
}

fn fdstat(guest: &mut GuestMemory<'_>, state: &GuestState, fd: i32, at: u32) -> Result<(), HostCallError> {
    let (kind, flags, allowed) = match state.descriptors.get(fd)? {
        Descriptor::Stdin { .. } => (filetype::CHARACTER_DEVICE, 0, rights::FD_READ),
        Descriptor::Stdout | Descriptor::Stderr => (filetype::CHARACTER_DEVICE, 0, rights::FD_WRITE),
        Descriptor::Directory(_) => (filetype::DIRECTORY, 0, rights::ALL),
        Descriptor::File(file) => {
            let flags = if file.append { fdflags::APPEND } else { 0 };
            let mut allowed = rights::ALL;
            if !file.readable {
                allowed &= !rights::FD_READ;
            }
            if !file.writable {
                allowed &= !rights::FD_WRITE;
            }
            (filetype::REGULAR_FILE, flags, allowed)
        }
    };
    let mut bytes = [0; 24];
    let (head, tail) = bytes.split_at_mut(8);
    head.copy_from_slice(&(u64::from(kind) | u64::from(flags) << 16).to_le_bytes());
    let (base, inheriting) = tail.split_at_mut(8);
    base.copy_from_slice(&allowed.to_le_bytes());
    inheriting.copy_from_slice(&rights::ALL.to_le_bytes());
    Ok(guest.put(at, &bytes)?)
}

pub(super) fn put_stat(guest: &mut GuestMemory<'_>, at: u32, stat: &FileStat) -> Result<(), HostCallError> {
    let words = [
        stat.device,
        stat.inode,
        u64::from(kind(stat.node)),
        stat.links,
        stat.size,
        stat.accessed,
        stat.modified,
        stat.changed,
    ];
    put_words(guest, at, &words)
}

fn put_stream_stat(guest: &mut GuestMemory<'_>, at: u32) -> Result<(), HostCallError> {
    put_words(guest, at, &[0, 0, u64::from(filetype::CHARACTER_DEVICE), 1, 0, 0, 0, 0])
}

fn put_words(guest: &mut GuestMemory<'_>, at: u32, words: &[u64; 8]) -> Result<(), HostCallError> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(guest.put(at, &bytes)?)
}

fn kind(node: NodeKind) -> u8 {
    match node {
        NodeKind::File => filetype::REGULAR_FILE,
        NodeKind::Directory => filetype::DIRECTORY,
        NodeKind::Link => filetype::SYMBOLIC_LINK,
        NodeKind::Other => filetype::UNKNOWN,
    }
}

/// The number of entries between two checks whether the call is over.
const BETWEEN_LOOKS: usize = 64;

/// Fills `buffer` with entries from `cookie` on; the last one may be cut, as the standard has it.
fn read_dir(buffer: &mut [u8], state: &GuestState, fd: i32, cookie: u64) -> Result<u32, HostCallError> {
    let dir = state.descriptors.dir(fd)?;
    let guest_path: &GuestPath = &dir.guest_path;
    state.files.may_list(guest_path)?;
    let mut entries = Dir::read_from(&*dir.dir)?;
    if cookie != 0 {
        entries.seek(i64::try_from(cookie).map_err(|_| WasiErrno::INVAL)?)?;
    }
    let mut filled = 0_usize;
    for passed in 1_usize.. {
        let Some(entry) = entries.read() else { break };
        let entry = entry?;
        if passed.is_multiple_of(BETWEEN_LOOKS) {
            state.files.term.check()?;
        }
        let Ok(name) = entry.file_name().to_str() else { continue };
        let own = matches!(name, "." | "..");
        if !own && !state.files.shows(guest_path, name) {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::RegularFile => filetype::REGULAR_FILE,
            FileType::Directory => filetype::DIRECTORY,
            FileType::Symlink => filetype::SYMBOLIC_LINK,
            _ => filetype::UNKNOWN,
        };
        let mut record = Vec::with_capacity(24 + name.len());
        record.extend(entry.offset().to_le_bytes());
        record.extend(entry.ino().to_le_bytes());
        record.extend(u32::try_from(name.len()).map_err(|_| WasiErrno::OVERFLOW)?.to_le_bytes());
        record.extend(u32::from(kind).to_le_bytes());
        record.extend(name.as_bytes());
        let rest = buffer.get_mut(filled..).unwrap_or_default();
        let fits = rest.len().min(record.len());
        for (to, byte) in rest.iter_mut().zip(&record) {
            *to = *byte;
        }
        filled += fits;
        if fits < record.len() {
            break;
        }
    }
    Ok(u32::try_from(filled).map_err(|_| WasiErrno::OVERFLOW)?)
}

/// The times to set, by the flags of WASI 0.1.
pub(super) fn timestamps(access: u64, modification: u64, flags: i32) -> Result<Timestamps, HostCallError> {
    Ok(Timestamps {
        last_access: timespec(access, flags & 1 != 0, flags & 2 != 0)?,
        last_modification: timespec(modification, flags & 4 != 0, flags & 8 != 0)?,
    })
}

fn timespec(nanoseconds: u64, set: bool, now: bool) -> Result<Timespec, HostCallError> {
    Ok(match (set, now) {
        (true, true) => return Err(WasiErrno::INVAL.into()),
        (false, false) => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        (false, true) => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        (true, false) => {
            let seconds = i64::try_from(nanoseconds / 1_000_000_000).map_err(|_| WasiErrno::OVERFLOW)?;
            let rest = i64::try_from(nanoseconds % 1_000_000_000).map_err(|_| WasiErrno::OVERFLOW)?;
            Timespec { tv_sec: seconds, tv_nsec: rest }
        }
    })
}
