//! The models that a run may use, and what a usage costs at their prices.
//!
//! Prices and sums are whole numbers in billionths of a dollar, rounded up: a float could give two
//! hosts different sums. An unknown price never counts as free. The list of known models is in
//! `holm-wire/src/catalogue/`, calls are made by `holm-models`, and `run/billing.rs` books the
//! cost.

use alloc::string::String;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{NanoUsd, Usage};

/// A model's declaration: what the kernel must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ModelSpec {
    /// The name, as `provider/model`.
    pub name: String,
    /// The family of its tokenizer, for estimates.
    #[serde(default)]
    pub family: Family,
    /// The context window in tokens; a value that the user declared overrides any catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// The output cap to request; `None` leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// The price; `None` means unknown, which never counts as free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Sampling temperature in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_milli: Option<u32>,
}

impl ModelSpec {
    /// A model of which only the name is known.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            family: Family::default(),
            window: None,
            max_output: None,
            price: None,
            temperature_milli: None,
        }
    }
}

impl From<&str> for ModelSpec {
    fn from(name: &str) -> Self {
        Self::named(name)
    }
}

impl From<String> for ModelSpec {
    fn from(name: String) -> Self {
        Self::named(name)
    }
}

/// Families of tokenizers, for estimates before the provider has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    OpenAi,
    /// Anthropic's vocabularies, which count more.
    Anthropic,
    Gemini,
    /// Llama, Qwen, Mistral and other open ones.
    Open,
    /// Anything else; estimated with a margin.
    #[default]
    Other,
}

/// Prices in nano-dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Price {
    /// The price of prompt tokens.
    pub input: u64,
    /// The price of generated tokens.
    pub output: u64,
    /// Prompt tokens read from the cache; `None` means the price of `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Prompt tokens written to the cache; `None` means the price of `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
}

impl Price {
    /// The higher of two prices, for each kind of token.
    #[must_use]
    pub fn or_higher(self, other: Self) -> Self {
        let higher = |one: Option<u64>, two: Option<u64>| {
            (one.is_some() || two.is_some())
                .then(|| one.unwrap_or(self.input).max(two.unwrap_or(other.input)))
        };
        Self {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cached: higher(self.cached, other.cached),
            cache_write: higher(self.cache_write, other.cache_write),
        }
    }

    /// What a usage costs, rounded up to the next nano-dollar.
    ///
    /// ```
    /// use holm_kernel::{Price, Usage};
    ///
    /// let price = Price { input: 3_000_000_000, output: 15_000_000_000, ..Price::default() };
    /// let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
    /// assert_eq!(price.cost(usage).value(), 4_500_000);
    /// ```
    pub fn cost(self, usage: Usage) -> NanoUsd {
        let cached = usage.cached.min(usage.input);
        let written = usage.cache_write.min(usage.input - cached);
        let fresh = usage.input - cached - written;
        let micro = u128::from(fresh) * u128::from(self.input)
            + u128::from(cached) * u128::from(self.cached.unwrap_or(self.input))
            + u128::from(written) * u128::from(self.cache_write.unwrap_or(self.input))
            + u128::from(usage.output) * u128::from(self.output);
        let nano = micro.div_ceil(1_000_000);
        NanoUsd::new(u64::try_from(nano).unwrap_or(u64::MAX))
    }
}
