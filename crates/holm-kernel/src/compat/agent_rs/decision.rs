//! Interprets a model's reply by the rules of agent.rs: a call, an answer, or an announcement
//! without an action.
//!
//! The phrases, the length limit and the JSON shapes are those of the other system and must not be
//! improved. How Holm's own runs read a reply is in `protocol/read.rs` and
//! `protocol/announcement.rs`. Nothing here runs a tool or checks a result
//! (`compat/agent_rs/check.rs` does).

use alloc::string::String;

use holm_guards::json::Json;
use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use super::{AgentState, HistoryRole};

/// Text of this many bytes or more is an answer, regardless of its content.
const SHORT: usize = 300;

/// Phrases that announce an action. This is the other system's list, and differs from that
/// of [`Inconclusive`](crate::Inconclusive) on purpose.
const ANNOUNCEMENTS: [&str; 12] = [
    "i will",
    "i'll",
    "let me",
    "let's",
    "we can",
    "we will",
    "to do this",
    "first,",
    "step 1",
    "the command",
    "using the",
    "by using",
];

/// What the host must do next.
///
/// The JSON form carries its kind in `type`: `{"type":"done","answer":"4"}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentDecision {
    InvokeTool {
        tool: String,
        /// All other members of the object.
        params: Json,
    },
    /// Carry out a skill.
    InvokeSkill {
        skill: String,
        /// All other members of the object.
        params: Json,
    },
    /// The run is over.
    Done { answer: String },
    /// An announcement without an action; not added to the history.
    Inconclusive { output: String },
}

impl AgentDecision {
    /// Reads a reply and records it in the state.
    pub fn take(state: &mut AgentState, reply: &str) -> Self {
        let decision = Self::read(reply);
        match &decision {
            Self::InvokeTool { .. } | Self::InvokeSkill { .. } => {
                state.add_message(HistoryRole::Assistant, reply);
            }
            Self::Done { answer } => {
                state.add_message(HistoryRole::Assistant, answer.as_str());
                state.is_complete = true;
                state.final_answer = Some(answer.clone());
            }
            Self::Inconclusive { .. } => {}
        }
        decision
    }

    /// Reads a reply: JSON from end to end with a string under `skill` or `tool` is a call,
    /// anything else is text.
    pub fn read(reply: &str) -> Self {
        let text = reply.trim();
        if let Ok(value) = Json::parse(text) {
            if let Some((skill, params)) = split(&value, "skill") {
                return Self::InvokeSkill { skill, params };
            }
            if let Some((tool, params)) = split(&value, "tool") {
                return Self::InvokeTool { tool, params };
            }
        }
        if announces(text) {
            return Self::Inconclusive { output: String::from(text) };
        }
        Self::Done { answer: String::from(text) }
    }
}

impl Serialize for AgentDecision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Decision", 3)?;
        match self {
            Self::InvokeTool { tool, params } => {
                out.serialize_field("type", "invoke_tool")?;
                out.serialize_field("tool", tool)?;
                out.serialize_field("params", params)?;
            }
            Self::InvokeSkill { skill, params } => {
                out.serialize_field("type", "invoke_skill")?;
                out.serialize_field("skill", skill)?;
                out.serialize_field("params", params)?;
            }
            Self::Done { answer } => {
                out.serialize_field("type", "done")?;
                out.serialize_field("answer", answer)?;
            }
            Self::Inconclusive { output } => {
                out.serialize_field("type", "inconclusive")?;
                out.serialize_field("output", output)?;
            }
        }
        out.end()
    }
}

/// The name under `key`, and the rest of the object.
fn split(value: &Json, key: &str) -> Option<(String, Json)> {
    let members = value.as_object()?;
    let name = String::from(members.get(key)?.as_str()?);
    let mut rest = members.clone();
    rest.remove(key);
    Some((name, Json::Object(rest)))
}

fn announces(text: &str) -> bool {
    if text.len() >= SHORT {
        return false;
    }
    let said = text.to_lowercase();
    ANNOUNCEMENTS.iter().any(|phrase| said.contains(phrase))
}
