use std::{fs, path::Path};

use axum::{body::to_bytes, response::Response};
use holm_tools::root::{DenyRules, WorkspaceRoot};
use http::{
    HeaderMap, HeaderValue, Method,
    header::{CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE, LOCATION, RANGE},
};

use super::{
    PasswordHash, PublishedSite, SitePath, SitePlace, SiteRegistry,
    byte_range::{ResponseRange, part},
    content_type::kind,
    page::{SiteRequest, page},
    path::PathTarget,
};
use crate::auth::UserName;

/// A workspace with a site in it, and hidden files next to it.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    fs::create_dir_all(root.join("site/deep")).unwrap();
    fs::create_dir_all(root.join("site/.git")).unwrap();
    for (name, text) in [
        ("site/index.html", "home"),
        ("site/a b.txt", "0123456789"),
        ("site/deep/index.html", "deep"),
        ("site/.env", "SECRET"),
        ("site/.git/config", "SECRET"),
        ("site/page.exe", "MZ"),
        ("beside.txt", "SECRET"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    fs::write(folder.path().join("outside.txt"), "SECRET").unwrap();
    for (target, link) in [
        ("../beside.txt", "site/link.txt"),
        ("../../outside.txt", "site/far.txt"),
        ("..", "site/up"),
        ("/etc", "site/etc"),
    ] {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    folder
}

async fn ask(folder: &Path, method: &Method, path: &str, headers: &HeaderMap) -> Response {
    let site = SitePath::folder("site").unwrap();
    let work = folder.join("work");
    let open = move || WorkspaceRoot::open(&work).map(|root| root.denies(DenyRules::usual()));
    page(open, &site, SiteRequest { method, path, headers }).await
}

async fn get(folder: &Path, path: &str, headers: &[(http::HeaderName, &str)]) -> (u16, HeaderMap, String) {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(name.clone(), HeaderValue::from_str(value).unwrap());
    }
    let answer = ask(folder, &Method::GET, path, &map).await;
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let body = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
    (status, headers, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn files_and_the_pages_of_folders_are_shown() {
    let folder = workspace();
    for (path, expect) in
        [("/", "home"), ("/index.html", "home"), ("/a%20b.txt", "0123456789"), ("/deep/", "deep")]
    {
        let (status, headers, body) = get(folder.path(), path, &[]).await;
        assert_eq!((status, body.as_str()), (200, expect), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["content-security-policy"], "frame-ancestors 'none'");
    }
    let (status, headers, _) = get(folder.path(), "/deep", &[]).await;
    assert_eq!((status, &headers[LOCATION]), (301, &HeaderValue::from_static("/deep/")));
}

#[tokio::test]
async fn nothing_but_the_folder_is_shown() {
    let folder = workspace();
    for path in [
        "/../beside.txt",
        "/%2e%2e/beside.txt",
        "/..%2fbeside.txt",
        "/%2e%2e%2fbeside.txt",
        "/deep/../../beside.txt",
        "/.env",
        "/%2eenv",
        "/.git/config",
        "//etc/passwd",
        "/etc/passwd",
        "/link.txt",
        "/far.txt",
        "/up/beside.txt",
        "/up/",
        "/..%5cbeside.txt",
        "/index.html%00.txt",
        "/%",
        "/%zz",
        "/%ff",
        "/C:/x",
        "/missing",
        "/deep//index.html",
        "/./index.html",
        "index.html",
        "",
        "*",
        "/a b.txt/",
        "/index.html/",
    ] {
        let (status, _, body) = get(folder.path(), path, &[]).await;
        assert_eq!(status, 404, "{path}: {body}");
        assert!(!body.contains("SECRET") && !body.contains("work"), "{path}: {body}");
    }
    // A folder without a page is not listed.
    fs::create_dir(folder.path().join("work/site/empty")).unwrap();
    for path in ["/empty", "/empty/"] {
        assert_eq!(get(folder.path(), path, &[]).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn a_file_that_becomes_a_link_is_no_longer_shown() {
    let folder = workspace();
    let file = folder.path().join("work/site/page.html");
    fs::write(&file, "page").unwrap();
    assert_eq!(get(folder.path(), "/page.html", &[]).await.0, 200);
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("../../outside.txt", &file).unwrap();
    assert_eq!(get(folder.path(), "/page.html", &[]).await.0, 404);
}

#[tokio::test]
async fn a_site_is_looked_at_and_never_changed() {
    let folder = workspace();
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS, Method::CONNECT]
    {
        let answer = ask(folder.path(), &method, "/index.html", &HeaderMap::new()).await;
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["allow"]),
            (405, &HeaderValue::from_static("GET, HEAD"))
        );
    }
    let answer = ask(folder.path(), &Method::HEAD, "/a%20b.txt", &HeaderMap::new()).await;
    assert_eq!(answer.headers()[CONTENT_LENGTH], "10");
    assert!(to_bytes(answer.into_body(), 100).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_somebody_has_is_not_sent_again_and_parts_are_parts() {
    let folder = workspace();
    let path = "/a%20b.txt";
    let (_, headers, _) = get(folder.path(), path, &[]).await;
    let tag = headers[ETAG].to_str().unwrap().to_owned();
    let known = format!("\"x\", W/{tag}");
    let (status, headers, body) = get(folder.path(), path, &[(IF_NONE_MATCH, known.as_str())]).await;
    assert_eq!((status, body.as_str(), headers.contains_key(CONTENT_TYPE)), (304, "", false));
    let (status, headers, body) =
        get(folder.path(), path, &[(RANGE, "bytes=2-4"), (IF_RANGE, tag.as_str())]).await;
    assert_eq!(
        (status, body.as_str(), &headers[CONTENT_RANGE]),
        (206, "234", &HeaderValue::from_static("bytes 2-4/10"))
    );
    let (status, _, body) = get(folder.path(), path, &[(RANGE, "bytes=2-4"), (IF_RANGE, "\"other\"")]).await;
    assert_eq!((status, body.as_str()), (200, "0123456789"));
    let (status, headers, _) = get(folder.path(), path, &[(RANGE, "bytes=10-")]).await;
    assert_eq!((status, &headers[CONTENT_RANGE]), (416, &HeaderValue::from_static("bytes */10")));
    // A file that was changed has another tag, also with the same length.
    let file = folder.path().join("work/site/a b.txt");
    fs::remove_file(&file).unwrap();
    fs::write(&file, "9876543210").unwrap();
    // Clocks of file systems may stop for milliseconds.
    let other_time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
    fs::File::options().write(true).open(&file).unwrap().set_modified(other_time).unwrap();
    let changed = get(folder.path(), path, &[(IF_NONE_MATCH, tag.as_str())]).await;
    assert_eq!((changed.0, changed.2.as_str()), (200, "9876543210"));
}

#[test]
fn ranges_are_read_as_they_are_meant() {
    let check = |range: &str, length: u64, expect: ResponseRange| {
        let mut headers = HeaderMap::new();
        headers.insert(RANGE, HeaderValue::from_str(range).unwrap());
        assert_eq!(part(&headers, "\"t\"", length), expect, "{range} of {length}");
    };
    let bytes = |first, last| ResponseRange::Bytes { first, last };
    check("bytes=0-0", 10, bytes(0, 0));
    check("bytes=5-", 10, bytes(5, 9));
    check("bytes=-3", 10, bytes(7, 9));
    check("bytes=-30", 10, bytes(0, 9));
    check("bytes=5-99999999999999999999999", 10, bytes(5, 9));
    for outside in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"] {
        check(outside, 10, ResponseRange::Outside);
    }
    check("bytes=0-", 0, ResponseRange::Outside);
    for ignored_range in [
        "bytes=5-2",
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=0-1,3-4",
        "items=0-1",
        "bytes=+1-2",
        "bytes=1-2-3",
    ] {
        check(ignored_range, 10, ResponseRange::Whole);
    }
}

#[test]
fn what_a_file_is_follows_from_its_name_alone() {
    for (extension, expect) in [
        ("HTML", "text/html; charset=utf-8"),
        ("js", "text/javascript; charset=utf-8"),
        ("exe", "application/octet-stream"),
    ] {
        assert_eq!(kind(extension), expect);
    }
    let (path, names) = SitePath::asked("/a/b.tar.gz").unwrap();
    assert_eq!((path.extension(), names), ("gz", PathTarget::File));
    assert_eq!(kind(""), "application/octet-stream");
}

#[test]
fn folders_that_are_no_folders_of_a_workspace_are_refused() {
    for folder in ["", "site", "a/b/", "ordner mit leerzeichen"] {
        assert!(SitePath::folder(folder).is_ok(), "{folder}");
    }
    for folder in ["/", "/etc", "..", "a/../..", "a//b", "./a", ".git", "a/.hidden", "a\\b", "a\0b", "c:/x"] {
        assert!(SitePath::folder(folder).is_err(), "{folder}");
    }
}

#[test]
fn a_password_is_kept_as_a_hash_that_only_it_fits() {
    let hash = PasswordHash::with_cost("correct horse", 4).unwrap();
    assert!(hash.fits("correct horse"));
    for wrong in ["", "correct hors", "correct horse ", "Correct horse", "x".repeat(10_000).as_str()] {
        assert!(!hash.fits(wrong));
    }
    let again = PasswordHash::with_cost("correct horse", 4).unwrap();
    assert_ne!(hash, again, "each has a salt of its own");
    let text = serde_json::to_string(&hash).unwrap();
    assert!(!text.contains("correct") && format!("{hash:?}") == "PasswordHash(…)");
    assert!(serde_json::from_str::<PasswordHash>(&text).unwrap().fits("correct horse"));
    for bad in ["short", "x".repeat(300).as_str()] {
        let refused = PasswordHash::with_cost(bad, 4).unwrap_err();
        assert!(!refused.to_string().contains(bad), "{refused}");
    }
    // A manipulated hash that would use all memory matches no password.
    let heavy = text.replace("\"log_n\":4", "\"log_n\":40");
    assert!(!serde_json::from_str::<PasswordHash>(&heavy).unwrap().fits("correct horse"));
}

fn site(name: &str, place: SitePlace) -> PublishedSite {
    let folder = SitePath::folder("site").unwrap();
    PublishedSite { name: name.parse().unwrap(), user: UserName::owner(), folder, place, password: None }
}

#[test]
fn sites_are_kept_and_places_are_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    let sites = SiteRegistry::open(folder.path()).unwrap();
    let host = |name: &str| SitePlace::Host(name.into());
    let listen = |address: &str| SitePlace::Listen(address.parse().unwrap());
    sites.add(site("docs", host("docs.localhost"))).unwrap();
    sites.add(site("blog", listen("127.0.0.1:8099"))).unwrap();
    assert!(sites.add(site("docs", host("other.localhost"))).is_err());
    assert!(sites.add(site("more", host("docs.localhost"))).is_err());
    assert!(sites.add(site("more", listen("127.0.0.1:8099"))).is_err());
    for bad in ["", "UPPER.example", "a..b", "-a", "127.0.0.1", "::1", "a b", "a/b", "a:80"] {
        assert!(sites.add(site("bad", host(bad))).is_err(), "{bad}");
    }
    let again = SiteRegistry::open(folder.path()).unwrap();
    assert_eq!(again.list(), sites.list());
    assert_eq!(again.hosted("DOCS.localhost").unwrap().name.as_str(), "docs");
    assert!(again.hosted("blog").is_none());
    again.remove(&"docs".parse().unwrap()).unwrap();
    assert!(again.remove(&"docs".parse().unwrap()).is_err());
}
