//! Functions on paths. Each starts at a directory that the module holds, and the policy decides
//! about it.
//!
//! They only translate arguments and flags; every decision and every system call is in
//! `files/guest_files.rs` and `files/moves.rs`. Open files are kept in `p1/table.rs`. The same for
//! components is in `p2/files.rs`.

use wasmtime::Linker;

use super::abi::{HostCallError, WasiErrno, fdflags, oflags, rights};
use super::define;
use super::fd::{put_stat, timestamps};
use super::table::Descriptor;
use crate::files::{FileOpenOptions, GuestPath, LinkFollowing};
use crate::state::GuestState;

pub(super) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    define! { linker,
        "path_create_directory" => |guest, state, fd: i32, path: u32, len: u32| {
            let path = guest.text(path, len)?;
            Ok(state.files.create_directory(&state.descriptors.guest_path(fd)?, path)?)
        };
        "path_filestat_get" => |guest, state, fd: i32, flags: i32, path: u32, len: u32, at: u32| {
            let text = guest.text(path, len)?;
            let stat = state.files.stat(&state.descriptors.guest_path(fd)?, text, follow(flags))?;
            put_stat(guest, at, &stat)
        };
        "path_filestat_set_times" =>
            |guest, state, fd: i32, _follow: i32, path: u32, len: u32, atim: u64, mtim: u64, flags: i32| {
            let times = timestamps(atim, mtim, flags)?;
            let path = guest.text(path, len)?;
            Ok(state.files.set_times(&state.descriptors.guest_path(fd)?, path, &times)?)
        };
        "path_link" =>
            |guest, state, fd: i32, _flags: i32, old: u32, old_len: u32, new_fd: i32, new: u32, new_len: u32| {
            let (old, new) = (guest.text(old, old_len)?, guest.text(new, new_len)?);
            let (from, to) = both(state, fd, new_fd)?;
            Ok(state.files.link(&from, old, &to, new)?)
        };
        "path_open" =>
            |guest, state, fd: i32, dirflags: i32, path: u32, len: u32, open: i32, base: u64, _inherit: u64, flags: i32, at: u32| {
            let options = options(open, base, flags);
            let from = state.descriptors.guest_path(fd)?;
            let opened = state.files.open(&from, guest.text(path, len)?, follow(dirflags), options)?;
            let descriptor = Descriptor::opened(opened, options.read, options.write, options.append);
            let fd = state.descriptors.push(descriptor, state.handles)?;
            Ok(guest.put_u32(at, fd)?)
        };
        "path_readlink" => |guest, state, fd: i32, path: u32, len: u32, at: u32, capacity: u32, used: u32| {
            let target = state.files.read_link(&state.descriptors.guest_path(fd)?, guest.text(path, len)?)?;
            let fits = target.as_bytes().get(..capacity as usize).unwrap_or(target.as_bytes());
            guest.put(at, fits)?;
            Ok(guest.put_u32(used, u32::try_from(fits.len()).map_err(|_| WasiErrno::OVERFLOW)?)?)
        };
        "path_remove_directory" => |guest, state, fd: i32, path: u32, len: u32| {
            let path = guest.text(path, len)?;
            Ok(state.files.remove_directory(&state.descriptors.guest_path(fd)?, path)?)
        };
        "path_rename" => |guest, state, fd: i32, old: u32, old_len: u32, new_fd: i32, new: u32, new_len: u32| {
            let (old, new) = (guest.text(old, old_len)?, guest.text(new, new_len)?);
            let (from, to) = both(state, fd, new_fd)?;
            Ok(state.files.rename(&from, old, &to, new)?)
        };
        "path_symlink" => |guest, state, _old: u32, _old_len: u32, fd: i32, new: u32, new_len: u32| {
            let path = guest.text(new, new_len)?;
            Err(state.files.refuse_link(&state.descriptors.guest_path(fd)?, path).into())
        };
        "path_unlink_file" => |guest, state, fd: i32, path: u32, len: u32| {
            let path = guest.text(path, len)?;
            Ok(state.files.unlink(&state.descriptors.guest_path(fd)?, path)?)
        };
    }
    Ok(())
}

fn both(state: &GuestState, from: i32, to: i32) -> Result<(GuestPath, GuestPath), HostCallError> {
    Ok((state.descriptors.guest_path(from)?, state.descriptors.guest_path(to)?))
}

fn follow(flags: i32) -> LinkFollowing {
    if flags & 1 != 0 { LinkFollowing::Yes } else { LinkFollowing::No }
}

fn options(open: i32, rights: u64, flags: i32) -> FileOpenOptions {
    let append = flags & i32::from(fdflags::APPEND) != 0;
    FileOpenOptions {
        read: rights & rights::FD_READ != 0,
        write: rights & rights::FD_WRITE != 0,
        create: open & oflags::CREATE != 0,
        exclusive: open & oflags::EXCLUSIVE != 0,
        truncate: open & oflags::TRUNCATE != 0,
        directory: open & oflags::DIRECTORY != 0,
        append: append && rights & rights::FD_WRITE != 0,
    }
}
