//! Consultations: the points in the loop where the kernel asks the host's hooks. Their answers are
//! inputs, so a replay needs no hook.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Block, CallId, MessageId, Prompt, ToolOutput};

/// A place in the loop where hooks may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ConsultPoint {
    /// Before a model call: change what this one request shows.
    Context,
    /// Before a model call: which tools are on offer.
    Tools,
    /// Before a model call: which of the configured models.
    Model,
    /// After a tool: change its result before it is believed.
    AfterTool,
    /// At a natural stop: is there more to do?
    Stop,
    /// A plain answer arrived where the protocol could not decide by data.
    PlainAnswer,
}

/// A question to the hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Consultation {
    /// Names the question; the answer carries it.
    pub call: CallId,
    pub question: Question,
}

/// What is asked of the hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// See [`ConsultPoint::Context`]; the messages are read from the run.
    Context,
    Tools {
        /// What is on offer now.
        offered: Vec<String>,
    },
    Model {
        /// The name of the model that would be used.
        current: String,
    },
    AfterTool {
        tool_call: CallId,
        tool: String,
        /// What it gave back.
        output: ToolOutput,
    },
    Stop,
    PlainAnswer {
        text: String,
    },
}

impl Question {
    /// The point at which this is asked.
    pub const fn point(&self) -> ConsultPoint {
        match self {
            Self::Context => ConsultPoint::Context,
            Self::Tools { .. } => ConsultPoint::Tools,
            Self::Model { .. } => ConsultPoint::Model,
            Self::AfterTool { .. } => ConsultPoint::AfterTool,
            Self::Stop => ConsultPoint::Stop,
            Self::PlainAnswer { .. } => ConsultPoint::PlainAnswer,
        }
    }
}

/// What the hooks answer. An answer that does not fit its question counts as [`Answer::Nothing`], except at the tool
/// gate, which fails closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Nothing,
    /// Changes to this one request.
    Patch(Vec<Patch>),
    /// Only these tools; several gates' answers are intersected by the host or listed here one set each.
    Tools(Vec<BTreeSet<String>>),
    /// Use this model; ignored if it is not configured.
    Model(String),
    /// The result is this instead.
    Output(ToolOutput),
    /// Go on with this.
    Continue(Prompt),
    /// The hook failed; gates close, everything else goes on.
    Failed {
        reason: String,
    },
}

/// A change to one request; the transcript keeps what was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Patch {
    /// Leave a message out. A message that a call or its result needs is not left out alone.
    Hide(MessageId),
    /// Show other content in its place.
    Replace {
        id: MessageId,
        blocks: Vec<Block>,
    },
    /// Add a user message at the end.
    Append(Vec<Block>),
}
