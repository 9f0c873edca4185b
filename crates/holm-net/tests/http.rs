//! Whole exchanges with servers of our own: what arrives, what is followed, what is shared and what is given up.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod server;

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use holm_grants::GrantPolicy;
use holm_net::{
    ConnectTimeouts, Connector, ExchangeLimits, ExchangeStage, HttpClientRequest, ListenerRegistry,
    MimeFilter, NetError, TunnelProxy,
};
use http::Method;
use server::{Names, Server, client, policy, trusting};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn get(url: &str, policy: &GrantPolicy, limits: &ExchangeLimits) -> Result<(u16, String), NetError> {
    let response = client().send(HttpClientRequest::get(url.parse().unwrap()), policy, limits).await?;
    let status = response.status().as_u16();
    Ok((status, String::from_utf8_lossy(&response.bytes().await?).into_owned()))
}

/// Fetches `/` of a server at `a.lan` that gives one answer, with every server of ours granted.
async fn answered(answer: impl Into<Vec<u8>>, limits: &ExchangeLimits) -> Result<(u16, String), NetError> {
    let server = Server::saying(answer).await;
    get(&server.url("a.lan"), &policy(&[&server.grant("a.lan")]), limits).await
}

fn ok(headers: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
}

#[tokio::test]
async fn a_granted_page_is_fetched_with_the_name_and_not_the_address_as_its_host() {
    let server = Server::saying(ok("", "hello")).await;
    let grant = server.grant("a.lan");
    let got =
        get(&format!("{}x?q=1", server.url("a.lan")), &policy(&[&grant]), &ExchangeLimits::default()).await;
    assert_eq!(got, Ok((200, "hello".into())));
    let seen = server.seen();
    assert!(seen[0].starts_with("GET /x?q=1 HTTP/1.1\r\n"), "{seen:?}");
    assert!(seen[0].contains(&format!("host: a.lan:{}\r\n", server.port())), "{seen:?}");
}

#[tokio::test]
async fn an_ungranted_port_path_or_scheme_is_refused_with_the_grant_that_is_missing() {
    let server = Server::saying(ok("", "hello")).await;
    let other = policy(&["fetch:http://a.lan:1"]);
    let error = get(&server.url("a.lan"), &other, &ExchangeLimits::default()).await.unwrap_err();
    assert!(
        error.to_string().ends_with(&format!("missing grant fetch:http://a.lan:{}", server.port())),
        "{error}"
    );
    let narrow = policy(&[&format!("{}/v1", server.grant("a.lan"))]);
    assert!(get(&format!("{}v2", server.url("a.lan")), &narrow, &ExchangeLimits::default()).await.is_err());
    let raw = policy(&[&format!("fetch:tcp://a.lan:{}", server.port())]);
    let error =
        get(&format!("tcp://a.lan:{}", server.port()), &raw, &ExchangeLimits::default()).await.unwrap_err();
    assert_eq!(error, NetError::Scheme { found: "tcp", wanted: "http or https" });
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn our_own_listener_is_not_reached_even_where_localhost_is_granted() {
    let server = Server::saying(ok("", "hello")).await;
    let listeners = ListenerRegistry::default();
    let own = listeners.register(server.address());
    let connector = Connector::new(std::sync::Arc::new(Names)).with_listeners(listeners);
    let client = holm_net::HttpClient::new(connector, trusting(None));
    let granted = policy(&[&server.grant("localhost"), &server.grant("a.lan"), &server.grant("127.0.0.1")]);
    for host in ["localhost", "a.lan", "127.0.0.1"] {
        let request = HttpClientRequest::get(server.url(host).parse().unwrap());
        let got = client.send(request, &granted, &ExchangeLimits::default()).await.map(|_| ());
        assert_eq!(got, Err(NetError::OwnListener(server.address())), "{host}");
    }
    assert_eq!(server.seen().len(), 0);
    drop(own);
    let request = HttpClientRequest::get(server.url("localhost").parse().unwrap());
    assert!(client.send(request, &granted, &ExchangeLimits::default()).await.is_ok());
}

#[tokio::test]
async fn each_hop_of_a_redirect_is_checked_like_the_first() {
    let inner = Server::saying(ok("", "inner")).await;
    for status in [301, 302, 303, 307, 308] {
        for target in
            [inner.url("127.0.0.1"), "http://169.254.169.254/".into(), "http://[::ffff:7f00:1]/".into()]
        {
            let answer = format!("HTTP/1.1 {status} Go\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n");
            let error = answered(answer, &ExchangeLimits::default()).await.unwrap_err();
            assert!(matches!(error, NetError::Refused(_)), "{status} {target}: {error}");
        }
    }
    assert_eq!(inner.seen().len(), 0);
}

#[tokio::test]
async fn a_redirect_to_a_granted_host_carries_no_credentials_and_no_body() {
    let inner = Server::saying(ok("", "inner")).await;
    let target = inner.url("b.lan");
    let outer =
        Server::saying(format!("HTTP/1.1 302 Go\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n")).await;
    let granted = policy(&[&outer.grant("a.lan"), &inner.grant("b.lan")]);
    let request = HttpClientRequest::new(Method::POST, outer.url("a.lan").parse().unwrap())
        .header("authorization", "Bearer canary")
        .unwrap()
        .body("canary");
    let response = client().send(request, &granted, &ExchangeLimits::default()).await.unwrap();
    assert_eq!(response.url().to_string(), target);
    assert!(outer.seen()[0].contains("canary"));
    assert!(!inner.seen()[0].contains("canary"), "{:?}", inner.seen());
}

#[tokio::test]
async fn redirects_without_end_are_given_up() {
    let answer = "HTTP/1.1 302 Go\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n";
    let server = Server::saying(answer).await;
    let granted = policy(&[&server.grant("a.lan")]);
    let got = get(&server.url("a.lan"), &granted, &ExchangeLimits::default()).await;
    assert_eq!(got, Err(NetError::TooManyRedirects(10)));
    assert_eq!(server.seen().len(), 11);
    let none = ExchangeLimits { redirects: 0, ..ExchangeLimits::default() };
    assert_eq!(get(&server.url("a.lan"), &granted, &none).await, Ok((302, String::new())));
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_given_up_at_the_limit() {
    let small = ExchangeLimits { body: 1000, ..ExchangeLimits::default() };
    let too_large = Err(NetError::TooLarge { max: 1000 });
    assert_eq!(answered(ok("", &"x".repeat(1001)), &small).await, too_large);
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(100_000));
    assert_eq!(answered(endless, &small).await, too_large);
    let chunked =
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfff\r\n{}\r\n", "x".repeat(0xfff));
    assert_eq!(answered(chunked, &small).await, too_large);
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    bomb.write_all(&vec![0; 100_000]).unwrap();
    let mut answer = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n".to_vec();
    answer.extend(bomb.finish().unwrap());
    assert_eq!(answered(answer, &small).await, too_large);
    let head = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(100_000));
    assert!(matches!(answered(head, &ExchangeLimits::default()).await, Err(NetError::Http { .. })));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(1000));
    assert!(matches!(answered(many, &ExchangeLimits::default()).await, Err(NetError::Http { .. })));
}

#[tokio::test]
async fn an_answer_of_the_wrong_kind_or_encoding_is_given_up() {
    let text = ExchangeLimits { mimes: MimeFilter::Only(vec!["text/*".into()]), ..ExchangeLimits::default() };
    assert!(answered(ok("content-type: text/html\r\n", "x"), &text).await.is_ok());
    let binary = answered(ok("content-type: application/octet-stream\r\n", "x"), &text).await;
    assert!(matches!(binary, Err(NetError::Mime { .. })), "{binary:?}");
    for encoding in ["br", "zstd", "gzip, gzip"] {
        let got =
            answered(ok(&format!("content-encoding: {encoding}\r\n"), "x"), &ExchangeLimits::default()).await;
        assert_eq!(got, Err(NetError::Encoding(encoding.into())));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_or_does_not_end_is_given_up_in_time() {
    let quick = ExchangeLimits {
        total: Duration::from_millis(300),
        idle: Duration::from_millis(100),
        ..ExchangeLimits::default()
    };
    let silent = Server::saying("").await;
    let got = get(&silent.url("a.lan"), &policy(&[&silent.grant("a.lan")]), &quick).await;
    assert_eq!(got, Err(NetError::TimedOut(ExchangeStage::Answering)));
    let stuck = Server::saying("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await;
    let got = get(&stuck.url("a.lan"), &policy(&[&stuck.grant("a.lan")]), &quick).await;
    assert_eq!(got, Err(NetError::TimedOut(ExchangeStage::Reading)));
    let connector = Connector::new(std::sync::Arc::new(server::Silent));
    let patience = ConnectTimeouts { resolve: Duration::from_millis(50), ..ConnectTimeouts::default() };
    let url = "http://a.lan/".parse().unwrap();
    let got = connector.with_patience(patience).check(&url, &policy(&["fetch:http://a.lan"])).await;
    assert_eq!(got, Err(NetError::TimedOut(ExchangeStage::Resolving)));
}

#[tokio::test]
async fn an_idle_connection_is_used_again_for_the_same_name_alone() {
    let server = Server::saying(ok("", "hello")).await;
    let granted = policy(&[&server.grant("a.lan"), &server.grant("b.lan")]);
    let client = client();
    for (host, connections) in [("a.lan", 1), ("a.lan", 1), ("b.lan", 2), ("b.lan", 2), ("a.lan", 2)] {
        let request = HttpClientRequest::get(server.url(host).parse().unwrap());
        let response = client.send(request, &granted, &ExchangeLimits::default()).await.unwrap();
        response.bytes().await.unwrap();
        assert_eq!(server.connections(), connections, "{host}");
    }
}

#[tokio::test]
async fn an_idle_connection_is_not_used_by_whoever_could_not_have_opened_it() {
    let server = Server::saying(ok("", "hello")).await;
    let client = client();
    let (url, port) = (server.url("public.example"), server.port());
    let named = policy(&[&server.grant("public.example"), &format!("fetch:http://127.0.0.1:{port}")]);
    let unnamed = policy(&[&server.grant("public.example")]);
    let fetch = async |policy: &GrantPolicy| {
        let response = client
            .send(HttpClientRequest::get(url.parse().unwrap()), policy, &ExchangeLimits::default())
            .await?;
        response.bytes().await
    };
    assert!(fetch(&named).await.is_ok());
    assert!(matches!(fetch(&unnamed).await, Err(NetError::Refused(_))));
    assert_eq!(server.seen().len(), 1);
    assert!(fetch(&named).await.is_ok());
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_certificate_must_be_for_the_name_that_was_asked_for() {
    for protocol in ["h2", "http/1.1"] {
        let server = Server::secure("a.lan", protocol).await;
        let client = server.client();
        let granted = policy(&[&server.grant("a.lan"), &server.grant("b.lan")]);
        for round in 0..2 {
            let request = HttpClientRequest::get(server.url("a.lan").parse().unwrap());
            let response = client.send(request, &granted, &ExchangeLimits::default()).await.unwrap();
            assert_eq!(response.bytes().await.unwrap(), "secure", "{protocol} {round}");
        }
        assert_eq!(server.connections(), 1, "{protocol}");
        assert_eq!(server.seen(), ["sni a.lan".to_owned(), server.asked("a.lan"), server.asked("a.lan")]);
        let request = HttpClientRequest::get(server.url("b.lan").parse().unwrap());
        let other = client.send(request, &granted, &ExchangeLimits::default()).await.map(|_| ());
        assert!(matches!(other, Err(NetError::Tls { .. })), "{protocol}: {other:?}");
        let request = HttpClientRequest::get(server.url("a.lan").parse().unwrap());
        let strangers =
            server::client().send(request, &granted, &ExchangeLimits::default()).await.map(|_| ());
        assert!(matches!(strangers, Err(NetError::Tls { .. })), "{protocol}: {strangers:?}");
    }
}

#[tokio::test]
async fn a_proxy_is_asked_for_the_checked_address_and_only_when_it_was_passed() {
    let server = Server::saying(ok("", "through")).await;
    let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = proxy.local_addr().unwrap();
    let target: SocketAddr = server.address();
    let asked = tokio::spawn(async move {
        let (mut inside, _) = proxy.accept().await.unwrap();
        let mut head = vec![0; 1024];
        let length = inside.read(&mut head).await.unwrap();
        inside.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
        let mut outside = tokio::net::TcpStream::connect(target).await.unwrap();
        tokio::spawn(async move { tokio::io::copy_bidirectional(&mut inside, &mut outside).await });
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    let connector = Connector::new(std::sync::Arc::new(Names)).with_proxy(TunnelProxy::http(address));
    let client = holm_net::HttpClient::new(connector, trusting(None));
    let request = HttpClientRequest::get(server.url("a.lan").parse().unwrap());
    let granted = policy(&[&server.grant("a.lan")]);
    let response = client.send(request.clone(), &granted, &ExchangeLimits::default()).await.unwrap();
    assert_eq!(response.bytes().await.unwrap(), "through");
    assert_eq!(asked.await.unwrap(), format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n"));
    let refused = client.send(request, &policy(&[]), &ExchangeLimits::default()).await.map(|_| ());
    assert!(matches!(refused, Err(NetError::Refused(_))));
}
