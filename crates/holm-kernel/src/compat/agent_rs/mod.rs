//! The decision protocol of agent.rs: strings in, strings out, the state carried by the host.
//!
//! A host that calls `create_agent_state` and `run_agent_step` gets the same decisions and the same
//! JSON shapes as before, its known oddities included (only a reply that is JSON from end to end is
//! a call; a short answer with "first," in it is inconclusive). What such hosts had to write by
//! hand, and wrote differently each time, is here too: [`apply_tool_result`],
//! [`check_tool_result`], [`check_skill_reply`].
//!
//! The behaviour and the JSON shapes must not change, even where they are odd: hosts depend on
//! them. Holm's own reading of replies is in `protocol/read.rs`.
//!
//! Where things are:
//!
//! - `step.rs`: the functions that a host calls, JSON in and JSON out.
//! - `state.rs`: the state that the host stores between two calls.
//! - `decision.rs`: what a reply means.
//! - `check.rs`: whether a result is believed.
//! - `error.rs`: errors for input that is not the expected JSON.
//!
//! ```
//! use holm_guards::json::Json;
//! use holm_kernel::compat::agent_rs::{create_agent_state, run_agent_step};
//!
//! let state = create_agent_state("List files");
//! let reply = r#"{"tool":"shell","command":"ls"}"#;
//! let input =
//!     Json::object([("state_json", Json::from(state)), ("model_output", Json::from(reply))]);
//! let output = Json::parse(&run_agent_step(&input.canonical())?)?;
//! let decision = output.get("decision").map(Json::canonical);
//! assert_eq!(
//!     decision.as_deref(),
//!     Some(r#"{"params":{"command":"ls"},"tool":"shell","type":"invoke_tool"}"#)
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod decision;
mod error;
mod state;
mod step;

#[cfg(test)]
mod tests;

pub use check::{GuardrailResult, SkillResult, check_skill_reply, check_tool_result};
pub use decision::AgentDecision;
pub use error::AgentStepError;
pub use state::{AgentState, AgentToolResult, HistoryMessage, HistoryRole};
pub use step::{apply_skill_result, apply_tool_result, create_agent_state, run_agent_step};
