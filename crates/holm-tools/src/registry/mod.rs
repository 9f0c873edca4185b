//! The tools that exist right now: from the program itself, from folders and from servers. They can
//! change while agents run.
//!
//! A user of the tools takes a [`Snapshot`], which never changes. A change makes a new snapshot and
//! swaps it in with a single step. So no reader sees half a change, and a call that has begun
//! finishes on the version with which it began.
//!
//! ```text
//!  folders ──► Loader ──► Offer ──┐
//!  program ───────────────► Offer ─┼─► Registry ──swap──► Snapshot ──► Toolbox, search
//!  servers ───────────────► Offer ─┘       └──changes()──► runs under way (keep_current)
//! ```
//!
//! [`Folders`] watches folders: if a file appears, changes or disappears, so does its tool. A
//! [`Loader`] knows the kind of tool that a file is. If a new version is broken, the old one is
//! kept and the problem is reported. A [`Gate`] decides whether a file may be used, when the file
//! is loaded and at each call. A refused file is no longer a tool.

mod again;
mod folders;
mod follow;
mod gate;
mod gated;
mod list;
mod loader;
mod lookout;
mod offer;
mod pending;
mod pins;
mod read;
mod sidecar;
mod snapshot;
mod turn;
mod watch;

pub use again::Again;
pub use folders::{Folder, Folders};
pub use follow::{Following, keep_current};
pub use gate::{Gate, OpenGate, TrustGate};
pub use list::{Edit, Registry};
pub use loader::{Found, LoadError, Loader, Takes};
pub use offer::{Offer, Rank, Source};
pub use pins::{NoPins, PinError, PinFile, Pins, Standing};
pub use read::MAX_FILE;
pub use sidecar::{MAX_SIDECAR, Sidecar, SidecarError};
pub use snapshot::{Problem, Snapshot};
pub use watch::{WatchError, Watching};

#[cfg(test)]
mod tests;
