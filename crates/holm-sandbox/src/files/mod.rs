//! The files that a guest may see, the same for every kind of guest.
//!
//! A directory is opened once, as a handle. Afterwards every path is read beneath a handle, never
//! from the root of the file system. A path is normalised, checked by the policy, and then opened
//! in exactly that form, with links refused by the kernel. So the file that was checked is the file
//! that is opened, even if another process renames files meanwhile.

mod access;
mod beneath;
mod companion;
mod folder;
mod kernel;
mod moves;
mod place;
mod quota;

pub(crate) use access::directory;
pub use access::{Access, AccessError};
pub(crate) use companion::Drafts;
pub(crate) use folder::{Files, Follow, Node, OpenOptions, Opened, Stat};
pub(crate) use place::Place;
pub(crate) use quota::Quota;

#[cfg(test)]
mod tests;
