//! Turns events into spans: which spans are open, and how each event changes them.
//!
//! All times come from events, so a replay exports the same spans. Content of messages is added
//! only if its export is turned on (`otel/content.rs`). No span outlives its prompt. Metrics are
//! recorded through `otel/metrics.rs`, names are in `otel/names.rs`.

use std::{
    collections::BTreeMap,
    mem,
    sync::Arc,
    time::{Duration, SystemTime},
};

use holm_kernel::{
    Ending, Event, Message, ModelCallId, Numbered, Outcome, Role, StopReason, Timestamp, ToolCallId, Usage,
};
use opentelemetry::{
    Array, Context, KeyValue, StringValue, Value,
    global::BoxedSpan,
    trace::{Span, SpanBuilder, SpanKind, Status, TraceContextExt, Tracer},
};

use super::{
    ContentExport, ExporterContext, content,
    metrics::MeasurementLabels,
    names::{self, GenAiOperation},
};

/// The spans of one run.
pub(super) struct RunSpans {
    shared: Arc<ExporterContext>,
    run: Option<String>,
    agent: String,
    /// The provider and model of the last call: summaries and skills use the
    /// same without reporting it.
    provider: String,
    model: String,
    /// The time of the last event.
    last: Timestamp,
    group: Option<PromptSpan>,
    chats: BTreeMap<ModelCallId, ChatSpan>,
    /// A reply whose message has not arrived yet; it comes with the next event.
    answered: Option<ReplySpan>,
    proposed: BTreeMap<ToolCallId, ToolProposal>,
    tools: BTreeMap<ToolCallId, ToolSpan>,
    /// Calls that ended and whose result has not arrived yet.
    results: Vec<(Arc<str>, ToolSpan, Timestamp)>,
    /// Messages since the last model call.
    said: Vec<Arc<Message>>,
}

/// A prompt that is being worked on.
struct PromptSpan {
    context: Context,
    began: Timestamp,
    usage: Usage,
}

struct ChatSpan {
    span: BoxedSpan,
    began: Timestamp,
    provider: String,
    model: String,
}

/// A reply and its time.
struct ReplySpan {
    chat: ChatSpan,
    at: Timestamp,
    finish_reason: &'static str,
}

struct ToolProposal {
    tool: Arc<str>,
    arguments: Arc<str>,
}

struct ToolSpan {
    span: BoxedSpan,
    began: Timestamp,
}

impl RunSpans {
    pub(super) fn new(shared: &Arc<ExporterContext>, run: Option<&str>) -> Self {
        Self {
            shared: Arc::clone(shared),
            run: run.map(ToOwned::to_owned),
            agent: shared.agent.clone(),
            provider: "unknown".into(),
            model: String::new(),
            last: Timestamp::new(0),
            group: None,
            chats: BTreeMap::new(),
            answered: None,
            proposed: BTreeMap::new(),
            tools: BTreeMap::new(),
            results: Vec::new(),
            said: Vec::new(),
        }
    }

    pub(super) fn event(&mut self, numbered: &Numbered) {
        let at = numbered.at;
        if !matches!(numbered.event, Event::MessageAdded { .. }) {
            self.end_answered();
        }
        match &numbered.event {
            Event::RunStarted { name } if !name.is_empty() => self.agent.clone_from(name),
            Event::GroupStarted { .. } => self.open_group(at),
            Event::MessageAdded { message } => self.message(message),
            Event::ModelCalled { call, model, .. } => {
                (self.provider, self.model) = names::provider_and_model(model);
                let chat = self.open_chat(at);
                self.chats.insert(*call, chat);
            }
            Event::ModelReplied { call, usage, stop, model, .. } => {
                self.replied(*call, at, *usage, *stop, model.as_deref());
            }
            Event::ModelFailed { call, class, .. } => self.chat_failed(*call, at, names::failure(*class)),
            Event::Withdrawn { call } => self.chat_failed(*call, at, "withdrawn"),
            Event::CallProposed { call, tool, arguments, .. } => {
                let proposed = ToolProposal { tool: Arc::clone(tool), arguments: Arc::clone(arguments) };
                self.proposed.insert(*call, proposed);
            }
            Event::CallStarted { call } => self.open_tool(*call, at),
            Event::CallFinished { call, id, outcome, .. } => self.tool_ended(*call, at, id, *outcome),
            Event::GroupEnded { ending, .. } => self.close_group(at, ending),
            // Taking a run over does not affect spans; the other events are about decisions, not
            // operations.
            Event::RunStarted { .. }
            | Event::RunResumed { .. }
            | Event::Queued { .. }
            | Event::QueueDropped { .. }
            | Event::OutputCapRaised { .. }
            | Event::ApprovalAsked { .. }
            | Event::ApprovalGiven { .. }
            | Event::Ruled { .. }
            | Event::ChildStarted { .. }
            | Event::ChildFinished { .. }
            | Event::LoopSeen { .. }
            | Event::SteppedUp { .. }
            | Event::LadderExhausted { .. }
            | Event::Marked { .. }
            | Event::ContextPlanned { .. }
            | Event::ToolsChanged { .. }
            | Event::ToolFlawed { .. }
            | Event::ModeChanged { .. }
            | Event::Narrowed { .. }
            | Event::GrantsChanged
            | Event::BudgetChanged { .. }
            | Event::LimitNear { .. }
            | Event::HookFailed { .. }
            | Event::Ignored { .. } => {}
        }
        self.last = at;
    }

    fn open_group(&mut self, at: Timestamp) {
        self.close_all(at);
        let shared = Arc::clone(&self.shared);
        let mut attributes = self.attributes(GenAiOperation::InvokeAgent);
        if !self.agent.is_empty() {
            attributes.push(KeyValue::new(names::AGENT, self.agent.clone()));
        }
        let name = named(GenAiOperation::InvokeAgent, &self.agent);
        let span = start(&shared, name, SpanKind::Internal, attributes, at, &shared.parent);
        let context = shared.parent.with_span(span);
        self.group = Some(PromptSpan { context, began: at, usage: Usage::default() });
    }

    fn open_chat(&mut self, at: Timestamp) -> ChatSpan {
        let mut attributes = self.attributes(GenAiOperation::Chat);
        attributes.push(KeyValue::new(names::PROVIDER, self.provider.clone()));
        attributes.push(KeyValue::new(names::REQUEST_MODEL, self.model.clone()));
        if self.exports() && !self.said.is_empty() {
            let messages = content::messages(self.said.iter().map(|message| &**message));
            attributes.push(KeyValue::new(names::INPUT_MESSAGES, messages));
        }
        self.said.clear();
        let span = self.start(named(GenAiOperation::Chat, &self.model), SpanKind::Client, attributes, at);
        ChatSpan { span, began: at, provider: self.provider.clone(), model: self.model.clone() }
    }

    fn replied(
        &mut self,
        call: ModelCallId,
        at: Timestamp,
        usage: Usage,
        stop: StopReason,
        by: Option<&str>,
    ) {
        // Calls for summaries and skills have no start event: they began with the event before.
        let mut chat = match self.chats.remove(&call) {
            Some(chat) => chat,
            None => self.open_chat(self.last),
        };
        chat.span.set_attributes(usage_attributes(usage));
        let finish_reason = names::finish_reason(stop);
        let reason = StringValue::from(finish_reason);
        chat.span
            .set_attribute(KeyValue::new(names::FINISH_REASONS, Value::Array(Array::String(vec![reason]))));
        if let Some(by) = by {
            chat.span.set_attribute(KeyValue::new(names::RESPONSE_MODEL, by.to_owned()));
        }
        if let Some(group) = &mut self.group {
            group.usage = group.usage.plus(usage);
        }
        let about = chat.about(by);
        self.shared.instruments.used(&about, usage);
        self.shared.instruments.took(&about, at.since(chat.began), None);
        if self.exports() {
            self.answered = Some(ReplySpan { chat, at, finish_reason });
        } else {
            chat.span.end_with_timestamp(time(at));
        }
    }

    fn chat_failed(&mut self, call: ModelCallId, at: Timestamp, error: &'static str) {
        let Some(mut chat) = self.chats.remove(&call) else { return };
        fail(&mut chat.span, error);
        chat.span.end_with_timestamp(time(at));
        self.shared.instruments.took(&chat.about(None), at.since(chat.began), Some(error));
    }

    fn open_tool(&mut self, call: ToolCallId, at: Timestamp) {
        let mut attributes = self.attributes(GenAiOperation::ExecuteTool);
        attributes.push(KeyValue::new(names::TOOL_TYPE, "function"));
        let mut name = String::new();
        if let Some(proposed) = self.proposed.remove(&call) {
            attributes.push(KeyValue::new(names::TOOL, Arc::clone(&proposed.tool)));
            if self.exports() {
                attributes.push(KeyValue::new(names::TOOL_ARGUMENTS, proposed.arguments));
            }
            name.push_str(&proposed.tool);
        }
        let span = self.start(named(GenAiOperation::ExecuteTool, &name), SpanKind::Internal, attributes, at);
        // A call that is started again after a crash is a new try: the first span ends where this
        // one begins.
        if let Some(mut lost) = self.tools.insert(call, ToolSpan { span, began: at }) {
            fail(&mut lost.span, "outcome_unknown");
            lost.span.end_with_timestamp(time(at));
        }
    }

    fn tool_ended(&mut self, call: ToolCallId, at: Timestamp, id: &Arc<str>, outcome: Outcome) {
        self.proposed.remove(&call);
        let Some(mut tool) = self.tools.remove(&call) else { return };
        tool.span.set_attribute(KeyValue::new(names::TOOL_CALL, Arc::clone(id)));
        let error = names::outcome(outcome);
        if let Some(error) = error {
            fail(&mut tool.span, error);
        }
        self.shared.instruments.took(&self.about(GenAiOperation::ExecuteTool), at.since(tool.began), error);
        if self.exports() {
            self.results.push((Arc::clone(id), tool, at));
        } else {
            tool.span.end_with_timestamp(time(at));
        }
    }

    /// Adds a message to the spans that wait for it.
    fn message(&mut self, message: &Arc<Message>) {
        if !self.exports() {
            return;
        }
        match message.role {
            Role::Assistant => {
                if let Some(answered) = &mut self.answered {
                    let messages = content::reply(message, answered.finish_reason);
                    answered.chat.span.set_attribute(KeyValue::new(names::OUTPUT_MESSAGES, messages));
                }
                self.end_answered();
            }
            Role::Tool => {
                for (call, mut tool, at) in mem::take(&mut self.results) {
                    match content::result_of(message, &call) {
                        None => self.results.push((call, tool, at)),
                        Some(text) => {
                            tool.span.set_attribute(KeyValue::new(names::TOOL_RESULT, text.to_owned()));
                            tool.span.end_with_timestamp(time(at));
                        }
                    }
                }
            }
            Role::System | Role::User | Role::Custom => {}
        }
        self.said.push(Arc::clone(message));
    }

    fn end_answered(&mut self) {
        if let Some(mut answered) = self.answered.take() {
            answered.chat.span.end_with_timestamp(time(answered.at));
        }
    }

    fn close_group(&mut self, at: Timestamp, ending: &Ending) {
        let Some(mut group) = self.group.take() else { return self.close_all(at) };
        self.close_all(at);
        let span = group.context.span();
        span.set_attribute(KeyValue::new(names::PROVIDER, self.provider.clone()));
        if !self.model.is_empty() {
            span.set_attribute(KeyValue::new(names::REQUEST_MODEL, self.model.clone()));
        }
        span.set_attributes(usage_attributes(mem::take(&mut group.usage)));
        let error = names::ending(ending);
        if let Some(error) = error {
            span.set_attribute(KeyValue::new(names::ERROR, error));
            span.set_status(Status::error(error));
        }
        span.end_with_timestamp(time(at));
        self.shared.instruments.took(&self.about(GenAiOperation::InvokeAgent), at.since(group.began), error);
    }

    /// Ends all open spans: none outlives its prompt.
    fn close_all(&mut self, at: Timestamp) {
        self.end_answered();
        for (_, mut tool, ended) in mem::take(&mut self.results) {
            tool.span.end_with_timestamp(time(ended));
        }
        let open = mem::take(&mut self.chats).into_values().map(|chat| chat.span);
        for mut span in open.chain(mem::take(&mut self.tools).into_values().map(|tool| tool.span)) {
            fail(&mut span, "stopped");
            span.end_with_timestamp(time(at));
        }
        if let Some(group) = self.group.take() {
            group.context.span().end_with_timestamp(time(at));
        }
        self.proposed.clear();
    }

    fn start(&self, name: String, kind: SpanKind, attributes: Vec<KeyValue>, at: Timestamp) -> BoxedSpan {
        let parent = self.group.as_ref().map_or(&self.shared.parent, |group| &group.context);
        start(&self.shared, name, kind, attributes, at, parent)
    }

    fn attributes(&self, operation: GenAiOperation) -> Vec<KeyValue> {
        let mut attributes = vec![KeyValue::new(names::OPERATION, operation.name())];
        attributes.extend(self.run.clone().map(|run| KeyValue::new(names::CONVERSATION, run)));
        attributes
    }

    fn about(&self, operation: GenAiOperation) -> MeasurementLabels<'_> {
        MeasurementLabels { operation, provider: &self.provider, model: &self.model, answered_by: None }
    }

    fn exports(&self) -> bool {
        self.shared.content == ContentExport::Exported
    }
}

impl Drop for RunSpans {
    fn drop(&mut self) {
        self.close_all(self.last);
    }
}

impl ChatSpan {
    fn about<'a>(&'a self, answered_by: Option<&'a str>) -> MeasurementLabels<'a> {
        MeasurementLabels {
            operation: GenAiOperation::Chat,
            provider: &self.provider,
            model: &self.model,
            answered_by,
        }
    }
}

fn start(
    shared: &ExporterContext,
    name: String,
    kind: SpanKind,
    attributes: Vec<KeyValue>,
    at: Timestamp,
    parent: &Context,
) -> BoxedSpan {
    let builder = SpanBuilder::from_name(name).with_kind(kind).with_attributes(attributes);
    shared.tracer.build_with_context(builder.with_start_time(time(at)), parent)
}

/// The name of a span in the conventions: the operation and its object.
fn named(operation: GenAiOperation, with: &str) -> String {
    let operation = operation.name();
    if with.is_empty() { operation.to_owned() } else { format!("{operation} {with}") }
}

fn usage_attributes(usage: Usage) -> Vec<KeyValue> {
    let always = [(names::INPUT_TOKENS, usage.input), (names::OUTPUT_TOKENS, usage.output)];
    let parts = [
        (names::CACHE_READ, usage.cached),
        (names::CACHE_WRITTEN, usage.cache_write),
        (names::REASONING, usage.reasoning),
    ];
    let parts = parts.into_iter().filter(|(_, count)| *count > 0);
    let to_i64 = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    always.into_iter().chain(parts).map(|(name, count)| KeyValue::new(name, to_i64(count))).collect()
}

fn fail(span: &mut BoxedSpan, error: &'static str) {
    span.set_attribute(KeyValue::new(names::ERROR, error));
    span.set_status(Status::error(error));
}

fn time(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(at.value())).unwrap_or(SystemTime::UNIX_EPOCH)
}
