//! The script in Holm's own words: how a run is configured, what the model replies, and how requests are consumed.

use std::sync::Arc;

use holm_grants::{DenialSet, GrantSet, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, Bound, Config, Limits, Message, Messages, ModelSpec, Reply, Request, StopReason, SummaryPolicy,
    ToolCall, ToolSpec, Usage,
};

use crate::{Sponge, body, script};

/// Wide enough that nothing is ever left out, and far from any overflow.
const EVERYTHING: u64 = 1 << 40;

/// What every reply reports, as those of providers do: a reply without usage is estimated, which is not what is measured.
const USAGE: Usage = Usage { input: 100, output: 10, cached: 0, cache_write: 0, reasoning: 0, estimated: 0 };

/// Which Holm is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The tool needs a path that is filled in from its arguments; the history is kept whole.
    Judged,
    /// As `Judged`, for a tool that declares no need: an echo tool as it would be in life.
    NoNeeds,
    /// As `Judged`, with the planner's own figures: what no longer fits the window leaves the view.
    Planned,
}

/// The echo tool's declaration.
///
/// # Panics
/// If the script's schema is none.
pub fn tool(variant: Variant) -> ToolSpec {
    let schema = Json::parse(script::SCHEMA).expect("the script's schema is JSON");
    let mut tool = ToolSpec::new(script::TOOL, script::DESCRIPTION, schema);
    if variant != Variant::NoNeeds {
        tool.needs = vec!["read:inbox/{text}".parse().expect("the need is a template")];
    }
    tool
}

/// A configuration without tools.
///
/// # Panics
/// If a grant of this file is none.
pub fn config(variant: Variant) -> Config {
    let mut config = Config::new(ModelSpec::named(script::MODEL));
    config.system = script::SYSTEM.into();
    config.mode = Mode::Full;
    config.grants = GrantSet::parse(["read:inbox/**"]).expect("the grant is one");
    config.denials = DenialSet::parse(["path:**/.env"]).expect("the denial is one");
    config.limits = Limits { turns: Bound::Unbounded, ..Limits::default() };
    config.context.summary = SummaryPolicy::Never;
    if variant != Variant::Planned {
        config.context.default_window = EVERYTHING;
    }
    config
}

/// What the model replies in turn `turn`.
pub fn calling(turn: u64) -> Reply {
    let call = ToolCall {
        id: script::call_id(turn),
        name: script::TOOL.into(),
        arguments: script::arguments(turn),
        replay: None,
    };
    Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, usage: USAGE, ..Reply::default() }
}

/// What the model replies at the end.
pub fn answering() -> Reply {
    Reply { blocks: vec![Block::Text(script::ANSWER.into())], usage: USAGE, ..Reply::default() }
}

/// A request body that grows with the view: each message is encoded once per epoch and its bytes are kept.
#[derive(Debug, Default)]
pub struct Body {
    /// What was encoded.
    pub bytes: Vec<u8>,
    /// What was made of it.
    pub sponge: Sponge,
    epoch: Option<u64>,
    /// Messages of the view that are in `bytes`.
    encoded: usize,
}

impl Body {
    /// Appends what is new and reads it.
    ///
    /// # Panics
    /// If the request is none of the script's.
    pub fn consume(&mut self, request: &Request, messages: &[Arc<Message>]) {
        let Messages::View { epoch, .. } = request.messages else {
            panic!("no request of the script has messages of its own");
        };
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.encoded = 0;
            self.bytes.clear();
            body::open(&mut self.bytes);
        }
        let from = self.bytes.len();
        for message in messages.get(self.encoded..).unwrap_or_default() {
            encode(&mut self.bytes, message);
        }
        self.encoded = messages.len();
        self.sponge.absorb(self.bytes.get(from..).unwrap_or_default());
    }
}

fn encode(bytes: &mut Vec<u8>, message: &Message) {
    for block in &message.blocks {
        match block {
            Block::Text(text) => body::user(bytes, text),
            Block::ToolCall(call) => body::call(bytes, &call.id, &call.name, &call.arguments),
            Block::ToolResult(result) => body::result(bytes, &result.call, &result.text),
            Block::Thinking(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {
                panic!("the script has no such block");
            }
        }
    }
}
