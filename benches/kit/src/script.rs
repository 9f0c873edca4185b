//! What the scripted model says and what the echo tool answers: the same for every loop.
//!
//! Replies are made inside the turn, as a transport would decode them there, so their allocations count for
//! everybody. The arguments differ from turn to turn: a loop detector has work to do and nothing to object to.

use serde::Deserialize;

/// The system prompt.
pub const SYSTEM: &str = "You are a careful assistant. Use the tools when they help.";

/// What the person asks.
pub const PROMPT: &str = "Echo every message, one at a time, and then say that you are done.";

/// The plain answer that ends the run.
pub const ANSWER: &str = "All messages were echoed.";

/// The name under which the model is called.
pub const MODEL: &str = "scripted/echo";

/// The only tool.
pub const TOOL: &str = "echo";

/// What the model is told about the tool.
pub const DESCRIPTION: &str = "Gives back the text it was given.";

/// JSON Schema of the tool's arguments.
pub const SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string","maxLength":1000}},"required":["text"],"additionalProperties":false}"#;

/// The provider's id of the call in turn `turn`.
pub fn call_id(turn: u64) -> String {
    format!("call_{turn:06}")
}

/// What is echoed in turn `turn`.
pub fn text(turn: u64) -> String {
    format!("message {turn}")
}

/// The arguments of the call in turn `turn`, as a model writes them.
pub fn arguments(turn: u64) -> String {
    format!(r#"{{"text":"message {turn}"}}"#)
}

/// The echo tool itself, for loops that hand over JSON text.
///
/// # Errors
/// When the arguments are not an object with a `text`.
pub fn echo(arguments: &str) -> Result<String, serde_json::Error> {
    #[derive(Deserialize)]
    struct Arguments {
        text: String,
    }
    serde_json::from_str::<Arguments>(arguments).map(|arguments| arguments.text)
}

/// Bytes of plain content in `turns` turns: ids, the tool's name, arguments and results, each counted once.
pub fn content_bytes(turns: u64) -> u64 {
    let of = |turn| call_id(turn).len() + TOOL.len() + arguments(turn).len() + text(turn).len();
    (0..turns).map(|turn| of(turn) as u64).sum()
}
