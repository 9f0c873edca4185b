//! Commands that the kernel gives to the host, with everything that the host needs to carry them
//! out.
//!
//! The kernel performs none of them; the driver does (`holm-runtime/src/driver/perform.rs`), and it
//! does so only after the record that caused them is stored. `run/` decides which commands are
//! given. Facts that answer them are in `input.rs`, notifications in `event.rs`.
//! [`SpawnRequest::confine`] is the one rule here: a child never holds more than its parent. A new
//! field of an effect changes the digest of every record that carries it, so it is skipped while it
//! has its default.

use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};
use core::fmt;

use holm_grants::{CallNeed, DenialSet, FilePath, GrantSet, Level, Mode};
use holm_guards::{json::Json, plausibility::Expectation, postcondition::Postcondition};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::digest::sha256_hex;
use crate::{
    Approvals, CallId, CheckId, Config, Consultation, Ending, MarkRule, Marks, Message, ModelCallId,
    ModelSpec, NanoUsd, Numbered, QuestionId, Timestamp, ToolCallId, ToolSpec,
};

/// One command to the host. The enum is exhaustive on purpose: a host that forgets a
/// command does not compile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Call a model; answer with `ModelFinished`.
    CallModel { call: ModelCallId, request: Request },
    /// Append `Dispatched`, run the tool, answer with `ToolFinished`.
    RunTool { call: ToolCallId, request: ToolRequest },
    /// Start a child run; answer with `ChildStarted`, then `ChildFinished`.
    Spawn { call: ToolCallId, request: Box<SpawnRequest> },
    /// Stop the work under this id. If its answer still arrives, the kernel ignores it.
    Abort(CallId),
    /// Ask hooks and people; answer with `Judged`.
    Judge(Box<Proposal>),
    /// Ask hooks; answer with `Consulted`.
    Consult(Box<Consultation>),
    /// Run an executable postcondition; answer with `Checked`.
    Check { call: CheckId, request: Box<CheckRequest> },
    /// Ask a model for a summary; answer with `Summarised`.
    Summarise { call: ModelCallId, request: Request },
    /// Send an event to the watchers.
    Emit(Numbered),
    /// The turn group is over.
    Finish(Box<Ending>),
    /// Nothing more until the next input, or until this time.
    Wait(Option<Timestamp>),
}

/// One request to a model. Content is shared, not copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The purpose of the request.
    pub purpose: Purpose,
    pub model: Arc<ModelSpec>,
    pub system: Arc<str>,
    /// The messages: read them with [`Run::messages`](crate::Run::messages).
    pub messages: Messages,
    /// The tools on offer.
    pub tools: Arc<Offer>,
    /// The most output tokens to generate.
    pub max_output: Option<u64>,
    /// The reply must be JSON of this schema.
    pub format: Option<Arc<Json>>,
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The next turn of the conversation.
    Turn,
    /// The last turn that is allowed: the model answers, and may call no tool.
    ///
    /// The tools stay in the request, so that the provider's prompt cache serves it and providers
    /// accept the calls of earlier turns.
    Answer,
    /// A contract skill is carried out.
    Skill,
    /// A summary of the oldest part of the transcript.
    Summary,
}

/// The messages of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Messages {
    /// The run's view: the first `count` messages. While `epoch` is unchanged, the view only grows.
    /// So a codec can keep the bytes it has encoded and append to them.
    View {
        /// Changes whenever the view changes other than by growing.
        epoch: u64,
        /// How many messages there are.
        count: u64,
    },
    /// Messages that were made for this request.
    Own(Vec<Arc<Message>>),
}

/// The tools on offer, in a stable order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// Changes whenever the list changes.
    pub epoch: u64,
    pub tools: Vec<Arc<ToolSpec>>,
}

/// One tool call that may run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolRequest {
    pub tool: Arc<str>,
    /// Valid arguments in canonical JSON.
    pub arguments: Arc<str>,
    /// The idempotency key: the same for the same call of the same run. The tool receives it.
    pub key: IdempotencyKey,
    /// The needs that were allowed for this call.
    pub needs: Arc<[CallNeed]>,
    /// What no call of the run may do. A tool checks it if it learns only while working
    /// what it will touch.
    #[serde(skip_serializing_if = "is_none")]
    pub denials: Arc<DenialSet>,
    /// What the run holds and the call need not name: for tools that run programs, empty for
    /// others. Without hosts where a call that names one would be asked about.
    #[serde(skip)]
    pub grants: Arc<GrantSet>,
    /// What the call may do with what it was allowed.
    #[serde(skip_serializing_if = "CallAccess::is_full")]
    pub access: CallAccess,
    /// When it is stopped.
    pub deadline: Timestamp,
    /// Whether it ran before and its answer was lost.
    pub again: bool,
}

fn is_none(denials: &DenialSet) -> bool {
    denials.is_empty()
}

/// What a call may do with what it was allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum CallAccess {
    /// Everything that its needs say.
    #[default]
    Full,
    /// It may read and start programs, change nothing and reach no host: plan mode. Only tools that
    /// declare [`PlanAccess::ReadOnly`](crate::PlanAccess) get such calls.
    ReadOnly,
}

impl CallAccess {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub(crate) const fn is_full(&self) -> bool {
        matches!(self, Self::Full)
    }
}

impl ToolRequest {
    /// Equals [`Proposal::digest`] if this is the call that was shown to the person who allowed it.
    pub fn digest(&self) -> String {
        call_digest(&self.tool, &self.arguments)
    }
}

/// A request to start a child run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpawnRequest {
    pub tool: Arc<str>,
    /// Valid arguments in canonical JSON.
    pub arguments: Arc<str>,
    /// The idempotency key; see [`ToolRequest::key`].
    pub key: IdempotencyKey,
    /// The grants of the child: never more than its parent's.
    pub grants: GrantSet,
    /// What the child may never do.
    pub denials: DenialSet,
    /// The folder that relative paths of the parent start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<FilePath>,
    /// The parent's mode; the child's is this or stricter.
    pub mode: Mode,
    /// How questions about the parent's calls are answered.
    pub approvals: Approvals,
    /// The consequences of the parent's marks.
    pub mark_rule: MarkRule,
    /// The money it may spend; it is reserved already.
    pub budget: Option<NanoUsd>,
    /// The tokens it may use; they are reserved already.
    pub tokens: Option<u64>,
    /// The marks of its parent.
    pub marks: Marks,
    /// The child's depth below the first run.
    pub depth: u64,
    /// The depth at which no further child is allowed.
    pub deepest: u64,
    /// The child to resume, if it was started before a crash.
    pub resume: Option<String>,
}

impl SpawnRequest {
    /// Narrows a child's configuration to what its parent allows: grants, denials, mode,
    /// approvals, marks and their rule, budget, tokens and depth. What the child's own
    /// configuration forbids stays forbidden.
    ///
    /// ```
    /// use holm_grants::Mode;
    /// use holm_kernel::{Config, ModelSpec, SpawnRequest};
    ///
    /// fn child_of(request: &SpawnRequest) -> Config {
    ///     let mut config = Config::new(ModelSpec::named("scripted/child"));
    ///     config.mode = Mode::Full;
    ///     request.confine(&mut config);
    ///     assert!(config.mode <= request.mode);
    ///     config
    /// }
    /// ```
    pub fn confine(&self, config: &mut Config) {
        config.grants = config.grants.meet(&self.grants);
        config.denials = config.denials.join(&self.denials);
        // A workspace changes the meaning of relative grants, so a child never uses its own.
        config.workspace = self.workspace.clone();
        config.mode = config.mode.min(self.mode);
        config.approvals = config.approvals.stricter(self.approvals);
        config.mark_rule = config.mark_rule.stricter(self.mark_rule);
        config.marks = config.marks.join(self.marks);
        config.depth = self.depth;
        config.limits.depth = config.limits.depth.min(self.deepest);
        config.limits.tokens = config.limits.tokens.at_most(self.tokens);
        if let Some(budget) = self.budget {
            let own = config.limits.budget.usd.unwrap_or(budget);
            config.limits.budget.usd = Some(own.min(budget));
        }
    }
}

/// The digest of a call as a [`Proposal`] carries it. The host that runs the call can prove that it
/// is the call that was shown, and a user interface can prove that it shows the call that was
/// proposed. Call numbers are unique within one run only; this digest does not depend on the run.
///
/// ```
/// let one = holm_kernel::call_digest("shell", r#"{"script":"ls"}"#);
/// assert_ne!(one, holm_kernel::call_digest("shell", r#"{"script":"rm -r ."}"#));
/// ```
pub fn call_digest(tool: &str, arguments: &str) -> String {
    sha256_hex(&[tool.as_bytes(), arguments.as_bytes()])
}

/// A call that a person or a hook must rule on, with everything a person needs to see. The text
/// contains no terminal escapes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Proposal {
    /// The id of the question; the verdict carries it. After a rewrite or a withdrawal the call is
    /// asked about under a new id, so that an answer never counts for content that was not shown.
    pub call: QuestionId,
    /// The tool call in question.
    pub tool_call: ToolCallId,
    pub tool: String,
    /// The arguments in canonical JSON, control characters made visible.
    pub arguments: String,
    /// How much the call can change.
    pub level: Level,
    /// The needs of the call, one per line.
    pub needs: Vec<String>,
    /// The needs that no grant covers.
    pub missing: Vec<String>,
    /// The grants that a child agent would get, one per line; empty for other tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands_on: Vec<String>,
    /// The reasons for the question.
    pub reasons: Vec<AskReason>,
    /// The marks of the run.
    pub marks: Marks,
    /// SHA-256 over the tool and the canonical arguments, in hex. It proves that the approved call
    /// is the one that runs.
    pub digest: String,
}

/// Why a person or a hook is asked about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum AskReason {
    /// The mode requires approval at this level.
    Level,
    /// No grant covers one of its needs.
    MissingGrant,
    /// It sends data out after a mark was set.
    EgressAfterMark,
    /// It writes to a place that no grant names, after a mark was set.
    WriteAfterMark,
    /// A hook wants to see every call.
    HookWants,
    /// The call would leave plan mode. Only a person may allow that; an approver that answers
    /// by rules denies it.
    LeavesPlan,
}

/// One check that the host carries out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckRequest {
    /// The tool call whose result is checked.
    pub tool_call: ToolCallId,
    /// The check to make on the whole result.
    pub check: Check,
}

/// A check that the kernel cannot make: it runs a program, or reads the whole of a spilled result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Whether the whole result is plausible: [`holm_guards::plausibility::judge`].
    Plausibility(Expectation),
    /// A declared postcondition: run its program, or compile it and evaluate it
    /// on the whole result.
    Postcondition(Postcondition),
}

/// An idempotency key, derived from the run, the call, the tool and the canonical arguments.
///
/// Prints as 32 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IdempotencyKey([u8; 16]);

impl IdempotencyKey {
    /// A key made by the host, for a call outside a run.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub(crate) fn new([first, last]: [u64; 2]) -> Self {
        Self((u128::from(first) << 64 | u128::from(last)).to_be_bytes())
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl Serialize for IdempotencyKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 32];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        // Hex digits are always text.
        serializer.serialize_str(core::str::from_utf8(&text).unwrap_or_default())
    }
}
