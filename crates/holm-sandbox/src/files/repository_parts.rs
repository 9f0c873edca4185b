//! Keeps guests from completing a git repository, and from writing what git runs in one.
//!
//! A folder becomes a repository by its `HEAD`, which no guest may write. A command may: its check
//! finds nothing to run there, and does not look again after a guest. So whatever else git looks for
//! in such a folder is refused here. The file tools have the same rule
//! (`holm-tools/src/root/git/layout.rs`).

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, statat};

use super::access::RootDirectory;
use super::guest_path::{GuestPath, push};
use super::open_beneath;

/// Names that git looks for in a repository.
const PARTS: [&str; 11] = [
    "branches",
    "commondir",
    "config",
    "config.worktree",
    "hooks",
    "info",
    "modules",
    "objects",
    "refs",
    "remotes",
    "worktrees",
];

/// Whether a path is, or lies in, a part of a folder that has a `HEAD`.
pub(super) fn holds(root: &RootDirectory, guest_path: &GuestPath) -> bool {
    let mut folder = String::new();
    for name in guest_path.components() {
        let is_part = PARTS.iter().any(|part| name.eq_ignore_ascii_case(part));
        if is_part && has_head(&root.dir, &GuestPath::at(guest_path.root, folder.clone())) {
            return true;
        }
        push(&mut folder, name);
    }
    false
}

fn has_head(root: impl AsFd, folder: &GuestPath) -> bool {
    #[cfg(target_os = "linux")]
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    #[cfg(not(target_os = "linux"))]
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    // Behind a link the operation fails, or asks again about its target.
    let Ok(folder) = open_beneath::open(root, folder.os_path(), flags, Mode::empty()) else { return false };
    statat(folder, "HEAD", AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) != FileType::Directory)
}
