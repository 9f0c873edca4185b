//! Sites over real sockets: their origin, their folder and their password.

use std::net::SocketAddr;

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::{client::Http, stage::Stage};

async fn stage() -> Stage {
    let stage = Stage::with(|config| config.sites = Some("127.0.0.1:0".parse().unwrap())).await;
    // The first request of a user creates their folder.
    stage.http().get("/api/sessions").await;
    let work = stage.workspace("owner");
    std::fs::create_dir_all(work.join("site")).unwrap();
    std::fs::write(work.join("site/index.html"), "<h1>hello</h1>").unwrap();
    std::fs::write(work.join("secret.txt"), "SECRET").unwrap();
    stage
}

async fn publish(http: &Http, site: Value) -> SocketAddr {
    let made = http.post("/api/sites", &site).await;
    assert_eq!(made.status, 201, "{made:?}");
    let address = made.json()["address"].as_str().unwrap().to_owned();
    let port = address.rsplit_once(':').unwrap().1.parse().unwrap();
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn visitor(address: SocketAddr) -> Http {
    Http::new(address, "").token(None)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_is_shown_at_an_address_of_its_own() {
    let stage = stage().await;
    let http = stage.http();
    let address =
        publish(&http, json!({ "name": "docs", "folder": "site", "place": { "listen": "127.0.0.1:0" } }))
            .await;
    let page = visitor(address).get("/").await;
    assert_eq!((page.status, page.body.as_str()), (200, "<h1>hello</h1>"));
    for path in
        ["/../secret.txt", "/%2e%2e/secret.txt", "/secret.txt", "/api/sessions", "/health", "/v1/models"]
    {
        let page = visitor(address).get(path).await;
        assert_eq!(page.status, 404, "{path}: {page:?}");
    }
    assert_eq!(visitor(address).send("POST", "/", Some("{}")).await.status, 405);
    // A foreign name that resolves to this address (DNS rebinding) is refused.
    assert_eq!(visitor(address).header("host", "rebound.example").get("/").await.status, 421);
    // And the server shows no site under its own origin.
    assert_eq!(http.get("/index.html").await.status, 404);
    assert_eq!(http.send("DELETE", "/api/sites/docs", None).await.status, 204);
    assert_eq!(http.get("/api/sites").await.json(), json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_with_a_host_name_answers_to_that_name_alone() {
    let stage = stage().await;
    let http = stage.http();
    let place = json!({ "host": "docs.localhost" });
    let address = publish(&http, json!({ "name": "docs", "folder": "site", "place": place })).await;
    let named = |host: &str| visitor(address).header("host", host);
    assert_eq!(named("docs.localhost").get("/").await.status, 200);
    assert_eq!(named(&format!("docs.localhost:{}", address.port())).get("/").await.status, 200);
    for host in ["localhost", "127.0.0.1", "other.localhost", "docs.localhost.evil.example"] {
        assert_eq!(named(host).get("/").await.status, 421, "{host}");
        // The other way in which a request says where it goes, and both ways at once.
        assert_eq!(named("docs.localhost").get(&format!("http://{host}/")).await.status, 421, "{host}");
        assert_eq!(named("docs.localhost").header("host", host).get("/").await.status, 400, "{host}");
    }
    assert_eq!(named("docs.localhost").get("http://docs.localhost/").await.status, 200);
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "", "a b"] {
        let site = json!({ "name": "own", "folder": "site", "place": { "host": host } });
        assert_eq!(http.post("/api/sites", &site).await.status, 400, "{host}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_with_a_password_is_shown_to_whoever_says_it() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let stage = stage().await;
    let http = stage.http();
    let place = json!({ "listen": "127.0.0.1:0" });
    let site = json!({ "name": "docs", "folder": "site", "place": place, "password": "correct horse" });
    let address = publish(&http, site).await;
    let says = |password: &str| {
        let basic = STANDARD.encode(format!("anybody:{password}"));
        visitor(address).header("authorization", &format!("Basic {basic}"))
    };
    let locked = visitor(address).get("/").await;
    assert_eq!(locked.status, 401);
    assert!(locked.head.to_ascii_lowercase().contains("www-authenticate: basic"), "{locked:?}");
    assert_eq!(says("wrong password").get("/").await.status, 401);
    for _ in 0..3 {
        assert_eq!(says("correct horse").get("/").await.status, 200);
    }
    assert_eq!(says("wrong password").get("/").await.status, 401, "one who knew it opens for nobody else");
    // The server's own token is no password of a site, and what is kept is no password.
    assert_eq!(Http::new(address, http.token.as_deref().unwrap()).get("/").await.status, 401);
    let kept = std::fs::read_to_string(stage.file("sites.json")).unwrap();
    assert!(!kept.contains("correct horse"), "{kept}");
    assert!(!http.get("/api/sites").await.body.contains("hash"));
    // All at once, so that no machine is slow enough to be patient with them.
    let guesses = (0..40).map(|_| {
        let guess = says("guess again");
        async move { guess.get("/").await.status }
    });
    let answers = futures::future::join_all(guesses).await;
    assert!(answers.contains(&429), "nobody guesses on and on: {answers:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sites_are_for_administrators_and_survive_a_restart() {
    let stage = stage().await;
    let site = json!({ "name": "docs", "folder": "site", "place": { "listen": "127.0.0.1:0" } });
    let operator = stage.as_user("ada", Role::Operator, TokenScope::All);
    assert_eq!(operator.post("/api/sites", &site).await.status, 403);
    assert_eq!(operator.get("/api/sites").await.status, 403);
    let some = TokenScope::Only(["one".parse().unwrap()].into());
    let narrow = stage.as_user("owner", Role::Admin, some);
    assert_eq!(narrow.get("/api/sites").await.status, 403);
    for (method, path) in [("POST", "/api/sites"), ("DELETE", "/api/sites/docs")] {
        let refused = narrow.send(method, path, Some(&site.to_string())).await;
        assert_eq!(refused.status, 403, "a token for some sessions opens no doors: {method} {refused:?}");
    }
    for folder in ["/etc", "..", "../..", ".holm"] {
        let site = json!({ "name": "bad", "folder": folder, "place": { "listen": "127.0.0.1:0" } });
        assert_eq!(stage.http().post("/api/sites", &site).await.status, 400, "{folder}");
    }
    for (folder, expect) in [("nowhere", 404), ("site/nowhere", 404), ("secret.txt", 400)] {
        let site = json!({ "name": "bad", "folder": folder, "place": { "listen": "127.0.0.1:0" } });
        let refused = stage.http().post("/api/sites", &site).await;
        assert_eq!(refused.status, expect, "{folder}: {refused:?}");
    }
    assert!(stage.http().get("/api/sites").await.json().as_array().unwrap().is_empty());
    let exposed = json!({ "name": "bad", "folder": "site", "place": { "listen": "0.0.0.0:0" } });
    assert_eq!(stage.http().post("/api/sites", &exposed).await.status, 400, "not without a certificate");
    let own = json!({ "name": "bad", "folder": "site", "place": { "listen": stage.serving.address().to_string() } });
    assert_eq!(stage.http().post("/api/sites", &own).await.status, 400);
    publish(&stage.http(), site).await;
    let stage = stage.restart().await;
    let listed = stage.http().get("/api/sites").await.json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let port = listed[0]["address"].as_str().unwrap().rsplit_once(':').unwrap().1.parse::<u16>().unwrap();
    assert_eq!(visitor(SocketAddr::from(([127, 0, 0, 1], port))).get("/").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_of_the_whole_workspace_shows_nothing_of_what_holm_keeps() {
    let stage = stage().await;
    let kept = stage.workspace("owner").join("kept");
    std::fs::create_dir_all(kept.join("server")).unwrap();
    std::fs::write(kept.join("keys.json"), "SECRET").unwrap();
    std::fs::write(kept.join("server/index.html"), "SECRET").unwrap();
    let site = json!({ "name": "all", "folder": "", "place": { "listen": "127.0.0.1:0" } });
    let address = publish(&stage.http(), site).await;
    assert_eq!(visitor(address).get("/site/").await.status, 200);
    for path in ["/kept/keys.json", "/kept/server/", "/kept/server/index.html", "/kept/server"] {
        let page = visitor(address).get(path).await;
        assert_eq!(page.status, 404, "{path}: {page:?}");
    }
}
