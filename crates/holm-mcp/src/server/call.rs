//! One call of a tool from outside, decided on as if a model had made it.
//!
//! There is one place that decides what may run, and it is the kernel. So a call from a client is a run of its own, in
//! which a script makes this one call: arguments are validated, grants and denials count, hooks look at it, a budget binds it,
//! a journal remembers it, and nothing is asked of anybody.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use holm_grants::{GrantSet, Mode};
use holm_kernel::{
    Approvals, Block, CallId, ChildResult, Event, Model, ModelResult, Numbered, Outcome, Price, Reply,
    StopReason, Tool as Declaration, ToolCall, ToolKind, ToolOutput,
};
use holm_runtime::{
    Agent, BoxFuture, Builder, CancellationToken, Child, Containment, Delta, DeltaSink, Job, Nobody, Secrets,
    Spawner, Tool, Update, model_fn,
};

/// What calls from outside may do.
#[derive(Debug, Clone, Default)]
pub struct Rights {
    pub grants: GrantSet,
    /// What runs without a question; what would be asked is denied, since nobody is there.
    pub mode: Mode,
    /// What is taken out of every output.
    pub secrets: Secrets,
    /// Who starts the agents of a registry; without one, they are not shown.
    pub spawner: Option<Starter>,
    /// What every call has besides, as a run has it: hooks, a budget, a journal.
    pub outfit: Outfit,
}

/// What the run of every call is given before it begins. Without one it has no hooks and no budget, and is remembered by nobody.
#[derive(Clone)]
pub struct Outfit(Arc<dyn Fn(Builder) -> Builder + Send + Sync>);

impl Outfit {
    /// Gives each run this.
    ///
    /// ```
    /// use holm_mcp::server::Outfit;
    /// use holm_runtime::Hooks;
    ///
    /// let hooks = Hooks::new();
    /// let outfit = Outfit::new(move |builder| builder.hooks(hooks.clone()));
    /// # drop(outfit);
    /// ```
    pub fn new(give: impl Fn(Builder) -> Builder + Send + Sync + 'static) -> Self {
        Self(Arc::new(give))
    }
}

impl Default for Outfit {
    fn default() -> Self {
        Self::new(|builder| builder)
    }
}

impl std::fmt::Debug for Outfit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Outfit").finish_non_exhaustive()
    }
}

/// Starts agents on behalf of clients.
#[derive(Clone)]
pub struct Starter(Arc<dyn Spawner>);

impl Starter {
    /// Starts them by this.
    pub fn new(spawner: impl Spawner + 'static) -> Self {
        Self(Arc::new(spawner))
    }
}

impl Spawner for Starter {
    fn spawn(&self, child: Child) -> BoxFuture<'static, ChildResult> {
        self.0.spawn(child)
    }
}

impl std::fmt::Debug for Starter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Starter").finish_non_exhaustive()
    }
}

/// Told how far a call is.
pub(super) type Teller = Arc<dyn Fn(Update) + Send + Sync>;

pub(super) async fn call(
    tool: &Arc<dyn Tool>,
    arguments: String,
    rights: &Rights,
    tell: Teller,
    stop: &CancellationToken,
) -> ToolOutput {
    let kept: Arc<Mutex<Option<ToolOutput>>> = Arc::default();
    let said: Arc<Mutex<(Outcome, String)>> = Arc::new(Mutex::new((Outcome::Refused, String::new())));
    let watched = Arc::clone(&said);
    let held = Kept {
        tool: Arc::clone(tool),
        containment: Containment::new("mcp").secrets(rights.secrets.clone()),
        output: Arc::clone(&kept),
    };
    let mut grants = rights.grants.clone();
    let declared = tool.declaration();
    // An agent that is shown may be called; whatever it does is looked at when it does it.
    if matches!(declared.kind, ToolKind::Agent { .. }) {
        grants.extend(format!("spawn:{}", declared.name).parse());
    }
    // A script costs nothing, which must be said: a budget binds what has a price.
    let free = Price { input: 0, output: 0, cached: None, cache_write: None };
    let card = Model { price: Some(free), ..Model::named("scripted/from-outside") };
    let builder = Agent::builder(card, script(&tool.declaration().name, &arguments))
        .name("mcp")
        .tool(held)
        .grants(grants)
        .mode(rights.mode)
        .approvals(Approvals::Ask)
        .approver(Nobody)
        .secrets(rights.secrets.clone())
        .deltas(Told(tell))
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
    let (outcome, text) = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match output {
        // What the guards did not believe is not handed on.
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
            // A run that ends at this moment is not there to be stopped.
            let _ = handle.cancel("the client no longer wants the answer");
            work.await
        }
    };
    ended.map(drop).map_err(|error| error.to_string())
}

/// A model that makes one call and says no more.
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

/// Remembers what the call came to, and what a model would have read.
fn watch(said: &Mutex<(Outcome, String)>, event: &Event) {
    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
    match event {
        Event::CallFinished { outcome, .. } => said.0 = *outcome,
        Event::MessageAdded { message } => {
            let result = message.blocks.iter().find_map(|block| match block {
                Block::ToolResult(result) => Some(result),
                _ => None,
            });
            if let Some(result) = result {
                said.0 = result.outcome;
                said.1 = result.said().trim().to_owned();
            }
        }
        _ => {}
    }
}

/// A tool whose bounded output is kept for the client.
struct Kept {
    tool: Arc<dyn Tool>,
    containment: Containment,
    output: Arc<Mutex<Option<ToolOutput>>>,
}

impl Tool for Kept {
    fn declaration(&self) -> &Declaration {
        self.tool.declaration()
    }

    fn run(&self, job: Job) -> BoxFuture<'static, ToolOutput> {
        let (running, kept) =
            (self.containment.contain(Arc::clone(&self.tool), job), Arc::clone(&self.output));
        Box::pin(async move {
            let output = running.await;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(output.clone());
            output
        })
    }
}

struct Told(Teller);

impl DeltaSink for Told {
    fn delta(&self, _call: CallId, delta: Delta<'_>) {
        if let Delta::Progress { text, done, total } = delta {
            (self.0)(Update { text: text.to_owned(), done, total });
        }
    }
}
