//! System calls for which no crate has a safe wrapper. This is the only file of the crate with
//! `unsafe` code.
//!
//! Each wrapper says why it is sound; most rely on these processes having one thread. Callers get
//! safe functions and decide when to call them (`launcher_side/child.rs`,
//! `launcher_side/protect.rs` and others).

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// Which side of a fork this is.
pub(super) enum ForkSide {
    Child,
    Parent(Pid),
}

/// Forks. Only the launcher and its children do, which are small and have one thread.
pub(super) fn fork() -> io::Result<ForkSide> {
    #[expect(
        unsafe_code,
        reason = "fork has no safe form; with one thread, no lock can be held by a thread that is gone"
    )]
    // SAFETY: the launcher, and what it forks, never start a thread, so the child's memory is a
    // whole and consistent copy.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(ForkSide::Child),
        pid => Pid::from_raw(pid)
            .map(ForkSide::Parent)
            .ok_or_else(|| io::Error::other("a process without number")),
    }
}

/// Marks every descriptor but the standard ones to be closed when a program is started.
pub(super) fn close_on_exec() -> io::Result<()> {
    #[expect(unsafe_code, reason = "close_range has no safe form")]
    // SAFETY: with this flag the call closes nothing; it changes how descriptors behave at the next
    // exec, and touches no memory.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A descriptor that this process inherited, if that number is open.
pub(super) fn inherited(number: i32) -> Option<OwnedFd> {
    #[expect(unsafe_code, reason = "whether a number is a descriptor is known to the kernel alone")]
    // SAFETY: the call takes a number and touches no memory.
    let is_open = unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0;
    #[expect(unsafe_code, reason = "an inherited descriptor is a number")]
    // SAFETY: it is open, its number came with the arguments for this process alone, and no other
    // code here uses it.
    (is_open && number > libc::STDERR_FILENO).then(|| unsafe { OwnedFd::from_raw_fd(number) })
}

/// The user namespace that a namespace belongs to.
pub(super) fn owner_of(namespace: &OwnedFd) -> io::Result<OwnedFd> {
    #[expect(unsafe_code, reason = "the owner of a namespace has no safe form")]
    // SAFETY: the request takes no argument; it gives a descriptor of this process, which no other
    // code has.
    unsafe {
        match libc::ioctl(namespace.as_raw_fd(), OWNER_OF_NAMESPACE) {
            -1 => Err(io::Error::last_os_error()),
            number => Ok(OwnedFd::from_raw_fd(number)),
        }
    }
}

/// Ends this process after so many seconds, even if it is blocked; `None` cancels that. Processes
/// that it forks have no such limit.
pub(super) fn end_after(seconds: Option<u32>) {
    #[expect(unsafe_code, reason = "alarm has no safe form")]
    // SAFETY: the call takes a number and touches no memory; its signal ends the process, because
    // no handler is installed here.
    let _ = unsafe { libc::alarm(seconds.map_or(0, |seconds| seconds.max(1))) };
}

/// Moves this process into namespaces of its own.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    #[expect(unsafe_code, reason = "leaving shared tables is unsafe with several threads; there is one")]
    // SAFETY: the flags that could make descriptors of other threads invalid are not used, and
    // there are no other threads.
    let done = unsafe { rustix::thread::unshare_unsafe(flags) };
    Ok(done?)
}

/// The ioctl `NS_GET_USERNS` of Linux.
const OWNER_OF_NAMESPACE: libc::Ioctl = 0xb701;

/// `SIOCSIFFLAGS`, in the type that the C library takes: the crate's own is only glibc's.
const SET_INTERFACE_FLAGS: libc::Ioctl = 0x8914;

/// Switches the loopback interface of this network on.
pub(super) fn loopback_up() -> io::Result<()> {
    let family = rustix::net::AddressFamily::INET;
    let socket = rustix::net::socket(family, rustix::net::SocketType::DGRAM, None)?;
    let mut name = [0; libc::IFNAMSIZ];
    for (to, from) in name.iter_mut().zip(b"lo") {
        *to = libc::c_char::try_from(*from).unwrap_or_default();
    }
    let flags = libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or_default();
    let request =
        libc::ifreq { ifr_name: name, ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_flags: flags } };
    let fd = std::os::fd::AsRawFd::as_raw_fd(&socket);
    #[expect(unsafe_code, reason = "setting the flags of an interface has no safe form")]
    // SAFETY: the request is a whole value that outlives the call, and the kernel only reads it.
    let result = unsafe { libc::ioctl(fd, SET_INTERFACE_FLAGS, &raw const request) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether a mount is read-only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MountWritability {
    Yes,
    No,
}

/// Changes a mount and those beneath it.
pub(super) fn set_read_only(path: &Path, read_only: MountWritability) -> io::Result<()> {
    change_mounts(libc::AT_FDCWD, path, 0, read_only)
}

/// Changes an open mount, which is not attached yet, and those beneath it.
pub(super) fn set_tree_read_only(tree: BorrowedFd<'_>, read_only: MountWritability) -> io::Result<()> {
    change_mounts(tree.as_raw_fd(), Path::new(""), libc::AT_EMPTY_PATH, read_only)
}

fn change_mounts(folder: i32, path: &Path, flags: i32, read_only: MountWritability) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let (attr_set, attr_clr) = match read_only {
        MountWritability::Yes => (libc::MOUNT_ATTR_RDONLY, 0),
        MountWritability::No => (0, libc::MOUNT_ATTR_RDONLY),
    };
    let change = libc::mount_attr { attr_set, attr_clr, propagation: 0, userns_fd: 0 };
    #[expect(unsafe_code, reason = "mount_setattr has no safe form")]
    // SAFETY: both pointers are to values that outlive the call, the size is that of the second,
    // and the kernel writes to neither.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder,
            path.as_ptr(),
            libc::AT_RECURSIVE | flags,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
