//! The token usage of a reply, and why the reply stopped, in one vocabulary for every provider.
//!
//! Counts come from `holm-wire`, estimates for missing counts from `context/estimate.rs`, and
//! prices are applied in `config/model.rs`. `run/billing.rs` books a usage, exactly once. The parts
//! (`cached`, `reasoning`, …) are contained in `input` and `output` and must not be added to them.

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// Token counts as the provider reported them, or estimates if it reported none.
///
/// `input` counts all prompt tokens, cached ones included; `output` counts all generated tokens,
/// reasoning included. The other fields say which part of those two they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Usage {
    /// All prompt tokens, cached ones included.
    pub input: u64,
    /// All generated tokens, reasoning included.
    pub output: u64,
    /// The part of `input` that was read from the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// The part of `input` that was written to the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write: u64,
    /// The part of `output` that was reasoning.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    /// The part of `input` and `output` that no provider reported: Holm estimated it.
    #[serde(skip_serializing_if = "is_zero")]
    pub estimated: u64,
}

impl Usage {
    /// The sum of two usages, saturating.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            estimated: self.estimated.saturating_add(other.estimated),
        }
    }

    /// The usage of a request of this many estimated tokens, about which
    /// the provider reported nothing.
    pub const fn of_request(tokens: u64) -> Self {
        Self { input: tokens, output: 0, cached: 0, cache_write: 0, reasoning: 0, estimated: tokens }
    }

    /// This usage with estimated input if none was reported: no request is empty.
    #[must_use]
    pub const fn with_request(mut self, tokens: u64) -> Self {
        if self.input == 0 {
            self.input = tokens;
            self.estimated = self.estimated.saturating_add(tokens);
        }
        self
    }

    /// This usage with at least this much output: a provider's report before
    /// an interruption is incomplete.
    #[must_use]
    pub const fn with_output(mut self, tokens: u64) -> Self {
        if tokens > self.output {
            self.estimated = self.estimated.saturating_add(tokens - self.output);
            self.output = tokens;
        }
        self
    }

    /// Whether any of it is an estimate.
    pub const fn is_estimated(self) -> bool {
        self.estimated > 0
    }

    /// Input and output together.
    pub const fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
pub(crate) fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Why a reply ended, in one vocabulary for every provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    #[default]
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The output cap was reached.
    MaxTokens,
    /// A stop sequence was produced.
    StopSequence,
    Refusal,
    /// The provider's filter cut the reply.
    ContentFilter,
    /// A reason that this version does not know.
    Other,
}
