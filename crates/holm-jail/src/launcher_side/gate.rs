//! The last step of a job under bubblewrap that has many protected or hidden paths.
//!
//! For every mount that bubblewrap makes it reads the list of all mounts, so with thousands of them
//! its time grows with their square. So bubblewrap builds its view without them, and starts this
//! program again inside, as the *gate*. The gate hands out its mount namespace and waits. A process
//! outside enters that namespace and makes the mounts there. Then the gate becomes the program. A
//! gate that receives nothing, or anything but the order, starts nothing.
//!
//! The mounts themselves are made by `launcher_side/protect.rs`; the view is built by
//! `launcher_side/bubblewrap.rs`. The gate gets the order from outside and neither arguments nor
//! environment from the job, because a variable could make the loader run code in it.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::child::{self, ChildLaunchError, UNBORN};
use super::namespaces::mounts_are_given;
use super::protect;
use super::supervisor::read_order;
use super::sys;
use crate::engine::JailEngine;
use crate::order::{JailOrder, RootAccess};
use crate::outcome::StartStage;

/// The argument that makes this program a gate; the number of its socket follows.
pub(super) const GATE_ARGUMENT: &str = "--holm-jail-gate";

/// The most paths that bubblewrap takes over as mounts: up to here a gate takes longer.
const MOST_TAKEN_OVER: usize = 64;

/// Whether the mounts of a job are made after bubblewrap has built its view.
pub(super) fn is_needed(order: &JailOrder) -> bool {
    let JailEngine::Bubblewrap(program) = &order.engine else { return false };
    let held =
        order.roots.iter().filter(|root| matches!(root.access, RootAccess::Protected | RootAccess::Hidden));
    // One that has rights of its own keeps its namespaces to itself.
    let is_plain = || program.metadata().is_ok_and(|data| data.permissions().mode() & 0o6000 == 0);
    // A name that is missing gets no mount.
    let mounts = held.filter(|root| protect::is_there(&root.path)).take(MOST_TAKEN_OVER + 1).count();
    mounts > MOST_TAKEN_OVER && is_plain() && mounts_are_given()
}

/// Becomes a gate and never returns, if this process was started as one.
pub(super) fn pass_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|argument| argument != GATE_ARGUMENT) {
        return;
    }
    let number = arguments.next().and_then(|number| number.to_str()?.parse().ok());
    if let Some(socket) = number.and_then(sys::inherited) {
        let mut outside = UnixStream::from(socket);
        let failure = pass(&mut outside);
        let _ = outside.write_all(&failure.encode());
    }
    std::process::exit(UNBORN)
}

/// Waits until everything is held and becomes the program. Returns only what went wrong.
fn pass(outside: &mut UnixStream) -> ChildLaunchError {
    let failed = |error: &io::Error| ChildLaunchError::new(StartStage::Namespace, error);
    // Nothing of this is the program's, not even the file of this program.
    if let Err(error) = sys::close_on_exec() {
        return failed(&error);
    }
    let handed = File::open("/proc/self/ns/mnt").and_then(|mounts| hand_out(outside, &mounts));
    if let Err(error) = handed {
        return failed(&error);
    }
    match read_order(outside) {
        Some(order) => child::exec(&order),
        None => failed(&io::Error::from(io::ErrorKind::UnexpectedEof)),
    }
}

fn hand_out(outside: &UnixStream, mounts: &File) -> io::Result<()> {
    let fds = [mounts.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    if !rights.push(SendAncillaryMessage::ScmRights(&fds)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(sendmsg(outside, &[IoSlice::new(b"m")], &mut rights, SendFlags::NOSIGNAL).map(drop)?)
}

/// Waits for the mount namespace of a gate. Returns `None` if bubblewrap or the gate has ended.
fn take_mounts(gate: &UnixStream) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(gate, &mut [IoSliceMut::new(&mut byte)], &mut rights, RecvFlags::CMSG_CLOEXEC).ok()?;
    let mut fds = rights.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    fds.next()?.next()
}

/// Waits for the gate, makes all mounts in its namespace and sends the order. Runs in a process of
/// its own, which stays inside.
pub(super) fn open(gate: &mut UnixStream, order: &JailOrder) -> Result<(), ChildLaunchError> {
    let failed = |error: &io::Error| ChildLaunchError::at(StartStage::Namespace, error, &order.cwd);
    // Bubblewrap reports on the job's own stream why it has ended.
    let mounts = take_mounts(gate).ok_or_else(|| failed(&io::Error::from_raw_os_error(libc::EPERM)))?;
    let enter = |namespace: &OwnedFd, kind| move_into_link_name_space(namespace.as_fd(), Some(kind));
    sys::owner_of(&mounts)
        .and_then(|user| Ok(enter(&user, LinkNameSpaceType::User)?))
        .and_then(|()| Ok(enter(&mounts, LinkNameSpaceType::Mount)?))
        .map_err(|error| failed(&error))?;
    protect::hold_paths(order)?;
    let bytes = order.encode();
    let said = gate.write_all(&(bytes.len() as u64).to_le_bytes()).and_then(|()| gate.write_all(&bytes));
    said.map_err(|error| failed(&error))?;
    let _ = gate.shutdown(Shutdown::Write);
    // The gate closes the socket when it becomes the program; otherwise it reports the reason.
    let mut answer = Vec::new();
    let _ = gate.read_to_end(&mut answer);
    ChildLaunchError::decode(&answer).map_or(Ok(()), Err)
}
