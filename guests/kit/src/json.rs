//! Runs a guest on one text: JSON arguments in, text out.

use serde_json::{Map, Value, json};

use crate::fault::Fault;
use crate::tool::{Kind, Need, Param, Tool};
use crate::values::Values;

/// Answers one call. The input is the JSON object that the model sent.
///
/// # Errors
///
/// If the input is not such an object or the work fails; the text gives the reason.
pub fn answer(
    tool: &Tool,
    input: &str,
    work: impl FnOnce(&Values) -> Result<String, Fault>,
) -> Result<String, String> {
    read(tool, input).and_then(|values| work(&values)).map_err(|fault| fault.to_string())
}

/// The description of a guest as JSON: name, text, schema, keywords and level.
#[must_use]
pub fn description(tool: &Tool) -> String {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in tool.params {
        properties.insert(param.name.to_owned(), schema(param));
        if param.need == Need::Required {
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

fn schema(param: &Param) -> Value {
    let mut schema = match param.kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Number => json!({ "type": "integer", "minimum": 0 }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words }),
    };
    let default = match (param.need, param.kind) {
        (Need::Default(value), Kind::Number) => value.parse::<u64>().ok().map(Value::from),
        (Need::Default(value), _) => Some(Value::from(value)),
        (Need::Required | Need::Optional, _) => None,
    };
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), param.about.into());
        if let Some(default) = default {
            object.insert("default".to_owned(), default);
        }
    }
    schema
}

fn read(tool: &Tool, input: &str) -> Result<Values, Fault> {
    let parsed: Value = serde_json::from_str(input)
        .map_err(|error| Fault::Usage(format!("the input is not JSON: {error}")))?;
    let Value::Object(object) = parsed else {
        return Err(Fault::Usage("the input must be a JSON object".to_owned()));
    };
    let mut values = Values::default();
    for (name, value) in object {
        let Some(param) = tool.param(&name) else {
            return Err(Fault::Usage(format!("there is no argument '{name}'")));
        };
        take(&mut values, param, value)?;
    }
    values.settle(tool)
}

fn take(values: &mut Values, param: &Param, value: Value) -> Result<(), Fault> {
    let wrong = |what: &str| Err(Fault::Usage(format!("{} must be {what}", param.name)));
    match (param.kind, value) {
        (_, Value::Null) => Ok(()),
        (Kind::Flag, Value::Bool(set)) => values.put(param, set.to_string()),
        (Kind::Flag, _) => wrong("true or false"),
        (Kind::Number, Value::Number(number)) => values.put(param, number.to_string()),
        (Kind::Number | Kind::Text | Kind::Choice(_), Value::String(text)) => values.put(param, text),
        (Kind::Number, _) => wrong("a whole number"),
        (Kind::Text | Kind::Choice(_), _) => wrong("a text"),
        (Kind::Texts, Value::Array(items)) => items.into_iter().try_for_each(|item| match item {
            Value::String(text) => values.put(param, text),
            _ => wrong("a list of texts"),
        }),
        (Kind::Texts, _) => wrong("a list of texts"),
    }
}
