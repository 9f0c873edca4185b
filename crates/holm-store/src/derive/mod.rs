//! Data about a run that is computed from its lines and never a second source of truth. It may be
//! dropped and computed again at any time ([`Store::rebuild`](crate::Store::rebuild)).
//!
//! Nothing here reads a database: `store/index.rs` passes the records in and stores the results.
//!
//! Where things are:
//!
//! - `derive/fold.rs`: one pass over a run's records.
//! - `derive/usage.rs`: what is counted in it.
//! - `derive/ledger.rs`: what models have shown, as rows.
//! - `derive/head.rs`: what a list shows.
//! - `derive/text.rs`: what a search finds.

mod fold;
mod head;
mod ledger;
mod text;
mod usage;

#[cfg(test)]
mod tests;

pub use fold::fold;
pub(crate) use fold::{FoldRow, RunFold};
pub(crate) use head::{FIRST_LINES, FirstRecord, SessionSummary, TIME_BYTES, time_of};
pub(crate) use ledger::LedgerRow;
pub use text::{TextKind, search_text};
pub(crate) use text::{TextRow, excerpt, holds, spilled};
pub use usage::{RunUsage, UsageEntry, UsageSubject, UsageTally, UtcDay};
