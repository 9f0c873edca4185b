//! How a job ended, and what output it left; also the steps in which a start can fail.
//!
//! It is data: `job.rs` fills it from the supervisor's messages. A job that was not started is an
//! error (`error.rs`). Suspicions in it are guesses for the user (`suspected_denial.rs`), and no
//! code may grant anything because of them.

use std::fmt;
use std::path::PathBuf;

use crate::output::CapturedOutput;
use crate::suspected_denial::SuspectedDenial;

/// Why a job stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JailEnding {
    /// The program returned this status.
    Exited(i32),
    /// This signal ended the program; not one of ours.
    Signalled(i32),
    /// The time was up.
    TimedOut,
    /// The caller cancelled or dropped the job.
    Cancelled,
    /// It wrote too much output.
    OutOfOutput,
    /// Its processes had too much memory together.
    OutOfMemory,
    /// A protected name appeared while it ran, again and again: see [`JailOutcome::appeared`].
    MadeProtected,
    /// The supervisor is gone, so the ending is unknown. The job's processes lost their streams.
    Lost,
}

/// The result of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JailOutcome {
    pub ending: JailEnding,
    pub stdout: CapturedOutput,
    pub stderr: CapturedOutput,
    /// Protected names that did not exist before and appeared while it ran, and
    /// what became of them.
    pub appeared: Vec<ProtectedName>,
    /// The accesses that were probably refused, read from its output. A guess for the user to
    /// check, never a fact.
    pub suspicions: Vec<SuspectedDenial>,
}

/// A protected name that appeared while a job ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedName {
    /// The path where it appeared, or the path of the link on the way to it.
    pub path: PathBuf,
    /// What was done with it.
    pub fate: ProtectedNameFate,
}

/// What is done with an entry that appears under a protected name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtectedNameFate {
    /// It was removed: it was an empty folder.
    Removed,
    /// It was renamed to this. Another program of the user's may have made it, so
    /// its content is kept.
    SetAside(PathBuf),
    /// It could be neither removed nor renamed.
    Stays,
}

/// The step in which a start failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartStage {
    /// The order was read.
    Order,
    /// A root was opened.
    Root,
    /// A protected path was fixed in its place.
    Protect,
    /// The limits were set.
    Limit,
    /// The working folder was entered.
    Folder,
    Landlock,
    Seccomp,
    /// A process was made.
    Fork,
    /// Bubblewrap built its namespaces.
    Namespace,
    /// A network of its own was made.
    Network,
    /// The program was started.
    Program,
    /// A hidden file was checked again.
    Changed,
    /// Protected and hidden paths were counted.
    Crowded,
}

impl StartStage {
    const ALL: [Self; 13] = [
        Self::Order,
        Self::Root,
        Self::Protect,
        Self::Limit,
        Self::Folder,
        Self::Landlock,
        Self::Seccomp,
        Self::Fork,
        Self::Namespace,
        Self::Network,
        Self::Program,
        Self::Changed,
        Self::Crowded,
    ];

    /// The stage of this number, as it came over the socket.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    pub(crate) fn number(self) -> u8 {
        Self::ALL
            .iter()
            .position(|stage| *stage == self)
            .and_then(|at| u8::try_from(at).ok())
            .unwrap_or_default()
    }
}

impl fmt::Display for StartStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Order => "the order cannot be read",
            Self::Root => "the root cannot be opened without following links",
            Self::Protect => "the path cannot be protected",
            Self::Limit => "a limit cannot be set",
            Self::Folder => "the working folder cannot be entered",
            Self::Landlock => "landlock cannot be applied",
            Self::Seccomp => "seccomp cannot be applied",
            Self::Fork => "no process can be made",
            Self::Namespace => "bubblewrap cannot build its namespaces, see its message",
            Self::Network => "no network of its own can be made",
            Self::Program => "the program cannot be started",
            Self::Changed => "a hidden file was moved or replaced while the command started",
            Self::Crowded => "there are too many protected and hidden paths",
        })
    }
}
