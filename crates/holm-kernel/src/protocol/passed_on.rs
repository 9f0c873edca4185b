//! Calls that a model makes through the tool search.

use alloc::string::String;

use holm_guards::json::Json;

use crate::FINDER;

/// Whether this schema of the tool search has it pass calls on: it declares the argument `tool`.
pub(crate) fn passes_calls_on(schema: &Json) -> bool {
    schema.get("properties").and_then(|properties| properties.get("tool")).is_some()
}

/// The call that `{"tool": NAME, "arguments": {…}}` of the tool search means. Other calls are returned
/// unchanged. Arguments may be a JSON text too, because some models write them so.
pub(crate) fn passed_on(name: String, arguments: String) -> (String, String) {
    // Most calls are not for the search, and its queries are short.
    if name != FINDER || !arguments.contains("\"tool\"") {
        return (name, arguments);
    }
    let Ok(Json::Object(mut members)) = Json::parse(&arguments) else { return (name, arguments) };
    let Some(Json::String(tool)) = members.remove("tool").filter(|tool| *tool != Json::String(FINDER.into()))
    else {
        return (name, arguments);
    };
    let inner = match members.remove("arguments") {
        None | Some(Json::Null) => "{}".into(),
        Some(Json::String(text)) => text,
        Some(value) => value.canonical(),
    };
    (tool, inner)
}
