//! An open connection to a server.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use holm_grants::{FetchPattern, Grant, GrantSet, Policy};
use holm_net::NetError;
use holm_runtime::{CancellationToken, Progress};
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

use super::definition::{Definition, Flaw, Listing};
use super::ear::{Ear, Routes};
use super::error::Fault;
use super::lines::Lines;
use super::login::Account;
use super::older::Older;
use super::probe::{LateEra, Probed};
use super::process::Process;
use super::subscription::ListSubscription;
use super::web::{MAX_MESSAGE, Web};
use super::{Means, Programs, RemoteError};
use crate::{Address, Era, Http, Program, ServerSpec};

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
pub(crate) struct Link {
    service: RunningService<RoleClient, Ear>,
    routes: Routes,
    process: Option<Process>,
    born: Instant,
    /// The hash of each tool definition when this connection last read the list.
    hashes: Mutex<Option<BTreeMap<String, [u8; 32]>>>,
    /// Receives list changes, for servers that send them only to subscribers.
    _subscription: Option<ListSubscription>,
}

impl Link {
    /// Connects to a program and negotiates the protocol era.
    pub(crate) async fn to_program(
        spec: &ServerSpec,
        program: &Program,
        means: &Means,
        ear: Ear,
        routes: Routes,
    ) -> Result<Self, Fault> {
        let programs = means.programs.as_ref();
        let programs =
            programs.ok_or_else(|| RemoteError::NoMeans("programs cannot be started here".into()))?;
        let seen = LateEra::default();
        match Self::serve_program(programs, spec, program, spec.era, &seen, ear.clone()).await {
            Ok((service, process)) => Ok(Self::new(service, routes, Some(process))),
            // `rmcp` fell back to the older era too early, and this server supports only the newer
            // one.
            Err(_) if seen.is_newer() && spec.era == Era::Either => {
                let again = Self::serve_program(programs, spec, program, Era::Stateless, &seen, ear);
                let (service, process) = again.await?;
                Ok(Self::new(service, routes, Some(process)))
            }
            Err(fault) => Err(fault),
        }
    }

    async fn serve_program(
        programs: &Programs,
        spec: &ServerSpec,
        program: &Program,
        era: Era,
        seen: &LateEra,
        ear: Ear,
    ) -> Result<(RunningService<RoleClient, Ear>, Process), Fault> {
        let (process, read, write) = Process::start(programs, spec, program).await?;
        let lines = Probed::new(Lines::new(read, write, MAX_MESSAGE), seen.clone());
        let serving = Box::pin(ear.serve_with_lifecycle(lines, mode(era)));
        let served = tokio::select! {
            served = serving => served,
            why = process.needs_network() => return Err(RemoteError::Unreachable(why).into()),
        };
        match served {
            Ok(service) => Ok((service, process)),
            Err(error) => match Fault::from(error) {
                Fault::Other(RemoteError::Unreachable(why)) => {
                    Err(RemoteError::Unreachable(why + &process.last_words().await).into())
                }
                other => Err(other),
            },
        }
    }

    /// Connects to an address and negotiates the protocol era, with the current login
    /// if there is one.
    pub(crate) async fn to_address(
        spec: &ServerSpec,
        address: &Address,
        means: &Means,
        account: Option<&Account>,
        ear: Ear,
        routes: Routes,
    ) -> Result<Self, Fault> {
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

    fn new(service: RunningService<RoleClient, Ear>, routes: Routes, process: Option<Process>) -> Self {
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
    pub(crate) async fn hash_of(&self, tool: &str) -> Result<Option<[u8; 32]>, Fault> {
        if let Some(known) = &*self.hashes.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(known.get(tool).copied());
        }
        let listing = self.tools().await?;
        Ok(listing.tools.iter().find(|known| known.name == tool).map(|known| known.sha256))
    }

    /// Reads all tools, page by page.
    pub(crate) async fn tools(&self) -> Result<Listing, Fault> {
        let listing = self.list_tools().await?;
        let hashes = listing.tools.iter().map(|tool| (tool.name.clone(), tool.sha256)).collect();
        *self.hashes.lock().unwrap_or_else(PoisonError::into_inner) = Some(hashes);
        Ok(listing)
    }

    async fn list_tools(&self) -> Result<Listing, Fault> {
        let mut listing = Listing::default();
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
                    listing.flaws.push(Flaw::TooMany(MAX_TOOLS));
                    return Ok(listing);
                }
                take(tool, &mut listing);
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(listing);
            }
        }
        listing.flaws.push(Flaw::Endless(MAX_PAGES));
        Ok(listing)
    }

    /// Reads all resources, up to the limit.
    pub(crate) async fn resources(&self) -> Result<Vec<Resource>, Fault> {
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
    pub(crate) async fn prompts(&self) -> Result<Vec<Prompt>, Fault> {
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

    pub(crate) async fn read(&self, uri: String) -> Result<ReadResourceResult, Fault> {
        Ok(self.service.read_resource(ReadResourceRequestParams::new(uri)).await?)
    }

    pub(crate) async fn prompt(&self, params: GetPromptRequestParams) -> Result<GetPromptResult, Fault> {
        Ok(self.service.get_prompt(params).await?)
    }

    /// Calls a tool, answers the server's questions during the call, and cancels the call when the
    /// caller no longer wants it.
    pub(crate) async fn call(
        &self,
        mut params: CallToolRequestParams,
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, Fault> {
        let _calling = self.routes.call();
        for _ in 0..MAX_ROUNDS {
            match self.exchange(params.clone(), progress, stop).await? {
                ServerResult::CallToolResult(result) => return Ok(result),
                ServerResult::InputRequiredResult(asked) => {
                    params.request_state.clone_from(&asked.request_state);
                    params.input_responses = self.answer(asked, stop).await?;
                }
                _ => {
                    return Err(RemoteError::Protocol("its answer is not the result of a call".into()).into());
                }
            }
        }
        let often = format!("it asked {MAX_ROUNDS} times before it did anything");
        Err(RemoteError::Protocol(often).into())
    }

    async fn exchange(
        &self,
        params: CallToolRequestParams,
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<ServerResult, Fault> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = self.service.peer().send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut handle = sent.await?;
        let _following = self.routes.follow(handle.progress_token.clone(), progress);
        tokio::select! {
            answer = &mut handle.rx => Ok(answer.map_err(|_| ServiceError::TransportClosed)??),
            () = stop.cancelled() => {
                // The caller does not wait until the server receives the cancellation.
                tokio::spawn(handle.cancel(Some("the answer is no longer wanted".into())));
                Err(RemoteError::Stopped.into())
            }
        }
    }

    /// Collects the user's answers to the server's questions.
    async fn answer(
        &self,
        asked: InputRequiredResult,
        stop: &CancellationToken,
    ) -> Result<Option<InputResponses>, Fault> {
        let mut answers: InputResponses = BTreeMap::new();
        for (key, request) in asked.input_requests.unwrap_or_default() {
            let InputRequest::Elicitation(request) = request else {
                let what = "it asks for a model or for folders, which Holm does not provide".to_owned();
                return Err(RemoteError::Protocol(what).into());
            };
            let answer = tokio::select! {
                answer = self.service.service().elicit(request.params) => answer,
                () = stop.cancelled() => return Err(RemoteError::Stopped.into()),
            };
            let answer = answer.map_err(|error| RemoteError::Protocol(error.message.into_owned()))?;
            let answer =
                serde_json::to_value(answer).map_err(|error| RemoteError::Protocol(error.to_string()))?;
            answers.insert(key, answer);
        }
        Ok((!answers.is_empty()).then_some(answers))
    }
}

/// Connects with the newer HTTP transport. Uses the older one if the entry asks for it, or if the
/// server does not support the newer one.
async fn connect<C: StreamableHttpClient<Error = NetError> + Sync>(
    client: C,
    web: &Web,
    era: Era,
    address: &Address,
    ear: Ear,
) -> Result<RunningService<RoleClient, Ear>, Fault> {
    let (url, headers) = (address.url.to_string(), headers(address)?);
    let newer = match address.http {
        Http::Older => None,
        Http::Newer => {
            let config = StreamableHttpClientTransportConfig::with_uri(url.clone())
                .custom_headers(headers.clone())
                .max_sse_event_size(MAX_MESSAGE)
                .reinit_on_expired_session(true);
            let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
            let transport = Probed::new(transport, LateEra::default());
            match Box::pin(ear.clone().serve_with_lifecycle(transport, mode(era))).await {
                // The stateless era has no older HTTP transport.
                Err(error) if web.refused_hello() && era != Era::Stateless => Some(error),
                served => {
                    let service = served?;
                    web.can_be_asked().await;
                    return Ok(service);
                }
            }
        }
    };
    match (Older::open(client, &url, headers).await, newer) {
        (Ok(older), _) => {
            Ok(Box::pin(ear.serve_with_lifecycle(older, ClientLifecycleMode::Initialize)).await?)
        }
        // Neither transport works, so the error of the newer one is reported.
        (Err(_), Some(error)) => Err(error.into()),
        (Err(error), None) => Err(error.into()),
    }
}

/// Adds a tool to the list, or the reason for its rejection.
fn take(tool: &rmcp::model::Tool, listing: &mut Listing) {
    match Definition::take(tool) {
        Ok(known) if listing.tools.iter().any(|other| other.name == known.name) => {
            listing.flaws.push(Flaw::Twice(known.name));
        }
        Ok(new) => listing.tools.push(new),
        Err(flaw) if listing.flaws.len() < MAX_TOOLS => listing.flaws.push(flaw),
        Err(_) => {}
    }
}

/// An HTTP client that reaches this address and no other.
pub(crate) fn web(means: &Means, address: &Address) -> Result<Web, RemoteError> {
    let net = means.net.clone();
    let net = net.ok_or_else(|| RemoteError::NoMeans("remote servers cannot be reached from here".into()))?;
    let own = FetchPattern::origin(&address.url).map_err(|error| RemoteError::NoMeans(error.to_string()))?;
    let policy = Policy { grants: GrantSet::from_iter([Grant::Fetch(own)]), ..Policy::default() };
    Ok(Web::new(net, policy))
}

fn page(cursor: Option<String>) -> PaginatedRequestParams {
    PaginatedRequestParams::default().with_cursor(cursor)
}

fn mode(era: Era) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Era::Either => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        Era::Handshake => ClientLifecycleMode::Initialize,
        Era::Stateless => ClientLifecycleMode::Discover { preferred_versions },
    }
}

fn headers(address: &Address) -> Result<HashMap<HeaderName, HeaderValue>, RemoteError> {
    let bad = |name: &str| RemoteError::NoMeans(format!("the header {name} cannot be sent"));
    let mut headers = HashMap::new();
    for (name, value) in &address.headers {
        let mut value: HeaderValue = value.parse().map_err(|_| bad(name))?;
        value.set_sensitive(true);
        headers.insert(name.parse().map_err(|_| bad(name))?, value);
    }
    Ok(headers)
}
