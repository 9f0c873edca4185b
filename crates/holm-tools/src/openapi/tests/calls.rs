//! Calls to a server on this machine: what is reached, what a model reads, and what is refused.

use holm_kernel::Outcome;

use super::server::{Server, answer, json};
use super::{call, document, tools};

const PATHS: &str = r#"{
  "/items": {
    "get": {"operationId": "list", "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}, {"name": "q", "in": "query", "schema": {"type": "string"}}]},
    "post": {"operationId": "add", "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}}
  },
  "/items/{id}": {
    "get": {"operationId": "get", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]},
    "delete": {"operationId": "del", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]},
    "head": {"operationId": "look", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}
  }
}"#;

#[tokio::test]
async fn a_call_sends_its_request_and_the_model_reads_the_answer() {
    let server = Server::answering(|seen| match (seen.method.as_str(), seen.target.as_str()) {
        ("GET", "/items?page=2") => json("[1,2]"),
        ("POST", "/items") => {
            answer("201 Created", &[("content-type", "application/problem+json")], &seen.body)
        }
        ("DELETE", "/items/a%2Fb") => answer("204 No Content", &[], ""),
        ("HEAD", _) => "HTTP/1.1 200 OK\r\ncontent-length: 0\r\netag: \"e1\"\r\n\r\n".to_owned(),
        ("GET", "/items/pic") => answer("200 OK", &[("content-type", "image/png")], "PNG"),
        ("GET", "/items/page") => answer("200 OK", &[("content-type", "text/html")], "<h1>Hi</h1>"),
        _ => answer("404 Not Found", &[("content-type", "application/json")], r#"{"message":"gone"}"#),
    })
    .await;
    let found = tools(&document(&server.url(), PATHS)).unwrap();
    assert_eq!(call(&found, "shop_list", r#"{"page": 2}"#).await.text, "[1,2]");
    assert_eq!(call(&found, "shop_add", r#"{"body": {"b": 1, "a": "é"}}"#).await.text, r#"{"a":"é","b":1}"#);
    assert_eq!(server.last().header("content-type"), Some("application/json"));
    assert_eq!(call(&found, "shop_del", r#"{"id": "a/b"}"#).await.text, "HTTP 204 No Content");
    assert_eq!(
        call(&found, "shop_look", r#"{"id": "x"}"#).await.text,
        "HTTP 200 OK\ncontent-length: 0\netag: \"e1\""
    );
    assert_eq!(call(&found, "shop_get", r#"{"id": "page"}"#).await.text, "# Hi\n");
    let missing = call(&found, "shop_get", r#"{"id": "no"}"#).await;
    assert_eq!(missing.outcome, Outcome::Failed);
    assert!(
        missing.text.ends_with("/items/no answered 404 Not Found\n\n{\"message\":\"gone\"}"),
        "{}",
        missing.text
    );
    let picture = call(&found, "shop_get", r#"{"id": "pic"}"#).await;
    assert_eq!(picture.text, "the answer is 3 bytes of image/png, which cannot be shown as text");
    // Dots alone would climb out of the path, so the call is refused before anything is sent.
    let before = server.seen().len();
    let climbed = call(&found, "shop_get", r#"{"id": ".."}"#).await;
    assert!(climbed.text.starts_with("not run: "), "{}", climbed.text);
    assert_eq!(server.seen().len(), before);
}

#[tokio::test]
async fn the_next_page_is_told_as_arguments_or_as_a_link() {
    let server = Server::answering(|seen| {
        let link = match seen.target.as_str() {
            "/items?page=1&q=a%20b" => "</items?page=2&q=a%20b>; rel=\"next\", </items?page=9>; rel=\"last\"",
            "/items" => "<https://other.example/more?cursor=1>; rel=next",
            _ => "</items?page=1>; rel=\"prev\"",
        };
        answer("200 OK", &[("content-type", "application/json"), ("link", link)], "[]")
    })
    .await;
    let found = tools(&document(&server.url(), PATHS)).unwrap();
    let first = call(&found, "shop_list", r#"{"page": 1, "q": "a b"}"#).await.text;
    assert_eq!(
        first,
        "[]\n\n[There is a next page: call again with {\"page\":\"2\"} beside the same arguments.]"
    );
    let other = call(&found, "shop_list", "{}").await.text;
    assert_eq!(other, "[]\n\n[There is a next page: https://other.example/more?cursor=1]");
    assert_eq!(call(&found, "shop_list", r#"{"page": 9}"#).await.text, "[]");
}

#[tokio::test]
async fn a_redirect_that_the_call_does_not_cover_is_refused_and_a_change_is_sent_nowhere_else() {
    let target = Server::answering(|_| json("\"secret\"")).await;
    let url = target.url();
    let server = Server::answering(move |seen| {
        let (path, elsewhere) = (seen.target.as_str(), format!("{url}/items"));
        match path {
            "/items/near" => answer("302 Found", &[("location", "/items/near/by")], ""),
            "/items/near/by" => json("1"),
            "/items/side" => answer("302 Found", &[("location", "/admin")], ""),
            _ => answer("307 Temporary Redirect", &[("location", &elsewhere)], ""),
        }
    })
    .await;
    let found = tools(&document(&server.url(), PATHS)).unwrap();
    assert_eq!(call(&found, "shop_get", r#"{"id": "near"}"#).await.text, "1");
    for id in ["side", "far"] {
        let output = call(&found, "shop_get", &format!(r#"{{"id": "{id}"}}"#)).await;
        assert!(output.text.contains("missing grant fetch:http://127.0.0.1"), "{}", output.text);
    }
    let posted = call(&found, "shop_add", r#"{"body": {}}"#).await;
    assert!(posted.text.starts_with("redirected to http://127.0.0.1"), "{}", posted.text);
    assert_eq!(target.seen().len(), 0);
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_an_error_and_not_a_part_of_it() {
    let server = Server::answering(|_| json(&format!("\"{}\"", "x".repeat(6 << 20)))).await;
    let found = tools(&document(&server.url(), PATHS)).unwrap();
    let output = call(&found, "shop_list", "{}").await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("the answer is larger than"), "{}", output.text);
}
