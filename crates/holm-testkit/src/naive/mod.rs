//! A second kernel that decides the same and does nothing cleverly, run beside the real one.
//!
//! It takes the facts of a journal from the first record on and says after each what must follow: who is asked, what may run, which model is
//! called, what is stopped and answered, how the group ends and what it cost. The real kernel's effects are brought into the same
//! form; any difference is a defect of one of the two. It shares the kernel's types and none of its code: no catalogue, no epochs, no
//! fingerprints, no snapshots. What may be done is looked up in plain lists each time.
//!
//! It does not know everything. Where a run comes to something that it does not know ([`Left`]), the comparison ends there and says so. It
//! takes four things from the real kernel: the ids of calls, whether arguments are valid (with their canonical text), the time of a retry
//! within its bounds, and the estimate of a request, which [`check`](crate::check) counts again. It does not compare texts, messages of a request, or the order of effects within one record.
//!
//! ```
//! use holm_kernel::{Config, ModelSpec};
//! use holm_testkit::{Line, Script, Sim, naive};
//!
//! let config = Config::new(ModelSpec::named("scripted/one"));
//! let script = Script { model: vec![Line::says("4")], ..Script::prompted("What is 2 + 2?") };
//! let mut outcome = Sim::new(config.clone(), script, 7).run();
//! assert_eq!(outcome.naive.difference, None);
//!
//! // A kernel that calls no model after a prompt decides otherwise.
//! outcome.steps[1].effects.clear();
//! let difference = naive::compare(&config, &outcome.steps).difference.expect("a difference");
//! assert_eq!(difference.seq, 1);
//! ```

mod authority;
mod batch;
mod call;
mod due_work;
mod kernel;
mod lockstep;
mod money;

#[cfg(test)]
mod tests;

pub(crate) use self::lockstep::Naive;
pub use self::lockstep::{Comparison, Difference, Left, compare};
