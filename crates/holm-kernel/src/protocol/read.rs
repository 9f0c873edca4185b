//! Reads one reply of the text protocol: a call of a tool, a call of a skill, an answer, or
//! something inconclusive.
//!
//! Finding JSON and thinking in the text is done in `protocol/scan.rs`; what follows from the
//! reading, in `run/reply.rs`. Replies with native calls do not come here. Only the first call of a
//! reply counts, and no argument is guessed or repaired here. Hosts use this through
//! `protocol/text.rs`.

use alloc::string::String;

use holm_guards::json::{Json, JsonObject};

use super::scan::{ReplyScan, scan};
use crate::{Inconclusive, ProtocolPolicy};

/// Keys under which models wrap the arguments of a call instead of writing them beside its name.
const WRAPPERS: [&str; 4] = ["arguments", "params", "args", "parameters"];

/// A phrase that contains an announcement ("let me") but does not announce anything: many
/// answers end with it.
const COURTESY: &str = "let me know";

/// The meaning of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParsedReply {
    Tool {
        /// Its name, as written.
        name: String,
        /// Its arguments in canonical JSON.
        arguments: String,
    },
    /// Carry out a contract skill.
    Skill {
        /// Its name, as written.
        name: String,
        /// Its input in canonical JSON.
        arguments: String,
    },
    Answer(String),
    /// An empty reply, an announcement without its action, or a call that is not valid JSON.
    Inconclusive(String),
}

/// Reads a reply. The first JSON object with a string under `skill` or `tool` is a call (`skill`
/// takes precedence); code fences and prose around it are ignored. Without such an object the reply
/// is an answer, or inconclusive by the policy's phrases.
pub(crate) fn read_text(text: &str, policy: &ProtocolPolicy) -> ParsedReply {
    let ReplyScan { words, call, broken_call } = scan(text, |object| call_key(object).is_some());
    if let Some(reading) = call.and_then(read_call) {
        return reading;
    }
    let words = words.trim();
    if words.is_empty() || broken_call || announces(words, &policy.inconclusive) {
        return ParsedReply::Inconclusive(String::from(words));
    }
    ParsedReply::Answer(String::from(words))
}

/// Which kind of call.
#[derive(Clone, Copy)]
enum CallKeyword {
    Tool,
    Skill,
}

fn call_key(object: &JsonObject) -> Option<CallKeyword> {
    let named = |key| object.get(key).and_then(Json::as_str).is_some_and(|name| !name.trim().is_empty());
    if named("skill") {
        return Some(CallKeyword::Skill);
    }
    named("tool").then_some(CallKeyword::Tool)
}

fn read_call(mut object: JsonObject) -> Option<ParsedReply> {
    let key = call_key(&object)?;
    let word = match key {
        CallKeyword::Tool => "tool",
        CallKeyword::Skill => "skill",
    };
    let Some(Json::String(name)) = object.remove(word) else { return None };
    let name = String::from(name.trim());
    let arguments = unwrapped(object);
    Some(match key {
        CallKeyword::Tool => ParsedReply::Tool { name, arguments },
        CallKeyword::Skill => ParsedReply::Skill { name, arguments },
    })
}

/// The arguments, unwrapped if a wrapper is the only other member; a wrapper may
/// contain them as text.
fn unwrapped(object: JsonObject) -> String {
    let inner = only_member(&object).and_then(|(name, value)| match value {
        Json::Object(_) if WRAPPERS.contains(&name) => Some(value.canonical()),
        Json::String(text) if WRAPPERS.contains(&name) => {
            Json::parse(text).ok().filter(|inner| inner.as_object().is_some()).map(|inner| inner.canonical())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
            None
        }
    });
    inner.unwrap_or_else(|| Json::Object(object).canonical())
}

fn only_member(object: &JsonObject) -> Option<(&str, &Json)> {
    let mut members = object.iter();
    let (name, value) = members.next()?;
    members.next().is_none().then_some((name.as_str(), value))
}

/// Whether a short text announces something by one of the policy's phrases, as whole words.
fn announces(words: &str, policy: &Inconclusive) -> bool {
    if words.len() as u64 >= policy.shorter_than {
        return false;
    }
    let said = words.to_lowercase().replace('\u{2019}', "'").replace(COURTESY, "");
    policy.phrases.iter().any(|phrase| has_phrase(&said, phrase))
}

fn has_phrase(text: &str, phrase: &str) -> bool {
    !phrase.is_empty()
        && text.match_indices(phrase).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + phrase.len()..).and_then(|after| after.chars().next());
            let inside = |outer: Option<char>, edge: Option<char>| {
                outer.is_some_and(char::is_alphanumeric) && edge.is_some_and(char::is_alphanumeric)
            };
            !inside(before, phrase.chars().next()) && !inside(after, phrase.chars().next_back())
        })
}
