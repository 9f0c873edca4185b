//! A network that contains only one listener, which is handed to the host process.
//!
//! A socket belongs to the network in which it was created, whichever process holds it. So the
//! child creates a network of its own, listens in it, and gives the listener away. The process that
//! accepts there is the child's only way out.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::thread::UnshareFlags;

use super::child::ChildLaunchError;
use super::{namespaces, sys};
use crate::jail::PROXY_PORT;
use crate::outcome::StartStage;

/// Moves into a network of its own and hands out its one listener.
pub(super) fn leave(line: Option<&OwnedFd>) -> Result<(), ChildLaunchError> {
    let failed = |error: io::Error| ChildLaunchError::new(StartStage::Network, &error);
    let line = line.ok_or_else(|| failed(io::Error::from_raw_os_error(libc::EINVAL)))?;
    namespaces::enter(UnshareFlags::NEWNET).map_err(failed)?;
    sys::loopback_up().map_err(failed)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT)).map_err(failed)?;
    let fds = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    if !rights.push(SendAncillaryMessage::ScmRights(&fds)) {
        return Err(failed(io::Error::from_raw_os_error(libc::EINVAL)));
    }
    let sent = sendmsg(line, &[IoSlice::new(b"l")], &mut rights, SendFlags::NOSIGNAL);
    sent.map(drop).map_err(|error| failed(error.into()))
}
