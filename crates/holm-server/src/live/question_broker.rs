//! Questions that wait for a user: approvals, questions of the model, and forms of MCP servers.
//! Every watcher of the session may answer, and the first answer counts.
//!
//! It decides nothing: what an approval covers and remembers is in
//! `holm-tools/src/shell/approval_gate.rs`. The HTTP routes are in `routes/questions.rs`. An answer
//! must have the kind that its question needs, and the first number of a broker is random, so that
//! an old answer cannot approve a new call.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_kernel::{AskReason, Marks, Proposal};
use holm_mcp::{ServerAnswer as FormAnswer, ServerQuestion as FormQuestion, ServerQuestionKind};
use holm_runtime::BoxFuture;
use holm_tools::files::ProposedChange;
use holm_tools::shell::{
    ApprovalAnswer, ApprovalOffer, CommandFamily, always_covers, ask_reasons, is_never_granted,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{oneshot, watch};
use utoipa::ToSchema;

use super::SessionFeed;
use crate::ApiError;

/// How many questions may wait at once: a model can ask faster than a user answers.
const MOST_OPEN: usize = 64;

/// Identifies a question within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct QuestionId(u64);

impl QuestionId {
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    pub const fn value(self) -> u64 {
        self.0
    }
}

/// A question with its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Posed {
    /// The number that an answer has to name.
    pub id: QuestionId,
    pub question: Question,
}

/// A question for a user.
#[expect(clippy::large_enum_variant, reason = "a session has few open questions, each made once and shared")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Whether a call may run.
    Approval {
        /// The number of the call. The calls of one reply may be asked about in any order.
        #[serde(default)]
        call: u64,
        tool: String,
        /// Its arguments, as canonical JSON with control characters made visible.
        arguments: String,
        /// For shells: the command as a user would type it.
        command: Option<String>,
        /// What a whole-file write does to the file as it is: `"new"`, `{"replaced": {"added": …,
        /// "removed": …, "lines": […]}}` or `{"uncompared": {"size": …}}`; not set for other calls.
        #[serde(default)]
        #[schema(value_type = Option<Object>)]
        change: Option<ProposedChange>,
        /// The helper that makes the call, below the helpers that started it; not set if the
        /// session itself makes the call.
        #[serde(default)]
        helper: Option<String>,
        /// How much the call can change.
        level: String,
        /// What the call needs.
        needs: Vec<String>,
        /// The needs that are not granted.
        missing: Vec<String>,
        /// The needs that can never be granted.
        #[serde(default)]
        never_granted: Vec<String>,
        /// The grants that a sub-agent would hold; empty for other tools.
        #[serde(default)]
        hands_on: Vec<String>,
        /// Whether untrusted or private content has entered the run.
        #[serde(default)]
        #[schema(value_type = Object)]
        marks: Marks,
        /// Why approval is needed.
        #[schema(value_type = Vec<String>)]
        reasons: Vec<AskReason>,
        /// Why approval is needed, as sentences for the user.
        #[serde(default)]
        why: Vec<String>,
        /// What the answer `session` would cover, in words; not set if no lasting answer is
        /// possible, and `session` is then rejected.
        #[serde(default)]
        always: Option<String>,
        /// What the answer `prefix` would cover, in words; not set if no prefix is safe to remember.
        prefix: Option<String>,
        /// What the answer `family` would cover, in words and as grants; not set
        /// if there is no such answer.
        #[serde(default)]
        family: Option<String>,
        /// SHA-256 of the tool and its arguments: only the approved call can run.
        digest: String,
    },
    /// A question from the model.
    Words {
        text: String,
        /// Suggested answers; the user may give any other.
        choices: Vec<String>,
    },
    /// A question from an MCP server. Its text is not trustworthy.
    Form {
        /// The name of the server.
        server: String,
        /// The text that the server wrote.
        message: String,
        /// The fields, as a JSON Schema; not set if the user should visit a page.
        #[schema(value_type = Option<Object>)]
        schema: Option<Value>,
        /// The page, which users open themselves.
        url: Option<String>,
    },
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answered {
    /// For an approval: allow this call once.
    Once,
    /// For an approval: allow this exact call for the rest of the session.
    Session,
    /// For an approval: allow every command that starts like this one for the rest of the session.
    Prefix,
    /// For an approval: allow what `family` names for the rest of the session.
    Family,
    /// For an approval: deny the call, with a reason.
    No {
        /// The reason, which the model sees.
        #[serde(default)]
        reason: String,
    },
    /// For an approval: deny the call now and later.
    Never,
    /// For the model: this text.
    Words(String),
    /// For a server: these values; empty for a page.
    #[schema(value_type = Object)]
    Form(Map<String, Value>),
    /// For the model or a server: no answer.
    Decline,
}

/// Whether a user may answer the questions of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QuestionAttendance {
    /// Every watcher of the session may answer.
    #[default]
    Attended,
    /// No one will answer: every question is denied at once.
    Unattended,
}

/// Collects the questions of a session and their answers.
pub struct QuestionBroker {
    feed: Arc<SessionFeed>,
    attendance: QuestionAttendance,
    open: Mutex<QuestionTable>,
    /// The number of open questions.
    count: watch::Sender<usize>,
    /// Whether an answer reaches the run at once.
    gate: watch::Sender<AnswerGate>,
}

/// Whether an answer reaches the run at once. A run without a permit receives the last answer when
/// it has one again. It is polled meanwhile, so that deadlines of its tools hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerGate {
    /// Always: the run does not use permits now.
    Unused,
    Open,
    Shut,
}

/// Answers wait for a permit as long as this value lives.
pub(super) struct TurnGate<'a>(&'a QuestionBroker);

impl TurnGate<'_> {
    /// The run has a permit, or needs none.
    pub(super) fn open(&self) {
        self.0.set_gate(AnswerGate::Open);
    }

    /// The run needs a permit before it continues.
    pub(super) fn shut(&self) {
        self.0.set_gate(AnswerGate::Shut);
    }

    pub(super) fn is_shut(&self) -> bool {
        *self.0.gate.borrow() == AnswerGate::Shut
    }
}

impl Drop for TurnGate<'_> {
    fn drop(&mut self) {
        self.0.set_gate(AnswerGate::Unused);
    }
}

struct QuestionTable {
    next: u64,
    waiting: BTreeMap<QuestionId, QuestionWaiter>,
}

struct QuestionWaiter {
    posed: Arc<Posed>,
    answer: oneshot::Sender<Answered>,
}

impl QuestionBroker {
    /// Creates a broker whose questions appear in the feed.
    pub fn new(feed: Arc<SessionFeed>, attendance: QuestionAttendance) -> Self {
        let open = QuestionTable { next: first_number(), waiting: BTreeMap::new() };
        let (count, gate) = (watch::Sender::new(0), watch::Sender::new(AnswerGate::Unused));
        Self { feed, attendance, open: Mutex::new(open), count, gate }
    }

    /// Whether a user may answer.
    pub const fn attendance(&self) -> QuestionAttendance {
        self.attendance
    }

    /// From now on the last answer waits until the run has a permit.
    pub(super) fn take_turns(&self) -> TurnGate<'_> {
        self.set_gate(AnswerGate::Open);
        TurnGate(self)
    }

    /// Waits until the run may continue.
    pub(super) async fn passed(&self) {
        // The sender lives as long as the broker.
        let _ = self.gate.subscribe().wait_for(|gate| *gate != AnswerGate::Shut).await;
    }

    fn set_gate(&self, wanted: AnswerGate) {
        self.gate.send_if_modified(|gate| std::mem::replace(gate, wanted) != wanted);
    }

    /// Asks the user whether a call may run.
    pub fn approve(
        self: &Arc<Self>,
        proposal: &Proposal,
        offer: &ApprovalOffer,
    ) -> BoxFuture<'static, ApprovalAnswer> {
        let question = Question::Approval {
            call: proposal.tool_call.value(),
            tool: proposal.tool.clone(),
            arguments: proposal.arguments.clone(),
            command: offer.command.clone(),
            change: offer.change.clone(),
            helper: offer.helper.clone(),
            level: proposal.level.to_string(),
            needs: proposal.needs.clone(),
            missing: proposal.missing.clone(),
            never_granted: proposal.missing.iter().filter(|need| is_never_granted(need)).cloned().collect(),
            hands_on: proposal.hands_on.clone(),
            marks: proposal.marks,
            reasons: proposal.reasons.clone(),
            why: ask_reasons(proposal),
            always: always_covers(proposal, offer),
            prefix: offer.prefix.as_ref().map(CommandFamily::scope),
            family: offer.family.as_ref().map(|family| family.label().to_owned()),
            digest: proposal.digest.clone(),
        };
        let asked = self.ask(question);
        Box::pin(async move {
            match asked.await {
                Some(Answered::Once) => ApprovalAnswer::Once,
                Some(Answered::Session) => ApprovalAnswer::Session,
                Some(Answered::Prefix) => ApprovalAnswer::Prefix,
                Some(Answered::Family) => ApprovalAnswer::Family,
                Some(Answered::Never) => ApprovalAnswer::Never,
                Some(Answered::No { reason }) => ApprovalAnswer::No { reason },
                Some(Answered::Words(_) | Answered::Form(_) | Answered::Decline) | None => {
                    ApprovalAnswer::No { reason: "nobody answered".into() }
                }
            }
        })
    }

    /// Asks the user a question of the model.
    pub fn words(self: &Arc<Self>, text: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        let asked = self.ask(Question::Words { text: text.into(), choices: choices.to_vec() });
        Box::pin(async move {
            match asked.await {
                Some(Answered::Words(words)) => Some(words),
                _ => None,
            }
        })
    }

    /// Asks the user a question of an MCP server.
    pub fn fill_in(self: &Arc<Self>, question: &FormQuestion) -> BoxFuture<'static, Option<FormAnswer>> {
        let (schema, url) = match &question.wanted {
            ServerQuestionKind::Form(schema) => (Some(schema.clone()), None),
            ServerQuestionKind::Visit(url) => (None, Some(url.clone())),
        };
        let (server, message) = (question.server.to_string(), question.message.clone());
        let asked = self.ask(Question::Form { server, message, schema, url });
        Box::pin(async move {
            match asked.await {
                Some(Answered::Form(values)) => Some(FormAnswer::Given(values)),
                Some(_) => Some(FormAnswer::Declined),
                None => None,
            }
        })
    }

    pub fn tell(&self, text: &str) {
        self.feed.note(text);
    }

    /// The open questions, in the order in which they were asked.
    pub fn open(&self) -> Vec<Arc<Posed>> {
        self.lock().waiting.values().map(|waiting| Arc::clone(&waiting.posed)).collect()
    }

    /// A receiver for the number of open questions.
    pub(super) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// Answers a question. The first answer counts.
    ///
    /// # Errors
    /// [`ApiError`] if the question is not open, or needs another kind of answer.
    pub fn answer(&self, id: QuestionId, answered: Answered) -> Result<(), ApiError> {
        let mut open = self.lock();
        let Some(waiting) = open.waiting.get(&id) else {
            return Err(ApiError::conflict(
                "not_open",
                "the question is not open; it was answered or withdrawn",
            ));
        };
        if !fits(&waiting.posed.question, &answered) {
            return Err(ApiError::bad("bad_answer", "the question needs another kind of answer"));
        }
        let waiting = open.waiting.remove(&id);
        // Closed before the run reads the answer: it may need a permit to continue.
        if open.waiting.is_empty() && *self.gate.borrow() == AnswerGate::Open {
            self.set_gate(AnswerGate::Shut);
        }
        self.count.send_replace(open.waiting.len());
        drop(open);
        // The asking task may have ended at this moment; then the answer is ignored.
        let delivered = waiting.is_some_and(|waiting| waiting.answer.send(answered).is_ok());
        self.feed.settled(id);
        if delivered { Ok(()) } else { Err(ApiError::conflict("not_open", "the question was withdrawn")) }
    }

    fn ask(self: &Arc<Self>, question: Question) -> BoxFuture<'static, Option<Answered>> {
        let (answer, answered) = oneshot::channel();
        let mut open = self.lock();
        if self.attendance == QuestionAttendance::Unattended || open.waiting.len() >= MOST_OPEN {
            return Box::pin(async { None });
        }
        let id = QuestionId(open.next);
        open.next += 1;
        let posed = Arc::new(Posed { id, question });
        open.waiting.insert(id, QuestionWaiter { posed: Arc::clone(&posed), answer });
        self.count.send_replace(open.waiting.len());
        drop(open);
        self.feed.asked(posed);
        let asked = AskedQuestionGuard { broker: Arc::clone(self), id };
        Box::pin(async move {
            let answered = answered.await.ok();
            asked.broker.passed().await;
            drop(asked);
            answered
        })
    }

    fn withdraw(&self, id: QuestionId) {
        let mut open = self.lock();
        if open.waiting.remove(&id).is_some() {
            self.count.send_replace(open.waiting.len());
            drop(open);
            self.feed.settled(id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, QuestionTable> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for QuestionBroker {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("QuestionBroker").field("open", &self.lock().waiting.len()).finish_non_exhaustive()
    }
}

/// The first question id of a broker, chosen at random. An answer to a question of an earlier
/// broker must not match a new question, after the session was closed or the server restarted.
///
/// Small enough for a JavaScript number, with room to count.
fn first_number() -> u64 {
    RandomState::new().build_hasher().finish() >> 12
}

/// Withdraws a question when the asking task stops waiting.
struct AskedQuestionGuard {
    broker: Arc<QuestionBroker>,
    id: QuestionId,
}

impl Drop for AskedQuestionGuard {
    fn drop(&mut self) {
        self.broker.withdraw(self.id);
    }
}

/// Whether an answer has the kind that the question needs.
fn fits(question: &Question, answered: &Answered) -> bool {
    match (question, answered) {
        (Question::Approval { prefix, always, .. }, Answered::Prefix) => prefix.is_some() && always.is_some(),
        (Question::Approval { family, always, .. }, Answered::Family) => family.is_some() && always.is_some(),
        (Question::Approval { always, .. }, Answered::Session) => always.is_some(),
        (Question::Approval { .. }, Answered::Once | Answered::No { .. } | Answered::Never)
        | (Question::Words { .. }, Answered::Words(_) | Answered::Decline)
        | (Question::Form { .. }, Answered::Form(_) | Answered::Decline) => true,
        (Question::Approval { .. }, Answered::Words(_) | Answered::Form(_) | Answered::Decline)
        | (
            Question::Words { .. } | Question::Form { .. },
            Answered::Once
            | Answered::Session
            | Answered::Prefix
            | Answered::Family
            | Answered::No { .. }
            | Answered::Never,
        )
        | (Question::Words { .. }, Answered::Form(_))
        | (Question::Form { .. }, Answered::Words(_)) => false,
    }
}
