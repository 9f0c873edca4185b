//! Asks the model as a run would.

use std::sync::Arc;

use holm_guards::{json::Json, schema::CompiledSchema};
use holm_kernel::{Block, FailureClass, ModelCallId, ModelResult, ToolSpec};
use holm_local::LocalConnection;
use holm_runtime::{ModelConnection as _, ModelRequest, NullDeltaSink};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::episode::Question;

/// What the model said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Words, or a call as the model writes it.
    pub(crate) text: String,
    /// Whether it is words, or a call of a tool that is there with arguments that the guards let through.
    pub(crate) valid: bool,
}

impl Said {
    fn new(text: String, tools: &[Arc<ToolSpec>]) -> Self {
        let valid = if text.trim_start().starts_with('{') {
            validates(&text, tools)
        } else {
            !text.trim().is_empty()
        };
        Self { text, valid }
    }
}

/// Has one question answered. A model that says nothing has given an answer, a bad one.
pub(crate) async fn asked(line: &mut LocalConnection, question: &Question) -> Result<Said, String> {
    let Question { request, told, view } = question;
    let ask = ModelRequest {
        call: ModelCallId::new(1),
        request,
        messages: view,
        told: Arc::clone(told),
        deltas: Arc::new(NullDeltaSink),
        stop: CancellationToken::new(),
    };
    let text = match line.call(ask).await {
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => {
            reply.blocks.iter().map(written).collect()
        }
        ModelResult::Failed(failure) if failure.class == FailureClass::Empty => String::new(),
        ModelResult::Failed(failure) => return Err(failure.message),
    };
    Ok(Said::new(text, &told.tools))
}

/// A block as the model writes it, to be judged like the replies of every other evaluation.
fn written(block: &Block) -> String {
    match block {
        Block::Text(text) => text.clone(),
        Block::ToolCall(call) => {
            let rest = call.arguments.strip_prefix('{').unwrap_or("}");
            let comma = if rest == "}" { "" } else { ", " };
            format!("{{\"tool\": {}{comma}{rest}", Value::from(call.name.as_str()))
        }
        Block::Thinking(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) | Block::ToolResult(_) => {
            String::new()
        }
    }
}

fn validates(text: &str, tools: &[Arc<ToolSpec>]) -> bool {
    let Ok(Json::Object(mut call)) = Json::parse(text.trim()) else { return false };
    let Some(Json::String(name)) = call.remove("tool") else { return false };
    let tool = tools.iter().find(|tool| tool.name == name);
    let schema = tool.and_then(|tool| CompiledSchema::compile(&tool.schema).ok());
    schema.is_some_and(|schema| schema.is_valid(&Json::Object(call)))
}

#[cfg(test)]
mod tests {
    use holm_kernel::ToolCall;

    use super::*;

    fn tools() -> Vec<Arc<ToolSpec>> {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
        vec![Arc::new(ToolSpec::new("count", "Counts.", Json::parse(schema).unwrap()))]
    }

    #[test]
    fn words_and_calls_that_validate_are_valid() {
        for (text, valid) in [
            ("Three.", true),
            (" ", false),
            (r#"{"tool": "count", "n": 3}"#, true),
            (r#"{"tool": "count"}"#, false),
            (r#"{"tool": "other", "n": 3}"#, false),
            (r#"{"tool": "count", "n": 3"#, false),
            (r#"{"n": 3}"#, false),
        ] {
            assert_eq!(Said::new(text.into(), &tools()).valid, valid, "{text}");
        }
    }

    #[test]
    fn a_call_is_written_with_its_name_first() {
        for (arguments, expect) in
            [(r#"{"n":3}"#, r#"{"tool": "a\"b", "n":3}"#), ("{}", r#"{"tool": "a\"b"}"#)]
        {
            let call =
                ToolCall { id: "1".into(), name: "a\"b".into(), arguments: arguments.into(), replay: None };
            assert_eq!(written(&Block::ToolCall(call)), expect);
        }
    }
}
