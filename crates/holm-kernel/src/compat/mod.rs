//! Other systems' protocols, kept to the letter for the hosts that were built on them.
//!
//! Nothing in here decides for a run of Holm's own.

pub mod agent_rs;
