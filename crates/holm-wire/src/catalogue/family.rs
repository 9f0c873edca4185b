//! Guesses the tokenizer of a model from its name, for estimates before the provider has counted.
//! It never decides a price or a window: those are in `list.rs`. An unknown name has the family
//! `Other`.

use holm_kernel::Family;

use crate::provider_model;

/// Prefixes of model names, after the last slash and the vendor's dots.
const FAMILIES: &[(&[&str], Family)] = &[
    (&["gpt-", "chatgpt", "o1", "o3", "o4", "codex"], Family::OpenAi),
    (&["claude"], Family::Anthropic),
    (&["gemini"], Family::Gemini),
    (
        &[
            "llama",
            "qwen",
            "qwq",
            "mistral",
            "mixtral",
            "ministral",
            "codestral",
            "devstral",
            "magistral",
            "deepseek",
            "gemma",
            "phi",
            "kimi",
            "glm",
            "minimax",
            "command",
            "granite",
            "nemotron",
            "grok",
        ],
        Family::Open,
    ),
];

/// The tokenizer family of a model by its name, for estimates before the provider has counted.
///
/// ```
/// use holm_kernel::Family;
/// use holm_wire::catalogue::family;
///
/// assert_eq!(family("openai/gpt-5-mini"), Family::OpenAi);
/// assert_eq!(family("bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"), Family::Anthropic);
/// assert_eq!(family("together/meta-llama/Llama-4-Scout"), Family::Open);
/// assert_eq!(family("acme/secret"), Family::Other);
/// ```
pub fn family(name: &str) -> Family {
    let (_, model) = provider_model(name);
    let last = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let starts = |part: &str| {
        FAMILIES
            .iter()
            .find(|(names, _)| names.iter().any(|name| part.starts_with(name)))
            .map(|(_, family)| *family)
    };
    // A profile's name begins with region and vendor. Versions contain dots too, so the whole name
    // is tried first.
    starts(&last).or_else(|| last.split('.').find_map(starts)).unwrap_or_default()
}
