//! Text-based tool calls for models without native ones. The system prompt describes the tools,
//! calls and results are text, and JSON in a reply becomes a call. The kernel sees only native
//! calls.
//!
//! The text protocol itself is defined in `holm-kernel/src/protocol/text.rs`. Text that may be a
//! call is held back until the reply is complete. A reply that was cut off, refused or filtered
//! never becomes a call.
//!
//! `client.rs` wraps a connection in this file if a model has no native calls. Requests are encoded
//! in `holm-wire`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use holm_kernel::{
    Block, CallId, Failure, FailureClass, Message, Messages, ModelResult, Offer, Reply, Request, Role,
    StopReason, TextReply, ToolCall, plain_text, read_text_reply, text_system_prompt,
};
use holm_runtime::{DeltaSink, ReplyDelta};

/// How the models of a provider call tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolCallMode {
    /// Uses the provider's native calls. Switches to text if the provider reports that
    /// a model has none.
    #[default]
    Native,
    /// Always uses JSON in the text.
    Text,
}

/// Error texts of providers for a model without tool calls, in lower case.
const REFUSALS: &[&str] = &[
    "does not support tools",
    "does not support tool",
    "doesn't support tool",
    "not support function calling",
    "not support function call",
    "tools are not supported",
    "tools is not supported",
    "tool use is not supported",
    "tool calling is not supported",
    "tool calling` is not supported",
    "tool calls are not supported",
    "function calling is not enabled",
    "no endpoints found that support tool use",
    "tools param requires --jinja",
];

/// The error text of servers that were started without tool calls. vLLM names the missing flag.
const MISSING_FLAG: &str = "tool choice requires --enable-auto-tool-choice";

/// Whether a provider refused a call because of its tools.
pub(crate) fn refuses_tools(failure: &Failure) -> bool {
    let by_class = match failure.class {
        FailureClass::BadRequest | FailureClass::Server => true,
        FailureClass::RateLimited
        | FailureClass::Overloaded
        | FailureClass::Network
        | FailureClass::Truncated
        | FailureClass::Empty
        | FailureClass::Auth
        | FailureClass::Quota
        | FailureClass::ContextOverflow
        | FailureClass::ContentFilter
        | FailureClass::HostCrash => false,
    };
    let message = failure.message.to_lowercase();
    by_class && (message.contains(MISSING_FLAG) || REFUSALS.iter().any(|refusal| message.contains(refusal)))
}

/// Records which models support tool calls and which do not.
#[derive(Debug, Default)]
pub(crate) struct ToolCallSupport(Mutex<BTreeMap<String, ToolCallMode>>);

impl ToolCallSupport {
    pub(crate) fn of(&self, model: &str) -> Option<ToolCallMode> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied()
    }

    pub(crate) fn learn(&self, model: &str, calls: ToolCallMode) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned(), calls);
    }
}

/// Whether a call contains anything that a model without tool calls cannot receive unchanged.
pub(crate) fn has_calls(request: &Request, messages: &[Arc<Message>]) -> bool {
    let is_call = |block: &Block| matches!(block, Block::ToolCall(_) | Block::ToolResult(_));
    !request.tools.tools.is_empty()
        || messages.iter().any(|message| message.role == Role::Tool || message.blocks.iter().any(is_call))
}

/// Converts a request for a model without tool calls.
pub(crate) fn as_text(request: &Request, messages: &[Arc<Message>]) -> Request {
    let messages = messages.iter().map(|message| Arc::new(message_as_text(message))).collect();
    Request {
        purpose: request.purpose,
        model: Arc::clone(&request.model),
        system: text_system_prompt(&request.system, &request.tools).into(),
        messages: Messages::Own(messages),
        tools: Arc::new(Offer { epoch: request.tools.epoch, tools: Vec::new() }),
        max_output: request.max_output,
        format: request.format.clone(),
    }
}

fn message_as_text(message: &Message) -> Message {
    let role = if message.role == Role::Tool { Role::User } else { message.role };
    let mut blocks = Vec::with_capacity(message.blocks.len());
    for block in &message.blocks {
        match block {
            Block::ToolCall(call) => blocks.push(Block::Text(call_as_text(call))),
            Block::ToolResult(result) => {
                blocks.push(Block::Text(result.text.clone()));
                blocks.extend(result.parts.iter().cloned());
            }
            Block::Text(_) | Block::Thinking(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {
                blocks.push(block.clone());
            }
        }
    }
    Message { author: message.author, ..Message::new(message.id, role, blocks) }
}

/// Writes a call in the form that the text protocol's instructions ask for.
fn call_as_text(call: &ToolCall) -> String {
    let name = serde_json::Value::from(call.name.as_str());
    let inside = call.arguments.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    match inside.map(str::trim) {
        Some("") => format!(r#"{{"tool":{name}}}"#),
        Some(members) => format!(r#"{{"tool":{name},{members}}}"#),
        None => format!(r#"{{"tool":{name},"arguments":{}}}"#, serde_json::Value::from(&*call.arguments)),
    }
}

/// Converts a reply whose text is a call into a reply with that call.
pub(crate) fn with_call(result: ModelResult) -> ModelResult {
    let ModelResult::Replied(reply) = result else { return result };
    // A reply that was refused, filtered or cut off is not a call, even if its text looks complete.
    if matches!(reply.stop, StopReason::MaxTokens | StopReason::Refusal | StopReason::ContentFilter) {
        return ModelResult::Replied(reply);
    }
    let parsed = read_text_reply(&plain_text(&reply.blocks));
    let is_words = |block: &Block| matches!(block, Block::Text(_));
    let others = |blocks: Vec<Block>| blocks.into_iter().filter(|block| !is_words(block));
    ModelResult::Replied(match parsed {
        TextReply::Call { name, arguments } => {
            // The kernel assigns an id to a call without one.
            let call = ToolCall { id: String::new(), name, arguments, replay: None };
            let blocks = others(reply.blocks).chain([Block::ToolCall(call)]).collect();
            Reply { blocks, stop: StopReason::ToolUse, ..reply }
        }
        TextReply::Answer(text) => {
            Reply { blocks: others(reply.blocks).chain([Block::Text(text)]).collect(), ..reply }
        }
        TextReply::Unclear => reply,
    })
}

/// Holds text back until it is clear whether it is a call. The JSON of a call is not shown.
pub(crate) struct BufferedTextSink(pub(crate) Arc<dyn DeltaSink>);

impl DeltaSink for BufferedTextSink {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        if !matches!(delta, ReplyDelta::Text { .. }) {
            self.0.delta(call, delta);
        }
    }
}

/// Passes on the text that was held back, unless it is a call.
pub(crate) fn show_text(result: &ModelResult, call: CallId, deltas: &Arc<dyn DeltaSink>) {
    if let ModelResult::Replied(reply) = result {
        let text = plain_text(&reply.blocks);
        if !text.is_empty() {
            deltas.delta(call, ReplyDelta::Text { offset: 0, text: &text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ToolCall, call_as_text, refuses_tools, with_call};
    use holm_kernel::{Block, Failure, FailureClass, ModelResult, Reply, StopReason, Usage};

    #[test]
    fn what_providers_say_of_a_model_without_tool_calls_is_understood() {
        let refused = |class, message: &str| {
            refuses_tools(&Failure {
                class,
                message: message.into(),
                retry_after_ms: None,
                usage: Usage::default(),
            })
        };
        for message in [
            "status 400: registry.ollama.ai/library/gemma:2b does not support tools",
            "status 404: No endpoints found that support tool use. To learn more",
            "status 400: This model doesn't support tool use in streaming mode.",
            "status 400: `tool calling` is not supported with this model",
            "status 400: \"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            "status 400: Function calling is not enabled for models/gemma-3",
        ] {
            assert!(refused(FailureClass::BadRequest, message), "{message}");
        }
        assert!(refused(FailureClass::Server, "status 500: tools param requires --jinja flag"));
        assert!(!refused(FailureClass::BadRequest, "status 400: tools.0.name is too long"));
        assert!(!refused(FailureClass::Auth, "status 401: your key does not support tools"));
    }

    #[test]
    fn a_call_is_written_as_the_instructions_ask_for_it() {
        let check = |arguments: &str, expect: &str| {
            let call =
                ToolCall { id: "1".into(), name: "read".into(), arguments: arguments.into(), replay: None };
            assert_eq!(call_as_text(&call), expect);
        };
        check(r#"{"path":"a"}"#, r#"{"tool":"read","path":"a"}"#);
        check(" { } ", r#"{"tool":"read"}"#);
        check("not json", r#"{"tool":"read","arguments":"not json"}"#);
    }

    #[test]
    fn the_json_of_a_reply_is_a_call_and_everything_else_an_answer() {
        let parsed = |text: &str, stop| {
            let blocks = vec![Block::Text(text.into())];
            match with_call(ModelResult::Replied(Reply { blocks, stop, ..Reply::default() })) {
                ModelResult::Replied(reply) => (reply.blocks, reply.stop),
                other => panic!("{other:?}"),
            }
        };
        let (blocks, stop) = parsed("I look.\n{\"tool\":\"read\",\"path\":\"a\"}", StopReason::EndTurn);
        let call = blocks.first().and_then(Block::as_tool_call).unwrap();
        assert_eq!((&*call.name, &*call.arguments), ("read", r#"{"path":"a"}"#));
        assert_eq!(stop, StopReason::ToolUse);
        let (blocks, _) = parsed("<think>hm</think>It is 4.", StopReason::EndTurn);
        assert_eq!(blocks, [Block::Text("It is 4.".into())]);
        let (blocks, stop) = parsed("once upon a ", StopReason::MaxTokens);
        assert_eq!((blocks, stop), (vec![Block::Text("once upon a ".into())], StopReason::MaxTokens));
    }

    #[test]
    fn a_reply_that_was_refused_filtered_or_cut_makes_no_call() {
        for stop in [StopReason::Refusal, StopReason::ContentFilter, StopReason::MaxTokens] {
            let blocks = vec![Block::Text(r#"{"tool":"write","path":"a"}"#.into())];
            let reply = Reply { blocks, stop, ..Reply::default() };
            assert_eq!(with_call(ModelResult::Replied(reply.clone())), ModelResult::Replied(reply));
        }
    }
}
