//! Errors for invalid input from the host. The texts are fixed, because hosts show and match them.

use alloc::string::String;

/// A call failed because its input is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentStepError {
    /// The outer JSON is malformed or lacks a field.
    #[error("Invalid input JSON: {0}")]
    Input(String),
    /// The state is malformed or lacks a field.
    #[error("Invalid state JSON: {0}")]
    State(String),
    /// The tool's result is malformed or lacks a field.
    #[error("Invalid tool result JSON: {0}")]
    ToolResult(String),
    /// The skill's result is malformed or lacks a field.
    #[error("Invalid skill result JSON: {0}")]
    SkillResult(String),
}
