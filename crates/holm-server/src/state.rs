//! The state that all routes share.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use tokio::sync::Mutex as AsyncMutex;

use crate::{
    Audit, Config, Hall, Metrics, Most, Refusal, ServerError, SessionId, Workshop,
    auth::{Keyring, Role, Scope, TokenId, Who},
    jobs::Team,
    limiter::Limiter,
    live::Room,
    routes::mcp::Conversation,
    sites::{Hosting, Sites},
    terminal::Links,
};

/// Audit entries per minute about refused requests from one address: enough to see what happens.
const NOTED: u32 = 120;

/// A server that is set up. Cheap to clone; clones share one state.
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
}

/// The MCP server of a token, once a client has used it.
type Spoken = Arc<AsyncMutex<Option<Conversation>>>;

pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) workshop: Arc<dyn Workshop>,
    pub(crate) hall: Arc<Hall>,
    pub(crate) audit: Audit,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) asked: Limiter<TokenId>,
    pub(crate) failed: Limiter<IpAddr>,
    /// Limits the audit entries about refused requests.
    pub(crate) noted: Limiter<IpAddr>,
    pub(crate) jobs: Team,
    pub(crate) sites: Sites,
    pub(crate) hosting: Hosting,
    /// The MCP servers, by token.
    pub(crate) mcp: Mutex<HashMap<TokenId, Spoken>>,
    /// The terminals that drive sessions which are watched here.
    pub(crate) links: Links,
}

impl Server {
    /// Sets up a server: opens its files, and creates a token at the first start.
    ///
    /// # Errors
    /// [`ServerError`] if a file cannot be read or written.
    pub fn new(config: Config, workshop: Arc<dyn Workshop>) -> Result<Self, ServerError> {
        let keyring = Arc::new(Keyring::open(&config.folder)?);
        let audit = Audit::open(&config.folder)?;
        let sites = Sites::open(&config.folder)?;
        let metrics = Arc::new(Metrics::default());
        let limits = config.limits.clone();
        let inner = Inner {
            asked: Limiter::new(limits.requests_per_minute),
            failed: Limiter::new(limits.failures_per_minute),
            noted: Limiter::new(NOTED),
            hall: Hall::new(
                Arc::clone(&workshop),
                Arc::clone(&keyring),
                limits,
                config.takeover,
                Arc::clone(&metrics),
            ),
            jobs: Team::new(),
            hosting: Hosting::new()?,
            links: Links::default(),
            sites,
            config,
            keyring,
            workshop,
            audit,
            metrics,
            mcp: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The tokens of the server.
    pub fn keyring(&self) -> &Keyring {
        &self.inner.keyring
    }

    pub fn hall(&self) -> &Arc<Hall> {
        &self.inner.hall
    }

    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.inner.metrics
    }

    /// The configuration of the server.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// The session of a name, opened if necessary, if the token may use it.
    pub(crate) async fn room(&self, who: &Who, id: &SessionId) -> Result<Arc<Room>, Refusal> {
        admit(who, id)?;
        self.inner.hall.enter(&who.user, id).await
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Server").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

/// Whether a token may be used with a session. If not, the session is reported as missing.
pub(crate) fn admit(who: &Who, id: &SessionId) -> Result<(), Refusal> {
    if who.scope.admits(id) { Ok(()) } else { Err(Refusal::missing("session")) }
}

/// Whether the caller has at least this role.
pub(crate) fn require(who: &Who, role: Role) -> Result<(), Refusal> {
    if who.role >= role { Ok(()) } else { Err(Refusal::forbidden("your token does not allow this")) }
}

/// Whether the caller administers the server. A token that is limited to some sessions never does,
/// regardless of its role: it could create an unlimited token for itself.
pub(crate) fn administers(who: &Who) -> Result<(), Refusal> {
    require(who, Role::Admin)?;
    match who.scope {
        Scope::All => Ok(()),
        Scope::Only(_) => Err(Refusal::forbidden(
            "your token is limited to some sessions and cannot \
                                                  administer \
                                                  the \
                                                  server",
        )),
    }
}

/// What the caller may grant: what the default agent has, unless they administer the server.
pub(crate) fn most(who: &Who) -> Most {
    if administers(who).is_ok() { Most::Anything } else { Most::AsUsual }
}
