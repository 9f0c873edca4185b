//! The agent state that the host stores as JSON between two calls, and the texts in which it shows
//! a tool's result to the model.
//!
//! It holds data only: `compat/agent_rs/decision.rs` reads replies, and `compat/agent_rs/step.rs`
//! is what the host calls. The names and the order of the fields are a format that hosts store, so
//! they must not change. A Holm run keeps its state in `run/state.rs`, which has nothing to do with
//! this one.

use alloc::{format, string::String, vec, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// A conversation and whether it is over. The order of the fields is part of the format.
///
/// ```
/// use holm_kernel::compat::agent_rs::AgentState;
///
/// let json = serde_json::to_string(&AgentState::new("Hi"))?;
/// assert_eq!(json, r#"{"history":[{"role":"user","content":"Hi"}],"is_complete":false,"final_answer":null}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct AgentState {
    /// What was said so far.
    pub history: Vec<HistoryMessage>,
    /// Whether an answer was given.
    pub is_complete: bool,
    pub final_answer: Option<String>,
}

/// One entry of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct HistoryMessage {
    pub role: HistoryRole,
    pub content: String,
}

/// Who speaks in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "lowercase")]
pub enum HistoryRole {
    User,
    Assistant,
    /// A tool or a skill.
    Tool,
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct AgentToolResult {
    pub success: bool,
    pub output: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl AgentState {
    /// A state that holds a person's query and nothing else.
    pub fn new(query: impl Into<String>) -> Self {
        let first = HistoryMessage { role: HistoryRole::User, content: query.into() };
        Self { history: vec![first], is_complete: false, final_answer: None }
    }

    /// Adds an entry to the history.
    pub fn add_message(&mut self, role: HistoryRole, content: impl Into<String>) {
        self.history.push(HistoryMessage { role, content: content.into() });
    }

    /// Shows the model what came of its call.
    pub fn apply_tool_result(&mut self, result: &AgentToolResult) {
        let content = if result.success {
            format!("Tool output:\n{}", result.output)
        } else {
            format!("Tool failed: {}", result.error.as_deref().unwrap_or("unknown error"))
        };
        self.add_message(HistoryRole::Tool, content);
    }
}

impl AgentToolResult {
    /// A success with its output.
    pub fn success(output: impl Into<String>) -> Self {
        Self { success: true, output: output.into(), error: None }
    }

    /// A failure with its reason.
    pub fn failure(error: impl Into<String>) -> Self {
        Self { success: false, output: String::new(), error: Some(error.into()) }
    }
}
