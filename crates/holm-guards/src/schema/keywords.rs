//! The keyword tables: which keywords contain schemas, and which ones validation knows.
//!
//! A keyword that is missing here is reported as not enforced (`schema/compile/compiler.rs`). What
//! a keyword means is in `schema/compile/rules.rs`. The tables are sorted where they are searched.

use alloc::vec::Vec;

use crate::json::{Json, JsonObject};

/// Keywords whose value is one schema.
const ONE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas.
const LIST: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Keywords whose value names schemas.
const MAP: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Keywords that are enforced or that only describe; sorted.
const KNOWN: [&str; 65] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "propertyOrdering",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
    "xml",
];

/// Whether a keyword is enforced or a mere description; `x-` words are extensions by convention.
pub(super) fn is_known(keyword: &str) -> bool {
    keyword.starts_with("x-") || KNOWN.binary_search(&keyword).is_ok()
}

/// The schemas directly inside a schema.
pub(super) fn children(members: &JsonObject) -> Vec<&Json> {
    let mut found = Vec::new();
    let schema = |json: &&Json| matches!(json, Json::Object(_) | Json::Bool(_));
    found.extend(ONE.iter().filter_map(|keyword| members.get(keyword)).filter(schema));
    let lists = LIST.iter().filter_map(|keyword| members.get(keyword)?.as_array());
    found.extend(lists.flatten().filter(schema));
    let maps = MAP.iter().filter_map(|keyword| members.get(keyword)?.as_object());
    found.extend(maps.flat_map(JsonObject::values).filter(schema));
    found
}

#[cfg(test)]
pub(super) fn known() -> &'static [&'static str] {
    &KNOWN
}
