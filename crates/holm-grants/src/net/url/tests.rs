use alloc::string::{String, ToString};

use super::Url;
use crate::error::{HostError, UrlError};

fn reads(text: &str, shown: &str) {
    let url: Url = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(url.to_string(), shown, "{text}");
    assert_eq!(shown.parse(), Ok(url), "{shown} reads back");
}

fn refused(text: &str, error: UrlError) {
    assert_eq!(text.parse::<Url>(), Err(error), "{text:?}");
}

#[test]
fn a_url_has_one_form() {
    reads("https://example.com", "https://example.com/");
    reads("HTTPS://EXAMPLE.com:443/", "https://example.com/");
    reads("http://example.com:8080/a?b#c", "http://example.com:8080/a?b");
    reads("http://example.com?x=1", "http://example.com/?x=1");
    reads("http://example.com:0080/", "http://example.com/");
    reads("http://[::1]:8080/", "http://[::1]:8080/");
    reads("http://0x7f.1/", "http://127.0.0.1/");
    reads("tcp://db.example.com:5432", "tcp://db.example.com:5432");
    reads("wss://example.com/s", "wss://example.com/s");
}

#[test]
fn the_fragment_is_never_a_host() {
    reads("http://good.example#@evil.example/", "http://good.example/");
    reads("http://good.example/#@evil.example/", "http://good.example/");
    reads("http://good.example?@evil.example/", "http://good.example/?@evil.example/");
    reads("http://good.example/@evil.example", "http://good.example/@evil.example");
}

#[test]
fn paths_are_resolved_as_a_client_would() {
    for (path, shown) in [
        ("/a/../b", "/b"),
        ("/a/%2e%2e/b", "/b"),
        ("/a/.%2E/b", "/b"),
        ("/a/%2e/b", "/a/b"),
        ("/../../a", "/a"),
        ("/a/..", "/"),
        ("/a/b/..", "/a/"),
        ("/a/.", "/a/"),
        ("/a/.../b", "/a/.../b"),
        ("/a//b", "/a//b"),
        ("/%c3%a9", "/%C3%A9"),
        ("/é", "/%C3%A9"),
        ("/100%", "/100%25"),
        ("/a\"<>b", "/a%22%3C%3Eb"),
        ("/a?q=é\"", "/a?q=%C3%A9%22"),
    ] {
        let mut text = String::from("http://h.example");
        text.push_str(path);
        let mut expect = String::from("http://h.example");
        expect.push_str(shown);
        reads(&text, &expect);
    }
}

#[test]
fn whatever_two_parsers_could_read_differently_is_refused() {
    refused("http://user@example.com/", UrlError::UserInfo);
    refused("http://user:pass@example.com/", UrlError::UserInfo);
    refused("http://good.example:80@evil.example/", UrlError::UserInfo);
    refused("http://@example.com/", UrlError::UserInfo);
    refused("http://good.example\\@evil.example/", UrlError::Backslash);
    refused("http:\\\\evil.example", UrlError::Backslash);
    refused("http://exam\tple.com/", UrlError::Hidden);
    refused("http://exam\nple.com/", UrlError::Hidden);
    refused(" http://example.com/", UrlError::Hidden);
    refused("http://example.com/a b", UrlError::Hidden);
    refused("http://example.com/\u{202e}", UrlError::Hidden);
    refused("http:example.com", UrlError::NoScheme);
    refused("http:/example.com", UrlError::NoScheme);
    refused("//example.com", UrlError::NoScheme);
    refused("example.com", UrlError::NoScheme);
    refused("", UrlError::NoScheme);
    refused("http://", UrlError::Host(HostError::Empty));
    refused("http:///example.com", UrlError::Host(HostError::Empty));
    refused("http://?x", UrlError::Host(HostError::Empty));
    refused("http://a:b:80/", UrlError::Host(HostError::BadCharacter));
    refused("http://::1/", UrlError::Host(HostError::BadCharacter));
    refused("http://[fe80::1%25eth0]/", UrlError::Host(HostError::Zone));
    for port in ["", "0", "65536", "+80", "-1", "8o", "99999999", "0x50", "８０"] {
        refused(&alloc::format!("http://example.com:{port}/"), UrlError::BadPort);
    }
    refused("tcp://example.com", UrlError::TcpShape);
    refused("tcp://example.com:1/x", UrlError::TcpShape);
    refused(&alloc::format!("http://example.com/{}", "a".repeat(9000)), UrlError::TooLong { max: 8192 });
}

#[test]
fn schemes_that_do_not_connect_to_a_host_do_not_exist() {
    for text in [
        "file:///etc/passwd",
        "gopher://example.com/",
        "ftp://example.com/",
        "data:text/html,x",
        "unix:///run/docker.sock",
        "javascript:alert(1)",
        "dict://example.com:11111/",
        "jar:http://example.com!/",
        "ldap://example.com",
        "*://example.com",
    ] {
        refused(text, UrlError::UnknownScheme);
    }
}
