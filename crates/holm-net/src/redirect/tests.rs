use http::{HeaderMap, Method, StatusCode, header};

use super::next;
use crate::error::NetError;
use crate::request::HttpClientRequest;

fn from(method: Method, url: &str) -> HttpClientRequest {
    HttpClientRequest::new(method, url.parse().unwrap())
        .header("authorization", "Bearer canary")
        .and_then(|request| request.header("x-api-key", "canary"))
        .and_then(|request| request.header("cookie", "canary=1"))
        .and_then(|request| request.header("content-type", "text/plain"))
        .and_then(|request| request.header("accept", "text/html"))
        .unwrap()
        .body("canary")
}

fn go(
    request: &HttpClientRequest,
    status: u16,
    location: &str,
) -> Result<Option<HttpClientRequest>, NetError> {
    let mut headers = HeaderMap::new();
    headers.insert(header::LOCATION, header::HeaderValue::from_bytes(location.as_bytes()).unwrap());
    next(request, StatusCode::from_u16(status).unwrap(), &headers)
}

#[test]
fn a_location_is_read_against_the_url_that_sent_it() {
    let check = |location: &str, expect: &str| {
        let request = from(Method::GET, "https://a.example/one/two?q=1");
        let url = go(&request, 302, location).unwrap().unwrap().url.to_string();
        assert_eq!(url, expect, "{location}");
    };
    check("/three", "https://a.example/three");
    check("three", "https://a.example/one/three");
    check("../../../three", "https://a.example/three");
    check("?q=2", "https://a.example/one/two?q=2");
    check("//b.example/x", "https://b.example/x");
    check("https://b.example:8443", "https://b.example:8443/");
    check("\\\\b.example/x", "https://b.example/x");
    check("https://2130706433/", "https://127.0.0.1/");
}

#[test]
fn what_is_never_fetched_is_not_fetched_after_a_redirect_either() {
    for location in [
        "file:///etc/passwd",
        "gopher://a.example/",
        "ftp://a.example/",
        "data:text/html,x",
        "javascript:alert(1)",
        "unix:/run/docker.sock",
        "https://user:password@a.example/",
        "https://a.example@b.example/",
        "https://a.example:0/",
        "https:///",
        "https://[::1%25eth0]/",
    ] {
        let got = go(&from(Method::GET, "https://a.example/"), 302, location);
        assert!(matches!(got, Err(NetError::Url(_) | NetError::Downgrade)), "{location}: {got:?}");
    }
}

#[test]
fn an_encrypted_page_does_not_lead_to_an_open_one() {
    let https = from(Method::GET, "https://a.example/");
    assert_eq!(go(&https, 301, "http://a.example/").unwrap_err(), NetError::Downgrade);
    let http = from(Method::GET, "http://a.example/");
    assert!(go(&http, 301, "https://a.example/").unwrap().is_some());
}

#[test]
fn another_origin_gets_neither_credentials_nor_the_body() {
    for location in ["https://b.example/", "https://a.example:8443/", "https://sub.a.example/"] {
        for status in [301, 302, 303, 307, 308] {
            let next = go(&from(Method::GET, "https://a.example/"), status, location).unwrap().unwrap();
            let names: Vec<_> = next.headers.keys().map(header::HeaderName::as_str).collect();
            assert_eq!(names, ["accept"], "{status} {location}");
        }
        for status in [307, 308] {
            let got = go(&from(Method::POST, "https://a.example/"), status, location);
            assert!(matches!(got, Err(NetError::BodyAcrossOrigins(_))), "{status} {location}: {got:?}");
        }
        for status in [301, 302, 303] {
            let next = go(&from(Method::POST, "https://a.example/"), status, location).unwrap().unwrap();
            assert_eq!(
                (next.method, next.body.len(), next.headers.len()),
                (Method::GET, 0, 1),
                "{status} {location}"
            );
        }
    }
}

#[test]
fn the_same_origin_gets_what_it_was_sent_before() {
    let post = from(Method::POST, "https://a.example/");
    let next = go(&post, 308, "/other").unwrap().unwrap();
    assert_eq!((next.method.clone(), next.body.len(), next.headers.len()), (Method::POST, 6, 5));
    let next = go(&post, 303, "/other").unwrap().unwrap();
    assert_eq!((next.method.clone(), next.body.len()), (Method::GET, 0));
    assert!(!next.headers.contains_key(header::CONTENT_TYPE));
    assert!(next.headers.contains_key(header::AUTHORIZATION));
}

#[test]
fn other_answers_are_no_redirects() {
    let request = from(Method::GET, "https://a.example/");
    for status in [200, 201, 204, 300, 304, 305, 306, 400, 500] {
        assert!(go(&request, status, "/x").unwrap().is_none(), "{status}");
    }
    assert!(next(&request, StatusCode::FOUND, &HeaderMap::new()).unwrap().is_none());
}
