//! The set of hooks of an agent, with their names, deadlines and whether children get them.
//!
//! It keeps lists and calls nothing (`hook/hook_calls.rs` does). A new kind of hook needs its trait
//! in `hook/traits.rs`, a list here, and, if the kernel must ask it, a point in
//! `holm-kernel/src/consultation.rs`.

use std::{any::type_name, collections::BTreeSet, fmt, sync::Arc, time::Duration};

use holm_kernel::ConsultPoint;

use super::traits::{
    AfterCallHook, BeforeCallHook, CompactionHook, ContextHook, EventObserver, FollowUpSource, LoopHook,
    ModelSelector, SteeringSource, ToolGate, UsageHook,
};

/// How long a hook may take by default.
pub const HOOK_DEADLINE: Duration = Duration::from_secs(30);

/// A type that implements several hooks, and registers them itself.
///
/// ```
/// use holm_runtime::{
///     BeforeCallHook, BoxFuture, EventNotice, EventObserver, Hook, HookOpinion, HookSet,
///     ProposedCall,
/// };
/// use std::sync::Arc;
///
/// struct Audit;
///
/// impl BeforeCallHook for Audit {
///     fn before_call<'a>(&'a self, _: &'a ProposedCall) -> BoxFuture<'a, HookOpinion> {
///         Box::pin(async { HookOpinion::Pass })
///     }
/// }
///
/// impl EventObserver for Audit {
///     fn observe(&self, _: EventNotice) -> BoxFuture<'_, ()> {
///         Box::pin(async {})
///     }
/// }
///
/// impl Hook for Audit {
///     fn join(self: Arc<Self>, hooks: HookSet) -> HookSet {
///         hooks.before_call(Arc::clone(&self)).observer(self).inherit()
///     }
/// }
///
/// let hooks = HookSet::new().hook(Audit);
/// # let _ = hooks;
/// ```
pub trait Hook: Send + Sync {
    /// Adds itself to every list that it needs.
    fn join(self: Arc<Self>, hooks: HookSet) -> HookSet;
}

/// Hooks, in the order in which they are asked.
///
/// [`deadline`](Self::deadline) and [`inherit`](Self::inherit) apply to all hooks
/// that were added before them. If hooks need different values, make two sets and
/// join them with [`with`](Self::with).
#[derive(Clone, Default)]
pub struct HookSet {
    pub(crate) before_call: Vec<RegisteredHook<dyn BeforeCallHook>>,
    pub(crate) after_call: Vec<RegisteredHook<dyn AfterCallHook>>,
    pub(crate) context: Vec<RegisteredHook<dyn ContextHook>>,
    pub(crate) observer: Vec<RegisteredHook<dyn EventObserver>>,
    pub(crate) steering: Vec<RegisteredHook<dyn SteeringSource>>,
    pub(crate) follow_up: Vec<RegisteredHook<dyn FollowUpSource>>,
    pub(crate) tool_gate: Vec<RegisteredHook<dyn ToolGate>>,
    pub(crate) model_select: Vec<RegisteredHook<dyn ModelSelector>>,
    pub(crate) on_usage: Vec<RegisteredHook<dyn UsageHook>>,
    pub(crate) on_loop: Vec<RegisteredHook<dyn LoopHook>>,
    pub(crate) on_compaction: Vec<RegisteredHook<dyn CompactionHook>>,
}

/// One hook with its settings.
pub(crate) struct RegisteredHook<H: ?Sized> {
    pub(crate) hook: Arc<H>,
    /// The name for messages about failures.
    pub(crate) name: &'static str,
    pub(crate) deadline: Duration,
    scope: HookScope,
}

/// Whether only the run or also its children get a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HookScope {
    Own,
    Children,
}

impl<H: ?Sized> Clone for RegisteredHook<H> {
    fn clone(&self) -> Self {
        Self { hook: Arc::clone(&self.hook), name: self.name, deadline: self.deadline, scope: self.scope }
    }
}

/// Applies the same code to every list of hooks.
macro_rules! each_list {
    ($hooks:expr, $list:ident => $do:expr) => {{
        let HookSet {
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
            let (name, deadline, scope) = (type_name::<H>(), HOOK_DEADLINE, HookScope::Own);
            self.$name.push(RegisteredHook { hook: Arc::new(hook), name, deadline, scope });
            self
        }
    };
}

impl HookSet {
    pub fn new() -> Self {
        Self::default()
    }

    adds! {
        /// Adds one that sees every call before it runs.
        before_call: BeforeCallHook
    }
    adds! {
        /// Adds one that sees every result before it is believed.
        after_call: AfterCallHook
    }
    adds! {
        /// Adds one that changes the messages of a request.
        context: ContextHook
    }
    adds! {
        /// Adds one that sees every event and never delays the run.
        observer: EventObserver
    }
    adds! {
        /// Adds one that may send a prompt every turn.
        steering: SteeringSource
    }
    adds! {
        /// Adds one that may have more work when a run would stop.
        follow_up: FollowUpSource
    }
    adds! {
        /// Adds one that decides which tools are on offer.
        tool_gate: ToolGate
    }
    adds! {
        /// Adds one that decides which model is called.
        model_select: ModelSelector
    }
    adds! {
        /// Adds one that gets the usage of every model call.
        on_usage: UsageHook
    }
    adds! {
        /// Adds one that is notified when a run repeats itself.
        on_loop: LoopHook
    }
    adds! {
        /// Adds one that is notified when the view was made smaller.
        on_compaction: CompactionHook
    }

    /// Adds a type to every list that it needs.
    #[must_use]
    pub fn hook(self, hook: impl Hook + 'static) -> Self {
        self.with(Arc::new(hook).join(Self::new()))
    }

    /// Adds the hooks of another set after these.
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

    /// Sets how long each of these may take.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        each_list!(&mut self, list => list.iter_mut().for_each(|entry| entry.deadline = deadline));
        self
    }

    /// Also gives these to the children of a run.
    #[must_use]
    pub fn inherit(mut self) -> Self {
        each_list!(&mut self, list => list.iter_mut().for_each(|entry| entry.scope = HookScope::Children));
        self
    }

    /// Those that the children of a run also get.
    #[must_use]
    pub fn inherited(mut self) -> Self {
        each_list!(&mut self, list => list.retain(|entry| entry.scope == HookScope::Children));
        self
    }

    /// Whether any of them reacts to events: most runs have none, and there are many events.
    pub(crate) fn has_remarks(&self) -> bool {
        !(self.on_usage.is_empty() && self.on_loop.is_empty() && self.on_compaction.is_empty())
    }

    /// The points at which the kernel must ask them.
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

impl fmt::Debug for HookSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = Vec::new();
        each_list!(self, list => names.extend(list.iter().map(|entry| entry.name)));
        out.debug_list().entries(names).finish()
    }
}
