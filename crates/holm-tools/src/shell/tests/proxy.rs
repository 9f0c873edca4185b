//! What is a request for the proxy, and what a server gets of it.

use crate::shell::exchange::RequestBodyLength;
use crate::shell::proxy::ProxyRequest;

fn tunnel(head: &str) -> Option<[String; 2]> {
    match ProxyRequest::read(head)? {
        ProxyRequest::Tunnel(urls) => Some(urls.map(|url| url.to_string())),
        ProxyRequest::Exchange(..) => None,
    }
}

fn exchange(head: &str) -> Option<(String, String)> {
    match ProxyRequest::read(head)? {
        ProxyRequest::Tunnel(_) => None,
        ProxyRequest::Exchange(url, head, _) => Some((url.to_string(), head)),
    }
}

#[test]
fn a_tunnel_names_a_host_and_a_port_and_nothing_else() {
    let check = |authority: &str, expect: Option<[&str; 2]>| {
        let head = format!("CONNECT {authority} HTTP/1.1\r\nHost: ignored.example\r\n\r\n");
        assert_eq!(tunnel(&head), expect.map(|urls| urls.map(ToOwned::to_owned)), "{authority}");
    };
    check("a.example:443", Some(["https://a.example/", "http://a.example:443/"]));
    check("a.example:80", Some(["http://a.example/", "https://a.example:80/"]));
    check("a.example:8443", Some(["https://a.example:8443/", "http://a.example:8443/"]));
    check("[2606:4700::1111]:443", Some(["https://[2606:4700::1111]/", "http://[2606:4700::1111]:443/"]));
    // Odd spellings are read as the addresses that they are, and checked as those.
    check("0x7f.1:443", Some(["https://127.0.0.1/", "http://127.0.0.1:443/"]));
    for authority in [
        "a.example",
        "a.example:",
        "a.example:0",
        "a.example:65536",
        "a.example:443/path",
        "user@a.example:443",
        "a.example:443#b.example:443",
        "a.example:443?x",
        "a.example\\@b.example:443",
        "https://a.example:443",
        "a.example:443 b.example:443",
        ":443",
        "",
    ] {
        check(authority, None);
    }
}

#[test]
fn a_server_gets_its_own_request_without_the_words_for_the_proxy() {
    let head = "POST http://a.example:8080/x?y=1 HTTP/1.1\r\nHost: other.example\r\nProxy-Connection: keep-alive\r\n\
                Proxy-Authorization: Basic eA==\r\nConnection: keep-alive, Upgrade\r\nContent-Length: 2\r\nX-Mine: a\tb\r\n\r\n";
    let expect = "POST /x?y=1 HTTP/1.1\r\nhost: a.example:8080\r\nconnection: close\r\nContent-Length: 2\r\nX-Mine: a\tb\r\n\r\n";
    assert_eq!(exchange(head), Some(("http://a.example:8080/x?y=1".into(), expect.into())));
    let plain = exchange("GET http://a.example HTTP/1.0\r\n\r\n").map(|(_, head)| head);
    assert_eq!(plain.as_deref(), Some("GET / HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n"));
}

#[test]
fn what_two_readers_would_read_differently_is_no_request() {
    for head in [
        "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET https://a.example/ HTTP/1.1\r\n\r\n",
        "GET ftp://a.example/ HTTP/1.1\r\n\r\n",
        "GET http://u:p@a.example/ HTTP/1.1\r\n\r\n",
        "GET http://a.example/ HTTP/2\r\n\r\n",
        "GET http://a.example/\r\n\r\n",
        "GET  http://a.example/ HTTP/1.1\r\n\r\n",
        "G\u{1}T http://a.example/ HTTP/1.1\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nX: a\nHost: b.example\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nX: a\rHost: b.example\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\n folded: b\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nHost : b.example\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nno colon\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\n: empty\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: +2\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length:\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\n",
        "\r\n\r\n",
        "",
    ] {
        assert_eq!(ProxyRequest::read(head), None, "{head:?}");
    }
}

/// What a server gets of what a client sends behind its head; none where it cannot be measured.
async fn passed(body: RequestBodyLength, sent: &str) -> Option<String> {
    let (mut source, mut sink) = (sent.as_bytes(), Vec::new());
    body.pass(&mut source, &mut sink).await.ok()?;
    Some(String::from_utf8(sink).unwrap())
}

#[tokio::test]
async fn a_body_is_passed_up_to_its_end_and_no_request_behind_it() {
    let next = "GET http://other.example/secret HTTP/1.1\r\n\r\n";
    for (body, whole) in [
        (RequestBodyLength::Sized(0), ""),
        (RequestBodyLength::Sized(5), "hello"),
        (RequestBodyLength::Chunked, "0\r\n\r\n"),
        (RequestBodyLength::Chunked, "5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n"),
    ] {
        assert_eq!(passed(body, &format!("{whole}{next}")).await.as_deref(), Some(whole), "{body:?}");
    }
    for (body, broken) in [
        (RequestBodyLength::Sized(5), "hell"),
        (RequestBodyLength::Chunked, "5;x=y\r\nhello\r\n0\r\n\r\n"),
        (RequestBodyLength::Chunked, "+5\r\nhello\r\n0\r\n\r\n"),
        (RequestBodyLength::Chunked, "5\nhello\r\n0\r\n\r\n"),
        (RequestBodyLength::Chunked, "5\r\nhello\n\n0\r\n\r\n"),
        (RequestBodyLength::Chunked, "0\r\nTrailer: x\r\n\r\n"),
        (RequestBodyLength::Chunked, "fffffffffffffffffffffffffffffffffff\r\n"),
        (RequestBodyLength::Chunked, "5\r\nhel"),
    ] {
        assert_eq!(passed(body, broken).await, None, "{body:?} {broken:?}");
    }
}
