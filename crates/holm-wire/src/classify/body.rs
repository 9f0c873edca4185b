//! Finds the error in the body of an error response, from any provider or proxy, and prepares its
//! text for a log.
//!
//! It does not choose the class: `mod.rs` does. A waiting time in the text is read in
//! `retry_after.rs`. Bodies, lists and messages are bounded. Every message that `mod.rs` passes on
//! goes through `tidy`, because providers repeat keys in their errors.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use holm_guards::json::Json;

use super::retry_after::{duration_ms, said_in_prose};

/// The longest provider message that is passed on, in characters.
pub const MAX_MESSAGE: usize = 500;

/// Longer bodies are not parsed. No provider's error is longer, and a web page or a dump
/// has no useful structure.
const MAX_BODY: usize = 1 << 20;

/// How many entries of a list inside an error are read.
const MAX_ENTRIES: usize = 16;

/// Prefixes of keys that providers echo back.
const KEYS: [&str; 12] =
    ["sk-", "sk_", "pk-", "rk-", "AIza", "gsk_", "xai-", "AKIA", "ASIA", "hf_", "nvapi-", "eyJ"];

/// Shorter words are not keys.
const MIN_KEY: usize = 12;

/// The content of an error body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorBody {
    /// The message for people.
    pub message: String,
    /// Codes, types and the message in lower case, for recognition.
    pub words: String,
    /// The waiting time that the body asks for.
    pub retry_after_ms: Option<u64>,
    /// The status that the body repeats.
    pub status: Option<u16>,
}

impl ErrorBody {
    /// Reads a body: JSON in any known shape, plain text, or a web page.
    pub fn read(body: &[u8]) -> Self {
        if let Some(page) = super::web_page(body) {
            return Self { message: page.message, ..Self::default() };
        }
        let text = String::from_utf8_lossy(body.get(..MAX_BODY).unwrap_or(body));
        let Ok(json) = Json::parse(text.trim()) else {
            let head: String = text.trim().chars().take(MAX_MESSAGE).collect();
            let retry_after_ms = said_in_prose(&head.to_ascii_lowercase());
            return Self { words: head.to_ascii_lowercase(), message: head, retry_after_ms, status: None };
        };
        let json = json.as_array().and_then(<[Json]>::first).unwrap_or(&json);
        let mut found = Self::default();
        let inner = json.get("error").or_else(|| json.get("errors")).unwrap_or(json);
        found.collect(json, false);
        match inner {
            Json::String(text) => found.message.clone_from(text),
            Json::Array(items) => items.first().into_iter().for_each(|item| found.collect(item, true)),
            other => found.collect(other, true),
        }
        if found.message.is_empty() {
            found.message = outer_message(json);
        }
        found.words.push_str(&found.message.to_ascii_lowercase());
        found.retry_after_ms = found.retry_after_ms.or_else(|| said_in_prose(&found.words));
        found
    }

    fn collect(&mut self, object: &Json, with_message: bool) {
        for name in ["type", "code", "status", "__type", "reason", "object"] {
            match object.get(name) {
                Some(Json::String(text)) => self.word(text),
                Some(Json::Number(number)) => {
                    let status = number.as_u64().and_then(|number| u16::try_from(number).ok());
                    self.status = status.filter(|status| (400..600).contains(status)).or(self.status);
                }
                _ => {}
            }
        }
        if with_message {
            self.message = ["message", "msg", "detail", "description"]
                .iter()
                .find_map(|name| object.get(name)?.as_str())
                .unwrap_or_default()
                .to_owned();
        }
        self.details(object);
    }

    /// Google's list of typed details, and the members where routers put the upstream's error.
    fn details(&mut self, object: &Json) {
        for detail in
            object.get("details").and_then(Json::as_array).unwrap_or_default().iter().take(MAX_ENTRIES)
        {
            if let Some(delay) = detail.get("retryDelay").and_then(Json::as_str) {
                self.retry_after_ms = duration_ms(delay).or(self.retry_after_ms);
            }
            if let Some(reason) = detail.get("reason").and_then(Json::as_str) {
                self.word(reason);
            }
        }
        for pointer in ["/innererror/code", "/inner_error/code", "/metadata/raw", "/metadata/error_type"] {
            if let Some(text) = object.pointer(pointer).and_then(Json::as_str) {
                self.word(&text.chars().take(MAX_MESSAGE).collect::<String>());
            }
        }
    }

    fn word(&mut self, word: &str) {
        self.words.push_str(&word.to_ascii_lowercase());
        self.words.push(' ');
    }
}

/// The message of a body without an error object: `message`, or `detail` as text or as a list.
fn outer_message(json: &Json) -> String {
    let direct = ["message", "Message", "detail", "error_description", "msg"];
    if let Some(text) = direct.iter().find_map(|name| json.get(name)?.as_str()) {
        return text.to_owned();
    }
    let entries = json.get("detail").and_then(Json::as_array).unwrap_or_default();
    let texts: Vec<&str> =
        entries.iter().take(MAX_ENTRIES).filter_map(|entry| entry.get("msg")?.as_str()).collect();
    texts.join("; ")
}

/// Prepares a provider's text for a log: limited, on one line, without control
/// characters and without keys.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::new();
    for (count, word) in text.split_whitespace().enumerate() {
        if count > 0 {
            out.push(' ');
        }
        push_word(word, &mut out);
        if out.len() > MAX_MESSAGE.saturating_mul(4) {
            break;
        }
    }
    match out.char_indices().nth(MAX_MESSAGE) {
        Some((at, _)) => {
            out.truncate(at);
            out.push('…');
            out
        }
        None => out,
    }
}

/// Appends a word. Character runs that begin like a key are replaced, at any position in the word.
fn push_word(word: &str, out: &mut String) {
    let in_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*' | '.');
    let mut rest = word;
    while !rest.is_empty() && out.len() <= MAX_MESSAGE.saturating_mul(4) {
        let end = rest.find(|c| !in_key(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let key = run.trim_end_matches('.');
        if KEYS.iter().any(|start| key.starts_with(start)) && key.len() >= MIN_KEY {
            out.push_str("‹key›");
            out.push_str(run.get(key.len()..).unwrap_or_default());
        } else {
            out.push_str(run);
        }
        let other = after.find(in_key).unwrap_or(after.len());
        let (between, next) = after.split_at_checked(other).unwrap_or((after, ""));
        out.extend(between.chars().filter(|c| !c.is_control()));
        rest = next;
    }
}
