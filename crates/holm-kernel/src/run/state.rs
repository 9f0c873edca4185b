//! The whole state of a run: a fold over its inputs, and nothing else. Only data belongs here, no
//! decision: the other files of `run/` decide and change it.
//!
//! A value that a later decision needs must be here and not beside it: otherwise a run that resumes
//! from a snapshot decides differently. Everything here can be written to a snapshot and read back
//! (`journal/snapshot.rs`). Numbers are `u64` and maps are ordered, because two hosts must agree to
//! the byte.
//!
//! Values compiled from the state (schemas, the offer to the model) are in `run/catalogue.rs` and
//! are rebuilt.

use alloc::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    string::String,
    sync::Arc,
    vec::Vec,
};

use holm_grants::{GrantLeases, GrantPolicy, Mode};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{
    batch::{CallBatch, CallSlot},
    history::MessageHistory,
    ladder::LadderProgress,
};
use crate::context::ContextView;
use crate::loops::LoopDetector;
use crate::{
    Budget, CallId, ConsultationId, Ending, Marks, MessageId, ModelCallId, NanoUsd, Patch, Prompt, Seq,
    Started, Timestamp, ToolCallId, Usage,
};

/// The state of a run: a fold over its inputs.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct KernelState {
    pub(crate) started: Arc<Started>,
    pub(crate) seq: Seq,
    pub(crate) now: Timestamp,
    pub(crate) next_call: u64,
    pub(crate) next_message: u64,
    pub(crate) phase: RunPhase,
    pub(crate) history: MessageHistory,
    pub(crate) view: ContextView,
    pub(crate) steering: VecDeque<Prompt>,
    pub(crate) follow_ups: VecDeque<Prompt>,
    pub(crate) usage: Usage,
    pub(crate) spent: NanoUsd,
    /// The money that is reserved for children and model calls.
    pub(crate) reserved: NanoUsd,
    /// The tokens that are reserved for them.
    pub(crate) reserved_tokens: u64,
    /// Calls that were given up before their bill arrived.
    pub(crate) owed: BTreeMap<CallId, UnbilledCall>,
    /// The children among them, which hold their shares until then.
    pub(crate) stopped: BTreeMap<CallId, UnbilledChild>,
    /// Digests of the providers' call ids: an id must name only one call of the run.
    pub(crate) ids: BTreeSet<u64>,
    pub(crate) groups: u64,
    pub(crate) group: TurnGroup,
    pub(crate) loops: LoopDetector,
    pub(crate) marks: Marks,
    pub(crate) mode: Mode,
    /// The mode before the model entered plan mode; `None` if a person chose the mode.
    pub(crate) planning_from: Option<Mode>,
    /// The rung of the ladder on which the next group begins, once the run has stepped up.
    pub(crate) rung: u64,
    pub(crate) budget: Budget,
    pub(crate) authority: RunAuthority,
    /// Children in the background: their calls are answered while they still work.
    /// None outlives its group.
    pub(crate) background: Vec<CallSlot>,
    /// Their results that were not reported to the model yet.
    pub(crate) arrived: Vec<CallSlot>,
    /// Children whose result the model got, with the message that reported it, in case
    /// the model asks again.
    pub(crate) gone: BTreeMap<ToolCallId, u64>,
    /// Children whose start was recorded and whose end was not, by name.
    pub(crate) children: BTreeMap<ToolCallId, String>,
}

/// A call that was given up. Its estimate is reserved until its bill arrives.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Read)]
pub(crate) struct UnbilledCall {
    /// Index of the model that was in use.
    pub(crate) model: u64,
    /// Estimated tokens of its request; zero for a child, whose share is reserved instead.
    pub(crate) tokens: u64,
    /// The money that is reserved.
    pub(crate) money: NanoUsd,
}

/// A stopped child that has not reported its usage yet.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Read)]
pub(crate) struct UnbilledChild {
    /// The money that stays reserved for its bill.
    pub(crate) share: NanoUsd,
    pub(crate) tokens: Option<u64>,
    pub(crate) since: Timestamp,
}

/// What the run is doing. A state owns its data: there are no flags beside it.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunPhase {
    /// There was no prompt yet, or the last group has ended.
    Idle,
    /// A hook was asked.
    Consulting(PendingConsultation),
    /// A model was called.
    Calling(PendingModelCall),
    /// A failed call is retried at this time.
    Backoff {
        until: Timestamp,
        draft: RequestDraft,
    },
    /// The oldest part of the view is being summarised.
    Summarising {
        call: ModelCallId,
        upto: MessageId,
        draft: RequestDraft,
        tokens: u64,
    },
    Working(CallBatch),
    /// The run would end like this, but waits for its children in the background.
    Awaiting {
        ending: Ending,
    },
}

/// An open question to hooks, and its subject.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct PendingConsultation {
    pub(crate) call: ConsultationId,
    pub(crate) about: ConsultationSubject,
}

/// What continues after a consultation.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ConsultationSubject {
    /// The next model call, at this step of its preparation.
    Turn(PreparationStep, RequestDraft),
    /// A summary of everything before this message, which the next model call waits for.
    Summary(MessageId, RequestDraft),
    /// A natural stop with this ending.
    Stop(Ending),
    /// A plain answer that the policy's data could not decide.
    PlainAnswer(String),
}

/// The steps that prepare a model call, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PreparationStep {
    Gate,
    Choose,
    Plan,
    Patch,
    Call,
}

/// A model call in preparation; it survives retries.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Read)]
pub(crate) struct RequestDraft {
    /// Tries of the current model so far.
    pub(crate) attempts: u64,
    /// The raised output cap, if any.
    pub(crate) cap: Option<u64>,
    /// The changes of hooks to this request.
    pub(crate) patches: Vec<Patch>,
}

/// A model call under way.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct PendingModelCall {
    pub(crate) call: ModelCallId,
    pub(crate) draft: RequestDraft,
    /// Estimated tokens of the request.
    pub(crate) tokens: u64,
}

/// Counters from a prompt to its ending.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Read)]
pub(crate) struct TurnGroup {
    pub(crate) started: Timestamp,
    pub(crate) turns: u64,
    /// Index of the model in use.
    pub(crate) model: u64,
    pub(crate) corrected: bool,
    pub(crate) reminded: bool,
    pub(crate) warned_stuck: bool,
    pub(crate) warned_turns: bool,
    /// Replies in a row that were cut by their cap and retried.
    pub(crate) cuts: u64,
    /// The text of cut replies that the next reply continues.
    pub(crate) cut_text: String,
    /// Hosts in a row that stopped during the same work.
    pub(crate) crashes: u64,
    pub(crate) quotas: BTreeMap<Arc<str>, QuotaUsage>,
    /// Rejected results in a row, by tool.
    pub(crate) rejections: BTreeMap<Arc<str>, RejectionCount>,
    pub(crate) climb: LadderProgress,
}

/// How often the results of one tool were rejected.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, Read)]
pub(crate) struct RejectionCount {
    /// Turns with a rejection. Several calls of one reply count once: there was
    /// no correction between them.
    pub(crate) turns: u64,
    /// The latest of those turns.
    pub(crate) last: u64,
}

/// The part of a tool's quota that is used.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, Read)]
pub(crate) struct QuotaUsage {
    pub(crate) calls: u64,
    pub(crate) millis: u64,
    pub(crate) bytes: u64,
}

/// The run's present authority.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Read)]
pub(crate) struct RunAuthority {
    /// Changes with everything here, with the mode and with marks: earlier permissions
    /// are then checked again.
    pub(crate) epoch: u64,
    /// Grants from the configuration or a later `GrantsChanged`, and the denials.
    pub(crate) policy: GrantPolicy,
    /// Grants that people gave with their answers.
    pub(crate) leases: GrantLeases,
    /// Those of them that answered questions which showed all present marks.
    pub(crate) given_since: GrantLeases,
    /// Counts withdrawals of authority; an earlier approval is then asked for again.
    pub(crate) withdrawn: u64,
}

impl KernelState {
    pub(crate) fn new(started: Started, now: Timestamp) -> Self {
        let config = &started.config;
        Self {
            seq: Seq::new(0),
            now,
            next_call: 0,
            next_message: 0,
            phase: RunPhase::Idle,
            history: MessageHistory::default(),
            view: ContextView::default(),
            steering: VecDeque::new(),
            follow_ups: VecDeque::new(),
            usage: Usage::default(),
            spent: NanoUsd::ZERO,
            reserved: NanoUsd::ZERO,
            reserved_tokens: 0,
            owed: BTreeMap::new(),
            stopped: BTreeMap::new(),
            ids: BTreeSet::new(),
            groups: 0,
            group: TurnGroup::default(),
            loops: LoopDetector::default(),
            marks: config.marks,
            mode: config.mode,
            planning_from: None,
            rung: 0,
            budget: config.limits.budget,
            authority: RunAuthority {
                epoch: 0,
                policy: GrantPolicy { grants: config.grants.clone(), denials: config.denials.clone() },
                ..RunAuthority::default()
            },
            background: Vec::new(),
            arrived: Vec::new(),
            gone: BTreeMap::new(),
            children: BTreeMap::new(),
            started: Arc::new(started),
        }
    }
}
