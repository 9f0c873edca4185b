//! A run's configuration, as data: it is part of record 0 and so of the run's identity. Nothing
//! here decides anything; `run/` reads it. Decisions that data cannot express are left to the host,
//! through [`Effect::Consult`](crate::Effect).
//!
//! Every type is stored in journals, so a field may be added with a default, but none may change
//! its meaning; see `docs/stability.md`. A change to a decision rule needs a new [`SEMANTICS`]. A
//! setting that only concerns a host (files, keys, terminals) belongs into `holm-config`, not here.
//!
//! Where things are:
//!
//! - `config/model.rs`: models and prices.
//! - `config/ladder.rs`: when a stronger model takes over.
//! - `config/retry.rs`: pauses between tries.
//! - `config/tool.rs`: what a tool declares.
//! - `config/own_tools.rs`: names of tools that the run carries out itself.
//! - `config/limits.rs`: limits and the budget.
//! - `config/context.rs`: how a long transcript is fitted into the window.
//! - `config/policy.rs`: the product's vocabulary.
//! - `config/narrowing.rs`: restrictions of a host that takes a run over.

mod context;
mod ladder;
mod limits;
mod model;
mod narrowing;
mod own_tools;
mod policy;
mod retry;
mod tool;

pub use context::{ContextPolicy, SummaryPolicy};
pub use ladder::{Ladder, OnRejection, StepUp, TaskKind};
pub use limits::{Bound, Budget, Limits, MaxTokensRecovery};
pub use model::{Family, ModelSpec, Price};
pub use narrowing::Narrowing;
pub use own_tools::{CHILDREN, ENTER_PLAN, EXIT_PLAN, FINDER, OWN_NAMES};
pub use policy::{
    Alias, Announcements, ArgumentDialect, HiddenToolNote, Inconclusive, PlainAnswer, Protocol,
    ProtocolPolicy,
};
pub use retry::RetryPolicy;
pub use tool::{
    Background, Exemption, Listing, Pace, PlanAccess, PlanRole, Quota, Repeat, Retention, ToolKind, ToolSpec,
    Vote, Yields,
};

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use holm_grants::{DenialSet, FilePath, GrantSet, Mode};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::ConsultPoint;

/// The decision rules of this version of the kernel.
///
/// A kernel has one set of rules. A journal names the rules that it was made with, and a kernel
/// with other rules refuses it.
pub const SEMANTICS: u32 = 1;

/// Record 0: everything that determines how a run behaves.
///
/// ```
/// use holm_kernel::{Config, ModelSpec, Started};
///
/// let started = Started::new("run-1", 7, Config::new(ModelSpec::named("scripted/echo")));
/// assert_eq!(started.semantics, holm_kernel::SEMANTICS);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Started {
    /// The run's own id, unique among all runs; idempotency keys are derived from it.
    pub run: String,
    /// Which decision rules the run follows.
    pub semantics: u32,
    /// The version of the program that started the run; for people, not for decisions.
    #[serde(default)]
    pub version: String,
    /// Source of all jitter and of every envelope's seal.
    pub seed: u64,
    pub config: Config,
}

impl Started {
    /// Starts a run under the current rules.
    pub fn new(run: impl Into<String>, seed: u64, config: Config) -> Self {
        Self {
            run: run.into(),
            semantics: SEMANTICS,
            version: env!("CARGO_PKG_VERSION").into(),
            seed,
            config,
        }
    }

    /// Whether the run follows the rules of this version.
    pub const fn is_known(&self) -> bool {
        self.semantics == SEMANTICS
    }
}

/// The configuration of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Config {
    /// The agent's name, for logs and for people.
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub system: String,
    /// Where the instructions in the system prompt come from, with the hash of their text; for
    /// people, never for decisions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system_source: String,
    /// The models: the first is used, the others are fallbacks in order.
    pub models: Vec<ModelSpec>,
    /// The ladder of models to climb when the work is not good enough; `None` uses only fallbacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// The tools, in the order in which the model sees them.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// How calls are written in a reply.
    #[serde(default)]
    pub protocol: Protocol,
    /// The product's own vocabulary.
    #[serde(default)]
    pub policy: ProtocolPolicy,
    /// The limits of the run.
    #[serde(default)]
    pub limits: Limits,
    /// When and how a failed model call is retried.
    #[serde(default)]
    pub retry: RetryPolicy,
    /// How the transcript is fitted into the model's window.
    #[serde(default)]
    pub context: ContextPolicy,
    /// The grants of the run.
    #[serde(default)]
    pub grants: GrantSet,
    /// What the run may never do, regardless of its grants: tools by name, and needs of calls. A
    /// call that needs a whole folder is denied only if the denials cover all of it. Otherwise its
    /// tool receives the denials
    /// and checks each file ([`ToolRequest::denials`](crate::ToolRequest)).
    #[serde(default)]
    pub denials: DenialSet,
    /// The absolute path of the folder that relative paths start from. With it, grants and denials
    /// of relative paths also apply to absolute paths in this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<FilePath>,
    /// The mode, which decides which calls need approval.
    #[serde(default)]
    pub mode: Mode,
    /// How questions about calls are answered.
    #[serde(default)]
    pub approvals: Approvals,
    /// The marks that were already set when the run began (a child inherits its parent's marks).
    #[serde(default)]
    pub marks: Marks,
    /// The consequences of marks.
    #[serde(default)]
    pub mark_rule: MarkRule,
    /// Whether the calls of a batch may overlap.
    #[serde(default)]
    pub batch: BatchOrder,
    /// The points at which the host's hooks are asked.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub consult: BTreeSet<ConsultPoint>,
    /// The depth below the root run; a child's depth is its parent's plus one.
    #[serde(default)]
    pub depth: u64,
    /// What happens to children in the background at a natural end of the run.
    #[serde(default, skip_serializing_if = "ChildrenAtEnd::is_wait")]
    pub children_at_end: ChildrenAtEnd,
    /// Which tools the model is offered in plan mode.
    #[serde(default, skip_serializing_if = "PlanOffer::is_all")]
    pub plan_offer: PlanOffer,
}

impl Config {
    /// A configuration with one model and the defaults of a headless run.
    pub fn new(model: ModelSpec) -> Self {
        Self {
            name: String::new(),
            system: String::new(),
            system_source: String::new(),
            models: alloc::vec![model],
            ladder: None,
            tools: Vec::new(),
            protocol: Protocol::default(),
            policy: ProtocolPolicy::default(),
            limits: Limits::default(),
            retry: RetryPolicy::default(),
            context: ContextPolicy::default(),
            grants: GrantSet::default(),
            denials: DenialSet::default(),
            workspace: None,
            mode: Mode::default(),
            approvals: Approvals::default(),
            marks: Marks::default(),
            mark_rule: MarkRule::default(),
            batch: BatchOrder::default(),
            consult: BTreeSet::new(),
            depth: 0,
            children_at_end: ChildrenAtEnd::default(),
            plan_offer: PlanOffer::default(),
        }
    }
}

/// Which tools a model is offered in plan mode. Calls of tools that plan mode refuses are
/// denied in both cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum PlanOffer {
    /// The same tools as in every mode. The request keeps its prefix when the mode changes.
    #[default]
    All,
    /// Only those that can be used. When the mode changes, the others return in their old places.
    Usable,
}

impl PlanOffer {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    const fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }
}

/// What happens to children in the background at a natural end of their run. A run that is
/// cancelled, fails or reaches a limit always stops them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ChildrenAtEnd {
    /// The run waits for them, and the model gets every result.
    #[default]
    Wait,
    /// They are stopped, and the run ends.
    Stop,
}

impl ChildrenAtEnd {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    const fn is_wait(&self) -> bool {
        matches!(self, Self::Wait)
    }
}

/// How a question about a call is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Approvals {
    /// A person or a hook is asked about calls that the mode does not allow by itself.
    #[default]
    Ask,
    /// As `Ask`, and hooks are also asked about calls that the mode allows; they
    /// can only narrow it.
    AskAlways,
    /// Every question is answered with a denial, because no person is there to ask.
    Deny,
}

impl Approvals {
    /// The stricter of two values: less runs without being seen.
    #[must_use]
    pub const fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (Self::Deny, _) | (_, Self::Deny) => Self::Deny,
            (Self::AskAlways, _) | (_, Self::AskAlways) => Self::AskAlways,
            (Self::Ask, Self::Ask) => Self::Ask,
        }
    }
}

/// Whether the calls of one reply may run at the same time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum BatchOrder {
    /// Read-only calls may. A call that may change something runs after the calls before it and
    /// before the calls after it.
    #[default]
    Parallel,
    /// One after the other, always.
    Sequential,
}

/// Taint marks: the kinds of content that have entered the run. They are never removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Marks {
    /// Content from outside: web pages, mail, results of untrusted servers.
    pub untrusted: bool,
    /// Secrets or private data.
    pub private: bool,
}

impl Marks {
    /// Whether any mark is set.
    pub const fn any(self) -> bool {
        self.untrusted || self.private
    }

    /// The union of both marks.
    #[must_use]
    pub const fn join(self, other: Self) -> Self {
        Self { untrusted: self.untrusted || other.untrusted, private: self.private || other.private }
    }
}

/// The consequences of marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum MarkRule {
    /// Once any mark is set, egress and writes that no grant names need approval, in every mode.
    #[default]
    AskAfterAny,
    /// The same for calls that can change something. Calls that only look may
    /// send until both marks are set.
    AskAfterBoth,
    /// Marks are shown but have no consequences.
    ShowOnly,
}

impl MarkRule {
    /// The stricter of two rules.
    #[must_use]
    pub const fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (Self::AskAfterAny, _) | (_, Self::AskAfterAny) => Self::AskAfterAny,
            (Self::AskAfterBoth, _) | (_, Self::AskAfterBoth) => Self::AskAfterBoth,
            (Self::ShowOnly, Self::ShowOnly) => Self::ShowOnly,
        }
    }
}
