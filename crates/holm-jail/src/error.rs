//! The errors that keep a job from starting, sorted by cause: the order, the place, this machine.
//!
//! If one of them is returned, nothing of the program ran. How a job that ran has ended is in
//! `outcome.rs`. Names of files are escaped in every message, because they may contain terminal
//! codes.
//!
//! The steps of a start, and the error of one, come from the supervisor
//! (`launcher_side/supervisor.rs`).

use std::path::{Path, PathBuf};

use holm_grants::escaped;
use thiserror::Error;

use crate::outcome::StartStage;

/// Why a child was not started.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JailError {
    /// A path that must be absolute and plain is not.
    #[error("{} is not an absolute path without . and ..; write it out", shown(.0))]
    Path(PathBuf),
    /// A grant names more or less than a folder or a file, which is all that the kernel can hold.
    #[error("the kernel cannot enforce {}; grant a folder or a file: {hint}", escaped(.grant))]
    NotARoot {
        grant: String,
        /// The grant to write instead.
        hint: &'static str,
    },
    /// A path that can be written can be read as well, and reading was not granted.
    #[error(
        "{} would also let the program read there; missing grant {}",
        escaped(.grant),
        escaped(.missing)
    )]
    Unreadable {
        /// The grant to write.
        grant: String,
        /// The grant to read that must come with it.
        missing: String,
    },
    /// More paths are protected or hidden than can be held.
    #[error(
        "{found} paths are protected or hidden here, and at most {most} can be; grant a smaller folder, \
        or remove some of them"
    )]
    Crowded {
        /// The number of paths found.
        found: usize,
        /// The largest allowed number.
        most: usize,
    },
    /// An argument or a variable holds a NUL, or there is too much of them.
    #[error("{0} cannot be passed to a program")]
    Argument(&'static str),
    /// The program is not on the list, or not there.
    #[error("{} is not found in the system's folders for programs", escaped(.0))]
    NoProgram(String),
    /// The child could not be confined or started; nothing of it ran.
    #[error(
        "{stage}{}: {}",
        .path.as_ref().map(|path| format!(" ({})", shown(path))).unwrap_or_default(),
        escaped(.why)
    )]
    Start {
        /// The step that failed.
        stage: StartStage,
        /// The path that the step was about.
        path: Option<PathBuf>,
        why: String,
    },
    /// The launcher could not be reached.
    #[error("the launcher {} does not answer: {}", shown(.program), escaped(.why))]
    Launcher { program: PathBuf, why: String },
    /// This machine can confine nothing.
    #[error(
        "no confinement on this machine: bubblewrap {}, landlock {}; install bubblewrap, or choose unconfined by name",
        escaped(.bubblewrap),
        escaped(.landlock)
    )]
    NoEngine { bubblewrap: String, landlock: String },
}

/// A path as a person reads it: a name must not pass for a line of Holm's.
fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_prints_a_raw_control_character_of_a_name() {
        let hostile = "a\n\u{1b}[2J\u{202e}\u{200b}\tb";
        let (text, path) = (hostile.to_owned(), PathBuf::from(hostile));
        let errors = [
            JailError::Path(path.clone()),
            JailError::NotARoot { grant: text.clone(), hint: "read:a/**" },
            JailError::Unreadable { grant: text.clone(), missing: text.clone() },
            JailError::Crowded { found: 2, most: 1 },
            JailError::Argument("an argument"),
            JailError::NoProgram(text.clone()),
            JailError::Start { stage: StartStage::Crowded, path: Some(path.clone()), why: text.clone() },
            JailError::Launcher { program: path, why: text.clone() },
            JailError::NoEngine { bubblewrap: text.clone(), landlock: text },
        ];
        for error in errors {
            // A new variant belongs into the list above.
            match &error {
                JailError::Path(_)
                | JailError::NotARoot { .. }
                | JailError::Unreadable { .. }
                | JailError::Crowded { .. }
                | JailError::Argument(_)
                | JailError::NoProgram(_)
                | JailError::Start { .. }
                | JailError::Launcher { .. }
                | JailError::NoEngine { .. } => {}
            }
            let shown = error.to_string();
            assert_eq!(shown, escaped(&shown), "{shown:?}");
        }
    }
}
