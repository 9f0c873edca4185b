//! The protocol between a terminal and a server: one JSON object per line. `host.rs` and `link.rs`
//! send and read it. The length of a line is bounded on both sides.

use std::io;

use holm_kernel::{EventId, Numbered};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::live::{Answered, FeedFrame, Posed, QuestionId};

/// The longest line of a terminal: an event contains a whole message.
pub(super) const MOST_TOLD: u64 = 64 << 20;
/// The longest line of a server: user input.
pub(super) const MOST_SAID: u64 = 1 << 20;

/// The first line of a server.
#[derive(Serialize, Deserialize)]
pub(super) struct LinkHandshake {
    /// The key from the file next to the socket.
    pub(super) key: String,
}

/// A request of a server.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TerminalRequest {
    /// The number that the terminal's reply repeats.
    pub(super) number: u64,
    pub(super) what: TerminalCommand,
}

/// A command on behalf of a user.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TerminalCommand {
    /// Adds a message before the next model call.
    Steer(String),
    /// Adds a message for the time when the run would stop.
    FollowUp(String),
    /// Cancels the run, with a reason.
    Cancel(String),
    Answer {
        question: QuestionId,
        answer: Answered,
    },
}

/// A message of a terminal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TerminalMessage {
    /// The first line: the state of the session.
    Hello {
        /// The last event that was sent to any server.
        last: Option<EventId>,
        /// Whether the session works.
        works: bool,
    },
    Event(Box<Numbered>),
    /// A piece of the reply that is arriving.
    Delta {
        call: u64,
        /// The kind of text that it belongs to.
        kind: String,
        /// The index of the tool call.
        index: Option<u64>,
        offset: u64,
        text: String,
    },
    /// The progress of a tool.
    Progress {
        call: u64,
        /// What the tool does now.
        text: String,
        /// How much is done.
        done: Option<u64>,
        /// How much there is.
        total: Option<u64>,
    },
    Asked(Box<Posed>),
    /// A question is no longer open.
    Settled(QuestionId),
    /// A note for users.
    Note(String),
    /// Events up to this one were skipped; the journal has them.
    Gap(Option<EventId>),
    /// The reply to a request.
    Heard {
        number: u64,
        /// The reason why it was refused; `None` if it was accepted.
        refused: Option<String>,
    },
}

impl TerminalMessage {
    /// The message for a frame; `None` for frames that only concern one connection.
    pub(super) fn of(frame: FeedFrame) -> Option<Self> {
        Some(match frame {
            FeedFrame::Event(numbered) => Self::Event(Box::new(numbered.event.clone())),
            FeedFrame::Delta { call, kind, index, offset, text } => {
                Self::Delta { call, kind: kind.to_owned(), index, offset, text }
            }
            FeedFrame::Progress { call, text, done, total } => Self::Progress { call, text, done, total },
            FeedFrame::Asked(posed) => Self::Asked(Box::new((*posed).clone())),
            FeedFrame::Settled(id) => Self::Settled(id),
            FeedFrame::Note(text) => Self::Note(text.to_string()),
            FeedFrame::Lagged | FeedFrame::Closed => return None,
        })
    }
}

/// Reads the next line; `None` at the end. Dropping the future half-way would lose part of a line.
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

/// Whether a message fits into a line of at most `most` bytes.
pub(super) fn fits(line: &impl Serialize, most: u64) -> bool {
    serde_json::to_vec(line).is_ok_and(|line| (line.len() as u64) < most)
}

pub(super) async fn put(to: &mut (impl AsyncWrite + Unpin), line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line).map_err(io::Error::other)?;
    text.push(b'\n');
    to.write_all(&text).await
}
