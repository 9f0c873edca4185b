//! The guest that fetches: over `wasi:http`, where each hop is decided.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use holm_grants::GrantPolicy;
use holm_kernel::Outcome;
use holm_sandbox::{GuestHttpRequest, GuestHttpResponse, OutboundError, OutboundFuture, OutboundNetwork};

use crate::guests::kit::Scene;

/// A way out that answers from memory: `/away` leads to another host, the rest answers with what it was sent.
#[derive(Default)]
struct Memory {
    asked: Mutex<Vec<String>>,
}

impl OutboundNetwork for Memory {
    fn send<'a>(
        &'a self,
        _: &'a GrantPolicy,
        request: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        Box::pin(async move {
            let url = request.url.to_string();
            self.asked.lock().unwrap().push(format!("{} {url}", request.method));
            let (status, name, value) = if url.ends_with("/away") {
                (302, "location", "https://other.example/")
            } else {
                (200, "content-type", "text/plain")
            };
            let said = format!("{} bytes from {url}", request.body.len());
            let headers = vec![(name.to_owned(), value.as_bytes().to_vec())];
            Ok(GuestHttpResponse { status, headers, body: Box::new(Some(Bytes::from(said))) })
        })
    }

    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        Box::pin(async move { Err(OutboundError::NoSuchHost(name.to_owned())) })
    }
}

#[tokio::test]
async fn a_granted_page_is_fetched_and_another_host_is_not() {
    let network = Arc::new(Memory::default());
    let scene = Scene::with_network(network.clone());
    let grants = ["fetch:https://api.example"];
    let text = scene.ask("fetch", r#"{"url":"https://api.example/x?y=1"}"#, &grants).await;
    assert_eq!(
        text.trim_end(),
        "HTTP 200\ncontent-type: text/plain\n\n0 bytes from https://api.example/x?y=1"
    );
    let text = scene
        .ask("fetch", r#"{"url":"https://api.example/p","method":"POST","body":"12345"}"#, &grants)
        .await;
    assert!(text.contains("5 bytes from https://api.example/p"), "{text}");
    for url in ["https://api.example/away", "https://evil.example/", "http://api.example/"] {
        let output = scene.call("fetch", &format!(r#"{{"url":"{url}"}}"#), &grants).await;
        assert_eq!(output.outcome, Outcome::Failed, "{url}: {}", output.text);
        assert!(output.text.contains("missing grant fetch:"), "{url}: {}", output.text);
    }
    let asked = network.asked.lock().unwrap().clone();
    assert_eq!(
        asked,
        ["GET https://api.example/x?y=1", "POST https://api.example/p", "GET https://api.example/away"]
    );
}
