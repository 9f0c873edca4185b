//! The texts of violations. A model reads them and tries again, so each says what is wrong and what
//! to send.
//!
//! This file words and decides nothing: `schema/check/` finds violations, `schema/path.rs` names
//! their place, `schema/summary.rs` describes a schema. Values and names of the sender are cut
//! short, so that a message cannot flood a prompt. Code must not parse them.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::CompiledSchema;
use super::node::{ObjectRules, SchemaNodeId, TypeSet};
use super::path::ValuePath;
use super::pattern::EcmaPattern;
use super::summary::{list, shape};
use crate::json::{Json, JsonKind, JsonNumber};

/// How much of an offending value a message repeats.
const EXCERPT: usize = 60;

/// How many property names a message lists.
const MAX_NAMES: usize = 20;

/// Longest name that is compared letter by letter for a misspelling; the comparison is
/// quadratic in the length.
const MAX_NAME: usize = 64;

pub(super) fn refused(at: &ValuePath<'_>) -> String {
    format!("{} is not allowed here; leave it out", at.label())
}

pub(super) fn left_over(at: &ValuePath<'_>) -> String {
    format!("{} is not known to the schema; leave it out", at.label())
}

pub(super) fn wrong_type(at: &ValuePath<'_>, types: TypeSet, value: &Json) -> String {
    let hint = type_hint(types, value).map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{} must be {}, got {}{hint}", at.label(), type_names(types), describe(value))
}

pub(super) fn not_constant(at: &ValuePath<'_>, constant: &Json, value: &Json) -> String {
    format!("{} must be {}, got {}", at.label(), excerpt(&constant.canonical()), describe(value))
}

pub(super) fn not_listed(at: &ValuePath<'_>, allowed: &[Json], value: &Json) -> String {
    let close = value.as_str().and_then(|text| closest(text, allowed.iter().filter_map(Json::as_str)));
    let hint = close.map(|close| format!("; did you mean {}?", Json::from(close))).unwrap_or_default();
    format!("{} must be one of {}, got {}{hint}", at.label(), list(allowed), describe(value))
}

pub(super) fn out_of_range(
    at: &ValuePath<'_>,
    words: &str,
    limit: &JsonNumber,
    number: &JsonNumber,
) -> String {
    format!("{} must be {words} {limit}, got {}", at.label(), excerpt(number.as_str()))
}

pub(super) fn not_multiple(at: &ValuePath<'_>, divisor: &JsonNumber, number: &JsonNumber) -> String {
    format!("{} must be a multiple of {divisor}, got {}", at.label(), excerpt(number.as_str()))
}

pub(super) fn length(at: &ValuePath<'_>, words: &str, limit: Option<u64>, length: u64) -> String {
    format!("{} must have {words} {}, got {length}", at.label(), plural(limit, "character", "characters"))
}

pub(super) fn items(at: &ValuePath<'_>, words: &str, limit: Option<u64>, length: u64) -> String {
    format!("{} must have {words} {}, got {length}", at.label(), plural(limit, "item", "items"))
}

pub(super) fn properties(at: &ValuePath<'_>, words: &str, limit: Option<u64>, size: u64) -> String {
    format!("{} must have {words} {}, got {size}", at.label(), plural(limit, "property", "properties"))
}

pub(super) fn no_match(at: &ValuePath<'_>, pattern: &EcmaPattern, text: &str) -> String {
    let text = excerpt(&Json::from(text).canonical());
    format!("{} must match the pattern `{}`, got {text}", at.label(), excerpt(pattern.as_str()))
}

pub(super) fn extra_item(at: &ValuePath<'_>, allowed: usize) -> String {
    format!("{} is one item too many; send at most {allowed}", at.label())
}

pub(super) fn twins(at: &ValuePath<'_>, first: usize, second: usize) -> String {
    format!("{} must not repeat an item; items {first} and {second} are equal", at.label())
}

pub(super) fn contains(
    at: &ValuePath<'_>,
    words: &str,
    limit: u64,
    schema: &CompiledSchema,
    node: SchemaNodeId,
    found: u64,
) -> String {
    let items = plural(Some(limit), "item", "items");
    format!("{} must hold {words} {items} of the form {}, got {found}", at.label(), shape(schema, node))
}

pub(super) fn missing(at: &ValuePath<'_>, schema: &CompiledSchema, property: Option<SchemaNodeId>) -> String {
    let form = property.map(|node| shape(schema, node)).filter(|form| form != "any");
    let form = form.map(|form| format!(" ({form})")).unwrap_or_default();
    format!("{} is missing; add it{form}", at.label())
}

pub(super) fn dependent(at: &ValuePath<'_>, present: &str) -> String {
    format!("{} is missing; it must be given together with `{present}`", at.label())
}

pub(super) fn bad_name(at: &ValuePath<'_>, schema: &CompiledSchema, names: SchemaNodeId) -> String {
    format!("{} is not an allowed property name; names must be {}", at.label(), shape(schema, names))
}

pub(super) fn unknown_property(at: &ValuePath<'_>, name: &str, rules: &ObjectRules) -> String {
    let known = || rules.properties.iter().map(|(name, _)| &**name);
    let hint = match closest(name, known()) {
        Some(close) => format!("did you mean `{close}`?"),
        None if rules.properties.is_empty() => "leave it out".to_owned(),
        None => {
            let names: Vec<_> = known().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
            format!(
                "allowed: {}{}",
                names.join(", "),
                if known().nth(MAX_NAMES).is_some() { ", …" } else { "" }
            )
        }
    };
    format!("unknown property {}; {hint}", at.label())
}

pub(super) fn no_branch(
    at: &ValuePath<'_>,
    schema: &CompiledSchema,
    branches: &[SchemaNodeId],
    value: &Json,
) -> String {
    let forms: Vec<_> = branches.iter().take(MAX_NAMES).map(|node| shape(schema, *node)).collect();
    let forms = long_excerpt(&forms.join(" | "));
    format!("{} must be {forms}, got {}", at.label(), describe(value))
}

pub(super) fn several(at: &ValuePath<'_>, first: usize, second: usize) -> String {
    let (first, second) = (first + 1, second + 1);
    format!("{} fits forms {first} and {second} at once; send what fits exactly one", at.label())
}

pub(super) fn forbidden(at: &ValuePath<'_>, schema: &CompiledSchema, node: SchemaNodeId) -> String {
    format!("{} must not be {}", at.label(), shape(schema, node))
}

/// A value in a few words.
fn describe(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => format!("the boolean {value}"),
        Json::Number(number) => format!("the number {}", excerpt(number.as_str())),
        Json::String(_) => format!("the string {}", excerpt(&value.canonical())),
        Json::Array(items) => format!("an array of {}", plural(Some(size(items.len())), "item", "items")),
        Json::Object(_) => "an object".to_owned(),
    }
}

fn type_names(types: TypeSet) -> String {
    let article = |name| match name {
        "null" => "null".to_owned(),
        "integer" | "array" | "object" => format!("an {name}"),
        other => format!("a {other}"),
    };
    types.names().map(article).collect::<Vec<_>>().join(" or ")
}

/// How a value of the wrong type can be turned into the right one.
fn type_hint(types: TypeSet, value: &Json) -> Option<String> {
    let array = types.contains(TypeSet::of(JsonKind::Array));
    match value {
        Json::String(text) => {
            let inner = Json::parse(text.trim()).ok().filter(|inner| types.admit(inner))?;
            Some(match inner {
                Json::Object(_) | Json::Array(_) => {
                    format!("send the {} itself, not a string that holds it", inner.kind())
                }
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                    format!("send {} without quotes", excerpt(&inner.canonical()))
                }
            })
        }
        Json::Number(_) | Json::Bool(_) if types.contains(TypeSet::of(JsonKind::String)) => {
            Some(format!("send \"{}\" in quotes", excerpt(&value.canonical())))
        }
        Json::Number(_) | Json::Bool(_) | Json::Object(_) if array => {
            Some("put it in square brackets".to_string())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn excerpt(text: &str) -> String {
    cut(text, EXCERPT)
}

fn long_excerpt(text: &str) -> String {
    cut(text, 8 * EXCERPT)
}

fn cut(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn plural(count: Option<u64>, singular: &str, plural: &str) -> String {
    let count = count.unwrap_or_default();
    format!("{count} {}", if count == 1 { singular } else { plural })
}

fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// The known name that a misspelt one was probably meant to be.
///
/// ```
/// use holm_guards::schema::closest;
///
/// assert_eq!(closest("grant", ["grants", "tools"].into_iter()), Some("grants"));
/// assert_eq!(closest("colour", ["grants", "tools"].into_iter()), None);
/// ```
pub fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME {
        return None;
    }
    let allowed = 1 + name.chars().count() / 4;
    let rated = known.filter(|known| known.len() <= MAX_NAME).take(100);
    let rated = rated.map(|known| (distance(name, known), known));
    rated
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Edits between two names; letters count alike in either case, and `-` like `_`.
fn distance(a: &str, b: &str) -> usize {
    let fold = |c: char| if c == '-' { '_' } else { c.to_ascii_lowercase() };
    let b: Vec<char> = b.chars().map(fold).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, x) in a.chars().map(fold).enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let best = (diagonal + usize::from(x != *y)).min(*cell + 1).min(left + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
    }
    row.last().copied().unwrap_or_default()
}
