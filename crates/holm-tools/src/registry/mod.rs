//! The tools that there are right now: from the program itself, from folders, from servers; changed while agents run.
//!
//! Whoever wants the tools takes a [`Snapshot`], which never changes. A change makes a new one and puts it in the old
//! one's place in a single step, so nobody ever sees half of it, and a call that began finishes on the version that it
//! began with.
//!
//! ```text
//!  folders ──► Loader ──► Offer ──┐
//!  program ───────────────► Offer ─┼─► Registry ──swap──► Snapshot ──► Toolbox, search
//!  servers ───────────────► Offer ─┘       └──changes()──► runs under way (keep_current)
//! ```
//!
//! [`Folders`] watches folders: a file that appears, changes or goes is a tool that appears, changes or goes. What kind
//! of tool a file is, a [`Loader`] knows. A broken new version keeps the old one and says so. Whether a file may be used at
//! all, a [`Gate`] says, when the file is looked at and at each call; what it refuses is no tool any more.

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
