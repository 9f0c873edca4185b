//! Protocols of other systems, reproduced exactly for hosts that were built on them.
//!
//! Nothing in here affects the decisions of a Holm run.

pub mod agent_rs;
