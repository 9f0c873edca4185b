//! Attacks on Holm's own server: web pages that find it, and clients that guess tokens or sessions.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{ToolOutput, ToolSpec};
use holm_mcp::server::{CallRights, HttpAccessPolicy, McpServerHandler, serve_http};
use holm_runtime::{ToolInvocation, Toolbox, tool_fn};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Barrier;
use tokio::task::AbortHandle;

use super::{Case, Kind};
use crate::support::bind;

const TOKEN: &str = "open sesame";

pub(super) fn cases() -> Vec<Case> {
    use Kind::{Rebinding, SessionGuess};
    let known = format!("authorization: Bearer {TOKEN}\r\n");
    let page = |name, headers: &str| Case::new(Rebinding, name, refused(format!("{headers}{known}"), 403));
    let nobody = |name, headers: &str| Case::new(SessionGuess, name, refused(headers.to_owned(), 401));
    vec![
        page("another name for this machine", "host: evil.example\r\n"),
        page("a name that begins like this machine's", "host: 127.0.0.1.evil.example\r\n"),
        Case::new(Rebinding, "no name at all", refused(format!("host: \r\n{known}"), 400)),
        Case::new(Rebinding, "two names", two_names()),
        page("a page of another origin", "host: HERE\r\norigin: https://evil.example\r\n"),
        page("a page of no origin", "host: HERE\r\norigin: null\r\n"),
        page(
            "an origin that begins like this machine's",
            "host: HERE\r\norigin: http://localhost.evil.example:80\r\n",
        ),
        nobody("no token", "host: HERE\r\n"),
        nobody("half a token", "host: HERE\r\nauthorization: Bearer open sesam\r\n"),
        nobody("a token of another kind", "host: HERE\r\nauthorization: Basic open sesame\r\n"),
        Case::new(SessionGuess, "who is at home gets in", at_home()),
        Case::new(SessionGuess, "sessions whose names are guessed", guessed()),
        Case::new(SessionGuess, "somebody else's session without the token", without_token()),
        Case::new(SessionGuess, "two clients that ask by the same id at once", same_id()),
    ]
}

/// Holm's server. Dropped, it is gone.
struct Served {
    address: SocketAddr,
    task: AbortHandle,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a request was answered.
struct Came {
    status: u16,
    session: Option<String>,
    body: String,
}

impl Served {
    /// With a tool that answers when two have called it.
    async fn start() -> Self {
        let both = Arc::new(Barrier::new(2));
        let schema = Json::parse(r#"{"type":"object","properties":{"word":{"type":"string"}}}"#).unwrap();
        let tool = tool_fn(
            ToolSpec::new("meet", "Waits.", schema).level(Level::None),
            move |job: ToolInvocation| {
                let both = Arc::clone(&both);
                async move {
                    both.wait().await;
                    ToolOutput::text(&*job.arguments)
                }
            },
        );
        let exposed = McpServerHandler::new().tools(Toolbox::new().with(tool), CallRights::default());
        let listener = bind().await;
        let address = listener.local_addr().unwrap();
        let task =
            tokio::spawn(
                async move { drop(serve_http(listener, exposed, HttpAccessPolicy::new(TOKEN)).await) },
            );
        Self { address, task: task.abort_handle() }
    }

    /// Sends one request as it is.
    async fn send(&self, method: &str, headers: &str, body: &str) -> Came {
        self.send_to("/mcp", method, headers, body).await
    }

    /// The same with a target as it is.
    async fn send_to(&self, target: &str, method: &str, headers: &str, body: &str) -> Came {
        let head = format!(
            "{method} {target} HTTP/1.1\r\n{}content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            headers.replace("HERE", &self.address.to_string()),
            body.len(),
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).await.unwrap();
        let said = String::from_utf8(said).unwrap();
        let (head, body) = said.split_once("\r\n\r\n").unwrap();
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Came { status, session: session.map(str::to_owned), body: body.to_owned() }
    }

    /// Sends one message in a session, or to begin one.
    async fn say(&self, session: Option<&str>, message: &Value) -> Came {
        let session = session.map(|id| format!("mcp-session-id: {id}\r\n")).unwrap_or_default();
        let headers = format!("host: HERE\r\nauthorization: Bearer {TOKEN}\r\n{session}");
        self.send("POST", &headers, &message.to_string()).await
    }

    /// The name of a new session.
    async fn session(&self) -> String {
        let session = self.say(None, &hello()).await.session.expect("a session");
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.say(Some(&session), &ready).await.status, 202);
        session
    }
}

fn hello() -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })
}

async fn refused(headers: String, expect: u16) {
    let served = Served::start().await;
    assert_eq!(served.send("POST", &headers, &hello().to_string()).await.status, expect);
}

async fn two_names() {
    let served = Served::start().await;
    let whole = format!("http://{}/mcp", served.address);
    for (target, hosts, expect) in [
        ("/mcp", vec!["HERE", "evil.example"], 400),
        ("/mcp", vec!["evil.example", "HERE"], 400),
        ("/mcp", vec!["HERE", "HERE"], 400),
        ("http://evil.example/mcp", vec!["HERE"], 421),
        (&*whole, vec!["evil.example"], 421),
        // One name, said twice.
        (&*whole, vec!["HERE"], 200),
    ] {
        let hosts: String = hosts.iter().map(|host| format!("host: {host}\r\n")).collect();
        let headers = format!("{hosts}authorization: Bearer {TOKEN}\r\n");
        let came = served.send_to(target, "POST", &headers, &hello().to_string()).await;
        assert_eq!(came.status, expect, "{target} {hosts}");
    }
}

async fn at_home() {
    let served = Served::start().await;
    for origin in ["", "origin: http://localhost:5173\r\n"] {
        let headers = format!("host: HERE\r\n{origin}authorization: Bearer {TOKEN}\r\n");
        assert_eq!(served.send("POST", &headers, &hello().to_string()).await.status, 200, "{origin}");
    }
}

async fn guessed() {
    let served = Served::start().await;
    let mut all = BTreeSet::new();
    for _ in 0..16 {
        let session = served.session().await;
        assert!(session.len() >= 32, "{session} is soon guessed");
        assert!(all.insert(session), "no name is given twice");
    }
    let real = all.first().unwrap();
    let near = format!("{}{}", &real[..real.len() - 1], if real.ends_with('0') { '1' } else { '0' });
    let guesses =
        ["0", "1", "00000000-0000-0000-0000-000000000000", "../../session", "*", &real[..8], near.as_str()];
    for guess in guesses {
        for method in ["POST", "GET", "DELETE"] {
            let headers =
                format!("host: HERE\r\nauthorization: Bearer {TOKEN}\r\nmcp-session-id: {guess}\r\n");
            let body = if method == "POST" { list().to_string() } else { String::new() };
            let came = served.send(method, &headers, &body).await;
            // Who ends a session that is not there is told nothing.
            let expect = if method == "DELETE" { 202 } else { 404 };
            assert_eq!(came.status, expect, "{method} {guess}");
        }
    }
    for session in &all {
        assert!(served.say(Some(session), &list()).await.body.contains("meet"), "no guess ended it");
    }
}

async fn without_token() {
    let served = Served::start().await;
    let session = served.session().await;
    for method in ["POST", "GET", "DELETE"] {
        let headers = format!("host: HERE\r\nmcp-session-id: {session}\r\n");
        assert_eq!(served.send(method, &headers, &list().to_string()).await.status, 401, "{method}");
    }
    assert_eq!(served.say(Some(&session), &list()).await.status, 200, "nobody ended it");
}

async fn same_id() {
    let served = Served::start().await;
    let (one, other) = (served.session().await, served.session().await);
    let call = |word: &str| {
        let params = json!({ "name": "meet", "arguments": { "word": word } });
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
    };
    let (ones, others) = (call("tide"), call("moon"));
    let (ones, others) = tokio::join!(served.say(Some(&one), &ones), served.say(Some(&other), &others));
    assert!(ones.body.contains("tide") && !ones.body.contains("moon"), "{}", ones.body);
    assert!(others.body.contains("moon") && !others.body.contains("tide"), "{}", others.body);
}
