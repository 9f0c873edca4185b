//! A client for remote models: its providers and keys, and the connection of one run. One call is
//! performed in `exchange.rs`, formats are in `holm-wire`, and connections in `http.rs`. Retries
//! are decided by the kernel. Here a call is sent a second time in one case only: if the provider
//! refuses tools, it is sent again with the tools described in text (`text_tools.rs`). The key is
//! added to a request in one place only, `outgoing`, so that nothing else can leak it.

use std::{
    collections::BTreeMap,
    fmt,
    hash::{Hash as _, Hasher as _},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use holm_kernel::{FailureClass, ModelCallId, ModelResult, Purpose};
use holm_runtime::{
    BoxFuture, CancellationToken, DeltaSink, Model, ModelConnection, ModelRequest, SecretRedactor,
};
use holm_wire::{
    AuthScheme, ModelCall, NoMedia, ProviderCodec, ProviderRequest, RequestEncoder, WireOptions, bedrock,
    classify, provider_model,
    services::{KeyRequirement, MissingVariableError, ModelNameError, ServiceTable},
};
use secrecy::ExposeSecret;

use crate::{
    HttpTimeouts, HttpTransport, ModelEndpoint, ProviderCredential, ProviderKeys, ProxyPolicy, ToolCallMode,
    Transport, TransportError, TransportRequest, exchange,
    text_tools::{self, BufferedTextSink, ToolCallSupport},
};

/// The models of one or more providers, by `provider/model`. Clones share connections.
///
/// ```no_run
/// use holm_models::{ModelClient, ModelEndpoint, ProviderKeys};
///
/// // A model of the proxy is named `proxy/<model>`.
/// let client = ModelClient::builder()
///     .endpoint("proxy", ModelEndpoint::compatible("https://models.example.com/v1"))
///     .keys(ProviderKeys::new().with("proxy", "key-from-somewhere"))
///     .build()?;
/// # Ok::<(), holm_models::ModelClientError>(())
/// ```
#[derive(Clone)]
pub struct ModelClient {
    shared: Arc<ModelClientInner>,
}

impl ModelClient {
    /// Creates a client for the provider in a model's name, from the catalogue of services. The
    /// environment is read only for base URLs.
    ///
    /// # Errors
    /// [`ModelClientError`] if the provider is unknown or its key is missing.
    pub fn from_name(name: &str, keys: ProviderKeys) -> Result<Self, ModelClientError> {
        let services = ServiceTable::stock();
        let (name, service) = services.resolve(name)?;
        let endpoint = ModelEndpoint::of_service(service, &|name| std::env::var(name).ok())?;
        Self::builder().endpoint(name.provider(), endpoint).keys(keys).build()
    }

    /// Starts a client with custom settings.
    pub fn builder() -> ModelClientBuilder {
        ModelClientBuilder::default()
    }

    pub(crate) fn shared(&self) -> &Arc<ModelClientInner> {
        &self.shared
    }

    fn line(&self, options: WireOptions) -> Box<dyn ModelConnection> {
        Box::new(ModelClientConnection {
            shared: Arc::clone(&self.shared),
            options,
            encoders: BTreeMap::new(),
        })
    }
}

/// A key for the provider's prompt cache. It is the same whenever the run continues and for its
/// forks, and reveals nothing about them.
fn cache_key(family: &str) -> String {
    let half = |salt: u8| {
        let mut hasher = std::hash::DefaultHasher::new();
        (salt, family).hash(&mut hasher);
        hasher.finish()
    };
    format!("holm-{:016x}{:016x}", half(0), half(1))
}

impl fmt::Debug for ModelClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ModelClient")
            .field("providers", &self.shared.endpoints.keys())
            .finish_non_exhaustive()
    }
}

impl Model for ModelClient {
    fn open(&self) -> Box<dyn ModelConnection> {
        self.line(self.shared.options.clone())
    }

    fn open_run(&self, family: &str) -> Box<dyn ModelConnection> {
        let cache_key = Some(cache_key(family));
        self.line(WireOptions { cache_key, ..self.shared.options.clone() })
    }
}

/// Builds a [`ModelClient`] from its parts.
#[derive(Default)]
pub struct ModelClientBuilder {
    endpoints: BTreeMap<String, ModelEndpoint>,
    keys: ProviderKeys,
    options: WireOptions,
    timeouts: HttpTimeouts,
    proxies: ProxyPolicy,
    transport: Option<Arc<dyn Transport>>,
}

impl ModelClientBuilder {
    /// Adds a provider with this name.
    #[must_use]
    pub fn endpoint(mut self, provider: &str, endpoint: ModelEndpoint) -> Self {
        self.endpoints.insert(provider.into(), endpoint);
        self
    }

    #[must_use]
    pub fn keys(mut self, keys: ProviderKeys) -> Self {
        self.keys = keys;
        self
    }

    /// Sets the options of every call.
    #[must_use]
    pub fn options(mut self, options: WireOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the timeouts of every call.
    #[must_use]
    pub fn timeouts(mut self, timeouts: HttpTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets whether proxies are used.
    #[must_use]
    pub fn proxies(mut self, proxies: ProxyPolicy) -> Self {
        self.proxies = proxies;
        self
    }

    /// Sends requests through another transport: a
    /// [`RecordingTransport`](crate::RecordingTransport), or a recording
    /// ([`ReplayTransport`](crate::ReplayTransport)). That transport is then responsible for
    /// timeouts and proxies, except for the silence limit of a reply.
    #[must_use]
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Builds the client without opening a connection.
    ///
    /// # Errors
    /// [`ModelClientError`] if a provider's key is missing or of the wrong kind.
    pub fn build(self) -> Result<ModelClient, ModelClientError> {
        for (provider, endpoint) in &self.endpoints {
            check_base(provider, endpoint.base())?;
            check_key(provider, endpoint, endpoint.key_from(provider, &self.keys))?;
        }
        let transport = match self.transport {
            Some(transport) => transport,
            None => Arc::new(HttpTransport::new(self.timeouts, self.proxies)?),
        };
        let secrets = self.keys.secrets();
        let (endpoints, keys, options) = (self.endpoints, self.keys, self.options);
        let silence = self.timeouts.silence;
        let tool_calls = ToolCallSupport::default();
        let shared = ModelClientInner { endpoints, keys, options, transport, secrets, silence, tool_calls };
        Ok(ModelClient { shared: Arc::new(shared) })
    }
}

/// Why a client cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelClientError {
    /// The model name is invalid, or its provider is unknown.
    #[error(transparent)]
    Name(#[from] ModelNameError),
    /// A variable of the base URL has no value.
    #[error(transparent)]
    Variable(#[from] MissingVariableError),
    /// The base URL contains credentials.
    #[error("the base URL of {provider} contains a user name or password; remove it and use a key instead")]
    SecretInBase { provider: String },
    /// The key is missing.
    #[error("there is no key for {provider}")]
    NoKey { provider: String },
    /// The key cannot be used with the provider.
    #[error("wrong kind of key for {provider}: it needs {wants}")]
    WrongKey { provider: String, wants: &'static str },
    /// The transport cannot be created.
    #[error(transparent)]
    Transport(#[from] TransportError),
}

/// The state that all connections of a client share.
pub(crate) struct ModelClientInner {
    pub(crate) endpoints: BTreeMap<String, ModelEndpoint>,
    pub(crate) keys: ProviderKeys,
    pub(crate) options: WireOptions,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) secrets: SecretRedactor,
    pub(crate) silence: Duration,
    pub(crate) tool_calls: ToolCallSupport,
}

impl ModelClientInner {
    /// Adds the key to a request. This is the only place that does so.
    pub(crate) fn outgoing(
        &self,
        provider: &str,
        endpoint: &ModelEndpoint,
        request: ProviderRequest,
    ) -> TransportRequest {
        let url = request.url(endpoint.base());
        let secrets = match (endpoint.key_from(provider, &self.keys), &request.auth) {
            (Some(ProviderCredential::Token(token)), AuthScheme::Bearer | AuthScheme::Header(_)) => {
                let header = request.auth.header(token.expose_secret().trim());
                header.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
            }
            // A long-lived key is sent as a bearer token, even if the service normally uses
            // signatures.
            (Some(ProviderCredential::Token(token)), AuthScheme::SigV4(_)) => {
                let header = AuthScheme::Bearer.header(token.expose_secret().trim());
                header.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
            }
            (Some(key @ ProviderCredential::Aws { .. }), AuthScheme::SigV4(service)) => {
                signed(&request, endpoint.base(), key, service)
            }
            (Some(_) | None, _) => Vec::new(),
        };
        TransportRequest {
            method: request.method,
            url,
            headers: request.headers,
            secrets,
            body: request.body.into(),
        }
    }
}

/// The connection of one run. It keeps the encoded messages of each provider.
struct ModelClientConnection {
    shared: Arc<ModelClientInner>,
    options: WireOptions,
    encoders: BTreeMap<String, RequestEncoder>,
}

impl ModelConnection for ModelClientConnection {
    fn call(&mut self, ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult> {
        let (provider, _) = provider_model(&ask.request.model.name);
        let Some(endpoint) = self.shared.endpoints.get(provider) else {
            let message = format!("no provider is named {provider:?}; add it to the client");
            let failed = ModelResult::Failed(classify::failure(FailureClass::BadRequest, &message));
            return Box::pin(async { failed });
        };
        let model = &ask.request.model.name;
        let asked =
            ModelCall { request: ask.request, view: ask.messages, options: &self.options, media: &NoMedia };
        let calls = match endpoint.tools() {
            ToolCallMode::Text => Some(ToolCallMode::Text),
            ToolCallMode::Native => self.shared.tool_calls.of(model),
        };
        let in_text = || text_tools::has_calls(ask.request, asked.messages());
        if calls == Some(ToolCallMode::Text) && in_text() {
            let spoken = TextProtocolCall::of(&self.shared, &self.options, provider, endpoint, &asked);
            return Box::pin(spoken.run(ask.call, ask.deltas, ask.stop));
        }
        // A model that has accepted tools supports them. Until then, a text version of the same
        // call is kept as a fallback.
        let spare = (calls.is_none() && !ask.request.tools.tools.is_empty())
            .then(|| TextProtocolCall::of(&self.shared, &self.options, provider, endpoint, &asked));
        let encoder = self
            .encoders
            .entry(provider.to_owned())
            .or_insert_with(|| RequestEncoder::new(Arc::clone(endpoint.codec())));
        let request = self.shared.outgoing(provider, endpoint, encoder.encode(&asked));
        let shared = Arc::clone(&self.shared);
        let codec = Arc::clone(endpoint.codec());
        let (call, deltas, stop, model) = (ask.call, ask.deltas, ask.stop, model.clone());
        Box::pin(async move {
            let watch = exchange::ModelCallContext { call, deltas: Arc::clone(&deltas), stop: stop.clone() };
            let mut result = exchange::run(&shared, codec.as_ref(), request, watch).await;
            shared.secrets.result(&mut result);
            match (&result, spare) {
                (ModelResult::Failed(failure), Some(spare)) if text_tools::refuses_tools(failure) => {
                    shared.tool_calls.learn(&model, ToolCallMode::Text);
                    result = spare.run(call, deltas, stop).await;
                }
                (ModelResult::Replied(_), Some(_)) => shared.tool_calls.learn(&model, ToolCallMode::Native),
                _ => {}
            }
            result
        })
    }
}

/// A call in the text protocol, ready to be sent.
struct TextProtocolCall {
    shared: Arc<ModelClientInner>,
    codec: Arc<dyn ProviderCodec>,
    request: TransportRequest,
    purpose: Purpose,
}

impl TextProtocolCall {
    fn of(
        shared: &Arc<ModelClientInner>,
        options: &WireOptions,
        provider: &str,
        endpoint: &ModelEndpoint,
        asked: &ModelCall<'_>,
    ) -> Self {
        let request = text_tools::as_text(asked.request, asked.messages());
        let call = ModelCall { request: &request, view: &[], options, media: asked.media };
        // Messages encoded for native calls cannot be reused here.
        let encoded = RequestEncoder::new(Arc::clone(endpoint.codec())).encode(&call);
        let request = shared.outgoing(provider, endpoint, encoded);
        let purpose = asked.request.purpose;
        Self { shared: Arc::clone(shared), codec: Arc::clone(endpoint.codec()), request, purpose }
    }

    async fn run(
        self,
        call: ModelCallId,
        deltas: Arc<dyn DeltaSink>,
        stop: CancellationToken,
    ) -> ModelResult {
        let held: Arc<dyn DeltaSink> = Arc::new(BufferedTextSink(Arc::clone(&deltas)));
        let watch = exchange::ModelCallContext { call, deltas: held, stop };
        let mut result = exchange::run(&self.shared, self.codec.as_ref(), self.request, watch).await;
        self.shared.secrets.result(&mut result);
        // A summary may quote calls, but it makes none.
        let result = if self.purpose == Purpose::Turn { text_tools::with_call(result) } else { result };
        text_tools::show_text(&result, call.into(), &deltas);
        result
    }
}

/// The codec's request for an empty call. It has the headers and the authentication of every call.
pub(crate) fn probe(endpoint: &ModelEndpoint) -> ProviderRequest {
    let request = holm_kernel::Request {
        purpose: Purpose::Turn,
        model: Arc::new(holm_kernel::ModelSpec::named("provider/model")),
        system: "".into(),
        messages: holm_kernel::Messages::Own(Vec::new()),
        tools: Arc::default(),
        max_output: None,
        format: None,
    };
    let options = WireOptions::default();
    let call = ModelCall { request: &request, view: &[], options: &options, media: &NoMedia };
    RequestEncoder::new(Arc::clone(endpoint.codec())).encode(&call)
}

/// Rejects a base URL with a password, which would appear in every error and every recording.
fn check_base(provider: &str, base: &str) -> Result<(), ModelClientError> {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if authority.contains('@') {
        return Err(ModelClientError::SecretInBase { provider: provider.to_owned() });
    }
    Ok(())
}

fn check_key(
    provider: &str,
    endpoint: &ModelEndpoint,
    key: Option<&ProviderCredential>,
) -> Result<(), ModelClientError> {
    let provider = || provider.to_owned();
    match (probe(endpoint).auth, key.filter(|key| key.is_there())) {
        (AuthScheme::None, _) => Ok(()),
        (AuthScheme::Bearer | AuthScheme::Header(_), None)
            if endpoint.key_need() == KeyRequirement::Optional =>
        {
            Ok(())
        }
        (AuthScheme::Bearer | AuthScheme::Header(_) | AuthScheme::SigV4(_), None) => {
            Err(ModelClientError::NoKey { provider: provider() })
        }
        (AuthScheme::Bearer | AuthScheme::Header(_), Some(ProviderCredential::Aws { .. })) => {
            Err(ModelClientError::WrongKey { provider: provider(), wants: "one token" })
        }
        (AuthScheme::Bearer | AuthScheme::Header(_) | AuthScheme::SigV4(_), Some(_)) => Ok(()),
    }
}

fn signed(
    request: &ProviderRequest,
    base: &str,
    key: &ProviderCredential,
    service: &str,
) -> Vec<(String, secrecy::SecretString)> {
    let ProviderCredential::Aws { access, secret, session, region } = key else { return Vec::new() };
    let credentials = bedrock::AwsCredentials {
        access: access.clone(),
        secret: secret.expose_secret().to_owned(),
        session: session.as_ref().map(|session| session.expose_secret().to_owned()),
    };
    let scope = bedrock::SigningScope { region, service };
    let headers = bedrock::sign_request(request, base, &credentials, scope, now_ms());
    headers.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// The wall-clock time. Signatures and date headers need it, and not the run's own time.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
