//! Jobs and their runs, stored as texts that only the caller understands. The store decides which
//! process was first: a run is named by the slot it fills, and each slot is filled once, however
//! many processes try.
//!
//! When a job is due and what it does is decided in `holm-server/src/jobs/`, never here.
//!
//! Where things are:
//!
//! - `jobs/store.rs`: the store's methods.
//! - `jobs/stored_job.rs`: what they return.
//! - `jobs/rows.rs`: what a database must offer.
//! - `sqlite/jobs.rs`, `postgres/jobs.rs`: the SQL.

pub(crate) mod rows;
mod store;
mod stored_job;

pub use stored_job::{JobRunState, StoredJob, StoredJobRun};
