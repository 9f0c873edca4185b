//! Helper agents: runs that are started by the calls of another run.
//!
//! The kernel decides what a child may do and reserves its budget. This module starts children,
//! finds them again after a crash, stops them with their parent, and delivers their results. A
//! child that fails is a result for its parent.

mod child_execution;
mod close_orphans;
mod helper;
mod helper_set;
mod live_children;
mod panic_result;

#[cfg(test)]
mod tests;

pub(crate) use child_execution::child_id;
pub(crate) use close_orphans::{DescendantStatus, lay_to_rest};
pub use helper::{ChildIsolation, HelperAgent};
pub use helper_set::HelperSet;
pub use live_children::LiveChild;
pub(crate) use panic_result::contain;
