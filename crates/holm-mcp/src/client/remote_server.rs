//! One server as Holm uses it. It connects on first use, and reconnects after a failure with a
//! growing delay.
//!
//! One connection is in `server_connection.rs`, and the tool that a model calls in `tool.rs`. A
//! request that only reads may be sent again; a call is sent again only if the server refused it
//! before doing anything. A model's call is made only if the definition of the tool still has the
//! confirmed hash.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use holm_runtime::{CancellationToken, ProgressReporter};
use holm_tools::registry::{PinStatus, PinStore, ToolOffer};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, GetPromptRequestParams, GetPromptResult, Prompt,
    ReadResourceResult, Resource,
};
use serde_json::{Map, Value};
use tokio::sync::{Mutex, OnceCell, watch};
use tokio::time::{Instant, timeout};

use super::definition::{ServerInventory, ToolListing};
use super::error::ExchangeError;
use super::login::ServerAccount;
use super::notification_handler::{NotificationHandler, ProgressRoutes};
use super::server_connection::{ServerConnection, web};
use super::{McpTransports, RemoteServerError, RemoteTool};
use crate::{McpServerSpec, ServerEndpoint, ServerName};

/// How long a server may take to start: an interpreter may load many libraries. The wait for a
/// user's login is not included.
const PATIENCE: Duration = Duration::from_secs(120);
/// The delay before the first reconnect. It doubles with each failure.
const REST: Duration = Duration::from_secs(1);
/// The longest delay before a reconnect.
const LONGEST_REST: Duration = Duration::from_secs(60);
/// A server that breaks after this uptime does not count as failing to start.
const STEADY: Duration = Duration::from_secs(60);
/// The timeout of a list or a read. Calls have their own deadlines.
const READING: Duration = Duration::from_secs(60);

/// The message for a tool that changed.
pub(crate) const CHANGED: &str = "changed since you first used it; it is left out until you confirm it";

/// A server. Clones refer to the same server.
#[derive(Clone)]
pub struct RemoteServer(Arc<RemoteServerInner>);

struct RemoteServerInner {
    spec: McpServerSpec,
    means: McpTransports,
    state: Mutex<RemoteServerState>,
    account: OnceCell<Option<ServerAccount>>,
    changes: watch::Sender<u64>,
    openings: watch::Sender<u64>,
}

/// The state of the connection.
enum RemoteServerState {
    /// No request has needed a connection yet.
    Idle,
    /// Connected, after this many earlier failures.
    Up(Arc<ServerConnection>, u32),
    Down {
        failures: u32,
        until: Instant,
        why: RemoteServerError,
    },
}

impl RemoteServer {
    /// Creates the server of an entry, and starts nothing yet.
    #[must_use]
    pub fn new(spec: McpServerSpec, means: McpTransports) -> Self {
        Self(Arc::new(RemoteServerInner {
            spec,
            means,
            state: Mutex::new(RemoteServerState::Idle),
            account: OnceCell::new(),
            changes: watch::Sender::new(0),
            openings: watch::Sender::new(0),
        }))
    }

    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.0.spec.name
    }

    #[must_use]
    pub fn spec(&self) -> &McpServerSpec {
        &self.0.spec
    }

    /// Counts up whenever the server reports that its tools changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// Counts up whenever a connection is opened.
    pub(crate) fn openings(&self) -> watch::Receiver<u64> {
        self.0.openings.subscribe()
    }

    /// Whether there is an open connection.
    pub(crate) async fn is_up(&self) -> bool {
        matches!(&*self.0.state.lock().await, RemoteServerState::Up(link, _) if !link.is_closed())
    }

    /// The negotiated protocol version. Connects if necessary.
    ///
    /// # Errors
    ///
    /// Why the connection failed.
    pub async fn version(&self) -> Result<String, RemoteServerError> {
        let link = self.link().await?;
        Ok(link.version().map(|version| version.to_string()).unwrap_or_default())
    }

    /// The server's tools, as it defines them now.
    ///
    /// # Errors
    ///
    /// Why the list could not be read.
    pub async fn list(&self) -> Result<ToolListing, RemoteServerError> {
        let mut listing = self.read(|link| Box::pin(async move { link.tools().await })).await?;
        let wanted = &self.0.spec.tools;
        if !wanted.is_empty() {
            listing.tools.retain(|tool| wanted.contains(&tool.name));
        }
        Ok(listing)
    }

    /// Everything the server offers now: its tools, and whether it has resources and prompts.
    ///
    /// # Errors
    ///
    /// Why the server could not be asked.
    pub async fn reading(&self) -> Result<ServerInventory, RemoteServerError> {
        let listing = self.list().await?;
        let has = self.link().await?.capabilities();
        Ok(ServerInventory { listing, resources: has.resources.is_some(), prompts: has.prompts.is_some() })
    }

    /// The server's current tools for a registry. A tool that changed since it was first seen is
    /// left out and noted.
    ///
    /// # Errors
    ///
    /// Why the list could not be read.
    pub async fn offers(
        &self,
        pins: &dyn PinStore,
    ) -> Result<(Vec<ToolOffer>, ToolListing), RemoteServerError> {
        Ok(self.offers_of(self.reading().await?, pins))
    }

    /// The same for a list that was read earlier. Holm connects only when a tool is called, and
    /// then the definition must still match.
    #[must_use]
    pub fn offers_of(&self, reading: ServerInventory, pins: &dyn PinStore) -> (Vec<ToolOffer>, ToolListing) {
        let extras = RemoteTool::extras(self, &reading);
        let mut listing = reading.listing;
        let mut offers = Vec::new();
        let mut notes: Vec<String> = listing.flaws.iter().map(ToString::to_string).collect();
        for tool in &listing.tools {
            match pins.standing(&self.pin(&tool.name), &tool.sha256) {
                PinStatus::Confirmed => offers.push(self.offer(RemoteTool::new(self.clone(), tool))),
                PinStatus::Replaced => {
                    notes.push(format!("`{}` {CHANGED}", tool.name));
                    listing.changed.push(tool.name.clone());
                }
            }
        }
        offers.extend(extras.into_iter().map(|tool| self.offer(tool)));
        if let Some(first) = offers.first_mut() {
            first.notes = notes;
        }
        (offers, listing)
    }

    fn offer(&self, tool: RemoteTool) -> ToolOffer {
        ToolOffer::new(Arc::new(tool)).keywords([self.name().as_str()])
    }

    /// Pins all current tool definitions, because a person confirmed them.
    ///
    /// # Errors
    ///
    /// Why the list could not be read, or why the pins could not be stored.
    pub async fn confirm(&self, pins: &dyn PinStore) -> Result<usize, RemoteServerError> {
        let listing = self.list().await?;
        for tool in &listing.tools {
            let pinned = pins.confirm(&self.pin(&tool.name), &tool.sha256);
            pinned.map_err(|error| RemoteServerError::NoMeans(error.to_string()))?;
        }
        Ok(listing.tools.len())
    }

    /// Calls a tool by its name on the server.
    ///
    /// # Errors
    ///
    /// Why the call failed. A tool that ran and reported a failure is not an error.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        progress: &ProgressReporter,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, RemoteServerError> {
        let call = self.make(tool, None, arguments, progress, stop);
        self.in_time(call).await
    }

    /// Calls a tool whose definition must have this hash. A new connection may define a tool
    /// differently from what a person confirmed.
    ///
    /// # Errors
    ///
    /// [`RemoteServerError::Changed`] if the definition has changed;
    /// otherwise as for [`call`](Self::call).
    pub async fn call_as(
        &self,
        tool: &str,
        sha256: &[u8; 32],
        arguments: Map<String, Value>,
        progress: &ProgressReporter,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, RemoteServerError> {
        let call = self.make(tool, Some(sha256), arguments, progress, stop);
        self.in_time(call).await
    }

    async fn in_time<T>(
        &self,
        call: impl Future<Output = Result<T, RemoteServerError>>,
    ) -> Result<T, RemoteServerError> {
        match self.0.spec.timeout {
            None => call.await,
            Some(most) => {
                timeout(most, call).await.unwrap_or(Err(RemoteServerError::TimedOut(most.as_secs())))
            }
        }
    }

    async fn make(
        &self,
        tool: &str,
        sha256: Option<&[u8; 32]>,
        arguments: Map<String, Value>,
        progress: &ProgressReporter,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, RemoteServerError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        loop {
            let made = async {
                let link = self.link().await?;
                let defined = match sha256 {
                    None => Ok(()),
                    Some(sha256) => self.still_as(&link, tool, sha256).await,
                };
                Ok::<_, RemoteServerError>((link, defined))
            };
            let (link, defined) = tokio::select! {
                made = made => made?,
                () = stop.cancelled() => return Err(RemoteServerError::Stopped),
            };
            let called = match defined {
                Ok(()) => link.call(params.clone(), progress, stop).await,
                Err(fault) => Err(fault),
            };
            match called {
                Ok(result) => {
                    self.content().await;
                    return Ok(result);
                }
                // The server refused the request before doing anything, so it can be sent again.
                Err(ExchangeError::Challenged(challenge)) => self.log_in(&challenge).await?,
                Err(fault) => return Err(settled(fault, &link).await),
            }
        }
    }

    /// Whether a tool's definition is unchanged. The list is read once per connection.
    async fn still_as(
        &self,
        link: &ServerConnection,
        tool: &str,
        sha256: &[u8; 32],
    ) -> Result<(), ExchangeError> {
        let asked = timeout(READING, link.hash_of(tool)).await;
        let now = asked.unwrap_or(Err(RemoteServerError::TimedOut(READING.as_secs()).into()))?;
        if now.as_ref() == Some(sha256) {
            return Ok(());
        }
        self.0.changes.send_modify(|count| *count += 1);
        Err(RemoteServerError::Changed { tool: super::error::cut(tool), server: self.name().to_string() }
            .into())
    }

    /// Lists the server's resources.
    ///
    /// # Errors
    ///
    /// Why the list could not be read.
    pub async fn resources(&self) -> Result<Vec<Resource>, RemoteServerError> {
        self.read(|link| Box::pin(async move { link.resources().await })).await
    }

    /// Reads one resource by its URI.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    pub async fn resource(&self, uri: &str) -> Result<ReadResourceResult, RemoteServerError> {
        let uri = uri.to_owned();
        self.read(move |link| {
            let uri = uri.clone();
            Box::pin(async move { link.read(uri).await })
        })
        .await
    }

    /// Lists the server's prompts.
    ///
    /// # Errors
    ///
    /// Why the list could not be read.
    pub async fn prompts(&self) -> Result<Vec<Prompt>, RemoteServerError> {
        self.read(|link| Box::pin(async move { link.prompts().await })).await
    }

    /// A prompt with these arguments.
    ///
    /// # Errors
    ///
    /// Why the server returned no prompt.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<GetPromptResult, RemoteServerError> {
        let params = GetPromptRequestParams::new(name.to_owned()).with_arguments(arguments);
        self.read(move |link| {
            let params = params.clone();
            Box::pin(async move { link.prompt(params).await })
        })
        .await
    }

    /// Closes the connection, if there is one. The next request opens a new one.
    pub async fn close(&self) {
        *self.0.state.lock().await = RemoteServerState::Idle;
    }

    /// Performs a request that may be repeated: after a login, and once after the connection broke.
    async fn read<T, F>(&self, ask: F) -> Result<T, RemoteServerError>
    where
        F: Fn(Arc<ServerConnection>) -> holm_runtime::BoxFuture<'static, Result<T, ExchangeError>>,
    {
        let mut broken = false;
        loop {
            let link = self.link().await?;
            let asked = timeout(READING, ask(Arc::clone(&link))).await;
            match asked.unwrap_or(Err(RemoteServerError::TimedOut(READING.as_secs()).into())) {
                Ok(found) => return Ok(found),
                Err(ExchangeError::Challenged(challenge)) => self.log_in(&challenge).await?,
                Err(ExchangeError::Gone) if !broken => broken = true,
                Err(fault) => return Err(settled(fault, &link).await),
            }
        }
    }

    /// Returns the connection, and opens it if necessary. Concurrent callers wait for the same one.
    async fn link(&self) -> Result<Arc<ServerConnection>, RemoteServerError> {
        let mut state = self.0.state.lock().await;
        let failures = match &*state {
            RemoteServerState::Up(link, _) if !link.is_closed() => return Ok(Arc::clone(link)),
            RemoteServerState::Up(link, _) if link.age() >= STEADY => 0,
            RemoteServerState::Up(_, failures) => *failures,
            RemoteServerState::Down { until, why: error, .. } if Instant::now() < *until => {
                let seconds = until.duration_since(Instant::now()).as_secs() + 1;
                return Err(RemoteServerError::Resting { why: Box::new(error.clone()), seconds });
            }
            RemoteServerState::Down { failures, .. } => *failures,
            RemoteServerState::Idle => 0,
        };
        // The future is boxed because it is large, and a caller of a tool has deep calls of its
        // own.
        match Box::pin(self.open()).await {
            Ok(link) => {
                let link = Arc::new(link);
                // This counts as a failure until the connection proves stable.
                *state = RemoteServerState::Up(Arc::clone(&link), failures + 1);
                self.0.openings.send_modify(|count| *count += 1);
                Ok(link)
            }
            Err(error) => {
                let rest = REST.saturating_mul(1 << failures.min(6)).min(LONGEST_REST);
                *state = RemoteServerState::Down {
                    failures: failures + 1,
                    until: Instant::now() + rest,
                    why: error.clone(),
                };
                Err(error)
            }
        }
    }

    async fn open(&self) -> Result<ServerConnection, RemoteServerError> {
        let inner = &self.0;
        loop {
            let routes = ProgressRoutes::default();
            let ear = NotificationHandler::new(
                inner.spec.name.clone(),
                inner.means.asker.clone(),
                routes.clone(),
                inner.changes.clone(),
            );
            let opened = match &inner.spec.reach {
                ServerEndpoint::Program(program) => {
                    timeout(
                        PATIENCE,
                        ServerConnection::to_program(&inner.spec, program, &inner.means, ear, routes),
                    )
                    .await
                }
                ServerEndpoint::Address(address) => {
                    let account = self.account().await?;
                    let opening = ServerConnection::to_address(
                        &inner.spec,
                        address,
                        &inner.means,
                        account,
                        ear,
                        routes,
                    );
                    timeout(PATIENCE, opening).await
                }
            };
            match opened.unwrap_or(Err(RemoteServerError::TimedOut(PATIENCE.as_secs()).into())) {
                Ok(link) => return Ok(link),
                Err(ExchangeError::Challenged(challenge)) => self.log_in(&challenge).await?,
                Err(ExchangeError::Gone) => return Err(RemoteServerError::Gone(String::new())),
                Err(ExchangeError::Other(error)) => return Err(error),
            }
        }
    }

    /// Holm's identity at this server, or `None` if no login is possible.
    async fn account(&self) -> Result<Option<&ServerAccount>, RemoteServerError> {
        let inner = &self.0;
        let account = inner.account.get_or_try_init(|| async {
            match (&inner.spec.reach, &inner.means.login, &inner.means.net) {
                (ServerEndpoint::Address(address), Some(login), Some(net)) => {
                    let web = web(&inner.means, address)?;
                    let account = ServerAccount::new(login.clone(), net, web, &inner.spec, address).await;
                    account.map(Some).map_err(|error| RemoteServerError::Login(error.to_string()))
                }
                _ => Ok(None),
            }
        });
        Ok(account.await?.as_ref())
    }

    async fn log_in(&self, challenge: &str) -> Result<(), RemoteServerError> {
        let Some(account) = self.account().await? else {
            return Err(RemoteServerError::Login("no user is present to log in".into()));
        };
        account
            .answer(challenge)
            .await
            .map_err(|error| RemoteServerError::Login(super::error::cut(&error.to_string())))
    }

    /// Records a successful request, so that a later login challenge counts as new.
    async fn content(&self) {
        if let Ok(Some(account)) = self.account().await {
            account.done().await;
        }
    }

    /// The key under which a tool's definition is pinned. It contains no folder, so no file on disk
    /// can change its meaning.
    fn pin(&self, tool: &str) -> std::path::PathBuf {
        let escaped: String = tool
            .chars()
            .flat_map(|character| match character {
                '/' => "%2F".chars().collect::<Vec<_>>(),
                '%' => "%25".chars().collect(),
                other => vec![other],
            })
            .collect();
        format!("mcp:{}:{escaped}", self.name()).into()
    }
}

impl fmt::Debug for RemoteServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("RemoteServer").field(&self.0.spec).finish()
    }
}

async fn settled(fault: ExchangeError, link: &ServerConnection) -> RemoteServerError {
    match fault {
        ExchangeError::Challenged(_) => {
            RemoteServerError::Login("it asks for more permissions than you have seen".into())
        }
        ExchangeError::Gone => RemoteServerError::Gone(link.last_words().await),
        ExchangeError::Other(error) => error,
    }
}
