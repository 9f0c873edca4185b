//! A loop as it is often written: typed messages, and the whole body encoded anew for each request.

use holm_bench_kit::{Outcome, Session, Sponge, script};
use serde::Serialize;

pub(super) struct Naive {
    turns: u64,
    messages: Vec<Message>,
    tools: serde_json::Value,
}

impl Naive {
    pub(super) fn new(turns: u64) -> Self {
        let parameters: serde_json::Value =
            serde_json::from_str(script::SCHEMA).expect("the script's schema is JSON");
        let tools = serde_json::json!([{
            "type": "function",
            "function": { "name": script::TOOL, "description": script::DESCRIPTION, "parameters": parameters },
        }]);
        let messages = vec![Message { content: Some(script::SYSTEM.into()), ..Message::of("system") }];
        Self { turns, messages, tools }
    }

    fn request(&self) -> Vec<u8> {
        let request = Request { model: script::MODEL, messages: &self.messages, tools: &self.tools };
        serde_json::to_vec(&request).expect("writing to memory cannot fail")
    }
}

impl Session for Naive {
    fn run(&mut self) -> Outcome {
        let mut sponge = Sponge::default();
        self.messages.push(Message { content: Some(script::PROMPT.into()), ..Message::of("user") });
        for turn in 0..self.turns {
            sponge.absorb(&self.request());
            let call = ToolCall {
                id: script::call_id(turn),
                kind: "function",
                function: Function { name: script::TOOL.into(), arguments: script::arguments(turn) },
            };
            let text = script::echo(&call.function.arguments).expect("the script's arguments are valid");
            let result =
                Message { content: Some(text), tool_call_id: Some(call.id.clone()), ..Message::of("tool") };
            self.messages.push(Message { tool_calls: vec![call], ..Message::of("assistant") });
            self.messages.push(result);
        }
        sponge.absorb(&self.request());
        let answer = String::from(script::ANSWER);
        self.messages.push(Message { content: Some(answer.clone()), ..Message::of("assistant") });
        Outcome { calls: self.turns, answer, consumed: sponge.value() }
    }
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: &'a [Message],
    tools: &'a serde_json::Value,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

impl Message {
    const fn of(role: &'static str) -> Self {
        Self { role, content: None, tool_calls: Vec::new(), tool_call_id: None }
    }
}

#[derive(Serialize)]
struct ToolCall {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: String,
}
