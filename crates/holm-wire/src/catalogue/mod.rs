//! What models can hold and what they cost: a pinned snapshot, over which the user's word wins.
//!
//! A price that nobody wrote down is unknown and stays so; it is never taken from a relative, an older version or another seller.

mod entry;
mod family;
mod list;

#[cfg(test)]
mod tests;

pub use entry::{Entry, Over, Prices, to_kernel};
pub use family::family;
pub use list::{BadCatalogue, Catalogue};
