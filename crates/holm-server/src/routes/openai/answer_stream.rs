//! Turns the output of a running agent into one answer for a client. It writes no protocol:
//! `mod.rs` does, with the codecs of `holm-wire`. If an answer must fit a schema, nothing of it is
//! sent before it was checked. A client that leaves stops its session, so that no work continues
//! whose result no client reads.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use holm_kernel::{
    Author, Block, Ending, Event, Failure, FailureClass, Limit, Role, StopReason, ToolCallId, Usage,
    loop_in_words,
};
use holm_runtime::AnswerSchema;
use tokio::sync::watch;

use super::stop_sequences::{StopScan, StopSequences};
use crate::{
    ApiError, FeedCursor, FeedFrame, HolmServer, SessionId,
    auth::{AuthenticatedUser, TokenId},
    live::{ClientToolCalls, LiveSession, SessionState, SessionWatcher},
};

/// A piece of the answer.
pub(super) enum AnswerPiece {
    Text(String),
    /// Calls that the client has to carry out.
    Calls(Vec<Block>),
    Done {
        stop: StopReason,
        usage: Usage,
    },
    /// The end, without an answer.
    Failed(Failure),
}

/// What happens to the session after the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionRetention {
    /// Close it: it was for this request alone.
    Close,
    /// Keep it: its client will come back.
    Stay,
}

/// An answer in progress. If it is dropped before its end, the client is gone, and
/// the session is cancelled.
pub(super) struct AnswerStream {
    watch: SessionWatcher,
    live_session: Arc<LiveSession>,
    server: HolmServer,
    errands: Option<Arc<ClientToolCalls>>,
    state: watch::Receiver<SessionState>,
    /// The client's token, and the receiver for revoked tokens.
    token: TokenId,
    changes: watch::Receiver<u64>,
    after: SessionRetention,
    phase: AnswerPhase,
    /// Whether a model was called for this answer. Messages before that are the client's own past.
    begun: ModelCallState,
    /// The texts that end the answer, and what is sent before more is read.
    stops: StopSequences,
    ready: VecDeque<AnswerPiece>,
    /// Bytes of the current reply that were sent to the client.
    passed: u64,
    /// Whether any text was sent, and whether a new reply has started since.
    said: AnswerTextState,
    /// Whether the next reply continues in the middle of a sentence, because the last one was cut.
    continues: bool,
    usage: Usage,
    /// What the answer must be; none where words will do.
    schema: Option<AnswerSchema>,
    /// How often it was asked for again.
    again: u32,
    /// What is wrong with the last answer, until it is asked for again.
    problem: Option<String>,
    then: AnswerNextStep,
}

/// What follows after all earlier frames are read. Another thread may add a frame and its
/// consequence while this one looks at both.
enum AnswerNextStep {
    Listen,
    /// The client's tools are called.
    Call(Vec<Block>),
    /// The session is idle.
    Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModelCallState {
    NotYet,
    Called,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerTextState {
    Nothing,
    Something,
    /// The next text belongs to a new reply.
    Before,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerPhase {
    /// The client has asked nothing yet; the current work of the session
    /// belongs to another request.
    Listening,
    Talking,
    /// Only the end is left to send.
    Ending(StopReason),
    Over,
}

impl AnswerStream {
    /// Starts to watch the session. Its output belongs to this
    /// answer from [`begun`](Self::begun) on.
    pub(super) async fn new(
        server: &HolmServer,
        who: &AuthenticatedUser,
        live_session: Arc<LiveSession>,
        errands: Option<Arc<ClientToolCalls>>,
        after: SessionRetention,
    ) -> Result<Self, ApiError> {
        let changes = server.inner.keyring.changes();
        let store = server.inner.workshop.home(&live_session.user).await?.store;
        let cursor = live_session.feed.latest();
        let watch =
            SessionWatcher::new(Arc::clone(&live_session.feed), None, store, live_session.id.clone(), cursor);
        let mut state = live_session.state();
        // Earlier states of the session do not matter.
        state.borrow_and_update();
        Ok(Self {
            watch,
            live_session,
            server: server.clone(),
            errands,
            state,
            token: who.token,
            changes,
            after,
            phase: AnswerPhase::Listening,
            begun: ModelCallState::NotYet,
            stops: StopSequences::default(),
            ready: VecDeque::new(),
            passed: 0,
            said: AnswerTextState::Nothing,
            continues: false,
            usage: Usage::default(),
            schema: None,
            again: 0,
            problem: None,
            then: AnswerNextStep::Listen,
        })
    }

    /// The session has heard the request after this place; earlier events belong to another request.
    pub(super) fn begun_at(mut self, from: FeedCursor, schema: Option<AnswerSchema>) -> Self {
        self.watch.go_to(from);
        self.begun(schema)
    }

    /// The session has heard what was asked, and which schema its answer must fit: from now on, a
    /// client that leaves stops it.
    pub(super) fn begun(mut self, schema: Option<AnswerSchema>) -> Self {
        (self.phase, self.schema) = (AnswerPhase::Talking, schema);
        self
    }

    pub(super) fn session(&self) -> &SessionId {
        &self.live_session.id
    }

    /// Ends the answer at these texts.
    pub(super) fn ends_at(mut self, stops: &[String]) -> Self {
        self.stops = StopSequences::new(stops);
        self
    }

    /// The next piece; `None` after the last.
    pub(super) async fn next(&mut self) -> Option<AnswerPiece> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some(chunk);
            }
            match self.next_unscanned().await? {
                AnswerPiece::Text(text) => match self.stops.push(&text) {
                    StopScan::Open(text) if text.is_empty() => {}
                    StopScan::Open(text) => return Some(AnswerPiece::Text(text)),
                    StopScan::Found(text) => self.cut(text).await,
                },
                chunk => {
                    let rest = self.stops.rest();
                    if !rest.is_empty() {
                        self.ready.push_back(AnswerPiece::Text(rest));
                    }
                    self.ready.push_back(chunk);
                }
            }
        }
    }

    /// Ends the answer after this text, and stops the session.
    /// What it used is known once it has stopped.
    async fn cut(&mut self, text: String) {
        // A session that has ended need not be cancelled.
        let _ = self.live_session.cancel("the answer reached a stop sequence");
        while let Some(AnswerPiece::Text(_) | AnswerPiece::Calls(_)) = self.next_unscanned().await {}
        if !text.is_empty() {
            self.ready.push_back(AnswerPiece::Text(text));
        }
        self.ready.push_back(AnswerPiece::Done { stop: StopReason::StopSequence, usage: self.usage });
    }

    /// The next piece of the session's text, without a search for stop sequences.
    async fn next_unscanned(&mut self) -> Option<AnswerPiece> {
        match self.phase {
            AnswerPhase::Over => return None,
            AnswerPhase::Ending(stop) => {
                self.phase = AnswerPhase::Over;
                return Some(AnswerPiece::Done { stop, usage: self.usage });
            }
            AnswerPhase::Listening | AnswerPhase::Talking => {}
        }
        loop {
            if let Some(problem) = self.problem.take()
                && let Err(refusal) = self.ask_again(&problem).await
            {
                return Some(self.fail(FailureClass::Server, &refusal.message));
            }
            if !matches!(self.then, AnswerNextStep::Listen) && !self.changes.has_changed().unwrap_or(true) {
                let translated = self.watch.next_available().await.map(|(frame, _)| self.translate(&frame));
                match translated {
                    Some(None) => continue,
                    Some(chunk) => return chunk,
                    None => return Some(self.follow()),
                }
            }
            let errands = self.errands.clone();
            let calls = async {
                match &errands {
                    Some(errands) => errands.next(&self.live_session.id).await,
                    None => std::future::pending().await,
                }
            };
            // The order matters: a client without a valid token receives nothing.
            tokio::select! {
                biased;
                changed = self.changes.changed() => {
                    if changed.is_err() || !self.server.inner.keyring.is_valid(self.token) {
                        // A session that ends at this moment need not be cancelled.
                        let _ = self.live_session.cancel("the token was revoked");
                        return Some(self.fail(FailureClass::Auth, "the token was revoked"));
                    }
                }
                frame = self.watch.next() => match frame {
                    Some((frame, _)) => {
                        if let Some(chunk) = self.translate(&frame) {
                            return Some(chunk);
                        }
                    }
                    None => return Some(self.fail(FailureClass::Server, "the connection to the session \
                                                                         was \
                                                                         lost")),
                },
                calls = calls => self.then = AnswerNextStep::Call(calls),
                changed = self.state.changed() => {
                    let over = matches!(*self.state.borrow_and_update(), SessionState::Idle(_) | SessionState::Closed);
                    if over || changed.is_err() {
                        self.then = AnswerNextStep::Rest;
                    }
                }
            }
        }
    }

    /// What follows after all frames are read.
    fn follow(&mut self) -> AnswerPiece {
        match std::mem::replace(&mut self.then, AnswerNextStep::Rest) {
            AnswerNextStep::Call(calls) => {
                self.phase = AnswerPhase::Ending(StopReason::ToolUse);
                AnswerPiece::Calls(calls)
            }
            AnswerNextStep::Listen | AnswerNextStep::Rest => {
                self.fail(FailureClass::Server, "the session was closed before it answered")
            }
        }
    }

    /// Asks for an answer that fits.
    async fn ask_again(&mut self, problem: &str) -> Result<(), ApiError> {
        self.live_session.settled().await;
        // That it is idle in between is no end; that it is so later on, before anything
        // was answered, is one.
        self.state.borrow_and_update();
        self.then = AnswerNextStep::Listen;
        let again = Some(AnswerSchema::ask_again(problem));
        let (from, _) = self.server.hall().prompt_from(&self.live_session, again).await?;
        self.watch.go_to(from);
        Ok(())
    }

    fn translate(&mut self, frame: &FeedFrame) -> Option<AnswerPiece> {
        match frame {
            FeedFrame::Event(numbered) => self.event(&numbered.event.event),
            FeedFrame::Delta { kind: "text", offset, text, .. } => self.text(*offset, text),
            FeedFrame::Lagged | FeedFrame::Closed => {
                Some(self.fail(FailureClass::Server, "the connection to the session was lost"))
            }
            FeedFrame::Delta { .. }
            | FeedFrame::Progress { .. }
            | FeedFrame::Asked(_)
            | FeedFrame::Settled(_)
            | FeedFrame::Note(_) => None,
        }
    }

    fn event(&mut self, event: &Event) -> Option<AnswerPiece> {
        match event {
            Event::ModelCalled { .. } => {
                self.begun = ModelCallState::Called;
                self.passed = 0;
                let continues = std::mem::take(&mut self.continues);
                if self.said == AnswerTextState::Something && !continues {
                    self.said = AnswerTextState::Before;
                }
                None
            }
            Event::OutputCapRaised { from, to, .. } => {
                self.continues = from == to;
                None
            }
            // The next reply answers a user who wrote in between.
            Event::MessageAdded { message }
                if message.role == Role::User && message.author == Author::Speaker =>
            {
                self.continues = false;
                None
            }
            Event::ModelReplied { usage, .. } => {
                self.usage = self.usage.plus(*usage);
                None
            }
            // The whole message has the pieces that were not sent yet.
            Event::MessageAdded { message }
                if message.role == Role::Assistant && self.begun == ModelCallState::Called =>
            {
                self.text(0, &message.plain_text())
            }
            Event::GroupEnded { ending, .. } => self.checked(ending),
            _ => None,
        }
    }

    /// Passes on what is new of a text that begins at `offset`. What follows a gap
    /// waits for the message.
    fn text(&mut self, offset: u64, text: &str) -> Option<AnswerPiece> {
        if self.schema.is_some() {
            // No client sees an answer before it is known to fit.
            return None;
        }
        let skip = usize::try_from(self.passed.checked_sub(offset)?).ok()?;
        let new = text.get(skip..).filter(|new| !new.is_empty())?;
        self.passed += new.len() as u64;
        let gap = if self.said == AnswerTextState::Before { "\n\n" } else { "" };
        self.said = AnswerTextState::Something;
        Some(AnswerPiece::Text(format!("{gap}{new}")))
    }

    /// The end, unless the answer is to be asked for again.
    fn checked(&mut self, ending: &Ending) -> Option<AnswerPiece> {
        let (Some(schema), Ending::Answered { text }) = (&self.schema, ending) else {
            return Some(self.end(ending));
        };
        match schema.check(text) {
            Ok(data) => {
                self.phase = AnswerPhase::Ending(StopReason::EndTurn);
                Some(AnswerPiece::Text(data))
            }
            Err(problem) if self.again < AnswerSchema::MOST_AGAIN => {
                self.again += 1;
                self.problem = Some(problem);
                None
            }
            Err(problem) => {
                let message = format!("the agent's answer does not match the requested schema: {problem}");
                Some(self.fail(FailureClass::Server, &message))
            }
        }
    }

    fn end(&mut self, ending: &Ending) -> AnswerPiece {
        self.phase = AnswerPhase::Over;
        let failed = |class, message: String| {
            AnswerPiece::Failed(Failure { class, message, retry_after_ms: None, usage: Usage::default() })
        };
        match ending {
            Ending::Answered { text } if self.said == AnswerTextState::Nothing && !text.is_empty() => {
                // An answer that is not in any reply: the unchanged result of a tool.
                self.phase = AnswerPhase::Ending(StopReason::EndTurn);
                self.said = AnswerTextState::Something;
                AnswerPiece::Text(text.clone())
            }
            Ending::Answered { .. } => AnswerPiece::Done { stop: StopReason::EndTurn, usage: self.usage },
            Ending::Refused { .. } => AnswerPiece::Done { stop: StopReason::Refusal, usage: self.usage },
            Ending::OverBudget { .. } => failed(FailureClass::Quota, "the budget is used up".into()),
            Ending::Failed { class, message, .. } => failed(*class, message.clone()),
            Ending::Rejected { reason, .. } => failed(FailureClass::Server, reason.clone()),
            Ending::Looping { tool, times } => failed(FailureClass::Server, loop_in_words(tool, *times)),
            Ending::OverLimit { limit: Limit::OutputTokens, .. } if self.said != AnswerTextState::Nothing => {
                AnswerPiece::Done { stop: StopReason::MaxTokens, usage: self.usage }
            }
            Ending::OverLimit { .. } => failed(FailureClass::Server, "a limit was reached".into()),
            Ending::Cancelled { reason } => {
                failed(FailureClass::Server, format!("it was cancelled: {reason}"))
            }
        }
    }

    fn fail(&mut self, class: FailureClass, message: &str) -> AnswerPiece {
        self.phase = AnswerPhase::Over;
        let message = message.to_owned();
        AnswerPiece::Failed(Failure { class, message, retry_after_ms: None, usage: Usage::default() })
    }

    /// The calls that wait for the client's tools.
    fn waited_for(&self) -> BTreeSet<ToolCallId> {
        self.errands.as_ref().map(|errands| errands.waiting()).unwrap_or_default()
    }

    /// Stops the session if its client does not send the results of these calls. Otherwise
    /// it would hold a permit until the calls time out, and then call a model with no client
    /// to read the answer.
    fn give_up_later(&self, calls: BTreeSet<ToolCallId>) {
        let (hall, live_session, errands) =
            (Arc::clone(self.server.hall()), Arc::clone(&self.live_session), self.errands.clone());
        let patience = self.server.config().limits.results;
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            tokio::time::sleep(patience).await;
            let waiting = errands.map(|errands| errands.waiting()).unwrap_or_default();
            // Newer calls have their own client.
            if !waiting.is_disjoint(&calls) {
                let _ = live_session.cancel("the client did not send the results of its tools");
                hall.let_go_when_idle(&live_session).await;
            }
        });
    }
}

impl Drop for AnswerStream {
    fn drop(&mut self) {
        let calls = self.waited_for();
        match self.phase {
            AnswerPhase::Over if !calls.is_empty() => return self.give_up_later(calls),
            // A refused request stops nothing: the running work belongs to another request.
            AnswerPhase::Listening | AnswerPhase::Over => {}
            AnswerPhase::Talking | AnswerPhase::Ending(_) => {
                // A session that has ended need not be cancelled.
                let _ = self.live_session.cancel("the client disconnected");
            }
        }
        if self.after == SessionRetention::Close {
            let (hall, live_session) = (Arc::clone(self.server.hall()), Arc::clone(&self.live_session));
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move { hall.let_go_when_idle(&live_session).await });
            }
        }
    }
}
