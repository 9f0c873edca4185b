//! What a client sees of Holm.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use holm_kernel::{Tool as Declaration, ToolKind, ToolOutput};
use holm_runtime::{Tool, Toolbox, Update};
use holm_tools::registry::{Registry, Snapshot};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool as Described, ToolAnnotations,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::agents::{Answering, slug};
use super::call::{Rights, Teller, call};
use super::output::result;

/// How long a client may believe a list: tools come and go with their files, and who listens hears of it.
const FRESH_MS: u64 = 60_000;

/// Agents and tools, for clients of MCP. Cheap to clone; clones show the same.
#[derive(Clone, Default)]
pub struct Exposed {
    agents: Arc<Vec<Shown>>,
    tools: Offered,
    rights: Arc<Rights>,
}

/// An agent under its name.
struct Shown {
    name: String,
    description: String,
    agent: Arc<dyn Answering>,
}

/// Which tools are shown beside agents.
#[derive(Clone, Default)]
enum Offered {
    #[default]
    None,
    Fixed(Toolbox),
    Changing(Registry, Shows),
}

/// What of a registry is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shows {
    /// Its agents.
    #[default]
    Agents,
    /// Its agents and its tools.
    Everything,
}

impl Exposed {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows agents, each by its name and what it is for. The same agents in the same order get the same names.
    #[must_use]
    pub fn agents<N: AsRef<str>, D: Into<String>>(
        mut self,
        agents: impl IntoIterator<Item = (N, D, Arc<dyn Answering>)>,
    ) -> Self {
        let mut taken = BTreeSet::new();
        let named = agents.into_iter().map(|(name, description, agent)| {
            let wanted = format!("ask_{}", slug(name.as_ref()));
            let name = (2_u32..).map(|number| format!("{wanted}_{number}"));
            let name = std::iter::once(wanted.clone()).chain(name).find(|name| taken.insert(name.clone()));
            Shown { name: name.unwrap_or(wanted), description: description.into(), agent }
        });
        self.agents = Arc::new(named.collect());
        self
    }

    /// Shows these tools too, with what their calls may do.
    #[must_use]
    pub fn tools(mut self, tools: Toolbox, rights: Rights) -> Self {
        (self.tools, self.rights) = (Offered::Fixed(tools), Arc::new(rights));
        self
    }

    /// Shows the agents of a registry, each as `ask_<slug>`, and its tools if they are wanted too, as they come and go.
    #[must_use]
    pub fn registry(mut self, registry: Registry, shows: Shows, rights: Rights) -> Self {
        (self.tools, self.rights) = (Offered::Changing(registry, shows), Arc::new(rights));
        self
    }

    /// Everything that is shown: agents first, then tools. An agent keeps its name before a tool.
    #[must_use]
    pub fn list(&self) -> Vec<Described> {
        let agents = self.agents.iter().map(|shown| ask(&shown.name, &shown.description));
        let mut all: Vec<Described> = agents.collect();
        for (name, tool) in self.offered() {
            if !all.iter().any(|other| other.name == name) {
                all.push(match kind(tool.as_ref()) {
                    Kind::Agent => ask(&name, &tool.declaration().description),
                    Kind::Tool | Kind::Kernel => describe(tool.as_ref()),
                });
            }
        }
        all
    }

    /// What the registry has to show, under the names by which clients call it.
    fn offered(&self) -> Vec<(String, Arc<dyn Tool>)> {
        let shows = match &self.tools {
            Offered::Changing(_, shows) => *shows,
            Offered::None | Offered::Fixed(_) => Shows::Everything,
        };
        let toolbox = self.toolbox();
        let named = toolbox.iter().filter_map(|tool| {
            let name = &tool.declaration().name;
            match (kind(tool.as_ref()), shows) {
                (Kind::Agent, _) if self.rights.spawner.is_some() => {
                    Some((format!("ask_{}", slug(name)), Arc::clone(tool)))
                }
                (Kind::Tool, Shows::Everything) => Some((name.clone(), Arc::clone(tool))),
                // What only the kernel carries out means nothing outside of a run.
                (Kind::Agent | Kind::Kernel, _) | (Kind::Tool, Shows::Agents) => None,
            }
        });
        named.collect()
    }

    fn toolbox(&self) -> Toolbox {
        match &self.tools {
            Offered::None => Toolbox::new(),
            Offered::Fixed(tools) => tools.clone(),
            Offered::Changing(registry, _) => registry.snapshot().toolbox(),
        }
    }

    /// Makes one call.
    async fn make(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<ToolOutput> {
        let tell = teller(context);
        if let Some(shown) = self.agents.iter().find(|shown| shown.name == name) {
            let Some(prompt) =
                arguments.get("prompt").and_then(Value::as_str).filter(|text| !text.is_empty())
            else {
                return Some(ToolOutput::failed("`prompt` is missing: say what to do"));
            };
            let answered = shown.agent.answer(prompt.to_owned(), tell, context.ct.clone()).await;
            return Some(answered.map_or_else(ToolOutput::failed, ToolOutput::text));
        }
        let (_, tool) = self.offered().into_iter().find(|(shown, _)| shown == name)?;
        let arguments = match kind(tool.as_ref()) {
            Kind::Agent => json!({ "task": arguments.get("prompt").cloned().unwrap_or_default() }),
            Kind::Tool | Kind::Kernel => Value::Object(arguments),
        };
        Some(call(&tool, arguments.to_string(), &self.rights, tell, &context.ct).await)
    }

    /// Tells a client of every change, for as long as it is there.
    fn keep_told(&self, peer: Peer<RoleServer>) {
        let Offered::Changing(registry, shows) = &self.tools else { return };
        let mut changes = Changes::of(registry, *shows);
        tokio::spawn(async move {
            while changes.next().await.is_some() && peer.notify_tool_list_changed().await.is_ok() {}
        });
    }
}

impl ServerHandler for Exposed {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("holm", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "Agents are tools named ask_…; give them a prompt. Other tools do one thing each.",
            )
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = ListToolsResult { tools: self.list(), ..ListToolsResult::default() };
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let made = self.make(&request.name, request.arguments.unwrap_or_default(), &context).await;
        match made {
            Some(output) => Ok(result(output).into()),
            None => Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None)),
        }
    }

    fn get_tool(&self, name: &str) -> Option<Described> {
        self.list().into_iter().find(|tool| tool.name == name)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.keep_told(context.peer);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Offered::Changing(registry, shows) = &self.tools else {
            context.cancelled().await;
            return Ok(());
        };
        let mut changes = Changes::of(registry, *shows);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.next() => {
                    if changed.is_none() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// Changes of a registry that clients can see: folders are looked at more often than their tools change.
struct Changes {
    all: watch::Receiver<Arc<Snapshot>>,
    shows: Shows,
    seen: Vec<Declaration>,
}

impl Changes {
    fn of(registry: &Registry, shows: Shows) -> Self {
        let mut all = registry.changes();
        let seen = visible(&all.borrow_and_update(), shows);
        Self { all, shows, seen }
    }

    /// Waits for the next one; none if there will be no more. Whoever stops waiting misses nothing.
    async fn next(&mut self) -> Option<()> {
        loop {
            self.all.changed().await.ok()?;
            let now = visible(&self.all.borrow_and_update(), self.shows);
            if now != self.seen {
                self.seen = now;
                return Some(());
            }
        }
    }
}

/// What of a snapshot clients may see.
fn visible(snapshot: &Snapshot, shows: Shows) -> Vec<Declaration> {
    let shown = snapshot.tools().filter_map(|(tool, _)| {
        let is_shown = match (kind(tool.as_ref()), shows) {
            (Kind::Agent, _) | (Kind::Tool, Shows::Everything) => true,
            (Kind::Tool, Shows::Agents) | (Kind::Kernel, _) => false,
        };
        is_shown.then(|| tool.declaration().clone())
    });
    shown.collect()
}

impl std::fmt::Debug for Exposed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.list().iter().map(|tool| &tool.name)).finish()
    }
}

/// What runs a tool, as far as clients care.
enum Kind {
    Tool,
    Agent,
    Kernel,
}

fn kind(tool: &dyn Tool) -> Kind {
    match tool.declaration().kind {
        ToolKind::Host => Kind::Tool,
        ToolKind::Agent { .. } => Kind::Agent,
        ToolKind::Skill { .. } | ToolKind::Plan(_) | ToolKind::Children => Kind::Kernel,
    }
}

/// An agent as a tool.
fn ask(name: &str, description: &str) -> Described {
    let schema = json!({
        "type": "object",
        "properties": { "prompt": { "type": "string", "description": "What to do, or the question." } },
        "required": ["prompt"],
    });
    Described::new(name.to_owned(), description.to_owned(), object(schema))
}

fn describe(tool: &dyn Tool) -> Described {
    let declared = tool.declaration();
    let schema: Value = serde_json::from_str(&declared.schema.canonical()).unwrap_or_default();
    let reads = declared.level <= holm_grants::Level::ReadOnly;
    let hints = ToolAnnotations::new().read_only(reads).idempotent(declared.may_run_again());
    Described::new(declared.name.clone(), Cow::Owned(declared.description.clone()), object(schema))
        .with_annotations(hints)
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

/// Tells the client how far a call is, where it wants to know.
fn teller(context: &RequestContext<RoleServer>) -> Teller {
    let Some(token) = context.meta.get_progress_token() else { return Arc::new(|_| {}) };
    let (sender, mut updates) = tokio::sync::mpsc::channel::<Update>(64);
    let peer = context.peer.clone();
    tokio::spawn(async move {
        let mut step = 0.0;
        while let Some(update) = updates.recv().await {
            step += 1.0;
            let mut params = ProgressNotificationParam::new(token.clone(), update.done.map_or(step, float));
            if let Some(total) = update.total {
                params = params.with_total(float(total));
            }
            if !update.text.is_empty() {
                params = params.with_message(update.text);
            }
            if peer.notify_progress(params).await.is_err() {
                return;
            }
        }
    });
    // Who reads too slowly misses some.
    Arc::new(move |update| drop(sender.try_send(update)))
}

#[expect(clippy::cast_precision_loss, reason = "a measure of progress is for a bar on a screen")]
fn float(number: u64) -> f64 {
    number as f64
}
