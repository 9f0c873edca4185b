//! Holm's kernel, driven as a host drives it.
//!
//! Every call is validated against the tool's schema, judged (its need is filled in from the arguments and compared
//! with denials and grants), dispatched, and its result guarded and sealed. Every drain goes to `Wait` before the
//! next fact, as a host must that writes the journal in between. The loop detector is on.

use holm_grants::{Denials, GrantSet, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, Bound, CallId, Config, Effect, Ending, Input, Limits, Message, Messages, Model, ModelResult,
    Prompt, Reply, Request, Run, Started, StopReason, SummaryPolicy, Timestamp, Tool, ToolCall, ToolOutput,
    ToolRequest,
};

use super::{Outcome, Session, wire};
use crate::{script, sponge::Sponge};

/// Wide enough that nothing is ever left out, and far from any overflow.
const EVERYTHING: u64 = 1 << 40;

/// Which Holm is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// The tool needs a path that is filled in from its arguments; the history is kept whole.
    Judged,
    /// As `Judged`, for a tool that declares no need: an echo tool as it would be in life.
    NoNeeds,
    /// As `Judged`, with the planner's own figures: what no longer fits the window leaves the view.
    Planned,
}

pub(super) struct Holm {
    turns: u64,
    run: Run,
    body: Body,
    /// Work that a drain brought up; kept for its memory.
    todo: Vec<Effect>,
    calls: u64,
    answer: String,
    clock: u64,
}

impl Holm {
    pub(super) fn new(turns: u64, variant: Variant) -> Self {
        let started = Started::new("bench", 7, config(variant));
        let mut run = Run::start(started, Timestamp::new(0));
        while !matches!(run.poll(), Effect::Wait(_)) {}
        Self {
            turns,
            run,
            body: Body::new(),
            todo: Vec::with_capacity(4),
            calls: 0,
            answer: String::new(),
            clock: 0,
        }
    }

    /// Hands a fact in and drains what follows from it.
    fn tell(&mut self, input: Input) {
        self.clock += 1;
        let receipt = self.run.handle(Timestamp::new(self.clock), input).expect("the host makes no mistake");
        self.body.sponge.count(receipt.effects);
        loop {
            match self.run.poll() {
                Effect::Wait(_) => return,
                Effect::Emit(_) => {}
                Effect::Finish(ending) => self.finish(*ending),
                work => self.todo.push(work),
            }
        }
    }

    fn finish(&mut self, ending: Ending) {
        match ending {
            Ending::Answered { text } => self.answer = text,
            other => panic!("the script ends with an answer, not with {other:?}"),
        }
    }

    fn call_model(&mut self, call: CallId, request: &Request) {
        self.body.consume(&self.run, request);
        let reply = if self.calls < self.turns { calling(self.calls) } else { answering() };
        self.tell(Input::ModelFinished { call, result: ModelResult::Replied(reply) });
    }

    fn run_tool(&mut self, call: CallId, request: &ToolRequest) {
        self.tell(Input::Dispatched { call });
        let text = script::echo(&request.arguments).expect("only valid arguments reach the tool");
        self.calls += 1;
        self.tell(Input::ToolFinished { call, result: ToolOutput::text(text) });
    }
}

impl Session for Holm {
    fn run(&mut self) -> Outcome {
        self.tell(Input::Prompted(Prompt::text(script::PROMPT)));
        while let Some(work) = self.todo.pop() {
            match work {
                Effect::CallModel { call, request } => self.call_model(call, &request),
                Effect::RunTool { call, request } => self.run_tool(call, &request),
                Effect::Spawn { .. } | Effect::Abort(_) | Effect::Judge(_) | Effect::Consult(_) => {
                    panic!("the script gives no reason to spawn, stop or ask");
                }
                Effect::Check { .. } | Effect::Summarise { .. } => {
                    panic!("the configuration has neither checks nor summaries");
                }
                Effect::Emit(_) | Effect::Finish(_) | Effect::Wait(_) => {
                    unreachable!("the drain takes these")
                }
            }
        }
        Outcome { calls: self.calls, answer: self.answer.clone(), consumed: self.body.sponge.value() }
    }

    fn body(&self) -> &[u8] {
        &self.body.bytes
    }
}

fn config(variant: Variant) -> Config {
    let schema = Json::parse(script::SCHEMA).expect("the script's schema is JSON");
    let mut tool = Tool::new(script::TOOL, script::DESCRIPTION, schema);
    if variant != Variant::NoNeeds {
        tool.needs = vec!["read:inbox/{text}".parse().expect("the need is a template")];
    }
    let mut config = Config::new(Model::named(script::MODEL));
    config.system = script::SYSTEM.into();
    config.tools = vec![tool];
    config.mode = Mode::Full;
    config.grants = GrantSet::parse(["read:inbox/**"]).expect("the grant is one");
    config.denials = Denials::parse(["path:**/.env"]).expect("the denial is one");
    config.limits = Limits { turns: Bound::Unbounded, ..Limits::default() };
    config.context.summary = SummaryPolicy::Never;
    if variant != Variant::Planned {
        config.context.default_window = EVERYTHING;
        config.context.result_budget = EVERYTHING;
    }
    config
}

fn calling(turn: u64) -> Reply {
    let call = ToolCall {
        id: script::call_id(turn),
        name: script::TOOL.into(),
        arguments: script::arguments(turn),
        replay: None,
    };
    Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() }
}

fn answering() -> Reply {
    Reply { blocks: vec![Block::Text(script::ANSWER.into())], ..Reply::default() }
}

/// A request body that grows with the view: each message is encoded once per epoch and its bytes are kept.
struct Body {
    bytes: Vec<u8>,
    sponge: Sponge,
    epoch: Option<u64>,
    /// Messages of the view that are in `bytes`.
    encoded: usize,
}

impl Body {
    fn new() -> Self {
        Self { bytes: Vec::new(), sponge: Sponge::default(), epoch: None, encoded: 0 }
    }

    /// Appends what is new and reads it.
    fn consume(&mut self, run: &Run, request: &Request) {
        let Messages::View { epoch, .. } = request.messages else {
            panic!("no request of the script has messages of its own");
        };
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.encoded = 0;
            self.bytes.clear();
            wire::open(&mut self.bytes);
        }
        let from = self.bytes.len();
        let messages = run.messages(request);
        for message in messages.get(self.encoded..).unwrap_or_default() {
            encode(&mut self.bytes, message);
        }
        self.encoded = messages.len();
        self.sponge.absorb(self.bytes.get(from..).unwrap_or_default());
    }
}

fn encode(body: &mut Vec<u8>, message: &Message) {
    for block in &message.blocks {
        match block {
            Block::Text(text) => wire::user(body, text),
            Block::ToolCall(call) => wire::call(body, &call.id, &call.name, &call.arguments),
            Block::ToolResult(result) => wire::result(body, &result.call, &result.text),
            Block::Thinking(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {
                panic!("the script has no such block");
            }
        }
    }
}
