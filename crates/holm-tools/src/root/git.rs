//! Whether a folder is the inside of a git repository, under whatever name.
//!
//! Git runs programs that its configuration names. A repository need not be called `.git`: a bare one can lie anywhere,
//! and git finds it when it is started there. So no tool writes into a folder that git would take for one.

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, statat};

/// Whether git would take the folder for a repository, or for a work tree's part of one.
pub(super) fn is_inside(folder: impl AsFd) -> bool {
    let has = |name: &str| statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}
