//! A client for remote models.

use std::{
    collections::BTreeMap,
    fmt,
    hash::{Hash as _, Hasher as _},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use holm_kernel::{CallId, FailureClass, ModelResult, Purpose};
use holm_runtime::{Ask, BoxFuture, CancellationToken, DeltaSink, Line, Model, Secrets};
use holm_wire::{
    Auth, Codec, Encoder, HttpRequest, ModelCall, NoMedia, Options, bedrock, classify, provider_model,
    services::{KeyNeed, MissingVariable, NameError, Services},
};
use secrecy::ExposeSecret;

use crate::{
    Endpoint, Http, Key, Keys, Outgoing, Proxies, Timeouts, ToolCalls, Transport, TransportError, exchange,
    text_tools::{self, HeldText, KnownToolCalls},
};

/// The models of one or more providers, by `provider/model`. Clones share connections.
///
/// ```no_run
/// use holm_models::{Client, Endpoint, Keys};
///
/// // Whatever stands behind the proxy is named `proxy/<model>`.
/// let client = Client::builder()
///     .endpoint("proxy", Endpoint::compatible("https://models.example.com/v1"))
///     .keys(Keys::new().with("proxy", "key-from-somewhere"))
///     .build()?;
/// # Ok::<(), holm_models::ClientError>(())
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

impl Client {
    /// Creates a client for the provider in a model's name, from the catalogue of services. The
    /// environment is read only for base URLs.
    ///
    /// # Errors
    /// [`ClientError`] if the provider is unknown or its key is missing.
    pub fn from_name(name: &str, keys: Keys) -> Result<Self, ClientError> {
        let services = Services::stock();
        let (name, service) = services.resolve(name)?;
        let endpoint = Endpoint::of_service(service, &|name| std::env::var(name).ok())?;
        Self::builder().endpoint(name.provider(), endpoint).keys(keys).build()
    }

    /// Starts a client with custom settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    fn line(&self, options: Options) -> Box<dyn Line> {
        Box::new(ClientLine { shared: Arc::clone(&self.shared), options, encoders: BTreeMap::new() })
    }
}

/// A key for the provider's prompt cache. It is the same whenever the run continues, and reveals
/// nothing about the run's name.
fn cache_key(run: &str) -> String {
    let half = |salt: u8| {
        let mut hasher = std::hash::DefaultHasher::new();
        (salt, run).hash(&mut hasher);
        hasher.finish()
    };
    format!("holm-{:016x}{:016x}", half(0), half(1))
}

impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Client").field("providers", &self.shared.endpoints.keys()).finish_non_exhaustive()
    }
}

impl Model for Client {
    fn open(&self) -> Box<dyn Line> {
        self.line(self.shared.options.clone())
    }

    fn open_run(&self, run: &str) -> Box<dyn Line> {
        let cache_key = Some(cache_key(run));
        self.line(Options { cache_key, ..self.shared.options.clone() })
    }
}

/// Builds a [`Client`] from its parts.
#[derive(Default)]
pub struct Builder {
    endpoints: BTreeMap<String, Endpoint>,
    keys: Keys,
    options: Options,
    timeouts: Timeouts,
    proxies: Proxies,
    transport: Option<Arc<dyn Transport>>,
}

impl Builder {
    /// Adds a provider with this name.
    #[must_use]
    pub fn endpoint(mut self, provider: &str, endpoint: Endpoint) -> Self {
        self.endpoints.insert(provider.into(), endpoint);
        self
    }

    #[must_use]
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// Sets the options of every call.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the timeouts of every call.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets whether proxies are used.
    #[must_use]
    pub fn proxies(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Sends requests through another transport: a [`Recorder`](crate::Recorder), or a recording
    /// ([`Player`](crate::Player)). That transport is then responsible for timeouts and proxies,
    /// except for the silence limit of a reply.
    #[must_use]
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Builds the client without opening a connection.
    ///
    /// # Errors
    /// [`ClientError`] if a provider's key is missing or of the wrong kind.
    pub fn build(self) -> Result<Client, ClientError> {
        for (provider, endpoint) in &self.endpoints {
            check_base(provider, endpoint.base())?;
            check_key(provider, endpoint, endpoint.key_from(provider, &self.keys))?;
        }
        let transport = match self.transport {
            Some(transport) => transport,
            None => Arc::new(Http::new(self.timeouts, self.proxies)?),
        };
        let secrets = self.keys.secrets();
        let (endpoints, keys, options) = (self.endpoints, self.keys, self.options);
        let silence = self.timeouts.silence;
        let tool_calls = KnownToolCalls::default();
        let shared = Shared { endpoints, keys, options, transport, secrets, silence, tool_calls };
        Ok(Client { shared: Arc::new(shared) })
    }
}

/// Why a client cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The model name is invalid, or its provider is unknown.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A variable of the base URL has no value.
    #[error(transparent)]
    Variable(#[from] MissingVariable),
    /// The base URL contains credentials.
    #[error("the base URL of {provider} contains a user name or password; remove it and use a key instead")]
    SecretInBase {
        provider: String,
    },
    /// The key is missing.
    #[error("no key for {provider}; set it in the environment or give it with the keys")]
    NoKey {
        provider: String,
    },
    /// The key cannot be used with the provider.
    #[error("wrong kind of key for {provider}: it needs {wants}")]
    WrongKey {
        provider: String,
        wants: &'static str,
    },
    /// The transport cannot be created.
    #[error(transparent)]
    Transport(#[from] TransportError),
}

/// The state that all connections of a client share.
pub(crate) struct Shared {
    pub(crate) endpoints: BTreeMap<String, Endpoint>,
    pub(crate) keys: Keys,
    pub(crate) options: Options,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) secrets: Secrets,
    pub(crate) silence: Duration,
    pub(crate) tool_calls: KnownToolCalls,
}

impl Shared {
    /// Adds the key to a request. This is the only place that does so.
    pub(crate) fn outgoing(&self, provider: &str, endpoint: &Endpoint, request: HttpRequest) -> Outgoing {
        let url = request.url(endpoint.base());
        let secrets = match (endpoint.key_from(provider, &self.keys), &request.auth) {
            (Some(Key::Token(token)), Auth::Bearer | Auth::Header(_)) => {
                let header = request.auth.header(token.expose_secret().trim());
                header.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
            }
            // A long-lived key is sent as a bearer token, even if the service normally uses
            // signatures.
            (Some(Key::Token(token)), Auth::SigV4(_)) => {
                let header = Auth::Bearer.header(token.expose_secret().trim());
                header.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
            }
            (Some(key @ Key::Aws { .. }), Auth::SigV4(service)) => {
                signed(&request, endpoint.base(), key, service)
            }
            (Some(_) | None, _) => Vec::new(),
        };
        Outgoing { method: request.method, url, headers: request.headers, secrets, body: request.body.into() }
    }
}

/// The connection of one run. It keeps the encoded messages of each provider.
struct ClientLine {
    shared: Arc<Shared>,
    options: Options,
    encoders: BTreeMap<String, Encoder>,
}

impl Line for ClientLine {
    fn call(&mut self, ask: Ask<'_>) -> BoxFuture<'static, ModelResult> {
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
            ToolCalls::Text => Some(ToolCalls::Text),
            ToolCalls::Native => self.shared.tool_calls.of(model),
        };
        let in_text = || text_tools::has_calls(ask.request, asked.messages());
        if calls == Some(ToolCalls::Text) && in_text() {
            let spoken = Spoken::of(&self.shared, &self.options, provider, endpoint, &asked);
            return Box::pin(spoken.run(ask.call, ask.deltas, ask.stop));
        }
        // A model that has accepted tools supports them. Until then, a text version of the same
        // call is kept as a fallback.
        let spare = (calls.is_none() && !ask.request.tools.tools.is_empty())
            .then(|| Spoken::of(&self.shared, &self.options, provider, endpoint, &asked));
        let encoder = self
            .encoders
            .entry(provider.to_owned())
            .or_insert_with(|| Encoder::new(Arc::clone(endpoint.codec())));
        let request = self.shared.outgoing(provider, endpoint, encoder.encode(&asked));
        let shared = Arc::clone(&self.shared);
        let codec = Arc::clone(endpoint.codec());
        let (call, deltas, stop, model) = (ask.call, ask.deltas, ask.stop, model.clone());
        Box::pin(async move {
            let watch = exchange::Watch { call, deltas: Arc::clone(&deltas), stop: stop.clone() };
            let mut result = exchange::run(&shared, codec.as_ref(), request, watch).await;
            shared.secrets.result(&mut result);
            match (&result, spare) {
                (ModelResult::Failed(failure), Some(spare)) if text_tools::refuses_tools(failure) => {
                    shared.tool_calls.learn(&model, ToolCalls::Text);
                    result = spare.run(call, deltas, stop).await;
                }
                (ModelResult::Replied(_), Some(_)) => shared.tool_calls.learn(&model, ToolCalls::Native),
                _ => {}
            }
            result
        })
    }
}

/// A call in the text protocol, ready to be sent.
struct Spoken {
    shared: Arc<Shared>,
    codec: Arc<dyn Codec>,
    request: Outgoing,
    purpose: Purpose,
}

impl Spoken {
    fn of(
        shared: &Arc<Shared>,
        options: &Options,
        provider: &str,
        endpoint: &Endpoint,
        asked: &ModelCall<'_>,
    ) -> Self {
        let request = text_tools::as_text(asked.request, asked.messages());
        let call = ModelCall { request: &request, view: &[], options, media: asked.media };
        // Messages encoded for native calls cannot be reused here.
        let encoded = Encoder::new(Arc::clone(endpoint.codec())).encode(&call);
        let request = shared.outgoing(provider, endpoint, encoded);
        let purpose = asked.request.purpose;
        Self { shared: Arc::clone(shared), codec: Arc::clone(endpoint.codec()), request, purpose }
    }

    async fn run(self, call: CallId, deltas: Arc<dyn DeltaSink>, stop: CancellationToken) -> ModelResult {
        let held: Arc<dyn DeltaSink> = Arc::new(HeldText(Arc::clone(&deltas)));
        let watch = exchange::Watch { call, deltas: held, stop };
        let mut result = exchange::run(&self.shared, self.codec.as_ref(), self.request, watch).await;
        self.shared.secrets.result(&mut result);
        // A summary may quote calls, but it makes none.
        let result = if self.purpose == Purpose::Turn { text_tools::with_call(result) } else { result };
        text_tools::show_text(&result, call, &deltas);
        result
    }
}

/// The codec's request for an empty call. It has the headers and the authentication of every call.
pub(crate) fn probe(endpoint: &Endpoint) -> HttpRequest {
    let request = holm_kernel::Request {
        purpose: Purpose::Turn,
        model: Arc::new(holm_kernel::Model::named("provider/model")),
        system: "".into(),
        messages: holm_kernel::Messages::Own(Vec::new()),
        tools: Arc::default(),
        max_output: None,
        format: None,
    };
    let options = Options::default();
    let call = ModelCall { request: &request, view: &[], options: &options, media: &NoMedia };
    Encoder::new(Arc::clone(endpoint.codec())).encode(&call)
}

/// Rejects a base URL with a password, which would appear in every error and every recording.
fn check_base(provider: &str, base: &str) -> Result<(), ClientError> {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if authority.contains('@') {
        return Err(ClientError::SecretInBase { provider: provider.to_owned() });
    }
    Ok(())
}

fn check_key(provider: &str, endpoint: &Endpoint, key: Option<&Key>) -> Result<(), ClientError> {
    let provider = || provider.to_owned();
    match (probe(endpoint).auth, key.filter(|key| key.is_there())) {
        (Auth::None, _) => Ok(()),
        (Auth::Bearer | Auth::Header(_), None) if endpoint.key_need() == KeyNeed::Optional => Ok(()),
        (Auth::Bearer | Auth::Header(_) | Auth::SigV4(_), None) => {
            Err(ClientError::NoKey { provider: provider() })
        }
        (Auth::Bearer | Auth::Header(_), Some(Key::Aws { .. })) => {
            Err(ClientError::WrongKey { provider: provider(), wants: "one token" })
        }
        (Auth::Bearer | Auth::Header(_) | Auth::SigV4(_), Some(_)) => Ok(()),
    }
}

fn signed(
    request: &HttpRequest,
    base: &str,
    key: &Key,
    service: &str,
) -> Vec<(String, secrecy::SecretString)> {
    let Key::Aws { access, secret, session, region } = key else { return Vec::new() };
    let credentials = bedrock::Credentials {
        access: access.clone(),
        secret: secret.expose_secret().to_owned(),
        session: session.as_ref().map(|session| session.expose_secret().to_owned()),
    };
    let scope = bedrock::Scope { region, service };
    let headers = bedrock::sign_request(request, base, &credentials, scope, now_ms());
    headers.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// The wall-clock time. Signatures and date headers need it, and not the run's own time.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
