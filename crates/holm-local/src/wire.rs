//! What host and worker say to each other: frames of JSON behind their length. The worker runs a C++ library over
//! strangers' bytes, so the host believes nothing that it sends: lengths are bounded, and what is no message ends it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Grammar, prompt::Said};

/// Host and worker are the same program, so this only catches a program that was replaced in between.
pub(crate) const VERSION: u32 = 3;
/// The largest frame: a prompt as long as any context, several times over.
pub(crate) const MAX_FRAME: usize = 16 << 20;

/// A message from the host to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToWorker {
    Load(Load),
    /// Work on a prompt.
    Begin(Box<Begin>),
    Cancel { id: u64 },
    /// A session is over; its cache can go.
    Forget { session: u64 },
}

/// The model that the worker loads, and with which resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Load {
    pub(crate) version: u32,
    pub(crate) model: PathBuf,
    pub(crate) adapter: Option<PathBuf>,
    pub(crate) threads: u32,
    pub(crate) context: u32,
    pub(crate) sequences: u32,
}

/// One prompt, and what is wanted of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begin {
    pub(crate) id: u64,
    pub(crate) session: u64,
    pub(crate) said: Vec<Said>,
    pub(crate) task: Task,
}

/// What the worker does with a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    Write(Write),
    /// No reply, but how likely some are.
    Weigh(Weigh),
}

/// How the worker generates a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Write {
    pub(crate) grammar: Option<Grammar>,
    /// What to do where the model is about to say that no tool fits, and is not sure of it.
    pub(crate) doubt: Option<Doubt>,
    pub(crate) most: u32,
    /// In thousandths; none decodes greedily.
    pub(crate) temperature_milli: Option<u32>,
    pub(crate) seed: u32,
    pub(crate) stops: Vec<String>,
}

/// How likely is each of these texts, and a quotation mark after it, once the reply has begun like this?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Weigh {
    pub(crate) opening: String,
    pub(crate) texts: Vec<String>,
}

/// When "none" is not believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Doubt {
    /// How the reply in question begins.
    pub(crate) opening: String,
    /// From this likelihood on, in thousandths, it is believed.
    pub(crate) believed_from_milli: u32,
    /// What must be said instead.
    pub(crate) instead: Grammar,
}

/// A message from the worker to the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromWorker {
    /// The model is there.
    Loaded { version: u32, context: u32 },
    Refused { why: String },
    /// A piece of a reply.
    Text { id: u64, text: String },
    /// A reply is whole.
    Ended { id: u64, end: End, tally: Tally },
    /// How likely each text is, in their order: the logarithm, always a finite number.
    Weighed { id: u64, likely: Vec<f64> },
    /// There is no reply.
    Failed { id: u64, fault: Fault },
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum End {
    Done,
    Full,
    Stopped,
    Cancelled,
}

/// What a reply took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Tokens of the prompt.
    pub input: u64,
    /// Those of them that were in the cache.
    pub cached: u64,
    /// Tokens of the reply.
    pub output: u64,
    /// Microseconds from the first look at the prompt to the first token.
    pub prompt_us: u64,
    /// Microseconds from there to the last token.
    pub reply_us: u64,
}

impl Tally {
    /// What a reply took that was written twice: the prompt counts once, what was written and the time both times.
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
pub(crate) enum Fault {
    /// The prompt is longer than the context.
    Overflow { tokens: u64, context: u64 },
    /// llguidance does not take the grammar.
    Grammar(String),
    Engine(String),
}

/// A frame of one message.
pub(crate) fn frame(message: &impl Serialize) -> Option<Vec<u8>> {
    let body = serde_json::to_vec(message).ok()?;
    let length = u32::try_from(body.len()).ok().filter(|_| body.len() <= MAX_FRAME)?;
    let mut out = Vec::with_capacity(body.len() + 4);
    out.extend(length.to_le_bytes());
    out.extend(body);
    Some(out)
}

/// How long the body is that a head announces; none where it is too long.
pub(crate) fn length(head: [u8; 4]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(head)).ok().filter(|length| *length <= MAX_FRAME)
}

/// The message of a body.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

#[cfg(test)]
mod tests;
