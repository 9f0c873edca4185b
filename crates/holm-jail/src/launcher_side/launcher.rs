//! The launcher's loop: one message, one fork.
//!
//! It reads no order and confines nothing: the forked process does (`launcher_side/supervisor.rs`).
//! It stays small and keeps one thread, so that a fork is fast and safe. When the socket to the
//! host closes it ends; jobs that run have supervisors of their own. The host's side is
//! `launcher.rs`.

use std::fs::File;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{DumpableBehavior, WaitOptions, set_dumpable_behavior, wait};

use super::namespaces::mounts_are_given;
use super::supervisor::supervise;
use super::sys::{ForkSide, fork};

/// How long a finished supervisor may stay a zombie.
const REAP_EVERY: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Forks a supervisor for each message until the socket closes.
pub(super) fn serve() {
    // No other process of this user may inspect the launcher or take its descriptors.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let control = std::io::stdin();
    let mut children = 0_usize;
    loop {
        let mut ready = [PollFd::new(&control, PollFlags::IN)];
        let patience = (children > 0).then_some(&REAP_EVERY);
        let polled = poll(&mut ready, patience);
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {
            children = children.saturating_sub(1);
        }
        match polled {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return,
        }
        let Some(fds) = receive(control.as_fd()) else { return };
        // The last one is the socket for a listener, if the job has a network of its own.
        let mut fds = fds.into_iter();
        let first = [fds.next(), fds.next(), fds.next(), fds.next()];
        let [Some(job), Some(stdin), Some(stdout), Some(stderr)] = first else { continue };
        let line = fds.next();
        // Found here once, so that no job has to.
        let _ = mounts_are_given();
        match fork() {
            Ok(ForkSide::Child) => {
                // The line to the large process is the launcher's alone.
                if let Ok(null) = File::open("/dev/null") {
                    let _ = rustix::stdio::dup2_stdin(&null);
                }
                supervise(job, [stdin, stdout, stderr], line);
                std::process::exit(0);
            }
            Ok(ForkSide::Parent(_)) => children += 1,
            // The job's socket closes, which the other side notices.
            Err(_) => {}
        }
    }
}

/// The descriptors of one message; none when the socket is closed.
fn receive(control: std::os::fd::BorrowedFd<'_>) -> Option<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(5))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let message =
        recvmsg(control, &mut [IoSliceMut::new(&mut byte)], &mut rights, RecvFlags::CMSG_CLOEXEC).ok()?;
    if message.bytes == 0 {
        return None;
    }
    let fds = rights.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    Some(fds.flatten().collect())
}
