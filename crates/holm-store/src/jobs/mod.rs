//! Jobs and their runs, stored as texts that only the caller understands. The store decides which
//! process was first: a run is named by the slot it fills, and each slot is filled once, however
//! many processes try.

mod kept;
pub(crate) mod rows;
mod store;

pub use kept::{JobRunState, StoredJob, StoredJobRun};
