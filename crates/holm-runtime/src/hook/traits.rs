//! The hook traits. Plain functions implement most of them.

use std::{collections::BTreeSet, sync::Arc};

use holm_kernel::{CallId, Message, NanoUsd, Patch, PlanStep, Prompt, Proposal, ToolOutput, Usage};

use crate::{BoxFuture, Notice};

/// Sees every call before it runs, also calls that need no approval. It can only narrow what the
/// rules allow.
///
/// ```
/// use holm_runtime::{Hooks, Opinion, Proposed};
///
/// let no_force = |call: &Proposed| match call.arguments.contains("--force") {
///     true => Opinion::deny("nothing is forced here"),
///     false => Opinion::Pass,
/// };
/// let hooks = Hooks::new().before_call(no_force);
/// # let _ = hooks;
/// ```
pub trait BeforeCall: Send + Sync {
    /// Rules on one call. A hook that fails has said no.
    fn before_call<'a>(&'a self, call: &'a Proposed) -> BoxFuture<'a, Opinion>;
}

/// A call that is about to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// The run that wants it.
    pub run: Arc<str>,
    /// As it is shown to people.
    pub proposal: Arc<Proposal>,
    /// The whole arguments in canonical JSON.
    pub arguments: Arc<str>,
}

/// What a hook says of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opinion {
    /// Nothing against it; the others are asked too.
    Pass,
    /// It must not run.
    Deny {
        /// Why; the model is told.
        reason: String,
    },
    /// It may run with other arguments, which are validated and looked at again.
    Rewrite {
        /// The new arguments, as JSON text.
        arguments: String,
    },
}

impl Opinion {
    /// A no with its reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// Looks at every result before it is believed.
pub trait AfterCall: Send + Sync {
    /// Gives another result in its place, or none to leave it. Several are asked in turn, each about what the one
    /// before made of it.
    fn after_call<'a>(
        &'a self,
        call: &'a Called,
        output: &'a ToolOutput,
    ) -> BoxFuture<'a, Option<ToolOutput>>;
}

/// A call that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The run that wanted it.
    pub run: Arc<str>,
    pub call: CallId,
    pub tool: String,
    /// The whole arguments in canonical JSON.
    pub arguments: Arc<str>,
}

/// Changes what one request shows; the transcript stays as it is.
pub trait ContextHook: Send + Sync {
    /// The changes to the next request, by the messages' ids. The list is a copy of the pointers, so this hook costs a
    /// little more with every message.
    fn context<'a>(&'a self, messages: &'a [Arc<Message>]) -> BoxFuture<'a, Vec<Patch>>;
}

/// Sees everything that happens, in a task of its own: it may take its time, and then misses events and is told so.
pub trait Observer: Send + Sync {
    /// Takes one event, or the number of those it missed.
    fn observe(&self, notice: Notice) -> BoxFuture<'_, ()>;
}

/// Has something to say while a run works.
pub trait SteeringSource: Send + Sync {
    /// Asked once a turn, while the model is at work; what it says enters before the next model call.
    fn steering(&self) -> BoxFuture<'_, Vec<Prompt>>;
}

/// Has more to do when a run would stop by itself.
pub trait FollowUpSource: Send + Sync {
    /// What to go on with, if anything.
    fn follow_up(&self) -> BoxFuture<'_, Option<Prompt>>;

    /// As [`follow_up`](Self::follow_up), for a source that counts: this is the run that would stop.
    fn follow_up_of<'a>(&'a self, _run: &'a str) -> BoxFuture<'a, Option<Prompt>> {
        self.follow_up()
    }
}

/// Says before every model call which tools are on offer.
pub trait ToolGate: Send + Sync {
    /// Only these, or none to leave it open. What several gates say is intersected; a gate that fails has closed.
    fn tools<'a>(&'a self, offered: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>>;

    /// As [`tools`](Self::tools), for a gate that also looks at what the next request shows. Without
    /// [`Sight::View`] there is nothing to see.
    fn tools_seeing<'a>(
        &'a self,
        offered: &'a [String],
        _view: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        self.tools(offered)
    }

    /// What it looks at.
    fn sight(&self) -> Sight {
        Sight::Names
    }
}

/// What a tool gate looks at. To see the messages costs a little more with every message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sight {
    /// The names of the tools.
    #[default]
    Names,
    /// Also the messages that the next request shows.
    View,
}

/// Says before every model call which of the configured models is called.
pub trait ModelSelect: Send + Sync {
    /// The model's name, or none to leave it. The first that names one is followed.
    fn model<'a>(&'a self, current: &'a str) -> BoxFuture<'a, Option<String>>;
}

/// Hears what every model call took.
pub trait OnUsage: Send + Sync {
    fn on_usage<'a>(&'a self, spent: &'a Spent) -> BoxFuture<'a, Reaction>;
}

/// What a model call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    pub call: CallId,
    pub usage: Usage,
    /// Its price; none when it is not known.
    pub cost: Option<NanoUsd>,
    /// Tokens of the whole run.
    pub run_usage: Usage,
    /// Money of the whole run.
    pub run_spent: NanoUsd,
}

/// Hears when a run repeats itself.
pub trait OnLoop: Send + Sync {
    fn on_loop<'a>(&'a self, looped: &'a Looped) -> BoxFuture<'a, Reaction>;
}

/// A call that was made again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looped {
    pub tool: Arc<str>,
    pub times: u64,
}

/// Hears when the view of a transcript was made smaller.
pub trait OnCompaction: Send + Sync {
    fn on_compaction<'a>(&'a self, compacted: &'a Compacted) -> BoxFuture<'a, Reaction>;
}

/// How a view was made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    pub step: PlanStep,
    pub before: u64,
    pub after: u64,
}

/// What a hook makes of what it heard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reaction {
    /// The run continues unchanged.
    #[default]
    GoOn,
    /// It has something to say, which enters before the next model call.
    Steer(Prompt),
    /// The run is to stop, for this reason.
    Cancel(String),
}

/// A function is a hook, and so is a hook that others hold too.
macro_rules! hook {
    ($trait:ident, $method:ident, ($($argument:ident: $type:ty),*) -> $output:ty) => {
        impl<F: Fn($(&$type),*) -> $output + Send + Sync> $trait for F {
            fn $method<'a>(&'a self, $($argument: &'a $type),*) -> BoxFuture<'a, $output> {
                // Called when it is waited for, where a panic is caught.
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

hook!(BeforeCall, before_call, (call: Proposed) -> Opinion);
hook!(AfterCall, after_call, (call: Called, output: ToolOutput) -> Option<ToolOutput>);
hook!(ContextHook, context, (messages: [Arc<Message>]) -> Vec<Patch>);
hook!(SteeringSource, steering, () -> Vec<Prompt>);
hook!(ModelSelect, model, (current: str) -> Option<String>);
hook!(OnUsage, on_usage, (spent: Spent) -> Reaction);
hook!(OnLoop, on_loop, (looped: Looped) -> Reaction);
hook!(OnCompaction, on_compaction, (compacted: Compacted) -> Reaction);

impl<F: Fn() -> Option<Prompt> + Send + Sync> FollowUpSource for F {
    fn follow_up(&self) -> BoxFuture<'_, Option<Prompt>> {
        // Called when it is waited for, where a panic is caught.
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
        // Called when it is waited for, where a panic is caught.
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

    fn sight(&self) -> Sight {
        (**self).sight()
    }
}

impl<F: Fn(Notice) + Send + Sync> Observer for F {
    fn observe(&self, notice: Notice) -> BoxFuture<'_, ()> {
        self(notice);
        Box::pin(async {})
    }
}

impl<H: Observer + ?Sized> Observer for Arc<H> {
    fn observe(&self, notice: Notice) -> BoxFuture<'_, ()> {
        (**self).observe(notice)
    }
}
