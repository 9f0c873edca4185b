//! Checks whether a value stands in the text that it claims to come from.
//!
//! This check catches invented values, so it compares whole values and whole tokens. A value that
//! only shares a word with the text, or that is a piece of a longer address in it, does not stand
//! there.

mod boundary;
mod date;
mod decompose;
mod normal_form;
mod number;
mod search;
mod text;

pub use boundary::ValueReading;
pub use text::SourceText;

pub(super) use date::is_date;

#[cfg(test)]
mod tests;
