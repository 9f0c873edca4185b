//! The tools that exist right now: from the program itself, from folders and from servers. They can
//! change while agents run.
//!
//! A user of the tools takes a [`RegistrySnapshot`], which never changes. A change makes a new
//! snapshot and swaps it in with a single step. So no reader sees half a change, and a call that
//! has begun finishes on the version with which it began.
//!
//! ```text
//!  folders ──► ToolLoader ──► ToolOffer ──┐
//!  program ───────────────► ToolOffer ─┼─► ToolRegistry ──swap──► RegistrySnapshot ──► Toolbox, search
//!  servers ───────────────► ToolOffer ─┘       └──changes()──► runs under way (keep_current)
//! ```
//!
//! [`ToolFolders`] watches folders: if a file appears, changes or disappears, so does its tool. A
//! [`ToolLoader`] knows the kind of tool that a file is. If a new version is broken, the old one is
//! kept and the problem is reported. A [`ToolFileGate`] decides whether a file may be used, when
//! the file is loaded and at each call. A refused file is no longer a tool.
//!
//! The registry decides what exists and not what may be called: the kernel decides that, for each
//! call.
//!
//! Where things are:
//! - `offer.rs`, `list.rs`, `snapshot.rs`: offers, the registry and its snapshots. `follower.rs`:
//!   tells runs of changes.
//! - `folders.rs`, `read.rs`, `loader.rs`, `load_turn.rs`, `sidecar.rs`: how a file becomes a tool.
//! - `watch.rs`, `folder_watcher.rs`, `pending_files.rs`, `reload_request.rs`: how changes are
//!   noticed.
//! - `trust_gate.rs`, `gated_tool.rs`, `pins.rs`: which files may be used, and which code was
//!   confirmed.

mod folder_watcher;
mod folders;
mod follower;
mod gated_tool;
mod list;
mod load_turn;
mod loader;
mod offer;
mod pending_files;
mod pins;
mod read;
mod reload_request;
mod sidecar;
mod snapshot;
mod trust_gate;
mod watch;

pub use folders::{ToolFolder, ToolFolders};
pub use follower::{RegistryFollower, keep_current};
pub use list::{RegistryEdit, ToolRegistry};
pub use loader::{LoadResource, ToolFile, ToolLoadError, ToolLoader};
pub use offer::{SourceRank, ToolOffer, ToolSource};
pub use pins::{NoPinStore, PinFileStore, PinStatus, PinStore, PinStoreError};
pub use read::MAX_FILE;
pub use reload_request::ReloadRequester;
pub use sidecar::{MAX_SIDECAR, SidecarError, ToolSidecar};
pub use snapshot::{RegistrySnapshot, SourceProblem};
pub use trust_gate::{AllowAllGate, ToolFileGate, TrustGate};
pub use watch::{FolderWatchError, FolderWatchHandle};

#[cfg(test)]
mod tests;
