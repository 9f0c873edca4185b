//! How each event of a run changes its tab. The same function takes live events and those of
//! history, so a resumed session looks as it did. Pieces of replies that are not complete go to
//! `chat/tab.rs`; the message that follows is what counts. If a person stops a reply, the text that
//! they have read stays where it is. Nothing here may start work: commands come from
//! `chat/update.rs` alone.

use std::sync::Arc;

use holm::{
    grants::Mode,
    kernel::{
        Author, Block, CallId, Ending, Event, Message, NextTry, Numbered, Outcome, PlanStep, Prompt, Role,
        Seq, loop_in_words,
    },
    runtime::CacheBreaks,
};

use super::{DeliveryTiming, ReplyItems, SessionTab, TranscriptTurn, in_words};
use crate::{
    chat::{
        attachments,
        item::{NoteTone, ToolCallItem, ToolCallState, TranscriptItem, TranscriptItemKind, named, said},
        markdown::MarkdownText,
        text::{clipped, one_line, safe},
        thought::ThoughtText,
        todo_block::TodoBlock,
    },
    money,
    written_calls::{WrittenCalls, reason_of},
};

/// How much of a helper's step is shown.
const STEP_COLUMNS: usize = 160;

/// The reason of a cancel that comes from Ctrl-C in this chat.
pub(in crate::chat) const INTERRUPTED: &str = "interrupted";

/// What the transcript says about it.
const STOPPED: &str = "You stopped the answer.";

impl SessionTab {
    /// Takes one event, live or from the past.
    pub(in crate::chat) fn hear(&mut self, numbered: &Numbered) {
        if let Some(found) = self.cache.event(numbered) {
            self.meter.breaks = self.meter.breaks.plus(CacheBreaks::from(&found));
        }
        match &numbered.event {
            Event::GroupStarted { .. } => self.group_started(numbered.id.record),
            Event::MessageAdded { message } => self.message(message),
            Event::ModelCalled { model, tokens, .. } => {
                self.void_withdrawn();
                self.model = named(model);
                self.meter.context = *tokens;
                self.doing = "waits for the model".into();
                self.stream = ReplyItems::default();
            }
            Event::ModelReplied { usage, cost, .. } => {
                self.meter.usage = self.meter.usage.plus(*usage);
                self.meter.priced = self.meter.priced.after(*usage, *cost);
                self.meter.spent = cost.map_or(self.meter.spent, |cost| self.meter.spent.plus(cost));
            }
            Event::Withdrawn { call } => self.withdraw((*call).into()),
            Event::CallProposed { call, tool, arguments, fixes } => {
                self.doing = format!("calls {}", named(tool));
                self.add_call((*call).into(), tool, arguments);
                if !fixes.is_empty() {
                    let fixes = one_line(&fixes.join("; "));
                    self.note(NoteTone::Quiet, &format!("· {}: corrected: {fixes}", named(tool)));
                }
            }
            Event::ApprovalAsked { call } => self.stands((*call).into(), ToolCallState::Asked),
            Event::ApprovalGiven { call, allowed, reason } => {
                let denied = ToolCallState::Denied { reason: reason.clone() };
                self.stands((*call).into(), if *allowed { ToolCallState::Proposed } else { denied });
            }
            Event::CallStarted { call } => self.stands((*call).into(), ToolCallState::Running),
            Event::CallFinished { call, id, outcome, millis, .. } => {
                self.finished((*call).into(), id, *outcome, *millis);
            }
            Event::ChildStarted { call, child } => {
                if let Some(at) = self.calls.get(&(*call).into()).copied() {
                    self.child_begun(child, at, 0);
                }
            }
            Event::ModeChanged { mode } => self.mode_changed(*mode),
            Event::GroupEnded { ending, usage, spent, .. } => {
                (self.meter.usage, self.meter.spent) = (*usage, *spent);
                self.group_ended(ending);
            }
            Event::QueueDropped { prompts, .. } => self.dropped(prompts),
            Event::RunStarted { .. }
            | Event::RunResumed { .. }
            | Event::Queued { .. }
            | Event::OutputCapRaised { .. }
            | Event::ChildFinished { .. }
            | Event::Marked { .. }
            | Event::ToolsChanged { .. }
            | Event::GrantsChanged
            | Event::Narrowed { .. }
            | Event::Ignored { .. }
            | Event::BudgetChanged { .. }
            | Event::ModelFailed { .. }
            | Event::SteppedUp { .. }
            | Event::LadderExhausted { .. }
            | Event::Ruled { .. }
            | Event::LoopSeen { .. }
            | Event::ContextPlanned { .. }
            | Event::ToolFlawed { .. }
            | Event::LimitNear { .. }
            | Event::HookFailed { .. } => {
                if matches!(numbered.event, Event::ModelFailed { .. } | Event::OutputCapRaised { .. }) {
                    self.void_withdrawn();
                }
                if let Some((tone, text)) = told(&numbered.event) {
                    self.note_once(&numbered.event, tone, &text);
                }
            }
        }
    }

    fn group_ended(&mut self, ending: &Ending) {
        match ending {
            Ending::Answered { .. } => self.void_withdrawn(),
            Ending::Cancelled { reason } => {
                self.keep_withdrawn();
                let text = if reason == INTERRUPTED { STOPPED.into() } else { in_words(ending) };
                self.note(NoteTone::Warning, &text);
            }
            other => {
                self.void_withdrawn();
                self.note(NoteTone::Warning, &in_words(other));
            }
        }
    }

    /// Says something in the transcript. A problem of a tool is said once, although each new list
    /// of tools has it again.
    fn note_once(&mut self, event: &Event, tone: NoteTone, text: &str) {
        let is_known = |item: &TranscriptItem| matches!(item.kind(), TranscriptItemKind::Note { text: known, .. } if *known == safe(text));
        let repeats = matches!(event, Event::ToolFlawed { .. }) && self.items.iter().any(is_known);
        if !repeats {
            self.note(tone, text);
        }
    }

    /// A plan is carried out in the mode before it, no matter who started planning.
    fn mode_changed(&mut self, mode: Mode) {
        if mode == Mode::Plan && self.mode != Mode::Plan {
            self.before_plan = self.mode;
        }
        self.mode = mode;
    }

    fn group_started(&mut self, record: Seq) {
        let before = record.value().checked_sub(1).map(Seq::new);
        self.turns.push(TranscriptTurn { before, prompt: String::new() });
    }

    fn message(&mut self, message: &Arc<Message>) {
        match message.role {
            Role::User if message.author == Author::Kernel => {}
            Role::User => self.person(message),
            Role::Assistant => self.answer(message),
            Role::Tool => message.blocks.iter().for_each(|block| self.result(block)),
            Role::System | Role::Custom => {}
        }
    }

    fn person(&mut self, message: &Message) {
        let (text, files) = attachments::told(&message.blocks);
        let text = safe(&text);
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.prompt.is_empty()) {
            turn.prompt.clone_from(&text);
        }
        // What waited is in now.
        self.no_longer_waits(&text);
        self.items.push(TranscriptItem::new(TranscriptItemKind::Person { text, files }));
    }

    /// A cancel dropped what waited. It is shown, so that the person can say it again.
    fn dropped(&mut self, prompts: &[Prompt]) {
        for prompt in prompts {
            let (text, _) = attachments::told(&prompt.blocks);
            let text = safe(&text);
            self.no_longer_waits(&text);
            self.note(NoteTone::Warning, &format!("not sent, because you stopped: {text}"));
        }
    }

    fn no_longer_waits(&mut self, text: &str) {
        let typed = |text: &str| text.trim().to_owned();
        let is_it = |waiting: &super::QueuedMessage| typed(text).starts_with(&typed(&safe(&waiting.text)));
        if let Some(at) = self.waiting.iter().position(is_it) {
            self.waiting.remove(at);
        }
    }

    /// A reply that has streamed in stands already; what it says now is what counts.
    fn answer(&mut self, message: &Message) {
        let stream = std::mem::take(&mut self.stream);
        self.written = WrittenCalls::of(message);
        let text = said(&message.blocks);
        let thought = message.blocks.iter().find_map(|block| match block {
            Block::Thinking(thinking) => Some(safe(&thinking.text)),
            _ => None,
        });
        if let Some(thought) = thought.filter(|thought| stream.thinking.is_none() && !thought.is_empty()) {
            self.items.push(TranscriptItem::new(TranscriptItemKind::Thinking(ThoughtText::of(thought))));
        }
        match stream.text.and_then(|at| self.items.get_mut(at)) {
            Some(item) => {
                let same = matches!(item.kind(), TranscriptItemKind::Answer(flow) if flow.text() == text);
                if !same {
                    *item.change() = TranscriptItemKind::Answer(MarkdownText::of(text));
                }
            }
            None if text.is_empty() => {}
            None => self.items.push(TranscriptItem::new(TranscriptItemKind::Answer(MarkdownText::of(text)))),
        }
    }

    fn result(&mut self, block: &Block) {
        let Block::ToolResult(result) = block else { return };
        let text = safe(result.said());
        match self.answers.get(&result.call).copied() {
            Some(at) => {
                if let Some(call) = self.call_at(at) {
                    call.result = text;
                }
            }
            None => {
                self.early.insert(result.call.clone(), text);
            }
        }
    }

    fn finished(&mut self, call: CallId, id: &str, outcome: Outcome, millis: u64) {
        // A call of an unknown tool or with invalid arguments was never proposed.
        if !self.calls.contains_key(&call)
            && let Some(written) = self.written.take(id)
        {
            self.add_call(call, &written.name, &written.arguments);
        }
        let Some(at) = self.calls.get(&call).copied() else { return };
        self.answers.insert(id.to_owned(), at);
        let early = self.early.remove(id);
        let Some(call) = self.call_at(at) else { return };
        if let Some(text) = early {
            call.result = text;
        }
        // Why it was denied says more than that it was not run.
        if !matches!(call.state, ToolCallState::Denied { .. }) {
            call.state = ToolCallState::Ended { outcome, millis };
        }
        if outcome == Outcome::Succeeded && call.list.is_some() {
            self.replace_lists(at);
        }
    }

    /// The lists before this one are out of date.
    fn replace_lists(&mut self, at: usize) {
        let is_shown = |item: &TranscriptItem| {
            matches!(item.kind(), TranscriptItemKind::Call(call)
                if call.list.as_ref().is_some_and(TodoBlock::is_latest))
        };
        for item in self.items.iter_mut().take(at).filter(|item| is_shown(item)) {
            if let TranscriptItemKind::Call(call) = item.change() {
                call.list.iter_mut().for_each(TodoBlock::replaced);
            }
        }
    }

    fn add_call(&mut self, call: CallId, tool: &str, arguments: &str) {
        self.calls.insert(call, self.items.len());
        let item = ToolCallItem::new(tool, arguments);
        self.items.push(TranscriptItem::new(TranscriptItemKind::Call(Box::new(item))));
    }

    fn stands(&mut self, call: CallId, state: ToolCallState) {
        if let Some(call) = self.call(call) {
            call.state = state;
        }
    }

    /// The text so far does not count. The events that follow say why.
    fn withdraw(&mut self, call: CallId) {
        if self.stream.call == Some(call) {
            self.void_withdrawn();
            self.gone = Some(call);
            self.withdrawn = Some(std::mem::take(&mut self.stream));
        }
    }

    /// The next try begins with nothing.
    pub(super) fn void_withdrawn(&mut self) {
        let Some(stream) = self.withdrawn.take() else { return };
        if let Some(item) = stream.text.and_then(|at| self.items.get_mut(at)) {
            *item.change() =
                TranscriptItemKind::Note { tone: NoteTone::Quiet, text: "(this text was withdrawn)".into() };
        }
        if let Some(item) = stream.thinking.and_then(|at| self.items.get_mut(at)) {
            *item.change() = TranscriptItemKind::Thinking(ThoughtText::default());
        }
    }

    /// A person stopped the reply: what they have read stays, and is marked.
    fn keep_withdrawn(&mut self) {
        let stream = self.withdrawn.take();
        let Some(item) = stream.and_then(|stream| self.items.get_mut(stream.text?)) else { return };
        if let TranscriptItemKind::Answer(flow) = item.change() {
            let flow = std::mem::take(flow);
            *item.change() = TranscriptItemKind::Stopped(flow);
        }
    }

    /// What was said while the run works, until it is in.
    pub(in crate::chat) fn waits(&mut self, when: DeliveryTiming, text: String) {
        self.waiting.push(super::QueuedMessage { when, text });
        self.spoken = true;
    }
}

/// What a person should know of an event that changes nothing else.
fn told(event: &Event) -> Option<(NoteTone, String)> {
    Some(match event {
        Event::ModelFailed { message, next, .. } => {
            let next = match next {
                NextTry::Retry { .. } => "retrying".to_owned(),
                NextTry::Fallback { model } => format!("{model} takes over"),
                NextTry::Compact => "retrying with a shorter context".to_owned(),
                NextTry::GiveUp => return None,
            };
            (NoteTone::Warning, format!("the model failed: {message}; {next}"))
        }
        Event::SteppedUp { from, to, reason, .. } => {
            (NoteTone::Warning, format!("{from} is not up to it ({reason}); {to} takes over"))
        }
        Event::LadderExhausted { model, reason, .. } => {
            (NoteTone::Warning, format!("{model} is not up to it ({reason}), and no stronger model is left"))
        }
        Event::Ruled { guard, reason, .. } => (NoteTone::Warning, format!("{guard} says {reason}")),
        Event::LoopSeen { tool, times } => (NoteTone::Warning, loop_in_words(tool, *times)),
        Event::LimitNear { limit, left } => {
            (NoteTone::Warning, format!("a limit is near: {left} {limit} left"))
        }
        Event::HookFailed { reason } => (NoteTone::Warning, format!("a hook failed: {reason}")),
        Event::ToolFlawed { tool, problems, .. } => {
            (NoteTone::Warning, format!("{tool}: {}", problems.join("; ")))
        }
        Event::BudgetChanged { limit } => {
            let limit = limit.map_or_else(|| "none".to_owned(), money::show);
            (NoteTone::Quiet, format!("the budget is {limit} now"))
        }
        Event::ContextPlanned { step, before, after } => {
            let what = match step {
                PlanStep::Elided => "old results were shortened to one line each",
                PlanStep::Summarised => "the oldest part was summarised",
                PlanStep::SummaryDiscarded => "a summary was made and not used",
                PlanStep::Dropped => "the oldest turns were dropped",
                PlanStep::Clipped => "large results were shortened in the middle",
            };
            (NoteTone::Quiet, format!("{what}: {before} tokens, now {after}"))
        }
        _ => return None,
    })
}

/// What a helper did, on a line.
pub(super) fn in_a_line(event: &Event) -> Option<String> {
    let line = match event {
        Event::CallProposed { tool, arguments, .. } => format!("{tool} {}", one_line(arguments)),
        // The result that follows names the call and the reason.
        Event::CallFinished { outcome: Outcome::Refused, .. } => return None,
        Event::MessageAdded { message } if message.role == Role::Tool => {
            let results = message.blocks.iter().filter_map(|block| match block {
                Block::ToolResult(result) if result.outcome == Outcome::Refused => Some(result),
                _ => None,
            });
            let lines: Vec<String> = results
                .map(|result| format!("{} not run: {}", result.tool, reason_of(result.said())))
                .collect();
            if lines.is_empty() {
                return None;
            }
            lines.join("; ")
        }
        Event::CallFinished { outcome, millis, .. } if *outcome != Outcome::Succeeded => {
            format!("{outcome:?} after {millis} ms").to_lowercase()
        }
        Event::MessageAdded { message } if message.role == Role::Assistant => {
            let text = said(&message.blocks);
            let first = text.lines().find(|line| !line.trim().is_empty())?;
            format!("says: {first}")
        }
        Event::ChildStarted { .. } => "starts its own helper".into(),
        Event::GroupEnded { ending, .. } => match &**ending {
            Ending::Answered { .. } => "is done".into(),
            other => in_words(other),
        },
        _ => return None,
    };
    Some(clipped(&one_line(&line), STEP_COLUMNS))
}
