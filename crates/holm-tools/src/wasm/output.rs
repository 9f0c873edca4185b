//! Turns the end of a call into the output that the model reads.
//!
//! A tool may answer with an object of `content`, `error` or `is_error`, and `metadata`, and for
//! binary content `encoding` and `media_type`. Any other output is the text itself. Standard error
//! is kept apart: the model reads it if the call failed, and people see it otherwise.
//!
//! It changes no outcome for the better: a guest that failed can never report success. Its own
//! metadata is bounded, so that a tool cannot push out the refusals.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use holm_guards::json::Json;
use holm_kernel::{Block, Media, Outcome, Source, ToolOutput};
use holm_sandbox::{AccessDenied, GuestOutcome, GuestStop};

use super::debug_form;
use crate::text::tidy;

/// How much of standard error is shown and kept: the end, where the reason usually is.
const MAX_STDERR: usize = 8 << 10;

/// How many refusals a model sees.
const TOLD_REFUSALS: usize = 8;

/// How many bytes of one refusal are shown or kept: the longest that a person would read.
const MAX_REFUSAL: usize = 512;

/// How many bytes of refusals are kept in all.
const MAX_REFUSALS: usize = 16 << 10;

/// How many bytes a tool's own metadata may have beside ours. The total stays below what a run
/// keeps, so that a tool cannot make the run drop the refusals.
const MAX_OWN: usize = 24 << 10;

/// How deep a tool's own metadata may be, for the same reason.
const MAX_DEPTH: usize = 16;

/// The members that an answer may have. An object with other members is data of the tool.
const WORDS: [&str; 6] = ["content", "encoding", "error", "is_error", "media_type", "metadata"];

/// The output of a call.
pub(super) fn of(outcome: &GuestOutcome) -> ToolOutput {
    let mut output = match &outcome.reply {
        Some(Ok(text)) => answer(text.as_bytes()),
        Some(Err(text)) => ToolOutput { outcome: Outcome::Failed, ..answer(text.as_bytes()) },
        None => written(outcome),
    };
    if !outcome.succeeded() && output.outcome == Outcome::Succeeded {
        output.outcome = Outcome::Failed;
    }
    if outcome.stop == GuestStop::Cancelled {
        output.outcome = Outcome::Stopped;
    }
    explain(&mut output, outcome);
    output.metadata = Some(Box::new(metadata(output.metadata.take(), outcome)));
    output
}

/// The answer of a command: its output. If it failed without output, an answer
/// on standard error counts.
fn written(outcome: &GuestOutcome) -> ToolOutput {
    let is_blank = outcome.stdout.iter().all(u8::is_ascii_whitespace);
    if is_blank
        && !outcome.succeeded()
        && let Some(output) = std::str::from_utf8(&outcome.stderr).ok().and_then(convention)
    {
        return output;
    }
    answer(&outcome.stdout)
}

fn answer(bytes: &[u8]) -> ToolOutput {
    match std::str::from_utf8(bytes) {
        Ok(text) => convention(text).unwrap_or_else(|| ToolOutput::text(text)),
        Err(_) => binary(bytes, None),
    }
}

/// An answer that keeps the convention.
fn convention(text: &str) -> Option<ToolOutput> {
    let text = text.trim();
    let parsed = match debug_form::parse(text) {
        Some(parsed) => parsed,
        None if text.starts_with('{') && text.ends_with('}') => Json::parse(text).ok()?,
        None => return None,
    };
    let members = parsed.as_object()?;
    let has_answer = members.contains_key("content") || parsed.get("error").and_then(Json::as_str).is_some();
    if !has_answer || !members.keys().all(|name| WORDS.contains(&name.as_str())) {
        return None;
    }
    let failed = is_error(parsed.get("error")) || is_error(parsed.get("is_error"));
    let media_type = parsed.get("media_type").and_then(Json::as_str);
    let content = match parsed.get("content") {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Null) | None => parsed.get("error").and_then(Json::as_str).unwrap_or_default().to_owned(),
        Some(other) => other.canonical(),
    };
    let mut output = match parsed.get("encoding").and_then(Json::as_str) {
        Some("base64") => match STANDARD.decode(content.trim()) {
            Ok(bytes) => binary(&bytes, media_type),
            Err(error) => {
                ToolOutput::failed(format!("the tool declares its content as base64, but it is not: {error}"))
            }
        },
        Some(_) | None => ToolOutput::text(content),
    };
    if failed {
        output.outcome = Outcome::Failed;
    }
    output.metadata = parsed.get("metadata").filter(|metadata| !metadata.is_null()).cloned().map(Box::new);
    Some(output)
}

/// Says what a failed call lacked, if its tool names no needs.
pub(super) fn without_needs(output: &mut ToolOutput, program: &str) {
    if output.outcome != Outcome::Failed {
        return;
    }
    let end = if output.text.is_empty() || output.text.ends_with('\n') { "" } else { "\n" };
    output.text.push_str(&format!(
        "{end}[the tool names no needs, so this call had no files and no network; a person can list them \
         under `asks` in {program}.toml beside the tool]"
    ));
}

/// `true`, or a text that says what went wrong.
fn is_error(value: Option<&Json>) -> bool {
    value.is_some_and(|value| {
        value.as_bool().unwrap_or_else(|| value.as_str().is_some_and(|text| !text.is_empty()))
    })
}

/// Bytes: text where they are text, else a picture or a file.
fn binary(bytes: &[u8], media_type: Option<&str>) -> ToolOutput {
    let is_text = media_type.is_none_or(|kind| kind.starts_with("text/"));
    if let (true, Ok(text)) = (is_text, std::str::from_utf8(bytes)) {
        return ToolOutput::text(text);
    }
    let media_type = tidy(media_type.unwrap_or("application/octet-stream"), 128);
    let text = format!("[{} bytes of {media_type}]", bytes.len());
    let is_image = media_type.starts_with("image/");
    let media = Media { media_type, source: Source::Base64(STANDARD.encode(bytes)), name: None };
    let part = if is_image { Block::Image(media) } else { Block::File(media) };
    ToolOutput { parts: vec![part], ..ToolOutput::text(text) }
}

/// Adds to a failed call why it failed, for the model.
fn explain(output: &mut ToolOutput, outcome: &GuestOutcome) {
    if output.outcome == Outcome::Succeeded {
        return;
    }
    let mut lines = Vec::new();
    match &outcome.stop {
        GuestStop::Returned | GuestStop::Exited(_) => {}
        stop => lines.push(format!("the tool was stopped: {stop}")),
    }
    let stderr = tail(&outcome.stderr);
    // An answer on standard error is already the text.
    if !stderr.is_empty() && convention(&stderr).is_none() {
        lines.push(stderr);
    }
    lines.extend(outcome.refusals.iter().take(TOLD_REFUSALS).map(refused));
    if output.text.trim().is_empty() && lines.is_empty() {
        lines.push(format!("the tool {} and printed nothing", outcome.stop));
    }
    for line in lines {
        if !output.text.is_empty() && !output.text.ends_with('\n') {
            output.text.push('\n');
        }
        output.text.push_str(&line);
    }
}

/// For people and for the record: refusals, standard error, and resource use.
fn metadata(own: Option<Box<Json>>, outcome: &GuestOutcome) -> Json {
    let number = |value: u64| Json::from(i64::try_from(value).unwrap_or(i64::MAX));
    let mut members = vec![
        ("fuel", number(outcome.usage.fuel)),
        ("memory", number(outcome.usage.peak_memory)),
        ("micros", number(u64::try_from(outcome.usage.time.as_micros()).unwrap_or(u64::MAX))),
        ("ended", Json::from(outcome.stop.to_string())),
    ];
    let stderr = tail(&outcome.stderr);
    if !stderr.is_empty() {
        members.push(("stderr", Json::from(stderr)));
    }
    if !outcome.refusals.is_empty() {
        let mut left = MAX_REFUSALS;
        let fits = |text: &String| {
            let rest = left.checked_sub(text.len());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let listed: Vec<Json> =
            outcome.refusals.iter().map(refused).take_while(fits).map(Json::from).collect();
        let unlisted = (outcome.refusals.len() - listed.len()) as u64;
        members.push(("refused", Json::Array(listed)));
        members.push(("refused_more", number(outcome.unlisted_refusals.saturating_add(unlisted))));
    }
    match own {
        Some(own) if is_flat(&own, MAX_DEPTH) && own.canonical().len() <= MAX_OWN => {
            members.push(("tool", *own));
        }
        Some(_) => members.push(("tool_left_out", Json::from(true))),
        None => {}
    }
    Json::object(members)
}

/// Whether a value is not nested deeper than this.
fn is_flat(value: &Json, depth: usize) -> bool {
    let inner = |value: &Json| depth > 0 && is_flat(value, depth - 1);
    match value {
        Json::Array(items) => items.iter().all(inner),
        Json::Object(members) => members.values().all(inner),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

/// A refusal in words, short enough to be read.
pub(super) fn refused(refusal: &AccessDenied) -> String {
    let text = refusal.to_string();
    if text.len() <= MAX_REFUSAL {
        return text;
    }
    let end = text.floor_char_boundary(MAX_REFUSAL);
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// The end of standard error, as clean text.
fn tail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let from = text.ceil_char_boundary(text.len().saturating_sub(MAX_STDERR));
    tidy(text.get(from..).unwrap_or_default(), MAX_STDERR)
}

#[cfg(test)]
mod tests;
