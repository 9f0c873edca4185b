//! Inputs: every fact that a run learns, named in the past tense.
//!
//! An error of a model, a tool or a hook is a fact like any other. Only a mistake of the host is a
//! [`Misuse`](crate::Misuse).

use alloc::{boxed::Box, string::String, vec::Vec};

use holm_grants::{GrantSet, Mode};
use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{
    Answer, Block, Budget, CallId, Family, Marks, NanoUsd, Narrowing, Outcome, Started, StopReason,
    Timestamp, Tool, Usage,
};

/// One fact that a run learns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// The run began; record 0 and nowhere else.
    Started(Box<Started>),
    /// A host took the run over, after a crash or a hand-over.
    Resumed {
        /// Which host, for people.
        host: String,
    },
    /// A person asked for something; begins a new turn group.
    Prompted(Prompt),
    /// A person spoke while the run works; enters before the next model call.
    Steered(Prompt),
    /// Something to do once the run would stop by itself.
    FollowedUp(Prompt),
    /// A model call ended.
    ModelFinished {
        call: CallId,
        result: ModelResult,
    },
    /// A hook or a person ruled on a proposed call.
    Judged {
        call: CallId,
        verdict: Verdict,
    },
    Consulted {
        call: CallId,
        answer: Answer,
    },
    /// A call was written down as about to run; after this it may have happened.
    Dispatched {
        call: CallId,
    },
    ToolFinished {
        call: CallId,
        /// What came of it.
        result: ToolOutput,
    },
    /// An executable postcondition was run.
    Checked {
        call: CallId,
        ruling: CheckRuling,
    },
    /// A child run began.
    ChildStarted {
        /// The call that asked for it.
        call: CallId,
        /// The child's id in the host's store.
        child: String,
    },
    /// A child run ended.
    ChildFinished {
        /// The call that asked for it.
        call: CallId,
        /// What came of it.
        result: ChildResult,
    },
    /// A summary was made, or was not.
    Summarised {
        call: CallId,
        /// The reply, or the failure.
        result: ModelResult,
    },
    /// The tool list changed. Running calls finish with the tools they started with.
    ToolsChanged(Vec<Tool>),
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
    /// Time went by; answers an armed deadline.
    TimePassed,
}

impl Input {
    /// Whether it is progress: an answer to something that the host was asked to do. What a host notes by itself is not, and
    /// neither is what hooks say, who are asked again after every crash.
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

/// What a person says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Prompt {
    pub blocks: Vec<Block>,
    /// What the content brings into the run.
    #[serde(default)]
    pub marks: Marks,
}

impl Prompt {
    /// A prompt of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { blocks: alloc::vec![Block::Text(text.into())], marks: Marks::default() }
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
    /// The call was stopped on request; what had arrived by then.
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
    /// What a reply that broke off has taken: its output is at least the estimate of what arrived.
    pub fn usage_so_far(&self, family: Family) -> Usage {
        self.usage.with_output(Self::tokens_of(family, &self.blocks))
    }

    /// Estimates the tokens that these blocks of a reply took.
    pub fn tokens_of(family: Family, blocks: &[Block]) -> u64 {
        crate::context::estimate::blocks(family, blocks)
    }
}

/// A failed model call, sorted by what can be done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Failure {
    /// The class, which decides.
    pub class: FailureClass,
    /// What happened, for people; secrets removed by the host.
    #[serde(default)]
    pub message: String,
    /// How long the provider asks to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What was used all the same.
    #[serde(default)]
    pub usage: Usage,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// Too many requests; wait and try again.
    RateLimited,
    /// The provider is overloaded; try again, soon another model.
    Overloaded,
    Server,
    Network,
    /// The stream ended before the provider said so.
    Truncated,
    /// The reply held nothing.
    Empty,
    /// The conversation is longer than the window.
    ContextOverflow,
    /// The key is missing, wrong or not allowed.
    Auth,
    /// The account has no credit or quota left.
    Quota,
    /// The request was wrong; trying again cannot help.
    BadRequest,
    /// The provider's filter refused.
    ContentFilter,
    /// The host stopped again and again while the same work was under way.
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

/// A ruling on a proposed call; it can only narrow what the kernel would have allowed or asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Allow {
        /// Grants that the person gave with the answer, for the rest of the run or until a time.
        #[serde(default, skip_serializing_if = "GrantSet::is_empty")]
        grants: GrantSet,
        /// When those grants end; none means with the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Do not run it.
    Deny {
        /// Why; the model is told.
        reason: String,
    },
    /// Run it with other arguments; they are validated and judged again.
    Rewrite {
        /// The new arguments, as JSON text.
        arguments: String,
    },
}

impl Verdict {
    /// A plain yes, for this once.
    pub fn allow() -> Self {
        Self::Allow { grants: GrantSet::default(), until: None }
    }

    /// A no with its reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// What a tool gave back. The host bounds it, takes out known secrets and spills what is large.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ToolOutput {
    /// What the call came to.
    #[serde(default)]
    pub outcome: Outcome,
    /// The text; for a spilled result its head and tail are in `spill` and this is empty.
    #[serde(default)]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Block>,
    /// Where the whole text is, when it was too large to carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<Box<Spill>>,
    /// Whether the tool votes to end the run.
    #[serde(default)]
    pub terminate: bool,
    /// For rendering; never sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Json>>,
    /// What its content brings into the run beyond what the tool declares.
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

/// A result that was too large to carry: its ends, its measure and where it lies.
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
    /// How the model asks for more.
    pub reference: String,
}

/// What an executable check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum CheckRuling {
    /// The result passed the check.
    Passed,
    /// The result failed the check.
    Failed {
        /// Why; the model is told.
        reason: String,
    },
    /// The check itself could not be run; the result is not believed.
    Broken {
        reason: String,
    },
}

/// What came of a child run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ChildResult {
    /// What the child answered, or why it did not.
    pub output: ToolOutput,
    /// What it spent, out of what was set aside for it.
    #[serde(default)]
    pub spent: NanoUsd,
    #[serde(default)]
    pub usage: Usage,
    /// What had entered it.
    #[serde(default)]
    pub marks: Marks,
}
