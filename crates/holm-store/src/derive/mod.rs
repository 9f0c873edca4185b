//! Data about a run that is computed from its lines and never a second source of truth. It may be
//! dropped and computed again at any time ([`Store::rebuild`](crate::Store::rebuild)).

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
