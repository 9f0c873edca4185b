//! Who interrupts, and what goes wrong.

use holm_grants::{GrantSet, Mode};
use serde::{Deserialize, Serialize};

/// Somebody speaks up right after a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupt {
    /// The record; a run that comes to rest before it is interrupted then.
    pub after: u64,
    /// What is said or changed.
    pub what: What,
}

/// What an interruption is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A prompt, whether or not a group is under way.
    Prompts(String),
    /// Steering.
    Steers(String),
    /// A follow-up.
    FollowsUp(String),
    /// A cancellation.
    Cancels,
    /// Another mode.
    Mode(Mode),
    /// Other grants.
    Grants(GrantSet),
    /// Another budget, in nano-dollars.
    Budget(Option<u64>),
    /// Only these of the configured tools.
    Tools(Vec<String>),
    /// The clock runs on by so many milliseconds at once.
    ClockForward(u64),
    /// The clock is set back by so many milliseconds.
    ClockBack(u64),
    /// Another host takes the run over; the first one still answers what it was asked.
    HandOver,
    /// The host makes a mistake.
    Mistake(Offence),
}

/// A host's mistake: refused, and the run is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offence {
    /// It answers a call that was never issued.
    UnknownCall,
    /// It starts the run again.
    StartedAgain,
    /// It reports a tool's result before it wrote down that the tool runs.
    NotDispatched,
}

/// Something goes wrong at a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The record.
    pub at: u64,
    /// What goes wrong.
    pub mishap: Mishap,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mishap {
    /// The host dies before it has appended the record: the fact is lost, nothing is performed.
    CrashBefore,
    /// The host dies after it has appended the record: nothing is performed.
    CrashAfter,
    /// The host dies as in `CrashAfter`, but what it had started elsewhere still answers.
    CrashLeaving,
    /// The host dies once it has performed what the record asked for: tools have done their work, and nobody hears of it.
    CrashPerformed,
    /// The fact of this record is reported once more, later.
    Twice,
    /// The next answer is late by so many milliseconds.
    Late(u64),
    /// The next answer is lost; where somebody else watches the time, a failure is reported in its place.
    Lost,
    /// A snapshot is taken, and later recoveries go on from it.
    Snapshot,
    /// The host dies in the middle of the append: so many bytes of the line are there, its end is not. The number counts round
    /// within the line, so that every number is a cut.
    Torn(u64),
    /// The append fails. The host lives: it drops the run and folds it again from the journal; what it waited for still comes.
    DiskFull,
    /// The next two answers that wait arrive in the other order.
    Reordered,
    /// The append takes so many milliseconds; timers that are due by then fire before anything else is done.
    Slow(u64),
}

impl Mishap {
    /// Whether the run has to be folded again from its journal.
    pub const fn drops_the_run(self) -> bool {
        match self {
            Self::CrashBefore
            | Self::CrashAfter
            | Self::CrashLeaving
            | Self::CrashPerformed
            | Self::Torn(_)
            | Self::DiskFull => true,
            Self::Twice | Self::Late(_) | Self::Lost | Self::Snapshot | Self::Reordered | Self::Slow(_) => {
                false
            }
        }
    }

    /// Whether the journal does not hold the record afterwards: nothing may have come of it.
    pub const fn loses_the_record(self) -> bool {
        matches!(self, Self::CrashBefore | Self::Torn(_) | Self::DiskFull)
    }
}
