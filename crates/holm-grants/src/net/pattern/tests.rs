use alloc::string::ToString;

use super::FetchPattern;
use crate::error::{HostError, UrlError};
use crate::net::Url;

fn admits(pattern: &str, url: &str, expect: bool) {
    let parsed: FetchPattern = pattern.parse().unwrap_or_else(|error| panic!("{pattern}: {error}"));
    assert_eq!(parsed.admits(&url.parse().unwrap()), expect, "{pattern} on {url}");
}

#[test]
fn scheme_host_and_port_must_all_fit() {
    admits("https://api.example.com", "https://api.example.com/v1?q", true);
    admits("https://api.example.com", "http://api.example.com/", false);
    admits("https://api.example.com", "https://api.example.com:8443/", false);
    admits("https://api.example.com", "wss://api.example.com/", false);
    admits("https://api.example.com", "https://example.com/", false);
    admits("https://api.example.com", "https://api.example.com.evil.net/", false);
    admits("https://api.example.com:*", "https://api.example.com:8443/", true);
    admits("*://api.example.com", "http://api.example.com/", true);
    admits("*://api.example.com", "http://api.example.com:443/", false);
    admits("*://api.example.com:443", "http://api.example.com:443/", true);
    admits("*://*:*", "tcp://example.com:22", true);
    admits("*://*", "tcp://example.com:22", false);
    admits("tcp://db.example.com:5432", "tcp://db.example.com:5432", true);
    admits("http://127.0.0.1:8080", "http://0x7f.1:8080/", true);
}

#[test]
fn a_prefix_is_whole_components_that_nobody_can_climb_out_of() {
    let prefix = "https://h.example/v1/users";
    admits(prefix, "https://h.example/v1/users", true);
    admits(prefix, "https://h.example/v1/users/", true);
    admits(prefix, "https://h.example/v1/users/7?x=../..", true);
    admits(prefix, "https://h.example/v1/users/%C3%A9", true);
    for outside in [
        "/v1/usersx",
        "/v1",
        "/V1/users",
        "/v1/users/../admin",
        "/v1/users/%2e%2e/admin",
        "/v1/users/%252e%252e/admin",
        "/v1/users/..%2fadmin",
        "/v1/users/%2fadmin",
        "/v1/users/%5cadmin",
        "/v1/users/%00",
        "/v1/users/..;/admin",
        "/v1//users",
        "//v1/users",
        "/v1/users//x",
    ] {
        admits(prefix, &alloc::format!("https://h.example{outside}"), false);
    }
    admits("*://h.example:*/x", "tcp://h.example:80", false);
}

#[test]
fn patterns_print_in_their_one_form() {
    for (text, shown) in [
        ("https://api.example.com", "https://api.example.com"),
        ("HTTPS://API.example.com.:443/", "https://api.example.com"),
        ("*://*.sub.example.com:*", "*://*.sub.example.com:*"),
        ("*://example.com:443", "*://example.com:443"),
        ("http://2130706433:8080/a/", "http://127.0.0.1:8080/a"),
        ("https://[FD12::1]", "https://[fd12::1]"),
        ("https://*", "https://*"),
    ] {
        let pattern: FetchPattern = text.parse().unwrap();
        assert_eq!(pattern.to_string(), shown);
        assert_eq!(shown.parse(), Ok(pattern));
    }
}

#[test]
fn patterns_that_mean_something_else_than_they_say_are_refused() {
    let refused =
        |text: &str, error: UrlError| assert_eq!(text.parse::<FetchPattern>(), Err(error), "{text}");
    refused("https://h.example/?q", UrlError::PatternQuery);
    refused("https://h.example/#x", UrlError::PatternQuery);
    for path in ["/a/*", "/a/../b", "/a//b", "//", "/a/%2e", "/%c3", "/a;b", "/é"] {
        refused(&alloc::format!("https://h.example{path}"), UrlError::PatternPath);
    }
    refused("https://u@h.example", UrlError::UserInfo);
    refused("https://h.example:x", UrlError::BadPort);
    refused("tcp://h.example", UrlError::TcpShape);
    refused("tcp://h.example:1/x", UrlError::TcpShape);
    refused("file:///etc", UrlError::UnknownScheme);
    refused("h.example", UrlError::NoScheme);
    refused("https://bücher.example", UrlError::Host(HostError::NotAscii));
}

/// The set is a finite product once each part is sampled at its edges, so enumeration over the
/// samples is an oracle.
#[test]
fn containment_agrees_with_enumeration() {
    let mut patterns = alloc::vec::Vec::new();
    let mut urls = alloc::vec::Vec::new();
    for scheme in ["http", "https", "wss", "*"] {
        for host in ["a.example", "b.a.example", "*.a.example", "*.example", "*", "10.0.0.1", "localhost"] {
            for port in ["", ":80", ":443", ":7", ":*"] {
                for prefix in ["", "/x", "/x/y"] {
                    let text = alloc::format!("{scheme}://{host}{port}{prefix}");
                    patterns.push(text.parse::<FetchPattern>().unwrap());
                }
            }
        }
    }
    let hosts =
        ["a.example", "b.a.example", "c.a.example", "z.example", "example", "10.0.0.1", "localhost", "other"];
    for scheme in ["http", "https", "ws", "wss", "tcp"] {
        for host in hosts {
            for port in [":80", ":443", ":7", ":8"] {
                for path in ["", "/x", "/x/y", "/z", "/x/y/z", "/x//"] {
                    urls.extend(alloc::format!("{scheme}://{host}{port}{path}").parse::<Url>());
                }
            }
        }
    }
    patterns.dedup();
    let rows: alloc::vec::Vec<alloc::vec::Vec<bool>> =
        patterns.iter().map(|pattern| urls.iter().map(|url| pattern.admits(url)).collect()).collect();
    for (a, in_a) in patterns.iter().zip(&rows) {
        for (b, in_b) in patterns.iter().zip(&rows) {
            let enumerated = in_a.iter().zip(in_b).all(|(a, b)| *a || !*b);
            assert_eq!(a.contains(b), enumerated, "{a} contains {b}");
        }
    }
}
