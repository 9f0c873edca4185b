//! One model of the catalogue: its window, its output limit and its prices, and the model card that
//! the kernel gets.
//!
//! Lists are parsed in `list.rs`. Budgets are enforced by the kernel and not here. A price that is
//! not recorded stays `None`, because a wrong price is worse than an unknown one.

use alloc::{string::String, vec::Vec};

use holm_kernel::{ModelSpec, NanoUsd, Price, Usage};

use super::family;

/// The largest output limit that is requested by default. It is long enough for a large file.
/// Providers reserve the requested amount, so a larger one would reach rate limits.
const ASKED_OUTPUT: u64 = 32_000;

/// The known data of a model. Unknown values are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelCatalogueEntry {
    /// The full name, as `provider/model`.
    pub name: String,
    /// The context window in tokens.
    pub context: Option<u64>,
    /// The largest output in tokens.
    pub max_output: Option<u64>,
    pub price: ModelPrices,
    /// Different prices for long prompts, the shortest first.
    pub over: Vec<LongPromptPrices>,
}

/// Prices in nano-dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelPrices {
    /// The price of prompt tokens.
    pub input: Option<u64>,
    /// The price of generated tokens.
    pub output: Option<u64>,
    /// The price of prompt tokens read from the cache.
    pub cache_read: Option<u64>,
    /// The price of prompt tokens written to the cache.
    pub cache_write: Option<u64>,
}

/// The prices of a prompt beyond a length. They then apply to all of its tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LongPromptPrices {
    /// The longest prompt, in tokens, at the lower price.
    pub tokens: u64,
    pub price: ModelPrices,
}

impl ModelCatalogueEntry {
    /// The price of a call with a prompt of this many tokens, or `None` if it is unknown.
    pub fn price_for(&self, input: u64) -> Option<Price> {
        self.over.iter().rev().find(|over| input > over.tokens).map_or(self.price, |over| over.price).known()
    }

    /// The cost of a call, from the usage that the provider reported. `None` if
    /// the price is unknown.
    pub fn cost(&self, usage: Usage) -> Option<NanoUsd> {
        Some(self.price_for(usage.input)?.cost(usage))
    }

    /// Copies every value that `other` knows.
    pub(super) fn learn(&mut self, other: Self) {
        self.context = other.context.or(self.context);
        self.max_output = other.max_output.or(self.max_output);
        // A user's price is complete, so our prices for long prompts do not apply to it.
        if !other.over.is_empty() || other.price != ModelPrices::default() {
            self.over = other.over;
        }
        self.price = ModelPrices {
            input: other.price.input.or(self.price.input),
            output: other.price.output.or(self.price.output),
            cache_read: other.price.cache_read.or(self.price.cache_read),
            cache_write: other.price.cache_write.or(self.price.cache_write),
        };
    }
}

impl ModelPrices {
    /// The price in the form of the kernel. It is known only if both main prices are.
    pub const fn known(self) -> Option<Price> {
        match (self.input, self.output) {
            (Some(input), Some(output)) => {
                Some(Price { input, output, cached: self.cache_read, cache_write: self.cache_write })
            }
            (_, None) | (None, _) => None,
        }
    }
}

/// The model card for the kernel. The kernel has one price per model: that of short prompts.
///
/// The output limit is at most 32,000 tokens and a quarter of the window.
///
/// ```
/// use holm_wire::catalogue::{ModelCatalogue, to_kernel};
///
/// let catalogue = ModelCatalogue::pinned();
/// let model = to_kernel(catalogue.model("anthropic/claude-sonnet-4-5").unwrap());
/// assert_eq!((model.window, model.max_output), (Some(200_000), Some(32_000)));
/// assert_eq!(model.price.unwrap().input, 3_000_000_000);
/// ```
pub fn to_kernel(entry: &ModelCatalogueEntry) -> ModelSpec {
    let quarter = entry.context.map_or(u64::MAX, |context| context / 4);
    ModelSpec {
        family: family(&entry.name),
        window: entry.context,
        max_output: entry.max_output.map(|most| most.min(ASKED_OUTPUT).min(quarter)),
        price: entry.price.known(),
        ..ModelSpec::named(entry.name.clone())
    }
}
