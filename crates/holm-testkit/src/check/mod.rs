//! The promises that every run keeps, whatever the model, the tools, people and the machine do.
//!
//! Each is a function from an [`Outcome`] to what it found. They look at what anybody could have seen: facts,
//! effects, events, requests, the journal, and what really ran.

mod answers;
mod background;
mod batches;
mod cancels;
mod crashes;
mod endings;
mod liveness;
mod loops;
mod messages;
mod money;
mod quotas;
mod reference;
mod replay;
mod requests;
mod shares;
mod stops;
mod withdrawals;

pub use answers::answers_keep_their_calls;
pub use background::children_end_once;
pub use batches::failures_stop_their_siblings;
pub use cancels::cancels_are_heard;
pub use crashes::nothing_runs_twice_or_is_lost;
pub use endings::{ends_within_limits, one_end_per_group, time_runs_forward};
pub use liveness::comes_to_rest;
pub use loops::repeats_are_refused;
pub use messages::{every_call_is_answered, no_message_is_lost};
pub use money::money_is_counted_once;
pub use quotas::quotas_are_kept;
pub use reference::decides_like_the_naive_kernel;
pub use replay::replays_the_same;
pub use requests::requests_are_sound;
pub use shares::shares_come_back;
pub use stops::what_is_given_up_is_stopped;
pub use withdrawals::what_does_not_count_is_withdrawn;

use crate::{Outcome, Violation};

/// All promises that do not depend on who may do what, nor on a world that behaves ([`comes_to_rest`]).
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
        answers_keep_their_calls,
        what_is_given_up_is_stopped,
        failures_stop_their_siblings,
        quotas_are_kept,
        repeats_are_refused,
        what_does_not_count_is_withdrawn,
        shares_come_back,
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
