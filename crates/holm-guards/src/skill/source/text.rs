//! The source text, prepared once for the search of every value.
//!
//! It asks the files next to it: the spelling is folded by `skill/source/normal_form.rs`, places
//! are found by `skill/source/search.rs` and judged by `skill/source/boundary.rs`; numbers and
//! dates are also looked up by value. An empty value occurs nowhere. Which values of a reply are
//! searched for is decided in `skill/runner.rs`.

use alloc::collections::BTreeSet;
use alloc::string::String;

use super::boundary::{ValueReading, is_word};
use super::date;
use super::normal_form::normalise;
use super::number::{self, DecimalNumber};
use super::search::any_occurrence;
use crate::json::JsonNumber;

/// A text in which values are searched for.
///
/// A value occurs in the text if, after both were folded into one spelling (case, white space,
/// typographic signs), the *whole* value is there and is not a piece of something longer. Numbers
/// are compared by value, dates also by their ISO form. An empty value occurs nowhere.
///
/// ```
/// use holm_guards::skill::{ValueReading, SourceText};
///
/// let source = SourceText::new("Write to Hello@X.com, by January 15, 2024: it costs 1,234 EUR.");
/// assert!(source.holds("hello@x.com", ValueReading::Email));
/// assert!(!source.holds("ello@x.com", ValueReading::Email));
/// assert!(source.holds("2024-01-15", ValueReading::Date));
/// assert!(source.holds("1234", ValueReading::Words));
/// assert!(!source.holds("January 16", ValueReading::Words));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    text: String,
    numbers: BTreeSet<DecimalNumber>,
    dates: BTreeSet<String>,
}

impl SourceText {
    /// Prepares a text. Linear in its length.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = normalise(text);
        let (numbers, dates) = (number::scan(&text), date::scan(&text));
        Self { text, numbers, dates }
    }

    /// Whether a value occurs in the text. Linear in the length of the text.
    #[must_use]
    pub fn holds(&self, value: &str, reading: ValueReading) -> bool {
        let value = normalise(value);
        match reading {
            ValueReading::Date if self.dates.contains(&value) => return true,
            // By value only: as text, `-5` would occur in the range `3-5`.
            ValueReading::Words if let Some(number) = DecimalNumber::parse(&value) => {
                return self.numbers.contains(&number);
            }
            ValueReading::Date | ValueReading::Words | ValueReading::Email | ValueReading::Url => {}
        }
        let (lead, core, trail) = edges(&value);
        if core.is_empty() && reading != ValueReading::Words {
            return false;
        }
        any_occurrence(&self.text, &value, |start, end| {
            let around = (self.text.get(..start + lead), self.text.get(end - trail..));
            let (Some(before), Some(after)) = around else { return false };
            reading.is_whole(before, core, after)
        })
    }

    /// Whether the text spells this number, in any form.
    #[must_use]
    pub fn holds_number(&self, number: &JsonNumber) -> bool {
        DecimalNumber::parse(number.as_str()).is_some_and(|number| self.numbers.contains(&number))
    }

    /// Bytes that one look-up reads; callers bound their work by it.
    pub(in crate::skill) fn cost(&self) -> usize {
        self.text.len()
    }
}

/// The bytes of punctuation before and after the words of a value, and the text between them.
///
/// The boundaries are those of the words: in `a@x.com` the piece `a@x.` ends at `x`,
/// not at the point.
fn edges(value: &str) -> (usize, &str, usize) {
    let core = value.trim_matches(|c| !is_word(c));
    let lead = value.find(is_word).unwrap_or(0);
    (lead, core, value.len().saturating_sub(core.len() + lead))
}
