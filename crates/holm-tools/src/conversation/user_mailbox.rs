//! A mailbox for questions to the user. It serves hosts that show questions in one place and
//! receive the answers in another. The tools are in `user_channel.rs`. The number of open questions
//! is bounded, a question whose asker stops waiting is withdrawn, and old news is dropped before a
//! question is.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_runtime::BoxFuture;
use tokio::sync::{Notify, oneshot};

use super::UserChannel;

/// How many questions may be open, and how much news may wait to be read. A model that asks more
/// often has lost its way.
const MOST_WAITING: usize = 64;

/// Holds questions until the user answers. Clones share one queue: tools get one clone, and the
/// user interface keeps another.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use holm_tools::conversation::{UserMailbox, UserChannel, MailboxMessage};
///
/// let counter = UserMailbox::new();
/// let answer = counter.ask("Which colour?", &["red".into(), "blue".into()]);
/// let MailboxMessage::Question(open) = counter.next().await else { return };
/// assert_eq!(open.question, "Which colour?");
/// counter.answer(open.number, "blue").unwrap();
/// assert_eq!(answer.await.as_deref(), Some("blue"));
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct UserMailbox {
    shared: Arc<UserMailboxState>,
}

#[derive(Debug, Default)]
struct UserMailboxState {
    inner: Mutex<UserMailboxQueue>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct UserMailboxQueue {
    said: VecDeque<MailboxMessage>,
    open: BTreeMap<u64, (PendingQuestion, oneshot::Sender<String>)>,
    questions: u64,
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailboxMessage {
    /// A tool asks a question.
    Question(PendingQuestion),
    /// A tool reports progress.
    News(String),
}

/// A question that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingQuestion {
    /// By which it is answered.
    pub number: u64,
    /// The question. A model wrote it, so show it as plain text only.
    pub question: String,
    /// Answers to choose from; empty for a free answer.
    pub choices: Vec<String>,
}

/// The question is not open: it was answered, or its asker no longer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("question {number} is not open; it was answered or withdrawn")]
pub struct QuestionNotOpenError {
    pub number: u64,
}

impl UserMailbox {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next message, in order. Questions that were withdrawn before they were received are left
    /// out. This is for one listener: two listeners would share the messages between them.
    pub async fn next(&self) -> MailboxMessage {
        loop {
            let bell = self.shared.bell.notified();
            if let Some(said) = self.shared.lock().take() {
                return said;
            }
            bell.await;
        }
    }

    /// The questions that wait for an answer.
    pub fn open(&self) -> Vec<PendingQuestion> {
        self.shared.lock().open.values().map(|(open, _)| open.clone()).collect()
    }

    /// Answers an open question.
    ///
    /// # Errors
    /// [`QuestionNotOpenError`].
    pub fn answer(&self, number: u64, answer: impl Into<String>) -> Result<(), QuestionNotOpenError> {
        let (_, reply) = self.shared.lock().open.remove(&number).ok_or(QuestionNotOpenError { number })?;
        reply.send(answer.into()).map_err(|_| QuestionNotOpenError { number })
    }

    /// Declines a question: its asker is told that there is no answer.
    ///
    /// # Errors
    /// [`QuestionNotOpenError`].
    pub fn decline(&self, number: u64) -> Result<(), QuestionNotOpenError> {
        self.shared.lock().open.remove(&number).map(drop).ok_or(QuestionNotOpenError { number })
    }
}

impl UserChannel for UserMailbox {
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        let (reply, answer) = oneshot::channel();
        let mut inner = self.shared.lock();
        if inner.open.len() >= MOST_WAITING {
            return Box::pin(async { None });
        }
        inner.questions += 1;
        let number = inner.questions;
        let open = PendingQuestion { number, question: question.to_owned(), choices: choices.to_vec() };
        inner.open.insert(number, (open.clone(), reply));
        inner.said.push_back(MailboxMessage::Question(open));
        drop(inner);
        self.shared.bell.notify_one();
        let waiting = PendingQuestionGuard { shared: Arc::clone(&self.shared), number };
        Box::pin(async move {
            let answer = answer.await.ok();
            drop(waiting);
            answer
        })
    }

    fn tell(&self, text: &str) {
        let mut inner = self.shared.lock();
        if inner.said.len() >= 2 * MOST_WAITING {
            // The newest news is the news; questions stay.
            let oldest = inner.said.iter().position(|said| matches!(said, MailboxMessage::News(_)));
            oldest.and_then(|place| inner.said.remove(place));
        }
        inner.said.push_back(MailboxMessage::News(text.to_owned()));
        drop(inner);
        self.shared.bell.notify_one();
    }
}

impl UserMailboxState {
    /// Every change is a single step, so a panic elsewhere leaves no partial state.
    fn lock(&self) -> MutexGuard<'_, UserMailboxQueue> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UserMailboxQueue {
    fn take(&mut self) -> Option<MailboxMessage> {
        loop {
            let said = self.said.pop_front()?;
            match &said {
                MailboxMessage::Question(open) if !self.open.contains_key(&open.number) => {}
                MailboxMessage::Question(_) | MailboxMessage::News(_) => return Some(said),
            }
        }
    }
}

/// Withdraws a question when its asker no longer waits for the answer.
struct PendingQuestionGuard {
    shared: Arc<UserMailboxState>,
    number: u64,
}

impl Drop for PendingQuestionGuard {
    fn drop(&mut self) {
        self.shared.lock().open.remove(&self.number);
    }
}
