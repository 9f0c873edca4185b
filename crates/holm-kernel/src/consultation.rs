//! Consultations: the points in the loop where the kernel asks the host's hooks, the questions and
//! the possible answers.
//!
//! Answers are inputs and are journaled, so a replay needs no hook. This file holds the data only:
//! `run/turn.rs` and `run/result_checks.rs` ask and act on answers, `holm-runtime/src/hook/` runs
//! the hooks. Questions about whether a call may run are not consultations; they are a `Proposal`
//! in `effect.rs`. An answer that does not fit its question changes nothing, but a tool gate
//! closes: hooks may fail, and a gate must not open by accident.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Block, ConsultationId, MessageId, Prompt, ToolCallId, ToolOutput};

/// A point in the loop where hooks may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ConsultPoint {
    /// Before a model call: change the messages of this one request.
    Context,
    /// Before a model call: restrict the tools on offer.
    Tools,
    /// Before a model call: choose one of the configured models.
    Model,
    /// After a tool: change its result before it is believed.
    AfterTool,
    /// At a natural stop: provide more work, if there is any.
    Stop,
    /// A plain answer arrived, and the policy's data could not decide what it means.
    PlainAnswer,
}

/// A question to the hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Consultation {
    /// The id of the question; the answer carries it.
    pub call: ConsultationId,
    pub question: Question,
}

/// The question to the hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// See [`ConsultPoint::Context`]; the messages are read from the run.
    Context,
    Tools {
        /// The tools on offer now.
        offered: Vec<String>,
    },
    Model {
        /// The name of the model that would be used.
        current: String,
    },
    AfterTool {
        tool_call: ToolCallId,
        tool: String,
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

/// The answer of the hooks. An answer that does not fit its question counts as [`Answer::Nothing`].
/// The tool gate is the exception: it fails closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Nothing,
    /// Changes to this one request.
    Patch(Vec<Patch>),
    /// Offer only these tools. The host intersects the answers of several gates, or lists
    /// one set for each.
    Tools(Vec<BTreeSet<String>>),
    /// Use this model; ignored if it is not configured.
    Model(String),
    /// Replace the result by this one.
    Output(ToolOutput),
    /// Continue with this prompt.
    Continue(Prompt),
    /// The hook failed. Gates close; everything else continues.
    Failed {
        reason: String,
    },
}

/// A change to one request; the transcript is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Patch {
    /// Leave a message out. A message that a call or its result needs is not left out alone.
    Hide(MessageId),
    /// Show other content in its place.
    Replace { id: MessageId, blocks: Vec<Block> },
    /// Add a user message at the end.
    Append(Vec<Block>),
}
