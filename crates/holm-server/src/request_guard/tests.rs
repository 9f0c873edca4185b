use std::net::IpAddr;

use axum::{body::Body, extract::Request};
use http::{HeaderMap, HeaderValue};

use super::{FORWARDED, PeerAddress, check_origin, given, is_own, name_of, peer};
use crate::ServerOptions;

fn config() -> ServerOptions {
    let mut config = ServerOptions::new("/nowhere");
    config.hosts.push("holm.example.org".into());
    config.origins.push("https://holm.example.org".into());
    config
}

#[test]
fn a_name_is_this_servers_or_it_is_not() {
    let check = |host: &str, expect: bool| assert_eq!(is_own(&config(), name_of(host)), expect, "{host}");
    for own in ["localhost", "LocalHost:7417", "127.0.0.1:1", "[::1]:7417", "[::1]", "holm.example.org:443"] {
        check(own, true);
    }
    for other in [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:7417",
        "127.0.0.2",
        "[::2]:7417",
        "evil.example:7417",
        "localhost:7417.evil.example",
        "0.0.0.0:7417",
        "xlocalhost",
        "[::1",
        "[::1].evil.example",
        "[::1]:7417.evil",
    ] {
        check(other, false);
    }
}

#[test]
fn a_page_is_of_this_origin_or_of_a_named_one() {
    let check = |origin: Option<&str>, site: Option<&str>, expect: bool| {
        let mut headers = HeaderMap::new();
        if let Some(origin) = origin {
            headers.insert("origin", HeaderValue::from_str(origin).unwrap());
        }
        if let Some(site) = site {
            headers.insert("sec-fetch-site", HeaderValue::from_str(site).unwrap());
        }
        let looked = check_origin(&config(), &headers, "127.0.0.1:7417");
        assert_eq!(looked.is_ok(), expect, "{origin:?} {site:?}");
    };
    check(None, None, true);
    check(None, Some("same-origin"), true);
    check(None, Some("cross-site"), false);
    check(Some("http://127.0.0.1:7417"), None, true);
    check(Some("https://holm.example.org"), Some("cross-site"), true);
    for other in [
        "null",
        "http://127.0.0.1:7418",
        "http://127.0.0.1",
        "http://localhost.evil",
        "http://127.0.0.1.evil:7417",
        "https://evil.example",
        // Nothing speaks TLS at this address.
        "https://127.0.0.1:7417",
        "http://127.0.0.1:7417.evil",
        "file://",
        "",
    ] {
        check(Some(other), None, false);
    }
}

#[test]
fn a_token_is_in_its_header_or_among_the_protocols() {
    let check = |name: &'static str, value: &str, expect: Option<&str>| {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        assert_eq!(given(&headers), expect, "{name}: {value}");
    };
    check("authorization", "Bearer holm_abc", Some("holm_abc"));
    check("authorization", "bearer holm_abc", Some("holm_abc"));
    check("authorization", "Basic holm_abc", None);
    check("authorization", "holm_abc", None);
    check("sec-websocket-protocol", "holm, holm.bearer.holm_abc", Some("holm_abc"));
    check("sec-websocket-protocol", "holm", None);
    check("cookie", "token=holm_abc", None);
}

#[test]
fn a_trusted_proxy_says_who_asks_and_nobody_else_does() {
    let mut config = config();
    config.proxies = ["127.0.0.1", "10.0.0.2"].map(|proxy| proxy.parse().unwrap()).to_vec();
    let check = |from: &str, headers: &[&str], expect: &str| {
        let mut request = Request::new(Body::empty());
        request.extensions_mut().insert(PeerAddress(from.parse().unwrap()));
        for header in headers {
            request.headers_mut().append(FORWARDED, HeaderValue::from_bytes(header.as_bytes()).unwrap());
        }
        assert_eq!(peer(&config, &request), expect.parse::<IpAddr>().unwrap(), "{from} {headers:?}");
    };
    check("127.0.0.1:9", &[], "127.0.0.1");
    check("127.0.0.1:9", &["192.0.2.7"], "192.0.2.7");
    check("[::ffff:127.0.0.1]:9", &["192.0.2.7:4711"], "192.0.2.7");
    check("127.0.0.1:9", &["[2001:db8::1]:4711"], "2001:db8::1");
    // Bytes that a client writes in front neither hide nor replace its address.
    check("127.0.0.1:9", &["\u{ff}, 192.0.2.7"], "192.0.2.7");
    check("127.0.0.1:9", &["198.51.100.1", "\u{ff}, 192.0.2.7"], "192.0.2.7");
    check("127.0.0.1:9", &["198.51.100.1", "\u{ff}"], "127.0.0.1");
    // Only what the last of those wrote that are trusted; the rest is what the client likes to say.
    check("127.0.0.1:9", &["198.51.100.1, 192.0.2.7"], "192.0.2.7");
    check("127.0.0.1:9", &["198.51.100.1", "192.0.2.7, 10.0.0.2"], "192.0.2.7");
    check("127.0.0.1:9", &["somebody"], "127.0.0.1");
    check("127.0.0.1:9", &["192.0.2.7, somebody"], "127.0.0.1");
    check("192.0.2.9:9", &["192.0.2.7"], "192.0.2.9");
}
