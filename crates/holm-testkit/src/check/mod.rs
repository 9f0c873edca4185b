//! The promises that every run keeps, whatever the model, the tools, people and the machine do.
//!
//! Each is a function from an [`Outcome`] to what it found. They look at what anybody could have seen: facts,
//! effects, events, requests, the journal, and what really ran.

mod background;
mod cancels;
mod crashes;
mod endings;
mod messages;
mod money;
mod reference;
mod replay;
mod requests;

pub use background::children_end_once;
pub use cancels::cancels_are_heard;
pub use crashes::nothing_runs_twice_or_is_lost;
pub use endings::{ends_within_limits, one_end_per_group, time_runs_forward};
pub use messages::{every_call_is_answered, no_message_is_lost};
pub use money::money_is_counted_once;
pub use reference::decides_like_the_naive_kernel;
pub use replay::replays_the_same;
pub use requests::requests_are_sound;

use crate::{Outcome, Violation};

/// All promises that do not depend on who may do what.
pub fn all(outcome: &Outcome) -> Vec<Violation> {
    let checks = [
        played_well as fn(&Outcome) -> Vec<Violation>,
        ends_within_limits,
        time_runs_forward,
        one_end_per_group,
        cancels_are_heard,
        no_message_is_lost,
        every_call_is_answered,
        requests_are_sound,
        nothing_runs_twice_or_is_lost,
        children_end_once,
        money_is_counted_once,
        replays_the_same,
        decides_like_the_naive_kernel,
    ];
    checks.into_iter().flat_map(|check| check(outcome)).collect()
}

/// What was already found while the script was played: refused facts, states that differ after a fold.
pub fn played_well(outcome: &Outcome) -> Vec<Violation> {
    outcome.violations.clone()
}
