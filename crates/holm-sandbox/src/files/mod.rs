//! The files that a guest may see, the same for every kind of guest.
//!
//! A directory is opened once, as a handle. Afterwards every path is read beneath a handle, never
//! from the root of the file system. A path is normalised, checked by the policy, and then opened
//! in exactly that form, with links refused by the kernel. So the file that was checked is the file
//! that is opened, even if another process renames files meanwhile.
//!
//! Both kinds of guests (`p1/`, `p2/`) must come through here for every path: no other file of this
//! crate may open one for a guest.
//!
//! Where things are:
//!
//! - `files/access.rs`: the policy with its opened directories.
//! - `files/guest_path.rs`: a path beneath one of them.
//! - `files/guest_files.rs`: every file operation.
//! - `files/moves.rs`: renames and hard links.
//! - `files/open_beneath.rs`: opens without following a link.
//! - `files/kernel_filesystems.rs`: file systems that hold no files.
//! - `files/companion.rs`: drafts, journals and locks next to a file.
//! - `files/quota.rs`: how much may be written.
//! - `files/repository_parts.rs`: what would complete a git repository.

mod access;
mod companion;
mod guest_files;
mod guest_path;
mod kernel_filesystems;
mod moves;
mod open_beneath;
mod quota;
mod repository_parts;

pub(crate) use access::directory;
pub use access::{AccessError, GuestAccess};
pub(crate) use companion::DraftFiles;
pub(crate) use guest_files::{FileOpenOptions, FileStat, GuestFiles, LinkFollowing, NodeKind, OpenedNode};
pub(crate) use guest_path::GuestPath;
pub(crate) use quota::WriteQuota;

#[cfg(test)]
mod tests;
