//! Derives the JSON Schema of a Rust type, in the form that the kernel and the providers accept.
//!
//! It rewrites what `schemars` gives: no `null` for optional properties, bounds in place of number
//! formats, no references where they can be avoided. Validation is in `holm-guards/src/schema/`.
//! Texts of doc comments reach the model, so they are part of a tool's interface.
//!
//! Arguments are parsed in `tool/invocation.rs`; the tools that use a derived schema are in
//! `tool/typed_tool.rs`.

use holm_guards::{
    json::{Json, JsonObject},
    schema::format,
};
use schemars::{JsonSchema, generate::SchemaSettings};

/// The JSON Schema of a type: what the model must send so that the type can be parsed.
///
/// Doc comments become descriptions, and enums stay enums. An `Option` is an optional property;
/// `null` is not offered, because leaving it out means the same (and if a model sends `null`, the
/// kernel removes it). Types are inlined, since not every provider follows references; only a
/// recursive type is referenced.
///
/// ```
/// use holm_runtime::schema_of;
///
/// #[derive(schemars::JsonSchema)]
/// struct Search {
///     /// What to look for.
///     text: String,
///     limit: Option<u8>,
/// }
///
/// let schema = schema_of::<Search>();
/// assert_eq!(schema.pointer("/properties/text/description").unwrap().as_str(), Some("What to look for."));
/// assert_eq!(schema.pointer("/required").unwrap().canonical(), r#"["text"]"#);
/// assert_eq!(schema.pointer("/properties/limit/type").unwrap().as_str(), Some("integer"));
/// ```
pub fn schema_of<T: JsonSchema + ?Sized>() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut json = from_value(schema.as_value());
    if let Json::Object(members) = &mut json {
        // The type's own name does not help the model; the tool has a name.
        members.remove("title");
    }
    tidy(&mut json);
    json
}

/// The same value in our own JSON type, converted through text so that numbers are exact.
pub(crate) fn from_value(value: &serde_json::Value) -> Json {
    // The text comes from serde_json, so it is valid; it could only be nested too deeply, and a
    // derived schema never is.
    Json::parse(&value.to_string()).unwrap_or(Json::Bool(true))
}

/// Members whose values are data, not schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// Removes what is useless to a model, and states exactly what the type can hold.
fn tidy(schema: &mut Json) {
    match schema {
        Json::Object(members) => {
            let required = names(members.get("required"));
            if let Some(Json::Object(properties)) = members.get_mut("properties") {
                let optional: Vec<String> =
                    properties.keys().filter(|name| !required.contains(name)).cloned().collect();
                for name in optional {
                    if let Some(Json::Object(property)) = properties.get_mut(&name) {
                        drop_null(property);
                    }
                }
            }
            bound_number(members);
            let inner: Vec<String> =
                members.keys().filter(|name| !DATA.contains(&name.as_str())).cloned().collect();
            for name in inner {
                members.get_mut(&name).into_iter().for_each(tidy);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(tidy),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Replaces a numeric format by bounds: validators check bounds, and models read them. A format
/// without a check is removed.
fn bound_number(members: &mut JsonObject) {
    let Some(format) = members.get("format").and_then(Json::as_str) else { return };
    // Wider integers hold every value that a model sends.
    let bounds = match format {
        "int8" => Some((i64::from(i8::MIN), i64::from(i8::MAX))),
        "uint8" => Some((0, i64::from(u8::MAX))),
        "int16" => Some((i64::from(i16::MIN), i64::from(i16::MAX))),
        "uint16" => Some((0, i64::from(u16::MAX))),
        "int32" => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        "uint32" => Some((0, i64::from(u32::MAX))),
        known if format::is_known(known) => return,
        _ => None,
    };
    members.remove("format");
    if let Some((min, max)) = bounds {
        // Bounds that the type states itself are narrower, or the same.
        for (name, bound) in [("minimum", min), ("maximum", max)] {
            if !members.contains_key(name) {
                members.insert(name.into(), Json::from(bound));
            }
        }
    }
}

fn names(required: Option<&Json>) -> Vec<String> {
    let names = required.and_then(Json::as_array).unwrap_or_default();
    names.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn drop_null(property: &mut JsonObject) {
    if property.get("default") == Some(&Json::Null) {
        property.remove("default");
    }
    if let Some(Json::Array(kinds)) = property.get_mut("type") {
        kinds.retain(|kind| kind.as_str() != Some("null"));
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            property.insert("type".into(), only);
        }
    }
    if let Some(Json::Array(values)) = property.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Json::Array(branches)) = property.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").and_then(Json::as_str) != Some("null"));
        if let [Json::Object(only)] = branches.as_slice() {
            let only = only.clone();
            property.remove("anyOf");
            for (name, value) in only {
                // The description of the property is more specific than that of its type.
                if !property.contains_key(&name) {
                    property.insert(name, value);
                }
            }
        }
    }
}
