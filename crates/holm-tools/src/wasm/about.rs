//! What a guest says about itself as data: in a custom section, or by the interface `holm:tool/description`.

use holm_grants::{Level, Template};
use holm_guards::json::Json;
use serde::Deserialize;
use wasmparser::{Parser, Payload};

use crate::text::tidy;

/// The custom section that may hold a description.
pub(super) const SECTION: &str = "holm:tool";

/// The most bytes of a description: a hundred times what a rich one takes.
const MAX_BYTES: usize = 256 << 10;

/// The most characters of a description that reach the model.
pub(super) const MAX_DESCRIPTION: usize = 4096;

/// The most keywords that count, and the most characters of one.
const MAX_KEYWORDS: usize = 32;
const MAX_KEYWORD: usize = 64;

/// A description as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct About {
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) description: String,
    pub(super) schema: Json,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    pub(super) level: Option<Level>,
    /// What each call asks for; a wish, like a sidecar's.
    #[serde(default)]
    pub(super) asks: Vec<Template>,
}

impl About {
    /// Reads a description; the reason why not is for a person.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("its description has {} bytes, more than {MAX_BYTES}", text.len()));
        }
        let mut about: Self = serde_json::from_str(text)
            .map_err(|error| format!("its description is not what it should be: {error}"))?;
        about.description = tidy(&about.description, MAX_DESCRIPTION);
        about.keywords = keywords(&about.keywords);
        Ok(about)
    }

    /// The description in the custom section, where there is one.
    pub(super) fn in_section(bytes: &[u8]) -> Option<Result<Self, String>> {
        let text = std::str::from_utf8(section(bytes)?);
        Some(text.map_err(|_| format!("the section {SECTION} is no text")).and_then(Self::parse))
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
