//! Events: enough to display a run live, and to display it again from its journal.
//!
//! Events are numbered (record, index). Dropping one never changes the run. Deltas of a streaming
//! reply are not events: the model sends them to the sinks directly, and [`Event::Withdrawn`]
//! retracts them.

use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};

use holm_grants::Mode;
use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{
    CallId, Ending, EventId, FailureClass, Limit, MarkRule, Marks, Message, MessageId, NanoUsd, Outcome,
    Prompt, Reply, StopReason, Timestamp, Usage,
};

/// An event with its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Numbered {
    /// Its number.
    pub id: EventId,
    /// When the record that caused it was handled.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The run exists.
    RunStarted {
        /// The agent's name.
        name: String,
    },
    /// A host took over.
    RunResumed {
        /// Which.
        host: String,
    },
    /// A prompt began a turn group.
    GroupStarted {
        /// 1 for the first prompt.
        group: u64,
    },
    /// A message joined the transcript.
    MessageAdded {
        /// The message.
        message: Arc<Message>,
    },
    /// A message waits: steering or a follow-up.
    Queued {
        /// Where it waits.
        queue: Queue,
        /// How many wait there now.
        waiting: u64,
    },
    /// A cancel dropped what waited in a line; a host can offer it back.
    QueueDropped {
        /// Where it waited.
        queue: Queue,
        /// What was dropped, oldest first.
        prompts: Vec<Prompt>,
    },
    /// A model is being called.
    ModelCalled {
        /// The call, which the deltas carry.
        call: CallId,
        /// The turn within the group, from 1.
        turn: u64,
        /// The model's name.
        model: Arc<str>,
        /// Messages in the request.
        messages: u64,
        /// Estimated tokens of the request.
        tokens: u64,
    },
    /// A reply arrived.
    ModelReplied {
        /// Which call.
        call: CallId,
        /// What it took.
        usage: Usage,
        /// What it cost; none when the price is unknown.
        cost: Option<NanoUsd>,
        /// Why it ended.
        stop: StopReason,
        /// Which model answered, if the provider said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<Arc<str>>,
    },
    /// A model call failed.
    ModelFailed {
        /// Which call.
        call: CallId,
        /// How.
        class: FailureClass,
        /// What was said.
        message: String,
        /// What happens next.
        next: NextTry,
    },
    /// The work of one model was not good enough; the next of the ladder goes on.
    SteppedUp {
        /// The model that fell short.
        from: Arc<str>,
        /// The model that goes on.
        to: Arc<str>,
        /// In what way it fell short.
        cause: StepCause,
        /// What was said of it.
        reason: String,
    },
    /// The last model of the ladder fell short too. It was given the ladder's hint, once.
    LadderExhausted {
        /// The model.
        model: Arc<str>,
        /// In what way it fell short.
        cause: StepCause,
        /// What was said of it.
        reason: String,
    },
    /// The text streamed so far for this call does not count.
    Withdrawn {
        /// Which call.
        call: CallId,
    },
    /// A reply was cut by its cap and is tried again.
    OutputCapRaised {
        /// Which try.
        attempt: u64,
        /// The cap that was too small.
        from: Option<u64>,
        /// The cap now.
        to: Option<u64>,
    },
    /// A call was proposed; arguments are valid.
    CallProposed {
        /// Its id.
        call: CallId,
        /// The tool.
        tool: Arc<str>,
        /// The arguments in canonical JSON.
        arguments: Arc<str>,
        /// What was mended in them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixes: Vec<String>,
    },
    /// A person or hook is asked.
    ApprovalAsked {
        /// Which call.
        call: CallId,
    },
    /// A person or hook answered.
    ApprovalGiven {
        /// Which call.
        call: CallId,
        /// Whether it may run.
        allowed: bool,
        /// Why not.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// A call was written down and runs.
    CallStarted {
        /// Which.
        call: CallId,
    },
    /// A call ended.
    CallFinished {
        /// Which.
        call: CallId,
        /// The provider's id of the call.
        id: Arc<str>,
        /// What it came to.
        outcome: Outcome,
        /// Bytes of output.
        bytes: u64,
        /// Milliseconds since it was dispatched.
        millis: u64,
        /// For rendering.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metadata: Option<Arc<Json>>,
    },
    /// A guard ruled on a result.
    Ruled {
        /// Which call.
        call: CallId,
        /// Which guard.
        guard: String,
        /// Whether the result was refused (else it was a warning).
        rejected: bool,
        /// Why.
        reason: String,
    },
    /// A child run began.
    ChildStarted {
        /// The call.
        call: CallId,
        /// The child.
        child: String,
    },
    /// A child in the background has come to its end; its result waits to be heard. Its call ended when it began.
    ChildFinished {
        /// The call.
        call: CallId,
        /// What it came to.
        outcome: Outcome,
        /// Bytes of output.
        bytes: u64,
        /// Milliseconds since it was asked for.
        millis: u64,
    },
    /// The loop detector spoke.
    LoopSeen {
        /// The tool.
        tool: Arc<str>,
        /// How often.
        times: u64,
    },
    /// Something entered the run.
    Marked {
        /// The marks now.
        marks: Marks,
    },
    /// The view of the transcript was made smaller; the transcript itself is whole.
    ContextPlanned {
        /// What was done.
        step: PlanStep,
        /// Estimated tokens before.
        before: u64,
        /// Estimated tokens after.
        after: u64,
    },
    /// The tools on offer changed.
    ToolsChanged {
        /// How many there are now.
        tools: u64,
    },
    /// A tool was registered whose declaration cannot be held to in full.
    ToolFlawed {
        /// Which.
        tool: Arc<str>,
        /// Whether it can be used all the same; if not, the model is not offered it.
        usable: bool,
        /// What is wrong: for example a schema keyword that is not enforced.
        problems: Vec<String>,
    },
    /// The mode changed.
    ModeChanged {
        /// The mode now.
        mode: Mode,
    },
    /// The grants changed.
    GrantsChanged,
    /// The budget changed.
    BudgetChanged {
        /// The budget now.
        limit: Option<NanoUsd>,
    },
    /// The host narrowed the configuration.
    Narrowed {
        /// What marks lead to now.
        mark_rule: MarkRule,
    },
    /// A limit is near, and the model was told to wrap up.
    LimitNear {
        /// Which.
        limit: Limit,
        /// How much is left.
        left: u64,
    },
    /// A hook failed; what it guards is closed, the rest goes on.
    HookFailed {
        /// Why.
        reason: String,
    },
    /// A fact came too late or twice and changed nothing.
    Ignored {
        /// What it was about.
        call: Option<CallId>,
    },
    /// The turn group is over; always the last event of a group.
    GroupEnded {
        /// How.
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
    pub(crate) fn replied(call: CallId, reply: &Reply, cost: Option<NanoUsd>) -> Self {
        let model = reply.model.as_deref().map(Arc::from);
        Self::ModelReplied { call, usage: reply.usage, cost, stop: reply.stop, model }
    }
}

/// A waiting line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// Enters before the next model call.
    Steering,
    /// Enters at a natural stop.
    FollowUp,
}

/// What follows a failed model call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum NextTry {
    /// The same model at this time.
    Retry {
        /// When.
        at: Timestamp,
    },
    /// The next model of the list.
    Fallback {
        /// Its name.
        model: String,
    },
    /// The same model with a smaller view.
    Compact,
    /// Nothing: the group ends.
    GiveUp,
}

/// In what way a model fell short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum StepCause {
    /// A guard rejected what came of its work, and the correction did not help.
    Rejected,
    /// Its calls were invalid, turn after turn.
    InvalidCalls,
    /// It announced an action twice and took none.
    Inconclusive,
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
    /// Large results of the last turns lost their middle, because nothing else was left to go.
    Clipped,
}
