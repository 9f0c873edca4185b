//! Helper agents: runs that are started by the calls of another run.
//!
//! The kernel decides what a child may do and reserves its budget. This module starts children,
//! finds them again after a crash, stops them with their parent, and delivers their results. A
//! child that fails is a result for its parent.
//!
//! Where things are:
//!
//! - `child/helper.rs`: one helper.
//! - `child/helper_set.rs`: the helpers of an agent, which start children.
//! - `child/child_execution.rs`: one child from its call to its result.
//! - `child/panic_result.rs`: a child that panics.
//! - `child/live_children.rs`: the children that run now.
//! - `child/close_orphans.rs`: journals whose driver is gone.
//!
//! The configuration of a child is made in `agent/child.rs`.

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
