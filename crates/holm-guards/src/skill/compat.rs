//! The extraction rules of agent.rs, reproduced exactly.
//!
//! They are looser than Holm's: a case-insensitive substring is enough for an address, one shared
//! word for a name, and every value that is not a string passes. Runs in the compatibility mode
//! decide by them, so that the same replies lead to the same endings. Two things differ. The detail
//! of a JSON syntax error is our parser's. A reply with so many values that checking them would
//! take seconds is refused.
//!
//! Nothing here is to be improved; Holm's own rules are in `skill/runner.rs` and `skill/source/`.
//! The functions of agent.rs that a host calls are in `holm-kernel/src/compat/agent_rs/`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::SkillError;
use super::runner::{MAX_WORK, TOO_MUCH};
use crate::guard_switches::{GuardSwitch, off};
use crate::json::Json;

/// The name, description and version of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkillMetadata {
    /// The name that a model uses for it.
    pub name: &'static str,
    pub description: &'static str,
    /// The version of its contract.
    pub version: &'static str,
}

pub const EXTRACTION_SKILL: SkillMetadata = SkillMetadata {
    name: "extract",
    description: "Extract structured information from unstructured text",
    version: "1.0.0",
};

/// Every skill that agent.rs has.
pub const AVAILABLE_SKILLS: &[SkillMetadata] = &[EXTRACTION_SKILL];

/// Whether agent.rs has a skill of this name.
#[must_use]
pub fn is_valid_skill(name: &str) -> bool {
    AVAILABLE_SKILLS.iter().any(|skill| skill.name == name)
}

/// The kinds of values that the extraction skill can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractionTarget {
    Email,
    Url,
    Date,
    /// People, organizations and locations.
    Entity,
    Name,
}

impl ExtractionTarget {
    const ALL: [Self; 5] = [Self::Email, Self::Url, Self::Date, Self::Entity, Self::Name];

    /// The target of this name, in upper or lower case.
    ///
    /// ```
    /// use holm_guards::skill::compat::ExtractionTarget;
    ///
    /// assert_eq!(ExtractionTarget::parse("URL"), Some(ExtractionTarget::Url));
    /// assert_eq!(ExtractionTarget::parse("phone"), None);
    /// ```
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        Self::ALL.into_iter().find(|target| target.as_str() == name)
    }

    /// The target's name, which is also the member of the output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Url => "url",
            Self::Date => "date",
            Self::Entity => "entity",
            Self::Name => "name",
        }
    }
}

/// Checks an input: a text that is not empty and a target that exists.
///
/// # Errors
/// [`SkillError::EmptyInput`] or [`SkillError::InvalidTarget`].
pub fn validate_input(text: &str, target: &str) -> Result<ExtractionTarget, SkillError> {
    if text.is_empty() {
        return Err(SkillError::EmptyInput);
    }
    ExtractionTarget::parse(target).ok_or_else(|| SkillError::InvalidTarget(target.to_string()))
}

/// Parses a reply, which must be nothing but a JSON object with the target's member.
///
/// # Errors
/// [`SkillError::MalformedOutput`] or [`SkillError::SchemaViolation`].
pub fn parse_skill_output(reply: &str, target: ExtractionTarget) -> Result<Json, SkillError> {
    let malformed = |detail: String| SkillError::MalformedOutput(detail);
    let value = Json::parse(reply.trim()).map_err(|error| malformed(format!("invalid JSON: {error}")))?;
    if value.as_object().is_none() {
        return Err(malformed("output must be a JSON object".to_string()));
    }
    has_target_field(&value, target)?;
    Ok(value)
}

/// Checks an output against the text from which it was taken.
///
/// # Errors
/// [`SkillError::SchemaViolation`] if the target's member is missing,
/// [`SkillError::HallucinationDetected`] for the first string that the text does not hold.
pub fn validate_extraction_output(
    text: &str,
    output: &Json,
    target: ExtractionTarget,
) -> Result<(), SkillError> {
    has_target_field(output, target)?;
    let text = text.to_lowercase();
    let value = output.get(target.as_str());
    match target {
        ExtractionTarget::Email | ExtractionTarget::Url | ExtractionTarget::Date => {
            every(&text, &strings(value), |item| text.contains(&item.to_lowercase()))
        }
        ExtractionTarget::Name => every(&text, &strings(value), |item| shares_word(&text, item)),
        ExtractionTarget::Entity => {
            ["people", "organizations", "locations"].into_iter().try_for_each(|list| {
                let items =
                    value.and_then(|entity| entity.get(list)).filter(|list| list.as_array().is_some());
                every(&text, &strings(items), |item| shares_word(&text, item))
            })
        }
    }
}

/// The text of a skill's result for the model.
#[must_use]
pub fn format_skill_result(result: &Result<Json, SkillError>) -> String {
    match result {
        Ok(output) => format!("Skill output:\n{output}"),
        Err(error) => format!("Skill failed: {error}"),
    }
}

/// Both checks of a reply.
pub(super) fn check(input: &Json, target: &str, reply: &str) -> Result<Json, SkillError> {
    let text = input.get("text").and_then(Json::as_str).unwrap_or_default();
    let target = validate_input(text, target)?;
    let output = parse_skill_output(reply, target)?;
    validate_extraction_output(text, &output, target)?;
    Ok(output)
}

fn has_target_field(output: &Json, target: ExtractionTarget) -> Result<(), SkillError> {
    match output.get(target.as_str()) {
        Some(_) => Ok(()),
        None => Err(SkillError::SchemaViolation(format!("output missing '{}' field", target.as_str()))),
    }
}

/// A string, or the strings of a list; other values are ignored.
fn strings(value: Option<&Json>) -> Vec<&str> {
    match value {
        Some(Json::String(text)) => [text.as_str()].into(),
        Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).collect(),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) | None => Vec::new(),
    }
}

fn shares_word(text: &str, item: &str) -> bool {
    item.split_whitespace().any(|word| text.contains(&word.to_lowercase()))
}

fn every(text: &str, items: &[&str], found: impl Fn(&str) -> bool) -> Result<(), SkillError> {
    let look_ups: usize = items.iter().map(|item| item.split_whitespace().count().max(1)).sum();
    if look_ups.saturating_mul(text.len()) > MAX_WORK {
        return Err(SkillError::SchemaViolation(TOO_MUCH.to_string()));
    }
    match items.iter().find(|item| !found(item) && !off(GuardSwitch::AgentRsSource)) {
        Some(item) => Err(SkillError::HallucinationDetected((*item).to_string())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
