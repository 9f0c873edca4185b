//! Reads the usage in the spellings of Chat Completions services. It knows no prices:
//! `catalogue/entry.rs` does. Cached and written tokens never exceed the input, and reasoning never
//! exceeds the output, whatever a service reports.

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::{
    fast_read::{self, fast_read},
    lenient::{LenientCount, RawJson},
};

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct ChatUsage<'a> {
    #[serde(borrow)]
    prompt_tokens: LenientCount<'a>,
    #[serde(borrow)]
    completion_tokens: LenientCount<'a>,
    #[serde(borrow)]
    total_tokens: LenientCount<'a>,
    #[serde(borrow)]
    prompt_tokens_details: Option<ChatPromptDetails<'a>>,
    #[serde(borrow)]
    completion_tokens_details: Option<ChatCompletionDetails<'a>>,
    #[serde(borrow)]
    prompt_cache_hit_tokens: LenientCount<'a>,
    #[serde(borrow)]
    cached_tokens: LenientCount<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct ChatPromptDetails<'a> {
    #[serde(borrow)]
    cached_tokens: LenientCount<'a>,
    #[serde(borrow)]
    cache_write_tokens: LenientCount<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct ChatCompletionDetails<'a> {
    #[serde(borrow)]
    reasoning_tokens: LenientCount<'a>,
}

/// Reads a usage object. `None` if it is not a valid one.
///
/// Some services exclude reasoning from `completion_tokens`. Their total is then larger
/// by exactly that amount.
pub(super) fn read(raw: RawJson<'_>) -> Option<Usage> {
    let wire: ChatUsage<'_> = fast_read::parse(raw.get().as_bytes()).ok()?;
    let prompt = wire.prompt_tokens_details.unwrap_or_default();
    let reasoning = wire.completion_tokens_details.unwrap_or_default().reasoning_tokens.or_zero();
    let input = wire.prompt_tokens.or_zero();
    let completion = wire.completion_tokens.or_zero();
    let unsaid = wire.total_tokens.or_zero().saturating_sub(input.saturating_add(completion));
    let output = if unsaid == reasoning { completion.saturating_add(reasoning) } else { completion };
    let output = if unsaid == 0 { completion } else { output };
    let cached = [prompt.cached_tokens, wire.prompt_cache_hit_tokens, wire.cached_tokens];
    Some(Usage {
        input,
        output,
        cached: cached.iter().find_map(|count| count.get()).unwrap_or(0).min(input),
        cache_write: prompt.cache_write_tokens.or_zero().min(input),
        reasoning: reasoning.min(output),
        estimated: 0,
    })
}

fast_read!(ChatUsage {
    b"prompt_tokens" => prompt_tokens,
    b"completion_tokens" => completion_tokens,
    b"total_tokens" => total_tokens,
    b"prompt_tokens_details" => prompt_tokens_details,
    b"completion_tokens_details" => completion_tokens_details,
    b"prompt_cache_hit_tokens" => prompt_cache_hit_tokens,
    b"cached_tokens" => cached_tokens,
});
fast_read!(ChatPromptDetails { b"cached_tokens" => cached_tokens, b"cache_write_tokens" => cache_write_tokens });
fast_read!(ChatCompletionDetails { b"reasoning_tokens" => reasoning_tokens });
