//! Reduces a schema to the part that the grammar enforces. Leaving a keyword out only widens the
//! grammar, so it never refuses a value for a reason that is not listed. The validator finds what
//! the grammar wrongly admits.
//!
//! The grammar is written in `calls.rs` and `grounded_values.rs`. A keyword is enforced only if
//! llguidance supports it or the grammar does so by itself.

use holm_guards::json::{Json, JsonNumber, JsonObject};

/// The deepest nesting of schemas. Deeper ones admit any value.
const MAX_DEPTH: u32 = 32;
/// The longest text that is limited. Larger limits are rare and make the automaton large.
const MAX_LENGTH: u64 = 4096;
/// The same bound for lists.
const MAX_ITEMS: u64 = 256;
/// The number of digits that a binary fraction represents exactly, which is
/// what llguidance computes with.
const MAX_DIGITS: usize = 15;

/// The part of a schema that the grammar enforces.
pub(super) fn reduce(schema: &Json) -> Json {
    reduced(schema, MAX_DEPTH, UniqueItemsRule::Dropped)
}

/// The same with `uniqueItems`, which llguidance does not support. The grammar of copied values
/// enforces it by itself.
pub(super) fn reduce_with_unique(schema: &Json) -> Json {
    reduced(schema, MAX_DEPTH, UniqueItemsRule::Kept)
}

/// How `uniqueItems` is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UniqueItemsRule {
    Kept,
    Dropped,
}

/// The definitions that references point to.
pub(super) fn definitions(schema: &Json) -> Vec<(&'static str, Json)> {
    let reduced_all = |key: &'static str| {
        let members = schema.get(key)?.as_object()?;
        let members = members.iter().map(|(name, schema)| (name.clone(), reduce(schema)));
        Some((key, Json::object(members)))
    };
    ["$defs", "definitions"].into_iter().filter_map(reduced_all).collect()
}

fn reduced(schema: &Json, depth: u32, unique: UniqueItemsRule) -> Json {
    let Json::Object(members) = schema else {
        return if matches!(schema, Json::Bool(false)) { Json::Bool(false) } else { any() };
    };
    let Some(depth) = depth.checked_sub(1) else { return any() };
    if let Some(reference) = members.get("$ref").and_then(Json::as_str) {
        return if leads_to_definition(reference) {
            Json::object([("$ref", Json::from(reference))])
        } else {
            any()
        };
    }
    if let Some(branches) =
        ["anyOf", "oneOf"].into_iter().find_map(|key| members.get(key).and_then(Json::as_array))
    {
        let branches = branches.iter().map(|branch| reduced(branch, depth, unique)).collect();
        return Json::object([("anyOf", Json::Array(branches))]);
    }
    if let Some([only]) = members.get("allOf").and_then(Json::as_array)
        && !["type", "properties", "enum", "const", "items"].into_iter().any(|key| members.contains_key(key))
    {
        return reduced(only, depth, unique);
    }
    let mut out = JsonObject::new();
    for key in ["type", "enum", "const"] {
        keep(members, &mut out, key, |_| true);
    }
    if out.contains_key("enum") || out.contains_key("const") {
        return Json::Object(out);
    }
    for key in ["minLength", "maxLength"] {
        keep(members, &mut out, key, |value| value.as_u64().is_some_and(|length| length <= MAX_LENGTH));
    }
    for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        keep(members, &mut out, key, is_exact);
    }
    array(members, &mut out, depth, unique);
    object(members, &mut out, depth, unique);
    Json::Object(out)
}

fn array(members: &JsonObject, out: &mut JsonObject, depth: u32, unique: UniqueItemsRule) {
    for key in ["minItems", "maxItems"] {
        keep(members, out, key, |value| value.as_u64().is_some_and(|length| length <= MAX_ITEMS));
    }
    keep(members, out, "uniqueItems", |value| {
        value.as_bool() == Some(true) && unique == UniqueItemsRule::Kept
    });
    // In older drafts, a list gives each position its own schema.
    let tuple = members.contains_key("prefixItems");
    if let Some(items @ (Json::Object(_) | Json::Bool(_))) = members.get("items").filter(|_| !tuple) {
        out.insert("items".into(), reduced(items, depth, unique));
    }
}

fn object(members: &JsonObject, out: &mut JsonObject, depth: u32, unique: UniqueItemsRule) {
    let names = members.get("required").and_then(Json::as_array).unwrap_or_default();
    let required: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
    let declared = members.get("properties").and_then(Json::as_object);
    let mut properties: Vec<(String, Json)> = declared
        .into_iter()
        .flat_map(JsonObject::iter)
        .map(|(name, schema)| (name.clone(), reduced(schema, depth, unique)))
        .collect();
    let missing = required.iter().filter(|name| declared.is_none_or(|declared| !declared.contains_key(name)));
    properties.extend(missing.map(|name| (String::from(*name), any())));
    let others = members.get("additionalProperties");
    let closed = others.is_none() && !properties.is_empty() && !members.contains_key("patternProperties");
    if closed {
        out.insert("additionalProperties".into(), Json::Bool(false));
    } else if let Some(others) = others.filter(|_| !members.contains_key("patternProperties")) {
        out.insert("additionalProperties".into(), reduced(others, depth, unique));
    }
    if !properties.is_empty() {
        out.insert("properties".into(), Json::object(properties));
    }
    if !required.is_empty() {
        out.insert("required".into(), Json::Array(required.into_iter().map(Json::from).collect()));
    }
}

fn keep(members: &JsonObject, out: &mut JsonObject, key: &str, fits: impl Fn(&Json) -> bool) {
    if let Some(value) = members.get(key).filter(|value| fits(value)) {
        out.insert(key.into(), value.clone());
    }
}

fn is_exact(value: &Json) -> bool {
    let Json::Number(number) = value else { return false };
    let text = JsonNumber::as_str(number);
    text.bytes().filter(u8::is_ascii_digit).count() <= MAX_DIGITS && !text.contains(['e', 'E'])
}

fn leads_to_definition(reference: &str) -> bool {
    let name = ["#/$defs/", "#/definitions/"].into_iter().find_map(|prefix| reference.strip_prefix(prefix));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['/', '~', '%']))
}

fn any() -> Json {
    Json::Object(JsonObject::new())
}
