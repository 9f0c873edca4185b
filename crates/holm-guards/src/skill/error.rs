//! The errors of a skill: why it refused its input or its output. They are found in
//! `skill/runner.rs` and `skill/reply.rs`; what follows from one is decided in
//! `holm-kernel/src/run/skill.rs`.

use alloc::string::String;

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// A skill refused. Displayed as `Kind: detail`, in the words of agent.rs, because hosts
/// show and match them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SkillError {
    /// The text is empty.
    #[error("EmptyInput: the input text is empty")]
    EmptyInput,
    /// The input asks for something that the skill does not offer.
    #[error("InvalidTarget: unknown target '{0}'")]
    InvalidTarget(String),
    /// Input or output does not have the promised shape.
    #[error("SchemaViolation: {0}")]
    SchemaViolation(String),
    /// The reply is not one JSON object.
    #[error("MalformedOutput: {0}")]
    MalformedOutput(String),
    /// A value does not occur in the source text.
    #[error("HallucinationDetected: '{0}' not found in source text")]
    HallucinationDetected(String),
    /// A value occurs in the source text but does not have the requested form.
    #[error("FormatViolation: {0}")]
    FormatViolation(String),
    /// No skill has this name.
    #[error("UnknownSkill: '{0}'")]
    UnknownSkill(String),
}

impl SkillError {
    /// Whether the reply is to blame, so that a model may do better after a correction.
    #[must_use]
    pub fn is_about_reply(&self) -> bool {
        match self {
            Self::EmptyInput | Self::InvalidTarget(_) | Self::UnknownSkill(_) => false,
            Self::SchemaViolation(_)
            | Self::MalformedOutput(_)
            | Self::HallucinationDetected(_)
            | Self::FormatViolation(_) => true,
        }
    }
}
