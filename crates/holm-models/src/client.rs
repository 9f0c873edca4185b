//! Models at the other end of a network.

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
    /// A client for the provider of a model's name, as the catalogue of services has it. The environment is asked for
    /// base URLs and nothing else.
    ///
    /// # Errors
    /// [`ClientError`] if nobody of that name is known, or its key is missing.
    pub fn from_name(name: &str, keys: Keys) -> Result<Self, ClientError> {
        let services = Services::stock();
        let (name, service) = services.resolve(name)?;
        let endpoint = Endpoint::of_service(service, &|name| std::env::var(name).ok())?;
        Self::builder().endpoint(name.provider(), endpoint).keys(keys).build()
    }

    /// A client that is put together by hand.
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

/// A name for the prompts of a run by which a provider finds its cache again. It is the same whenever the run goes on, and
/// tells nothing of the run's own name.
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

/// What a [`Client`] is made of.
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
    /// Adds a provider under a name.
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

    /// Gives the settings of every call.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Says how long things may take.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Says whether proxies are used.
    #[must_use]
    pub fn proxies(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Sends requests another way: through a [`Recorder`](crate::Recorder), or from a recording
    /// ([`Player`](crate::Player)). Time-outs and proxies are that way's business then, except how long a reply may be
    /// silent.
    #[must_use]
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Puts the client together. Opens no connection.
    ///
    /// # Errors
    /// [`ClientError`] if a provider's key is missing or not of the kind that it takes.
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

/// A client cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The name leads nowhere.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The base URL is not complete.
    #[error(transparent)]
    Variable(#[from] MissingVariable),
    /// The base URL holds what belongs into a key.
    #[error("the base URL of {provider} holds a name or a password; take them out and give a key instead")]
    SecretInBase {
        provider: String,
    },
    /// The key is missing.
    #[error("no key for {provider}; set it in the environment or give it with the keys")]
    NoKey {
        provider: String,
    },
    /// The key cannot be used with the provider.
    #[error("the key for {provider} is of the wrong kind: it wants {wants}")]
    WrongKey {
        provider: String,
        wants: &'static str,
    },
    /// The transport cannot be made.
    #[error(transparent)]
    Transport(#[from] TransportError),
}

/// What all lines of a client share.
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
    /// Puts the key in, which happens here and nowhere else.
    pub(crate) fn outgoing(&self, provider: &str, endpoint: &Endpoint, request: HttpRequest) -> Outgoing {
        let url = request.url(endpoint.base());
        let secrets = match (endpoint.key_from(provider, &self.keys), &request.auth) {
            (Some(Key::Token(token)), Auth::Bearer | Auth::Header(_)) => {
                let header = request.auth.header(token.expose_secret().trim());
                header.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
            }
            // A long-lived key is sent even where signing would be the rule.
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

/// One run's line: it keeps what is already encoded, for each provider apart.
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
        // Once a model has taken tools it has them; until then the same call is kept in text.
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
        // What was encoded for native calls is of no use to these.
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
        // A summary may quote calls, and makes none.
        let result = if self.purpose == Purpose::Turn { text_tools::with_call(result) } else { result };
        text_tools::show_text(&result, call, &deltas);
        result
    }
}

/// The codec's request for a call that says nothing: its headers and its authentication are those of every call.
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

/// A password in a URL would stand in every error and every recording.
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

/// Signatures and dates in headers are about the world's time, not the run's.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
