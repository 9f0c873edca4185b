//! Answers that are none, and questions of the server's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holm_mcp::{
    ElicitationHandler, McpServerSpec, McpTransports, ProtocolEra, RemoteServer, RemoteServerError,
    ServerAnswer, ServerQuestion,
};
use holm_net::SystemResolver;
use holm_runtime::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Case, Kind, answers, spoils};
use crate::support::{Asked, IS_JSON, Place, Replied, bind, echo, net, reply, text};

pub(super) fn cases() -> Vec<Case> {
    use Kind::{AsksPerson, IdConfusion, Spoiled};
    let is_deep = "deeper than 127 levels";
    vec![
        Case::new(IdConfusion, "an answer to a question that nobody asked", answers("another-id")),
        Case::new(IdConfusion, "an answer to the question after this one", answers("next-id")),
        Case::new(IdConfusion, "a second answer to the same question", answers("twice-answered")),
        Case::new(IdConfusion, "answers to ids of other types", answers("other-ids")),
        Case::new(IdConfusion, "an answer to the id as a text", answers("text-id")),
        Case::new(IdConfusion, "errors that are nobody's", answers("no-ids")),
        Case::new(IdConfusion, "a question of its own by our id", answers("asks-our-id")),
        Case::new(IdConfusion, "the end of a call that is ours to end", answers("cancels-ours")),
        Case::new(Spoiled, "words that are no messages", answers("garbage")),
        Case::new(Spoiled, "an answer of another shape", spoils("no-shape", "cannot be read")),
        Case::new(Spoiled, "an answer a million deep", spoils("deep-answer", is_deep)),
        Case::new(Spoiled, "an answer of 17 MiB", spoils("huge", "more than 16777216 bytes")),
        Case::new(Spoiled, "an answer that has no end", spoils("endless", "more than 16777216 bytes")),
        Case::new(Spoiled, "a list nine hundred deep over HTTP", deep_over_http(DeepIn::Json)),
        Case::new(Spoiled, "a list nine hundred deep in an event", deep_over_http(DeepIn::Event)),
        Case::new(AsksPerson, "a form that asks for a key", asks_for_a_key()),
        Case::new(AsksPerson, "twenty questions in one call", asks_often()),
        Case::new(AsksPerson, "the use of a model", answers("asks-for-model")),
    ]
}

/// Says yes to everything, and counts how often it was asked.
struct Eager(Arc<AtomicUsize>);

impl ElicitationHandler for Eager {
    fn ask(&self, _: ServerQuestion) -> BoxFuture<'static, ServerAnswer> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let given: Map<String, Value> = [("api_key".to_owned(), "canary".into())].into_iter().collect();
        Box::pin(async move { ServerAnswer::Given(given) })
    }
}

/// A server whose person says yes to everything, with how often they were asked.
fn with_eager(place: &Place, mode: &str) -> (RemoteServer, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let means = place.means().asker(Eager(Arc::clone(&asked)));
    (RemoteServer::new(place.spec("t", mode).era(ProtocolEra::Handshake), means), asked)
}

async fn asks_for_a_key() {
    let place = Place::new();
    let (remote, asked) = with_eager(&place, "asks-for-secrets");
    assert_eq!(text(&echo(&remote, "x").await.unwrap()), r#"{"action": "decline"}"#);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}

async fn asks_often() {
    let place = Place::new();
    let (remote, asked) = with_eager(&place, "asks-often");
    for call in 1..=2 {
        assert_eq!(text(&echo(&remote, "x").await.unwrap()), "8");
        assert_eq!(asked.load(Ordering::Relaxed), 8 * call);
    }
}

/// What the deep list comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeepIn {
    Json,
    Event,
}

impl DeepIn {
    fn answer(self, asked: &Asked) -> Replied {
        if asked.method != "POST" {
            return ("405 Method Not Allowed", String::new(), String::new());
        }
        let request: Value = serde_json::from_str(&asked.body).unwrap();
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "far", "version": "1" },
        });
        let result = match request["method"].as_str().unwrap_or_default() {
            "initialize" => hello.to_string(),
            "tools/list" => {
                let schema = r#"{"not":"#.repeat(900) + "{}" + &"}".repeat(900);
                format!(r#"{{"tools":[{{"name":"deep","inputSchema":{schema}}}]}}"#)
            }
            _ => return ("202 Accepted", String::new(), String::new()),
        };
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"]);
        match self {
            Self::Json => ("200 OK", IS_JSON.into(), answer),
            Self::Event => {
                ("200 OK", "content-type: text/event-stream\r\n".into(), format!("data: {answer}\n\n"))
            }
        }
    }
}

async fn deep_over_http(deep: DeepIn) {
    let listener = bind().await;
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(reply(stream, move |asked| deep.answer(asked)));
        }
    });
    let spec = McpServerSpec::address("far", &url).unwrap().era(ProtocolEra::Handshake);
    let error =
        RemoteServer::new(spec, McpTransports::new().net(net(SystemResolver))).list().await.unwrap_err();
    serving.abort();
    assert!(!matches!(error, RemoteServerError::TimedOut(_)), "{deep:?}: {error}");
    let said = error.to_string();
    assert!(said.contains("deeper than 127") || said.contains("recursion limit"), "{deep:?}: {said}");
}
