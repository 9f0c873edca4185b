//! Finds the one JSON object in a model's reply.
//!
//! Models put JSON into code fences and add text around it. That is tolerated as long as it is
//! certain which object is meant: exactly one, complete, with no duplicate member. A brace that
//! begins an object which never parses refuses the reply; searching for a smaller object inside it
//! would be a guess.
//!
//! Whether the object fulfils the contract is checked in `skill/runner.rs`.

use alloc::format;
use alloc::string::String;

use super::SkillError;
use crate::json::Json;

/// Longer replies are refused unread.
const MAX_REPLY: usize = 4 * 1024 * 1024;

/// Finds the object. Linear in the length of the reply.
pub(super) fn object(reply: &str) -> Result<Json, SkillError> {
    if reply.len() > MAX_REPLY {
        return Err(malformed(format!("the reply is longer than {MAX_REPLY} bytes")));
    }
    // A reply that is JSON but not an object is not searched.
    if Json::parse(reply.trim()).is_ok_and(|value| value.as_object().is_none()) {
        return Err(malformed("output must be a JSON object"));
    }
    let mut found = None;
    let mut rest = reply;
    while let Some(start) = rest.find('{') {
        let from = rest.get(start..).unwrap_or_default();
        if !begins_object(from) {
            rest = from.get(1..).unwrap_or_default();
            continue;
        }
        let (text, after) = take_object(from)?;
        if found.is_some() {
            return Err(malformed("the reply holds more than one JSON object; send one"));
        }
        found = Some(text);
        rest = after;
    }
    let Some(text) = found else { return Err(malformed("invalid JSON: the reply holds no JSON object")) };
    Json::parse_strict(text).map_err(|error| malformed(format!("invalid JSON: {error}")))
}

/// Whether a brace begins an object and is not part of prose: a name or the closing brace follows.
fn begins_object(text: &str) -> bool {
    let inside = text.get(1..).unwrap_or_default().trim_start();
    inside.starts_with('"') || inside.starts_with('}')
}

fn take_object(text: &str) -> Result<(&str, &str), SkillError> {
    let (_, length) =
        Json::parse_prefix(text).map_err(|error| malformed(format!("invalid JSON: {error}")))?;
    text.split_at_checked(length).ok_or_else(|| malformed("invalid JSON"))
}

fn malformed(detail: impl Into<String>) -> SkillError {
    SkillError::MalformedOutput(detail.into())
}
