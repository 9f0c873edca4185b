//! Logins: one that goes well from its first word to its last, and those that somebody wants to lead astray.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use holm_mcp::{Browser, Era, Login, Logins, Means, Remote, RemoteError, ServerSpec};
use holm_net::{Client, Connector, SystemResolver, Tls};
use holm_runtime::{BoxFuture, CancellationToken, Progress};
use rmcp::model::CallToolResult;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::support::text;

/// What is wrong with this login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Twist {
    Nothing,
    /// The browser comes back from another issuer.
    AnotherIssuer,
    /// The browser comes back with a state that nobody sent.
    AnotherState,
    /// The issuer's document is another issuer's.
    StolenDocument,
    /// The server's document is of another server.
    AnotherResource,
    /// The server names an issuer inside.
    IssuerInside,
    /// The server names a document inside.
    DocumentInside,
    /// The issuer takes codes at an address inside.
    TokensInside,
    /// The server is content with no token.
    NeverContent,
}

/// A server that wants a login, and its issuer, on one port; and a port beside it that nobody should touch.
struct House {
    base: String,
    twist: Twist,
    inside: String,
    asked: Mutex<Vec<String>>,
    touched: AtomicUsize,
    tokens: AtomicUsize,
}

/// Dropped, nobody is there any more.
struct Open {
    house: Arc<House>,
    tasks: [AbortHandle; 2],
}

impl Open {
    async fn with(twist: Twist) -> Self {
        let (own, other) = (bind().await, bind().await);
        let address = |listener: &TcpListener| format!("http://{}", listener.local_addr().unwrap());
        let house = Arc::new(House {
            base: address(&own),
            twist,
            inside: address(&other),
            asked: Mutex::default(),
            touched: AtomicUsize::new(0),
            tokens: AtomicUsize::new(0),
        });
        let (at_home, watched) = (Arc::clone(&house), Arc::clone(&house));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = own.accept().await {
                tokio::spawn(Arc::clone(&at_home).serve(stream));
            }
        });
        let watching = tokio::spawn(async move {
            while other.accept().await.is_ok() {
                watched.touched.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self { house, tasks: [serving.abort_handle(), watching.abort_handle()] }
    }

    fn remote(&self, login: Login) -> Remote {
        let spec = ServerSpec::address("far", &format!("{}/mcp", self.house.base)).unwrap();
        let net = Client::new(Connector::new(Arc::new(SystemResolver)), Tls::platform().unwrap());
        Remote::new(spec.era(Era::Handshake), Means::new().net(net).login(login))
    }

    fn person(&self) -> Person {
        Person { house: Arc::clone(&self.house), visits: Arc::default() }
    }

    /// How often a path was asked for.
    fn asked(&self, path: &str) -> usize {
        self.house.asked.lock().unwrap().iter().filter(|asked| asked.contains(path)).count()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

async fn bind() -> TcpListener {
    TcpListener::bind(("127.0.0.1", 0)).await.unwrap()
}

impl House {
    /// Answers one request and hangs up.
    async fn serve(self: Arc<Self>, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        let (mut line, mut token, mut length) = (String::new(), String::new(), 0);
        if stream.read_line(&mut line).await.is_err() {
            return;
        }
        loop {
            let mut header = String::new();
            if stream.read_line(&mut header).await.unwrap_or_default() <= 2 {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "authorization" => token = value.trim().to_owned(),
                "content-length" => length = value.trim().parse().unwrap_or_default(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let (method, path) = (words[0], words[1]);
        let body = String::from_utf8_lossy(&body).into_owned();
        self.asked.lock().unwrap().push(format!("{method} {path} {body}"));
        let (status, headers, said) = self.answer(method, path, &token, &body);
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
            said.len()
        );
        let _ = stream.write_all((head + &said).as_bytes()).await;
    }

    fn answer(&self, method: &str, path: &str, token: &str, body: &str) -> (&'static str, String, String) {
        let ok = |value: Value| ("200 OK", String::new(), value.to_string());
        match (method, path) {
            ("POST", "/mcp") => self.protocol(token, body),
            ("GET", path) if path.starts_with("/.well-known/oauth-protected-resource") => ok(self.resource()),
            ("GET", path) if path.starts_with("/.well-known/oauth-authorization-server") => ok(self.issuer()),
            ("POST", "/register") => {
                let asked: Value = serde_json::from_str(body).unwrap();
                ok(json!({ "client_id": "c1", "redirect_uris": asked["redirect_uris"] }))
            }
            ("POST", "/token") => {
                let number = self.tokens.fetch_add(1, Ordering::Relaxed) + 1;
                // The first is as good as over, so the next word to the server needs another.
                let lasts = if number == 1 { 5 } else { 3600 };
                ok(json!({
                    "access_token": format!("canary-{number}"), "token_type": "Bearer", "expires_in": lasts,
                    "refresh_token": format!("again-{number}"),
                }))
            }
            ("GET", "/mcp") => ("405 Method Not Allowed", String::new(), String::new()),
            _ => ("404 Not Found", String::new(), String::new()),
        }
    }

    fn resource(&self) -> Value {
        let issuer = if self.twist == Twist::IssuerInside { &self.inside } else { &self.base };
        let resource = match self.twist {
            Twist::AnotherResource => "https://bank.example/mcp".to_owned(),
            _ => format!("{}/mcp", self.base),
        };
        json!({ "resource": resource, "authorization_servers": [issuer] })
    }

    fn issuer(&self) -> Value {
        let stolen = self.twist == Twist::StolenDocument;
        let issuer = if stolen { "https://bank.example" } else { self.base.as_str() };
        let tokens = if self.twist == Twist::TokensInside { &self.inside } else { &self.base };
        json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{}/authorize", self.base),
            "token_endpoint": format!("{tokens}/token"),
            "registration_endpoint": format!("{}/register", self.base),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": true,
        })
    }

    fn protocol(&self, token: &str, body: &str) -> (&'static str, String, String) {
        let number = token.strip_prefix("Bearer canary-").and_then(|number| number.parse::<usize>().ok());
        if number.is_none() || self.twist == Twist::NeverContent {
            let document = if self.twist == Twist::DocumentInside { &self.inside } else { &self.base };
            let document = format!("{document}/.well-known/oauth-protected-resource/mcp");
            let challenge = format!("www-authenticate: Bearer resource_metadata=\"{document}\"\r\n");
            return ("401 Unauthorized", challenge, String::new());
        }
        let request: Value = serde_json::from_str(body).unwrap();
        let result = match request["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "far", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [{ "name": "who", "inputSchema": { "type": "object" } }] }),
            "tools/call" => json!({ "content": [{ "type": "text", "text": "you" }] }),
            _ => return ("202 Accepted", String::new(), String::new()),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        ("200 OK", String::new(), answer.to_string())
    }
}

/// A person who says yes to every page.
#[derive(Clone)]
struct Person {
    house: Arc<House>,
    visits: Arc<AtomicUsize>,
}

impl Browser for Person {
    fn comes_back_to(&self) -> String {
        "http://127.0.0.1:1/callback".into()
    }

    fn visit(&self, url: String) -> BoxFuture<'static, Result<String, String>> {
        self.visits.fetch_add(1, Ordering::Relaxed);
        let state = url.split(['?', '&']).find_map(|pair| pair.strip_prefix("state=")).unwrap_or_default();
        let state = if self.house.twist == Twist::AnotherState { "guessed" } else { state };
        let issuer = match self.house.twist {
            Twist::AnotherIssuer => "https%3A%2F%2Fbank.example".to_owned(),
            _ => self.house.base.replace(':', "%3A").replace('/', "%2F"),
        };
        let back = format!("{}?code=abc&state={state}&iss={issuer}", self.comes_back_to());
        Box::pin(async move { Ok(back) })
    }
}

async fn who(remote: &Remote) -> Result<CallToolResult, RemoteError> {
    remote.call("who", Map::new(), &Progress::silent(), &CancellationToken::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_kept_used_by_the_next_process_refreshed_and_forgotten() {
    let (open, folder) = (Open::with(Twist::Nothing).await, tempfile::tempdir().unwrap());
    let logins = Logins::new(folder.path().join("logins"));
    let person = open.person();
    let remote = open.remote(Login::new(person.clone()).keep(logins.clone()));
    assert_eq!(text(&who(&remote).await.unwrap()), "you");
    assert_eq!((person.visits.load(Ordering::Relaxed), open.asked("/register")), (1, 1));
    assert_eq!(open.asked("grant_type=refresh_token"), 1, "the first was as good as over");
    let files: Vec<_> =
        fs::read_dir(folder.path().join("logins")).unwrap().map(|file| file.unwrap().path()).collect();
    let kept = files.iter().find(|file| file.extension().is_some_and(|ending| ending == "json")).unwrap();
    assert!(fs::read_to_string(kept).unwrap().contains("canary-2"), "what the refresh brought");
    let later = open.remote(Login::remembered(logins.clone()));
    assert_eq!(text(&who(&later).await.unwrap()), "you");
    assert_eq!((open.asked("/register"), open.asked("/token")), (1, 2), "nothing was asked for again");
    assert!(!format!("{later:?} {remote:?}").contains("canary"));
    assert_eq!(logins.forget(&"far".parse().unwrap()).unwrap(), 1);
    let error = who(&open.remote(Login::remembered(logins))).await.unwrap_err();
    assert!(matches!(&error, RemoteError::Login(why) if why.contains("holm mcp test")), "{error}");
}

/// Each is what is wrong, whether the login may still come to something by another way, and how many pages a person sees.
const CASES: [(Twist, bool, usize); 8] = [
    (Twist::AnotherIssuer, false, 1),
    (Twist::AnotherState, false, 1),
    (Twist::StolenDocument, false, 0),
    (Twist::AnotherResource, false, 0),
    (Twist::IssuerInside, true, 1),
    (Twist::DocumentInside, true, 1),
    (Twist::TokensInside, false, 1),
    (Twist::NeverContent, false, 3),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_led_astray_hands_nothing_over() {
    for (twist, may_come_to_something, pages) in CASES {
        let open = Open::with(twist).await;
        let person = open.person();
        let came = who(&open.remote(Login::new(person.clone()))).await;
        assert_eq!(open.house.touched.load(Ordering::Relaxed), 0, "{twist:?}: somebody went inside");
        let visits = person.visits.load(Ordering::Relaxed);
        assert!(visits <= pages, "{twist:?}: {visits} pages");
        if may_come_to_something {
            continue;
        }
        let error = came.expect_err(&format!("{twist:?}"));
        assert!(matches!(error, RemoteError::Login(_)), "{twist:?}: {error}");
        if twist != Twist::NeverContent {
            assert_eq!(open.asked("/token"), 0, "{twist:?}: a code was handed over");
        }
    }
}
