//! Checks whether a value occurs in the text that it claims to come from.
//!
//! This check catches invented values, so it compares whole values and whole tokens. A value that
//! only shares a word with the text, or that is a part of a longer address in it, does not occur
//! there. In doubt the answer is no: a wrong no costs a retry, a wrong yes lets an invented value
//! pass. Everything is linear in the text.
//!
//! Where things are:
//!
//! - `skill/source/text.rs`: the source text and the question.
//! - `skill/source/search.rs`: all occurrences of a value.
//! - `skill/source/boundary.rs`: where a value may begin and end.
//! - `skill/source/normal_form.rs`, `skill/source/decompose.rs`: one spelling for both sides.
//! - `skill/source/number.rs`, `skill/source/date.rs`: values that a text may spell in several
//!   ways.

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
