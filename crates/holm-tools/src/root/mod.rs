//! The one folder in which file tools work, held by a handle.
//!
//! A path that a model writes is hostile text. Checking such a text and then giving it to the system to open is two
//! looks at a world that may change between them, so that is not done here: every file is opened from the handle of the
//! root, component by component, and no component may be a link. What comes out is an open file, never a path.
//!
//! - The kernel judged the text `src/lib.rs`. Since no link is followed, that text is what is opened. A link is refused
//!   with the name it leads to, so that the model can ask for that and be judged for that.
//! - On Linux the walk is one `openat2` that stays beneath the root, passes no link and enters no mount. Where that call
//!   is missing, the same walk is made in steps.
//! - [`Denies`] hold for whoever reads, writes, lists or searches. Holm's own folders are written by no tool.
//! - What everyday tools of the user run without asking (an editor's tasks, hooks of git) is written only under a grant that
//!   names it, and what the configuration of git names is written by no tool.
//! - Writes replace by rename, so a hard link to a file outside never changes that file. *Reads cannot see hard links*:
//!   a file that somebody linked into the root is in the root.
//!
//! ```
//! use holm_tools::root::{Root, RootError};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("notes.txt"), "hello")?;
//! let root = Root::open(folder.path())?;
//! assert_eq!(root.read(&root.path("./notes.txt")?)?.bytes(1024)?, b"hello");
//! assert!(matches!(root.path("../secret"), Err(RootError::Path { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod autorun;
mod base;
mod denies;
mod error;
pub(crate) mod git;
mod hand;
mod handle;
mod lock;
mod opened;
mod permit;
mod place;
mod replace;
mod walk;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use base::Folders;
pub use base::{Mounts, Protect, Root};
pub use denies::Denies;
pub use error::RootError;
pub use hand::{Before, Contents, HandError, Item, ItemKind};
pub use opened::Opened;

pub(crate) use lock::Lock;
pub(crate) use opened::Stamp;
pub(crate) use permit::Permit;
pub(crate) use place::{Kind, Place};
pub(crate) use replace::Expect;
pub(crate) use walk::{Ignored, VERSION_CONTROL, Walk, Walked};
