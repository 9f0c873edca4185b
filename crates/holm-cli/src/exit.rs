//! The exit codes of the command, and the error type that carries one. Programs rely on these
//! numbers, so their meaning never changes. It prints nothing: `main.rs` prints an error with its
//! hint and turns it into the exit code. A new kind of failure gets one of the existing codes where
//! possible.

use std::{fmt, process};

use holm::kernel::Ending;
use holm_config::SettingOrigin;

/// How the command ended, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandExit {
    /// The command has done its work.
    Done,
    /// Something went wrong on this machine: a file, the store, the terminal.
    Failed,
    /// The arguments are invalid, or something that they name is, such as a file
    /// that the command reads.
    Usage,
    /// The run ended without an answer: refused, rejected, or going round in circles. Or all of its
    /// calls were denied, or a tool failed.
    NoAnswer,
    /// A limit or the budget ended the run.
    Limit,
    /// The model could not be reached, or its provider refused.
    Provider,
    /// A session, tool or other named thing does not exist.
    Missing,
    /// The user pressed Ctrl-C.
    Cancelled,
}

/// What `holm --help` says about them.
pub(crate) const HELP: &str = "\
Exit codes:
  0    success
  1    something failed on this machine
  2    the command line is invalid, or a file that it reads contains an error
  3    the run ended without an answer, all its calls were denied, or `holm tool execute` failed
  4    a limit or the budget ended the run
  5    the model could not be used: no key, no connection, no known price, or its provider refused
  6    something named on the command line was not found
  130  cancelled with Ctrl-C or by a signal";

impl CommandExit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NoAnswer => 3,
            Self::Limit => 4,
            Self::Provider => 5,
            Self::Missing => 6,
            Self::Cancelled => 130,
        }
    }

    /// What an ending means.
    pub(crate) const fn of(ending: &Ending) -> Self {
        match ending {
            Ending::Answered { .. } => Self::Done,
            Ending::Refused { .. } | Ending::Rejected { .. } | Ending::Looping { .. } => Self::NoAnswer,
            Ending::OverBudget { .. } | Ending::OverLimit { .. } => Self::Limit,
            Ending::Cancelled { .. } => Self::Cancelled,
            Ending::Failed { .. } => Self::Provider,
        }
    }
}

impl From<CommandExit> for process::ExitCode {
    fn from(exit: CommandExit) -> Self {
        Self::from(exit.code())
    }
}

/// An error with its exit code and a hint.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) exit: CommandExit,
    message: String,
    hint: Option<String>,
}

impl CommandError {
    /// An error of one sentence.
    pub(crate) fn new(exit: CommandExit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None }
    }

    /// Adds what to do.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The message and the hint, for code that shows them separately.
    pub(crate) fn parts(&self) -> (&str, Option<&str>) {
        (&self.message, self.hint.as_deref())
    }

    /// Adds the place of an invalid setting. A flag is visible to its user already, and a refusal
    /// of a provider or of this machine is not caused by a line in a file.
    #[must_use]
    pub(crate) fn at(mut self, origin: Option<&SettingOrigin>) -> Self {
        if let (
            CommandExit::Usage,
            Some(origin @ (SettingOrigin::File { .. } | SettingOrigin::Variable(_))),
        ) = (self.exit, origin)
        {
            self.message = format!("{origin}: {}", self.message);
        }
        self
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(out, "\n  hint: {hint}"))
    }
}

impl std::error::Error for CommandError {}
