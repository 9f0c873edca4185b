//! Slips of the simulated host that a test can plant, one at a time, to see whether the promises notice.
//!
//! The kernel's own are in `holm-testkit/planted/kernel.patch`; these are the mistakes of whoever drives it: the order of handling,
//! appending and performing, what a recovery keeps, and who is told. The switch exists only with the feature `planted`; without
//! it each is `false` at compile time.

/// The slips that can be planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Slip {
    /// A tool begins before it is written down that it runs.
    PerformsFirst = 1,
    /// An append that failed is taken for one that did not.
    FailedAppendIgnored,
    /// An append counts as done before it is: the last record dies with the host.
    AcknowledgedEarly,
    /// An append that takes long is made once more.
    AppendRepeated,
    /// A line that was cut stays in the journal.
    TornLineKept,
    /// With a line that was cut goes the whole record before it.
    WholeRecordCut,
    /// Who takes over does not say so.
    TakeoverUnsaid,
    /// After a recovery nobody wakes the run.
    TimerUnarmed,
    /// The answer to a model call that was given up is taken for the answer to the latest one.
    AnswerMisdirected,
    /// A child is started anew for a key that has one.
    ChildStartedTwice,
    /// What is to be stopped is not.
    AbortUnheard,
}

/// Whether a test has planted this slip.
#[cfg(not(feature = "planted"))]
#[inline]
pub(crate) const fn planted(_: Slip) -> bool {
    false
}

/// The defects of the kernel: none here. `scripts/plant-defects` puts them into a copy.
#[cfg(feature = "planted")]
pub mod kernel {
    /// Every defect by name.
    pub const NAMES: [&str; 0] = [];

    /// Plants one defect in this thread; returns false if no defect has this name.
    pub const fn plant(name: &str) -> bool {
        name.is_empty()
    }
}

#[cfg(feature = "planted")]
pub(crate) use switch::planted;
#[cfg(feature = "planted")]
pub use switch::{NAMES, plant};

#[cfg(feature = "planted")]
mod switch {
    use std::cell::Cell;

    use super::Slip;

    /// Every slip by name, in the order of the list.
    pub const NAMES: [&str; 11] = [
        "performs_first",
        "failed_append_ignored",
        "acknowledged_early",
        "append_repeated",
        "torn_line_kept",
        "whole_record_cut",
        "takeover_unsaid",
        "timer_unarmed",
        "answer_misdirected",
        "child_started_twice",
        "abort_unheard",
    ];

    const _: () = assert!(NAMES.len() == Slip::AbortUnheard as usize, "a name for each, in their order");

    std::thread_local! {
        /// Of this thread alone, so that tests beside this one are played by a host without slips.
        static PLANTED: Cell<usize> = const { Cell::new(0) };
    }

    /// Plants one slip in this thread and takes every other out; the empty name takes all out. False if there is none of this
    /// name.
    pub fn plant(name: &str) -> bool {
        let place = NAMES.iter().position(|known| *known == name);
        PLANTED.with(|planted| planted.set(place.map_or(0, |place| place + 1)));
        place.is_some() || name.is_empty()
    }

    /// Whether a test has planted this slip.
    pub(crate) fn planted(slip: Slip) -> bool {
        PLANTED.with(|planted| planted.get() == slip as usize)
    }
}
