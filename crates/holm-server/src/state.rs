//! The state that all routes share, and the checks that routes make themselves: whether a token may
//! use a session, has a role, or administers the server. The token is verified before, in
//! `request_guard.rs`. A token that is limited to some sessions never administers, because it could
//! create an unlimited one.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use tokio::sync::Mutex as AsyncMutex;

use crate::{
    ApiError, AuditLog, GrantCeiling, ServerError, ServerMetrics, ServerOptions, SessionId, SessionManager,
    SessionProvider,
    auth::{AuthenticatedUser, Role, TokenId, TokenRegistry, TokenScope},
    jobs::JobSchedulers,
    limiter::RateLimiter,
    live::LiveSession,
    routes::{mcp::McpConversation, probes::ReadinessCheck},
    sites::{SiteRegistry, SiteServer},
    terminal::TerminalLinks,
};

/// Audit entries per minute about refused requests from one address: enough to see what happens.
const NOTED: u32 = 120;

/// A server that is set up. Cheap to clone; clones share one state.
#[derive(Clone)]
pub struct HolmServer {
    pub(crate) inner: Arc<ServerInner>,
}

/// The MCP server of a token, once a client has used it.
type McpConversationSlot = Arc<AsyncMutex<Option<McpConversation>>>;

pub(crate) struct ServerInner {
    pub(crate) config: ServerOptions,
    pub(crate) keyring: Arc<TokenRegistry>,
    pub(crate) workshop: Arc<dyn SessionProvider>,
    pub(crate) hall: Arc<SessionManager>,
    pub(crate) audit: AuditLog,
    pub(crate) metrics: Arc<ServerMetrics>,
    pub(crate) asked: RateLimiter<TokenId>,
    pub(crate) failed: RateLimiter<IpAddr>,
    /// Limits the audit entries about refused requests.
    pub(crate) noted: RateLimiter<IpAddr>,
    pub(crate) jobs: JobSchedulers,
    pub(crate) sites: SiteRegistry,
    pub(crate) hosting: SiteServer,
    /// The MCP servers, by token.
    pub(crate) mcp: Mutex<HashMap<TokenId, McpConversationSlot>>,
    /// The terminals that drive sessions which are watched here.
    pub(crate) links: TerminalLinks,
    pub(crate) readiness: ReadinessCheck,
}

impl HolmServer {
    /// Sets up a server: opens its files, and creates a token at the first start.
    ///
    /// # Errors
    /// [`ServerError`] if a file cannot be read or written.
    pub fn new(config: ServerOptions, workshop: Arc<dyn SessionProvider>) -> Result<Self, ServerError> {
        let keyring = Arc::new(TokenRegistry::open(&config.folder)?);
        let audit = AuditLog::open(&config.folder)?;
        let sites = SiteRegistry::open(&config.folder)?;
        let metrics = Arc::new(ServerMetrics::default());
        let limits = config.limits.clone();
        let inner = ServerInner {
            asked: RateLimiter::new(limits.requests_per_minute),
            failed: RateLimiter::new(limits.failures_per_minute),
            noted: RateLimiter::new(NOTED),
            hall: SessionManager::new(
                Arc::clone(&workshop),
                Arc::clone(&keyring),
                limits,
                config.takeover,
                Arc::clone(&metrics),
            ),
            jobs: JobSchedulers::new(),
            hosting: SiteServer::new()?,
            links: TerminalLinks::default(),
            sites,
            config,
            keyring,
            workshop,
            audit,
            metrics,
            mcp: Mutex::default(),
            readiness: ReadinessCheck::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The tokens of the server.
    pub fn keyring(&self) -> &TokenRegistry {
        &self.inner.keyring
    }

    pub fn hall(&self) -> &Arc<SessionManager> {
        &self.inner.hall
    }

    pub fn metrics(&self) -> &Arc<ServerMetrics> {
        &self.inner.metrics
    }

    /// The configuration of the server.
    pub fn config(&self) -> &ServerOptions {
        &self.inner.config
    }

    /// The session of a name, opened if necessary, if the token may use it.
    pub(crate) async fn live_session(
        &self,
        who: &AuthenticatedUser,
        id: &SessionId,
    ) -> Result<Arc<LiveSession>, ApiError> {
        admit(who, id)?;
        self.inner.hall.enter(&who.user, id).await
    }
}

impl std::fmt::Debug for HolmServer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("HolmServer").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

/// Whether a token may be used with a session. If not, the session is reported as missing.
pub(crate) fn admit(who: &AuthenticatedUser, id: &SessionId) -> Result<(), ApiError> {
    if who.scope.admits(id) { Ok(()) } else { Err(ApiError::missing("session")) }
}

/// Whether the caller has at least this role.
pub(crate) fn require(who: &AuthenticatedUser, role: Role) -> Result<(), ApiError> {
    if who.role >= role { Ok(()) } else { Err(ApiError::forbidden("your token does not allow this")) }
}

/// Whether the caller administers the server. A token that is limited to some sessions never does,
/// regardless of its role: it could create an unlimited token for itself.
pub(crate) fn administers(who: &AuthenticatedUser) -> Result<(), ApiError> {
    require(who, Role::Admin)?;
    match who.scope {
        TokenScope::All => Ok(()),
        TokenScope::Only(_) => Err(ApiError::forbidden(
            "your token is limited to some sessions and cannot \
                                                  administer \
                                                  the \
                                                  server",
        )),
    }
}

/// What the caller may grant: what the default agent has, unless they administer the server.
pub(crate) fn most(who: &AuthenticatedUser) -> GrantCeiling {
    if administers(who).is_ok() { GrantCeiling::Anything } else { GrantCeiling::AsUsual }
}
