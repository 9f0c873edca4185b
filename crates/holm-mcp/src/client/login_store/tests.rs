use std::fs;

use rmcp::transport::auth::{CredentialStore as _, StoredCredentials};

use super::{LoginStore, StoredLogin};
use crate::{ServerAddress, ServerName};

fn name(text: &str) -> ServerName {
    text.parse().unwrap()
}

fn of(logins: &LoginStore, server: &str, url: &str) -> StoredLogin {
    logins.of(&name(server), &ServerAddress::new(url).unwrap())
}

fn login(issuer: &str) -> StoredCredentials {
    let token = r#"{"access_token":"canary-access","token_type":"bearer","refresh_token":"canary-refresh","expires_in":60}"#;
    let token = serde_json::from_str(token).unwrap();
    StoredCredentials::new("client".into(), Some(token), vec!["read".into()], Some(1))
        .with_issuer(Some(issuer.to_owned()))
}

#[tokio::test]
async fn a_login_is_kept_for_one_server_at_one_address() {
    let folder = tempfile::tempdir().unwrap();
    let logins = LoginStore::new(folder.path().join("logins"));
    let login_file = of(&logins, "a", "https://mcp.example/mcp");
    assert!(login_file.load().await.unwrap().is_none());
    login_file.save(login("https://issuer.example")).await.unwrap();
    let kept = of(&logins, "a", "https://mcp.example/mcp").load().await.unwrap().unwrap();
    assert_eq!((kept.client_id.as_str(), kept.issuer.as_deref()), ("client", Some("https://issuer.example")));
    for (server, url) in [("a", "https://evil.example/mcp"), ("b", "https://mcp.example/mcp")] {
        assert!(of(&logins, server, url).load().await.unwrap().is_none(), "{server} at {url}");
    }
    assert_eq!(logins.forget(&name("a")).unwrap(), 1);
    assert!(login_file.load().await.unwrap().is_none());
}

#[tokio::test]
async fn a_login_is_taken_back_alone() {
    let folder = tempfile::tempdir().unwrap();
    let logins = LoginStore::new(folder.path());
    let (first, second) = (of(&logins, "a", "https://a.example"), of(&logins, "a", "https://b.example"));
    for kept in [&first, &second] {
        kept.save(login("https://issuer.example")).await.unwrap();
    }
    first.clear().await.unwrap();
    first.clear().await.unwrap();
    assert!(first.load().await.unwrap().is_none() && second.load().await.unwrap().is_some());
}

#[tokio::test]
async fn a_file_of_another_address_is_no_login() {
    let folder = tempfile::tempdir().unwrap();
    let logins = LoginStore::new(folder.path());
    let (first, second) = (of(&logins, "a", "https://a.example"), of(&logins, "a", "https://b.example"));
    first.save(login("https://issuer.example")).await.unwrap();
    fs::copy(first.files.path(&first.server, &first.hash), second.files.path(&second.server, &second.hash))
        .unwrap();
    assert!(second.load().await.unwrap().is_none());
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_reads_a_login_and_nothing_prints_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let login_file = of(&LoginStore::new(folder.path()), "a", "https://a.example");
    login_file.save(login("https://issuer.example")).await.unwrap();
    let path = login_file.files.path(&login_file.server, &login_file.hash);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let printed = format!("{login_file:?} {:?}", login_file.load().await);
    assert!(!printed.contains("canary"), "{printed}");
    // A folder in the file's place cannot be written over.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = login_file.save(login("https://issuer.example")).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
}

#[tokio::test]
async fn two_processes_do_not_refresh_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = of(&LoginStore::new(folder.path()), "a", "https://a.example");
    let held = first.acquire_refresh_guard().await.unwrap();
    let second = first.clone();
    let waits = tokio::spawn(async move { second.acquire_refresh_guard().await.is_ok() });
    tokio::task::yield_now().await;
    assert!(!waits.is_finished());
    drop(held);
    assert!(waits.await.unwrap());
}
