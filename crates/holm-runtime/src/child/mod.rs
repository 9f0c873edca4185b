//! Helper agents: runs that are started by the calls of another run.
//!
//! The kernel decides what a child may do and reserves its budget. This module starts children,
//! finds them again after a crash, stops them with their parent, and delivers their results. A
//! child that fails is a result for its parent.

mod contain;
mod helper;
mod helpers;
mod live;
mod rest;
mod work;

#[cfg(test)]
mod tests;

pub(crate) use contain::contain;
pub use helper::{ChildIsolation, HelperAgent};
pub use helpers::HelperSet;
pub use live::LiveChild;
pub(crate) use rest::{DescendantStatus, lay_to_rest};
pub(crate) use work::child_id;
