//! How a call ended and what it used.

use std::fmt;
use std::time::Duration;

use crate::refusal::Refusal;

/// Everything that is known about a finished call. What a guest does wrong is told here, never as an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub stop: Stop,
    /// The answer of a guest of the text world; none for commands, and none where the call was cut off.
    pub reply: Option<Result<String, String>>,
    /// What was written to standard output, cut at the limit.
    pub stdout: Vec<u8>,
    /// What was written to standard error, cut at the limit.
    pub stderr: Vec<u8>,
    /// What was used up.
    pub usage: Usage,
    /// What was refused, in the order in which it was tried first.
    pub refusals: Vec<Refusal>,
    /// How many more refusals there were than are listed.
    pub unlisted_refusals: u64,
}

impl Outcome {
    /// Whether the guest ended by itself and says that all went well.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        match self.stop {
            Stop::Returned => !matches!(self.reply, Some(Err(_))),
            Stop::Exited(code) => code == 0,
            Stop::OutOfFuel
            | Stop::OutOfTime
            | Stop::OutOfMemory
            | Stop::OutOfStack
            | Stop::OutOfTable
            | Stop::OutOfHandles
            | Stop::TooMuchOutput
            | Stop::TooMuchWritten
            | Stop::Cancelled
            | Stop::Trapped(_)
            | Stop::Unstartable(_)
            | Stop::HostFailed(_) => false,
        }
    }
}

/// Why a call stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The guest came to its end.
    Returned,
    /// The guest ended itself with this status. A command of WASI 0.2 can only tell 0 from 1.
    Exited(i32),
    /// It took more steps than it may.
    OutOfFuel,
    /// It took longer than it may.
    OutOfTime,
    /// It wanted more memory than it may have, and gave up.
    OutOfMemory,
    /// It called too deep.
    OutOfStack,
    /// It wanted larger tables than it may have, and gave up.
    OutOfTable,
    /// It wanted to hold more things open than it may.
    OutOfHandles,
    /// It wrote more to its output than it may; what fits is kept.
    TooMuchOutput,
    /// It wrote more to files than it may.
    TooMuchWritten,
    /// Its caller did not want it any more.
    Cancelled,
    /// It did something that WASM forbids; the text says what.
    Trapped(String),
    /// It could not be started; the text says why.
    Unstartable(String),
    /// Our own side failed; the guest is not to blame.
    HostFailed(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned => f.write_str("ended"),
            Self::Exited(code) => write!(f, "ended with status {code}"),
            Self::OutOfFuel => f.write_str("out of fuel; a larger fuel: allowance lets it go on"),
            Self::OutOfTime => f.write_str("out of time; a larger time: allowance lets it go on"),
            Self::OutOfMemory => f.write_str("out of memory; a larger mem: allowance lets it go on"),
            Self::OutOfStack => f.write_str("out of stack: its calls are nested too deep"),
            Self::OutOfTable => f.write_str("its function tables are too large"),
            Self::OutOfHandles => f.write_str("it holds too many things open"),
            Self::TooMuchOutput => f.write_str("too much output; a larger output: allowance lets it go on"),
            Self::TooMuchWritten => f.write_str("too much written to files"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Trapped(what) => write!(f, "trapped: {what}"),
            Self::Unstartable(why) => write!(f, "could not be started: {why}"),
            Self::HostFailed(what) => write!(f, "the sandbox itself failed: {what}"),
        }
    }
}

/// What one call used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Steps of the guest's own code. Where the clock cut it off, only those up to its last call of another function.
    pub fuel: u64,
    /// The most bytes that its memories had together.
    pub peak_memory: u64,
    /// Time from the start of the guest to its end, without waiting for a free thread.
    pub time: Duration,
}
