//! `rig-core` with the agent loop of `rig-agent`, through their own API, on a current-thread runtime.
//!
//! The model is a wire of rig's own kind whose payload is the request as it is: of each request only the number of
//! messages is read, because turning them into bytes would be a provider's work, and it is not charged here. The reply
//! goes through rig's decoder, as every reply does.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use holm_bench_kit::{Outcome, Session, Sponge, script};
use rig_agent::{Agent, AgentBuilder, agent::PromptResponse};
use rig_core::{
    Model, ProviderError,
    completion::{
        Accepts, CompletionRequest, FinishReason, ReplayTarget, Usage,
        options::{Mapping, OptionFields, OptionMap},
    },
    driver::{Exchange, Opened, Opening, Transport},
    error::EncodeError,
    message::Api,
    operation::{Block, CallFragment, Completion, Finish},
    tool::PortableTool,
    wire::{
        Decoder, Descriptor, Flow, Mode, Out, Wire, WireEvent,
        document::{Reassemble, Serves},
    },
};
use serde::Deserialize;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::scratch;

pub(super) struct Rig {
    runtime: Runtime,
    agent: Agent,
    turns: u64,
    model: Arc<State>,
    calls: Arc<AtomicU64>,
    response: Option<PromptResponse>,
}

impl Rig {
    pub(super) fn new(turns: u64) -> Self {
        let model = Arc::new(State { turns, at: Mutex::default() });
        let calls = Arc::<AtomicU64>::default();
        let agent = AgentBuilder::new(Model::new(Plain, Scripted(Arc::clone(&model))))
            .preamble(script::SYSTEM)
            .tool(Echo(Arc::clone(&calls)))
            .build();
        Self { runtime: scratch::small_runtime(), agent, turns, model, calls, response: None }
    }
}

impl Session for Rig {
    fn run(&mut self) -> Outcome {
        // The model is asked once more than it calls.
        let most = usize::try_from(self.turns).unwrap_or(usize::MAX).saturating_add(2);
        let run = self.agent.prompt(script::PROMPT).max_turns(most).run();
        let response = self.runtime.block_on(run).expect("the script ends with an answer");
        let answer = response.output();
        self.response = Some(response);
        let consumed = self.model.at.lock().expect("no call has panicked").1.value();
        Outcome { calls: self.calls.load(Relaxed), answer, consumed }
    }
}

struct State {
    turns: u64,
    at: Mutex<(u64, Sponge)>,
}

/// The transport: it has the script.
#[derive(Clone)]
struct Scripted(Arc<State>);

impl Transport<Plain> for Scripted {
    fn send(&self, request: CompletionRequest, _exchange: Exchange) -> Opening<Said> {
        let mut at = self.0.at.lock().expect("no call has panicked");
        at.1.count(request.chat_history.len() as u64);
        let turn = at.0;
        at.0 += 1;
        let said = if turn < self.0.turns {
            Said::Call { id: script::call_id(turn), arguments: script::arguments(turn) }
        } else {
            Said::Answer
        };
        Opening::ready(Opened::new(futures::stream::iter([Ok(said)])).with_document(Value::Null))
    }
}

/// One reply.
enum Said {
    Call { id: String, arguments: String },
    Answer,
}

/// A wire that encodes nothing.
#[derive(Debug, Clone)]
struct Plain;

impl Wire for Plain {
    type Op = Completion;
    type Payload = CompletionRequest;
    type Frame = Said;
    type Decoder<'id> = Reader;
    type Reassembler = NoDocument;

    fn describe(&self) -> Descriptor<'_> {
        Descriptor::new("scripted").model(script::MODEL).replay(self)
    }

    fn encode(&self, request: CompletionRequest, _mode: Mode) -> Result<CompletionRequest, EncodeError> {
        Ok(request)
    }

    fn decoder<'id>(&self) -> Self::Decoder<'id> {
        Reader
    }
}

impl ReplayTarget for Plain {
    fn api(&self) -> Api {
        Api::from_static("scripted.plain")
    }

    fn provider(&self) -> &str {
        "scripted"
    }

    fn model(&self) -> &str {
        script::MODEL
    }

    fn accepts(&self, _model: &str) -> Accepts {
        Accepts::ALL
    }

    fn map_options(&self, _request: &CompletionRequest, _fields: OptionFields<'_>) -> OptionMap {
        // The script sets no option.
        OptionMap {
            reasoning: Mapping::Nothing,
            cache: Mapping::Nothing,
            service_tier: Mapping::Nothing,
            verbosity: Mapping::Nothing,
            parallel_tool_calls: Mapping::Nothing,
            top_p: Mapping::Nothing,
            seed: Mapping::Nothing,
            stop: Mapping::Nothing,
        }
    }
}

struct Reader;

impl<'id> Decoder<'id, Completion, Said> for Reader {
    type Event = Said;

    fn classify(&self, said: Said) -> WireEvent<Said> {
        WireEvent::Known(said)
    }

    fn decode(&mut self, said: Said, mut out: Out<'id, Completion>) -> Result<Flow, ProviderError> {
        let reason = match said {
            Said::Call { id, arguments } => {
                let index = out.fresh_index();
                let call =
                    CallFragment { id: Some(&id), name: Some(script::TOOL), arguments: Some(&arguments) };
                out.fragment(Some(index), call)?;
                out.finish(index)?;
                FinishReason::ToolCalls
            }
            Said::Answer => {
                out.run(Block::Text, script::ANSWER)?;
                out.end_run()?;
                FinishReason::Stop
            }
        };
        let usage = Usage::default();
        Ok(out.end(Finish { usage, reason: Some(reason), response_id: None, model: None, error: None }))
    }
}

/// The script's replies are no documents.
#[derive(Default)]
struct NoDocument;

impl Serves<Completion> for NoDocument {}

impl Reassemble<Said> for NoDocument {
    fn absorb(&mut self, _said: &Said) {}

    fn finish(self) -> Value {
        Value::Null
    }
}

struct Echo(Arc<AtomicU64>);

#[derive(Deserialize)]
struct Arguments {
    text: String,
}

impl PortableTool for Echo {
    const NAME: &'static str = script::TOOL;
    type Args = Arguments;
    type Output = String;
    type Error = std::convert::Infallible;

    fn description(&self) -> String {
        script::DESCRIPTION.into()
    }

    fn parameters(&self) -> Value {
        serde_json::from_str(script::SCHEMA).expect("the script's schema is JSON")
    }

    async fn call(&self, arguments: Arguments) -> Result<String, Self::Error> {
        self.0.fetch_add(1, Relaxed);
        Ok(arguments.text)
    }
}
