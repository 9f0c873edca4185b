//! How a call ended and what it used.
//!
//! It is data; `run.rs` fills it. A guest's mistakes are an outcome, never an error: errors exist
//! only for loading (`guest.rs`) and for making a sandbox (`sandbox.rs`). A stop must name its
//! cause, since users raise limits by it.

use std::fmt;
use std::time::Duration;

use crate::access_denied::AccessDenied;

/// The result of a finished call. A guest's mistakes are reported here, never as an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestOutcome {
    pub stop: GuestStop,
    /// The answer of a guest of the text world; `None` for commands, and if the call was cut off.
    pub reply: Option<Result<String, String>>,
    /// The standard output, cut at the limit.
    pub stdout: Vec<u8>,
    /// The standard error, cut at the limit.
    pub stderr: Vec<u8>,
    /// The resources that were used.
    pub usage: GuestUsage,
    /// The refused requests, in the order of their first attempt.
    pub refusals: Vec<AccessDenied>,
    /// The number of refusals that are not listed.
    pub unlisted_refusals: u64,
}

impl GuestOutcome {
    /// Whether the guest ended by itself and reports success.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        match self.stop {
            GuestStop::Returned => !matches!(self.reply, Some(Err(_))),
            GuestStop::Exited(code) => code == 0,
            GuestStop::OutOfFuel
            | GuestStop::OutOfTime
            | GuestStop::OutOfMemory
            | GuestStop::OutOfStack
            | GuestStop::OutOfTable
            | GuestStop::OutOfHandles
            | GuestStop::TooMuchOutput
            | GuestStop::TooMuchWritten
            | GuestStop::Cancelled
            | GuestStop::Trapped(_)
            | GuestStop::Unstartable(_)
            | GuestStop::HostFailed(_) => false,
        }
    }
}

/// Why a call stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestStop {
    /// The guest came to its end.
    Returned,
    /// The guest ended itself with this status. A command of WASI 0.2 can only return 0 or 1.
    Exited(i32),
    /// It took more steps than it may.
    OutOfFuel,
    /// It took longer than it may.
    OutOfTime,
    /// It asked for more memory than it may have, and gave up.
    OutOfMemory,
    /// It called too deep.
    OutOfStack,
    /// It asked for larger tables than it may have, and gave up.
    OutOfTable,
    /// It tried to hold more resources open than it may.
    OutOfHandles,
    /// It wrote more to its output than it may; what fits is kept.
    TooMuchOutput,
    /// It wrote more to files than it may.
    TooMuchWritten,
    /// Its caller did not want it any more.
    Cancelled,
    /// It did something that WASM forbids; the text names it.
    Trapped(String),
    /// It could not be started; the text gives the reason.
    Unstartable(String),
    /// Our own side failed; the guest is not to blame.
    HostFailed(String),
}

impl fmt::Display for GuestStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned => f.write_str("ended"),
            Self::Exited(code) => write!(f, "ended with status {code}"),
            Self::OutOfFuel => f.write_str("out of fuel; give it a larger `fuel:` allowance"),
            Self::OutOfTime => f.write_str("out of time; give it a larger `time:` allowance"),
            Self::OutOfMemory => f.write_str("out of memory; give it a larger `mem:` allowance"),
            Self::OutOfStack => f.write_str("out of stack: its calls are nested too deeply"),
            Self::OutOfTable => f.write_str("its function tables are too large"),
            Self::OutOfHandles => f.write_str("it has too many handles open"),
            Self::TooMuchOutput => f.write_str("too much output; give it a larger `output:` allowance"),
            Self::TooMuchWritten => f.write_str("too much written to files"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Trapped(problem) => write!(f, "trapped: {problem}"),
            Self::Unstartable(reason) => write!(f, "could not be started: {reason}"),
            Self::HostFailed(problem) => write!(f, "the sandbox itself failed: {problem}"),
        }
    }
}

/// The resources that one call used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GuestUsage {
    /// Steps of the guest's own code. If the clock cut it off, only those up to its last
    /// function call are counted.
    pub fuel: u64,
    /// The most bytes that its memories had together.
    pub peak_memory: u64,
    /// Time from the start of the guest to its end, without waiting for a free thread.
    pub time: Duration,
}
