//! The functions that a host calls: each takes JSON text and returns JSON text, and keeps nothing
//! between two calls.
//!
//! They only decode, call `compat/agent_rs/decision.rs` or `compat/agent_rs/state.rs`, and encode.
//! No rule belongs here. Text that is not the expected JSON is an error with the fixed wording of
//! `compat/agent_rs/error.rs`.

use alloc::string::{String, ToString};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{AgentDecision, AgentState, AgentStepError, AgentToolResult, HistoryRole, SkillResult};

/// A new state with a person's query, as JSON.
///
/// ```
/// use holm_kernel::compat::agent_rs::create_agent_state;
///
/// let state = create_agent_state("Hi");
/// assert_eq!(
///     state,
///     r#"{"history":[{"role":"user","content":"Hi"}],"is_complete":false,"final_answer":null}"#
/// );
/// ```
#[must_use]
pub fn create_agent_state(query: &str) -> String {
    encode(&AgentState::new(query))
}

/// Takes `{"state_json": "…", "model_output": "…"}` and returns
/// `{"state_json": "…", "decision": {…}}`.
///
/// # Errors
/// [`AgentStepError::Input`] or [`AgentStepError::State`] if the text is not the expected JSON.
pub fn run_agent_step(input_json: &str) -> Result<String, AgentStepError> {
    let input: StepInput = decode(input_json).map_err(AgentStepError::Input)?;
    let mut state: AgentState = decode(&input.state_json).map_err(AgentStepError::State)?;
    let decision = AgentDecision::take(&mut state, &input.model_output);
    Ok(encode(&StepOutput { state_json: encode(&state), decision }))
}

/// Takes a state and a tool's result `{"success": …, "output": "…", "error"?: "…"}`, and returns
/// the state in which the model sees the result.
///
/// # Errors
/// [`AgentStepError::State`] or [`AgentStepError::ToolResult`] if a text is not the expected JSON.
///
/// ```
/// use holm_kernel::compat::agent_rs::{apply_tool_result, create_agent_state};
///
/// let state = apply_tool_result(&create_agent_state("Hi"), r#"{"success":true,"output":"a.txt"}"#)?;
/// assert!(state.contains(r#"{"role":"tool","content":"Tool output:\na.txt"}"#));
/// # Ok::<(), holm_kernel::compat::agent_rs::AgentStepError>(())
/// ```
pub fn apply_tool_result(state_json: &str, tool_result_json: &str) -> Result<String, AgentStepError> {
    let mut state: AgentState = decode(state_json).map_err(AgentStepError::State)?;
    let result: AgentToolResult = decode(tool_result_json).map_err(AgentStepError::ToolResult)?;
    state.apply_tool_result(&result);
    Ok(encode(&state))
}

/// Takes a state and the output of [`check_skill_reply`](super::check_skill_reply), and returns the
/// state in which the model sees it.
///
/// # Errors
/// [`AgentStepError::State`] or [`AgentStepError::SkillResult`] if a text is not the expected JSON.
pub fn apply_skill_result(state_json: &str, skill_result_json: &str) -> Result<String, AgentStepError> {
    let mut state: AgentState = decode(state_json).map_err(AgentStepError::State)?;
    let result: SkillResult = decode(skill_result_json).map_err(AgentStepError::SkillResult)?;
    state.add_message(HistoryRole::Tool, result.shown());
    Ok(encode(&state))
}

#[derive(Deserialize, Read)]
struct StepInput {
    state_json: String,
    model_output: String,
}

#[derive(Serialize)]
struct StepOutput {
    state_json: String,
    decision: AgentDecision,
}

pub(super) fn decode<'a, T: Read<'a>>(json: &'a str) -> Result<T, String> {
    holm_read::from_str(json).map_err(|error| error.to_string())
}

/// Writes a value as JSON. This cannot fail: the values are strings, booleans and valid JSON.
pub(super) fn encode(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
