//! Agents for MCP clients: each question becomes a normal session.

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::{
    client::{Http, PATIENCE},
    stage::Stage,
};

/// A client that has introduced itself.
async fn client(http: &Http) -> Http {
    let http = http.header("accept", "application/json, text/event-stream");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } } });
    let reply = http.post("/mcp", &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let named = reply.head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
    });
    let http = http.header("mcp-session-id", &named.unwrap()).header("mcp-protocol-version", "2025-06-18");
    let heard = http.post("/mcp", &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    assert_eq!(heard.status, 202, "{heard:?}");
    http
}

/// What comes of a request.
async fn asks(http: &Http, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let reply = http.post("/mcp", &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let messages = reply.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut messages = messages.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    let answer = messages.find(|message| message["id"] == 7);
    answer.unwrap_or_else(|| panic!("no answer in {reply:?}"))["result"].clone()
}

fn call(prompt: &str) -> Value {
    json!({ "name": "ask_holm", "arguments": { "prompt": prompt } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_is_asked_over_mcp_answers_in_a_session_of_the_server() {
    let stage = Stage::new().await;
    let http = client(&stage.http()).await;
    let listed = asks(&http, "tools/list", json!({})).await;
    assert_eq!(listed["tools"][0]["name"], "ask_holm", "{listed}");
    let answer = asks(&http, "tools/call", call("hello")).await;
    assert_eq!(answer["content"][0]["text"], "you said hello", "{answer}");
    let sessions = stage.http().get("/api/sessions").await.json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1, "{sessions}");
    // The session is unattended, so no user can approve the call.
    let answer = asks(&http, "tools/call", call("touch")).await;
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("nobody answered"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_over_mcp_keeps_to_its_users_budget() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    stage.http().post("/api/users/ada/budget", &json!({ "nano_usd": 20 })).await;
    let http = client(&ada).await;
    // Its first reply costs 26.
    let answer = asks(&http, "tools/call", call("touch")).await;
    assert_eq!(answer["isError"], true, "{answer}");
    let refused = http.post("/mcp", &json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await;
    assert_eq!((refused.status, refused.code().as_str()), (402, "over_budget"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_is_taken_back_ends_its_streams_and_its_runs_and_nobody_elses() {
    let stage = Stage::new().await;
    let token = stage.as_user("owner", Role::Operator, TokenScope::All);
    let number = token.get("/api/me").await.json()["token"].as_u64().unwrap();
    let (http, other) = (client(&token).await, client(&stage.http()).await);
    let mut stream = http.listen("/mcp").await;
    let asking = http.clone();
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call("stall") });
    let asking = tokio::spawn(async move { asking.post("/mcp", &body).await });
    stage.until_asked(1).await;
    assert_eq!(stage.http().send("DELETE", &format!("/api/tokens/{number}"), Some("{}")).await.status, 204);
    assert_eq!(stream.next().await, None, "the stream has ended");
    let double = std::sync::Arc::clone(&stage.double);
    let left = tokio::task::spawn_blocking(move || double.wait_until_left(1, PATIENCE)).await.unwrap();
    assert!(left, "the provider is asked no more");
    asking.await.unwrap();
    assert_eq!(http.post("/mcp", &json!({})).await.status, 401);
    let answer = asks(&other, "tools/call", call("hello")).await;
    assert_eq!(answer["content"][0]["text"], "you said hello", "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_token_does_not_speak_in_the_conversation_of_another() {
    let stage = Stage::new().await;
    let http = client(&stage.http()).await;
    let other = stage.as_user("owner", Role::Operator, TokenScope::All);
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {} });
    let refused = http.token(other.token.as_deref()).post("/mcp", &body).await;
    assert_eq!(refused.status, 404, "{refused:?}");
}
