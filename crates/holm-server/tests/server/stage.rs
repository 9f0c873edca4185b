//! A server with a scripted provider: the prompt says what the model does.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use holm_grants::Level;
use holm_kernel::{Approvals, Block, ModelSpec, Price, Proposal, Role, ToolOutput, ToolSpec};
use holm_mcp::server::McpServerHandler;
use holm_models::{ModelClient, ModelEndpoint};
use holm_runtime::{Agent, BoxFuture, DriveError, JournalStorageError, SecretString, Toolbox, tool_fn};
use holm_server::{
    AgentBounds, AgentCard, AgentView, BackupView, CatalogueFuture, CatalogueProvider, FolderLevel,
    FolderLevelCard, FolderTrustView, GrantCeiling, ModelCard, OpenedSession, Owner, PartName,
    QuestionBroker, Reloaded, RunningServer, ServerOptions, ServerTest, ServerView, SessionProvider,
    SessionProviderError, SessionRequest, SessionStart, SettingView, SkillCard, SkillView, ToolCard,
    ToolView, Trial, Tried, UserHome,
    auth::{AccessToken, Role as Rights, TokenScope, UserName},
    serve,
};
use holm_store::Store;
use holm_testkit::double::{Act, Double, Fault, Seen};
use holm_tools::{
    root::WritePrecondition,
    shell::{ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, CommandRules},
};
use holm_wire::Format;
use serde_json::{Map, Value};

use crate::client::{Http, until};

/// A text that does not arrive in one piece.
pub(crate) const LONG: &str =
    "It was a bright cold day in April ✓, and the clocks were striking thirteen. 🚀";

/// A server, its provider and its folder.
pub(crate) struct Stage {
    pub(crate) double: Arc<Double>,
    pub(crate) serving: RunningServer,
    folder: Arc<tempfile::TempDir>,
    /// Who asks.
    pub(crate) token: AccessToken,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// With a changed configuration.
    pub(crate) async fn with(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let double = Arc::new(Double::answering(act).unwrap());
        Self::again(double, Arc::new(tempfile::tempdir().unwrap()), change).await
    }

    /// The same folder and provider with a restarted server.
    async fn again(
        double: Arc<Double>,
        folder: Arc<tempfile::TempDir>,
        change: impl FnOnce(&mut ServerOptions),
    ) -> Self {
        let mut config = ServerOptions::new(folder.path().join("server"));
        config.listen.set_port(0);
        change(&mut config);
        let shop = Shop(Arc::new(Inner {
            base: double.base(Format::OpenaiChat),
            folder: folder.path().to_owned(),
            stores: Mutex::default(),
            level: Mutex::default(),
        }));
        let serving = serve(config, Arc::new(shop)).await.unwrap();
        let first = std::fs::read_to_string(serving.server().keyring().first()).unwrap();
        Self { double, serving, folder, token: AccessToken::read(&first).unwrap() }
    }

    /// Stops the server and starts another.
    pub(crate) async fn restart(self) -> Self {
        self.restart_with(|_| {}).await
    }

    /// Stops the server and starts another that is set up otherwise.
    pub(crate) async fn restart_with(self, change: impl FnOnce(&mut ServerOptions)) -> Self {
        let Self { double, serving, folder, .. } = self;
        serving.stop().await;
        Self::again(double, folder, change).await
    }

    pub(crate) fn http(&self) -> Http {
        Http::new(self.serving.address(), self.token.reveal())
    }

    /// Another user, with a token of their own.
    pub(crate) fn as_user(&self, user: &str, role: Rights, scope: TokenScope) -> Http {
        let (_, token) = self.serving.server().keyring().issue(user.parse().unwrap(), role, scope).unwrap();
        Http::new(self.serving.address(), token.reveal())
    }

    pub(crate) fn workspace(&self, user: &str) -> PathBuf {
        self.folder.path().join(user).join("work")
    }

    /// Waits until the model was asked so often.
    pub(crate) async fn until_asked(&self, times: usize) {
        until("the model's call", async || self.double.requests().len() >= times).await;
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("server").join(name)
    }
}

/// Another workshop over the same folder.
pub(crate) fn shop(stage: &Stage) -> Arc<dyn SessionProvider> {
    Arc::new(Shop(Arc::new(Inner {
        base: stage.double.base(Format::OpenaiChat),
        folder: stage.folder.path().to_owned(),
        stores: Mutex::default(),
        level: Mutex::default(),
    })))
}

/// What the model does: the last words of the person say it.
fn act(seen: &Seen) -> Act {
    let asked = seen.asked.as_ref();
    let messages = asked.map(|asked| asked.messages.as_slice()).unwrap_or_default();
    if messages.last().is_some_and(|last| last.role == Role::Tool) {
        let mut results =
            messages.iter().flat_map(|message| &message.blocks).filter_map(|block| match block {
                Block::ToolResult(result) => Some(result.said().to_owned()),
                _ => None,
            });
        return Act::says(&format!("the tool said {}", results.next_back().unwrap_or_default()));
    }
    let words = messages.last().map(holm_kernel::Message::plain_text).unwrap_or_default();
    // The instructions about the form of the answer follow them.
    let words = words.split("\n\nA program reads your answer.").next().unwrap_or_default();
    match words.lines().last().unwrap_or_default() {
        "long" => Act::says(LONG),
        "chapter" => Act::says("part 1 ").stop(holm_kernel::StopReason::MaxTokens),
        resumes if resumes.starts_with("Your reply was cut") => Act::says("and the end"),
        "data" => Act::says("```json\n{\"n\": 4}\n```"),
        // What an agent is told whose answer does not fit.
        "Answer again, with JSON only." => Act::says("{\"n\": 5}"),
        "touch" => Act::calls(&[("c1", "touch", "{}")]),
        "weather" => Act::calls(&[("c1", "weather", r#"{"city":"Köln"}"#)]),
        "stall" => Act::says(LONG).with(Fault::Stall(500)),
        "fail" => Act::fails(Fault::Refused {
            status: Some(400),
            class: holm_kernel::FailureClass::BadRequest,
            message: "no such thing".into(),
        }),
        other => Act::says(&format!("you said {other}")),
    }
}

#[derive(Clone)]
struct Shop(Arc<Inner>);

struct Inner {
    base: String,
    folder: PathBuf,
    stores: Mutex<HashMap<UserName, Store>>,
    /// What agents may do in the owner's folder without asking.
    level: Mutex<Option<FolderLevel>>,
}

impl Shop {
    async fn store(&self, user: &UserName) -> Store {
        if let Some(store) = self.0.stores.lock().unwrap().get(user) {
            return store.clone();
        }
        let folder = self.0.folder.join(user.as_str());
        std::fs::create_dir_all(folder.join("work")).unwrap();
        let store = Store::open(folder.join("holm.db")).await.unwrap();
        self.0.stores.lock().unwrap().entry(user.clone()).or_insert(store).clone()
    }

    fn agent(&self, store: Store, order: &SessionRequest) -> Result<Agent, SessionProviderError> {
        let endpoint = ModelEndpoint::compatible(&self.0.base).keyless();
        let client = ModelClient::builder().endpoint("double", endpoint).build().unwrap();
        let object = holm_guards::json::Json::object([("type", "object".into())]);
        let touch = ToolSpec::new("touch", "Changes something.", object).level(Level::Write);
        let touch: Arc<dyn holm_runtime::Tool> =
            Arc::new(tool_fn(touch, |_| async { ToolOutput::text("touched") }));
        let mut own = Toolbox::new();
        own.add_shared(touch).unwrap();
        order.check_tools(&own)?;
        order.tools.iter().for_each(|tool| own.add_shared(Arc::clone(tool)).unwrap());
        let gate = ApprovalGate::new(Watchers(Arc::clone(&order.desk)), CommandRules::default());
        // A billionth of a dollar a token.
        let price = Price { input: 1_000_000, output: 1_000_000, cached: None, cache_write: None };
        let builder =
            Agent::builder(ModelSpec { price: Some(price), ..ModelSpec::named("double/any") }, client)
                .tools(own)
                .approvals(Approvals::Ask)
                .approver(gate)
                .events(Arc::clone(&order.events))
                .deltas(Arc::clone(&order.deltas))
                .journals(store.clone())
                .blobs(store)
                .config(|config| config.limits.budget.usd = order.budget);
        Ok(builder.build().unwrap())
    }
}

struct Watchers(Arc<QuestionBroker>);

impl ApprovalAsker for Watchers {
    fn ask(&self, proposal: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        self.0.approve(&proposal, &offer)
    }
}

impl SessionProvider for Shop {
    fn home(&self, user: &UserName) -> BoxFuture<'static, Result<UserHome, SessionProviderError>> {
        let (shop, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let store = shop.store(&user).await;
            let workspace = shop.0.folder.join(user.as_str()).join("work");
            Ok(UserHome { store, private: workspace.join("kept"), workspace })
        })
    }

    fn open(&self, order: SessionRequest) -> BoxFuture<'static, Result<OpenedSession, SessionProviderError>> {
        let shop = self.clone();
        Box::pin(async move {
            if order.agent.as_deref().is_some_and(|agent| agent != "holm") {
                return Err(SessionProviderError::Missing { what: "agent" });
            }
            let agent = shop.agent(shop.store(&order.user).await, &order)?;
            let agent = match order.temperature_milli {
                Some(milli) => agent.with_temperature(milli),
                None => agent,
            };
            let session = match order.start {
                SessionStart::New(id) => agent.start_as(id.unwrap().as_str()).await,
                SessionStart::Resume(id) => agent.resume(id.as_str()).await,
                SessionStart::Fork { from, at, new } => {
                    agent.fork(from.as_str(), at, new.unwrap().as_str()).await
                }
            };
            let session = session.map_err(|error| match error {
                DriveError::Journal(JournalStorageError::Missing { .. }) => {
                    SessionProviderError::Missing { what: "session" }
                }
                DriveError::Journal(JournalStorageError::Exists { .. }) => SessionProviderError::Exists,
                DriveError::Journal(JournalStorageError::Busy { .. }) => SessionProviderError::Busy,
                other => SessionProviderError::Refused(other.to_string()),
            })?;
            Ok(OpenedSession { session, keep: Box::new(()) })
        })
    }

    fn agents(&self, _: &UserName) -> BoxFuture<'static, Result<Vec<AgentCard>, SessionProviderError>> {
        let card = AgentCard { name: "holm".into(), description: "Works.".into() };
        Box::pin(async move { Ok(vec![card]) })
    }

    fn tools(&self, _: &UserName) -> BoxFuture<'static, Result<Vec<ToolCard>, SessionProviderError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn skills(&self, _: &UserName) -> BoxFuture<'static, Result<Vec<SkillCard>, SessionProviderError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn models(&self, _: &UserName) -> BoxFuture<'static, Result<Vec<ModelCard>, SessionProviderError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn exposed(
        &self,
        _: &UserName,
    ) -> BoxFuture<'static, Result<Option<McpServerHandler>, SessionProviderError>> {
        Box::pin(async { Ok(Some(McpServerHandler::new())) })
    }

    fn keys(&self, _: &UserName) -> BoxFuture<'static, Result<Vec<String>, SessionProviderError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn keep_key(
        &self,
        _: &UserName,
        _: &str,
        _: SecretString,
    ) -> BoxFuture<'static, Result<(), SessionProviderError>> {
        Box::pin(async { Ok(()) })
    }
}

/// What there is of parts here: the usual agent. How parts are kept is shown where there are files for them, with the command.
fn nothing<T: Send + 'static>(what: &'static str) -> CatalogueFuture<T> {
    Box::pin(async move { Err(SessionProviderError::Missing { what }) })
}

impl CatalogueProvider for Shop {
    fn agent(&self, _: &UserName, name: PartName) -> CatalogueFuture<AgentView> {
        if name.as_str() == "holm" { usual(None) } else { nothing("agent") }
    }

    fn check_agent(&self, _: &UserName, text: String) -> CatalogueFuture<AgentView> {
        usual(Some(text))
    }

    fn keep_agent(
        &self,
        _: &UserName,
        _: PartName,
        text: String,
        _: WritePrecondition,
        most: GrantCeiling,
    ) -> CatalogueFuture<AgentView> {
        match most {
            GrantCeiling::Anything => usual(Some(text)),
            GrantCeiling::AsUsual => {
                Box::pin(async { Err(SessionProviderError::TooMuch("that is too much".into())) })
            }
        }
    }

    fn remove_agent(&self, _: &UserName, _: PartName) -> CatalogueFuture<()> {
        nothing("agent")
    }

    fn tool(&self, _: &UserName, _: PartName) -> CatalogueFuture<ToolView> {
        nothing("tool")
    }

    fn try_tool(&self, _: &UserName, _: PartName, _: Trial, _: GrantCeiling) -> CatalogueFuture<Tried> {
        nothing("tool")
    }

    fn reload_tools(&self, _: &UserName) -> CatalogueFuture<Reloaded> {
        Box::pin(async { Ok(Reloaded { tools: 1, problems: Vec::new() }) })
    }

    fn skill(&self, _: &UserName, _: PartName) -> CatalogueFuture<SkillView> {
        nothing("skill")
    }

    fn servers_seen(&self, _: &UserName) -> CatalogueFuture<Vec<ServerView>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn test_server(&self, _: &UserName, _: PartName) -> CatalogueFuture<ServerTest> {
        nothing("server")
    }

    fn add_server(&self, _: &UserName, _: PartName, _: Map<String, Value>) -> CatalogueFuture<()> {
        Box::pin(async { Ok(()) })
    }

    fn remove_server(&self, _: &UserName, _: PartName) -> CatalogueFuture<()> {
        nothing("server")
    }

    fn remove_key(&self, _: &UserName, _: PartName) -> CatalogueFuture<()> {
        nothing("provider")
    }

    fn settings(&self, _: &UserName) -> CatalogueFuture<Vec<SettingView>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn folder_trust(&self, user: &UserName) -> CatalogueFuture<FolderTrustView> {
        if *user != UserName::owner() {
            return nothing("folder");
        }
        let level = *self.0.level.lock().unwrap();
        let folder = self.0.folder.join("owner/work").display().to_string();
        let view = FolderTrustView {
            chosen_for: level.map(|_| folder.clone()),
            folder,
            level,
            meaning: "What applies.".into(),
            levels: vec![FolderLevelCard { level: FolderLevel::Ask, meaning: "Holm asks.".into() }],
        };
        Box::pin(async move { Ok(view) })
    }

    fn keep_folder_trust(&self, user: &UserName, level: FolderLevel) -> CatalogueFuture<FolderTrustView> {
        if *user == UserName::owner() {
            *self.0.level.lock().unwrap() = Some(level);
        }
        self.folder_trust(user)
    }

    fn back_up(&self, name: PartName) -> CatalogueFuture<BackupView> {
        Box::pin(
            async move { Ok(BackupView { name: name.to_string(), at: 1, files: 1, bytes: 1, left_out: 0 }) },
        )
    }

    fn backups(&self) -> CatalogueFuture<Vec<BackupView>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

fn usual(text: Option<String>) -> CatalogueFuture<AgentView> {
    let view = AgentView {
        name: "holm".into(),
        description: "Works.".into(),
        owner: Owner::Holm,
        model: None,
        tools: None,
        grants: Vec::new(),
        mode: None,
        limits: AgentBounds::default(),
        manages: Vec::new(),
        prompt: String::new(),
        text,
        etag: None,
        remarks: Vec::new(),
    };
    Box::pin(async move { Ok(view) })
}
