//! The set of hooks of an agent.

use std::{any::type_name, collections::BTreeSet, fmt, sync::Arc, time::Duration};

use holm_kernel::ConsultPoint;

use super::traits::{
    AfterCall, BeforeCall, ContextHook, FollowUpSource, ModelSelect, Observer, OnCompaction, OnLoop, OnUsage,
    SteeringSource, ToolGate,
};

/// How long a hook may take by default.
pub const HOOK_DEADLINE: Duration = Duration::from_secs(30);

/// A type that is several hooks at once, and says which.
///
/// ```
/// use std::sync::Arc;
/// use holm_runtime::{BeforeCall, BoxFuture, Hook, Hooks, Notice, Observer, Opinion, Proposed};
///
/// struct Audit;
///
/// impl BeforeCall for Audit {
///     fn before_call<'a>(&'a self, _: &'a Proposed) -> BoxFuture<'a, Opinion> {
///         Box::pin(async { Opinion::Pass })
///     }
/// }
///
/// impl Observer for Audit {
///     fn observe(&self, _: Notice) -> BoxFuture<'_, ()> {
///         Box::pin(async {})
///     }
/// }
///
/// impl Hook for Audit {
///     fn join(self: Arc<Self>, hooks: Hooks) -> Hooks {
///         hooks.before_call(Arc::clone(&self)).observer(self).inherit()
///     }
/// }
///
/// let hooks = Hooks::new().hook(Audit);
/// # let _ = hooks;
/// ```
pub trait Hook: Send + Sync {
    /// Adds itself wherever it wants to be heard.
    fn join(self: Arc<Self>, hooks: Hooks) -> Hooks;
}

/// Hooks, in the order in which they are asked.
///
/// [`deadline`](Self::deadline) and [`inherit`](Self::inherit) hold for all hooks that were added before them; make two
/// of these and [`with`](Self::with) one of the other where they differ.
#[derive(Clone, Default)]
pub struct Hooks {
    pub(crate) before_call: Vec<Entry<dyn BeforeCall>>,
    pub(crate) after_call: Vec<Entry<dyn AfterCall>>,
    pub(crate) context: Vec<Entry<dyn ContextHook>>,
    pub(crate) observer: Vec<Entry<dyn Observer>>,
    pub(crate) steering: Vec<Entry<dyn SteeringSource>>,
    pub(crate) follow_up: Vec<Entry<dyn FollowUpSource>>,
    pub(crate) tool_gate: Vec<Entry<dyn ToolGate>>,
    pub(crate) model_select: Vec<Entry<dyn ModelSelect>>,
    pub(crate) on_usage: Vec<Entry<dyn OnUsage>>,
    pub(crate) on_loop: Vec<Entry<dyn OnLoop>>,
    pub(crate) on_compaction: Vec<Entry<dyn OnCompaction>>,
}

/// One hook and what holds for it.
pub(crate) struct Entry<H: ?Sized> {
    pub(crate) hook: Arc<H>,
    /// For people, when it fails.
    pub(crate) name: &'static str,
    pub(crate) deadline: Duration,
    scope: Scope,
}

/// Who gets a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Own,
    Children,
}

impl<H: ?Sized> Clone for Entry<H> {
    fn clone(&self) -> Self {
        Self { hook: Arc::clone(&self.hook), name: self.name, deadline: self.deadline, scope: self.scope }
    }
}

/// Does the same to every list of hooks.
macro_rules! each_list {
    ($hooks:expr, $list:ident => $do:expr) => {{
        let Hooks {
            before_call,
            after_call,
            context,
            observer,
            steering,
            follow_up,
            tool_gate,
            model_select,
            on_usage,
            on_loop,
            on_compaction,
        } = $hooks;
        each_list!(@each $list => $do; before_call after_call context observer steering follow_up tool_gate
            model_select on_usage on_loop on_compaction);
    }};
    (@each $list:ident => $do:expr; $($name:ident)*) => {
        $({
            let $list = $name;
            $do
        })*
    };
}

/// A method that adds one kind of hook.
macro_rules! adds {
    ($(#[$doc:meta])* $name:ident: $trait:ident) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name<H: $trait + 'static>(mut self, hook: H) -> Self {
            let (name, deadline, scope) = (type_name::<H>(), HOOK_DEADLINE, Scope::Own);
            self.$name.push(Entry { hook: Arc::new(hook), name, deadline, scope });
            self
        }
    };
}

impl Hooks {
    pub fn new() -> Self {
        Self::default()
    }

    adds! {
        /// Adds one that looks at every call before it runs.
        before_call: BeforeCall
    }
    adds! {
        /// Adds one that looks at every result before it is believed.
        after_call: AfterCall
    }
    adds! {
        /// Adds one that changes what a request shows.
        context: ContextHook
    }
    adds! {
        /// Adds one that sees every event and never delays the run.
        observer: Observer
    }
    adds! {
        /// Adds one that may have something to say every turn.
        steering: SteeringSource
    }
    adds! {
        /// Adds one that may have more to do when a run would stop.
        follow_up: FollowUpSource
    }
    adds! {
        /// Adds one that says which tools are on offer.
        tool_gate: ToolGate
    }
    adds! {
        /// Adds one that says which model is called.
        model_select: ModelSelect
    }
    adds! {
        /// Adds one that hears what every model call took.
        on_usage: OnUsage
    }
    adds! {
        /// Adds one that hears when a run repeats itself.
        on_loop: OnLoop
    }
    adds! {
        /// Adds one that hears when the view was made smaller.
        on_compaction: OnCompaction
    }

    /// Adds a type wherever it wants to be heard.
    #[must_use]
    pub fn hook(self, hook: impl Hook + 'static) -> Self {
        self.with(Arc::new(hook).join(Self::new()))
    }

    /// Adds others behind these.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.before_call.extend(other.before_call);
        self.after_call.extend(other.after_call);
        self.context.extend(other.context);
        self.observer.extend(other.observer);
        self.steering.extend(other.steering);
        self.follow_up.extend(other.follow_up);
        self.tool_gate.extend(other.tool_gate);
        self.model_select.extend(other.model_select);
        self.on_usage.extend(other.on_usage);
        self.on_loop.extend(other.on_loop);
        self.on_compaction.extend(other.on_compaction);
        self
    }

    /// Says how long each of these may take.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        each_list!(&mut self, list => list.iter_mut().for_each(|entry| entry.deadline = deadline));
        self
    }

    /// Says that the children of a run get these too.
    #[must_use]
    pub fn inherit(mut self) -> Self {
        each_list!(&mut self, list => list.iter_mut().for_each(|entry| entry.scope = Scope::Children));
        self
    }

    /// Those that the children of a run get.
    #[must_use]
    pub fn inherited(mut self) -> Self {
        each_list!(&mut self, list => list.retain(|entry| entry.scope == Scope::Children));
        self
    }

    /// Whether any of them reacts to events: most runs have none, and events are many.
    pub(crate) fn has_remarks(&self) -> bool {
        !(self.on_usage.is_empty() && self.on_loop.is_empty() && self.on_compaction.is_empty())
    }

    /// Where the kernel has to ask for them.
    pub fn points(&self) -> BTreeSet<ConsultPoint> {
        let points = [
            (!self.context.is_empty(), ConsultPoint::Context),
            (!self.tool_gate.is_empty(), ConsultPoint::Tools),
            (!self.model_select.is_empty(), ConsultPoint::Model),
            (!self.after_call.is_empty(), ConsultPoint::AfterTool),
            (!self.follow_up.is_empty(), ConsultPoint::Stop),
        ];
        points.into_iter().filter(|(wanted, _)| *wanted).map(|(_, point)| point).collect()
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = Vec::new();
        each_list!(self, list => names.extend(list.iter().map(|entry| entry.name)));
        out.debug_list().entries(names).finish()
    }
}
