//! Secrets are put in on the way out and never enter a guest.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use holm_grants::{CallNeed, GrantPolicy, GrantSet};
use holm_runtime::{SecretRedactor, SecretReveal, Tool, ToolContainment, ToolInvocation};
use holm_sandbox::{GuestHttpRequest, GuestHttpResponse, OutboundError, OutboundFuture, OutboundNetwork};
use holm_tools::wasm::{WasmHost, WasmSettings};

use crate::wasm::kit::{HELP, command, open, sandbox};

/// Writes the length of its words as one byte.
const LENGTH: &str =
    "(i32.store8 (i32.const 24) (local.get $words)) (call $say (i32.const 1) (i32.const 24) (i32.const 1))";

#[tokio::test]
async fn a_guest_sees_the_reference_even_where_its_call_may_use_the_secret() {
    let secrets = SecretRedactor::new().know("github", "hunter2-hunter2".into());
    let settings = WasmSettings { secrets: secrets.clone(), ..WasmSettings::default() };
    let host = WasmHost::new(sandbox(), settings);
    let sidecar = "asks = ['secret:github@api.github.com']";
    let (tool, _) = open(&host, &command(HELP, "", LENGTH), sidecar).unwrap();
    assert_eq!(tool.reveal(), SecretReveal::OnTheWayOut);
    let mut job = ToolInvocation::alone(r#"{"text":"‹secret:github›"}"#);
    job.needs = GrantSet::parse(["secret:github@api.github.com"])
        .unwrap()
        .iter()
        .cloned()
        .map(CallNeed::Grant)
        .collect();
    // The guest tells how long its words are; what it would have told of the secret itself is taken out of every output.
    let output = ToolContainment::new("run").secrets(secrets).contain(Arc::new(tool), job).await;
    assert_eq!(output.text.as_bytes(), [u8::try_from("tool\0‹secret:github›\0".len()).unwrap()]);
}

/// Keeps what would have been sent.
#[derive(Clone, Default)]
struct Sent(Arc<Mutex<Vec<String>>>);

impl OutboundNetwork for Sent {
    fn send<'a>(
        &'a self,
        _: &'a GrantPolicy,
        request: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        let headers =
            request.headers.iter().map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value)));
        self.0.lock().unwrap().extend(headers);
        Box::pin(async { Err(OutboundError::TimedOut) })
    }

    fn resolve<'a>(&'a self, _: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[tokio::test]
async fn a_header_gets_the_secret_only_for_the_host_that_the_grant_names_and_only_encrypted() {
    let sent = Sent::default();
    let secrets = SecretRedactor::only_known().know("github", "say \"hi\" 123".into());
    let settings =
        WasmSettings { secrets, outbound: Some(Arc::new(sent.clone())), ..WasmSettings::default() };
    let host = WasmHost::new(sandbox(), settings);
    let outbound = host.outbound().unwrap();
    let policy = GrantPolicy {
        grants: GrantSet::parse(["fetch:https://*", "secret:github@api.github.com"]).unwrap(),
        ..GrantPolicy::default()
    };
    for (url, expect) in [
        ("https://api.github.com/user", "authorization: Bearer say \"hi\" 123"),
        ("https://evil.example/", "authorization: Bearer ‹secret:github›"),
        ("http://api.github.com/user", "authorization: Bearer ‹secret:github›"),
    ] {
        let request = GuestHttpRequest {
            method: "GET".into(),
            url: url.parse().unwrap(),
            headers: vec![("authorization".into(), "Bearer ‹secret:github›".as_bytes().to_vec())],
            body: Default::default(),
        };
        let _ = outbound.send(&policy, request).await;
        assert_eq!(sent.0.lock().unwrap().pop().unwrap(), expect, "{url}");
    }
}
