//! Requests that must be refused. The tests try every route of the document, and nothing may
//! change.

use std::time::Duration;

use holm_server::{auth::Role, auth::TokenScope, document};
use serde_json::{Value, json};

use crate::{client::Http, stage::Stage};

/// The routes that answer any client.
const PROBES: [&str; 2] = ["/health/live", "/health/ready"];

/// Every route of the document with its method, with names put in.
fn routes() -> Vec<(String, String)> {
    let document = serde_json::to_value(document()).unwrap();
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        // Has no token and needs none: its messages are signed. `jobs` tries it.
        // Probes have none either, and learn nothing but whether the server works. `admin` tries them.
        if path.starts_with("/hooks/") || PROBES.contains(&path.as_str()) {
            continue;
        }
        let path = path.replace("{id}", "1").replace("{user}", "ada");
        routes
            .extend(methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())));
    }
    routes.push(("POST".into(), "/mcp".into()));
    routes.push(("GET".into(), "/nowhere".into()));
    assert!(routes.len() >= 75, "{} routes: {routes:?}", routes.len());
    routes
}

async fn check(http: &Http, expect: u16) {
    for (method, path) in routes() {
        let reply = http.send(&method, &path, Some("{}")).await;
        assert_eq!(reply.status, expect, "{method} {path}: {reply:?}");
        assert!(reply.head.contains("content-security-policy: default-src 'none'"), "{reply:?}");
        assert!(reply.head.contains("x-content-type-options: nosniff"), "{reply:?}");
    }
}

async fn nothing_changed(stage: &Stage) {
    let http = stage.http();
    assert_eq!(http.get("/api/sessions").await.json()["sessions"], json!([]));
    assert_eq!(http.get("/api/tokens").await.json().as_array().map(Vec::len), Some(1));
    assert!(stage.double.requests().is_empty());
}

fn many(config: &mut holm_server::ServerOptions) {
    config.limits.failures_per_minute = 100_000;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_gets_in_without_a_token_or_with_a_wrong_one() {
    let stage = Stage::with(many).await;
    check(&stage.http().token(None), 401).await;
    check(&stage.http().token(Some("holm_wrong")), 401).await;
    check(&stage.http().token(Some("")), 401).await;
    let told = async |token: Option<&str>| stage.http().token(token).get("/health").await.body;
    assert!(told(None).await.contains("a token is needed"));
    assert!(told(Some("holm_wrong")).await.contains("unknown token"));
    let in_address = format!("/api/sessions?token={}", stage.token.reveal());
    assert_eq!(stage.http().token(None).get(&in_address).await.status, 401);
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_for_another_host_is_turned_away_even_with_the_token() {
    let stage = Stage::with(many).await;
    for host in ["evil.example", "127.0.0.1.evil.example:7417", "localhost.evil.example"] {
        check(&stage.http().header("host", host), 421).await;
    }
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_a_proxy_could_split_elsewhere_is_refused() {
    let stage = Stage::with(many).await;
    let http = stage.http();
    let head = http.head("GET", "/health");
    assert_eq!(http.raw(format!("{head}\r\n").as_bytes()).await.status, 200);
    assert_eq!(http.raw(format!("{head}\n").as_bytes()).await.status, 400, "a bare line feed ends the head");
    assert_eq!(http.raw(format!("{head}x: y\n\r\n").as_bytes()).await.status, 400, "and one in the middle");
    let post = http.head("POST", "/api/sessions");
    let both = "content-type: application/json\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n";
    let reply = http.raw(format!("{post}{both}\r\n2\r\n{{}}\r\n0\r\n\r\n").as_bytes()).await;
    assert_eq!(reply.status, 400, "{reply:?}");
    // The second request of a connection is checked as the first one is.
    let kept = head.replace("connection: close\r\n", "");
    let answers = http.raw(format!("{kept}\r\n{kept}x: y\n\r\n").as_bytes()).await;
    assert!(answers.status == 200 && answers.body.contains("HTTP/1.1 400"), "{answers:?}");
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_names_two_hosts_is_turned_away_whichever_comes_first() {
    let stage = Stage::with(many).await;
    let own = stage.serving.address().to_string();
    for (first, second) in [(&*own, "evil.example"), ("evil.example", &*own), (&*own, &*own)] {
        let http = stage.http().header("host", first).header("host", second);
        check(&http, 400).await;
        assert_eq!(http.get("/health").await.code(), "bad_host", "{first} {second}");
    }
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_is_an_address_elsewhere_is_turned_away_whatever_the_host_header_says() {
    let stage = Stage::with(many).await;
    let own = stage.serving.address();
    let asks = async |target: &str| stage.http().get(target).await.status;
    for other in ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:80@evil.example"] {
        for path in ["/health", "/api/me", "/api/sessions", "/v1/models", "/"] {
            assert_eq!(asks(&format!("http://{other}{path}")).await, 421, "{other}{path}");
        }
        let foreign = stage.http().header("host", other);
        assert_eq!(foreign.get(&format!("http://{own}/health")).await.status, 421, "{other}");
    }
    assert_eq!(asks(&format!("http://{own}/health")).await, 200);
    assert_eq!(asks("http://localhost/health").await, 200);
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_another_origin_is_turned_away_even_with_the_token() {
    let stage = Stage::with(many).await;
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        check(&stage.http().header("origin", origin), 403).await;
    }
    let own = format!("http://{}", stage.serving.address());
    assert_eq!(stage.http().header("origin", &own).get("/health").await.status, 200);
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_of_a_page_changes_nothing() {
    let stage = Stage::new().await;
    let body = r#"{"prompt":"hello"}"#;
    let head = stage.http().head("POST", "/api/sessions");
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let text = format!("{head}content-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        assert_eq!(stage.http().raw(text.as_bytes()).await.status, 415, "{kind}");
    }
    let head = stage.http().head("POST", "/v1/chat/completions");
    let text = format!("{head}content-type: text/plain\r\ncontent-length: 2\r\n\r\n{{}}");
    assert_eq!(stage.http().raw(text.as_bytes()).await.status, 415);
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_is_a_path_names_nothing() {
    let stage = Stage::new().await;
    for id in ["..%2f..%2fetc%2fpasswd", "%2e%2e", ".git", "a%00b", "a%20b", "%ff", &"a".repeat(129)] {
        for path in [format!("/api/sessions/{id}"), format!("/api/sessions/{id}/export")] {
            let status = stage.http().get(&path).await.status;
            assert!(status == 400 || status == 404, "{path}: {status}");
        }
        let made = stage.http().post("/api/sessions", &json!({ "id": format!("../{id}") })).await;
        assert_eq!(made.status, 400, "{made:?}");
    }
    for user in ["../ada", "Ada", ""] {
        let made = stage.http().post("/api/tokens", &json!({ "user": user, "role": "viewer" })).await;
        assert_eq!(made.status, 400, "{made:?}");
    }
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_too_large_or_too_slow_is_refused() {
    let stage = Stage::with(|config| {
        config.limits.body = 1_000;
        config.limits.body_time = Duration::from_millis(200);
    })
    .await;
    let large = json!({ "prompt": "x".repeat(2_000) });
    assert_eq!(stage.http().post("/api/sessions", &large).await.status, 413);
    let head = stage.http().head("POST", "/api/sessions");
    let chunked = format!(
        "{head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n7d0\r\n{}\r\n0\r\n\r\n",
        "x".repeat(2_000)
    );
    assert_eq!(stage.http().raw(chunked.as_bytes()).await.status, 413);
    let slow = format!("{head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{{");
    assert_eq!(stage.http().raw(slow.as_bytes()).await.status, 408);
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_cannot_be_read_is_not_called_too_large() {
    let stage = Stage::new().await;
    let head = stage.http().head("POST", "/api/sessions");
    for chunks in ["zz\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"] {
        let sent =
            format!("{head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{chunks}");
        let reply = stage.http().raw(sent.as_bytes()).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{chunks:?}: {reply:?}");
    }
    nothing_changed(&stage).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_guesses_tokens_is_slowed_down_on_loopback_too() {
    let stage = Stage::with(|config| config.limits.failures_per_minute = 3).await;
    let wrong = stage.http().token(Some("holm_wrong"));
    for _ in 0..3 {
        assert_eq!(wrong.get("/health").await.status, 401);
    }
    let reply = wrong.get("/health").await;
    assert_eq!((reply.status, reply.code().as_str()), (429, "too_many_failures"));
    assert!(reply.head.contains("retry-after: "), "{reply:?}");
    assert_eq!(
        stage.http().get("/health").await.status,
        200,
        "whoever has a token is not locked out by others"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_asks_too_often_waits() {
    let stage = Stage::with(|config| config.limits.requests_per_minute = 2).await;
    let other = stage.as_user("ada", Role::Viewer, TokenScope::All);
    assert_eq!(stage.http().get("/health").await.status, 200);
    assert_eq!(stage.http().get("/health").await.status, 200);
    assert_eq!(stage.http().get("/health").await.status, 429);
    assert_eq!(other.get("/health").await.status, 200, "another token has its own measure");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_served_below_a_base_path_and_nothing_beside_it() {
    let stage = Stage::with(|config| config.base = "/team/holm".parse().unwrap()).await;
    assert_eq!(stage.http().get("/team/holm/health").await.status, 200);
    assert_eq!(stage.http().get("/health").await.status, 404);
    assert_eq!(stage.http().token(None).get("/health").await.status, 401);
    let made = serde_json::to_value(document()).unwrap();
    let given = stage.http().get("/team/holm/api/openapi.json").await.json();
    assert_eq!(given["servers"][0]["url"], Value::from("/team/holm"));
    assert!(given["paths"] == made["paths"], "the document says something else");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_says_nothing_keeps_no_place() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let stage = Stage::with(|config| config.limits.connections = 2).await;
    let address = stage.serving.address();
    let mut silent = Vec::new();
    // Nothing, and the beginning of what both kinds of HTTP begin with.
    for word in ["", "P"] {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(word.as_bytes()).await.unwrap();
        silent.push(stream);
    }
    assert_eq!(stage.http().get("/health").await.status, 200, "there is a place again");
    for mut stream in silent {
        let read = tokio::time::timeout(crate::client::PATIENCE, stream.read(&mut [0; 16])).await.unwrap();
        assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    }
}
