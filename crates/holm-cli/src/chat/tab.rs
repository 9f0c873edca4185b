//! One session as it is shown: its transcript, its current work, queued prompts, and the scroll
//! position. It only follows what a run reports; the run itself is in `sessions.rs`. What each
//! event changes is in `tab/events.rs`, how an item looks in `item.rs`, and what the user's keys do
//! in `update.rs`.
//!
//! Text of models and tools is sanitized here, before it becomes an item. A question that comes
//! while the user types must not take the keys. Lines of items that are out of sight are dropped,
//! so that a long session does not keep them all.

mod events;

use std::collections::{BTreeMap, VecDeque};

use holm::{
    grants::Mode,
    kernel::{CallId, Event, NanoUsd, Numbered, Seq, Usage},
    runtime::{CacheBreaks, NoAnswerError, PromptCacheMonitor},
};

use super::{
    input::InputBuffer,
    item::{NoteTone, ToolCallItem, TranscriptItem, TranscriptItemKind},
    markdown::MarkdownText,
    opening_queue::OpeningQueue,
    question::{ChatQuestion, ChatQuestionId, QuestionFocus},
    sessions::SessionPast,
    text::{StreamSanitizer, safe},
    thought::ThoughtText,
    view_state::{ScrollAnchor, SessionViewState},
};
pub(super) use events::INTERRUPTED;

use crate::{folder_trust::TrustLevel, money::CostCompleteness, written_calls::WrittenCalls};

/// How much of what helpers did is kept until it is known whose they are.
const MOST_STRAYS: usize = 256;

/// How many items keep their lines while they are not shown.
const KEPT_LINES: usize = 400;

/// Identifies a tab while the chat runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TabId(pub(super) u64);

/// One session as it is shown in a tab.
#[derive(Debug)]
pub(super) struct SessionTab {
    pub(super) id: TabId,
    /// The session's name, once it is open.
    pub(super) session: Option<String>,
    pub(super) model: String,
    pub(super) mode: Mode,
    /// What agents may do without asking, once it is open.
    pub(super) level: TrustLevel,
    /// The mode before planning began.
    pub(super) before_plan: Mode,
    /// The session to return to if this one, with another model, cannot be opened.
    pub(super) back: Option<TabId>,
    pub(super) phase: TabPhase,
    pub(super) items: Vec<TranscriptItem>,
    pub(super) turns: Vec<TranscriptTurn>,
    pub(super) questions: VecDeque<ChatQuestion>,
    /// Prompts that were sent and have not reached the run yet, the first one first.
    pub(super) waiting: Vec<QueuedMessage>,
    /// Whether a prompt or a catch-up request was sent since the run was last stopped.
    pub(super) spoken: bool,
    /// Prompts and the mode from before the session was open; they are sent as soon as it is.
    pub(super) held: OpeningQueue,
    pub(super) input: InputBuffer,
    pub(super) look: ScrollPosition,
    pub(super) meter: UsageMeter,
    /// Finds the breaks of the provider's prompt cache.
    cache: PromptCacheMonitor,
    /// The current activity of the model, in a few words.
    pub(super) doing: String,
    /// The summary of an earlier session, until it is sent with the first prompt.
    pub(super) carried: Option<String>,
    /// What to do with the next answer.
    pub(super) then: AnswerFollowUp,
    calls: BTreeMap<CallId, usize>,
    /// Calls by the ids of their provider.
    answers: BTreeMap<String, usize>,
    /// Results that arrived before their call was known.
    early: BTreeMap<String, String>,
    written: WrittenCalls,
    /// The call that a helper works for, and its depth.
    children: BTreeMap<String, (usize, usize)>,
    /// Events of helpers that arrived before their call was known: both
    /// arrive on separate channels.
    strays: Vec<(String, Numbered)>,
    stream: ReplyItems,
    /// A reply that was withdrawn, until it is known why: a cancel keeps its text on the screen.
    withdrawn: Option<ReplyItems>,
    /// The last call whose reply was withdrawn.
    gone: Option<CallId>,
    /// Up to which item lines were dropped.
    forgotten: usize,
}

/// The phase of a session in its tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TabPhase {
    Opening,
    Idle,
    Running,
    /// Its files are being restored.
    Rewinding,
    /// The session cannot be used.
    Broken,
}

/// The scroll position in a transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ScrollPosition {
    /// At the end, following new lines.
    #[default]
    End,
    /// At a line of an item, which is at the top.
    At { item: usize, row: usize },
}

/// A turn: a prompt and the record before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TranscriptTurn {
    /// The last record before the prompt.
    pub(super) before: Option<Seq>,
    pub(super) prompt: String,
}

/// A prompt that was sent while the run works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedMessage {
    pub(super) when: DeliveryTiming,
    pub(super) text: String,
}

/// When a prompt is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryTiming {
    /// Before the next request to the model.
    Soon,
    /// When the run would end by itself.
    Afterwards,
}

/// What happens after the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum AnswerFollowUp {
    #[default]
    Nothing,
    /// The answer is a summary, and a new session begins with it.
    BeginAnew,
}

/// The tokens and money that a session has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct UsageMeter {
    pub(super) usage: Usage,
    pub(super) spent: NanoUsd,
    /// Whether all prices are known.
    pub(super) priced: CostCompleteness,
    /// The tokens of the last request.
    pub(super) context: u64,
    /// The context window of the model.
    pub(super) window: Option<u64>,
    /// How often the provider's prompt cache did not serve a call as far as it could.
    pub(super) breaks: CacheBreaks,
}

/// The items that receive the pieces of a reply.
#[derive(Debug, Clone, Copy, Default)]
struct ReplyItems {
    call: Option<CallId>,
    text: Option<usize>,
    thinking: Option<usize>,
    /// The sanitizer state between two pieces, for each kind.
    texts: StreamSanitizer,
    thoughts: StreamSanitizer,
}

/// A piece of a reply while it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReplyPiece {
    Text(String),
    Thinking(String),
    /// The model is writing a call of this tool.
    Calling(String),
    /// A tool reports its progress.
    Progress(String),
}

impl SessionTab {
    /// A session that is about to be opened.
    pub(super) fn new(id: TabId, mode: Mode) -> Self {
        Self {
            id,
            session: None,
            model: String::new(),
            mode,
            level: TrustLevel::Ask,
            before_plan: Mode::Default,
            back: None,
            phase: TabPhase::Opening,
            items: Vec::new(),
            turns: Vec::new(),
            questions: VecDeque::new(),
            waiting: Vec::new(),
            spoken: false,
            held: OpeningQueue::default(),
            input: InputBuffer::default(),
            look: ScrollPosition::End,
            meter: UsageMeter::default(),
            cache: PromptCacheMonitor::default(),
            doing: String::new(),
            carried: None,
            then: AnswerFollowUp::Nothing,
            calls: BTreeMap::new(),
            answers: BTreeMap::new(),
            early: BTreeMap::new(),
            written: WrittenCalls::default(),
            children: BTreeMap::new(),
            strays: Vec::new(),
            stream: ReplyItems::default(),
            withdrawn: None,
            gone: None,
            forgotten: 0,
        }
    }

    /// What the tab is called: the first prompt, or that it is new.
    pub(super) fn title(&self) -> String {
        match self.turns.first().map(|turn| turn.prompt.trim()).filter(|prompt| !prompt.is_empty()) {
            Some(prompt) => prompt.split_whitespace().collect::<Vec<_>>().join(" "),
            None => "new".into(),
        }
    }

    /// Says something in the transcript.
    pub(super) fn note(&mut self, tone: NoteTone, text: &str) {
        self.items.push(TranscriptItem::note(tone, text));
    }

    /// A question came. Those about the calls of one reply are asked together.
    pub(super) fn asked(&mut self, question: ChatQuestion) {
        let at = self.questions.iter().position(|open| open.takes(&question));
        match at.and_then(|at| Some((at, self.questions.remove(at)?))) {
            Some((at, open)) => self.questions.insert(at, open.joined(question)),
            None => self.questions.push_back(question),
        }
    }

    /// Nobody waits for the answer any more.
    pub(super) fn withdraw_question(&mut self, id: ChatQuestionId) {
        let questions = std::mem::take(&mut self.questions);
        self.questions = questions.into_iter().filter_map(|open| open.without(id)).collect();
    }

    /// The session has another level, and the mode of that level. Plan mode stays on.
    pub(super) fn trusted(&mut self, level: TrustLevel, mode: Mode) {
        self.level = level;
        if self.mode == Mode::Plan {
            self.before_plan = mode;
        } else {
            self.mode = mode;
        }
    }

    /// The current question. One that came while the user was typing waits until the user notices
    /// it: the next keys are not meant as answers.
    pub(super) fn asks(&self) -> Option<&ChatQuestion> {
        self.questions
            .front()
            .filter(|question| self.input.is_empty() || question.turned == QuestionFocus::ToIt)
    }

    /// What the model said last to what was said last; none if it said nothing.
    pub(super) fn last_reply(&self) -> Option<&str> {
        let since = self
            .items
            .iter()
            .rev()
            .take_while(|item| !matches!(item.kind(), TranscriptItemKind::Person { .. }));
        let mut answers = since.filter_map(|item| match item.kind() {
            TranscriptItemKind::Answer(flow) => Some(flow.text()),
            TranscriptItemKind::Person { .. }
            | TranscriptItemKind::Stopped(_)
            | TranscriptItemKind::Thinking(_)
            | TranscriptItemKind::Call(_)
            | TranscriptItemKind::Note { .. } => None,
        });
        answers.find(|text| !text.trim().is_empty())
    }

    /// What is typed and not said, or said and not sent yet.
    pub(super) fn unsaid(&self) -> String {
        let typed = Some(self.input.text()).filter(|typed| !typed.is_empty());
        self.held.lines().chain(typed).collect::<Vec<_>>().join("\n")
    }

    /// What was said to a session that is not open stands where it was typed again.
    pub(super) fn give_back(&mut self) {
        self.input = InputBuffer::of(self.unsaid());
        self.held.clear();
    }

    /// Its files were restored. What was said meanwhile returns to the input line.
    pub(super) fn rewound(&mut self) {
        if self.phase == TabPhase::Rewinding {
            self.phase = TabPhase::Idle;
            self.give_back();
        }
    }

    /// Something was said to a run that works, and is not heard.
    pub(super) fn not_heard(&mut self, refused: &QueuedMessage) {
        // The later of two that are alike: the run may have the other.
        if let Some(at) = self.waiting.iter().rposition(|waiting| waiting == refused) {
            self.waiting.remove(at);
        }
    }

    /// Tells the past of a session that goes on.
    pub(super) fn recall(&mut self, past: &SessionPast) {
        for event in &past.events {
            if let Event::Withdrawn { call } = &event.event
                && let Some(text) = past.stopped.get(call)
            {
                self.piece((*call).into(), &ReplyPiece::Text(text.clone()));
            }
            self.hear(event);
        }
        self.waiting.clear();
        self.doing.clear();
        // Which mode it began with is not told, so what was planned there is built in one that asks.
        self.before_plan = Mode::Default;
    }

    /// How it would be left now.
    pub(super) fn left(&self) -> SessionViewState {
        let spot = match self.look {
            ScrollPosition::End => None,
            ScrollPosition::At { item, row } => {
                let above = self.items.iter().take(item).filter(|item| is_told_again(item)).count();
                let row = if self.items.get(item).is_some_and(is_told_again) { row } else { 0 };
                Some(ScrollAnchor { above, row })
            }
        };
        SessionViewState { draft: self.unsaid(), spot }
    }

    /// Looks where the person looked before.
    pub(super) fn look_at(&mut self, spot: ScrollAnchor) {
        let mut told = self.items.iter().enumerate().filter(|(_, item)| is_told_again(item));
        if let Some((item, _)) = told.nth(spot.above) {
            self.look = ScrollPosition::At { item, row: spot.row };
        }
    }

    /// A piece of a reply. One that comes after its reply was withdrawn is dropped.
    pub(super) fn piece(&mut self, call: CallId, piece: &ReplyPiece) {
        if self.gone == Some(call) {
            return;
        }
        match piece {
            ReplyPiece::Text(text) => {
                let at = self.streamed(
                    call,
                    |stream| &mut stream.text,
                    || TranscriptItemKind::Answer(MarkdownText::default()),
                );
                let text = self.stream.texts.safe(text);
                if let Some(TranscriptItemKind::Answer(flow)) =
                    self.items.get_mut(at).map(TranscriptItem::change)
                {
                    flow.push(&text);
                }
                self.doing = "answers".into();
            }
            ReplyPiece::Thinking(text) => {
                let at = self.streamed(
                    call,
                    |stream| &mut stream.thinking,
                    || TranscriptItemKind::Thinking(ThoughtText::default()),
                );
                let text = self.stream.thoughts.safe(text);
                if let Some(TranscriptItemKind::Thinking(thought)) =
                    self.items.get_mut(at).map(TranscriptItem::change)
                {
                    thought.push(&text);
                }
                self.doing = "thinks".into();
            }
            ReplyPiece::Calling(tool) => self.doing = format!("writes a call of {}", safe(tool)),
            ReplyPiece::Progress(text) => {
                if let Some(call) = self.call(call) {
                    call.progress = safe(text);
                }
            }
        }
    }

    /// The item that pieces of this call go to; the first piece makes it.
    fn streamed(
        &mut self,
        call: CallId,
        which: impl Fn(&mut ReplyItems) -> &mut Option<usize>,
        make: impl FnOnce() -> TranscriptItemKind,
    ) -> usize {
        if self.stream.call != Some(call) {
            self.void_withdrawn();
            self.stream = ReplyItems { call: Some(call), ..ReplyItems::default() };
        }
        let next = self.items.len();
        let at = *which(&mut self.stream).get_or_insert(next);
        if at == next {
            self.items.push(TranscriptItem::new(make()));
        }
        at
    }

    fn call(&mut self, call: CallId) -> Option<&mut ToolCallItem> {
        let at = *self.calls.get(&call)?;
        self.call_at(at)
    }

    fn call_at(&mut self, at: usize) -> Option<&mut ToolCallItem> {
        match self.items.get_mut(at).map(TranscriptItem::change) {
            Some(TranscriptItemKind::Call(call)) => Some(call),
            Some(
                TranscriptItemKind::Person { .. }
                | TranscriptItemKind::Answer(_)
                | TranscriptItemKind::Stopped(_)
                | TranscriptItemKind::Thinking(_)
                | TranscriptItemKind::Note { .. },
            )
            | None => None,
        }
    }

    /// What a helper did.
    pub(super) fn child(&mut self, child: &str, event: &Numbered) {
        let Some((at, depth)) = self.children.get(child).copied() else {
            if self.strays.len() < MOST_STRAYS {
                self.strays.push((child.to_owned(), event.clone()));
            }
            return;
        };
        let indent = "  ".repeat(depth);
        if let (Some(line), Some(call)) = (events::in_a_line(&event.event), self.call_at(at)) {
            call.saw(format!("{indent}{line}"));
        }
        if let Event::ChildStarted { child, .. } = &event.event {
            self.child_begun(child, at, depth + 1);
        }
    }

    /// A helper works for a call, so deep below it.
    fn child_begun(&mut self, child: &str, at: usize, depth: usize) {
        self.children.insert(child.to_owned(), (at, depth));
        let strays = std::mem::take(&mut self.strays).into_iter();
        let (own, others): (Vec<_>, Vec<_>) = strays.partition(|(of, _)| of == child);
        self.strays = others;
        for (_, event) in own {
            self.child(child, &event);
        }
    }

    /// The turn has ended: nothing is running any more, and no question is open.
    pub(super) fn ended(&mut self, problem: Option<&str>) {
        self.doing.clear();
        self.questions.clear();
        self.stream = ReplyItems::default();
        self.void_withdrawn();
        if let Some(problem) = problem {
            self.note(NoteTone::Error, problem);
            self.leave_unheard("the agent may not have read this; press Up to get it back");
        }
    }

    /// Whether the session rests after a turn or continues. A user who sends a prompt at that
    /// moment cannot know that the turn has ended, so the prompt starts another turn. A prompt sent
    /// before the run was stopped starts nothing.
    pub(super) fn rests(&mut self) -> TabPhase {
        let spoken = std::mem::take(&mut self.spoken);
        self.phase = if spoken && !self.waiting.is_empty() { TabPhase::Running } else { TabPhase::Idle };
        if self.phase == TabPhase::Idle {
            self.leave_unheard(
                "the run ended before the agent read this; it goes along with your next \
                                message",
            );
        }
        self.phase
    }

    /// Nothing waits any more; each that did is told, and what is to be known about it.
    fn leave_unheard(&mut self, what: &str) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.note(NoteTone::Warning, &format!("{what}: {}", waiting.text));
        }
    }

    /// How many calls are under way, and how many helpers.
    pub(super) fn at_work(&self) -> (usize, usize) {
        let open =
            |item: &&TranscriptItem| matches!(item.kind(), TranscriptItemKind::Call(call) if call.is_open());
        let calls = self.items.iter().rev().take(64).filter(open).count();
        let helpers = self.children.values().filter(|(at, _)| {
            self.items
                .get(*at)
                .is_some_and(|item| matches!(item.kind(), TranscriptItemKind::Call(call) if call.is_open()))
        });
        (calls, helpers.count())
    }

    /// Drops the lines of items that were not shown for long, so that a long session does not
    /// keep all of them.
    pub(super) fn forget_lines(&mut self) {
        if self.look != ScrollPosition::End {
            return;
        }
        let upto = self.items.len().saturating_sub(KEPT_LINES);
        for item in self.items.iter_mut().take(upto).skip(self.forgotten) {
            item.forget();
        }
        self.forgotten = self.forgotten.max(upto);
    }
}

/// Whether a journal has it: what Holm itself notes is said once.
fn is_told_again(item: &TranscriptItem) -> bool {
    !matches!(item.kind(), TranscriptItemKind::Note { .. })
}

/// How a run ended without an answer, in words.
pub(super) fn in_words(ending: &holm::kernel::Ending) -> String {
    let ended = NoAnswerError { run: String::new(), ending: Box::new(ending.clone()) }.to_string();
    ended.split_once(": ").map_or(ended.clone(), |(_, words)| words.to_owned())
}

#[cfg(test)]
mod tests;
