//! The description of a guest as data: in a custom section, or
//! by the interface `holm:tool/description`.
//!
//! It only parses and cleans; the guest is run for its description in `describe.rs`. Texts are
//! shortened and cleaned because a model reads them, and sizes are bounded.
//!
//! Help texts are parsed in `help/mod.rs`, and a sidecar that corrects a description in
//! `registry/sidecar.rs`.

use holm_grants::{Level, NeedTemplate};
use holm_guards::json::Json;
use serde::Deserialize;
use wasmparser::{Parser, Payload};

use crate::text::tidy;

/// The custom section that may hold a description.
pub(super) const SECTION: &str = "holm:tool";

/// The most bytes of a description: a hundred times the size of a detailed one.
const MAX_BYTES: usize = 256 << 10;

/// The most characters of a description that reach the model.
pub(super) const MAX_DESCRIPTION: usize = 4096;

/// The most bytes of a schema: a model reads all of it in every request.
const MAX_SCHEMA: usize = 64 << 10;

/// The texts in a schema that are meant for its reader, and the most characters of each.
const WORDS: [&str; 3] = ["description", "title", "$comment"];
const MAX_WORDS: usize = 1024;

/// The most keywords that count, and the most characters of one.
const MAX_KEYWORDS: usize = 32;
const MAX_KEYWORD: usize = 64;

/// A guest's description as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct GuestManifest {
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) description: String,
    pub(super) schema: Json,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    pub(super) level: Option<Level>,
    /// The needs of each call; only a request, like a sidecar's.
    #[serde(default)]
    pub(super) asks: Vec<NeedTemplate>,
}

impl GuestManifest {
    /// Reads a description; the reason why not is for a person.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("its description has {} bytes, more than {MAX_BYTES}", text.len()));
        }
        let mut about: Self =
            serde_json::from_str(text).map_err(|error| format!("its description is invalid: {error}"))?;
        about.description = tidy(&about.description, MAX_DESCRIPTION);
        tidy_texts(&mut about.schema);
        let bytes = about.schema.canonical().len();
        if bytes > MAX_SCHEMA {
            return Err(format!("its schema has {bytes} bytes, more than {MAX_SCHEMA}"));
        }
        about.keywords = keywords(&about.keywords);
        Ok(about)
    }

    /// The description in the custom section, if there is one.
    pub(super) fn in_section(bytes: &[u8]) -> Option<Result<Self, String>> {
        let text = std::str::from_utf8(section(bytes)?);
        Some(text.map_err(|_| format!("the section {SECTION} is not UTF-8 text")).and_then(Self::parse))
    }
}

/// What a WASM file asks for by its custom section, as text. Nothing is run, so needs that the file
/// would name only when it describes itself are not included.
///
/// # Errors
///
/// Why the section cannot be read, in words.
pub fn declared_asks(bytes: &[u8]) -> Result<Vec<String>, String> {
    let about = GuestManifest::in_section(bytes).transpose()?;
    Ok(about.into_iter().flat_map(|about| about.asks).map(|ask| ask.to_string()).collect())
}

/// Cleans and shortens the texts of a schema. The rest is compared with arguments and stays exact.
fn tidy_texts(schema: &mut Json) {
    match schema {
        Json::Object(members) => {
            for word in WORDS {
                if let Some(Json::String(text)) = members.get_mut(word) {
                    *text = tidy(text, MAX_WORDS);
                }
            }
            members.values_mut().for_each(tidy_texts);
        }
        Json::Array(items) => items.iter_mut().for_each(tidy_texts),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Keywords that are short, clean and few.
pub(super) fn keywords(words: &[String]) -> Vec<String> {
    let clean = words.iter().map(|word| tidy(word, MAX_KEYWORD)).filter(|word| !word.is_empty());
    clean.take(MAX_KEYWORDS).collect()
}

/// The first custom section of our name that belongs to the outermost module or component.
fn section(bytes: &[u8]) -> Option<&[u8]> {
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.ok()? {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if depth == 1 && section.name() == SECTION => {
                return Some(section.data());
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_read_by_a_model_so_its_words_are_clean_and_few() {
        let hidden = r"a\u202e\u200bb".to_owned() + &"x".repeat(5_000);
        let schema = format!(
            r#"{{"type":"object","properties":{{"description":{{"type":"string","description":"{hidden}","enum":["\u200b"]}}}}}}"#
        );
        let about = GuestManifest::parse(&format!(r#"{{"schema":{schema}}}"#)).unwrap();
        let text = about.schema.canonical();
        assert!(text.len() < 2_000 && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains("\u{200b}"), "what arguments are compared with stays exact: {text}");
        let large = format!(r#"{{"schema":{{"enum":["{}"]}}}}"#, "x".repeat(MAX_SCHEMA));
        assert!(GuestManifest::parse(&large).unwrap_err().contains("its schema has"));
    }
}
