//! The MCP server handler: everything a client sees of Holm. It runs nothing itself: tools run in
//! `call.rs` and agents in `agents.rs`. Texts and prompts are answered in `resources.rs`. Tools of
//! the kernel are never exposed, because they have no meaning outside of a run, and an agent is
//! exposed only if it can be started.

use std::sync::Arc;

use holm_kernel::{ToolKind, ToolOutput};
use holm_runtime::{CancellationToken, Tool, Toolbox};
use holm_tools::registry::ToolRegistry;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, JsonObject, ListPromptsResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscriptionFilter, Tool as Described,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::agents::{AgentNames, AgentRoster, AnsweringAgent};
use super::call::{CallRights, call};
use super::changes::{ListChanges, ListKind, ToolChanges};
use super::descriptions::{ask, describe};
use super::library::{PromptLibrary, ResourceLibrary};
use super::output::result;
use super::progress::teller;
use super::resources;

/// How long a client may cache a list. Tools change with their files, and
/// subscribers receive change notices.
const FRESH_MS: u64 = 60_000;

/// Exposes agents and tools to MCP clients. It is cheap to clone, and clones expose the same.
#[derive(Clone, Default)]
pub struct McpServerHandler {
    agents: Arc<Vec<ExposedAgent>>,
    roster: Option<Arc<dyn AgentRoster>>,
    tools: ExposedTools,
    rights: Arc<CallRights>,
    library: Option<Arc<dyn ResourceLibrary>>,
    prompts: Option<Arc<dyn PromptLibrary>>,
    stop: CancellationToken,
}

/// An exposed agent with its tool name.
#[derive(Clone)]
struct ExposedAgent {
    name: String,
    description: String,
    agent: Arc<dyn AnsweringAgent>,
}

/// The tools that are exposed together with agents.
#[derive(Clone, Default)]
enum ExposedTools {
    #[default]
    None,
    Fixed(Toolbox),
    Changing(ToolRegistry, RegistryExposure),
}

/// Which part of a registry is exposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegistryExposure {
    #[default]
    Agents,
    /// Both agents and tools.
    Everything,
}

impl McpServerHandler {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Exposes agents, each with its name and purpose. The same agents in the same order get
    /// the same tool names.
    #[must_use]
    pub fn agents<N: AsRef<str>, D: Into<String>>(
        mut self,
        agents: impl IntoIterator<Item = (N, D, Arc<dyn AnsweringAgent>)>,
    ) -> Self {
        let mut names = AgentNames::default();
        let named = agents.into_iter().map(|(name, description, agent)| ExposedAgent {
            name: names.give(name.as_ref()),
            description: description.into(),
            agent,
        });
        self.agents = Arc::new(named.collect());
        self
    }

    /// Exposes a changing set of agents after the fixed ones.
    #[must_use]
    pub fn roster(mut self, roster: impl AgentRoster + 'static) -> Self {
        self.roster = Some(Arc::new(roster));
        self
    }

    /// Exposes these tools too. `rights` limits their calls.
    #[must_use]
    pub fn tools(mut self, tools: Toolbox, rights: CallRights) -> Self {
        (self.tools, self.rights) = (ExposedTools::Fixed(tools), Arc::new(rights));
        self
    }

    /// Exposes the agents of a registry as `ask_<slug>`, and optionally its tools. Both
    /// follow the registry's changes.
    #[must_use]
    pub fn registry(mut self, registry: ToolRegistry, shows: RegistryExposure, rights: CallRights) -> Self {
        (self.tools, self.rights) = (ExposedTools::Changing(registry, shows), Arc::new(rights));
        self
    }

    /// Lets clients read these texts. Secrets that the rights know are removed from them.
    #[must_use]
    pub fn library(mut self, library: impl ResourceLibrary + 'static) -> Self {
        self.library = Some(Arc::new(library));
        self
    }

    #[must_use]
    pub fn prompts(mut self, prompts: impl PromptLibrary + 'static) -> Self {
        self.prompts = Some(Arc::new(prompts));
        self
    }

    /// Cancels all calls of all clients when `stop` fires, as if each client had cancelled them.
    #[must_use]
    pub fn until(mut self, stop: CancellationToken) -> Self {
        self.stop = stop;
        self
    }

    /// Lists everything that is exposed: agents first, then tools. If names clash, the
    /// agent keeps its name.
    #[must_use]
    pub fn list(&self) -> Vec<Described> {
        let agents = self.shown();
        let mut all: Vec<Described> =
            agents.iter().map(|shown| ask(&shown.name, &shown.description)).collect();
        for (name, tool) in self.offered() {
            if !all.iter().any(|other| other.name == name) {
                all.push(match kind(tool.as_ref()) {
                    ExposedToolKind::Agent => ask(&name, &tool.declaration().description),
                    ExposedToolKind::Tool | ExposedToolKind::Kernel => describe(tool.as_ref()),
                });
            }
        }
        all
    }

    /// The agents with the names by which clients call them.
    fn shown(&self) -> Vec<ExposedAgent> {
        let mut shown = self.agents.to_vec();
        let mut names = AgentNames(shown.iter().map(|shown| shown.name.clone()).collect());
        let coming = self.roster.as_ref().map(|roster| roster.agents()).unwrap_or_default();
        shown.extend(coming.into_iter().map(|(name, description, agent)| ExposedAgent {
            name: names.give(&name),
            description,
            agent,
        }));
        shown
    }

    /// The exposed part of the registry, with the names by which clients call it.
    fn offered(&self) -> Vec<(String, Arc<dyn Tool>)> {
        let shows = match &self.tools {
            ExposedTools::Changing(_, shows) => *shows,
            ExposedTools::None | ExposedTools::Fixed(_) => RegistryExposure::Everything,
        };
        let mut names = AgentNames(self.shown().into_iter().map(|shown| shown.name).collect());
        let toolbox = self.toolbox();
        let named = toolbox.iter().filter_map(|tool| {
            let name = &tool.declaration().name;
            match (kind(tool.as_ref()), shows) {
                (ExposedToolKind::Agent, _) if self.rights.spawner.is_some() => {
                    Some((names.give(name), Arc::clone(tool)))
                }
                (ExposedToolKind::Tool, RegistryExposure::Everything) => {
                    Some((name.clone(), Arc::clone(tool)))
                }
                // Kernel tools have no meaning outside of a run.
                (ExposedToolKind::Agent | ExposedToolKind::Kernel, _)
                | (ExposedToolKind::Tool, RegistryExposure::Agents) => None,
            }
        });
        named.collect()
    }

    fn toolbox(&self) -> Toolbox {
        match &self.tools {
            ExposedTools::None => Toolbox::new(),
            ExposedTools::Fixed(tools) => tools.clone(),
            ExposedTools::Changing(registry, _) => registry.snapshot().toolbox(),
        }
    }

    async fn make(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<ToolOutput> {
        let made = self.make_until_cancelled(name, arguments, context);
        tokio::pin!(made);
        tokio::select! {
            made = &mut made => made,
            () = self.stop.cancelled() => {
                context.ct.cancel();
                made.await
            }
        }
    }

    async fn make_until_cancelled(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<ToolOutput> {
        let tell = teller(context);
        if let Some(shown) = self.shown().into_iter().find(|shown| shown.name == name) {
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
            ExposedToolKind::Agent => json!({ "task": arguments.get("prompt").cloned().unwrap_or_default() }),
            ExposedToolKind::Tool | ExposedToolKind::Kernel => Value::Object(arguments),
        };
        Some(call(&tool, arguments.to_string(), &self.rights, tell, &context.ct).await)
    }

    /// All changes that a client can be notified about.
    fn changes(&self) -> ListChanges {
        let tools = match &self.tools {
            ExposedTools::Changing(registry, shows) => Some(ToolChanges::of(registry, *shows)),
            ExposedTools::None | ExposedTools::Fixed(_) => None,
        };
        ListChanges {
            agents: self.roster.as_ref().map(|roster| roster.changes()),
            tools,
            resources: self.library.as_ref().map(|library| library.changes()),
            prompts: self.prompts.as_ref().map(|prompts| prompts.changes()),
        }
    }

    /// Notifies a client of every change until it disconnects.
    fn keep_told(&self, peer: Peer<RoleServer>) {
        let mut changes = self.changes();
        tokio::spawn(async move {
            loop {
                let sent = match changes.next().await {
                    ListKind::Agents | ListKind::Tools => peer.notify_tool_list_changed().await,
                    ListKind::Resources => peer.notify_resource_list_changed().await,
                    ListKind::Prompts => peer.notify_prompt_list_changed().await,
                };
                if sent.is_err() {
                    return;
                }
            }
        });
    }

    fn no_library() -> ErrorData {
        ErrorData::invalid_params("this server has nothing to read", None)
    }
}

impl ServerHandler for McpServerHandler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .build();
        if self.library.is_none() {
            capabilities.resources = None;
        }
        if self.prompts.is_none() {
            capabilities.prompts = None;
        }
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
        let mut changes = self.changes();
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.next() => changed,
            };
            let sink = context.sink();
            let sent = match changed {
                ListKind::Agents | ListKind::Tools => sink.notify_tool_list_changed().await,
                ListKind::Resources => sink.notify_resource_list_changed().await,
                ListKind::Prompts => sink.notify_prompt_list_changed().await,
            };
            if sent.is_err() {
                return Ok(());
            }
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let library = self.library.as_deref().ok_or_else(Self::no_library)?;
        let after = request.and_then(|request| request.cursor);
        let listed = resources::resources(library, after, &self.rights.secrets).await?;
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let library = self.library.as_deref().ok_or_else(Self::no_library)?;
        let read = resources::read(library, request.uri, &self.rights.secrets).await?;
        Ok(read.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private).into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.prompts.as_deref().ok_or_else(Self::no_library)?;
        let after = request.and_then(|request| request.cursor);
        let listed = resources::prompts(prompts, after.as_deref());
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompts = self.prompts.as_deref().ok_or_else(Self::no_library)?;
        resources::prompt(prompts, &request).map(Into::into)
    }
}

impl std::fmt::Debug for McpServerHandler {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.list().iter().map(|tool| &tool.name)).finish()
    }
}

/// What runs a tool, as far as clients need to know.
pub(super) enum ExposedToolKind {
    Tool,
    Agent,
    Kernel,
}

pub(super) fn kind(tool: &dyn Tool) -> ExposedToolKind {
    match tool.declaration().kind {
        ToolKind::Host => ExposedToolKind::Tool,
        ToolKind::Agent { .. } => ExposedToolKind::Agent,
        ToolKind::Skill { .. } | ToolKind::Plan(_) | ToolKind::Children => ExposedToolKind::Kernel,
    }
}
