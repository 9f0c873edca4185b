//! Translates the events of a run into updates for an editor, live and when a session is resumed.
//! It sends nothing (`editor.rs` does) and asks nothing (`editor_user.rs` does). The look of a
//! single call is in `call_display.rs`.
//!
//! Live text goes to the editor as it streams; history is read from the messages of the journal.
//! One translator produces both, so they look the same. All text is made visible first, and results
//! are cut to a maximum length. Events are outputs only: nothing here may change a run.

use std::{collections::BTreeMap, sync::Arc};

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Cost, CurrentModeUpdate, ImageContent, MessageId, Notice, NoticeSeverity,
    Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate, ToolCall, ToolCallContent,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, UsageUpdate,
};
use holm::{
    kernel::{
        Author, Block, CallId, Event, Message, NanoUsd, NextTry, Outcome, Role, Run, Source, ToolResult,
        Usage, call_digest, visible,
    },
    runtime::ReplyDelta,
};
use serde_json::Value;

use super::{call_display, modes};
use crate::written_calls::WrittenCalls;

/// How much of a result is shown; all of it is in the session's journal.
const MOST_RESULT: usize = 16 << 10;

/// Tells people something, and keeps a list: both are shown in other ways than as calls.
const BRIEF: &str = "brief";
const TODO: &str = "todo";

/// Whether updates are live or from history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UpdateTiming {
    /// Live: the user has seen their own prompt, and replies stream in.
    Now,
    /// History: it is read from a journal, and everything is sent.
    Before,
}

/// Whether the editor supports notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoticeSupport {
    Shown,
    Unknown,
}

/// Translates events and pieces of replies into updates.
#[derive(Debug)]
pub(super) struct UpdateTranslator {
    when: UpdateTiming,
    folder: call_display::DisplayFolder,
    notices: NoticeSupport,
    /// The context window of the model, if it is known.
    window: Option<u64>,
    spent: NanoUsd,
    /// The calls that the editor knows.
    calls: BTreeMap<CallId, KnownToolCall>,
    /// The provider's ids of calls that have ended, as results name them.
    ended: BTreeMap<Arc<str>, CallId>,
    written: WrittenCalls,
    /// The reply that is arriving, and which parts of it were sent already.
    reply: ReplyProgress,
}

/// A call that the editor knows.
#[derive(Debug)]
struct KnownToolCall {
    shown: ToolCall,
    /// The digest of its tool and its arguments.
    digest: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct ReplyProgress {
    call: Option<CallId>,
    text: bool,
    thoughts: bool,
}

impl UpdateTranslator {
    pub(super) fn new(
        when: UpdateTiming,
        folder: call_display::DisplayFolder,
        notices: NoticeSupport,
    ) -> Self {
        Self {
            when,
            folder,
            notices,
            window: None,
            spent: NanoUsd::ZERO,
            calls: BTreeMap::new(),
            ended: BTreeMap::new(),
            written: WrittenCalls::default(),
            reply: ReplyProgress::default(),
        }
    }

    /// Learns the model's window, and what was spent before.
    pub(super) fn of_run(&mut self, run: &Run) {
        self.window = run.started().config.models.first().and_then(|model| model.window);
        self.spent = run.spent();
    }

    /// The call as the editor knows it, if it does. Calls of a helper have their own numbers, and
    /// arguments may have been rewritten, so the digest must match.
    pub(super) fn known(&self, call: CallId, digest: &str) -> Option<&ToolCall> {
        self.calls.get(&call).filter(|known| known.digest == digest).map(|known| &known.shown)
    }

    /// Where calls are made, for those that are shown in other ways.
    pub(super) fn folder(&self) -> &call_display::DisplayFolder {
        &self.folder
    }

    /// A piece of a reply, or how far a tool is.
    pub(super) fn delta(&mut self, call: CallId, delta: ReplyDelta<'_>) -> Option<SessionUpdate> {
        match delta {
            ReplyDelta::Text { text, .. } => {
                self.reply.text = true;
                Some(SessionUpdate::AgentMessageChunk(chunk(text, &reply_id(call))))
            }
            ReplyDelta::Thinking { text, .. } => {
                self.reply.thoughts = true;
                Some(SessionUpdate::AgentThoughtChunk(chunk(text, &reply_id(call))))
            }
            ReplyDelta::Progress { text, .. } => {
                let shown = &self.calls.get(&call)?.shown;
                let content: Vec<ToolCallContent> =
                    shown.content.iter().cloned().chain([call_display::words(&cut(text))]).collect();
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
                Some(update(shown, fields.content(content)))
            }
            ReplyDelta::Accepted { .. }
            | ReplyDelta::ToolCallStarted { .. }
            | ReplyDelta::ToolArguments { .. }
            | ReplyDelta::Usage(_) => None,
        }
    }

    /// What an event tells.
    pub(super) fn event(&mut self, event: &Event) -> Vec<SessionUpdate> {
        match event {
            Event::ModelCalled { call, .. } => {
                self.reply = ReplyProgress { call: Some((*call).into()), ..ReplyProgress::default() };
                Vec::new()
            }
            Event::MessageAdded { message } => self.message(message),
            Event::Withdrawn { call } => self.withdrawn((*call).into()).into_iter().collect(),
            Event::CallProposed { call, tool, arguments, .. } => {
                self.proposed((*call).into(), tool, arguments)
            }
            Event::CallStarted { call } => {
                self.status((*call).into(), ToolCallStatus::InProgress).into_iter().collect()
            }
            Event::CallFinished { call, id, outcome, .. } => {
                self.ended.insert(Arc::clone(id), (*call).into());
                let status =
                    if outcome.is_error() { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
                match (outcome, self.written.take(id)) {
                    (Outcome::Refused, Some(written)) if !self.calls.contains_key(&(*call).into()) => {
                        vec![self.unproposed((*call).into(), &written.name, &written.arguments)]
                    }
                    _ => self.status((*call).into(), status).into_iter().collect(),
                }
            }
            Event::ModeChanged { mode } => {
                vec![SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(modes::id(*mode)))]
            }
            Event::ModelReplied { usage, cost, .. } => self.used(*usage, *cost).into_iter().collect(),
            other => self.notice(other).into_iter().collect(),
        }
    }

    fn message(&mut self, message: &Message) -> Vec<SessionUpdate> {
        match message.role {
            Role::User if message.author == Author::Speaker && self.when == UpdateTiming::Before => {
                let id = MessageId::new(format!("message-{}", message.id));
                let chunks = message.blocks.iter().filter_map(content);
                chunks
                    .map(|said| {
                        SessionUpdate::UserMessageChunk(ContentChunk::new(said).message_id(id.clone()))
                    })
                    .collect()
            }
            Role::Assistant => {
                self.written = WrittenCalls::of(message);
                self.reply(message)
            }
            Role::Tool => {
                let results = message.blocks.iter().filter_map(|block| match block {
                    Block::ToolResult(result) => self.result(result),
                    Block::Text(_)
                    | Block::Thinking(_)
                    | Block::ToolCall(_)
                    | Block::Image(_)
                    | Block::File(_)
                    | Block::Custom(_) => None,
                });
                results.collect()
            }
            Role::User | Role::System | Role::Custom => Vec::new(),
        }
    }

    /// What of a reply was not told while it arrived.
    fn reply(&self, message: &Message) -> Vec<SessionUpdate> {
        let id = self.reply.call.map_or_else(|| format!("message-{}", message.id), reply_id);
        let told = |block: &Block| match block {
            Block::Text(text) if !self.reply.text => Some(SessionUpdate::AgentMessageChunk(chunk(text, &id))),
            Block::Thinking(thought) if !self.reply.thoughts && !thought.text.is_empty() => {
                Some(SessionUpdate::AgentThoughtChunk(chunk(&thought.text, &id)))
            }
            Block::Text(_)
            | Block::Thinking(_)
            | Block::ToolCall(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::File(_)
            | Block::Custom(_) => None,
        };
        message.blocks.iter().filter_map(told).collect()
    }

    fn withdrawn(&mut self, call: CallId) -> Option<SessionUpdate> {
        let told = self.reply.call == Some(call) && self.reply.text;
        self.reply = ReplyProgress { call: self.reply.call, ..ReplyProgress::default() };
        // The protocol takes nothing back, so it is said.
        let text = "\n\n(the text above was withdrawn)\n\n";
        told.then(|| SessionUpdate::AgentMessageChunk(chunk(text, &reply_id(call))))
    }

    fn proposed(&mut self, call: CallId, tool: &str, arguments: &str) -> Vec<SessionUpdate> {
        match tool {
            // It speaks for itself when it runs; a journal's words are in its arguments.
            BRIEF if self.when == UpdateTiming::Before => briefed(call, arguments).into_iter().collect(),
            BRIEF => Vec::new(),
            TODO => plan(arguments).map(SessionUpdate::Plan).into_iter().collect(),
            _ => {
                let shown = call_display::call(&call_id(call), tool, arguments, &self.folder);
                let digest = call_digest(tool, arguments);
                self.calls.insert(call, KnownToolCall { shown: shown.clone(), digest });
                vec![SessionUpdate::ToolCall(shown.status(ToolCallStatus::Pending))]
            }
        }
    }

    /// A call of an unknown tool or with invalid arguments. Nothing ran, so nothing is shown as
    /// changed; the result says why.
    fn unproposed(&mut self, call: CallId, tool: &str, arguments: &str) -> SessionUpdate {
        let shown = call_display::call(&call_id(call), tool, arguments, &self.folder).content(Vec::new());
        let digest = call_digest(tool, arguments);
        self.calls.insert(call, KnownToolCall { shown: shown.clone(), digest });
        SessionUpdate::ToolCall(shown.status(ToolCallStatus::Failed))
    }

    fn status(&self, call: CallId, status: ToolCallStatus) -> Option<SessionUpdate> {
        self.calls.get(&call).map(|known| update(&known.shown, ToolCallUpdateFields::new().status(status)))
    }

    /// The result of a call, below its changes. It is the last update of the call,
    /// which is forgotten then.
    fn result(&mut self, result: &ToolResult) -> Option<SessionUpdate> {
        let known = self.ended.remove(result.call.as_str()).and_then(|call| self.calls.remove(&call))?;
        let shown = known.shown;
        let text = cut(result.said());
        let words = (!text.trim().is_empty()).then(|| call_display::words(&text));
        let pictures = result.parts.iter().filter_map(content).map(ToolCallContent::from);
        let content: Vec<ToolCallContent> = match result.outcome {
            Outcome::Succeeded => shown.content.iter().cloned().chain(words).chain(pictures).collect(),
            // What was not changed is not shown as changed.
            Outcome::Failed | Outcome::Refused | Outcome::Unknown | Outcome::Stopped => {
                words.into_iter().chain(pictures).collect()
            }
        };
        Some(update(&shown, ToolCallUpdateFields::new().content(content)))
    }

    fn used(&mut self, usage: Usage, cost: Option<NanoUsd>) -> Option<SessionUpdate> {
        self.spent = self.spent.plus(cost.unwrap_or(NanoUsd::ZERO));
        let size = self.window?;
        let cost = dollars(self.spent).map(|amount| Cost::new(amount, "USD"));
        Some(SessionUpdate::UsageUpdate(UsageUpdate::new(usage.total(), size).cost(cost)))
    }

    /// What a person should know and nothing else says.
    fn notice(&self, event: &Event) -> Option<SessionUpdate> {
        if self.notices == NoticeSupport::Unknown || self.when == UpdateTiming::Before {
            return None;
        }
        let text = match event {
            Event::ModelFailed { message, next, .. } => match next {
                NextTry::Retry { .. } => format!("The model failed ({message}); retrying."),
                NextTry::Fallback { model } => format!("The model failed ({message}); {model} takes over."),
                NextTry::Compact => format!(
                    "The model failed ({message}); retrying with a shorter \
                                             context."
                ),
                NextTry::GiveUp => return None,
            },
            Event::SteppedUp { from, to, reason, .. } => {
                format!("{from} is not up to it ({reason}); {to} takes over.")
            }
            Event::HookFailed { reason } => format!("A hook failed: {reason}."),
            Event::LimitNear { limit, left } => format!("A limit is near: {left} {limit} left."),
            _ => return None,
        };
        Some(SessionUpdate::Notice(Notice::new(NoticeSeverity::Warning, visible(&text))))
    }
}

/// The id of a call in the protocol. The kernel's numbers belong to the session, so a repeated
/// provider id cannot cause a conflict.
fn call_id(call: CallId) -> String {
    format!("call-{call}")
}

fn reply_id(call: CallId) -> String {
    format!("reply-{call}")
}

/// A piece of a message, made visible.
pub(super) fn chunk(text: &str, id: &str) -> ContentChunk {
    ContentChunk::new(visible(text).into()).message_id(MessageId::new(id))
}

fn update(shown: &ToolCall, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown.tool_call_id.clone(), fields))
}

/// A block that an editor shows as it is.
fn content(block: &Block) -> Option<ContentBlock> {
    match block {
        Block::Text(text) => Some(visible(text).into()),
        Block::Image(media) => match &media.source {
            Source::Base64(data) => {
                Some(ContentBlock::Image(ImageContent::new(data, visible(&media.media_type))))
            }
            Source::Url(_) | Source::Reference(_) => None,
        },
        Block::Thinking(_)
        | Block::ToolCall(_)
        | Block::ToolResult(_)
        | Block::File(_)
        | Block::Custom(_) => None,
    }
}

/// The beginning of a text, and how much is not shown.
fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(MOST_RESULT);
    let (shown, rest) = text.split_at(end);
    if rest.is_empty() { shown.to_owned() } else { format!("{shown}\n[{} more bytes]", rest.len()) }
}

fn briefed(call: CallId, arguments: &str) -> Option<SessionUpdate> {
    let said: Value = serde_json::from_str(arguments).ok()?;
    Some(SessionUpdate::AgentMessageChunk(chunk(said.get("text")?.as_str()?, &call_id(call))))
}

/// The model's list of what is to be done.
fn plan(arguments: &str) -> Option<Plan> {
    let said: Value = serde_json::from_str(arguments).ok()?;
    let entry = |item: &Value| {
        let status = match item.get("progress").and_then(Value::as_str) {
            Some("completed") => PlanEntryStatus::Completed,
            Some("in_progress") => PlanEntryStatus::InProgress,
            Some(_) | None => PlanEntryStatus::Pending,
        };
        let text = item.get("text").and_then(Value::as_str)?;
        Some(PlanEntry::new(visible(text), PlanEntryPriority::Medium, status))
    };
    Some(Plan::new(said.get("items")?.as_array()?.iter().filter_map(entry).collect()))
}

/// An amount as the protocol has it; none where it is more than anybody spends.
fn dollars(amount: NanoUsd) -> Option<f64> {
    let micro = u32::try_from(amount.value() / 1_000).ok()?;
    Some(f64::from(micro) / 1e6)
}

#[cfg(test)]
mod tests;
