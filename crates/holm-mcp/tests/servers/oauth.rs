//! Tests logins: a complete successful one, and those that an attacker tries to redirect.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use holm_grants::GrantSet;
use holm_mcp::{
    LoginBrowser, LoginSettings, LoginStore, McpServerSpec, McpTransports, ProtocolEra, RemoteServer,
    RemoteServerError,
};
use holm_net::{HostName, HostResolver, ResolveFuture};
use holm_runtime::{BoxFuture, CancellationToken, ProgressReporter};
use rmcp::model::CallToolResult;
use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::attacks::{Case, Kind};
use crate::support::{IS_JSON, Replied, bind, net, reply, text};

/// What is wrong with this login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Twist {
    Nothing,
    /// The browser comes back from another issuer.
    AnotherIssuer,
    /// The browser comes back with a state that Holm did not send.
    AnotherState,
    /// The issuer's document belongs to a different issuer.
    StolenDocument,
    /// The server's document is of another server.
    AnotherResource,
    /// The server names an issuer inside.
    IssuerInside,
    /// The server names a document inside.
    DocumentInside,
    /// The issuer takes codes at an address inside.
    TokensInside,
    /// The server names an issuer by a name that leads inside.
    IssuerByName,
    /// The server names a document by a name that leads inside.
    DocumentByName,
    /// The issuer takes codes at a name that leads inside.
    TokensByName,
    /// The server is content with no token.
    NeverContent,
}

/// A server that requires a login and its issuer, on one port, and a second port that
/// must not be touched.
struct House {
    base: String,
    twist: Twist,
    inside: String,
    asked: Mutex<Vec<String>>,
    touched: AtomicUsize,
    tokens: AtomicUsize,
}

/// The name that always resolves to an internal address.
const NAME: &str = "login.example";

/// The attacker's name server. It counts the queries.
#[derive(Clone, Default)]
struct Liar(Arc<AtomicUsize>);

impl HostResolver for Liar {
    fn resolve<'a>(&'a self, _: &'a HostName) -> ResolveFuture<'a> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}

/// The running servers. Dropping it stops them.
struct Open {
    house: Arc<House>,
    liar: Liar,
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
        Self { house, liar: Liar::default(), tasks: [serving.abort_handle(), watching.abort_handle()] }
    }

    fn remote(&self, login: LoginSettings) -> RemoteServer {
        self.remote_at(&self.house.base, login)
    }

    /// The same, at another address. The name is granted, so that nothing but where it leads keeps anybody from it.
    fn remote_at(&self, base: &str, login: LoginSettings) -> RemoteServer {
        let spec = McpServerSpec::address("far", &format!("{base}/mcp")).unwrap();
        let granted = format!("fetch:{}", self.house.by_name());
        let spec = spec.grants(GrantSet::parse([granted.as_str()]).unwrap());
        RemoteServer::new(
            spec.era(ProtocolEra::Handshake),
            McpTransports::new().net(net(self.liar.clone())).login(login),
        )
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

impl House {
    /// The forbidden port, by a name.
    fn by_name(&self) -> String {
        self.inside.replace("127.0.0.1", NAME)
    }

    /// Where a document, an issuer or its tokens are, if these twists lead astray: inside, by address or by name.
    fn astray(&self, by_address: Twist, by_name: Twist) -> String {
        match self.twist {
            twist if twist == by_address => self.inside.clone(),
            twist if twist == by_name => self.by_name(),
            _ => self.base.clone(),
        }
    }

    /// Answers one request and hangs up.
    async fn serve(self: Arc<Self>, stream: TcpStream) {
        reply(stream, |asked| {
            self.asked.lock().unwrap().push(format!("{} {} {}", asked.method, asked.path, asked.body));
            self.answer(&asked.method, &asked.path, &asked.token, &asked.body)
        })
        .await;
    }

    fn answer(&self, method: &str, path: &str, token: &str, body: &str) -> Replied {
        let ok = |value: Value| ("200 OK", IS_JSON.to_owned(), value.to_string());
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
        let issuer = self.astray(Twist::IssuerInside, Twist::IssuerByName);
        let resource = match self.twist {
            Twist::AnotherResource => "https://bank.example/mcp".to_owned(),
            _ => format!("{}/mcp", self.base),
        };
        json!({ "resource": resource, "authorization_servers": [issuer] })
    }

    fn issuer(&self) -> Value {
        let stolen = self.twist == Twist::StolenDocument;
        let issuer = if stolen { "https://bank.example" } else { self.base.as_str() };
        let tokens = self.astray(Twist::TokensInside, Twist::TokensByName);
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

    fn protocol(&self, token: &str, body: &str) -> Replied {
        let number = token.strip_prefix("Bearer canary-").and_then(|number| number.parse::<usize>().ok());
        if number.is_none() || self.twist == Twist::NeverContent {
            let document = self.astray(Twist::DocumentInside, Twist::DocumentByName);
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
        ("200 OK", IS_JSON.to_owned(), answer.to_string())
    }
}

/// A person who says yes to every page.
#[derive(Clone)]
struct Person {
    house: Arc<House>,
    visits: Arc<AtomicUsize>,
}

impl LoginBrowser for Person {
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

async fn who(remote: &RemoteServer) -> Result<CallToolResult, RemoteServerError> {
    remote.call("who", Map::new(), &ProgressReporter::silent(), &CancellationToken::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_kept_used_by_the_next_process_refreshed_and_forgotten() {
    let (open, folder) = (Open::with(Twist::Nothing).await, tempfile::tempdir().unwrap());
    let logins = LoginStore::new(folder.path().join("logins"));
    let person = open.person();
    let remote = open.remote(LoginSettings::new(person.clone()).keep(logins.clone()));
    assert_eq!(text(&who(&remote).await.unwrap()), "you");
    assert_eq!((person.visits.load(Ordering::Relaxed), open.asked("/register")), (1, 1));
    assert_eq!(open.asked("grant_type=refresh_token"), 1, "the first was as good as over");
    let files: Vec<_> =
        fs::read_dir(folder.path().join("logins")).unwrap().map(|file| file.unwrap().path()).collect();
    let kept = files.iter().find(|file| file.extension().is_some_and(|ending| ending == "json")).unwrap();
    assert!(fs::read_to_string(kept).unwrap().contains("canary-2"), "what the refresh brought");
    let later = open.remote(LoginSettings::remembered(logins.clone()));
    assert_eq!(text(&who(&later).await.unwrap()), "you");
    assert_eq!((open.asked("/register"), open.asked("/token")), (1, 2), "nothing was asked for again");
    assert!(!format!("{later:?} {remote:?}").contains("canary"));
    assert_eq!(logins.forget(&"far".parse().unwrap()).unwrap(), 1);
    let error = who(&open.remote(LoginSettings::remembered(logins))).await.unwrap_err();
    assert!(matches!(&error, RemoteServerError::Login(why) if why.contains("holm mcp test")), "{error}");
}

/// The allowed result of a login that an attacker redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comes {
    /// Nothing, and no code is handed over.
    Nothing,
    /// No login, after codes were exchanged for tokens that the server rejects.
    NothingInTheEnd,
    /// Something, by another way than the one that leads astray.
    SomethingElse,
}

/// The cases of logins for the table of attacks: of which kind, what it is, what is wrong, what comes of it, and how many pages a
/// person sees at most.
pub(crate) fn cases() -> Vec<Case> {
    use Comes::{Nothing, NothingInTheEnd, SomethingElse};
    use Kind::{OauthMixUp, Rebinding, Ssrf};
    let rows = [
        (OauthMixUp, "the answer of another issuer", Twist::AnotherIssuer, Nothing, 1),
        (OauthMixUp, "an answer to nobody's question", Twist::AnotherState, Nothing, 1),
        (OauthMixUp, "the document of another issuer", Twist::StolenDocument, Nothing, 0),
        (OauthMixUp, "the document of another server", Twist::AnotherResource, Nothing, 0),
        (OauthMixUp, "a server that is never content", Twist::NeverContent, NothingInTheEnd, 3),
        (Ssrf, "an issuer inside", Twist::IssuerInside, SomethingElse, 1),
        (Ssrf, "a document inside", Twist::DocumentInside, SomethingElse, 1),
        (Ssrf, "tokens inside", Twist::TokensInside, Nothing, 1),
        (Rebinding, "an issuer whose name leads inside", Twist::IssuerByName, SomethingElse, 1),
        (Rebinding, "a document whose name leads inside", Twist::DocumentByName, SomethingElse, 1),
        (Rebinding, "tokens at a name that leads inside", Twist::TokensByName, Nothing, 1),
    ];
    let own = Case::new(Rebinding, "a server whose own name leads inside", own_name());
    let case = |(kind, name, twist, comes, pages)| Case::new(kind, name, led_astray(twist, comes, pages));
    rows.into_iter().map(case).chain([own]).collect()
}

async fn led_astray(twist: Twist, comes: Comes, pages: usize) {
    let open = Open::with(twist).await;
    let person = open.person();
    let came = who(&open.remote(LoginSettings::new(person.clone()))).await;
    assert_eq!(open.house.touched.load(Ordering::Relaxed), 0, "somebody went inside");
    let visits = person.visits.load(Ordering::Relaxed);
    assert!(visits <= pages, "{visits} pages");
    if matches!(twist, Twist::IssuerByName | Twist::DocumentByName | Twist::TokensByName) {
        assert!(open.liar.0.load(Ordering::Relaxed) > 0, "the name was looked up");
    }
    if comes == Comes::SomethingElse {
        return;
    }
    let error = came.expect_err("a login that was led astray");
    assert!(matches!(error, RemoteServerError::Login(_)), "{error}");
    if comes == Comes::Nothing {
        assert_eq!(open.asked("/token"), 0, "a code was handed over");
    }
}

async fn own_name() {
    let open = Open::with(Twist::Nothing).await;
    let remote = open.remote_at(&open.house.by_name(), LoginSettings::new(open.person()));
    let error = who(&remote).await.unwrap_err();
    assert!(matches!(&error, RemoteServerError::Unreachable(_)), "{error}");
    assert!(open.liar.0.load(Ordering::Relaxed) > 0, "the name was looked up");
    assert_eq!(open.house.touched.load(Ordering::Relaxed), 0, "somebody went inside");
}
