//! Jobs and their runs, as texts that somebody else understands. What is kept here is who was first: a run is named by
//! the slot it fills, and a slot is filled once, however many processes try.

mod kept;
pub(crate) mod rows;
mod store;

pub use kept::{KeptJob, KeptRun, RunState};
