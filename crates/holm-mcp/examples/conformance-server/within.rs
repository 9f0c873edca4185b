//! Calls in which the protocol does something before they are done: log messages, questions of the older era, content that
//! only MCP has.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    CreateMessageRequestParams, ElicitRequestParams, ElicitationSchema, ErrorData, JsonObject, LoggingLevel,
    LoggingMessageNotificationParam, ResourceContents, SamplingMessage, Tool,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::plain::PICTURE;

pub(crate) fn tools() -> Vec<Tool> {
    let empty = || json!({ "type": "object", "properties": {} });
    let word = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    [
        ("test_embedded_resource", empty()),
        ("test_multiple_content_types", empty()),
        ("test_tool_with_logging", empty()),
        ("test_logging_tool", empty()),
        ("test_sampling", word("prompt")),
        ("test_elicitation", word("message")),
        ("test_elicitation_sep1034_defaults", empty()),
        ("test_elicitation_sep1330_enums", empty()),
        ("test_missing_capability", empty()),
        ("json_schema_2020_12_tool", full_schema()),
    ]
    .into_iter()
    .map(|(name, schema)| tool(name, schema))
    .collect()
}

pub(crate) fn tool(name: &'static str, schema: Value) -> Tool {
    let schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    Tool::new(name, "A tool of the conformance suite.", schema)
}

pub(crate) async fn call(
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let given = request.arguments.unwrap_or_default();
    let word = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let content = match request.name.as_ref() {
        "test_embedded_resource" => vec![embedded("text/plain", "This is an embedded resource content.")],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PICTURE, "image/png"),
            embedded("application/json", r#"{"test":"data","value":123}"#),
        ],
        "test_tool_with_logging" => log(context).await,
        "test_logging_tool" => match context.meta.log_level() {
            Some(_) => log(context).await,
            None => vec![ContentBlock::text("nobody wants to read a log")],
        },
        "test_sampling" => {
            let asked =
                CreateMessageRequestParams::new(vec![SamplingMessage::user_text(word("prompt"))], 100);
            let answer = context.peer.create_message(asked).await.map_err(failed)?;
            let said =
                answer.message.content.first().and_then(|one| one.as_text()).map(|one| one.text.clone());
            vec![ContentBlock::text(format!("LLM response: {}", said.unwrap_or_default()))]
        }
        "test_elicitation" => {
            let fields = json!({ "username": { "type": "string" }, "email": { "type": "string" } });
            elicit(context, word("message"), fields, &["username", "email"]).await?
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(context, "All of these have defaults".into(), defaults(), &[]).await?
        }
        "test_elicitation_sep1330_enums" => elicit(context, "Choose".into(), choices(), &[]).await?,
        "test_missing_capability" => {
            if context.meta.client_capabilities().unwrap_or_default().sampling.is_none() {
                let wanted = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(wanted));
            }
            vec![ContentBlock::text("the client can do it")]
        }
        _ => vec![ContentBlock::text("done")],
    };
    Ok(CallToolResult::success(content).into())
}

fn embedded(kind: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::TextResourceContents {
        uri: "test://embedded-resource".into(),
        mime_type: Some(kind.into()),
        text: text.into(),
        meta: None,
    })
}

async fn log(context: &RequestContext<RoleServer>) -> Vec<ContentBlock> {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        // A client that does not listen misses it.
        let _ = context.peer.notify_logging_message(message).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    vec![ContentBlock::text("logged")]
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: String,
    fields: Value,
    required: &[&str],
) -> Result<Vec<ContentBlock>, ErrorData> {
    let schema = json!({ "type": "object", "properties": fields, "required": required });
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).map_err(failed)?;
    let asked = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let answer = context.peer.create_elicitation(asked).await.map_err(failed)?;
    let answer = serde_json::to_value(answer).map_err(failed)?;
    let (action, content) = (&answer["action"], &answer["content"]);
    Ok(vec![ContentBlock::text(format!("Elicitation completed: action={action}, content={content}"))])
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let named = |word: &str| -> Value {
        (1..=3)
            .map(|number| json!({ "const": format!("value{number}"), "title": format!("{word} {number}") }))
            .collect()
    };
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": named("Option") },
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": named("Choice") } },
    })
}

/// A schema that uses what draft 2020-12 has and older drafts have not.
fn full_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
