//! The protocol between a terminal and a server: one JSON object per line.

use std::io;

use holm_kernel::{EventId, Numbered};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::live::{Answered, Frame, Posed, QuestionId};

/// The longest line of a terminal: an event holds a whole message.
pub(super) const MOST_TOLD: u64 = 64 << 20;
/// The longest line of a server: what a person says.
pub(super) const MOST_SAID: u64 = 1 << 20;

/// The first line of a server.
#[derive(Serialize, Deserialize)]
pub(super) struct Knock {
    /// What lies beside the socket.
    pub(super) key: String,
}

/// What a server says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Said {
    /// By which the terminal answers.
    pub(super) number: u64,
    pub(super) what: What,
}

/// What is handed over for people.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// Before the next model call.
    Steer(String),
    /// Once the run would stop.
    FollowUp(String),
    /// At once, and why.
    Cancel(String),
    Answer {
        question: QuestionId,
        answer: Answered,
    },
}

/// What a terminal tells.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Told {
    /// The first line: how far the session is.
    Hello {
        /// The last event that was told to anybody.
        last: Option<EventId>,
        /// Whether something is under way.
        works: bool,
    },
    Event(Box<Numbered>),
    /// A piece of a reply.
    Delta {
        call: u64,
        /// What it is a piece of.
        kind: String,
        /// The place of a tool call.
        index: Option<u64>,
        offset: u64,
        text: String,
    },
    /// How far a tool is.
    Progress {
        call: u64,
        /// What it does now.
        text: String,
        /// How much is done.
        done: Option<u64>,
        /// How much there is.
        total: Option<u64>,
    },
    Asked(Box<Posed>),
    /// A question is no longer open.
    Settled(QuestionId),
    /// What people should know.
    Note(String),
    /// Something was left out up to this event; the journal has it.
    Gap(Option<EventId>),
    /// What came of something that the server said; none where it was heard.
    Heard {
        number: u64,
        /// Why it was not.
        refused: Option<String>,
    },
}

impl Told {
    /// What there is to see, as a line; none for what only connections say.
    pub(super) fn of(frame: Frame) -> Option<Self> {
        Some(match frame {
            Frame::Event(told) => Self::Event(Box::new(told.event.clone())),
            Frame::Delta { call, kind, index, offset, text } => {
                Self::Delta { call, kind: kind.to_owned(), index, offset, text }
            }
            Frame::Progress { call, text, done, total } => Self::Progress { call, text, done, total },
            Frame::Asked(posed) => Self::Asked(Box::new((*posed).clone())),
            Frame::Settled(id) => Self::Settled(id),
            Frame::Note(text) => Self::Note(text.to_string()),
            Frame::Lagged | Frame::Closed => return None,
        })
    }
}

/// The next line; none at the end. Not to be given up half way: what was read of a line would be lost.
pub(super) async fn next<T: DeserializeOwned>(
    from: &mut (impl AsyncBufRead + Unpin),
    most: u64,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.take(most).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(io::Error::other)
}

/// Whether something is short enough for a line of at most so many bytes.
pub(super) fn fits(line: &impl Serialize, most: u64) -> bool {
    serde_json::to_vec(line).is_ok_and(|line| (line.len() as u64) < most)
}

pub(super) async fn put(to: &mut (impl AsyncWrite + Unpin), line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line).map_err(io::Error::other)?;
    text.push(b'\n');
    to.write_all(&text).await
}
