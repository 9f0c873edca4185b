//! Creates namespaces for this process, on kernels that allow them to every user.
//!
//! Whether they are allowed is found out once, in the launcher, by trying in a child. The mounts
//! inside are made by `launcher_side/protect.rs`, the network by `launcher_side/network.rs`. The
//! user and the group stay the same inside as outside, so that files keep their owners.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use rustix::mount::{MountPropagationFlags, OpenTreeFlags, mount_change, open_tree};
use rustix::process::{DumpableBehavior, Pid, WaitOptions, getgid, getuid, set_dumpable_behavior, waitpid};
use rustix::thread::UnshareFlags;

use super::sys::{self, ForkSide, fork};

/// Whether this machine allows mounts to every user; found out once, in the launcher.
static MOUNTS: OnceLock<bool> = OnceLock::new();

/// Moves into a user namespace and those of the flags, with the same user and
/// group inside as outside.
pub(super) fn enter(flags: UnshareFlags) -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // The files below belong to root while the process is closed to others; it opens again with the
    // program anyway.
    let _ = set_dumpable_behavior(DumpableBehavior::Dumpable);
    sys::unshare(UnshareFlags::NEWUSER | flags)?;
    let write = |file: &str, text: String| fs::write(format!("/proc/self/{file}"), text);
    write("setgroups", "deny".into())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))
}

/// Moves into a mount namespace, from which nothing comes back to the system's.
pub(super) fn enter_mounts(flags: UnshareFlags) -> io::Result<()> {
    enter(UnshareFlags::NEWNS | flags)?;
    Ok(mount_change(Path::new("/"), MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
}

/// Whether a process may have mounts of its own here. Some systems give it the namespace
/// and refuse the mounts.
pub(super) fn mounts_are_given() -> bool {
    *MOUNTS.get_or_init(|| match fork() {
        Ok(ForkSide::Child) => {
            let mounted = enter_mounts(UnshareFlags::empty()).is_ok_and(|()| {
                let clone = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
                open_tree(rustix::fs::CWD, "/dev/null", clone).is_ok()
            });
            std::process::exit(i32::from(!mounted))
        }
        Ok(ForkSide::Parent(child)) => ended_well(child),
        Err(_) => false,
    })
}

fn ended_well(child: Pid) -> bool {
    loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => return status.exit_status() == Some(0),
            Err(rustix::io::Errno::INTR) => {}
            Ok(None) | Err(_) => return false,
        }
    }
}
