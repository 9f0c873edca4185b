//! Inputs: every fact that a run learns, named in the past tense.
//!
//! An error of a model, a tool or a hook is a fact like any other. Only a mistake of the host is a
//! [`KernelMisuse`](crate::KernelMisuse). This file declares the facts; `run/mod.rs` passes each to
//! the file that handles it. Inputs are what a journal stores, so a variant or a field keeps its
//! name and meaning for ever, and a new field has a default. The host removes known secrets from an
//! input before it is handled (`holm-runtime/src/secrets/facts.rs`); nothing here does.

use alloc::{boxed::Box, string::String, vec::Vec};

use holm_grants::{GrantSet, Mode};
use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{
    Answer, Block, Budget, CallId, CheckId, ConsultationId, Family, Marks, ModelCallId, NanoUsd, Narrowing,
    Outcome, QuestionId, Role, Started, StopReason, Timestamp, ToolCallId, ToolSpec, Usage,
};

/// One fact that a run learns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// The run started; always record 0.
    Started(Box<Started>),
    /// A host took the run over, after a crash or from another host.
    Resumed {
        /// The name of the host, for people.
        host: String,
    },
    /// A person gave a prompt; it starts a new turn group.
    Prompted(Prompt),
    /// A person gave a prompt while the run works; it enters before the next model call.
    Steered(Prompt),
    /// A prompt for the time when the run would stop by itself.
    FollowedUp(Prompt),
    /// A model call ended.
    ModelFinished {
        call: ModelCallId,
        result: ModelResult,
    },
    /// A hook or a person ruled on a proposed call.
    Judged {
        call: QuestionId,
        verdict: Verdict,
    },
    Consulted {
        call: ConsultationId,
        answer: Answer,
    },
    /// A call was recorded as about to run. From here on it may have happened.
    Dispatched {
        call: ToolCallId,
    },
    ToolFinished {
        call: ToolCallId,
        /// The output of the tool.
        result: ToolOutput,
    },
    /// An executable postcondition was run.
    Checked {
        call: CheckId,
        ruling: CheckRuling,
    },
    /// A child run started.
    ChildStarted {
        /// The call that requested it.
        call: ToolCallId,
        /// The child's id in the host's store.
        child: String,
    },
    /// A child run ended.
    ChildFinished {
        /// The call that requested it.
        call: ToolCallId,
        /// The result of the child.
        result: ChildResult,
    },
    /// A summary was made, or failed.
    Summarised {
        call: ModelCallId,
        /// The reply, or the failure.
        result: ModelResult,
    },
    /// The tool list changed. Running calls finish with the tools they started with.
    ToolsChanged(Vec<ToolSpec>),
    ModeChanged(Mode),
    /// The grants changed. This also ends all leases.
    GrantsChanged(GrantSet),
    BudgetChanged(Budget),
    /// A host that took the run over narrowed its configuration; nothing in it makes the run laxer.
    Narrowed(Box<Narrowing>),
    /// A person or the host cancelled the run. Queued prompts are dropped.
    Cancelled {
        /// The reason, for people to read.
        #[serde(default)]
        reason: String,
    },
    /// Time has passed; this answers an armed deadline.
    TimePassed,
}

impl Input {
    /// The work that this is a fact about.
    pub fn call(&self) -> Option<CallId> {
        match self {
            Self::ModelFinished { call, .. } | Self::Summarised { call, .. } => Some((*call).into()),
            Self::Judged { call, .. } => Some((*call).into()),
            Self::Consulted { call, .. } => Some((*call).into()),
            Self::Checked { call, .. } => Some((*call).into()),
            Self::Dispatched { call }
            | Self::ToolFinished { call, .. }
            | Self::ChildStarted { call, .. }
            | Self::ChildFinished { call, .. } => Some((*call).into()),
            Self::Started(_)
            | Self::Resumed { .. }
            | Self::Prompted(_)
            | Self::Steered(_)
            | Self::FollowedUp(_)
            | Self::ToolsChanged(_)
            | Self::ModeChanged(_)
            | Self::GrantsChanged(_)
            | Self::BudgetChanged(_)
            | Self::Narrowed(_)
            | Self::Cancelled { .. }
            | Self::TimePassed => None,
        }
    }

    /// Whether this is progress: an answer to a task of the host. Facts that a host reports
    /// by itself are not progress. Neither are answers of hooks, because hooks are asked
    /// again after every crash.
    pub(crate) const fn is_answer(&self) -> bool {
        matches!(
            self,
            Self::ModelFinished { .. }
                | Self::Judged { .. }
                | Self::ToolFinished { .. }
                | Self::Checked { .. }
                | Self::ChildFinished { .. }
                | Self::Summarised { .. }
        )
    }
}

/// A person's message to the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Prompt {
    pub blocks: Vec<Block>,
    /// The marks that the content sets.
    #[serde(default)]
    pub marks: Marks,
    /// The conversation before the run, oldest message first. It counts only in the first prompt of
    /// a run; later the run has its own transcript.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<PastMessage>,
}

/// A message from before the run, as the sender of the prompt reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct PastMessage {
    pub role: Role,
    /// The content, in order. A call counts only if a result for it follows.
    pub blocks: Vec<Block>,
}

impl Prompt {
    /// A prompt of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        let blocks = alloc::vec![Block::Text(text.into())];
        Self { blocks, marks: Marks::default(), past: Vec::new() }
    }

    /// Its text; pictures and files are left out.
    pub fn plain_text(&self) -> String {
        crate::message::plain_text(&self.blocks)
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// How a model call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ModelResult {
    /// The model sent a complete reply.
    Replied(Reply),
    /// The call was aborted on request; this is what had arrived.
    Aborted(Reply),
    Failed(Failure),
}

/// A complete reply of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Reply {
    /// The content, in order.
    pub blocks: Vec<Block>,
    #[serde(default)]
    pub usage: Usage,
    #[serde(default)]
    pub stop: StopReason,
    /// Which model answered, if the provider said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Reply {
    /// The usage of an interrupted reply: its output is at least the estimate of what arrived.
    pub fn usage_so_far(&self, family: Family) -> Usage {
        self.usage.with_output(Self::tokens_of(family, &self.blocks))
    }

    /// Estimates the tokens that these blocks of a reply took.
    pub fn tokens_of(family: Family, blocks: &[Block]) -> u64 {
        crate::context::estimate::blocks(family, blocks)
    }
}

/// A failed model call, classified by what can be done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Failure {
    /// The class; it decides what happens next.
    pub class: FailureClass,
    /// A description for people; the host has removed secrets.
    #[serde(default)]
    pub message: String,
    /// How long the provider asks to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The tokens that were used anyway.
    #[serde(default)]
    pub usage: Usage,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// Too many requests; wait and retry.
    RateLimited,
    /// The provider is overloaded; retry, and soon try another model.
    Overloaded,
    Server,
    Network,
    /// The stream ended before the reply was complete.
    Truncated,
    /// The reply was empty.
    Empty,
    /// The conversation is longer than the window.
    ContextOverflow,
    /// The key is missing, wrong or not allowed.
    Auth,
    /// The account has no credit or quota left.
    Quota,
    /// The request was invalid; a retry cannot help.
    BadRequest,
    /// The provider's filter refused.
    ContentFilter,
    /// The host crashed repeatedly during the same work.
    HostCrash,
}

impl FailureClass {
    /// Whether the same request may succeed later.
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::RateLimited
                | Self::Overloaded
                | Self::Server
                | Self::Network
                | Self::Truncated
                | Self::Empty
        )
    }
}

/// A ruling on a proposed call. It can only narrow what the kernel would allow or ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Allow {
        /// Grants that the person gave with the answer, for the rest of the run or
        /// until a given time.
        #[serde(default, skip_serializing_if = "GrantSet::is_empty")]
        grants: GrantSet,
        /// When those grants end; `None` means at the end of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Do not run it.
    Deny {
        /// The reason; the model gets it.
        reason: String,
    },
    /// Run it with other arguments, which are validated and judged again.
    Rewrite {
        /// The new arguments, as JSON text.
        arguments: String,
    },
}

impl Verdict {
    /// A plain approval for this one call.
    pub fn allow() -> Self {
        Self::Allow { grants: GrantSet::default(), until: None }
    }

    /// A denial with its reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// The output of a tool. The host limits it, removes known secrets, and spills large text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ToolOutput {
    /// The outcome of the call.
    #[serde(default)]
    pub outcome: Outcome,
    /// The text. For a spilled result it is empty, and `spill` has its head and tail.
    #[serde(default)]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Block>,
    /// Where the whole text is, if it was too large for the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<Box<Spill>>,
    /// Whether the tool votes to end the run.
    #[serde(default)]
    pub terminate: bool,
    /// For rendering; never sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Json>>,
    /// The marks that its content sets, beyond those that the tool declares.
    #[serde(default)]
    pub marks: Marks,
}

impl ToolOutput {
    /// A successful output with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A failed output with this text.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), outcome: Outcome::Failed, ..Self::default() }
    }

    /// A success that votes to end the run.
    pub fn terminal(text: impl Into<String>) -> Self {
        Self { text: text.into(), terminate: true, ..Self::default() }
    }
}

/// A result that was too large for the journal: its two ends, its size and its location.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Spill {
    /// The beginning of the text.
    pub head: String,
    /// The end of the text.
    pub tail: String,
    /// Length of the whole in bytes.
    pub bytes: u64,
    /// SHA-256 of the whole, in hex.
    pub sha256: String,
    /// The reference with which the model reads more.
    pub reference: String,
}

/// The result of an executable check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum CheckRuling {
    /// The result passed the check.
    Passed,
    /// The result failed the check.
    Failed {
        /// The reason; the model gets it.
        reason: String,
    },
    /// The check itself could not be run; the result is not believed.
    Broken { reason: String },
}

/// The result of a child run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ChildResult {
    /// The child's answer, or why it did not answer.
    pub output: ToolOutput,
    /// What it spent, out of its share.
    #[serde(default)]
    pub spent: NanoUsd,
    #[serde(default)]
    pub usage: Usage,
    /// The marks of the child.
    #[serde(default)]
    pub marks: Marks,
}
