//! `agnt-core` through its own API, with its limits lifted so that it sends the whole history.
//!
//! Of each request only the number of messages and the last message's text are read, which is the cheapest way to
//! consume it: turning the messages into bytes would be the backend's work, and it is not charged here.

use std::sync::Mutex;

use agnt_core::{Agent, AgentBuilder, BackendError, FunctionCall, LlmBackend, Message, Tool, ToolCall};
use serde_json::Value;

use crate::{Outcome, Session, Sponge, script};

/// A session of `agnt-core`.
pub struct Agnt {
    agent: Agent<Scripted>,
}

impl Agnt {
    /// Sets it up.
    ///
    /// # Panics
    /// If `agnt-core` refuses the script.
    pub fn new(turns: u64) -> Self {
        let backend = Scripted { turns, state: Mutex::default() };
        let mut agent = AgentBuilder::new(backend)
            .system(script::SYSTEM)
            .tool(Box::new(Echo))
            .max_steps(usize::MAX)
            .max_window(usize::MAX)
            .build()
            .expect("the agent is complete");
        #[expect(deprecated, reason = "the only switch that keeps it from printing each call")]
        {
            agent.stream = false;
        }
        Self { agent }
    }
}

impl Session for Agnt {
    fn run(&mut self) -> Outcome {
        let answer = self.agent.step(script::PROMPT).expect("the script ends with an answer");
        let calls = self.agent.messages.iter().filter(|message| message.role == "tool").count() as u64;
        let state = self.agent.backend.state.lock().expect("no backend call has panicked");
        Outcome { calls, answer, consumed: state.sponge.value() }
    }
}

struct Scripted {
    turns: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    turn: u64,
    sponge: Sponge,
}

impl LlmBackend for Scripted {
    fn model(&self) -> &str {
        script::MODEL
    }

    fn chat(
        &self,
        messages: &[Message],
        _tools: &Value,
        _on_token: Option<&mut dyn FnMut(&str)>,
    ) -> Result<Message, BackendError> {
        let mut state = self.state.lock().expect("no backend call has panicked");
        state.sponge.count(messages.len() as u64);
        if let Some(text) = messages.last().and_then(|message| message.content.as_ref()) {
            state.sponge.absorb(text.as_bytes());
        }
        let turn = state.turn;
        state.turn += 1;
        Ok(if turn < self.turns { call(turn) } else { answer() })
    }
}

fn call(turn: u64) -> Message {
    let function = FunctionCall { name: script::TOOL.into(), arguments: script::arguments(turn) };
    let call = ToolCall { id: script::call_id(turn), call_type: "function".into(), function };
    Message {
        role: "assistant".into(),
        content: None,
        tool_calls: Some(vec![call]),
        tool_call_id: None,
        name: None,
    }
}

fn answer() -> Message {
    Message {
        role: "assistant".into(),
        content: Some(script::ANSWER.into()),
        tool_calls: None,
        tool_call_id: None,
        name: None,
    }
}

struct Echo;

impl Tool for Echo {
    fn name(&self) -> &str {
        script::TOOL
    }

    fn description(&self) -> &str {
        script::DESCRIPTION
    }

    fn schema(&self) -> Value {
        serde_json::from_str(script::SCHEMA).expect("the script's schema is JSON")
    }

    fn call(&self, mut arguments: Value) -> Result<String, String> {
        match arguments.get_mut("text").map(Value::take) {
            Some(Value::String(text)) => Ok(text),
            _ => Err("there is no text".into()),
        }
    }
}
