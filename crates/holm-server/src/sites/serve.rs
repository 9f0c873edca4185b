//! The listeners of published sites: one per site with its own address, and a shared one for sites
//! with a host name. For each request, this file finds the site by the host name and checks the
//! password, with a limit on wrong ones. A listener accepts other machines only with a certificate,
//! and has its own limit of connections.
//!
//! Files are found and sent in `page.rs`. Passwords are hashed in `password.rs`. Sites are stored
//! in `site_registry.rs` and published by `routes/sites.rs`, which also keeps them off the server's
//! own addresses. Host names are parsed in `request_guard.rs`, and connections are accepted in
//! `serve.rs` of the crate.

use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Instant,
};

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use holm_runtime::CancellationToken;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{AUTHORIZATION, WWW_AUTHENTICATE},
};
use sha2::{Digest as _, Sha256};
use tokio::{
    net::TcpListener,
    sync::{Mutex as AsyncMutex, Semaphore},
};
use tokio_rustls::TlsAcceptor;

use super::{
    PasswordHash, PublishedSite, SiteName, SitePlace,
    page::{SiteRequest, page, plain},
    password::same,
};
use crate::{HolmServer, ServerError, limiter::RateLimiter, request_guard, serve::ConnectionAcceptor};

/// Connections per listener: a site must not use up the server's.
const MOST_CONNECTIONS: usize = 256;
/// Wrong passwords per address and minute.
const FAILURES_PER_MINUTE: u32 = 20;
/// Passwords that are checked in parallel: each check uses 32 MiB (`password.rs`).
const MAX_PARALLEL_CHECKS: usize = 2;

/// The running listeners of all published sites.
pub(crate) struct SiteServer {
    listening: AsyncMutex<BTreeMap<SiteName, SiteListener>>,
    tls: OnceLock<Option<TlsAcceptor>>,
    /// The shared address of sites with a host name, once it is known.
    shared: OnceLock<SocketAddr>,
    close: CancellationToken,
    password_gate: PasswordGate,
}

struct SiteListener {
    address: SocketAddr,
    close: CancellationToken,
}

/// Checks the passwords of sites, and limits wrong ones.
struct PasswordGate {
    failed: RateLimiter<IpAddr>,
    /// Digests of correct passwords, so that a page of many files is not slow; never of wrong ones.
    known: Mutex<HashMap<SiteName, [u8; 32]>>,
    secret: [u8; 32],
    tries: Semaphore,
}

impl SiteServer {
    /// Creates it without any listener.
    ///
    /// # Errors
    /// [`ServerError::Random`] without randomness.
    pub(crate) fn new() -> Result<Self, ServerError> {
        let mut secret = [0_u8; 32];
        getrandom::fill(&mut secret).map_err(|error| ServerError::Random(error.to_string()))?;
        let password_gate = PasswordGate {
            failed: RateLimiter::new(FAILURES_PER_MINUTE),
            known: Mutex::default(),
            secret,
            tries: Semaphore::new(MAX_PARALLEL_CHECKS),
        };
        let (listening, close) = (AsyncMutex::default(), CancellationToken::new());
        Ok(Self { listening, tls: OnceLock::new(), shared: OnceLock::new(), close, password_gate })
    }

    /// Starts the listeners of all sites. A site whose address is taken is not served, and
    /// `GET /api/sites` shows no address for it.
    ///
    /// # Errors
    /// [`ServerError`] if the shared address cannot be listened on.
    pub(crate) async fn start(
        &self,
        server: &HolmServer,
        tls: Option<TlsAcceptor>,
    ) -> Result<(), ServerError> {
        let _ = self.tls.set(tls);
        if let Some(address) = server.config().sites {
            let bound = self.listen(server, address, SiteSelection::Hosts, self.close.child_token()).await?;
            let _ = self.shared.set(bound);
        }
        for site in server.inner.sites.list() {
            // A listener that fails to start does not stop the others; the list of sites shows it.
            let _ = self.show(server, &site).await;
        }
        Ok(())
    }

    /// Starts the listener of a site.
    ///
    /// # Errors
    /// [`ServerError`] if its address cannot be listened on.
    pub(crate) async fn show(&self, server: &HolmServer, site: &PublishedSite) -> Result<(), ServerError> {
        let SitePlace::Listen(wanted) = site.place else { return Ok(()) };
        let close = self.close.child_token();
        let mut listening = self.listening.lock().await;
        let address =
            self.listen(server, wanted, SiteSelection::One(site.name.clone()), close.clone()).await?;
        if let Some(before) = listening.insert(site.name.clone(), SiteListener { address, close }) {
            before.close.cancel();
        }
        Ok(())
    }

    /// Stops the listener of a site.
    pub(crate) async fn hide(&self, name: &SiteName) {
        if let Some(listening) = self.listening.lock().await.remove(name) {
            listening.close.cancel();
        }
    }

    /// The address at which a site is served, if it is.
    pub(crate) async fn address(&self, site: &PublishedSite) -> Option<SocketAddr> {
        match site.place {
            SitePlace::Listen(_) => self.listening.lock().await.get(&site.name).map(|found| found.address),
            SitePlace::Host(_) => self.shared.get().copied(),
        }
    }

    pub(crate) fn stop(&self) {
        self.close.cancel();
    }

    async fn listen(
        &self,
        server: &HolmServer,
        wanted: SocketAddr,
        which: SiteSelection,
        close: CancellationToken,
    ) -> Result<SocketAddr, ServerError> {
        let tls = self.tls.get().cloned().flatten();
        if tls.is_none() && !wanted.ip().is_loopback() {
            return Err(ServerError::Exposed(wanted));
        }
        let failed =
            |error: std::io::Error| ServerError::Listen { address: wanted, reason: error.to_string() };
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let routes = Router::new().fallback(answer).with_state(SiteListenerState {
            server: server.clone(),
            which,
            address,
        });
        let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        tokio::spawn(ConnectionAcceptor { routes, tls, connections, close }.accept(listener));
        Ok(address)
    }
}

/// The state of one listener.
#[derive(Clone)]
struct SiteListenerState {
    server: HolmServer,
    which: SiteSelection,
    address: SocketAddr,
}

/// The sites that a listener serves.
#[derive(Debug, Clone)]
enum SiteSelection {
    /// The one site with this address.
    One(SiteName),
    /// All sites with a host name.
    Hosts,
}

/// Answers one request: finds the site by the host name, checks the password, and passes the
/// request on to `page.rs`.
async fn answer(State(state): State<SiteListenerState>, request: Request) -> Response {
    let from = request_guard::peer(state.server.config(), &request);
    // The body of a read-only request is ignored.
    let (parts, _) = request.into_parts();
    let named = match request_guard::named(&parts.headers, parts.uri.authority()) {
        Ok(named) => named,
        Err(refusal) => return plain(refusal.status, &refusal.message),
    };
    let host = named.first().copied().map(request_guard::name_of).unwrap_or_default();
    let is_one = named.iter().all(|other| request_guard::name_of(other).eq_ignore_ascii_case(host));
    let Some(site) = state.site(host).filter(|_| is_one) else {
        return plain(StatusCode::MISDIRECTED_REQUEST, "the request was sent to an unknown host name");
    };
    if let Some(hash) = &site.password {
        let password_gate = &state.server.inner.hosting.password_gate;
        match password_gate.check(&site.name, hash, &parts.headers, from).await {
            PasswordVerdict::Known => {}
            PasswordVerdict::Unknown => return password_required(),
            PasswordVerdict::TooOften => {
                return plain(StatusCode::TOO_MANY_REQUESTS, "too many wrong passwords; wait a minute");
            }
        }
    }
    let Ok(home) = state.server.inner.workshop.home(&site.user).await else {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, "the site cannot be shown now");
    };
    let site_request = SiteRequest { method: &parts.method, path: parts.uri.path(), headers: &parts.headers };
    let own = state.server.config().folder.clone();
    page(move || home.root(&own), &site.folder, site_request).await
}

impl SiteListenerState {
    /// The requested site. A foreign host name belongs to another site, or to
    /// a DNS rebinding attack.
    fn site(&self, host: &str) -> Option<PublishedSite> {
        let sites = &self.server.inner.sites;
        match &self.which {
            SiteSelection::Hosts => sites.hosted(host),
            SiteSelection::One(name) => {
                let hosts = &self.server.config().hosts;
                sites.find(name).filter(|_| request_guard::is_own_at(self.address.ip(), hosts, host))
            }
        }
    }
}

/// The result of a password check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PasswordVerdict {
    /// The password is correct.
    Known,
    /// The password is wrong or missing.
    Unknown,
    /// Too many wrong passwords.
    TooOften,
}

impl PasswordGate {
    async fn check(
        &self,
        site: &SiteName,
        hash: &PasswordHash,
        headers: &HeaderMap,
        from: IpAddr,
    ) -> PasswordVerdict {
        let Some(password) = password(headers) else { return PasswordVerdict::Unknown };
        let digest = self.digest(hash, &password);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(site).copied();
        if known.is_some_and(|known| same(&known, &digest)) {
            return PasswordVerdict::Known;
        }
        // Counted before the check, so that parallel attempts cannot bypass the limit.
        if self.failed.take(&from, Instant::now()).is_err() {
            return PasswordVerdict::TooOften;
        }
        let Ok(_turn) = self.tries.acquire().await else { return PasswordVerdict::Unknown };
        let hash = hash.clone();
        let fits = tokio::task::spawn_blocking(move || hash.fits(&password)).await.unwrap_or(false);
        if !fits {
            return PasswordVerdict::Unknown;
        }
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(site.clone(), digest);
        PasswordVerdict::Known
    }

    /// A digest of the password and its hash, so that changing the password
    /// invalidates the old one.
    fn digest(&self, hash: &PasswordHash, password: &str) -> [u8; 32] {
        let parts =
            Sha256::new().chain_update(self.secret).chain_update(hash.as_bytes()).chain_update([0_u8]);
        parts.chain_update(password).finalize().into()
    }
}

/// The password of a request; the user name is ignored.
fn password(headers: &HeaderMap) -> Option<String> {
    let (scheme, text) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let text = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(text.trim()).ok()).flatten()?;
    String::from_utf8(text).ok()?.split_once(':').map(|(_, password)| password.to_owned())
}

fn password_required() -> Response {
    let mut answer = plain(StatusCode::UNAUTHORIZED, "a password is needed");
    let basic = HeaderValue::from_static("Basic realm=\"site\", charset=\"UTF-8\"");
    answer.headers_mut().insert(WWW_AUTHENTICATE, basic);
    answer
}
