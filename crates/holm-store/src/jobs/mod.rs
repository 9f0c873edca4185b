//! Jobs and their runs, stored as texts that only the caller understands. The store decides which
//! process was first: a run is named by the slot it fills, and each slot is filled once, however
//! many processes try.

pub(crate) mod rows;
mod store;
mod stored_job;

pub use stored_job::{JobRunState, StoredJob, StoredJobRun};
