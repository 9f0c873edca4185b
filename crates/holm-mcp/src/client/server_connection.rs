//! An open connection to a server: negotiates the era, reads lists page by page, and makes calls.
//! It never reconnects and never retries a call: `remote_server.rs` decides about both. The
//! transports are in `process.rs`, `http_client.rs` and `legacy_sse.rs`. The numbers of tools,
//! pages and rounds of questions are bounded. The HTTP client reaches the server's own origin and
//! no other.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use holm_grants::{FetchPattern, Grant, GrantPolicy, GrantSet};
use holm_net::NetError;
use holm_runtime::{CancellationToken, ProgressReporter};
use http::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, GetPromptRequestParams,
    GetPromptResult, InputRequest, InputRequiredResult, InputResponses, PaginatedRequestParams, Prompt,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResult, Resource, ServerCapabilities,
    ServerResult,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, PeerRequestOptions, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpClientTransportConfig};
use rmcp::{RoleClient, ServiceError};
use tokio::time::Instant;

use super::definition::{ToolDefinition, ToolDefinitionError, ToolListing};
use super::error::ExchangeError;
use super::http_client::{MAX_MESSAGE, McpHttpClient};
use super::legacy_sse::LegacySseTransport;
use super::lines::LineTransport;
use super::login::ServerAccount;
use super::notification_handler::{NotificationHandler, ProgressRoutes};
use super::probe::{EraProbeTransport, LateEraFlag};
use super::process::ServerProcess;
use super::subscription::ListSubscription;
use super::{McpTransports, ProgramSettings, RemoteServerError};
use crate::{HttpVariant, McpServerSpec, ProtocolEra, ServerAddress, ServerProgram};

/// The largest number of tools of one server: more than any honest server has, and few enough for a
/// registry to search quickly.
pub(crate) const MAX_TOOLS: usize = 512;
/// The largest number of pages of a list.
const MAX_PAGES: usize = 64;
/// The largest number of entries in any other list.
const MAX_LISTED: usize = 1024;
/// How many rounds of questions a server may ask during one call.
const MAX_ROUNDS: usize = 8;

/// An open connection to a server.
pub(crate) struct ServerConnection {
    service: RunningService<RoleClient, NotificationHandler>,
    routes: ProgressRoutes,
    process: Option<ServerProcess>,
    born: Instant,
    /// The hash of each tool definition when this connection last read the list.
    hashes: Mutex<Option<BTreeMap<String, [u8; 32]>>>,
    /// Receives list changes, for servers that send them only to subscribers.
    _subscription: Option<ListSubscription>,
}

impl ServerConnection {
    /// Connects to a program and negotiates the protocol era.
    pub(crate) async fn to_program(
        spec: &McpServerSpec,
        program: &ServerProgram,
        means: &McpTransports,
        ear: NotificationHandler,
        routes: ProgressRoutes,
    ) -> Result<Self, ExchangeError> {
        let programs = means.programs.as_ref();
        let programs =
            programs.ok_or_else(|| RemoteServerError::NoMeans("programs cannot be started here".into()))?;
        let seen = LateEraFlag::default();
        match Self::serve_program(programs, spec, program, spec.era, &seen, ear.clone()).await {
            Ok((service, process)) => Ok(Self::new(service, routes, Some(process))),
            // `rmcp` fell back to the older era too early, and this server supports only the newer
            // one.
            Err(_) if seen.is_newer() && spec.era == ProtocolEra::Either => {
                let again = Self::serve_program(programs, spec, program, ProtocolEra::Stateless, &seen, ear);
                let (service, process) = again.await?;
                Ok(Self::new(service, routes, Some(process)))
            }
            Err(fault) => Err(fault),
        }
    }

    async fn serve_program(
        programs: &ProgramSettings,
        spec: &McpServerSpec,
        program: &ServerProgram,
        era: ProtocolEra,
        seen: &LateEraFlag,
        ear: NotificationHandler,
    ) -> Result<(RunningService<RoleClient, NotificationHandler>, ServerProcess), ExchangeError> {
        let (process, read, write) = ServerProcess::start(programs, spec, program).await?;
        let lines = EraProbeTransport::new(LineTransport::new(read, write, MAX_MESSAGE), seen.clone());
        let serving = Box::pin(ear.serve_with_lifecycle(lines, mode(era)));
        let served = tokio::select! {
            served = serving => served,
            reason = process.needs_network() => return Err(RemoteServerError::Unreachable(reason).into()),
        };
        match served {
            Ok(service) => Ok((service, process)),
            Err(error) => match ExchangeError::from(error) {
                ExchangeError::Other(RemoteServerError::Unreachable(reason)) => {
                    Err(RemoteServerError::Unreachable(reason + &process.last_words().await).into())
                }
                other => Err(other),
            },
        }
    }

    /// Connects to an address and negotiates the protocol era, with the current login
    /// if there is one.
    pub(crate) async fn to_address(
        spec: &McpServerSpec,
        address: &ServerAddress,
        means: &McpTransports,
        account: Option<&ServerAccount>,
        ear: NotificationHandler,
        routes: ProgressRoutes,
    ) -> Result<Self, ExchangeError> {
        let service = match account {
            Some(account) => {
                Box::pin(connect(account.web(), account.plain(), spec.era, address, ear)).await?
            }
            None => {
                let web = web(means, address)?;
                Box::pin(connect(web.clone(), &web, spec.era, address, ear)).await?
            }
        };
        Ok(Self::new(service, routes, None))
    }

    fn new(
        service: RunningService<RoleClient, NotificationHandler>,
        routes: ProgressRoutes,
        process: Option<ServerProcess>,
    ) -> Self {
        let subscription = ListSubscription::open(service.peer(), service.service().clone());
        Self {
            service,
            routes,
            process,
            born: Instant::now(),
            hashes: Mutex::default(),
            _subscription: subscription,
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    pub(crate) fn age(&self) -> Duration {
        self.born.elapsed()
    }

    /// The last error output of a server program that has ended.
    pub(crate) async fn last_words(&self) -> String {
        match &self.process {
            Some(process) => process.last_words().await,
            None => String::new(),
        }
    }

    /// The negotiated protocol version.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.service.peer().peer_info().map(|info| info.protocol_version.clone())
    }

    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        self.service.peer().peer_info().map(|info| info.capabilities.clone()).unwrap_or_default()
    }

    /// The hash of a tool's definition on this connection, or `None` if the tool is missing. Reads
    /// the list if this connection has not read it yet.
    pub(crate) async fn hash_of(&self, tool: &str) -> Result<Option<[u8; 32]>, ExchangeError> {
        if let Some(known) = &*self.hashes.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(known.get(tool).copied());
        }
        let listing = self.tools().await?;
        Ok(listing.tools.iter().find(|known| known.name == tool).map(|known| known.sha256))
    }

    /// Reads all tools, page by page.
    pub(crate) async fn tools(&self) -> Result<ToolListing, ExchangeError> {
        let listing = self.list_tools().await?;
        let hashes = listing.tools.iter().map(|tool| (tool.name.clone(), tool.sha256)).collect();
        *self.hashes.lock().unwrap_or_else(PoisonError::into_inner) = Some(hashes);
        Ok(listing)
    }

    async fn list_tools(&self) -> Result<ToolListing, ExchangeError> {
        let mut listing = ToolListing::default();
        // A server with resources only need not support the request for tools.
        if self.service.peer().peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
            return Ok(listing);
        }
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = self.service.peer().list_tools(Some(page(cursor))).await?;
            listing.fresh_for = page.ttl_ms.map(Duration::from_millis).or(listing.fresh_for);
            for tool in &page.tools {
                if listing.tools.len() == MAX_TOOLS {
                    listing.flaws.push(ToolDefinitionError::TooMany(MAX_TOOLS));
                    return Ok(listing);
                }
                take(tool, &mut listing);
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(listing);
            }
        }
        listing.flaws.push(ToolDefinitionError::Endless(MAX_PAGES));
        Ok(listing)
    }

    /// Reads all resources, up to the limit.
    pub(crate) async fn resources(&self) -> Result<Vec<Resource>, ExchangeError> {
        let (mut all, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let found = self.service.peer().list_resources(Some(page(cursor))).await?;
            all.extend(found.resources);
            cursor = found.next_cursor;
            if cursor.is_none() || all.len() >= MAX_LISTED {
                break;
            }
        }
        all.truncate(MAX_LISTED);
        Ok(all)
    }

    /// Reads all prompts, up to the limit.
    pub(crate) async fn prompts(&self) -> Result<Vec<Prompt>, ExchangeError> {
        let (mut all, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let found = self.service.peer().list_prompts(Some(page(cursor))).await?;
            all.extend(found.prompts);
            cursor = found.next_cursor;
            if cursor.is_none() || all.len() >= MAX_LISTED {
                break;
            }
        }
        all.truncate(MAX_LISTED);
        Ok(all)
    }

    pub(crate) async fn read(&self, uri: String) -> Result<ReadResourceResult, ExchangeError> {
        Ok(self.service.read_resource(ReadResourceRequestParams::new(uri)).await?)
    }

    pub(crate) async fn prompt(
        &self,
        params: GetPromptRequestParams,
    ) -> Result<GetPromptResult, ExchangeError> {
        Ok(self.service.get_prompt(params).await?)
    }

    /// Calls a tool, answers the server's questions during the call, and cancels the call when the
    /// caller no longer wants it.
    pub(crate) async fn call(
        &self,
        mut params: CallToolRequestParams,
        progress: &ProgressReporter,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, ExchangeError> {
        let _calling = self.routes.call();
        for _ in 0..MAX_ROUNDS {
            match self.exchange(params.clone(), progress, stop).await? {
                ServerResult::CallToolResult(result) => return Ok(result),
                ServerResult::InputRequiredResult(asked) => {
                    params.request_state.clone_from(&asked.request_state);
                    params.input_responses = self.answer(asked, stop).await?;
                }
                _ => {
                    return Err(
                        RemoteServerError::Protocol("its answer is not the result of a call".into()).into()
                    );
                }
            }
        }
        let often = format!("it asked {MAX_ROUNDS} times before it did anything");
        Err(RemoteServerError::Protocol(often).into())
    }

    async fn exchange(
        &self,
        params: CallToolRequestParams,
        progress: &ProgressReporter,
        stop: &CancellationToken,
    ) -> Result<ServerResult, ExchangeError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = self.service.peer().send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut handle = sent.await?;
        let _following = self.routes.follow(handle.progress_token.clone(), progress);
        tokio::select! {
            answer = &mut handle.rx => Ok(answer.map_err(|_| ServiceError::TransportClosed)??),
            () = stop.cancelled() => {
                // The caller does not wait until the server receives the cancellation.
                tokio::spawn(handle.cancel(Some("the answer is no longer needed".into())));
                Err(RemoteServerError::Stopped.into())
            }
        }
    }

    /// Collects the user's answers to the server's questions.
    async fn answer(
        &self,
        asked: InputRequiredResult,
        stop: &CancellationToken,
    ) -> Result<Option<InputResponses>, ExchangeError> {
        let mut answers: InputResponses = BTreeMap::new();
        for (key, request) in asked.input_requests.unwrap_or_default() {
            let InputRequest::Elicitation(request) = request else {
                let reason = "it asks for a model or for folders, which Holm does not provide".to_owned();
                return Err(RemoteServerError::Protocol(reason).into());
            };
            let answer = tokio::select! {
                answer = self.service.service().elicit(request.params) => answer,
                () = stop.cancelled() => return Err(RemoteServerError::Stopped.into()),
            };
            let answer = answer.map_err(|error| RemoteServerError::Protocol(error.message.into_owned()))?;
            let answer = serde_json::to_value(answer)
                .map_err(|error| RemoteServerError::Protocol(error.to_string()))?;
            answers.insert(key, answer);
        }
        Ok((!answers.is_empty()).then_some(answers))
    }
}

/// Connects with the newer HTTP transport. Uses the older one if the entry asks for it, or if the
/// server does not support the newer one.
async fn connect<C: StreamableHttpClient<Error = NetError> + Sync>(
    client: C,
    web: &McpHttpClient,
    era: ProtocolEra,
    address: &ServerAddress,
    ear: NotificationHandler,
) -> Result<RunningService<RoleClient, NotificationHandler>, ExchangeError> {
    let (url, headers) = (address.url.to_string(), headers(address)?);
    let newer = match address.http {
        HttpVariant::Older => None,
        HttpVariant::Newer => {
            let config = StreamableHttpClientTransportConfig::with_uri(url.clone())
                .custom_headers(headers.clone())
                .max_sse_event_size(MAX_MESSAGE)
                .reinit_on_expired_session(true);
            let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
            let transport = EraProbeTransport::new(transport, LateEraFlag::default());
            match Box::pin(ear.clone().serve_with_lifecycle(transport, mode(era))).await {
                // The stateless era has no older HTTP transport.
                Err(error) if web.refused_hello() && era != ProtocolEra::Stateless => Some(error),
                served => {
                    let service = served?;
                    web.can_be_asked().await;
                    return Ok(service);
                }
            }
        }
    };
    match (LegacySseTransport::open(client, &url, headers).await, newer) {
        (Ok(older), _) => {
            Ok(Box::pin(ear.serve_with_lifecycle(older, ClientLifecycleMode::Initialize)).await?)
        }
        // Neither transport works, so the error of the newer one is reported.
        (Err(_), Some(error)) => Err(error.into()),
        (Err(error), None) => Err(error.into()),
    }
}

/// Adds a tool to the list, or the reason for its rejection.
fn take(tool: &rmcp::model::Tool, listing: &mut ToolListing) {
    match ToolDefinition::take(tool) {
        Ok(known) if listing.tools.iter().any(|other| other.name == known.name) => {
            listing.flaws.push(ToolDefinitionError::Twice(known.name));
        }
        Ok(new) => listing.tools.push(new),
        Err(flaw) if listing.flaws.len() < MAX_TOOLS => listing.flaws.push(flaw),
        Err(_) => {}
    }
}

/// An HTTP client that reaches this address and no other.
pub(crate) fn web(
    means: &McpTransports,
    address: &ServerAddress,
) -> Result<McpHttpClient, RemoteServerError> {
    let net = means.net.clone();
    let net =
        net.ok_or_else(|| RemoteServerError::NoMeans("remote servers cannot be reached from here".into()))?;
    let own =
        FetchPattern::origin(&address.url).map_err(|error| RemoteServerError::NoMeans(error.to_string()))?;
    let policy = GrantPolicy { grants: GrantSet::from_iter([Grant::Fetch(own)]), ..GrantPolicy::default() };
    Ok(McpHttpClient::new(net, policy))
}

fn page(cursor: Option<String>) -> PaginatedRequestParams {
    PaginatedRequestParams::default().with_cursor(cursor)
}

fn mode(era: ProtocolEra) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        ProtocolEra::Either => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        ProtocolEra::Handshake => ClientLifecycleMode::Initialize,
        ProtocolEra::Stateless => ClientLifecycleMode::Discover { preferred_versions },
    }
}

fn headers(address: &ServerAddress) -> Result<HashMap<HeaderName, HeaderValue>, RemoteServerError> {
    let bad = |name: &str| RemoteServerError::NoMeans(format!("the header {name} cannot be sent"));
    let mut headers = HashMap::new();
    for (name, value) in &address.headers {
        let mut value: HeaderValue = value.parse().map_err(|_| bad(name))?;
        value.set_sensitive(true);
        headers.insert(name.parse().map_err(|_| bad(name))?, value);
    }
    Ok(headers)
}
