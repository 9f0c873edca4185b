//! The guests that come inside the binary, so that Holm works from one file.
//!
//! They are packed at build time from `guests/dist`, which `make guests` makes. A build without that folder holds none.

mod guest;

pub use guest::{Shipped, ShippedError, all};

#[cfg(test)]
mod tests;
