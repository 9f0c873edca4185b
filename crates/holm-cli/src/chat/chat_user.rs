//! Connects a run to the user of the chat: asks questions, shows notes, and forwards events and
//! pieces as messages. It draws nothing and changes no state; `update.rs` reacts to the messages,
//! and `question.rs` holds what a question shows. A question without an answer counts as no. A
//! question whose asker stops waiting is withdrawn. Pieces of replies are dropped if too many wait
//! (`delta_budget.rs`); events never are.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use holm::{
    kernel::{CallId, Numbered, Proposal},
    runtime::{BoxFuture, DeltaSink, EventSink, ReplyDelta},
};
use holm_mcp::ServerQuestionKind;
use holm_tools::shell::{ApprovalAnswer, ApprovalOffer};
use serde_json::Map;
use tokio::sync::{mpsc::UnboundedSender, oneshot};

use super::{
    delta_budget::DeltaByteBudget,
    item::NoteTone,
    question::{ChatQuestion, ChatQuestionId, QuestionReply},
    state::ChatMessage,
    tab::{ReplyPiece, TabId},
};
use crate::{mcp_servers, remote_user::RemoteUser};

/// Sends messages to the update function.
pub(super) type ChatMessageSender = UnboundedSender<ChatMessage>;

/// The open questions, each with the task that waits for its answer.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions {
    last: AtomicU64,
    open: Mutex<BTreeMap<ChatQuestionId, oneshot::Sender<QuestionReply>>>,
}

impl OpenQuestions {
    fn put(&self) -> (ChatQuestionId, oneshot::Receiver<QuestionReply>) {
        let id = ChatQuestionId(self.last.fetch_add(1, Ordering::Relaxed));
        let (sender, receiver) = oneshot::channel();
        self.open().insert(id, sender);
        (id, receiver)
    }

    /// Answers a question, if its asker still waits.
    pub(super) fn answer(&self, question: ChatQuestionId, reply: QuestionReply) {
        if let Some(waiting) = self.open().remove(&question) {
            let _ = waiting.send(reply);
        }
    }

    /// Every change is one step, so a panic elsewhere leaves nothing half done.
    fn open(&self) -> MutexGuard<'_, BTreeMap<ChatQuestionId, oneshot::Sender<QuestionReply>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks and notifies the user of the chat, for one session.
#[derive(Clone)]
pub(super) struct ChatUser {
    tab: TabId,
    tell: ChatMessageSender,
    questions: Arc<OpenQuestions>,
}

impl ChatUser {
    pub(super) fn new(tab: TabId, tell: ChatMessageSender, questions: Arc<OpenQuestions>) -> Self {
        Self { tab, tell, questions }
    }

    /// Asks a question and waits. Returns `None` without an answer; dropping the
    /// future withdraws the question.
    async fn put(self, make: impl FnOnce(ChatQuestionId) -> ChatQuestion) -> Option<QuestionReply> {
        let (id, answer) = self.questions.put();
        let _open = QuestionTicket { id, seat: self.clone() };
        self.tell.send(ChatMessage::Asked { tab: self.tab, question: Box::new(make(id)) }).ok()?;
        answer.await.ok()
    }

    async fn words(self, question: String, choices: Vec<String>) -> Option<String> {
        match self.put(move |id| ChatQuestion::words(id, &question, &choices)).await {
            Some(QuestionReply::Words(words)) => words,
            Some(QuestionReply::Call(_)) | None => None,
        }
    }

    async fn form(self, question: holm_mcp::ServerQuestion) -> holm_mcp::ServerAnswer {
        let (yes, no) = ("answer it".to_owned(), "decline".to_owned());
        let asks = format!("the server {} asks: {}", question.server, question.message);
        let (asks, fields) = match &question.wanted {
            ServerQuestionKind::Visit(url) => {
                (format!("{asks}\nopen this page yourself if you want to: {url}"), Map::new())
            }
            ServerQuestionKind::Form(schema) => {
                let fields = schema.get("properties").and_then(serde_json::Value::as_object);
                (asks, fields.cloned().unwrap_or_default())
            }
        };
        match self.clone().words(asks, vec![yes.clone(), no]).await {
            Some(said) if said == yes => {}
            Some(_) => return holm_mcp::ServerAnswer::Declined,
            None => return holm_mcp::ServerAnswer::Cancelled,
        }
        let mut given = Map::new();
        for (name, field) in &fields {
            let default = field.get("default").map(|value| format!(" [{value}]")).unwrap_or_default();
            let line = self.clone().words(format!("{name}{default}"), Vec::new()).await;
            if let Some(value) = mcp_servers::value(line.unwrap_or_default().trim(), field) {
                given.insert(name.clone(), value);
            }
        }
        holm_mcp::ServerAnswer::Given(given)
    }
}

/// A question that is shown until its asker stops waiting.
struct QuestionTicket {
    id: ChatQuestionId,
    seat: ChatUser,
}

impl Drop for QuestionTicket {
    fn drop(&mut self) {
        self.seat.questions.open().remove(&self.id);
        let _ = self.seat.tell.send(ChatMessage::Withdrawn { question: self.id });
    }
}

impl RemoteUser for ChatUser {
    fn approve(&self, proposal: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        let seat = self.clone();
        Box::pin(async move {
            match seat.put(move |id| ChatQuestion::call(id, &proposal, &offer)).await {
                Some(QuestionReply::Call(answer)) => answer,
                Some(QuestionReply::Words(_)) | None => {
                    ApprovalAnswer::No { reason: "nobody answered".into() }
                }
            }
        })
    }

    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        Box::pin(self.clone().words(question.to_owned(), choices.to_vec()))
    }

    fn fill_in(&self, question: holm_mcp::ServerQuestion) -> BoxFuture<'static, holm_mcp::ServerAnswer> {
        Box::pin(self.clone().form(question))
    }

    fn tell(&self, text: &str) {
        let _ = self.tell.send(ChatMessage::Noted {
            tab: self.tab,
            tone: NoteTone::Quiet,
            text: format!("· {text}"),
        });
    }
}

/// Forwards the events of a session to its tab, from the moment when the tab was told that it is
/// open. Earlier events are sent with that message.
#[derive(Clone)]
pub(super) struct ChatEventSink {
    pub(super) tab: TabId,
    pub(super) tell: ChatMessageSender,
    pub(super) live: Arc<AtomicBool>,
    /// The byte budget for pieces that wait to be shown.
    pub(super) room: DeltaByteBudget,
}

impl EventSink for ChatEventSink {
    fn event(&self, event: &Numbered) {
        if self.live.load(Ordering::Acquire) {
            let _ = self.tell.send(ChatMessage::Event { tab: self.tab, event: Box::new(event.clone()) });
        }
    }
}

impl DeltaSink for ChatEventSink {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        let piece = match delta {
            ReplyDelta::Text { text, .. } => ReplyPiece::Text(text.to_owned()),
            ReplyDelta::Thinking { text, .. } => ReplyPiece::Thinking(text.to_owned()),
            ReplyDelta::ToolCallStarted { name, .. } => ReplyPiece::Calling(name.to_owned()),
            ReplyDelta::Progress { text, done, total } => {
                let far = match (done, total) {
                    (Some(done), Some(total)) => format!(" ({done} of {total})"),
                    (Some(done), None) => format!(" ({done})"),
                    (None, _) => String::new(),
                };
                ReplyPiece::Progress(format!("{text}{far}"))
            }
            ReplyDelta::Accepted { .. } | ReplyDelta::ToolArguments { .. } | ReplyDelta::Usage(_) => return,
        };
        let bytes = match &piece {
            ReplyPiece::Text(text)
            | ReplyPiece::Thinking(text)
            | ReplyPiece::Calling(text)
            | ReplyPiece::Progress(text) => text.len(),
        };
        // What there is no room for is in the message, once it is whole.
        if let Some(weight) = self.room.take(bytes) {
            let _ = self.tell.send(ChatMessage::Piece { tab: self.tab, call, piece, _weight: weight });
        }
    }
}
