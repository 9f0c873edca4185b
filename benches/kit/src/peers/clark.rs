//! `clark-agent` through its own API, on a current-thread runtime, the cheapest that it runs on.
//!
//! Of each request only the number of messages and the last message's text are read, which is the cheapest way to
//! consume it: turning the messages into bytes would be the transport's work, and it is not charged here. The
//! reply's arguments are built as a value, so no JSON is parsed either.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use clark_agent::{
    AgentBuilder, AgentContext, AgentMessage, AgentTool, AssistantBlock, AssistantContent, LoopConfig,
    RunResult, StopReason, StreamEvent, StreamFn, StreamRequest, ToolCall, ToolError, ToolRegistry,
    ToolResult, ToolUpdateSink, UserContent, event::NoopSink,
};
use futures::stream::{self, BoxStream};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::{Outcome, Session, Sponge, script};

/// A session of `clark-agent`.
pub struct Clark {
    runtime: Runtime,
    model: Arc<Scripted>,
    config: LoopConfig,
    result: Option<RunResult>,
}

impl Clark {
    /// Sets it up.
    ///
    /// # Panics
    /// If `clark-agent` refuses the script.
    pub fn new(turns: u64) -> Self {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime can be made");
        let model = Arc::new(Scripted { turns, state: Mutex::default() });
        let config = AgentBuilder::new()
            .stream(model.clone())
            .tools(ToolRegistry::new().with(Arc::new(Echo)))
            .event_sink(Arc::new(NoopSink))
            .build()
            .expect("the agent is complete");
        Self { runtime, model, config, result: None }
    }
}

impl Session for Clark {
    fn run(&mut self) -> Outcome {
        let prompt =
            AgentMessage::User { content: UserContent::Text(script::PROMPT.into()), timestamp: None };
        let context = AgentContext::new(script::SYSTEM);
        let run = clark_agent::run(vec![prompt], context, &self.config, CancellationToken::new());
        let result = self.runtime.block_on(run).expect("the script ends with an answer");
        let is_result = |message: &&AgentMessage| matches!(message, AgentMessage::ToolResult { .. });
        let calls = result.messages.iter().filter(is_result).count() as u64;
        let answer = match result.messages.last() {
            Some(AgentMessage::Assistant { content, .. }) => content.plain_text(),
            _ => String::new(),
        };
        let consumed = self.model.state.lock().expect("no stream has panicked").sponge.value();
        self.result = Some(result);
        Outcome { calls, answer, consumed }
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

#[async_trait]
impl StreamFn for Scripted {
    async fn stream(
        &self,
        request: StreamRequest,
        _signal: CancellationToken,
    ) -> BoxStream<'static, StreamEvent> {
        let mut state = self.state.lock().expect("no stream has panicked");
        state.sponge.count(request.messages.len() as u64);
        match request.messages.last() {
            Some(AgentMessage::ToolResult { content, .. }) => {
                state.sponge.absorb(content.plain_text().as_bytes());
            }
            Some(AgentMessage::User { content: UserContent::Text(text), .. }) => {
                state.sponge.absorb(text.as_bytes());
            }
            _ => {}
        }
        let turn = state.turn;
        state.turn += 1;
        let message = if turn < self.turns { call(turn) } else { answer() };
        Box::pin(stream::iter([StreamEvent::Done { message }]))
    }
}

fn call(turn: u64) -> AgentMessage {
    let arguments = serde_json::json!({ "text": script::text(turn) });
    let call = ToolCall { id: script::call_id(turn), name: script::TOOL.into(), arguments };
    reply(AssistantContent { blocks: vec![AssistantBlock::ToolCall(call)] }, StopReason::ToolUse)
}

fn answer() -> AgentMessage {
    reply(AssistantContent::text(script::ANSWER), StopReason::EndTurn)
}

fn reply(content: AssistantContent, stop_reason: StopReason) -> AgentMessage {
    AgentMessage::Assistant { content, stop_reason, error_message: None, timestamp: None, usage: None }
}

struct Echo;

#[async_trait]
impl AgentTool for Echo {
    fn name(&self) -> &str {
        script::TOOL
    }

    fn description(&self) -> &str {
        script::DESCRIPTION
    }

    fn parameters_schema(&self) -> Value {
        serde_json::from_str(script::SCHEMA).expect("the script's schema is JSON")
    }

    async fn execute(
        &self,
        _call: &str,
        mut arguments: Value,
        _signal: CancellationToken,
        _update: ToolUpdateSink,
    ) -> Result<ToolResult, ToolError> {
        match arguments.get_mut("text").map(Value::take) {
            Some(Value::String(text)) => Ok(ToolResult::text(text)),
            _ => Err(ToolError::Execution("there is no text".into())),
        }
    }
}
