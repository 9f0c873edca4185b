//! Runs one tool call from an MCP client under the same rules as a call from a model.
//!
//! Only the kernel decides what may run. A client's call therefore becomes its own run, in
//! which a scripted model makes this one call. The kernel validates arguments and applies grants,
//! denials, hooks and a budget, and the run is journaled. No user is asked.
//!
//! What is exposed is decided in `server_handler.rs`. There must be no other way for a client to
//! run a tool, because nothing else would check its grants. Questions to agents are in `agents.rs`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use holm_grants::{GrantSet, Mode};
use holm_kernel::{
    Approvals, Block, CallId, ChildResult, Event, ModelResult, ModelSpec, Numbered, Outcome, Price, Reply,
    StopReason, ToolCall, ToolKind, ToolOutput, ToolSpec,
};
use holm_runtime::{
    Agent, AgentBuilder, BoxFuture, CancellationToken, ChildLaunch, ChildSpawner, DeltaSink, DenyAllApprover,
    ProgressUpdate, ReplyDelta, SecretRedactor, Tool, ToolContainment, ToolInvocation, model_fn,
};

/// What calls from clients may do.
#[derive(Debug, Clone, Default)]
pub struct CallRights {
    pub grants: GrantSet,
    /// Which calls run without a question. A call that needs a question is denied, because
    /// no user is present.
    pub mode: Mode,
    /// The secrets that are removed from every output.
    pub secrets: SecretRedactor,
    /// Starts the agents of a registry. Without it, agents are not exposed.
    pub spawner: Option<AgentStarter>,
    /// What each call's run has in addition: hooks, a budget, a journal.
    pub outfit: RunSetup,
}

/// Configures the run of every call before it starts. By default, a run has no hooks, no
/// budget and no journal.
#[derive(Clone)]
pub struct RunSetup(Arc<dyn Fn(AgentBuilder) -> AgentBuilder + Send + Sync>);

impl RunSetup {
    /// Applies this function to each run.
    ///
    /// ```
    /// use holm_mcp::server::RunSetup;
    /// use holm_runtime::HookSet;
    ///
    /// let hooks = HookSet::new();
    /// let outfit = RunSetup::new(move |builder| builder.hooks(hooks.clone()));
    /// # drop(outfit);
    /// ```
    pub fn new(give: impl Fn(AgentBuilder) -> AgentBuilder + Send + Sync + 'static) -> Self {
        Self(Arc::new(give))
    }
}

impl Default for RunSetup {
    fn default() -> Self {
        Self::new(|builder| builder)
    }
}

impl std::fmt::Debug for RunSetup {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("RunSetup").finish_non_exhaustive()
    }
}

/// Starts agents on behalf of clients.
#[derive(Clone)]
pub struct AgentStarter(Arc<dyn ChildSpawner>);

impl AgentStarter {
    /// Uses this spawner to start them.
    pub fn new(spawner: impl ChildSpawner + 'static) -> Self {
        Self(Arc::new(spawner))
    }
}

impl ChildSpawner for AgentStarter {
    fn spawn(&self, child: ChildLaunch) -> BoxFuture<'static, ChildResult> {
        self.0.spawn(child)
    }
}

impl std::fmt::Debug for AgentStarter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("AgentStarter").finish_non_exhaustive()
    }
}

/// Receives the progress of a call.
pub(super) type ProgressCallback = Arc<dyn Fn(ProgressUpdate) + Send + Sync>;

pub(super) async fn call(
    tool: &Arc<dyn Tool>,
    arguments: String,
    rights: &CallRights,
    tell: ProgressCallback,
    stop: &CancellationToken,
) -> ToolOutput {
    let kept: Arc<Mutex<Option<ToolOutput>>> = Arc::default();
    let result: Arc<Mutex<(Outcome, String)>> = Arc::new(Mutex::new((Outcome::Refused, String::new())));
    let watched = Arc::clone(&result);
    let held = ToolOutputCapture {
        tool: Arc::clone(tool),
        containment: ToolContainment::new("mcp").secrets(rights.secrets.clone()),
        output: Arc::clone(&kept),
    };
    let mut grants = rights.grants.clone();
    let declared = tool.declaration();
    // An exposed agent may be called. Everything it does is checked when it does it.
    if matches!(declared.kind, ToolKind::Agent { .. }) {
        grants.extend(format!("spawn:{}", declared.name).parse());
    }
    // A script costs nothing, and this must be stated, because a budget applies to everything with
    // a price.
    let free = Price { input: 0, output: 0, cached: None, cache_write: None };
    let card = ModelSpec { price: Some(free), ..ModelSpec::named("scripted/from-outside") };
    let builder = Agent::builder(card, script(&tool.declaration().name, &arguments))
        .name("mcp")
        .tool(held)
        .grants(grants)
        .mode(rights.mode)
        .approvals(Approvals::Ask)
        .approver(DenyAllApprover)
        .secrets(rights.secrets.clone())
        .deltas(ProgressForwarder(tell))
        .events(move |event: &Numbered| watch(&watched, &event.event));
    let builder = match &rights.spawner {
        Some(spawner) => builder.spawner(spawner.clone()),
        None => builder,
    };
    let agent = match (rights.outfit.0)(builder).build() {
        Ok(agent) => agent,
        Err(error) => return ToolOutput::failed(error.to_string()),
    };
    if let Err(error) = run(&agent, stop).await {
        return ToolOutput::failed(error);
    }
    let output = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (outcome, text) = result.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match output {
        // Output that the guards rejected is not returned.
        Some(output) if outcome == output.outcome => output,
        Some(_) | None => ToolOutput { outcome, text, ..ToolOutput::default() },
    }
}

async fn run(agent: &Agent, stop: &CancellationToken) -> Result<(), String> {
    let mut session = agent.start().await.map_err(|error| error.to_string())?;
    let handle = session.handle();
    let work = session.prompt("Make the call.");
    tokio::pin!(work);
    let ended = tokio::select! {
        ended = &mut work => ended,
        () = stop.cancelled() => {
            // A run that ends at this moment cannot be cancelled any more.
            let _ = handle.cancel("the client cancelled the request");
            work.await
        }
    };
    ended.map(drop).map_err(|error| error.to_string())
}

/// A model that makes one call and says nothing else.
fn script(tool: &str, arguments: &str) -> impl holm_runtime::Model + 'static {
    let (name, arguments) = (tool.to_owned(), arguments.to_owned());
    let called = AtomicBool::new(false);
    model_fn(move |_| {
        let reply = if called.swap(true, Ordering::Relaxed) {
            Reply { blocks: vec![Block::Text("done".into())], ..Reply::default() }
        } else {
            let call = ToolCall {
                id: "outside".into(),
                name: name.clone(),
                arguments: arguments.clone(),
                replay: None,
            };
            Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() }
        };
        Box::pin(async move { ModelResult::Replied(reply) })
    })
}

/// Records the outcome of the call and the text that a model would have read.
fn watch(recorded: &Mutex<(Outcome, String)>, event: &Event) {
    let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
    match event {
        Event::CallFinished { outcome, .. } => recorded.0 = *outcome,
        Event::MessageAdded { message } => {
            let result = message.blocks.iter().find_map(|block| match block {
                Block::ToolResult(result) => Some(result),
                _ => None,
            });
            if let Some(result) = result {
                recorded.0 = result.outcome;
                recorded.1 = result.said().trim().to_owned();
            }
        }
        _ => {}
    }
}

/// Wraps a tool and keeps its limited output for the client.
struct ToolOutputCapture {
    tool: Arc<dyn Tool>,
    containment: ToolContainment,
    output: Arc<Mutex<Option<ToolOutput>>>,
}

impl Tool for ToolOutputCapture {
    fn declaration(&self) -> &ToolSpec {
        self.tool.declaration()
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let (running, kept) =
            (self.containment.contain(Arc::clone(&self.tool), job), Arc::clone(&self.output));
        Box::pin(async move {
            let output = running.await;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(output.clone());
            output
        })
    }
}

struct ProgressForwarder(ProgressCallback);

impl DeltaSink for ProgressForwarder {
    fn delta(&self, _call: CallId, delta: ReplyDelta<'_>) {
        if let ReplyDelta::Progress { text, done, total } = delta {
            (self.0)(ProgressUpdate { text: text.to_owned(), done, total });
        }
    }
}
