//! One helper: its name, its purpose, and the agent that does the work.
//!
//! It is a declaration for the kernel plus the agent; nothing runs here (`child/child_execution.rs`
//! does). A helper has no grants until some are named, and gets only those of them that its parent
//! holds. Agents from files become helpers in `holm-tools/src/agents/`.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use holm_grants::{Grant, GrantSet, Level, NeedTemplate};
use holm_guards::json::Json;
use holm_kernel::{Background, NanoUsd, ToolKind, ToolSpec};

use crate::{Agent, BoxFuture, BuildError};

/// The schema of helpers that may work in the background.
const BACKGROUND_SCHEMA: &str = r#"{"type":"object","properties":{"task":{"type":"string","minLength":1,"description":"What to do, with everything the helper must know: it does not see this conversation."},"background":{"type":"boolean","description":"Continue at once; the result arrives later on its own."}},"required":["task"],"additionalProperties":false}"#;

/// The argument of a call that does not wait.
const BACKGROUND: &str = "background";

/// The schema of all other helpers.
const SCHEMA: &str = r#"{"type":"object","properties":{"task":{"type":"string","minLength":1,"description":"What to do, with everything the helper must know: it does not see this conversation."}},"required":["task"],"additionalProperties":false}"#;

/// An agent that other agents can delegate work to.
///
/// ```
/// # use holm_runtime::model_fn;
/// # use holm_kernel::{Block, ModelResult, Reply};
/// # let client = model_fn(|_| {
/// #     let reply = Reply { blocks: vec![Block::Text("4".into())], ..Reply::default() };
/// #     Box::pin(async move { ModelResult::Replied(reply) })
/// # });
/// use holm_grants::GrantSet;
/// use holm_kernel::NanoUsd;
/// use holm_runtime::{Agent, HelperAgent};
///
/// let agent = Agent::builder("example/model", client).system("You review code.").build()?;
/// let reviewer = HelperAgent::new("reviewer", "Reviews a change.", agent)
///     .grants(GrantSet::parse(["read:src/**"])?)
///     .reserve(NanoUsd::new(50_000_000));
/// assert_eq!(reviewer.name(), "reviewer");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct HelperAgent {
    pub(super) declaration: ToolSpec,
    pub(super) origin: HelperOrigin,
}

/// Where a helper gets its agent from.
#[derive(Clone)]
pub(super) enum HelperOrigin {
    /// One agent for every call.
    Shared(Agent),
    /// One agent per call, made for the folder of the call.
    Made { isolation: Arc<dyn ChildIsolation>, make: Arc<AgentFactory> },
}

/// Makes an agent that works in a folder.
pub(super) type AgentFactory = dyn Fn(&Path) -> Result<Agent, BuildError> + Send + Sync;

/// Gives every child its own folder.
pub trait ChildIsolation: Send + Sync {
    /// The folder of a child, created if it is missing; a resumed child gets the one that it had.
    fn enter<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<PathBuf, String>>;

    /// The child has ended: returns its changes as text, if there are any. The folder is removed or
    /// kept, depending on the isolation's settings.
    fn leave<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<Option<String>, String>>;

    /// The child was dropped and will not leave by itself. Releases everything that this process
    /// holds for it, so that another process can resume it. The contents of the folder stay.
    fn abandon(&self, _child: &str) {}
}

impl HelperAgent {
    /// A helper that has no grants until [`grants`](Self::grants) names some.
    pub fn new(name: impl Into<String>, description: impl Into<String>, agent: Agent) -> Self {
        Self {
            declaration: declaration(name.into(), description.into()),
            origin: HelperOrigin::Shared(agent),
        }
    }

    /// A helper that works in its own folder: every call gets a folder and an agent made for it,
    /// and the changes there are part of the result.
    pub fn isolated(
        name: impl Into<String>,
        description: impl Into<String>,
        isolation: impl ChildIsolation + 'static,
        make: impl Fn(&Path) -> Result<Agent, BuildError> + Send + Sync + 'static,
    ) -> Self {
        let origin = HelperOrigin::Made { isolation: Arc::new(isolation), make: Arc::new(make) };
        Self { declaration: declaration(name.into(), description.into()), origin }
    }

    /// Sets the grants that it asks for. It gets those of them that its parent
    /// holds, and no others.
    #[must_use]
    pub fn grants(mut self, asked: GrantSet) -> Self {
        if let ToolKind::Agent { grants, .. } = &mut self.declaration.kind {
            *grants = asked;
        }
        self
    }

    /// Sets how much of its parent's budget is reserved for one call. Without it a call gets all
    /// that is left, so that no second call can run in parallel.
    #[must_use]
    pub fn reserve(mut self, money: NanoUsd) -> Self {
        if let ToolKind::Agent { reserve, .. } = &mut self.declaration.kind {
            *reserve = money;
        }
        self
    }

    /// Sets how many of its parent's tokens are reserved for one call, if the parent has a limit;
    /// they also limit the call itself. Without it a call gets all that are left, so that no second
    /// call can run in parallel.
    #[must_use]
    pub fn reserve_tokens(mut self, share: u64) -> Self {
        if let ToolKind::Agent { tokens, .. } = &mut self.declaration.kind {
            *tokens = share;
        }
        self
    }

    /// Lets calls pass `background: true`. Such a call is answered at once with the child's number,
    /// the parent continues, and the result arrives later by itself. For each limit of the parent,
    /// such a child needs a share: see [`reserve`](Self::reserve)
    /// and [`reserve_tokens`](Self::reserve_tokens).
    #[must_use]
    pub fn background(mut self) -> Self {
        self.declaration.background = Background::Asked { argument: BACKGROUND.into() };
        self.declaration.schema = Json::parse(BACKGROUND_SCHEMA).unwrap_or(Json::Null);
        self
    }

    /// Changes anything else in its declaration: its quota, its pace, its postconditions.
    #[must_use]
    pub fn declared(mut self, change: impl FnOnce(&mut ToolSpec)) -> Self {
        change(&mut self.declaration);
        self
    }

    pub fn name(&self) -> &str {
        &self.declaration.name
    }

    /// The grant that is required to call this helper.
    pub(super) fn calling(&self) -> Option<Grant> {
        format!("spawn:{}", self.declaration.name).parse().ok()
    }
}

impl fmt::Debug for HelperAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HelperAgent").field("declaration", &self.declaration).finish_non_exhaustive()
    }
}

/// Calling a helper changes nothing by itself: each of its actions is judged when it happens.
fn declaration(name: String, description: String) -> ToolSpec {
    let schema = Json::parse(SCHEMA).unwrap_or(Json::Null);
    let need = format!("spawn:{name}").parse::<NeedTemplate>();
    let mut declaration = ToolSpec::new(name, description, schema).level(Level::None);
    // A name that cannot be granted is reported when the agent is built: its grant is missing
    // there.
    declaration.needs.extend(need);
    declaration.kind = ToolKind::Agent { grants: GrantSet::new(), reserve: NanoUsd::ZERO, tokens: 0 };
    declaration
}
