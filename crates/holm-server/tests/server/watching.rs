//! Watchers that connect, leave and reconnect miss nothing and see nothing twice.

use futures::StreamExt as _;
use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};
use tokio_tungstenite::{
    connect_async,
    tungstenite::{Message, client::IntoClientRequest as _, http::HeaderValue},
};

use crate::{
    client::{Heard, Http, PATIENCE},
    stage::{LONG, Stage},
};

fn events(heard: &[Heard]) -> Vec<(String, Value)> {
    let events = heard.iter().filter(|heard| heard.name == "event");
    events.map(|heard| (heard.id.clone(), heard.data.clone())).collect()
}

/// The text that the pieces of a reply make up, each where its offset says.
fn pieces(heard: &[Heard]) -> String {
    let mut text = String::new();
    for heard in heard.iter().filter(|heard| heard.name == "delta" && heard.data["kind"] == "text") {
        assert_eq!(heard.data["offset"], text.len(), "no piece is missing and none comes twice");
        text.push_str(heard.data["text"].as_str().unwrap());
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_back_at_any_event_gets_the_rest_and_nothing_twice() {
    let stage = Stage::new().await;
    let http = stage.http();
    let id = http.ended("long").await;
    let path = format!("/api/sessions/{id}/events");
    let all = events(&http.listen(&path).await.until("group_ended").await);
    assert!(all.len() > 3);
    for (index, (cursor, _)) in all.iter().enumerate().take(all.len() - 1) {
        let again = http.listen(&format!("{path}?after={cursor}")).await.until("group_ended").await;
        assert_eq!(events(&again), all[index + 1..], "after {cursor}");
        let again = http.header("last-event-id", cursor).listen(&path).await.until("group_ended").await;
        assert_eq!(events(&again), all[index + 1..], "after {cursor} by its header");
    }
    assert_eq!(http.get(&format!("{path}?after=x")).await.code(), "bad_cursor");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_back_within_a_reply_gets_the_rest_of_it() {
    let stage = Stage::new().await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "one", "prompt": "stall" })).await;
    let path = "/api/sessions/one/events";
    let mut first = http.listen(path).await;
    let mut heard = Vec::new();
    // Half of the text comes, then nothing more.
    while pieces(&heard).len() < 20 {
        heard.push(first.next().await.unwrap());
    }
    let (before, cursor) = (pieces(&heard), heard.last().unwrap().id.clone());
    assert!(LONG.starts_with(&before) && cursor.contains('/'), "{cursor}");
    drop(first);
    // A new watcher receives everything, and one that resumes receives the same rest.
    let mut fresh = http.listen(path).await;
    let mut new = Vec::new();
    while pieces(&new).len() < before.len() {
        new.push(fresh.next().await.unwrap());
    }
    let text = pieces(&new);
    let mut back = http.listen(&format!("{path}?after={cursor}")).await;
    http.post("/api/sessions/one/cancel", &json!({})).await;
    let rest = back.until("group_ended").await;
    let more: String = rest
        .iter()
        .filter(|heard| heard.name == "delta")
        .map(|heard| heard.data["text"].as_str().unwrap())
        .collect();
    let joined = format!("{before}{more}");
    assert!(LONG.starts_with(&joined) && joined.len() >= text.len(), "{joined} / {text}");
    assert!(!events(&rest).iter().any(|(_, data)| data["event"]["model_called"].is_object()), "seen before");
}

async fn socket(
    http: &Http,
    path: &str,
    change: impl FnOnce(&mut tokio_tungstenite::tungstenite::http::HeaderMap),
) -> Result<tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>, u16>
{
    let mut request = format!("ws://{}{path}", http.address).into_client_request().unwrap();
    let token = http.token.as_deref().unwrap_or_default();
    let protocols = HeaderValue::from_str(&format!("holm, holm.bearer.{token}")).unwrap();
    request.headers_mut().insert("sec-websocket-protocol", protocols);
    change(request.headers_mut());
    match tokio::time::timeout(PATIENCE, connect_async(request)).await.unwrap() {
        Ok((socket, _)) => Ok(socket),
        Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_tells_what_the_events_tell() {
    let stage = Stage::new().await;
    let http = stage.http();
    let id = http.ended("long").await;
    let all = events(&http.listen(&format!("/api/sessions/{id}/events")).await.until("group_ended").await);
    let (after, rest) = (&all[1].0, &all[2..]);
    let mut socket =
        socket(&http, &format!("/api/sessions/{id}/socket?after={after}"), |_| {}).await.unwrap();
    let mut told = Vec::new();
    while told.len() < rest.len() {
        let message = tokio::time::timeout(PATIENCE, socket.next()).await.unwrap().unwrap().unwrap();
        let Message::Text(text) = message else { continue };
        let frame: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(frame["type"], "event");
        told.push((frame["id"].as_str().unwrap().to_owned(), frame["data"].clone()));
    }
    assert_eq!(told, rest);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_of_another_site_is_not_opened() {
    let stage = Stage::new().await;
    let http = stage.http();
    let id = http.ended("hello").await;
    let path = format!("/api/sessions/{id}/socket");
    let with = |name: &'static str, value: &'static str| {
        move |headers: &mut tokio_tungstenite::tungstenite::http::HeaderMap| {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    for origin in ["https://evil.example", "null", "http://localhost.evil", "http://127.0.0.1.evil"] {
        assert_eq!(socket(&http, &path, with("origin", origin)).await.unwrap_err(), 403, "{origin}");
    }
    assert_eq!(socket(&http, &path, with("host", "evil.example")).await.unwrap_err(), 421);
    assert_eq!(socket(&http.token(Some("holm_wrong")), &path, |_| {}).await.unwrap_err(), 401);
    assert_eq!(http.get(&path).await.status, 426, "a plain request is told to ask for a socket");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watcher_whose_token_is_taken_back_sees_no_more() {
    let stage = Stage::new().await;
    let id = stage.http().ended("hello").await;
    let viewer = stage.as_user("owner", Role::Viewer, TokenScope::All);
    let mut listening = viewer.listen(&format!("/api/sessions/{id}/events")).await;
    listening.until("group_ended").await;
    let number = viewer.get("/api/me").await.json()["token"].as_u64().unwrap();
    assert_eq!(stage.http().send("DELETE", &format!("/api/tokens/{number}"), Some("{}")).await.status, 204);
    assert_eq!(listening.next().await.unwrap().name, "closed");
    assert!(listening.next().await.is_none());
    assert_eq!(viewer.get("/api/me").await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_keeps_its_place_among_the_connections() {
    let stage = Stage::with(|config| config.limits.connections = 2).await;
    let http = stage.http();
    let id = http.ended("hello").await;
    let path = format!("/api/sessions/{id}/socket");
    let (one, two) =
        (socket(&http, &path, |_| {}).await.unwrap(), socket(&http, &path, |_| {}).await.unwrap());
    let third = tokio::spawn(async move { http.get("/health").await.status });
    // However long this is, the third has no place before one of the others has gone.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!third.is_finished(), "there is no place for a third");
    drop((one, two));
    assert_eq!(third.await.unwrap(), 200);
}
