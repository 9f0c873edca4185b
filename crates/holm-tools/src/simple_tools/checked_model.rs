//! A model whose answers are checked against what its tools found, for models that are too small
//! to judge that themselves.
//!
//! The rules about questions and results are in `answer.rs`. It wraps any model, and runs no tool.
//! The pieces of a reply are held back until the whole reply was checked, so that no unchecked
//! claim is ever shown.

use std::sync::Arc;

use holm_kernel::{Author, Block, Message, ModelResult, Outcome, Reply, Role, ToolCall, ToolResult};
use holm_runtime::{BoxFuture, DeltaSink, Model, ModelConnection, ModelRequest, ReplyDelta};

use super::{
    ANSWERING,
    answer::{FOUND, UNCHECKED, answers, closest_lines, follows, is_small_talk},
};

/// How a small model admits that it has no answer (training/PROTOCOL.md). These claim nothing.
const ADMISSIONS: &[&str] = &[
    "None of my tools can do that",
    "The result does not say",
    "The result is empty",
    "That failed",
    "That was not allowed",
    "I refuse to help with that",
];

/// A small model with the tools of this module. It states as fact only what one of them answered,
/// or what stands in a file that it read. Everything else is shown as what was
/// found, or as unchecked.
pub struct CheckedModel(Arc<dyn Model>);

impl CheckedModel {
    #[must_use]
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self(model)
    }
}

impl Model for CheckedModel {
    fn open(&self) -> Box<dyn ModelConnection> {
        Box::new(CheckedModelConnection(self.0.open()))
    }

    fn open_run(&self, run: &str) -> Box<dyn ModelConnection> {
        Box::new(CheckedModelConnection(self.0.open_run(run)))
    }
}

struct CheckedModelConnection(Box<dyn ModelConnection>);

impl ModelConnection for CheckedModelConnection {
    fn call(&mut self, ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult> {
        let exchange = Exchange::of(ask.messages);
        let (call, deltas) = (ask.call, Arc::clone(&ask.deltas));
        if let Some(text) = exchange.as_ref().and_then(Exchange::answer_of_a_tool) {
            return Box::pin(async move {
                deltas.delta(call.into(), ReplyDelta::Text { offset: 0, text: &text });
                ModelResult::Replied(Reply { blocks: vec![Block::Text(text)], ..Reply::default() })
            });
        }
        // The pieces are shown when the whole reply was checked.
        let silent: Arc<dyn DeltaSink> = Arc::new(|_, _: ReplyDelta<'_>| {});
        let running = self.0.call(ModelRequest { deltas: silent, ..ask });
        Box::pin(async move {
            match (running.await, exchange) {
                (ModelResult::Replied(reply), Some(exchange)) => {
                    let reply = exchange.checked(reply);
                    let text: String = reply.blocks.iter().filter_map(Block::as_text).collect();
                    if !text.is_empty() {
                        deltas.delta(call.into(), ReplyDelta::Text { offset: 0, text: &text });
                    }
                    ModelResult::Replied(reply)
                }
                (other, _) => other,
            }
        })
    }
}

/// The user's last question, and the last call since then with its result.
struct Exchange {
    question: String,
    called: Option<(ToolCall, ToolResult)>,
}

impl Exchange {
    fn of(messages: &[Arc<Message>]) -> Option<Self> {
        let is_question = |message: &&Arc<Message>| {
            message.role == Role::User && message.author == Author::Speaker && !text_of(message).is_empty()
        };
        let at = messages.iter().rposition(|message| is_question(&message))?;
        let question = text_of(messages.get(at)?);
        let blocks = || messages.iter().skip(at).flat_map(|message| &message.blocks);
        let mut results = blocks().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        });
        let called = results.next_back().and_then(|result| {
            let call = blocks().filter_map(Block::as_tool_call).find(|call| call.id == result.call)?;
            Some((call.clone(), result.clone()))
        });
        Some(Self { question, called })
    }

    /// The answer, where the last result needs no words of the model.
    fn answer_of_a_tool(&self) -> Option<String> {
        let (call, result) = self.called.as_ref()?;
        if result.outcome != Outcome::Succeeded {
            return None;
        }
        let is_answer = answers(&self.question, &call.name, &call.arguments);
        match (is_answer, ANSWERING.contains(&call.name.as_str())) {
            (true, _) => Some(result.said().to_owned()),
            (false, true) => Some(found(&call.name, result.said())),
            (false, false) => None,
        }
    }

    /// A reply of the model, with what it claims marked as far as nothing shows it.
    fn checked(&self, mut reply: Reply) -> Reply {
        if reply.blocks.iter().any(|block| block.as_tool_call().is_some()) {
            return reply;
        }
        let said: String = reply.blocks.iter().filter_map(Block::as_text).collect();
        if let Some(text) = self.corrected(said.trim()) {
            reply.blocks.retain(|block| block.as_text().is_none());
            reply.blocks.push(Block::Text(text));
        }
        reply
    }

    /// What to say in place of a text, or `None` to let it stand.
    fn corrected(&self, said: &str) -> Option<String> {
        let found_text = self.called.as_ref().filter(|(_, result)| result.outcome == Outcome::Succeeded);
        let admits = ADMISSIONS.iter().any(|words| said.starts_with(words));
        match found_text {
            Some((call, result)) if admits => {
                let lines = closest_lines(&self.question, result.said());
                (!lines.is_empty()).then(|| found(&call.name, &lines.join("\n")))
            }
            Some((_, result)) if follows(&self.question, said, result.said()) => None,
            Some((call, result)) => Some(found(&call.name, result.said())),
            None if admits || said.is_empty() || is_small_talk(&self.question) => None,
            // A failed call leaves nothing that could show it.
            None => Some(format!("{UNCHECKED} {said}")),
        }
    }
}

/// What a tool found, which may not be what was asked for.
fn found(tool: &str, text: &str) -> String {
    format!("{FOUND} `{tool}` found:\n{text}")
}

fn text_of(message: &Message) -> String {
    message.blocks.iter().filter_map(Block::as_text).collect()
}
