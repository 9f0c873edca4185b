//! One model of the catalogue.

use alloc::{string::String, vec::Vec};

use holm_kernel::{Model, NanoUsd, Price, Usage};

use super::family;

/// The most output that is asked for unasked: long enough for a large file, and far from what makes rate limits bite, because
/// providers set aside what is asked for.
const ASKED_OUTPUT: u64 = 32_000;

/// What is known of a model. What is not known is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// The full name, as `provider/model`.
    pub name: String,
    /// The context window in tokens.
    pub context: Option<u64>,
    /// The most output in tokens.
    pub max_output: Option<u64>,
    pub price: Prices,
    /// Other prices for long prompts, the smallest first.
    pub over: Vec<Over>,
}

/// Prices in nano-dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prices {
    /// The price of prompt tokens.
    pub input: Option<u64>,
    /// The price of generated tokens.
    pub output: Option<u64>,
    /// Prompt tokens read from the cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens written to the cache.
    pub cache_write: Option<u64>,
}

/// Prices of a prompt beyond a length; they then hold for all of its tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Over {
    /// The longest prompt, in tokens, that is still below.
    pub tokens: u64,
    pub price: Prices,
}

impl Entry {
    /// The price of a call with a prompt of this many tokens; `None` if it is unknown.
    pub fn price_for(&self, input: u64) -> Option<Price> {
        self.over.iter().rev().find(|over| input > over.tokens).map_or(self.price, |over| over.price).known()
    }

    /// What a call cost, from the usage that the provider reported; `None` if the price is unknown.
    pub fn cost(&self, usage: Usage) -> Option<NanoUsd> {
        Some(self.price_for(usage.input)?.cost(usage))
    }

    /// Takes over everything that `other` knows.
    pub(super) fn learn(&mut self, other: Self) {
        self.context = other.context.or(self.context);
        self.max_output = other.max_output.or(self.max_output);
        // A user's price is the whole story: our prices for long prompts do not belong to it.
        if !other.over.is_empty() || other.price != Prices::default() {
            self.over = other.over;
        }
        self.price = Prices {
            input: other.price.input.or(self.price.input),
            output: other.price.output.or(self.price.output),
            cache_read: other.price.cache_read.or(self.price.cache_read),
            cache_write: other.price.cache_write.or(self.price.cache_write),
        };
    }
}

impl Prices {
    /// The price as the kernel counts with it; known only if both main prices are.
    pub const fn known(self) -> Option<Price> {
        match (self.input, self.output) {
            (Some(input), Some(output)) => {
                Some(Price { input, output, cached: self.cache_read, cache_write: self.cache_write })
            }
            (_, None) | (None, _) => None,
        }
    }
}

/// The model as the kernel knows it. The kernel has one price a model: that of short prompts.
///
/// The output cap is at most 32,000 tokens and a quarter of the window.
///
/// ```
/// use holm_wire::catalogue::{Catalogue, to_kernel};
///
/// let catalogue = Catalogue::pinned();
/// let model = to_kernel(catalogue.model("anthropic/claude-sonnet-4-5").unwrap());
/// assert_eq!((model.window, model.max_output), (Some(200_000), Some(32_000)));
/// assert_eq!(model.price.unwrap().input, 3_000_000_000);
/// ```
pub fn to_kernel(entry: &Entry) -> Model {
    let quarter = entry.context.map_or(u64::MAX, |context| context / 4);
    Model {
        family: family(&entry.name),
        window: entry.context,
        max_output: entry.max_output.map(|most| most.min(ASKED_OUTPUT).min(quarter)),
        price: entry.price.known(),
        ..Model::named(entry.name.clone())
    }
}
