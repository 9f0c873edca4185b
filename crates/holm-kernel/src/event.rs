//! Events: enough to display a run live, and to display it again from its journal.
//!
//! Events are numbered (record, index). Dropping one never changes the run: no decision may depend
//! on whether an event was delivered. Deltas of a streaming reply are not events: the model sends
//! them to the sinks directly (`holm-runtime/src/delta.rs`), and [`Event::Withdrawn`] retracts
//! them. This file only declares events; `run/` emits them, and `holm-runtime/src/events/` delivers
//! them. What the host must do is an effect (`effect.rs`), never an event.

use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};

use holm_grants::Mode;
use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{
    CallId, Ending, EventId, FailureClass, Limit, MarkRule, Marks, Message, MessageId, ModelCallId, NanoUsd,
    Outcome, Prompt, Reply, StopReason, Timestamp, ToolCallId, Usage,
};

/// An event with its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Numbered {
    pub id: EventId,
    /// When the record that caused it was handled.
    pub at: Timestamp,
    pub event: Event,
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The run was created.
    RunStarted {
        name: String,
    },
    /// A host took over.
    RunResumed {
        /// The host that took over.
        host: String,
    },
    /// A prompt began a turn group.
    GroupStarted {
        /// 1 for the first prompt.
        group: u64,
    },
    /// A message joined the transcript.
    MessageAdded {
        message: Arc<Message>,
    },
    /// A prompt was queued: steering or a follow-up.
    Queued {
        queue: Queue,
        /// How many wait there now.
        waiting: u64,
    },
    /// A cancel dropped the queued prompts; a host can offer them back.
    QueueDropped {
        queue: Queue,
        /// What was dropped, oldest first.
        prompts: Vec<Prompt>,
    },
    /// A model is being called.
    ModelCalled {
        /// The call; its deltas carry the same id.
        call: ModelCallId,
        /// The turn within the group, from 1.
        turn: u64,
        model: Arc<str>,
        /// Messages in the request.
        messages: u64,
        /// Estimated tokens of the request.
        tokens: u64,
    },
    /// The model's reply arrived.
    ModelReplied {
        call: ModelCallId,
        usage: Usage,
        /// The cost; `None` if the price is unknown.
        cost: Option<NanoUsd>,
        stop: StopReason,
        /// Which model answered, if the provider said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<Arc<str>>,
    },
    /// A model call failed.
    ModelFailed {
        call: ModelCallId,
        class: FailureClass,
        message: String,
        next: NextTry,
    },
    /// The work of one model was not good enough; the next model of the ladder takes over.
    SteppedUp {
        /// The model that failed.
        from: Arc<str>,
        /// The model that takes over.
        to: Arc<str>,
        /// How the model failed.
        cause: StepCause,
        /// Details of the failure, for people.
        reason: String,
    },
    /// The last model of the ladder failed too. It was given the ladder's hint once.
    LadderExhausted {
        model: Arc<str>,
        /// How the model failed.
        cause: StepCause,
        /// Details of the failure, for people.
        reason: String,
    },
    /// The text streamed so far for this call is invalid.
    Withdrawn {
        call: ModelCallId,
    },
    /// A reply was cut by its output cap and is retried.
    OutputCapRaised {
        attempt: u64,
        /// The cap that was too small.
        from: Option<u64>,
        /// The output cap from now on.
        to: Option<u64>,
    },
    /// The model proposed a call with valid arguments.
    CallProposed {
        call: ToolCallId,
        tool: Arc<str>,
        /// The arguments in canonical JSON.
        arguments: Arc<str>,
        /// Repairs that were made to them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixes: Vec<String>,
    },
    /// A person or hook is asked.
    ApprovalAsked {
        call: ToolCallId,
    },
    /// A person or hook answered.
    ApprovalGiven {
        call: ToolCallId,
        /// Whether it may run.
        allowed: bool,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// A call was dispatched and runs.
    CallStarted {
        call: ToolCallId,
    },
    /// A tool call ended.
    CallFinished {
        call: ToolCallId,
        /// The provider's id of the call.
        id: Arc<str>,
        /// The outcome of the call.
        outcome: Outcome,
        bytes: u64,
        /// Milliseconds since it was dispatched.
        millis: u64,
        /// For rendering; never sent to a model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metadata: Option<Arc<Json>>,
    },
    /// A guard ruled on a result.
    Ruled {
        call: ToolCallId,
        guard: String,
        /// Whether the result was rejected; otherwise this is a warning.
        rejected: bool,
        reason: String,
    },
    /// A child run started.
    ChildStarted {
        call: ToolCallId,
        child: String,
    },
    /// A child in the background has ended, and its result is queued for the model. Its call ended
    /// when the child started.
    ChildFinished {
        call: ToolCallId,
        /// The outcome of the child.
        outcome: Outcome,
        bytes: u64,
        /// Milliseconds since it was requested.
        millis: u64,
    },
    /// The loop detector found a repetition.
    LoopSeen {
        tool: Arc<str>,
        times: u64,
    },
    /// A mark was set.
    Marked {
        marks: Marks,
    },
    /// The view of the transcript was made smaller; the transcript itself is complete.
    ContextPlanned {
        step: PlanStep,
        before: u64,
        after: u64,
    },
    /// The tools on offer changed.
    ToolsChanged {
        /// How many there are now.
        tools: u64,
    },
    /// A tool was registered whose declaration cannot be enforced in full.
    ToolFlawed {
        tool: Arc<str>,
        /// Whether it can be used anyway; if not, it is not offered to the model.
        usable: bool,
        /// The problems: for example a schema keyword that is not enforced.
        problems: Vec<String>,
    },
    ModeChanged {
        mode: Mode,
    },
    GrantsChanged,
    BudgetChanged {
        limit: Option<NanoUsd>,
    },
    /// The host narrowed the configuration.
    Narrowed {
        /// The rule for marks from now on.
        mark_rule: MarkRule,
    },
    /// A limit is near, and the model was told to wrap up.
    LimitNear {
        limit: Limit,
        /// How much is left.
        left: u64,
    },
    /// A hook failed; a guard then closes, everything else continues.
    HookFailed {
        reason: String,
    },
    /// A fact came too late or twice, and changed nothing.
    Ignored {
        /// The call that it was about.
        call: Option<CallId>,
    },
    /// The turn group is over; always the last event of a group.
    GroupEnded {
        ending: Box<Ending>,
        /// The last message of the transcript.
        last: Option<MessageId>,
        /// Tokens of the whole run.
        usage: Usage,
        /// Money of the whole run.
        spent: NanoUsd,
    },
}

impl Event {
    /// A reply arrived, with what its provider said of it.
    pub(crate) fn replied(call: ModelCallId, reply: &Reply, cost: Option<NanoUsd>) -> Self {
        let model = reply.model.as_deref().map(Arc::from);
        Self::ModelReplied { call, usage: reply.usage, cost, stop: reply.stop, model }
    }
}

/// A queue of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// Enters before the next model call.
    Steering,
    /// Enters at a natural stop.
    FollowUp,
}

/// What the kernel does after a failed model call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum NextTry {
    /// Call the same model again later.
    Retry {
        /// When the call is retried.
        at: Timestamp,
    },
    /// Call the next model of the list.
    Fallback { model: String },
    /// Call the same model with a smaller view.
    Compact,
    /// Give up: the group ends.
    GiveUp,
}

/// How a model failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum StepCause {
    /// A guard rejected a result of its work, and the correction did not help.
    Rejected,
    /// Its calls were invalid, turn after turn.
    InvalidCalls,
    /// It announced an action twice and took none.
    Inconclusive,
    /// It made the same call again and again, to no avail.
    Looping,
}

/// How the view was made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum PlanStep {
    /// Old results became one line each.
    Elided,
    /// The oldest part became a summary.
    Summarised,
    /// A summary was asked for and not used.
    SummaryDiscarded,
    /// The oldest turns left the view.
    Dropped,
    /// Large results of the last turns lost their middle, because nothing else could be removed.
    Clipped,
}
