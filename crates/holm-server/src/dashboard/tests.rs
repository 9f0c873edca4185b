use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{
    file::{DashboardFile, answer},
    picture,
};

fn packed(text: &str) -> &'static [u8] {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap().leak()
}

fn files() -> Vec<DashboardFile> {
    vec![
        DashboardFile { name: "assets/main-1a2b.js", packed: packed("let a = 1;") },
        DashboardFile { name: "index.html", packed: packed("<!doctype html>") },
    ]
}

fn accepting(codings: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(codings))])
}

async fn body(answer: axum::response::Response) -> Vec<u8> {
    axum::body::to_bytes(answer.into_body(), 1_024).await.unwrap().to_vec()
}

#[tokio::test]
async fn a_file_is_given_packed_to_whoever_reads_gzip_and_plain_to_others() {
    let files = files();
    for (codings, gzip) in [
        ("gzip, br", true),
        ("br, GZIP;q=0.5", true),
        ("*", false),
        ("br", false),
        ("gzip;q=0", false),
        ("gzip; q=0.0", false),
        ("", false),
    ] {
        let given = answer(&files, "index.html", &accepting(codings));
        assert_eq!(given.headers().contains_key(header::CONTENT_ENCODING), gzip, "{codings}");
        let bytes = body(given).await;
        assert_eq!(bytes == b"<!doctype html>", !gzip, "{codings}");
        assert_eq!(bytes == files[1].packed, gzip, "{codings}");
    }
}

#[test]
fn the_page_is_asked_for_anew_and_what_is_named_by_its_content_is_kept() {
    let files = files();
    let page = answer(&files, "index.html", &HeaderMap::new());
    assert_eq!(page.headers()[header::CACHE_CONTROL], "no-cache");
    assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; ") && !policy.contains("unsafe"),
        "{policy}"
    );
    let script = answer(&files, "assets/main-1a2b.js", &HeaderMap::new());
    assert_eq!(script.headers()[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
    assert_eq!(script.headers()[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
}

#[test]
fn only_files_that_were_built_in_are_given() {
    let files = files();
    for name in
        ["", "assets/", "assets/../index.html", "index.html/", "/index.html", "assets/main-1a2b.js.map"]
    {
        assert_eq!(answer(&files, name, &HeaderMap::new()).status(), StatusCode::NOT_FOUND, "{name}");
    }
}

#[tokio::test]
async fn a_program_without_a_dashboard_says_how_to_get_one() {
    let given = answer(&[], "index.html", &HeaderMap::new());
    assert_eq!(given.status(), StatusCode::NOT_FOUND);
    assert!(String::from_utf8(body(given).await).unwrap().contains("make dashboard"));
}

#[tokio::test]
async fn a_picture_stands_in_a_page_that_runs_nothing_and_lets_in_its_own_site_alone() {
    let page = picture::page("https://pics.example:8443/a.png?x=%22&y='1'").unwrap();
    let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
    assert!(
        policy.contains("default-src 'none'; img-src https://pics.example:8443; style-src 'sha256-"),
        "{policy}"
    );
    assert!(policy.contains("; sandbox; frame-ancestors 'self'"), "{policy}");
    assert!(!policy.contains("script-src"), "{policy}");
    let text = String::from_utf8(body(page).await).unwrap();
    assert!(text.contains(r#"src="https://pics.example:8443/a.png?x=%22&amp;y=&#39;1&#39;""#), "{text}");
    assert!(text.contains(r#"referrerpolicy="no-referrer""#) && !text.contains("<script"), "{text}");
}

#[test]
fn what_is_no_address_of_a_picture_is_refused() {
    let long = format!("https://a.example/{}", "x".repeat(2_048));
    for address in [
        "",
        "/a.png",
        "a.png",
        "javascript:alert(1)",
        "data:image/png;base64,AAAA",
        "file:///etc/passwd",
        "https://",
        "https://user:word@a.example/b",
        "https://a.example;script-src/b",
        "https://a,b/c",
        "https://[::1]/a.png",
        "https://*/a.png",
        // A browser writes these with percent signs.
        "https://a.example/?x=<script>",
        long.as_str(),
    ] {
        let refused = picture::page(address).map(|_| ()).unwrap_err();
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{address}");
    }
}

#[test]
fn the_style_of_a_picture_is_the_one_that_its_policy_lets_in() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(picture::STYLE));
    assert_eq!(picture::STYLE_HASH, format!("'sha256-{hash}'"));
}
