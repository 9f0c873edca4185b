//! The files that a guest may see, the same for every kind of guest.
//!
//! A directory is opened once, as a handle. Afterwards every path is read beneath a handle, never
//! from the root of the file system. A path is normalised, checked by the policy, and then opened
//! in exactly that form, with links refused by the kernel. So the file that was checked is the file
//! that is opened, even if another process renames files meanwhile.

mod access;
mod companion;
mod guest_files;
mod guest_path;
mod kernel_filesystems;
mod moves;
mod open_beneath;
mod quota;

pub(crate) use access::directory;
pub use access::{AccessError, GuestAccess};
pub(crate) use companion::DraftFiles;
pub(crate) use guest_files::{FileOpenOptions, FileStat, GuestFiles, LinkFollowing, NodeKind, OpenedNode};
pub(crate) use guest_path::GuestPath;
pub(crate) use quota::WriteQuota;

#[cfg(test)]
mod tests;
