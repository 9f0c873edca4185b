//! Protocols of other systems, reproduced exactly for hosts that were built on them; today only
//! `compat/agent_rs/`.
//!
//! Nothing in here affects the decisions of a Holm run, and nothing in `run/` may call it.
//! Behaviour here is fixed by the other system, so an improvement belongs into `run/` or
//! `protocol/` instead.

pub mod agent_rs;
