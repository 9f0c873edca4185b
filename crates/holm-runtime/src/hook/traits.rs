//! The hook traits. Plain functions implement most of them.
//!
//! Each trait is one point of the loop, and its documentation says what a failing hook means. A
//! hook before a call can only narrow what the rules allow. Registering hooks is in
//! `hook/hooks.rs`, asking them in `hook/hook_calls.rs`.

use std::{collections::BTreeSet, sync::Arc};

use holm_kernel::{
    Message, ModelCallId, NanoUsd, Patch, PlanStep, Prompt, Proposal, ToolCallId, ToolOutput, Usage,
};

use crate::{BoxFuture, EventNotice};

/// Sees every call before it runs, also calls that need no approval. It can only narrow
/// what the rules allow.
///
/// ```
/// use holm_runtime::{HookSet, HookOpinion, ProposedCall};
///
/// let no_force = |call: &ProposedCall| match call.arguments.contains("--force") {
///     true => HookOpinion::deny("nothing is forced here"),
///     false => HookOpinion::Pass,
/// };
/// let hooks = HookSet::new().before_call(no_force);
/// # let _ = hooks;
/// ```
pub trait BeforeCallHook: Send + Sync {
    /// Rules on one call. A hook that fails denies the call.
    fn before_call<'a>(&'a self, call: &'a ProposedCall) -> BoxFuture<'a, HookOpinion>;
}

/// A call that is about to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedCall {
    /// The run that makes the call.
    pub run: Arc<str>,
    /// The call as people see it.
    pub proposal: Arc<Proposal>,
    /// The whole arguments in canonical JSON.
    pub arguments: Arc<str>,
}

/// A hook's opinion about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookOpinion {
    /// No objection; the other hooks are asked too.
    Pass,
    /// It must not run.
    Deny {
        /// The reason; the model gets it.
        reason: String,
    },
    /// It may run with other arguments, which are validated and judged again.
    Rewrite {
        /// The new arguments, as JSON text.
        arguments: String,
    },
}

impl HookOpinion {
    /// A denial with its reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// Sees every result before it is believed.
pub trait AfterCallHook: Send + Sync {
    /// Returns a result to use instead, or `None` to leave it. Hooks are asked in turn, each about
    /// the result of the one before.
    fn after_call<'a>(
        &'a self,
        call: &'a CompletedCall,
        output: &'a ToolOutput,
    ) -> BoxFuture<'a, Option<ToolOutput>>;
}

/// A call that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedCall {
    /// The run that made the call.
    pub run: Arc<str>,
    pub call: ToolCallId,
    pub tool: String,
    /// The whole arguments in canonical JSON.
    pub arguments: Arc<str>,
}

/// Changes the messages of one request; the transcript is unchanged.
pub trait ContextHook: Send + Sync {
    /// The changes to the next request, by message id. The list is a copy of the pointers, so the
    /// cost of this hook grows with the number of messages.
    fn context<'a>(&'a self, messages: &'a [Arc<Message>]) -> BoxFuture<'a, Vec<Patch>>;
}

/// Sees every event, in its own task. It may be slow; then it misses events and is notified.
pub trait EventObserver: Send + Sync {
    /// Takes one event, or the number of missed ones.
    fn observe(&self, notice: EventNotice) -> BoxFuture<'_, ()>;
}

/// Can send prompts while a run works.
pub trait SteeringSource: Send + Sync {
    /// Asked once per turn, while the model is at work; the prompts enter before
    /// the next model call.
    fn steering(&self) -> BoxFuture<'_, Vec<Prompt>>;
}

/// Can provide more work when a run would stop by itself.
pub trait FollowUpSource: Send + Sync {
    /// The prompt to continue with, if any.
    fn follow_up(&self) -> BoxFuture<'_, Option<Prompt>>;

    /// As [`follow_up`](Self::follow_up), with the name of the run that would stop, for
    /// a source that counts.
    fn follow_up_of<'a>(&'a self, _run: &'a str) -> BoxFuture<'a, Option<Prompt>> {
        self.follow_up()
    }
}

/// Decides before every model call which tools are on offer.
pub trait ToolGate: Send + Sync {
    /// Only these tools, or `None` for no restriction. The answers of several gates are
    /// intersected; a gate that fails closes.
    fn tools<'a>(&'a self, offered: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>>;

    /// As [`tools`](Self::tools), for a gate that also reads the messages of the next request.
    /// Without [`GateVisibility::View`] the list is empty.
    fn tools_seeing<'a>(
        &'a self,
        offered: &'a [String],
        _view: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        self.tools(offered)
    }

    /// What the gate reads.
    fn sight(&self) -> GateVisibility {
        GateVisibility::Names
    }
}

/// What a tool gate reads. The cost of reading messages grows with their number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GateVisibility {
    /// The names of the tools.
    #[default]
    Names,
    /// Also the messages of the next request.
    View,
}

/// Decides before every model call which of the configured models is called.
pub trait ModelSelector: Send + Sync {
    /// The model's name, or `None` for no preference. The first hook that names one decides.
    fn model<'a>(&'a self, current: &'a str) -> BoxFuture<'a, Option<String>>;
}

/// Gets the usage of every model call.
pub trait UsageHook: Send + Sync {
    fn on_usage<'a>(&'a self, spent: &'a ModelCallCost) -> BoxFuture<'a, HookReaction>;
}

/// The usage and cost of a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCallCost {
    pub call: ModelCallId,
    pub usage: Usage,
    /// Its cost; `None` if the price is unknown.
    pub cost: Option<NanoUsd>,
    /// Tokens of the whole run.
    pub run_usage: Usage,
    /// Money of the whole run.
    pub run_spent: NanoUsd,
}

/// Is told when a run repeats itself.
pub trait LoopHook: Send + Sync {
    fn on_loop<'a>(&'a self, looped: &'a LoopNotice) -> BoxFuture<'a, HookReaction>;
}

/// A call that was repeated too often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopNotice {
    pub tool: Arc<str>,
    pub times: u64,
}

/// Is told when the view of a transcript was made smaller.
pub trait CompactionHook: Send + Sync {
    fn on_compaction<'a>(&'a self, compacted: &'a CompactionNotice) -> BoxFuture<'a, HookReaction>;
}

/// How a view was made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionNotice {
    pub step: PlanStep,
    pub before: u64,
    pub after: u64,
}

/// A hook's reaction to an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HookReaction {
    /// The run continues unchanged.
    #[default]
    GoOn,
    /// Sends a prompt, which enters before the next model call.
    Steer(Prompt),
    /// Cancels the run, for this reason.
    Cancel(String),
}

/// Implements a hook trait for functions and for shared hooks.
macro_rules! hook {
    ($trait:ident, $method:ident, ($($argument:ident: $type:ty),*) -> $output:ty) => {
        impl<F: Fn($(&$type),*) -> $output + Send + Sync> $trait for F {
            fn $method<'a>(&'a self, $($argument: &'a $type),*) -> BoxFuture<'a, $output> {
                // Called when it is polled, where a panic is caught.
                Box::pin(async move { self($($argument),*) })
            }
        }

        impl<H: $trait + ?Sized> $trait for Arc<H> {
            fn $method<'a>(&'a self, $($argument: &'a $type),*) -> BoxFuture<'a, $output> {
                (**self).$method($($argument),*)
            }
        }
    };
}

hook!(BeforeCallHook, before_call, (call: ProposedCall) -> HookOpinion);
hook!(AfterCallHook, after_call, (call: CompletedCall, output: ToolOutput) -> Option<ToolOutput>);
hook!(ContextHook, context, (messages: [Arc<Message>]) -> Vec<Patch>);
hook!(SteeringSource, steering, () -> Vec<Prompt>);
hook!(ModelSelector, model, (current: str) -> Option<String>);
hook!(UsageHook, on_usage, (spent: ModelCallCost) -> HookReaction);
hook!(LoopHook, on_loop, (looped: LoopNotice) -> HookReaction);
hook!(CompactionHook, on_compaction, (compacted: CompactionNotice) -> HookReaction);

impl<F: Fn() -> Option<Prompt> + Send + Sync> FollowUpSource for F {
    fn follow_up(&self) -> BoxFuture<'_, Option<Prompt>> {
        // Called when it is polled, where a panic is caught.
        Box::pin(async move { self() })
    }
}

impl<H: FollowUpSource + ?Sized> FollowUpSource for Arc<H> {
    fn follow_up(&self) -> BoxFuture<'_, Option<Prompt>> {
        (**self).follow_up()
    }

    fn follow_up_of<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Option<Prompt>> {
        (**self).follow_up_of(run)
    }
}

impl<F: Fn(&[String]) -> Option<BTreeSet<String>> + Send + Sync> ToolGate for F {
    fn tools<'a>(&'a self, offered: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        // Called when it is polled, where a panic is caught.
        Box::pin(async move { self(offered) })
    }
}

impl<H: ToolGate + ?Sized> ToolGate for Arc<H> {
    fn tools<'a>(&'a self, offered: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        (**self).tools(offered)
    }

    fn tools_seeing<'a>(
        &'a self,
        offered: &'a [String],
        view: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        (**self).tools_seeing(offered, view)
    }

    fn sight(&self) -> GateVisibility {
        (**self).sight()
    }
}

impl<F: Fn(EventNotice) + Send + Sync> EventObserver for F {
    fn observe(&self, notice: EventNotice) -> BoxFuture<'_, ()> {
        self(notice);
        Box::pin(async {})
    }
}

impl<H: EventObserver + ?Sized> EventObserver for Arc<H> {
    fn observe(&self, notice: EventNotice) -> BoxFuture<'_, ()> {
        (**self).observe(notice)
    }
}
