//! Only the files of the dashboard are served without access checks.

use crate::stage::Stage;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_needs_no_token_and_everything_that_it_asks_for_does() {
    let stage = Stage::new().await;
    let nobody = stage.http().token(None);
    // With or without a built dashboard, no token is required.
    let page = nobody.get("/").await;
    assert!(page.status == 200 || (page.status == 404 && page.code() == "no_dashboard"), "{page:?}");
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{page:?}");
    assert!(page.head.contains("x-frame-options: DENY"), "{page:?}");
    assert_eq!(nobody.get("/assets/none.js").await.status, 404);
    for path in ["/api/me", "/health", "/assets", "/assets/a/b", "/index.html", "//", "/assets/../api/me"] {
        assert_eq!(nobody.get(path).await.status, 401, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_is_given_under_the_servers_own_names_and_taken_by_get_alone() {
    let stage = Stage::new().await;
    for host in ["evil.example", "127.0.0.1.evil.example:7417"] {
        assert_eq!(stage.http().header("host", host).get("/").await.status, 421, "{host}");
    }
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_eq!(stage.http().send(method, "/", Some("{}")).await.status, 405, "{method}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn below_a_base_path_the_page_is_there_and_nowhere_else() {
    let stage = Stage::with(|config| config.base = "/team/holm".parse().unwrap()).await;
    let nobody = stage.http().token(None);
    assert_ne!(nobody.get("/team/holm/").await.status, 401);
    let moved = nobody.get("/team/holm").await;
    assert!(moved.status == 308 && moved.head.contains("location: /team/holm/"), "{moved:?}");
    assert_eq!(nobody.get("/").await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_of_another_site_is_framed_by_this_server_alone_and_lets_in_nothing_else() {
    let stage = Stage::new().await;
    let nobody = stage.http().token(None);
    let path = "/picture?of=https%3A%2F%2Fa.example%2Fb.png";
    let page = nobody.get(path).await;
    assert_eq!(page.status, 200, "{page:?}");
    for part in
        ["img-src https://a.example;", "sandbox;", "frame-ancestors 'self'", "x-frame-options: SAMEORIGIN"]
    {
        assert!(page.head.contains(part), "{part} in {page:?}");
    }
    assert!(page.head.contains("referrer-policy: no-referrer"), "{page:?}");
    for other in ["/picture", "/picture?of=", "/picture?of=javascript%3Aalert(1)", "/picture?of=%2Fapi%2Fme"]
    {
        assert_eq!(nobody.get(other).await.status, 400, "{other}");
    }
    assert_eq!(stage.http().header("host", "evil.example").get(path).await.status, 421);
    for (dest, site, expect) in [
        ("iframe", "same-origin", 200),
        ("document", "none", 403),
        ("document", "same-origin", 403),
        ("image", "same-origin", 403),
        ("iframe", "cross-site", 403),
        ("iframe", "same-site", 403),
    ] {
        let browser = nobody.header("sec-fetch-dest", dest).header("sec-fetch-site", site);
        assert_eq!(browser.get(path).await.status, expect, "{dest} {site}");
    }
}
