//! Access checks for every request. They run in this order, before any of the body is read: the
//! host name, the origin of the page, the token, failures of this address, requests of the token,
//! and its role.
//!
//! Whether a token may use a session or an admin route is checked in `state.rs`, by each route.
//! Three routers are outside of these checks: `dashboard/mod.rs` and `routes/hooks.rs`, which check
//! the host name with the functions of this file, and `routes/probes.rs`, which accepts any host
//! name and says only whether the server works. The order must stay: host and origin come first, so
//! that a foreign page cannot try tokens.

use std::{
    error::Error as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use holm_mcp::server::named_hosts;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{AUTHORIZATION, CACHE_CONTROL, ORIGIN, SEC_WEBSOCKET_PROTOCOL},
};
use http_body_util::LengthLimitError;

use crate::{
    ApiError, AuditEntry, HolmServer, ServerOptions,
    auth::{AccessToken, AuthenticatedUser, Role},
};

/// The subprotocol of Holm's `WebSockets`.
pub(crate) const PROTOCOL: &str = "holm";
/// The prefix of a token among the WebSocket subprotocols. A browser has no other way to send one,
/// except in the URL.
const BEARER_PROTOCOL: &str = "holm.bearer.";

/// The header in which a proxy names its client.
const FORWARDED: &str = "x-forwarded-for";

/// The status in the audit log if the client left before the response, as proxies write it.
const LEFT: u16 = 499;

/// Headers of every response: nothing is loaded from other sites, framed, guessed or cached.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// The address of the client, or of the proxy in front of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub(crate) SocketAddr);

/// Admits or refuses a request. Changes and refusals are written to the audit log.
pub(crate) async fn door(State(server): State<HolmServer>, mut request: Request, next: Next) -> Response {
    let (from, began) = (peer(server.config(), &request), Instant::now());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let changes = !matches!(method, Method::GET | Method::HEAD | Method::OPTIONS);
    let entry = |who: Option<&AuthenticatedUser>, status| {
        AuditEntry::new(who, from.to_string(), &method, &path, status)
    };
    let looked = look(&server, request.headers(), request.uri().authority(), from);
    let (who, let_in) = match looked {
        Ok(who) => (Some(who.clone()), allow(&server, &who, &method).map(|()| who)),
        Err(refusal) => (None, Err(refusal)),
    };
    let (answer, noted) = match let_in {
        Ok(who) => {
            let leaving = changes.then(|| AuditGuard::new(&server, entry(Some(&who), LEFT)));
            request.extensions_mut().insert(who);
            let answer = match read(&server, request).await {
                Ok(request) => next.run(request).await,
                Err(refusal) => refusal.into_response(),
            };
            leaving.into_iter().for_each(AuditGuard::answered);
            let noted = changes || answer.status() == StatusCode::FORBIDDEN;
            (answer, noted)
        }
        Err(refusal) => {
            server.inner.metrics.turned_away.add(1);
            // Ten thousand lines would tell no more, and a stranger could fill the disk with them.
            (refusal.into_response(), server.inner.noted.take(&from, Instant::now()).is_ok())
        }
    };
    let status = answer.status().as_u16();
    server.inner.metrics.answered(status);
    server.inner.metrics.request_time.observe(began.elapsed());
    if noted && server.inner.audit.write(entry(who.as_ref(), status)).await.is_err() && changes {
        return dressed(ApiError::failed("the server could not write its audit log").into_response());
    }
    dressed(answer)
}

/// A request that may change something, while it is handled. If it is dropped without a response
/// because the client left, it still gets an audit entry: its changes may have happened.
struct AuditGuard {
    server: HolmServer,
    entry: Option<AuditEntry>,
}

impl AuditGuard {
    fn new(server: &HolmServer, entry: AuditEntry) -> Self {
        Self { server: server.clone(), entry: Some(entry) }
    }

    /// The request was answered, and the answer gets its own entry.
    fn answered(mut self) {
        self.entry = None;
    }
}

impl Drop for AuditGuard {
    fn drop(&mut self) {
        let (audit, entry) = (self.server.inner.audit.clone(), self.entry.take());
        if let (Some(entry), Ok(runtime)) = (entry, tokio::runtime::Handle::try_current()) {
            // The client is gone, so there is no one to report a failed write to.
            runtime.spawn(async move { drop(audit.write(entry).await) });
        }
    }
}

fn look(
    server: &HolmServer,
    headers: &HeaderMap,
    authority: Option<&http::uri::Authority>,
    from: IpAddr,
) -> Result<AuthenticatedUser, ApiError> {
    let config = &server.inner.config;
    let host = check_host(config, headers, authority)?;
    check_origin(config, headers, host)?;
    let now = Instant::now();
    let inner = &server.inner;
    let given = given(headers);
    let found = given.and_then(AccessToken::read).and_then(|token| inner.keyring.find(&token));
    // A valid token is accepted no matter how many invalid ones came before. Behind a proxy all
    // clients share one address, and a stranger could lock out everyone else.
    //
    // 256 random bits cannot be guessed, so the limit only bounds the work that invalid tokens
    // cause.
    found.ok_or_else(|| match inner.failed.take(&from, now) {
        Ok(()) if given.is_some() => ApiError::wrong_token(),
        Ok(()) => ApiError::unauthorized(),
        Err(_) => ApiError::busy("too_many_failures", "too many wrong tokens; wait a minute", 60),
    })
}

/// Checks the request rate of a token and the role that the method needs.
fn allow(server: &HolmServer, who: &AuthenticatedUser, method: &Method) -> Result<(), ApiError> {
    if let Err(seconds) = server.inner.asked.take(&who.token, Instant::now()) {
        return Err(ApiError::busy("too_many_requests", "too many requests; slow down", seconds));
    }
    let needed = if matches!(*method, Method::GET | Method::HEAD) { Role::Viewer } else { Role::Operator };
    crate::state::require(who, needed)
}

/// The host name must be one of this server's. Otherwise a foreign name that resolves to this
/// machine could act as another site (DNS rebinding).
pub(crate) fn check_host<'a>(
    config: &ServerOptions,
    headers: &'a HeaderMap,
    authority: Option<&'a http::uri::Authority>,
) -> Result<&'a str, ApiError> {
    let misdirected = |message: &str| ApiError::new(StatusCode::MISDIRECTED_REQUEST, "bad_host", message);
    let named = named(headers, authority)?;
    let host = named.first().copied().ok_or_else(|| misdirected("the request has no `Host` header"))?;
    if named.iter().all(|host| is_own(config, name_of(host))) {
        Ok(host)
    } else {
        Err(misdirected("the request was sent to an unknown host name; see `--host`"))
    }
}

/// The host names in a request, as [`named_hosts`] returns them.
///
/// # Errors
/// More than one `Host` header.
pub(crate) fn named<'a>(
    headers: &'a HeaderMap,
    authority: Option<&'a http::uri::Authority>,
) -> Result<Vec<&'a str>, ApiError> {
    named_hosts(headers, authority).map_err(|many| ApiError::bad("bad_host", many.to_string()))
}

/// The page that sends the request must be this server's own or a configured one. Programs send no
/// `Origin`. Browsers always send it when it matters, and otherwise say `cross-site`.
fn check_origin(config: &ServerOptions, headers: &HeaderMap, host: &str) -> Result<(), ApiError> {
    let refused = || ApiError::forbidden("requests from pages of other origins are not allowed");
    let Some(origin) = headers.get(ORIGIN) else {
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        return if site == Some(b"cross-site") { Err(refused()) } else { Ok(()) };
    };
    let origin = origin.to_str().map_err(|_| refused())?;
    // The host was checked already, so an origin that equals it is not another site.
    let same = own_schemes(config, host)
        .iter()
        .any(|scheme| origin.strip_prefix(scheme).is_some_and(|own| own.eq_ignore_ascii_case(host)));
    if same || config.origins.iter().any(|known| known == origin) { Ok(()) } else { Err(refused()) }
}

/// The schemes under which this server's own pages are loaded from a host.
///
/// A server without a certificate has `https` pages only under a name from `--host`, where
/// a proxy handles TLS.
fn own_schemes(config: &ServerOptions, host: &str) -> &'static [&'static str] {
    let is_proxy_name = config.hosts.iter().any(|known| known.eq_ignore_ascii_case(name_of(host)));
    match (&config.tls, is_proxy_name) {
        (Some(_), _) => &["https://"],
        (None, true) => &["http://", "https://"],
        (None, false) => &["http://"],
    }
}

/// The name in a `Host` header without its port; empty if the header is not valid.
pub(crate) fn name_of(host: &str) -> &str {
    let (name, port) = match host.strip_prefix('[').map(|rest| rest.split_once(']')) {
        Some(Some((name, port))) => (name, port),
        Some(None) => return "",
        None => host.split_at(host.rfind(':').unwrap_or(host.len())),
    };
    let port = port.strip_prefix(':').unwrap_or(port);
    if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { "" }
}

/// Whether a name is this server's: this machine, the address it listens on, or a configured name.
pub(crate) fn is_own(config: &ServerOptions, name: &str) -> bool {
    is_own_at(config.listen.ip(), &config.hosts, name)
}

/// Whether a name belongs to a listener.
pub(crate) fn is_own_at(ip: IpAddr, hosts: &[String], name: &str) -> bool {
    let local = ["localhost", "127.0.0.1", "::1"].iter().any(|own| name.eq_ignore_ascii_case(own));
    let listened = !ip.is_unspecified() && name.parse::<IpAddr>().is_ok_and(|named| named == ip);
    local || listened || hosts.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// The token of a request: in its header, or among the WebSocket subprotocols; never in its URL.
fn given(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(bearer) = bearer {
        let (scheme, token) = bearer.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then_some(token);
    }
    let protocols = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    let mut named = protocols.flat_map(|value| value.split(',')).map(str::trim);
    named.find_map(|name| name.strip_prefix(BEARER_PROTOCOL))
}

/// Reads the body within the size and time limits.
async fn read(server: &HolmServer, request: Request) -> Result<Request, ApiError> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(request);
    }
    let limits = &server.inner.config.limits;
    let (parts, body) = request.into_parts();
    let bytes = read_body(body, limits.body, limits.body_time, "body").await?;
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Reads a body within a size and a time limit; `what` names it in error messages.
pub(crate) async fn read_body(
    body: Body,
    most: usize,
    time: Duration,
    what: &str,
) -> Result<Bytes, ApiError> {
    let refused = |status, code, problem: &str| ApiError::new(status, code, format!("the {what} {problem}"));
    let too_slow = |_| refused(StatusCode::REQUEST_TIMEOUT, "too_slow", "took too long");
    let unread = |error: axum::Error| {
        if error.source().is_some_and(<dyn std::error::Error>::is::<LengthLimitError>) {
            refused(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "is too large")
        } else {
            refused(
                StatusCode::BAD_REQUEST,
                "bad_request",
                "cannot be read: it is incomplete, or its chunks are invalid",
            )
        }
    };
    tokio::time::timeout(time, to_bytes(body, most)).await.map_err(too_slow)?.map_err(unread)
}

/// The address of the client. A trusted proxy appends the address that it saw to `x-forwarded-for`.
/// Entries before that of the last trusted proxy could be forged, so they are ignored.
pub(crate) fn peer(config: &ServerOptions, request: &Request) -> IpAddr {
    let connection = request.extensions().get::<PeerAddress>();
    let mut peer = connection.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |known| known.0.ip().to_canonical());
    // Read as bytes, since the proxy's entry at the end is valid even if the whole value is not
    // text.
    let forwarded_headers = request.headers().get_all(FORWARDED).iter().map(HeaderValue::as_bytes);
    let entries: Vec<&[u8]> = forwarded_headers.flat_map(|value| value.split(|byte| *byte == b',')).collect();
    for entry in entries.iter().rev() {
        let entry_text = std::str::from_utf8(entry).unwrap_or_default();
        let Some(previous_hop) = address(entry_text.trim()).filter(|_| config.proxies.contains(&peer)) else {
            break;
        };
        peer = previous_hop;
    }
    peer
}

/// Parses an address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let parsed = text.parse::<IpAddr>().or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    parsed.ok().map(|address| address.to_canonical())
}

/// Adds the headers that every response has.
pub(crate) fn dressed(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}

#[cfg(test)]
mod tests;
