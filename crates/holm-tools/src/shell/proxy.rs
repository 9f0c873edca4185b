//! The only way out of a command's jail: a proxy that asks `holm-net` about every host.
//!
//! A command runs in a network of its own, which contains nothing but this listener. `holm-net`
//! resolves, checks and connects each request under the `fetch` grants of the call. So the checks
//! for names, addresses and Holm's own listeners apply as everywhere else. Programs find the proxy
//! by the usual variables ([`VARIABLES`]). For encrypted connections the proxy sees the host but
//! not the content, so a grant for some paths only opens nothing here.
//!
//! It decides nothing about hosts itself (`holm-net/src/connector.rs` does), and does not measure
//! bodies (`exchange.rs` does). Each connection carries one request, so that no request passes
//! unchecked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use holm_grants::{Grant, GrantPolicy, GrantSet, Url, UrlScheme};
use holm_jail::PROXY_PORT;
use holm_net::{CheckedConnection, Connector, NetError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::exchange::{RequestBodyLength, exchange};

/// The most connections at once: package managers open a few dozen.
const MAX_OPEN: usize = 128;
/// The largest head of a request: a line, cookies and a token.
const MAX_HEAD: usize = 32 * 1024;
/// The most refusals that are reported: a program that tries many hosts repeats the same message.
const MAX_TOLD: usize = 16;
/// How long a client may take to send its request.
const PATIENCE: Duration = Duration::from_secs(15);

/// Where programs look for a proxy. Some read the small names alone, some the large ones.
const VARIABLES: [&str; 6] =
    ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
/// Where programs look for hosts that are reached without a proxy, and which these are: a server
/// that the command itself started.
const UNPROXIED: [&str; 2] = ["no_proxy", "NO_PROXY"];
const OWN_HOSTS: &str = "localhost,127.0.0.1,::1";
/// What belongs to one leg of the way and is not passed on.
const OWN_HEADERS: [&str; 6] =
    ["host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "proxy-authenticate"];

/// What the proxy refused, and why. These are facts, not guesses from a program's output.
#[derive(Debug, Clone, Default)]
pub(super) struct ProxyDenials(Arc<Mutex<BTreeMap<String, ProxyDenied>>>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProxyDenied {
    /// This grant would open the way; the URL is what to ask for.
    Missing {
        grant: String,
        url: String,
    },
    Never(String),
    /// The call was granted this, which names a path; a command reaches whole hosts or nothing.
    Path(String),
}

impl ProxyDenied {
    /// Whether the proxy was asked for it, rather than that it was known before.
    pub(super) fn was_asked_for(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::Never(_) => true,
            Self::Path(_) => false,
        }
    }
}

impl ProxyDenials {
    /// All of them, ordered by the request.
    pub(super) fn list(&self) -> Vec<ProxyDenied> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn note(&self, error: &NetError) {
        let refusal = match error {
            NetError::Refused(refused) => match &refused.missing {
                Some(grant) => {
                    let grant = grant.to_string();
                    let url = grant.trim_start_matches("fetch:").to_owned();
                    ProxyDenied::Missing { grant, url }
                }
                None => ProxyDenied::Never(error.to_string()),
            },
            NetError::OwnListener(_) | NetError::Port(_) | NetError::Offline(_) => {
                ProxyDenied::Never(error.to_string())
            }
            // The network's own troubles are the command's to tell.
            _ => return,
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MAX_TOLD {
            all.insert(error.to_string(), refusal);
        }
    }
}

/// The variables by which programs find the proxy.
///
/// A command's own loopback addresses are reached without it, unless the call was granted one of
/// the user's: then the proxy is the way.
pub(super) fn variables(hosts: &GrantSet) -> impl Iterator<Item = (&'static str, String)> {
    let address = format!("http://127.0.0.1:{PROXY_PORT}");
    let is_granted = hosts.iter().any(is_loopback);
    let direct = UNPROXIED.into_iter().filter(move |_| !is_granted).map(|name| (name, OWN_HOSTS.into()));
    // Node's own client looks at the others only when it is told to.
    let told = direct.chain([("NODE_USE_ENV_PROXY", "1".into())]);
    VARIABLES.into_iter().map(move |name| (name, address.clone())).chain(told)
}

/// Whether a grant is for a host that [`OWN_HOSTS`] names.
fn is_loopback(grant: &Grant) -> bool {
    let text = grant.to_string();
    let host = text.split_once("://").map_or("", |(_, host)| host);
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|own| host.starts_with(own))
}

/// Serves until it is dropped; then every connection ends.
pub(super) async fn serve(
    listener: TcpListener,
    connector: Connector,
    policy: GrantPolicy,
    refused: ProxyDenials,
) {
    let policy = Arc::new(policy);
    let places = Arc::new(Semaphore::new(MAX_OPEN));
    let mut open = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((client, _)) = listener.accept().await else { return };
        let (connector, policy, refused) = (connector.clone(), Arc::clone(&policy), refused.clone());
        open.spawn(async move {
            // A connection that the client aborts is not our error.
            let _ = answer(client, &connector, &policy, &refused).await;
            drop(place);
        });
        while open.try_join_next().is_some() {}
    }
}

/// The request of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProxyRequest {
    /// A tunnel; the URLs under which it could be granted, likeliest first.
    Tunnel([Url; 2]),
    /// One exchange, with the head for the server and the length of the body after it.
    Exchange(Url, String, RequestBodyLength),
}

async fn answer(
    mut client: TcpStream,
    connector: &Connector,
    policy: &GrantPolicy,
    refused: &ProxyDenials,
) -> std::io::Result<()> {
    let Ok(read) = tokio::time::timeout(PATIENCE, head(&mut client)).await else { return Ok(()) };
    let Some((head, rest)) = read? else {
        return say(&mut client, "431 Too Large", "the request is too large").await;
    };
    let Some(ask) = ProxyRequest::read(&head) else {
        return say(&mut client, "400 Bad Request", "this is not a proxy request").await;
    };
    match dial(&ask, connector, policy).await {
        Ok(CheckedConnection { stream: mut server, .. }) => match &ask {
            ProxyRequest::Tunnel(_) => {
                client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
                server.write_all(&rest).await?;
                tokio::io::copy_bidirectional(&mut client, &mut server).await.map(drop)
            }
            ProxyRequest::Exchange(_, head, body) => {
                exchange(client, server, (head.as_str(), *body), &rest).await
            }
        },
        Err(error) => {
            refused.note(&error);
            let status = match &error {
                NetError::Refused(_)
                | NetError::OwnListener(_)
                | NetError::Port(_)
                | NetError::Offline(_) => "403 Forbidden",
                _ => "502 Bad Gateway",
            };
            say(&mut client, status, &error.to_string()).await
        }
    }
}

async fn dial(
    ask: &ProxyRequest,
    connector: &Connector,
    policy: &GrantPolicy,
) -> Result<CheckedConnection, NetError> {
    match ask {
        ProxyRequest::Exchange(url, _, _) => connector.connect(url, policy).await,
        ProxyRequest::Tunnel([likely, other]) => match connector.connect(likely, policy).await {
            // A tunnel does not say what will be spoken in it.
            Err(NetError::Refused(why)) => {
                connector.connect(other, policy).await.map_err(|_| NetError::Refused(why))
            }
            settled => settled,
        },
    }
}

async fn say(client: &mut TcpStream, status: &str, why: &str) -> std::io::Result<()> {
    let body = format!("holm: {why}\n");
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    client.write_all(format!("{head}{body}").as_bytes()).await?;
    client.shutdown().await
}

/// The head of a request and the bytes after it. Returns `None` if it is too large or incomplete.
async fn head(client: &mut TcpStream) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut seen = Vec::new();
    loop {
        let from = seen.len().saturating_sub(3);
        let read = client.read_buf(&mut seen).await?;
        let end = seen.get(from..).and_then(|new| new.windows(4).position(|four| four == b"\r\n\r\n"));
        if let Some(end) = end.map(|end| from + end + 4) {
            let rest = seen.split_off(end);
            return Ok(String::from_utf8(seen).ok().map(|head| (head, rest)));
        }
        if read == 0 || seen.len() > MAX_HEAD {
            return Ok(None);
        }
    }
}

impl ProxyRequest {
    /// Parses the head of a request. Returns `None` if it is not a proxy request.
    pub(super) fn read(head: &str) -> Option<Self> {
        let mut lines = head.strip_suffix("\r\n\r\n")?.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") || !is_token(method) {
            return None;
        }
        if method == "CONNECT" {
            return tunnel(target).map(Self::Tunnel);
        }
        let url: Url = target.parse().ok()?;
        if url.scheme() != UrlScheme::Http {
            return None;
        }
        let host = if Some(url.port()) == url.scheme().default_port() {
            url.host().to_string()
        } else {
            format!("{}:{}", url.host(), url.port())
        };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        // One exchange per connection, so that the next one is checked again.
        let mut out =
            format!("{method} {}{query} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n", url.path());
        let headers: Option<Vec<(&str, &str)>> = lines.map(|line| line.split_once(':')).collect();
        let headers = headers?;
        let body = RequestBodyLength::of(headers.iter().copied())?;
        for (name, value) in headers {
            // Parsers disagree about a line that begins with a blank or hides another line.
            if !is_token(name) || value.chars().any(|c| c.is_control() && c != '\t') {
                return None;
            }
            if !OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name)) {
                out.push_str(&format!("{name}:{value}\r\n"));
            }
        }
        out.push_str("\r\n");
        Some(Self::Exchange(url, out, body))
    }
}

/// The URLs of a tunnel to `authority`.
fn tunnel(authority: &str) -> Option<[Url; 2]> {
    // Nothing but a host and a port: no path, no name of a user.
    if authority.contains(['/', '@', '?', '#', '\\']) || !authority.contains(':') {
        return None;
    }
    let encrypted: Url = format!("https://{authority}/").parse().ok()?;
    let open: Url = format!("http://{authority}/").parse().ok()?;
    let is_open = Some(open.port()) == UrlScheme::Http.default_port();
    Some(if is_open { [open, encrypted] } else { [encrypted, open] })
}

fn is_token(text: &str) -> bool {
    let mark = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || mark(byte))
}
