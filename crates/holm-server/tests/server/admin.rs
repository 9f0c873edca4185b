//! Users, roles, scopes, budgets and the audit log.

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::{
    client::{Http, until},
    stage::Stage,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_sees_nothing_of_another() {
    let stage = Stage::new().await;
    let (owner, ada) = (stage.http(), stage.as_user("ada", Role::Admin, TokenScope::All));
    let id = owner.ended("hello").await;
    assert_eq!(ada.get("/api/sessions").await.json()["sessions"], json!([]));
    for path in ["", "/replay", "/export", "/events", "/questions"] {
        let reply = ada.get(&format!("/api/sessions/{id}{path}")).await;
        assert_eq!(reply.status, 404, "{path}: {reply:?}");
    }
    let text = json!({ "text": "hi" });
    assert_eq!(ada.post(&format!("/api/sessions/{id}/prompt"), &text).await.status, 404);
    assert_eq!(ada.post(&format!("/api/sessions/{id}/fork"), &json!({ "at": 1 })).await.status, 404);
    assert_eq!(ada.send("DELETE", &format!("/api/sessions/{id}"), Some("{}")).await.status, 404);
    assert_eq!(ada.get("/api/search?q=hello").await.json(), json!([]));
    assert_eq!(ada.get("/api/usage").await.json()["lines"], json!([]));
    std::fs::write(stage.workspace("owner").join("notes.txt"), "mine").unwrap();
    assert_eq!(ada.get("/api/files?path=notes.txt").await.status, 404);
    // The same name of another user is a different session.
    let made = ada.post("/api/sessions", &json!({ "id": id })).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(owner.get(&format!("/api/sessions/{id}")).await.json()["title"], "hello");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_does_what_it_may_and_no_more() {
    let stage = Stage::new().await;
    let id = stage.http().ended("hello").await;
    let text = json!({ "text": "hi" });
    let check = async |http: &Http, expect: [u16; 4]| {
        let seen = [
            http.get(&format!("/api/sessions/{id}")).await.status,
            http.post("/api/sessions", &json!({})).await.status,
            http.get("/api/tokens").await.status,
            http.get("/api/audit").await.status,
        ];
        assert_eq!(seen, expect);
    };
    check(&stage.as_user("owner", Role::Viewer, TokenScope::All), [200, 403, 403, 403]).await;
    check(&stage.as_user("owner", Role::Operator, TokenScope::All), [200, 201, 403, 403]).await;
    check(&stage.as_user("owner", Role::Admin, TokenScope::All), [200, 201, 200, 200]).await;
    let viewer = stage.as_user("owner", Role::Viewer, TokenScope::All);
    for (path, body) in
        [("prompt", &text), ("steer", &text), ("cancel", &json!({})), ("fork", &json!({ "at": 1 }))]
    {
        assert_eq!(viewer.post(&format!("/api/sessions/{id}/{path}"), body).await.status, 403, "{path}");
    }
    let chat = json!({ "model": "holm", "messages": [{ "role": "user", "content": "hi" }] });
    assert_eq!(viewer.post("/v1/chat/completions", &chat).await.status, 403);
    let operator = stage.as_user("owner", Role::Operator, TokenScope::All);
    assert_eq!(operator.post("/api/tokens", &json!({ "user": "eve", "role": "admin" })).await.status, 403);
    assert_eq!(operator.post("/api/keys", &json!({ "provider": "openai", "key": "x" })).await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_for_one_session_is_for_no_other() {
    let stage = Stage::new().await;
    let (one, other) = (stage.http().ended("hello").await, stage.http().ended("world").await);
    let body = json!({ "user": "owner", "role": "operator", "sessions": [one] });
    let made = stage.http().post("/api/tokens", &body).await.json();
    let http = Http::new(stage.serving.address(), made["token"].as_str().unwrap());
    assert_eq!(http.get(&format!("/api/sessions/{one}")).await.status, 200);
    let listed = http.get("/api/sessions").await.json();
    assert_eq!(listed["sessions"].as_array().map(Vec::len), Some(1));
    for path in ["", "/replay", "/export", "/events", "/questions"] {
        assert_eq!(http.get(&format!("/api/sessions/{other}{path}")).await.status, 404, "{path}");
    }
    assert_eq!(
        http.post(&format!("/api/sessions/{other}/prompt"), &json!({ "text": "x" })).await.status,
        404
    );
    assert_eq!(http.post("/api/sessions", &json!({})).await.status, 403);
    assert_eq!(http.post(&format!("/api/sessions/{one}/fork"), &json!({ "at": 1 })).await.status, 403);
    assert_eq!(http.get("/api/files?path=x").await.status, 403);
    assert_eq!(http.get("/api/usage").await.status, 403);
    assert_eq!(http.get("/api/search?q=world").await.json(), json!([]));
    let chat = json!({ "model": "holm", "messages": [{ "role": "user", "content": "hi" }] });
    assert_eq!(http.post("/v1/chat/completions", &chat).await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_for_some_sessions_administers_nothing_whatever_its_role() {
    let stage = Stage::new().await;
    let scope = TokenScope::Only(["one".parse().unwrap()].into());
    let http = stage.as_user("owner", Role::Admin, scope);
    let new = json!({ "user": "owner", "role": "admin" });
    assert_eq!(http.post("/api/tokens", &new).await.status, 403);
    assert_eq!(http.post("/api/users/owner/budget", &json!({ "nano_usd": null })).await.status, 403);
    assert_eq!(http.post("/api/keys", &json!({ "provider": "openai", "key": "x" })).await.status, 403);
    assert_eq!(http.send("DELETE", "/api/tokens/0", Some("{}")).await.status, 403);
    for path in ["/api/tokens", "/api/audit", "/api/keys"] {
        assert_eq!(http.get(path).await.status, 403, "{path}");
    }
    assert_eq!(stage.http().get("/api/tokens").await.json().as_array().map(Vec::len), Some(2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_token_that_administers_cannot_be_taken_back() {
    let stage = Stage::new().await;
    let http = stage.http();
    let number = http.get("/api/me").await.json()["token"].as_u64().unwrap();
    let path = format!("/api/tokens/{number}");
    stage.as_user("ada", Role::Operator, TokenScope::All);
    stage.as_user("owner", Role::Admin, TokenScope::Only(["s-1".parse().unwrap()].into()));
    let refused = http.send("DELETE", &path, Some("{}")).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "last_admin"));
    let other = stage.as_user("owner", Role::Admin, TokenScope::All);
    assert_eq!(other.send("DELETE", &path, Some("{}")).await.status, 204);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_has_nothing_left_to_spend_starts_nothing() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    let path = "/api/users/ada/budget";
    assert_eq!(ada.post(path, &json!({ "nano_usd": 1 })).await.status, 403);
    assert_eq!(stage.http().post(path, &json!({ "nano_usd": 0 })).await.status, 204);
    let refused = ada.post("/api/sessions", &json!({ "prompt": "hello" })).await;
    assert_eq!((refused.status, refused.code().as_str()), (402, "over_budget"));
    assert!(stage.double.requests().is_empty());
    assert_eq!(ada.get("/api/sessions").await.json()["sessions"], json!([]), "nothing is left of it");
    assert_eq!(stage.http().post(path, &json!({ "nano_usd": null })).await.status, 204);
    ada.ended("hello").await;
    assert_eq!(stage.http().post("/api/users/nobody/budget", &json!({})).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_and_refused_is_written_down_without_what_was_said() {
    let stage = Stage::new().await;
    let http = stage.http();
    let id = http.ended("a secret plan").await;
    http.token(Some("holm_wrong")).get("/api/sessions?token=holm_leaked").await;
    let log = http.get("/api/audit").await.body;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        lines
            .iter()
            .any(|line| line["user"] == "owner" && line["path"] == "/api/sessions" && line["status"] == 201)
    );
    assert!(lines.iter().any(|line| line["user"].is_null() && line["status"] == 401), "{log}");
    for hidden in ["a secret plan", stage.token.reveal(), "holm_wrong", "holm_leaked"] {
        assert!(!log.contains(hidden), "{hidden} in {log}");
    }
    assert!(!id.is_empty());
    let kept = std::fs::read_to_string(stage.file("audit.jsonl")).unwrap();
    assert!(kept.starts_with(&log), "what is given is what is kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_tries_what_their_role_forbids_is_written_down_by_name() {
    let stage = Stage::new().await;
    let viewer = stage.as_user("ada", Role::Viewer, TokenScope::All);
    assert_eq!(viewer.post("/api/sessions", &json!({})).await.status, 403);
    let log = stage.http().get("/api/audit").await.body;
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(lines.into_iter().any(|line| line["user"] == "ada" && line["status"] == 403), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_does_not_fill_the_log() {
    let stage = Stage::new().await;
    let stranger = stage.http().token(None).header("host", "evil.example");
    for _ in 0..600 {
        assert_eq!(stranger.get("/health").await.status, 421);
    }
    let log = stage.http().get("/api/audit").await.body;
    let lines = log.lines().filter(|line| line.contains("421")).count();
    // Some are let through again while time passes.
    assert!((100..500).contains(&lines), "{lines}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_leaves_before_the_answer_is_written_down_too() {
    use tokio::io::AsyncWriteExt as _;
    let stage = Stage::new().await;
    let http = stage.http();
    let body = json!({ "model": "holm", "messages": [{ "role": "user", "content": "stall" }] }).to_string();
    let head = http.head("POST", "/v1/chat/completions").replace("connection: close\r\n", "");
    let text =
        format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let mut stream = tokio::net::TcpStream::connect(http.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stage.until_asked(1).await;
    drop(stream);
    let is_it = |line: &str| line.contains("/v1/chat/completions") && line.contains("\"status\":499");
    until("a line about it", async || http.get("/api/audit").await.body.lines().any(is_it)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_are_counted() {
    let stage = Stage::new().await;
    stage.http().ended("hello").await;
    // The end of a run is reported before its task is gone.
    let rests =
        async || stage.http().get("/metrics").await.body.lines().any(|line| line == "holm_runs_working 0");
    until("the run is at rest", rests).await;
    let text = stage.http().get("/metrics").await.body;
    for line in [
        "holm_prompts_total 1",
        "holm_tokens_in_total 11",
        "holm_sessions_open 1",
        "holm_runs_working 0",
        "holm_users 1",
        "holm_model_call_duration_seconds_count 1",
        "holm_prompts_ended_total{ending=\"answered\"} 1",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} in {text}");
    }
    stage.http().ended("fail").await;
    let text = stage.http().get("/metrics").await.body;
    for line in [
        "holm_model_failures_total{class=\"bad_request\"} 1",
        "holm_prompts_ended_total{ending=\"failed\"} 1",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} in {text}");
    }
    assert_eq!(stage.http().get("/health").await.json()["status"], "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn probes_need_no_token_and_no_host_name_and_learn_nothing_else() {
    let stage = Stage::new().await;
    let probe = stage.http().token(None).header("host", "10.0.0.7:7417");
    for path in ["/health/live", "/health/ready"] {
        let reply = probe.get(path).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, r#"{"status":"ok"}"#), "{path}");
        assert_eq!(probe.send("POST", path, None).await.status, 405, "{path}");
    }
    assert_eq!(stage.http().token(None).get("/health").await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_has_nothing_left_to_spend_is_not_served_by_mcp_either() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    stage.http().post("/api/users/ada/budget", &json!({ "nano_usd": 0 })).await;
    let ada = ada.header("accept", "application/json, text/event-stream");
    let refused = ada.post("/mcp", &json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
    assert_eq!((refused.status, refused.code().as_str()), (402, "over_budget"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mcp_is_spoken_to_whoever_has_a_token() {
    let stage = Stage::new().await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } } });
    let http = stage.http().header("accept", "application/json, text/event-stream");
    let reply = http.post("/mcp", &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.body.contains("serverInfo"), "{reply:?}");
}
