//! Expansion: turns words as they are written into words as commands get them.

mod arith;
mod brace;
mod files;
mod param;
mod parts;
pub(crate) mod pattern;
mod quote;
mod word;

pub(crate) use quote::{ansi, backslashed, quote};
pub(crate) use word::grammar;
