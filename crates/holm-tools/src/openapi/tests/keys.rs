//! Keys: whom they reach, and that nothing ever shows them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holm_kernel::{Outcome, ToolOutput};

use super::server::{SeenRequest, Server, answer, json};
use super::{Keys, call, document, net, tools_with};
use crate::openapi::{OpenApiCredential, OpenApiToolbox, host_key_name};

const PATHS: &str =
    r#"{"/a": {"get": {"operationId": "a"}}, "/open": {"get": {"operationId": "open", "security": []}}}"#;
const KEY: &str = "a-key-that-nobody-sees";

/// A server that repeats all that it was sent.
async fn echo() -> Server {
    Server::answering(|seen| {
        let text = format!("{} {:?}", seen.target, seen.headers).replace('"', "'");
        json(&format!("\"{text}\""))
    })
    .await
}

/// Calls with this sidecar and a key that is stored for the server.
async fn called(server: &Server, sidecar: &str) -> (ToolOutput, SeenRequest) {
    let keys = Keys(vec![
        (server.address.to_string(), KEY.to_owned()),
        (format!("two@{}", server.address), "second-key-of-it".to_owned()),
    ]);
    let found = tools_with(&document(&server.url(), PATHS), sidecar, keys).unwrap();
    (call(&found, "shop_a", "{}").await, server.last())
}

#[tokio::test]
async fn a_key_is_sent_as_its_kind_says_and_is_in_no_output() {
    let server = echo().await;
    let check = |seen: &SeenRequest, header: &str, value: &str| assert_eq!(seen.header(header), Some(value));
    let (output, seen) = called(&server, "[api]\nauth.kind = 'bearer'").await;
    check(&seen, "authorization", &format!("Bearer {KEY}"));
    assert!(output.outcome == Outcome::Succeeded && !output.text.contains(KEY), "{output:?}");
    let (output, seen) = called(&server, "[api.auth]\nkind = 'header'\nname = 'X-Key'\nlabel = 'two'").await;
    check(&seen, "x-key", "second-key-of-it");
    assert!(!output.text.contains("second-key"), "{}", output.text);
    let (output, seen) = called(&server, "[api.auth]\nkind = 'query'\nname = 'api_key'").await;
    assert_eq!(seen.target, format!("/a?api_key={KEY}"));
    assert!(!output.text.contains(KEY), "{}", output.text);
    let (output, seen) = called(&server, "[api]\nauth.kind = 'basic'").await;
    check(&seen, "authorization", "Basic YS1rZXktdGhhdC1ub2JvZHktc2Vlcw==");
    assert!(!output.text.contains("YS1rZXktdGhhdC1ub2JvZHktc2Vlcw"), "{}", output.text);
    let settings =
        format!("[api]\nserver = '{}'\nauth.kind = 'bearer'\nauth.key_env = 'API_KEY'", server.url());
    let (_, seen) = called(&server, &settings).await;
    check(&seen, "authorization", "Bearer key-of-the-environment");
}

#[tokio::test]
async fn a_key_belongs_to_one_host_and_a_missing_one_names_the_command_that_stores_it() {
    let server = echo().await;
    let sidecar = "[api]\nauth.kind = 'bearer'";
    let keys =
        Keys(vec![("127.0.0.1".to_owned(), KEY.to_owned()), ("api.example.com".to_owned(), KEY.to_owned())]);
    let found = tools_with(&document(&server.url(), PATHS), sidecar, keys).unwrap();
    let output = call(&found, "shop_a", "{}").await;
    let name = server.address;
    assert_eq!(
        output.text,
        format!("no key is stored for {name}; the user stores one with `holm keys add {name}`")
    );
    assert!(server.seen().is_empty());
    // An operation that says that it takes no key gets none.
    assert_eq!(call(&found, "shop_open", "{}").await.outcome, Outcome::Succeeded);
    assert_eq!(server.last().header("authorization"), None);
    // A key never goes over an open connection to another machine.
    let keys = Keys(vec![("far.example".to_owned(), KEY.to_owned())]);
    let found = tools_with(&document("http://far.example", PATHS), sidecar, keys).unwrap();
    let output = call(&found, "shop_a", "{}").await;
    assert!(output.text.contains("the connection would not be encrypted"), "{}", output.text);
}

#[tokio::test]
async fn the_document_says_how_a_stored_key_is_sent_and_a_refusal_names_the_missing_one() {
    let server = Server::answering(|seen| match seen.header("x-shop") {
        Some(_) => json("1"),
        None => answer("401 Unauthorized", &[], ""),
    })
    .await;
    let text = document(&server.url(), PATHS).replacen(
        '{',
        r#"{"components": {"securitySchemes": {"s": {"type": "apiKey", "in": "header", "name": "X-Shop"}}}, "#,
        1,
    );
    let found = tools_with(&text, "", Keys::default()).unwrap();
    let refused = call(&found, "shop_a", "{}").await.text;
    assert!(
        refused.contains(&format!("the user can store one with `holm keys add {}`", server.address)),
        "{refused}"
    );
    let keys = Keys(vec![(server.address.to_string(), KEY.to_owned())]);
    let found = tools_with(&text, "", keys).unwrap();
    assert_eq!(call(&found, "shop_a", "{}").await.text, "1");
}

#[tokio::test]
async fn a_redirect_to_another_origin_takes_no_key_along() {
    let other = Server::answering(|_| json("\"there\"")).await;
    let location = format!("{}/a", other.url());
    let server = Server::answering(move |_| answer("302 Found", &[("location", &location)], "")).await;
    let keys = Keys(vec![(server.address.to_string(), KEY.to_owned())]);
    let sidecar = "[api.auth]\nkind = 'header'\nname = 'X-Key'";
    let found = tools_with(&document(&server.url(), PATHS), sidecar, keys).unwrap();
    let tool = &found.offers[0].tool;
    // Even if the other server was granted too.
    let mut job = holm_runtime::ToolInvocation::alone("{}");
    let grant = |url: &str| holm_grants::CallNeed::Grant(format!("fetch:{url}").parse().unwrap());
    job.needs = Arc::from([grant(&server.url()), grant(&other.url())]);
    assert_eq!(tool.run(job).await.text, "\"there\"");
    assert_eq!(server.last().header("x-key"), Some(KEY));
    assert_eq!(other.last().header("x-key"), None);
}

#[tokio::test]
async fn client_credentials_get_one_token_for_many_calls_and_a_refused_one_is_renewed() {
    let (tokens, refuse) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, refusing) = (Arc::clone(&tokens), Arc::clone(&refuse));
    let server = Server::answering(move |seen| {
        if seen.target == "/token" {
            assert_eq!(seen.body, "grant_type=client_credentials&scope=read%20write");
            assert_eq!(seen.header("authorization"), Some("Basic bWU6dGhlLWNsaWVudHMtc2VjcmV0"));
            let number = count.fetch_add(1, Ordering::SeqCst);
            return json(&format!(r#"{{"access_token": "token-number-{number}", "expires_in": 3600}}"#));
        }
        if refusing.load(Ordering::SeqCst) == 1 {
            return answer("401 Unauthorized", &[("content-type", "text/plain")], "old");
        }
        json(&format!("\"{}\"", seen.header("authorization").unwrap_or_default()))
    })
    .await;
    let sidecar = format!(
        "[api.auth]\nkind = 'oauth'\ntoken_url = '{}/token'\nclient_id = 'me'\nscope = 'read write'",
        server.url()
    );
    let keys = Keys(vec![(server.address.to_string(), "the-clients-secret".to_owned())]);
    let found = tools_with(&document(&server.url(), PATHS), &sidecar, keys).unwrap();
    for _ in 0..3 {
        let output = call(&found, "shop_a", "{}").await;
        assert!(output.outcome == Outcome::Succeeded && !output.text.contains("token-number"), "{output:?}");
    }
    assert_eq!(tokens.load(Ordering::SeqCst), 1);
    assert_eq!(server.last().header("authorization"), Some("Bearer token-number-0"));
    refuse.store(1, Ordering::SeqCst);
    assert_eq!(call(&found, "shop_a", "{}").await.outcome, Outcome::Failed);
    refuse.store(0, Ordering::SeqCst);
    assert_eq!(call(&found, "shop_a", "{}").await.outcome, Outcome::Succeeded);
    assert_eq!(server.last().header("authorization"), Some("Bearer token-number-1"));
}

#[tokio::test]
async fn keys_that_came_with_a_document_reach_its_server_only() {
    let (server, other) = (echo().await, echo().await);
    let paths = format!(
        r#"{{"/a": {{"get": {{"operationId": "a"}}}}, "/b": {{"get": {{"operationId": "b", "servers": [{{"url": "{}"}}]}}}}}}"#,
        other.url()
    );
    let given = |name: &str, is_query| OpenApiCredential {
        name: name.into(),
        is_query,
        value: format!("Token {KEY}").into(),
        secret: KEY.into(),
    };
    let found = OpenApiToolbox::new("shop", net(), Arc::new(Keys::default()))
        .given(vec![given("Authorization", false), given("k", true)])
        .tools(document(&server.url(), &paths).as_bytes())
        .unwrap();
    let output = call(&found, "shop_a", "{}").await;
    assert!(output.outcome == Outcome::Succeeded && !output.text.contains(KEY), "{output:?}");
    assert_eq!(server.last().header("authorization"), Some(format!("Token {KEY}").as_str()));
    assert_eq!(server.last().target, format!("/a?k=Token%20{KEY}"));
    assert_eq!(call(&found, "shop_b", "{}").await.outcome, Outcome::Succeeded);
    assert_eq!((other.last().header("authorization"), other.last().target.as_str()), (None, "/b"));
}

#[test]
fn the_name_of_a_key_is_a_host_and_nothing_else() {
    let check =
        |text: &str, expect: Option<&str>| assert_eq!(host_key_name(text).as_deref(), expect, "{text}");
    check("api.example.com", Some("api.example.com"));
    check("API.example.com:443", Some("api.example.com"));
    check("http://127.0.0.1:80/x", Some("127.0.0.1"));
    check("a-b@localhost", Some("a-b@localhost"));
    for text in ["anthropic", "a b.example", "a/b@x.example", "", "@x.example"] {
        check(text, None);
    }
}
