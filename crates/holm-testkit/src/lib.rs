//! Plays whole runs without a network, a model, a tool or a clock.
//!
//! A [`Script`] says, as data, what everybody around a run does: what the model replies, what tools give back, what
//! people and hooks answer, who interrupts, and what goes wrong (crashes at record boundaries, lines that are cut, disks
//! that are full or slow, facts that come late, twice, out of order or never, clocks that jump). [`Sim`] drives a real
//! kernel through it, every step by way of the journal: handle, append, perform. What came of it is an [`Outcome`], and
//! [`check`] holds it to the promises that every run keeps; [`Sim::lively`] plays on in a world that behaves, and
//! [`check::comes_to_rest`] asks whether the run ends. The same configuration, script and seed give the same outcome,
//! byte for byte. Beside the real kernel runs a [`naive`] one, and both must decide the same.
//!
//! What talks to a provider over a socket is tested against [`double`], which speaks every wire format and misbehaves
//! on purpose; stores that need a PostgreSQL server start one by [`postgres`].
//!
//! ```
//! use holm_kernel::{Config, Ending, ModelSpec};
//! use holm_testkit::{Line, Script, Sim, check};
//!
//! let script = Script { model: vec![Line::says("4")], ..Script::prompted("What is 2 + 2?") };
//! let outcome = Sim::new(Config::new(ModelSpec::named("scripted/one")), script, 7).run();
//! assert_eq!(outcome.endings, [Ending::Answered { text: "4".into() }]);
//! assert_eq!(check::all(&outcome), []);
//! ```

pub mod check;
pub mod double;
mod estimate;
pub mod naive;
mod outcome;
#[cfg(feature = "planted")]
pub mod planted;
#[cfg(not(feature = "planted"))]
mod planted;
#[cfg(unix)]
pub mod postgres;
mod script;
mod sim;

pub use outcome::{Outcome, Ran, Rest, Sent, Step, Verdicted, Violation};
pub use script::{Ask, Child, Fault, Interrupt, Line, Mishap, Offence, Ruling, Script, Then, What, Work};
pub use sim::{MOST_RECORDS, Sim};
