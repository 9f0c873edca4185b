//! Connects a run to the user of the chat: asks questions, shows notes, and forwards events.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use holm::{
    kernel::{CallId, Numbered, Proposal},
    runtime::{BoxFuture, Delta, DeltaSink, EventSink},
};
use holm_mcp::Wanted;
use holm_tools::shell::{Answer, Offer};
use serde_json::Map;
use tokio::sync::{mpsc::UnboundedSender, oneshot};

use super::{
    item::Tone,
    question::{Question, QuestionId, Reply},
    room::Room,
    state::Msg,
    tab::{Piece, TabId},
};
use crate::{elsewhere::Elsewhere, servers};

/// Sends messages to the update function.
pub(super) type Tell = UnboundedSender<Msg>;

/// The open questions, each with the task that waits for its answer.
#[derive(Debug, Default)]
pub(super) struct Desk {
    last: AtomicU64,
    open: Mutex<BTreeMap<QuestionId, oneshot::Sender<Reply>>>,
}

impl Desk {
    fn put(&self) -> (QuestionId, oneshot::Receiver<Reply>) {
        let id = QuestionId(self.last.fetch_add(1, Ordering::Relaxed));
        let (sender, receiver) = oneshot::channel();
        self.open().insert(id, sender);
        (id, receiver)
    }

    /// Answers a question, if its asker still waits.
    pub(super) fn answer(&self, question: QuestionId, reply: Reply) {
        if let Some(waiting) = self.open().remove(&question) {
            let _ = waiting.send(reply);
        }
    }

    /// Every change is one step, so a panic elsewhere leaves nothing half done.
    fn open(&self) -> MutexGuard<'_, BTreeMap<QuestionId, oneshot::Sender<Reply>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks and notifies the user of the chat, for one session.
#[derive(Clone)]
pub(super) struct Seat {
    tab: TabId,
    tell: Tell,
    desk: Arc<Desk>,
}

impl Seat {
    pub(super) fn new(tab: TabId, tell: Tell, desk: Arc<Desk>) -> Self {
        Self { tab, tell, desk }
    }

    /// Asks a question and waits. Returns `None` without an answer; dropping the
    /// future withdraws the question.
    async fn put(self, make: impl FnOnce(QuestionId) -> Question) -> Option<Reply> {
        let (id, answer) = self.desk.put();
        let _open = Open { id, seat: self.clone() };
        self.tell.send(Msg::Asked { tab: self.tab, question: Box::new(make(id)) }).ok()?;
        answer.await.ok()
    }

    async fn words(self, question: String, choices: Vec<String>) -> Option<String> {
        match self.put(move |id| Question::words(id, &question, &choices)).await {
            Some(Reply::Words(words)) => words,
            Some(Reply::Call(_)) | None => None,
        }
    }

    async fn form(self, question: holm_mcp::Question) -> holm_mcp::Answer {
        let (yes, no) = ("answer it".to_owned(), "decline".to_owned());
        let asks = format!("the server {} asks: {}", question.server, question.message);
        let (asks, fields) = match &question.wanted {
            Wanted::Visit(url) => {
                (format!("{asks}\nopen this page yourself if you want to: {url}"), Map::new())
            }
            Wanted::Form(schema) => {
                let fields = schema.get("properties").and_then(serde_json::Value::as_object);
                (asks, fields.cloned().unwrap_or_default())
            }
        };
        match self.clone().words(asks, vec![yes.clone(), no]).await {
            Some(said) if said == yes => {}
            Some(_) => return holm_mcp::Answer::Declined,
            None => return holm_mcp::Answer::Cancelled,
        }
        let mut given = Map::new();
        for (name, field) in &fields {
            let default = field.get("default").map(|value| format!(" [{value}]")).unwrap_or_default();
            let line = self.clone().words(format!("{name}{default}"), Vec::new()).await;
            if let Some(value) = servers::value(line.unwrap_or_default().trim(), field) {
                given.insert(name.clone(), value);
            }
        }
        holm_mcp::Answer::Given(given)
    }
}

/// A question that is shown until its asker stops waiting.
struct Open {
    id: QuestionId,
    seat: Seat,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.seat.desk.open().remove(&self.id);
        let _ = self.seat.tell.send(Msg::Withdrawn { question: self.id });
    }
}

impl Elsewhere for Seat {
    fn approve(&self, proposal: Proposal, offer: Offer) -> BoxFuture<'static, Answer> {
        let seat = self.clone();
        Box::pin(async move {
            match seat.put(move |id| Question::call(id, &proposal, &offer)).await {
                Some(Reply::Call(answer)) => answer,
                Some(Reply::Words(_)) | None => Answer::No { reason: "nobody answered".into() },
            }
        })
    }

    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        Box::pin(self.clone().words(question.to_owned(), choices.to_vec()))
    }

    fn fill_in(&self, question: holm_mcp::Question) -> BoxFuture<'static, holm_mcp::Answer> {
        Box::pin(self.clone().form(question))
    }

    fn tell(&self, text: &str) {
        let _ = self.tell.send(Msg::Noted { tab: self.tab, tone: Tone::Quiet, text: format!("· {text}") });
    }
}

/// Forwards the events of a session to its tab, from the moment when the tab was told that it is
/// open. Earlier events are sent with that message.
#[derive(Clone)]
pub(super) struct Watch {
    pub(super) tab: TabId,
    pub(super) tell: Tell,
    pub(super) live: Arc<AtomicBool>,
    /// The byte budget for pieces that wait to be shown.
    pub(super) room: Room,
}

impl EventSink for Watch {
    fn event(&self, event: &Numbered) {
        if self.live.load(Ordering::Acquire) {
            let _ = self.tell.send(Msg::Event { tab: self.tab, event: Box::new(event.clone()) });
        }
    }
}

impl DeltaSink for Watch {
    fn delta(&self, call: CallId, delta: Delta<'_>) {
        let piece = match delta {
            Delta::Text { text, .. } => Piece::Text(text.to_owned()),
            Delta::Thinking { text, .. } => Piece::Thinking(text.to_owned()),
            Delta::ToolCallStarted { name, .. } => Piece::Calling(name.to_owned()),
            Delta::Progress { text, done, total } => {
                let far = match (done, total) {
                    (Some(done), Some(total)) => format!(" ({done} of {total})"),
                    (Some(done), None) => format!(" ({done})"),
                    (None, _) => String::new(),
                };
                Piece::Progress(format!("{text}{far}"))
            }
            Delta::Accepted { .. } | Delta::ToolArguments { .. } | Delta::Usage(_) => return,
        };
        let bytes = match &piece {
            Piece::Text(text) | Piece::Thinking(text) | Piece::Calling(text) | Piece::Progress(text) => {
                text.len()
            }
        };
        // What there is no room for is in the message, once it is whole.
        if let Some(weight) = self.room.take(bytes) {
            let _ = self.tell.send(Msg::Piece { tab: self.tab, call, piece, _weight: weight });
        }
    }
}
