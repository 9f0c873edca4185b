//! The tool against servers on this machine: grants, redirects, kinds and sizes.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use holm_grants::{CallNeed, DenialSet};
use holm_guards::json::Json;
use holm_kernel::{Outcome, ToolOutput};
use holm_net::{Connector, ExchangeLimits, HostName, HostResolver, HttpClient, ResolveFuture, TlsConfig};
use holm_runtime::{Tool, ToolInvocation};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::fetch::FetchTool;

/// Every name leads to this machine.
#[derive(Default)]
pub(crate) struct Names(AtomicUsize);

impl HostResolver for Names {
    fn resolve<'a>(&'a self, _: &'a HostName) -> ResolveFuture<'a> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

pub(crate) fn client(names: Arc<Names>) -> HttpClient {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    HttpClient::new(Connector::new(names), TlsConfig::with_config(config))
}

/// A server that sends the same response to every client, and records the requests.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) async fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (answer, asked) = (answer.into(), Arc::<Mutex<Vec<String>>>::default());
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = vec![0; 8192];
                let read = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(head.get(..read).unwrap_or_default()).into_owned();
                log.lock().expect("a lock").push(head);
                let _ = stream.write_all(&answer).await;
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.asked.lock().expect("a lock").clone()
    }

    fn asked(&self) -> usize {
        self.asked.lock().expect("a lock").len()
    }
}

pub(crate) fn page(kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Calls the tool with these grants as what it was allowed.
async fn fetched(tool: &FetchTool, url: &str, grants: &[&str]) -> ToolOutput {
    let mut job = ToolInvocation::alone(Json::object([("url", url.into())]).canonical());
    job.needs = grants.iter().map(|grant| CallNeed::Grant(grant.parse().expect("a grant"))).collect();
    tool.run(job).await
}

/// As the kernel would: the need is made of the URL.
async fn asked_for(tool: &FetchTool, url: &str) -> ToolOutput {
    let mut job = ToolInvocation::alone(Json::object([("url", url.into())]).canonical());
    let template = tool.declaration().needs.first().expect("a need");
    job.needs = template.needs(|_| [url]).expect("a URL").into();
    tool.run(job).await
}

#[tokio::test]
async fn a_page_comes_as_markdown_and_a_text_as_it_is() {
    let tool = FetchTool::new(client(Arc::default()));
    let html = Server::saying(page("text/html; charset=utf-8", "<h1>Hi</h1><a href='/x'>é</a>")).await;
    let output = asked_for(&tool, &html.url("/a?b=c")).await;
    assert_eq!(output.text, format!("# Hi\n\n[é]({})\n", html.url("/x")));
    assert!(html.asked.lock().expect("a lock")[0].starts_with("GET /a?b=c HTTP/1.1\r\n"));
    let json = Server::saying(page("application/json", r#"{"a": "<b>"}"#)).await;
    assert_eq!(asked_for(&tool, &json.url("/")).await.text, r#"{"a": "<b>"}"#);
}

#[tokio::test]
async fn only_what_was_granted_is_reached() {
    let names = Arc::new(Names::default());
    let tool = FetchTool::new(client(Arc::clone(&names)));
    let server = Server::saying(page("text/plain", "x")).await;
    let other = format!("fetch:http://127.0.0.1:{}", server.address.port() ^ 1);
    for grants in [vec![], vec!["fetch:https://example.com"], vec![other.as_str()], vec!["read:**"]] {
        let output = fetched(&tool, &server.url("/"), &grants).await;
        assert_eq!(output.outcome, Outcome::Failed, "{grants:?}: {}", output.text);
        assert!(output.text.contains("missing grant fetch:http://127.0.0.1"), "{}", output.text);
    }
    let denied = tool.clone().denials(DenialSet::parse(["fetch:http://127.0.0.1:*"]).expect("a denial"));
    assert_eq!(asked_for(&denied, &server.url("/")).await.outcome, Outcome::Failed);
    // What the run may never do applies, no matter what the tool itself was given.
    let mut job = ToolInvocation::alone(Json::object([("url", server.url("/").into())]).canonical());
    let need = format!("fetch:{}", server.url("/"));
    job.needs = Arc::from([CallNeed::Request(need.parse().expect("a request"))]);
    job.denials = Arc::new(DenialSet::parse(["fetch:http://127.0.0.1:*"]).expect("a denial"));
    assert_eq!(tool.run(job).await.outcome, Outcome::Failed);
    assert_eq!(
        (server.asked(), names.0.load(Ordering::Relaxed)),
        (0, 0),
        "nothing was connected or looked up"
    );
    assert_eq!(asked_for(&tool, &server.url("/")).await.text, "x");
}

#[tokio::test]
async fn a_redirect_elsewhere_is_refused_with_the_grant_that_it_would_take() {
    let tool = FetchTool::new(client(Arc::default()));
    let secret = Server::saying(page("text/plain", "secret")).await;
    let to =
        |location: &str| format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    for location in [
        secret.url("/"),
        "http://169.254.169.254/latest".into(),
        "http://localhost/".into(),
        "file:///etc/passwd".into(),
    ] {
        let server = Server::saying(to(&location)).await;
        let output = asked_for(&tool, &server.url("/")).await;
        assert_eq!(output.outcome, Outcome::Failed, "{location}: {}", output.text);
        assert!(!output.text.contains("secret"));
    }
    assert_eq!(secret.asked(), 0);
    let server = Server::saying(to(&secret.url("/"))).await;
    let output = asked_for(&tool, &server.url("/")).await;
    let grant = format!("missing grant fetch:http://{}", secret.address);
    assert!(output.text.contains(&grant), "{} has no {grant}", output.text);
}

#[tokio::test]
async fn a_redirect_to_another_path_is_refused_unless_the_call_was_allowed_it() {
    let tool = FetchTool::new(client(Arc::default()));
    let to =
        |location: &str| format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    for (asked, location) in
        [("/pub/a", "/secret/y"), ("/pub/a", "/pub/../secret/y"), ("/pub/a;b", "/secret/y")]
    {
        let server = Server::saying(to(location)).await;
        let output = asked_for(&tool, &server.url(asked)).await;
        assert_eq!(output.outcome, Outcome::Failed, "{asked}: {}", output.text);
        assert_eq!(server.asked(), 1, "{asked}: nothing was asked for but what was allowed");
    }
    let server = Server::saying(to("/secret/y")).await;
    let output = fetched(&tool, &server.url("/pub/a"), &[&format!("fetch:{}", server.url("/pub"))]).await;
    assert!(output.text.contains(&server.url("/secret/y")), "it says where to: {}", output.text);
    assert_eq!(server.asked(), 1);
    // With the whole host it is followed, and ends at the bound of a loop.
    let output = fetched(&tool, &server.url("/pub/a"), &[&format!("fetch:{}", server.url(""))]).await;
    assert!(output.text.contains("redirected more than"), "{}", output.text);
}

#[tokio::test]
async fn a_path_that_no_grant_can_spell_is_fetched_where_it_was_allowed() {
    let tool = FetchTool::new(client(Arc::default()));
    let server = Server::saying(page("text/plain", "x")).await;
    for path in ["/a;b", "/@scope%2Fname", "/a*"] {
        assert_eq!(asked_for(&tool, &server.url(path)).await.text, "x", "{path}");
    }
}

/// Spellings of places inside, under grants for every public host. The full corpus is in `holm-net`.
const INSIDE: &[(&str, &str)] = &[
    ("loopback", "http://127.0.0.1/"),
    ("loopback far on", "http://127.8.9.10/"),
    ("loopback in decimal", "http://2130706433/"),
    ("loopback in hex", "http://0x7f000001/"),
    ("loopback in octal", "http://0177.0.0.1/"),
    ("loopback short", "http://127.1/"),
    ("loopback mixed", "http://0x7f.1/"),
    ("zero", "http://0/"),
    ("unspecified", "http://0.0.0.0/"),
    ("unspecified six", "http://[::]/"),
    ("loopback six", "http://[::1]/"),
    ("mapped", "http://[::ffff:127.0.0.1]/"),
    ("mapped in hex", "http://[::ffff:7f00:1]/"),
    ("compatible", "http://[::127.0.0.1]/"),
    ("translated", "http://[64:ff9b::7f00:1]/"),
    ("locally translated", "http://[64:ff9b:1::7f00:1]/"),
    ("six to four", "http://[2002:7f00:1::]/"),
    ("teredo", "http://[2001:0:7f00:1::]/"),
    ("private ten", "http://10.0.0.1/"),
    ("private 172", "http://172.16.0.1/"),
    ("private 192", "http://192.168.0.1/"),
    ("shared", "http://100.64.0.1/"),
    ("link-local", "http://169.254.1.1/"),
    ("metadata", "http://169.254.169.254/latest/meta-data/"),
    ("metadata six", "http://[fd00:ec2::254]/"),
    ("metadata elsewhere", "http://100.100.100.200/"),
    ("metadata by name", "http://metadata.google.internal/"),
    ("metadata with a dot", "http://metadata.google.internal./"),
    ("unique local", "http://[fc00::1]/"),
    ("link-local six", "http://[fe80::1]/"),
    ("site-local", "http://[fec0::1]/"),
    ("multicast", "http://224.0.0.1/"),
    ("reserved", "http://240.0.0.1/"),
    ("broadcast", "http://255.255.255.255/"),
    ("benchmark", "http://198.18.0.1/"),
    ("full-width digits", "http://１２７.0.0.1/"),
    ("circled digits", "http://①②⑦.⓪.⓪.①/"),
    ("ideographic dots", "http://127。0。0。1/"),
    ("user information", "http://example.com@127.0.0.1/"),
    ("a backslash", "http://example.com\\@127.0.0.1/"),
    ("a fragment", "http://127.0.0.1#@example.com/"),
    ("a tab", "http://127.0\t.0.1/"),
    ("percent", "http://%31%32%37.0.0.1/"),
    ("a name that leads inside", "http://public.example/"),
    ("a file", "file:///etc/passwd"),
    ("a gopher", "gopher://127.0.0.1:25/"),
    ("data", "data:text/plain,x"),
    ("ftp", "ftp://127.0.0.1/"),
    ("nothing", ""),
];

#[tokio::test]
async fn no_spelling_leads_inside() {
    let tool = FetchTool::new(client(Arc::default()));
    for (name, url) in INSIDE {
        let output = fetched(&tool, url, &["fetch:http://*", "fetch:https://*", "fetch:*://*:*"]).await;
        assert_eq!(output.outcome, Outcome::Failed, "{name}: {url}: {}", output.text);
        let refused = ["refused", "not a valid URL", "listener", "not supported"]
            .iter()
            .any(|sign| output.text.contains(sign));
        assert!(refused, "{name}: {url}: it was tried: {}", output.text);
    }
}

#[tokio::test]
async fn kinds_sizes_and_times_are_bounded() {
    let tool = FetchTool::new(client(Arc::default()));
    let check = async |answer: String, sign: &str| {
        let limits =
            ExchangeLimits { body: 1000, total: Duration::from_millis(500), ..ExchangeLimits::default() };
        let server = Server::saying(answer).await;
        let output = asked_for(&tool.clone().limits(limits), &server.url("/")).await;
        assert!(output.outcome == Outcome::Failed && output.text.contains(sign), "{sign}: {}", output.text);
    };
    check(page("image/png", "x"), "expected text/*").await;
    check(page("application/octet-stream", "x"), "expected text/*").await;
    check("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx".into(), "without a type").await;
    check(page("text/plain", &"x".repeat(1001)), "larger than 1000").await;
    check(
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n{}", "x".repeat(5000)),
        "larger than 1000",
    )
    .await;
    check(
        "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\ngone".into(),
        "404",
    )
    .await;
    check(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 99\r\n\r\nx".into(),
        "closed the connection",
    )
    .await;
}

#[tokio::test]
async fn cancelling_ends_a_fetch() {
    let tool = FetchTool::new(client(Arc::default()));
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    let mut job = ToolInvocation::alone(Json::object([("url", url.as_str().into())]).canonical());
    job.needs = tool.declaration().needs[0].needs(|_| [url.as_str()]).expect("a URL").into();
    let stop = job.stop.clone();
    let (output, ()) = tokio::join!(tool.run(job), async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stop.cancel();
    });
    assert!(output.text.contains("cancelled"));
}
