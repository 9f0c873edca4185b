//! What is wrong with a schema, and what in it is not enforced.
//!
//! A schema that cannot be used is an error; a demand that is not enforced is an
//! [`UnsupportedKeyword`], which the caller must show. What is wrong with a *value* is a violation
//! (`schema/violation.rs`, worded in `schema/message.rs`). Text of the document in a message is cut
//! short.

use alloc::{format, string::String};

use super::node::TypeSet;

/// A document is not a usable schema. The pointers lead into the schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// A schema is an object or a boolean.
    #[error("schema {location} is neither an object nor a boolean; use `true` to allow everything", location = location(.pointer))]
    NotASchema { pointer: String },
    /// A keyword has a value of the wrong form.
    #[error("`{keyword}` {location} must be {expected}", location = location(.pointer))]
    BadKeyword {
        /// The schema that holds the keyword.
        pointer: String,
        keyword: &'static str,
        /// What its value should be.
        expected: &'static str,
    },
    /// A `type` that does not exist.
    #[error("unknown type {name:?} {location}; use {names}", location = location(.pointer), names = type_names())]
    UnknownType {
        /// The schema that holds it.
        pointer: String,
        /// The name as written, cut short if it is long.
        name: String,
    },
    /// A regular expression cannot be read.
    #[error("pattern {pattern:?} {location} is not a regular expression: {reason}", location = location(.pointer))]
    BadPattern {
        /// The schema that holds the pattern.
        pointer: String,
        /// The pattern, cut short if it is long.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A local reference leads nowhere.
    #[error("reference {reference:?} {location} leads nowhere; define it under `$defs`", location = location(.pointer))]
    DanglingReference {
        /// The schema that holds the reference.
        pointer: String,
        reference: String,
    },
    /// A schema applies to a value only if it applies to the same value.
    #[error("schema {location} refers to itself without descending into the value; remove the loop", location = location(.pointer))]
    EndlessReference {
        /// A schema on the loop.
        pointer: String,
    },
    /// The document is larger than a tool's schema may be.
    #[error("schema is too large: more than {limit} {what}")]
    TooLarge {
        /// The limit that was passed.
        limit: usize,
        /// The part that there is too much of.
        what: &'static str,
    },
}

/// A demand of a schema that validation does not enforce.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{keyword}` {location} is not enforced: {gap}", location = location(.pointer))]
pub struct UnsupportedKeyword {
    /// The schema that holds the keyword, as a JSON pointer.
    pub pointer: String,
    /// The keyword as written.
    pub keyword: String,
    /// Why it is not enforced.
    pub gap: SupportGap,
}

/// Why a keyword is not enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SupportGap {
    /// No edition of JSON Schema that we follow defines it.
    #[error("the keyword is unknown")]
    UnknownKeyword,
    /// The document names a metaschema that we do not know; it is read as draft 2020-12.
    #[error("the metaschema is unknown")]
    UnknownDialect,
    /// The format has no check.
    #[error("the format is unknown")]
    UnknownFormat,
    /// The reference leads out of the document.
    #[error("the reference leads to another document, and none is ever fetched")]
    RemoteReference,
    /// The reference depends on the path that led to it.
    #[error("the reference has more than one possible target")]
    DynamicReference,
    /// The pattern looks ahead or behind, which linear time does not allow.
    #[error("the pattern looks ahead or behind")]
    LookAround,
    /// The pattern refers back to a group, which linear time does not allow.
    #[error("the pattern refers back to a group")]
    BackReference,
    /// The pattern names a Unicode property; the tables are left out to keep
    /// the browser build small.
    #[error("the pattern names a Unicode property")]
    UnicodeProperty,
    /// The pattern switches flags inside.
    #[error("the pattern switches flags")]
    PatternFlags,
    /// The pattern needs more memory than a pattern may have.
    #[error("the pattern is too large")]
    PatternTooLarge,
    /// It depends on a pattern in the same schema that is itself not enforced.
    #[error("a pattern beside it is not enforced")]
    UnknownPattern,
    /// The divisor has more digits than exact division here can handle.
    #[error("the divisor has more than 18 digits")]
    LongDivisor,
}

/// The location of a pointer as text for people: the empty pointer is invisible.
fn location(pointer: &str) -> String {
    if pointer.is_empty() { "at the root".into() } else { format!("at `{pointer}`") }
}

/// The names that `type` knows, in a sentence.
fn type_names() -> String {
    let mut out = String::new();
    for (index, (name, _)) in TypeSet::NAMES.iter().enumerate() {
        match index {
            0 => {}
            last if last + 1 == TypeSet::NAMES.len() => out.push_str(" or "),
            _ => out.push_str(", "),
        }
        out.push_str(name);
    }
    out
}
