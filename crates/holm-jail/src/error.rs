//! Why no job came about, sorted by blame: the order, the place, this machine.

use std::path::PathBuf;

use thiserror::Error;

use crate::outcome::Stage;

/// Why a child was not started.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JailError {
    /// A path that must be absolute and plain is not.
    #[error("{0} is no absolute path without . and ..; write it out")]
    Path(PathBuf),
    /// A grant names more or less than a folder or a file, which is all that the kernel can hold.
    #[error("{grant} cannot be held by the kernel; grant a folder or a file: {hint}")]
    NotARoot {
        /// The grant.
        grant: String,
        /// What to write instead.
        hint: &'static str,
    },
    /// What can be written can be read as well, and nobody granted that.
    #[error("{grant} would also let the program read there; missing grant {missing}")]
    Unreadable {
        /// The grant to write.
        grant: String,
        /// The grant to read that must come with it.
        missing: String,
    },
    /// More paths are protected or hidden than can be held.
    #[error(
        "{found} paths are protected or hidden here, {most} at most can be; grant a smaller folder, or remove some of them"
    )]
    Crowded {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// An argument or a variable holds a NUL, or there is too much of them.
    #[error("{0} cannot be passed to a program")]
    Argument(&'static str),
    /// The program is not on the list, or not there.
    #[error("{0} is not found in the system's folders for programs")]
    NoProgram(String),
    /// The child could not be confined or started; nothing of it ran.
    #[error("{stage}{}: {why}", .path.as_ref().map(|path| format!(" ({})", path.display())).unwrap_or_default())]
    Start {
        /// What was being done.
        stage: Stage,
        /// What it was done with.
        path: Option<PathBuf>,
        /// What the system said.
        why: String,
    },
    /// The launcher could not be reached.
    #[error("the launcher {program} does not answer: {why}")]
    Launcher {
        /// Its path.
        program: PathBuf,
        /// What the system said.
        why: String,
    },
    /// This machine can confine nothing.
    #[error(
        "no confinement on this machine: bubblewrap {bubblewrap}, landlock {landlock}; install bubblewrap, or choose unconfined by name"
    )]
    NoEngine {
        /// Why not bubblewrap.
        bubblewrap: String,
        /// Why not Landlock.
        landlock: String,
    },
}
