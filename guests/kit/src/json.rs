//! Runs a guest on one text: JSON arguments in, text out.

use serde_json::{Map, Value, json};

use crate::fault::GuestError;
use crate::tool::{ParamKind, ParamNeed, GuestParam, GuestTool};
use crate::values::ArgumentValues;

/// Answers one call. The input is the JSON object that the model sent.
///
/// # Errors
///
/// If the input is not such an object or the work fails; the text gives the reason.
pub fn answer(
    tool: &GuestTool,
    input: &str,
    work: impl FnOnce(&ArgumentValues) -> Result<String, GuestError>,
) -> Result<String, String> {
    read(tool, input).and_then(|values| work(&values)).map_err(|fault| fault.to_string())
}

/// The description of a guest as JSON: name, text, schema, keywords and level.
#[must_use]
pub fn description(tool: &GuestTool) -> String {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in tool.params {
        properties.insert(param.name.to_owned(), schema(param));
        if param.need == ParamNeed::Required {
            required.push(param.name);
        }
    }
    let input = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    let keywords: Vec<_> = tool.keywords.split(", ").collect();
    json!({
        "name": tool.name, "description": tool.about, "schema": input, "keywords": keywords,
        "level": tool.level.slug(),
    })
    .to_string()
}

fn schema(param: &GuestParam) -> Value {
    let mut schema = match param.kind {
        ParamKind::Flag => json!({ "type": "boolean" }),
        ParamKind::Text => json!({ "type": "string" }),
        ParamKind::Number => json!({ "type": "integer", "minimum": 0 }),
        ParamKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        ParamKind::Choice(words) => json!({ "type": "string", "enum": words }),
    };
    let default = match (param.need, param.kind) {
        (ParamNeed::Default(value), ParamKind::Number) => value.parse::<u64>().ok().map(Value::from),
        (ParamNeed::Default(value), _) => Some(Value::from(value)),
        (ParamNeed::Required | ParamNeed::Optional, _) => None,
    };
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), param.about.into());
        if let Some(default) = default {
            object.insert("default".to_owned(), default);
        }
    }
    schema
}

fn read(tool: &GuestTool, input: &str) -> Result<ArgumentValues, GuestError> {
    let parsed: Value = serde_json::from_str(input)
        .map_err(|error| GuestError::Usage(format!("the input is not JSON: {error}")))?;
    let Value::Object(object) = parsed else {
        return Err(GuestError::Usage("the input must be a JSON object".to_owned()));
    };
    let mut values = ArgumentValues::default();
    for (name, value) in object {
        let Some(param) = tool.param(&name) else {
            return Err(GuestError::Usage(format!("there is no argument '{name}'")));
        };
        take(&mut values, param, value)?;
    }
    values.settle(tool)
}

fn take(values: &mut ArgumentValues, param: &GuestParam, value: Value) -> Result<(), GuestError> {
    let wrong = |what: &str| Err(GuestError::Usage(format!("{} must be {what}", param.name)));
    match (param.kind, value) {
        (_, Value::Null) => Ok(()),
        (ParamKind::Flag, Value::Bool(set)) => values.put(param, set.to_string()),
        (ParamKind::Flag, _) => wrong("true or false"),
        (ParamKind::Number, Value::Number(number)) => values.put(param, number.to_string()),
        (ParamKind::Number | ParamKind::Text | ParamKind::Choice(_), Value::String(text)) => values.put(param, text),
        (ParamKind::Number, _) => wrong("a whole number"),
        (ParamKind::Text | ParamKind::Choice(_), _) => wrong("a text"),
        (ParamKind::Texts, Value::Array(items)) => items.into_iter().try_for_each(|item| match item {
            Value::String(text) => values.put(param, text),
            _ => wrong("a list of texts"),
        }),
        (ParamKind::Texts, _) => wrong("a list of texts"),
    }
}
