//! The one folder in which file tools work, held by a handle.
//!
//! A path that a model writes is hostile text. Checking such a text and then letting the system
//! open it would be two lookups in a file system that may change in between. So every file is
//! opened from the handle of the root, component by component, and no component may be a link. The
//! result is an open file, never a path.
//!
//! - The kernel judged the text `src/lib.rs`. Since no link is followed, that text is what is
//!   opened. A link is refused with the name of its target, so that the model can ask for the
//!   target and the kernel can judge it.
//! - On Linux the walk is one `openat2` that stays beneath the root, passes no link and enters no
//!   mount. Where that call is missing, the same walk is made in steps.
//! - [`DenyRules`] apply to every read, write, listing and search. No tool writes
//!   to Holm's own folders.
//! - Files that everyday tools of the user run without asking (an editor's tasks, git hooks) are
//!   written only under a grant that names them. Files that the configuration of git names are
//!   never written by a tool.
//! - Writes replace by rename, so a hard link to a file outside never changes that file. *Reads
//!   cannot see hard links*: a file that was hard-linked into the root counts as part of the root.
//!
//! ```
//! use holm_tools::root::{WorkspaceRoot, WorkspaceRootError};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("notes.txt"), "hello")?;
//! let root = WorkspaceRoot::open(folder.path())?;
//! assert_eq!(root.read(&root.path("./notes.txt")?)?.bytes(1024)?, b"hello");
//! assert!(matches!(root.path("../secret"), Err(WorkspaceRootError::Path { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where things are:
//! - `workspace_root.rs`: the root, and every check before a file is opened.
//! - `handle.rs`: opens paths beneath a handle. `file_location.rs`, `opened_file.rs`: what it
//!   opened.
//! - `deny_rules.rs`, `autorun.rs`: files that tools may not see, and files that tools of the user
//!   run.
//! - `link_way.rs`: links on the way to a path. `live_grants.rs`: what the user opens while tools
//!   are in use.
//! - `seen_files.rs`: what a model has read. `permit.rs`: the grants of one call. `error.rs`: why something is refused.
//! - `replace.rs`, `lock.rs`: writes, and one writer at a time.
//! - `walk.rs`: everything beneath a folder. `manual_files.rs`: operations by hand.
//! - `git/`: what git takes for a repository, and what it would run.

pub(crate) mod autorun;
mod deny_rules;
mod error;
mod file_location;
pub(crate) mod git;
mod handle;
pub(crate) mod link_way;
mod live_grants;
mod lock;
mod manual_files;
mod opened_file;
mod permit;
mod replace;
mod seen_files;
mod walk;
mod workspace_root;

#[cfg(test)]
pub(crate) mod tests;

pub use deny_rules::DenyRules;
pub use error::WorkspaceRootError;
pub use live_grants::LiveGrants;
pub use manual_files::{FolderItem, FolderItemKind, FolderListing, ManualFileError, WritePrecondition};
pub use opened_file::OpenedFile;
pub use seen_files::SeenFiles;
pub(crate) use workspace_root::MissingFolderPolicy;
pub use workspace_root::{MountPolicy, ProtectionLevel, WorkspaceRoot};

pub(crate) use file_location::{DirEntryKind, FileLocation};
pub(crate) use lock::FileLock;
pub(crate) use opened_file::FileStamp;
pub(crate) use permit::CallPermit;
pub(crate) use replace::ExpectedFile;
pub(crate) use walk::{IgnoredFilePolicy, VERSION_CONTROL, WalkSummary, WorkspaceWalk};
