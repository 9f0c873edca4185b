//! Turns the schemas of a document into those that a model sees.
//!
//! References are resolved in place, because a tool's schema stands alone. Depth and size are
//! bounded, a circle ends, and what is cut becomes a schema that accepts everything: the server
//! validates in any case. What describes responses or is only for people is left out.

use holm_guards::json::{Json, JsonObject};
use holm_guards::schema::{EcmaPattern, format};

use super::document::OpenApiDocument;
use crate::text::tidy;

/// The depths that are tried, until a schema is small enough.
const DEPTHS: [usize; 4] = [10, 5, 3, 1];
/// The most bytes of the schemas of one operation.
pub(super) const MOST_BYTES: usize = 24 * 1024;
/// The most parts of one schema.
const MOST_PARTS: usize = 600;
/// The longest description of a part, in characters.
const MOST_ABOUT: usize = 120;
/// The most values of an `enum`.
const MOST_VALUES: usize = 200;

/// Keywords that are taken as they are, if they have the type of their kind.
const COUNTS: [&str; 6] =
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const NUMBERS: [&str; 3] = ["minimum", "maximum", "multipleOf"];
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Resolves the schemas of one document.
pub(super) struct SchemaReader<'d, 'a> {
    document: &'d OpenApiDocument<'a>,
    most_depth: usize,
    parts_left: usize,
    /// The references that are being resolved.
    above: Vec<String>,
}

/// The schema of an argument, as small as it must be.
pub(super) fn resolved(document: &OpenApiDocument<'_>, schema: &Json) -> Json {
    let read = |most_depth| {
        let mut reader = SchemaReader { document, most_depth, parts_left: MOST_PARTS, above: Vec::new() };
        reader.schema(schema, 0)
    };
    let mut last = Json::object::<&str>([]);
    for depth in DEPTHS {
        last = read(depth);
        if last.canonical().len() <= MOST_BYTES {
            return last;
        }
    }
    let kind = last.get("type").cloned();
    Json::object(kind.map(|kind| ("type", kind)))
}

impl SchemaReader<'_, '_> {
    fn schema(&mut self, schema: &Json, depth: usize) -> Json {
        let Json::Object(members) = schema else {
            return if schema.as_bool() == Some(false) { schema.clone() } else { anything() };
        };
        self.parts_left = self.parts_left.saturating_sub(1);
        if let Some(reference) = members.get("$ref").and_then(Json::as_str) {
            return self.referred(reference, members, depth);
        }
        if depth > self.most_depth || self.parts_left == 0 {
            return Json::Object(outline(members));
        }
        let mut out = JsonObject::new();
        type_of(members, &mut out);
        limits(members, &mut out);
        texts(members, &mut out);
        self.parts(members, &mut out, depth);
        Json::Object(out)
    }

    fn referred(&mut self, reference: &str, beside: &JsonObject, depth: usize) -> Json {
        let Ok(raw) = self.document.resolve(reference) else {
            return about(JsonObject::new(), &format!("{} (not in this document)", name_of(reference)));
        };
        let Ok(target) = Json::parse(raw.get()) else { return anything() };
        let is_circle = self.above.iter().any(|above| above == reference);
        if is_circle || depth > self.most_depth || self.parts_left == 0 {
            let members = target.as_object().map(outline).unwrap_or_default();
            return about(members, &format!("{} (not shown in full)", name_of(reference)));
        }
        self.above.push(reference.to_owned());
        let mut found = self.schema(&target, depth);
        self.above.pop();
        if let (Json::Object(found), Some(text)) =
            (&mut found, beside.get("description").and_then(Json::as_str))
        {
            found.insert("description".into(), tidy(text, MOST_ABOUT).into());
        }
        found
    }

    /// The schemas within a schema.
    fn parts(&mut self, members: &JsonObject, out: &mut JsonObject, depth: usize) {
        if let Some(properties) = members.get("properties").and_then(Json::as_object) {
            self.properties(members, properties, out, depth);
        }
        for name in ["items", "additionalProperties", "not"] {
            match members.get(name) {
                Some(part @ Json::Object(_)) => {
                    let part = self.schema(part, depth + 1);
                    out.insert(name.into(), part);
                }
                Some(part @ Json::Bool(_)) if name == "additionalProperties" => {
                    out.insert(name.into(), part.clone());
                }
                Some(_) | None => {}
            }
        }
        for name in LISTS {
            let Some(parts) = members.get(name).and_then(Json::as_array).filter(|parts| !parts.is_empty())
            else {
                continue;
            };
            let parts = parts.iter().map(|part| self.schema(part, depth + 1)).collect();
            out.insert(name.into(), Json::Array(parts));
        }
    }

    fn properties(
        &mut self,
        members: &JsonObject,
        properties: &JsonObject,
        out: &mut JsonObject,
        depth: usize,
    ) {
        let mut shown = JsonObject::new();
        for (name, part) in properties {
            // The server sets these, and does not take them.
            if part.get("readOnly").and_then(Json::as_bool) == Some(true) {
                continue;
            }
            let part = self.schema(part, depth + 1);
            shown.insert(name.clone(), part);
        }
        let required = members.get("required").and_then(Json::as_array).unwrap_or_default();
        let required: Vec<Json> = required
            .iter()
            .filter(|name| name.as_str().is_some_and(|name| shown.contains_key(name)))
            .cloned()
            .collect();
        if !required.is_empty() {
            out.insert("required".into(), Json::Array(required));
        }
        out.insert("properties".into(), Json::Object(shown));
    }
}

/// The type, with null where the document says so in the way of 3.0.
fn type_of(members: &JsonObject, out: &mut JsonObject) {
    const KNOWN: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
    let nullable = members.get("nullable").and_then(Json::as_bool) == Some(true);
    let mut types: Vec<&str> = match members.get("type") {
        Some(Json::String(one)) => vec![one],
        Some(Json::Array(several)) => several.iter().filter_map(Json::as_str).collect(),
        Some(_) | None => Vec::new(),
    };
    types.retain(|name| KNOWN.contains(name));
    types.dedup();
    if nullable && !types.is_empty() && !types.contains(&"null") {
        types.push("null");
    }
    match types.as_slice() {
        [] => {}
        [one] => {
            out.insert("type".into(), Json::from(*one));
        }
        several => {
            out.insert("type".into(), Json::Array(several.iter().map(|name| Json::from(*name)).collect()));
        }
    }
    if let Some(values) = members.get("enum").and_then(Json::as_array)
        && !values.is_empty()
        && values.len() <= MOST_VALUES
    {
        let mut values = values.to_vec();
        if nullable && !values.contains(&Json::Null) {
            values.push(Json::Null);
        }
        out.insert("enum".into(), Json::Array(values));
    }
    if let Some(value) = members.get("const") {
        out.insert("const".into(), value.clone());
    }
}

/// Numbers and sizes. A Boolean `exclusiveMinimum` is the form of 3.0.
fn limits(members: &JsonObject, out: &mut JsonObject) {
    for name in COUNTS {
        if let Some(count) = members.get(name).filter(|count| count.as_u64().is_some()) {
            out.insert(name.into(), count.clone());
        }
    }
    for name in NUMBERS {
        if let Some(number) = members.get(name).and_then(number) {
            out.insert(name.into(), number);
        }
    }
    for (name, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match members.get(name) {
            Some(Json::Bool(true)) => {
                if let Some(limit) = out.remove(bound) {
                    out.insert(name.into(), limit);
                }
            }
            Some(limit) => {
                if let Some(limit) = number(limit) {
                    out.insert(name.into(), limit);
                }
            }
            None => {}
        }
    }
    if members.get("uniqueItems").and_then(Json::as_bool) == Some(true) {
        out.insert("uniqueItems".into(), true.into());
    }
}

/// A number. The YAML reader gives fractions as text.
fn number(value: &Json) -> Option<Json> {
    match value {
        Json::Number(_) => Some(value.clone()),
        Json::String(text) => Json::parse(text).ok().filter(|value| value.as_number().is_some()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn texts(members: &JsonObject, out: &mut JsonObject) {
    let text = |name: &str| members.get(name).and_then(Json::as_str);
    if let Some(pattern) = text("pattern").filter(|pattern| EcmaPattern::compile(pattern).is_ok()) {
        out.insert("pattern".into(), pattern.into());
    }
    // Others say how wide a number is, or nothing that a check could use.
    if let Some(format) = text("format").filter(|format| format::is_known(format)) {
        out.insert("format".into(), format.into());
    }
    if let Some(about) = text("description").or_else(|| text("title")) {
        out.insert("description".into(), tidy(about, MOST_ABOUT).into());
    }
    if let Some(value) = members.get("default").filter(|value| value.canonical().len() <= MOST_ABOUT) {
        out.insert("default".into(), value.clone());
    }
}

/// What is left of a schema below the greatest depth.
fn outline(members: &JsonObject) -> JsonObject {
    let mut out = JsonObject::new();
    type_of(members, &mut out);
    out.remove("enum");
    out
}

/// The last step of a reference, as people know the part.
fn name_of(reference: &str) -> String {
    tidy(reference.rsplit('/').next().unwrap_or(reference), 80)
}

fn about(mut members: JsonObject, text: &str) -> Json {
    members.insert("description".into(), text.into());
    Json::Object(members)
}

fn anything() -> Json {
    Json::Object(JsonObject::new())
}
