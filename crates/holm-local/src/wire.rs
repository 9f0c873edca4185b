//! The protocol between host and worker: JSON frames with a length prefix. The worker runs a C++
//! library on untrusted files, so the host trusts none of its messages: lengths are limited, and an
//! invalid message ends the worker.
//!
//! The host's end is `host/worker_link.rs`, and the worker's end is `worker/mod.rs`. A change of a
//! message needs a new `VERSION`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{ReplyGrammar, prompt::LocalMessage};

/// The protocol version. Host and worker are the same program, so it only detects a program that
/// was replaced in between.
pub(crate) const VERSION: u32 = 3;
/// The largest frame: several times the longest prompt that any context holds.
pub(crate) const MAX_FRAME: usize = 16 << 20;

/// A message from the host to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerRequest {
    Load(LoadRequest),
    /// Starts work on a prompt.
    Begin(Box<WorkerPrompt>),
    Cancel {
        id: u64,
    },
    /// A session has ended, and its cache can be freed.
    Forget {
        session: u64,
    },
}

/// The model that the worker loads, and with which resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LoadRequest {
    pub(crate) version: u32,
    pub(crate) model: PathBuf,
    pub(crate) adapter: Option<PathBuf>,
    pub(crate) threads: u32,
    pub(crate) context: u32,
    pub(crate) sequences: u32,
}

/// One prompt, and the task to perform with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerPrompt {
    pub(crate) id: u64,
    pub(crate) session: u64,
    pub(crate) said: Vec<LocalMessage>,
    pub(crate) task: WorkerTask,
}

/// What the worker does with a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerTask {
    Write(GenerateTask),
    /// Scores texts by their likelihood, without a reply.
    Weigh(ScoreTask),
}

/// How the worker generates a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct GenerateTask {
    pub(crate) grammar: Option<ReplyGrammar>,
    /// What to do if the model is about to say that no tool fits, and is not certain.
    pub(crate) doubt: Option<NoToolThreshold>,
    pub(crate) most: u32,
    /// The temperature in thousandths. `None` decodes greedily.
    pub(crate) temperature_milli: Option<u32>,
    pub(crate) seed: u32,
    pub(crate) stops: Vec<String>,
}

/// Asks for the likelihood of each of these texts, followed by a quotation mark, after this
/// beginning of the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScoreTask {
    pub(crate) opening: String,
    pub(crate) texts: Vec<String>,
}

/// When the reply that no tool fits is not accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NoToolThreshold {
    /// How that reply begins.
    pub(crate) opening: String,
    /// The likelihood in thousandths from which on it is accepted.
    pub(crate) believed_from_milli: u32,
    /// The grammar of the reply that is required instead.
    pub(crate) instead: ReplyGrammar,
}

/// A message from the worker to the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerMessage {
    /// The model is loaded.
    Loaded {
        version: u32,
        context: u32,
    },
    Refused {
        why: String,
    },
    /// A piece of a reply.
    Text {
        id: u64,
        text: String,
    },
    /// A reply is complete.
    Ended {
        id: u64,
        end: ReplyEnd,
        tally: GenerationStats,
    },
    /// The log-likelihood of each text, in order. It is always finite.
    Weighed {
        id: u64,
        likely: Vec<f64>,
    },
    /// There is no reply.
    Failed {
        id: u64,
        fault: GenerationError,
    },
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReplyEnd {
    Done,
    Full,
    Stopped,
    Cancelled,
}

/// The cost of a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationStats {
    /// The number of prompt tokens.
    pub input: u64,
    /// The number of prompt tokens that were in the cache.
    pub cached: u64,
    /// The number of reply tokens.
    pub output: u64,
    /// Microseconds from the start of the prompt to the first token.
    pub prompt_us: u64,
    /// Microseconds from there to the last token.
    pub reply_us: u64,
}

impl GenerationStats {
    /// The cost of a reply that was written twice. The prompt counts once; the output and
    /// the time count twice.
    pub(crate) fn and(self, again: Self) -> Self {
        Self {
            output: self.output.saturating_add(again.output),
            prompt_us: self.prompt_us.saturating_add(again.prompt_us),
            reply_us: self.reply_us.saturating_add(again.reply_us),
            ..self
        }
    }
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GenerationError {
    /// The prompt is longer than the context.
    Overflow {
        tokens: u64,
        context: u64,
    },
    /// llguidance does not accept the grammar.
    Grammar(String),
    Engine(String),
}

/// Encodes one message as a frame.
pub(crate) fn frame(message: &impl Serialize) -> Option<Vec<u8>> {
    let body = serde_json::to_vec(message).ok()?;
    let length = u32::try_from(body.len()).ok().filter(|_| body.len() <= MAX_FRAME)?;
    let mut out = Vec::with_capacity(body.len() + 4);
    out.extend(length.to_le_bytes());
    out.extend(body);
    Some(out)
}

/// The length of the body that a frame head announces, or `None` if it is too long.
pub(crate) fn length(head: [u8; 4]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(head)).ok().filter(|length| *length <= MAX_FRAME)
}

/// Parses the message in a body.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

#[cfg(test)]
mod tests;
