//! Turns one value of an argument into the text that a program reads, if it has the required type.
//! Numbers keep their original text. Where the text is placed is decided in `argv.rs`.

use holm_guards::json::Json;

use super::PlanValueKind;
use crate::help::error::PlanArgumentError;
use crate::help::limits::MAX_WORDS;

/// The text of a value, if it has the required type. Numbers keep their original text.
pub(super) fn single(value: &Json, kind: &PlanValueKind, place: &str) -> Result<String, PlanArgumentError> {
    let wrong = |expected: &str| PlanArgumentError::WrongKind {
        place: place.into(),
        expected: expected.into(),
        found: value.kind(),
    };
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.as_str().into(),
        Json::Bool(on) => on.to_string(),
        Json::Null | Json::Array(_) | Json::Object(_) => {
            return Err(wrong("a string, a number or a boolean"));
        }
    };
    match kind {
        PlanValueKind::Text => {}
        PlanValueKind::Integer if text.parse::<i128>().is_err() => return Err(wrong("a whole number")),
        PlanValueKind::Number if text.parse::<f64>().is_err() => return Err(wrong("a number")),
        PlanValueKind::Boolean if text.parse::<bool>().is_err() => return Err(wrong("true or false")),
        PlanValueKind::Integer | PlanValueKind::Number | PlanValueKind::Boolean => {}
        PlanValueKind::Choice(choices) => {
            if !choices.contains(&text) {
                let value: String = text.chars().take(64).collect();
                return Err(PlanArgumentError::NoChoice {
                    place: place.into(),
                    value,
                    choices: choices.join(", "),
                });
            }
        }
    }
    if text.contains('\0') {
        return Err(PlanArgumentError::ZeroByte(place.into()));
    }
    Ok(text)
}

/// The values of a list; a single value counts as a list of one.
pub(super) fn listed<'a>(value: &'a Json, place: &str) -> Result<Vec<&'a Json>, PlanArgumentError> {
    match value {
        Json::Array(items) if items.len() > MAX_WORDS => Err(PlanArgumentError::TooLong),
        Json::Array(items) => Ok(items.iter().collect()),
        Json::Null | Json::Object(_) => Err(PlanArgumentError::WrongKind {
            place: place.into(),
            expected: "a list".into(),
            found: value.kind(),
        }),
        Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(vec![value]),
    }
}

/// Whether a switch is on.
pub(super) fn switch(value: &Json, place: &str) -> Result<bool, PlanArgumentError> {
    value.as_bool().ok_or_else(|| PlanArgumentError::WrongKind {
        place: place.into(),
        expected: "true or false".into(),
        found: value.kind(),
    })
}

/// How often a switch is given.
pub(super) fn count(value: &Json, place: &str) -> Result<usize, PlanArgumentError> {
    /// More repetitions than any program counts.
    const MOST: u64 = 16;
    match value.as_u64() {
        Some(count) if count <= MOST => Ok(usize::try_from(count).unwrap_or(0)),
        Some(_) | None => Err(PlanArgumentError::WrongKind {
            place: place.into(),
            expected: format!("a whole number up to {MOST}"),
            found: value.kind(),
        }),
    }
}
