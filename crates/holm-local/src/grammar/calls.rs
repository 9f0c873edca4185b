//! The grammar of tool calls in the text protocol: `{"tool": "name", "argument": value}` on one
//! line. It also parses such a call from a reply. Schemas are reduced in `subset.rs`; the grammar
//! is applied in `worker/token_sampler.rs`. A call that the grammar admits is still validated by
//! the kernel. The spacing must be that of `prompt.rs`, on which the adapter was trained.

use std::{fmt::Write as _, sync::Arc};

use holm_guards::json::{Json, JsonObject, write_string};
use holm_kernel::ToolSpec;

use super::subset;

/// The spacing between members and items, which is the same everywhere.
const SPACING: &str =
    r#""x-guidance":{"whitespace_flexible":false,"item_separator":", ","key_separator":": "}"#;
/// Text that is not a call: anything that does not begin like one.
const WORDS: &str = r"WORDS: /(?s:[^{\s].*)/";

/// The beginning of every call, up to the tool's name.
pub(crate) const OPENING: &str = r#"{"tool": ""#;

/// How much of a call the grammar constrains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallStrictness {
    Schema,
    /// Only the name; the arguments are any object.
    Name,
}

pub(super) fn reply(tools: &[Arc<ToolSpec>], strictness: CallStrictness) -> String {
    if tools.is_empty() {
        return "start: /(?s:.+)/\n".into();
    }
    format!("start: call | WORDS\n{WORDS}\n{}", rules(tools, strictness))
}

pub(super) fn call(tools: &[Arc<ToolSpec>], strictness: CallStrictness) -> String {
    format!("start: call\n{}", rules(tools, strictness))
}

pub(super) fn value(schema: &Json) -> String {
    let mut text = String::from("start: %json ");
    let root = subset::reduce(schema);
    let members = root.as_object();
    let mut parts: Vec<String> =
        members.into_iter().flat_map(JsonObject::iter).map(|(name, value)| member(name, value)).collect();
    parts.extend(subset::definitions(schema).iter().map(|(name, value)| member(name, value)));
    if root == Json::Bool(false) {
        parts.push(r#""not":{}"#.into());
    }
    parts.push(SPACING.into());
    let _ = writeln!(text, "{{{}}}", parts.join(","));
    text
}

fn rules(tools: &[Arc<ToolSpec>], strictness: CallStrictness) -> String {
    let names: Vec<String> = (0..tools.len()).map(|number| format!("call_{number}")).collect();
    let mut text = format!("call: {}\n", names.join(" | "));
    for (name, tool) in names.iter().zip(tools) {
        let _ = writeln!(text, "{name}: %json {}", schema(tool, strictness));
    }
    text
}

/// The schema of a complete call. It is written by hand, because `tool` must come first.
fn schema(tool: &ToolSpec, strictness: CallStrictness) -> String {
    let open = Json::object([("type", Json::from("object"))]);
    let source = match strictness {
        CallStrictness::Schema => &tool.schema,
        CallStrictness::Name => &open,
    };
    let root = subset::reduce(source);
    let mut properties = vec![format!(r#""tool":{{"const":{}}}"#, quoted(&tool.name))];
    let mut required = vec![String::from(r#""tool""#)];
    let mut others = String::from("false");
    match root.as_object().filter(|_| is_plain_object(source)) {
        Some(members) => {
            let declared = members.get("properties").and_then(Json::as_object);
            properties.extend(
                declared.into_iter().flat_map(JsonObject::iter).map(|(name, value)| member(name, value)),
            );
            let names = members.get("required").and_then(Json::as_array).unwrap_or_default();
            required.extend(names.iter().map(Json::to_string));
            match members.get("additionalProperties") {
                Some(schema) => others = schema.to_string(),
                // An object without declared properties takes no arguments, because the model could
                // not know their names.
                None if declared.is_none() && strictness == CallStrictness::Schema => {}
                None => others = "true".into(),
            }
        }
        None => {
            properties.push(member("arguments", &root));
            required.push(r#""arguments""#.into());
        }
    }
    let mut text = format!(
        r#"{{"type":"object","properties":{{{}}},"required":[{}],"additionalProperties":{others},"#,
        properties.join(","),
        required.join(","),
    );
    for (name, value) in subset::definitions(source) {
        let _ = write!(text, "{},", member(name, &value));
    }
    text + SPACING + "}"
}

/// Whether the arguments can be next to the tool's name. Otherwise they go into a member of their
/// own, from which the kernel extracts them again.
fn is_plain_object(schema: &Json) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let elsewhere = ["$ref", "anyOf", "oneOf", "allOf", "enum", "const"];
    let taken = ["tool", "skill"];
    let wrappers = ["arguments", "params", "args", "parameters"];
    let declared = members.get("properties").and_then(Json::as_object);
    let clashes = declared.is_some_and(|declared| {
        taken.into_iter().any(|name| declared.contains_key(name))
            // The kernel would take a single member of such a name for a wrapper.
            || wrappers.into_iter().any(|name| declared.contains_key(name))
    });
    !clashes && !elsewhere.into_iter().any(|key| members.contains_key(key))
}

fn member(name: &str, value: &Json) -> String {
    format!("{}:{value}", quoted(name))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing into a `String` cannot fail.
    let _ = write_string(text, &mut out);
    out
}

/// A call parsed from a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedCall {
    pub(crate) name: String,
    /// The arguments in canonical JSON.
    pub(crate) arguments: String,
}

/// A tool's name as it appears in a call, without the quotation marks.
pub(crate) fn spelled(name: &str) -> String {
    let text = quoted(name);
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.unwrap_or(&text).to_owned()
}

/// The tool that a reply begins to call. The rest of the reply does not matter.
pub(crate) fn begun(text: &str, tools: &[Arc<ToolSpec>]) -> Option<usize> {
    let rest = text.strip_prefix(OPENING)?;
    let is_called = |tool: &Arc<ToolSpec>| {
        rest.strip_prefix(spelled(&tool.name).as_str()).is_some_and(|rest| rest.starts_with('"'))
    };
    tools.iter().position(is_called)
}

/// Parses a reply that begins like a call. Returns `None` if it is not a call.
pub(crate) fn parse_call(text: &str, tools: &[Arc<ToolSpec>]) -> Option<ParsedCall> {
    let Ok(Json::Object(mut members)) = Json::parse(text.trim()) else { return None };
    let Some(Json::String(name)) = members.remove("tool") else { return None };
    let tool = tools.iter().find(|tool| tool.name == name);
    let wrapped = tool.is_some_and(|tool| !is_plain_object(&tool.schema));
    let arguments = match members.get("arguments") {
        Some(inner @ Json::Object(_)) if wrapped && members.len() == 1 => inner.canonical(),
        Some(_) | None => Json::Object(members).canonical(),
    };
    Some(ParsedCall { name, arguments })
}
