//! The context sizes and prices of models: a pinned snapshot that the user's own values override.
//!
//! A price that is not recorded stays unknown. It is never taken from a related model, an older
//! version or another seller.
//!
//! `list.rs` parses and searches the list, `entry.rs` is one model, and `family.rs` guesses the
//! tokenizer. Which service a model belongs to is in `services/`.

mod entry;
mod family;
mod list;

#[cfg(test)]
mod tests;

pub use entry::{LongPromptPrices, ModelCatalogueEntry, ModelPrices, to_kernel};
pub use family::family;
pub use list::{CatalogueError, ModelCatalogue};
