//! Checks results by the rules of agent.rs: tool results ([`check_tool_result`]) and replies to a
//! skill ([`check_skill_reply`]).
//!
//! The rules themselves are in `holm-guards` (`holm-guards/src/plausibility/compat.rs` and
//! `holm-guards/src/skill/compat.rs`); this file only chooses them and gives their rulings the JSON
//! shape of agent.rs. It does not add the result to a state (`compat/agent_rs/step.rs` does) and
//! does not decide for Holm's own runs (`run/result_checks.rs` does). A result that fails a check
//! is an output; only text that is not the expected JSON is an error.

use alloc::{
    format,
    string::{String, ToString},
};

use holm_guards::{
    json::Json,
    plausibility::{CallOutcome, Expectation, ObservedOutput, PlausibilityResult, judge},
    ruling::{Rules, Ruling, Severity},
    skill::{SkillError, compat},
};
use holm_read::Read;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct as _};

use super::{
    AgentStepError, AgentToolResult,
    step::{decode, encode},
};

/// The verdict of the plausibility guard; as JSON `{"type":"accept"}`
/// or `{"type":"reject","reason":"…"}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardrailResult {
    /// The result may be believed.
    Accept,
    /// The result must not be believed.
    Reject {
        /// Why, in the other system's words.
        reason: String,
    },
}

impl GuardrailResult {
    /// Judges a tool's result. A failed call passes as a failure.
    pub fn of(result: &AgentToolResult) -> Self {
        let outcome = if result.success { CallOutcome::Succeeded } else { CallOutcome::Failed };
        let rules =
            Expectation { rules: Rules::AgentRs, severity: Severity::Reject, ..Expectation::default() };
        match judge(outcome, &ObservedOutput::whole(&result.output), rules) {
            PlausibilityResult::Ruled(Ruling::Accept | Ruling::Warn(_)) => Self::Accept,
            PlausibilityResult::Ruled(Ruling::Reject(reason)) => Self::Reject { reason: reason.message },
            // A whole text always decides; a guard that cannot say refuses.
            PlausibilityResult::NeedsWhole => {
                Self::Reject { reason: String::from("Tool output was not complete") }
            }
        }
    }
}

impl Serialize for GuardrailResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("GuardrailResult", 2)?;
        match self {
            Self::Accept => out.serialize_field("type", "accept")?,
            Self::Reject { reason } => {
                out.serialize_field("type", "reject")?;
                out.serialize_field("reason", reason)?;
            }
        }
        out.end()
    }
}

/// Judges a tool's result given as JSON.
///
/// # Errors
/// [`AgentStepError::ToolResult`] if the text is not the expected JSON.
///
/// ```
/// use holm_kernel::compat::agent_rs::check_tool_result;
///
/// assert_eq!(check_tool_result(r#"{"success":true,"output":"a.txt"}"#)?, r#"{"type":"accept"}"#);
/// assert!(check_tool_result(r#"{"success":true,"output":"total 8"}"#)?.contains("metadata"));
/// # Ok::<(), holm_kernel::compat::agent_rs::AgentStepError>(())
/// ```
pub fn check_tool_result(tool_result_json: &str) -> Result<String, AgentStepError> {
    let result: AgentToolResult = decode(tool_result_json).map_err(AgentStepError::ToolResult)?;
    Ok(encode(&GuardrailResult::of(&result)))
}

/// The result of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct SkillResult {
    /// Whether the reply passed every check.
    pub success: bool,
    #[serde(default)]
    pub output: Option<Json>,
    /// Why the output is missing, as `Kind: detail`.
    #[serde(default)]
    pub error: Option<String>,
}

impl SkillResult {
    /// What the model is shown.
    pub(super) fn shown(&self) -> String {
        if !self.success {
            return format!("Skill failed: {}", self.error.as_deref().unwrap_or("unknown error"));
        }
        let output = self.output.as_ref().map_or_else(|| String::from("{}"), Json::canonical);
        format!("Skill output:\n{output}")
    }
}

impl From<Result<Json, SkillError>> for SkillResult {
    fn from(result: Result<Json, SkillError>) -> Self {
        match result {
            Ok(output) => Self { success: true, output: Some(output), error: None },
            Err(error) => Self { success: false, output: None, error: Some(error.to_string()) },
        }
    }
}

/// Checks a model's reply to a skill: takes `{"skill": "…", "params": {…}, "model_output": "…"}`
/// and returns `{"success": …, "output": …, "error": …}`.
///
/// # Errors
/// [`AgentStepError::Input`] if the text is not the expected JSON. A reply that fails its checks is a
/// result, not an error.
pub fn check_skill_reply(input_json: &str) -> Result<String, AgentStepError> {
    let input: SkillInput = decode(input_json).map_err(AgentStepError::Input)?;
    Ok(encode(&SkillResult::from(check(&input))))
}

#[derive(Deserialize, Read)]
struct SkillInput {
    skill: String,
    params: Json,
    model_output: String,
}

fn check(input: &SkillInput) -> Result<Json, SkillError> {
    if !compat::is_valid_skill(&input.skill) {
        return Err(SkillError::UnknownSkill(input.skill.clone()));
    }
    let field = |name: &str| {
        let missing = || SkillError::SchemaViolation(format!("missing '{name}' field"));
        input.params.get(name).and_then(Json::as_str).ok_or_else(missing)
    };
    let (text, target) = (field("text")?, field("target")?);
    let target = compat::validate_input(text, target)?;
    let output = compat::parse_skill_output(&input.model_output, target)?;
    compat::validate_extraction_output(text, &output, target)?;
    Ok(output)
}
