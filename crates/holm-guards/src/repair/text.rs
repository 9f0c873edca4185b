//! Parses the text of arguments, and shows the place where that fails.
//!
//! It removes a code fence around the whole text and commas before closing brackets, and nothing
//! else; the parser itself stays strict (`json/parse.rs`). Changes that need the schema are made in
//! `repair/fixer.rs`. Finding JSON inside prose is not done here
//! (`holm-kernel/src/protocol/scan.rs`, `skill/reply.rs`).

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{ArgumentFix, ArgumentFixKind};
use crate::json::{Json, JsonObject, JsonParseError, JsonParseErrorKind};

/// Characters shown before the place of an error.
const BEFORE: usize = 40;

/// Characters shown after it.
const AFTER: usize = 20;

/// Reads arguments; the error is a text for the model.
pub(super) fn read(arguments: &str) -> Result<(Json, Vec<ArgumentFix>), String> {
    let text = arguments.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok((Json::Object(JsonObject::new()), vec![fix(ArgumentFixKind::Empty)]));
    }
    let (text, mut fixes) = match unfence(text) {
        Some(inside) => (inside, vec![fix(ArgumentFixKind::Fence)]),
        None => (text, Vec::new()),
    };
    let error = match Json::parse(text) {
        Ok(value) => return Ok((value, fixes)),
        Err(error) => error,
    };
    if error.kind == JsonParseErrorKind::TrailingComma
        && let Ok(value) = Json::parse(&without_trailing_commas(text))
    {
        fixes.push(fix(ArgumentFixKind::TrailingComma));
        return Ok((value, fixes));
    }
    Err(format!("the arguments are not valid JSON: {error}\n{}", picture(text, &error)))
}

const fn fix(kind: ArgumentFixKind) -> ArgumentFix {
    ArgumentFix { pointer: String::new(), kind }
}

/// The inside of a text that is one code fence and nothing else.
fn unfence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, rest) = inside.split_once('\n').unwrap_or(("", inside));
    let plain = language.trim().chars().all(char::is_alphanumeric);
    plain.then(|| rest.trim())
}

/// Removes every comma before a closing bracket, except inside strings.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    // Where an undecided comma is in `out`; only white space has followed it.
    let mut comma = None;
    for c in text.chars() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else {
            match c {
                ' ' | '\t' | '\n' | '\r' => {}
                ',' => comma = Some(out.len()),
                '}' | ']' => {
                    if let Some(at) = comma.take() {
                        out.replace_range(at..=at, " ");
                    }
                }
                other => {
                    quoted = other == '"';
                    comma = None;
                }
            }
        }
        out.push(c);
    }
    out
}

/// The line of an error with a mark below the place.
fn picture(text: &str, error: &JsonParseError) -> String {
    let line = text.lines().nth(error.at.line.saturating_sub(1)).unwrap_or_default();
    let column = error.at.column.saturating_sub(1);
    let start = column.saturating_sub(BEFORE);
    // A tab or another control character would move the mark.
    let shown = line.chars().skip(start).take(column - start + AFTER);
    let shown: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("  {shown}\n  {:>width$}", '^', width = column - start + 1)
}
