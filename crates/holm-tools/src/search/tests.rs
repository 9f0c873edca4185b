//! Services as data: what is sent to each, what is read from each, and where the key goes.

use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::{Outcome, ToolOutput};
use holm_runtime::{SecretString, Tool, ToolInvocation};

use super::{QueryEncoding, SearchService, WebSearchTool};
use crate::fetch::tests::reach::{Server, client, page};

const KEY: &str = "key-93aa";

async fn searched(service: SearchService, arguments: &str) -> ToolOutput {
    let tool = WebSearchTool::new(client(Arc::default()), service, Some(SecretString::from(KEY)))
        .expect("a service");
    let mut job = ToolInvocation::alone(arguments);
    job.needs = tool.declaration().needs[0].needs(|_| Vec::<&str>::new()).expect("a grant").into();
    tool.run(job).await
}

fn at(server: &Server, service: SearchService) -> SearchService {
    SearchService { endpoint: server.url("/search"), ..service }
}

#[tokio::test]
async fn each_service_is_asked_in_its_own_way() {
    let found =
        r#"{"title":"A <b>t</b>","url":"https://a.example/x","content":"about","description":"about"}"#;
    for (service, answer, sent) in [
        (
            SearchService::searxng("https://s.example").expect("a service"),
            format!(r#"{{"results":[{found}]}}"#),
            vec!["GET /search?q=a+b%26c&format=json HTTP/1.1"],
        ),
        (
            SearchService::brave(),
            format!(r#"{{"web":{{"results":[{found}]}}}}"#),
            vec!["GET /search?q=a+b%26c&count=3 HTTP/1.1", "x-subscription-token: key-93aa"],
        ),
        (
            SearchService::tavily(),
            format!(r#"{{"results":[{found}]}}"#),
            vec![
                "POST /search HTTP/1.1",
                "authorization: Bearer key-93aa",
                r#"{"max_results":3,"query":"a b&c"}"#,
            ],
        ),
    ] {
        let server = Server::saying(page("application/json", &answer)).await;
        let output = searched(at(&server, service.clone()), r#"{"query":"a b&c","count":3}"#).await;
        assert_eq!(output.text, "1. A t\n   https://a.example/x\n   about", "{service:?}");
        let asked = server.heads().join("");
        assert!(sent.iter().all(|sign| asked.contains(sign)), "{asked}");
    }
}

#[tokio::test]
async fn an_answer_is_bounded_and_shows_what_it_is() {
    let server = async |answer: &str| Server::saying(page("application/json", answer)).await;
    let service = SearchService::searxng("https://s.example").expect("a service");
    let odd = r#"{"results":[
        {"title":"a\u001b[2J\u202eb","url":"https://a.example/","content":"one\ntwo"},
        {"title":"no","url":"javascript:alert(1)"}, {"title":"no"}, 7,
        {"title":"c","url":"https://c.example/"}]}"#;
    let output = searched(at(&server(odd).await, service.clone()), r#"{"query":"x"}"#).await;
    assert_eq!(output.text, "1. a[2Jb\n   https://a.example/\n   one two\n2. c\n   https://c.example/");
    let many: Vec<String> =
        (0..100).map(|n| format!(r#"{{"title":"t","url":"https://a.example/{n}"}}"#)).collect();
    let many = format!(r#"{{"results":[{}]}}"#, many.join(","));
    let output = searched(at(&server(&many).await, service.clone()), r#"{"query":"x","count":20}"#).await;
    assert_eq!(output.text.matches("https://").count(), 20);
    for (answer, sign) in
        [("{}", "no list"), ("<html>", "not JSON"), (r#"{"results":[]}"#, "nothing was found")]
    {
        let output = searched(at(&server(answer).await, service.clone()), r#"{"query":"x"}"#).await;
        assert!(output.text.contains(sign), "{answer}: {}", output.text);
    }
}

#[tokio::test]
async fn the_key_is_in_no_error_and_goes_to_nobody_else() {
    let elsewhere = Server::saying(page("application/json", "{}")).await;
    let redirect =
        format!("HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", elsewhere.url("/"));
    let refusal = format!(
        "HTTP/1.1 401 No\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{KEY}",
        KEY.len()
    );
    for answer in [redirect, refusal] {
        let server = Server::saying(answer).await;
        let output = searched(at(&server, SearchService::brave()), r#"{"query":"x"}"#).await;
        assert_eq!((output.outcome, output.text.contains(KEY)), (Outcome::Failed, false), "{}", output.text);
    }
    assert!(elsewhere.heads().is_empty());
    let tool = WebSearchTool::new(client(Arc::default()), SearchService::brave(), None).expect("a service");
    assert!(tool.run(ToolInvocation::alone(r#"{"query":"x"}"#)).await.text.contains("needs a key"));
    assert!(!format!("{tool:?}").contains(KEY));
}

#[test]
fn a_service_is_data_and_names_the_grant_that_it_needs() {
    for (service, grant) in [
        (SearchService::brave(), "fetch:https://api.search.brave.com"),
        (SearchService::tavily(), "fetch:https://api.tavily.com"),
        (
            SearchService::searxng("https://s.example:8443/").expect("a service"),
            "fetch:https://s.example:8443",
        ),
    ] {
        assert_eq!(service.grant().as_deref(), Ok(grant));
        let text = serde_json::to_string(&service).expect("data");
        assert_eq!(serde_json::from_str::<SearchService>(&text).expect("a service"), service);
    }
    assert!(SearchService::searxng("file:///etc").is_err() && SearchService::searxng("x").is_err());
    let asking = Json::parse(r#"{"members":{"query":"q","count":null}}"#).expect("JSON").canonical();
    assert_eq!(
        serde_json::from_str::<QueryEncoding>(&asking).expect("a way"),
        QueryEncoding::Members { query: "q".into(), count: None }
    );
}
