//! Splits a reply, in one pass, into thinking, JSON objects and the text around them.
//!
//! Thinking is removed first: a call that a model only considered is not a call. An object is
//! skipped as a whole, so a tag inside an argument is left alone. What an object means is decided
//! in `protocol/read.rs`. The number of failed attempts to parse is bounded, because a reply of
//! unclosed brackets would otherwise take quadratic time.
//!
//! Objects inside prose are parsed by `holm-guards/src/json/`; calls are validated in
//! `run/call.rs`.

use alloc::string::String;

use holm_guards::json::{Json, JsonObject};

/// The names of the tags around thinking that models write into their text.
const THINKING: [&str; 5] = ["think", "thinking", "thought", "reasoning", "reflection"];

/// The limit on failed parse attempts, as a multiple of the text's length. Ordinary text stays far
/// below 1. Without it, text made of unclosed brackets would take quadratic time.
const ATTEMPTS: usize = 4;

/// The parts of a reply.
pub(super) struct ReplyScan {
    /// The text without thinking; ends before the first call if there is one.
    pub(super) words: String,
    /// The first object with a call in it.
    pub(super) call: Option<JsonObject>,
    /// Whether something begins like a call but is not valid JSON.
    pub(super) broken_call: bool,
}

/// Scans a reply up to its first object for which `is_call` holds.
pub(super) fn scan(text: &str, is_call: impl Fn(&JsonObject) -> bool) -> ReplyScan {
    let mut scan = ReplyScan { words: String::new(), call: None, broken_call: false };
    let mut budget = text.len().saturating_mul(ATTEMPTS);
    let (mut done, mut at) = (0, 0);
    let slice = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    while let Some(found) = slice(at, text.len()).bytes().position(|byte| byte == b'{' || byte == b'<') {
        let start = at + found;
        let rest = slice(start, text.len());
        at = start + 1;
        if rest.starts_with('<') {
            match tag(slice(0, start), rest) {
                Some(ThinkingTag::Opens(length)) => {
                    scan.words.push_str(slice(done, start));
                    at = start + thinking_end(rest, length);
                    done = at;
                }
                // The template wrote the opening tag, so everything before this was thinking.
                Some(ThinkingTag::Closes(length)) => {
                    scan.words.clear();
                    at = start + length;
                    done = at;
                }
                None => {}
            }
            continue;
        }
        match object(rest, &mut budget) {
            ObjectParse::Object(object, _) if is_call(&object) => {
                scan.words.push_str(slice(done, start));
                scan.call = Some(object);
                return scan;
            }
            ObjectParse::Object(_, length) => at = start + length,
            ObjectParse::Broken => scan.broken_call |= begins_like_a_call(rest),
        }
    }
    scan.words.push_str(slice(done, text.len()));
    scan
}

/// The result of parsing an object.
enum ObjectParse {
    /// An object and the bytes it takes.
    Object(JsonObject, usize),
    /// Not a valid JSON object.
    Broken,
}

fn object(text: &str, budget: &mut usize) -> ObjectParse {
    // Most brackets in prose and code do not begin JSON; this finds out without an attempt.
    let inside = text.get(1..).unwrap_or_default().trim_start_matches([' ', '\t', '\r', '\n']);
    if *budget == 0 || !inside.starts_with(['"', '}']) {
        return ObjectParse::Broken;
    }
    match Json::parse_prefix(text) {
        Ok((Json::Object(object), length)) => ObjectParse::Object(object, length),
        Ok((Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_), _)) => {
            ObjectParse::Broken
        }
        Err(error) => {
            *budget = budget.saturating_sub(error.at.offset);
            ObjectParse::Broken
        }
    }
}

/// Whether the first key of an unreadable object is that of a call.
fn begins_like_a_call(text: &str) -> bool {
    let inside = text.get(1..).unwrap_or_default().trim_start();
    let Some(name) = inside.strip_prefix('"') else { return false };
    ["tool", "skill"].iter().any(|word| {
        name.strip_prefix(word)
            .and_then(|rest| rest.strip_prefix('"'))
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

/// A thinking tag, with its length.
enum ThinkingTag {
    Opens(usize),
    Closes(usize),
}

/// The thinking tag at the start of `rest`, unless it is quoted.
fn tag(before: &str, rest: &str) -> Option<ThinkingTag> {
    if before.ends_with(['`', '"', '\'', '“', '‘']) {
        return None;
    }
    let inner = rest.get(1..)?;
    let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    let name = THINKING.iter().find(|name| starts_with(inner, name) && ends_tag(inner, name.len()))?;
    let length = 1 + usize::from(closes) + name.len() + 1;
    Some(if closes { ThinkingTag::Closes(length) } else { ThinkingTag::Opens(length) })
}

fn starts_with(text: &str, name: &str) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

fn ends_tag(text: &str, at: usize) -> bool {
    text.as_bytes().get(at) == Some(&b'>')
}

/// The end of the thinking that starts at the beginning of `text` with a tag of `opening` bytes:
/// after its closing tag, or the end of the text if the tag is never closed.
fn thinking_end(text: &str, opening: usize) -> usize {
    let name = text.get(1..opening - 1).unwrap_or_default();
    let mut at = opening;
    while let Some(found) = text.get(at..).unwrap_or_default().find("</") {
        let inner = text.get(at + found + 2..).unwrap_or_default();
        at += found + 2;
        if starts_with(inner, name) && ends_tag(inner, name.len()) {
            return at + name.len() + 1;
        }
    }
    text.len()
}
