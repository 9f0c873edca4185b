//! A mailbox for questions to the user. It serves hosts that show questions in one place and
//! receive the answers in another.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_runtime::BoxFuture;
use tokio::sync::{Notify, oneshot};

use super::People;

/// How many questions may be open, and how much news may wait to be read. A model that asks more often has lost its way.
const MOST_WAITING: usize = 64;

/// Holds questions until the user answers. Clones share one queue: tools get one clone, and the
/// user interface keeps another.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use holm_tools::conversation::{Counter, People, Said};
///
/// let counter = Counter::new();
/// let answer = counter.ask("Which colour?", &["red".into(), "blue".into()]);
/// let Said::Question(open) = counter.next().await else { return };
/// assert_eq!(open.question, "Which colour?");
/// counter.answer(open.number, "blue").unwrap();
/// assert_eq!(answer.await.as_deref(), Some("blue"));
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct Counter {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    inner: Mutex<Inner>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    said: VecDeque<Said>,
    open: BTreeMap<u64, (Open, oneshot::Sender<String>)>,
    questions: u64,
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A tool asks a question.
    Question(Open),
    /// A tool reports progress.
    News(String),
}

/// A question that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// By which it is answered.
    pub number: u64,
    /// The question. A model wrote it, so show it as plain text only.
    pub question: String,
    /// Answers to choose from; empty for a free answer.
    pub choices: Vec<String>,
}

/// The question is not open: it was answered, or its asker no longer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("question {number} is not open; it was answered, or nobody waits for the answer any more")]
pub struct NotOpen {
    pub number: u64,
}

impl Counter {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next message, in order. Questions that were withdrawn before they were received are left
    /// out. This is for one listener: two listeners would share the messages between them.
    pub async fn next(&self) -> Said {
        loop {
            let bell = self.shared.bell.notified();
            if let Some(said) = self.shared.lock().take() {
                return said;
            }
            bell.await;
        }
    }

    /// The questions that wait for an answer.
    pub fn open(&self) -> Vec<Open> {
        self.shared.lock().open.values().map(|(open, _)| open.clone()).collect()
    }

    /// Answers an open question.
    ///
    /// # Errors
    /// [`NotOpen`].
    pub fn answer(&self, number: u64, answer: impl Into<String>) -> Result<(), NotOpen> {
        let (_, reply) = self.shared.lock().open.remove(&number).ok_or(NotOpen { number })?;
        reply.send(answer.into()).map_err(|_| NotOpen { number })
    }

    /// Declines a question: its asker is told that there is no answer.
    ///
    /// # Errors
    /// [`NotOpen`].
    pub fn decline(&self, number: u64) -> Result<(), NotOpen> {
        self.shared.lock().open.remove(&number).map(drop).ok_or(NotOpen { number })
    }
}

impl People for Counter {
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        let (reply, answer) = oneshot::channel();
        let mut inner = self.shared.lock();
        if inner.open.len() >= MOST_WAITING {
            return Box::pin(async { None });
        }
        inner.questions += 1;
        let number = inner.questions;
        let open = Open { number, question: question.to_owned(), choices: choices.to_vec() };
        inner.open.insert(number, (open.clone(), reply));
        inner.said.push_back(Said::Question(open));
        drop(inner);
        self.shared.bell.notify_one();
        let waiting = Waiting { shared: Arc::clone(&self.shared), number };
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
            let oldest = inner.said.iter().position(|said| matches!(said, Said::News(_)));
            oldest.and_then(|place| inner.said.remove(place));
        }
        inner.said.push_back(Said::News(text.to_owned()));
        drop(inner);
        self.shared.bell.notify_one();
    }
}

impl Shared {
    /// Every change is a single step, so a panic elsewhere leaves no partial state.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn take(&mut self) -> Option<Said> {
        loop {
            let said = self.said.pop_front()?;
            match &said {
                Said::Question(open) if !self.open.contains_key(&open.number) => {}
                Said::Question(_) | Said::News(_) => return Some(said),
            }
        }
    }
}

/// Withdraws a question when its asker no longer waits for the answer.
struct Waiting {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.shared.lock().open.remove(&self.number);
    }
}
