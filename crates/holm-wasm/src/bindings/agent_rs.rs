//! Exports the agent.rs protocol to JavaScript. It only passes strings on; the functions are in
//! `compat.rs`, the rules in `holm-kernel/src/compat/agent_rs/`.

use alloc::string::String;
use holm_kernel::compat::agent_rs::AgentStepError;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::thrown;
use crate::{BindingError, BindingErrorKind, agent_rs};

/// A new state for an input, as JSON.
#[wasm_bindgen]
pub fn create_agent_state(query: &str) -> String {
    agent_rs::create_agent_state(query)
}

/// Makes one decision, as JSON.
#[wasm_bindgen]
pub fn run_agent_step(input_json: &str) -> Result<String, JsValue> {
    pass(agent_rs::run_agent_step(input_json))
}

/// A state after a tool.
#[wasm_bindgen]
pub fn apply_tool_result(state_json: &str, tool_result_json: &str) -> Result<String, JsValue> {
    pass(agent_rs::apply_tool_result(state_json, tool_result_json))
}

/// A state after a skill.
#[wasm_bindgen]
pub fn apply_skill_result(state_json: &str, skill_result_json: &str) -> Result<String, JsValue> {
    pass(agent_rs::apply_skill_result(state_json, skill_result_json))
}

/// Whether a tool's result is plausible.
#[wasm_bindgen]
pub fn check_tool_result(tool_result_json: &str) -> Result<String, JsValue> {
    pass(agent_rs::check_tool_result(tool_result_json))
}

/// Whether a skill's reply holds.
#[wasm_bindgen]
pub fn check_skill_reply(input_json: &str) -> Result<String, JsValue> {
    pass(agent_rs::check_skill_reply(input_json))
}

fn pass(result: Result<String, AgentStepError>) -> Result<String, JsValue> {
    result.map_err(|error| thrown(BindingError::new(BindingErrorKind::AgentRs, error)))
}
