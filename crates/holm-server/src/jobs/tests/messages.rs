//! Sends messages over a real socket and verifies them as a recipient would.

use std::sync::Arc;

use holm_grants::{GrantPolicy, GrantSet};
use holm_net::{Connector, HttpClient, NetError, SystemResolver, TlsConfig};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::{
    auth::UserName,
    jobs::{
        HookKey, JobNotification, JobNotificationKind, JobRunKey, NotificationSender as _, WallClock,
        WebhookDeliveryError, WebhookHeaders, WebhookSender,
    },
};
use holm_runtime::Clock as _;

fn client() -> HttpClient {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    HttpClient::new(Connector::new(Arc::new(SystemResolver)), TlsConfig::with_config(config))
}

fn news(url: &str, key: &HookKey) -> JobNotification {
    JobNotification {
        kind: JobNotificationKind::Failed,
        user: UserName::owner(),
        job: "nightly".parse().unwrap(),
        run: JobRunKey::message("x"),
        session: Some("job.nightly.x.1".into()),
        reason: "it broke\r\nx-evil: 1".into(),
        at: WallClock.now(),
        url: url.into(),
        key: key.clone(),
        old: None,
    }
}

/// Takes one request and answers it with a status. Gives the headers and the body.
async fn take(listener: &TcpListener, status: &str) -> (HeaderMap, Vec<u8>) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let mut headers = HeaderMap::new();
        for line in head.lines().skip(1) {
            let (name, value) = line.split_once(": ").unwrap();
            headers.append(name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap());
        }
        let length: usize = headers["content-length"].to_str().unwrap().parse().unwrap();
        if body.len() >= length || read == 0 {
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            return (headers, body.as_bytes().to_vec());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_gets_a_message_can_check_it_and_a_second_try_is_the_same() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let policy = GrantPolicy {
        grants: GrantSet::parse([&*format!("fetch:{origin}")]).unwrap(),
        ..GrantPolicy::default()
    };
    let webhooks = WebhookSender::within(client(), policy, Arc::new(WallClock));
    let key = HookKey::new().unwrap();
    let news = news(&format!("{origin}/hook"), &key);
    let telling = tokio::spawn(webhooks.tell(news.clone()));
    let first = take(&listener, "500 Oh").await;
    assert_eq!(telling.await.unwrap(), Err(WebhookDeliveryError::Status(500)));
    let telling = tokio::spawn(webhooks.tell(news));
    let second = take(&listener, "204 No Content").await;
    assert_eq!(telling.await.unwrap(), Ok(()));
    for (headers, body) in [&first, &second] {
        let signed = WebhookHeaders::of(headers).unwrap();
        assert_eq!(key.check(&signed, body, WallClock.now()), Ok(()));
        let message: serde_json::Value = serde_json::from_slice(body).unwrap();
        assert_eq!(message["type"], "job.failed");
        assert_eq!(message["data"]["job"], "nightly");
        assert!(!headers.contains_key("x-evil"));
    }
    assert_eq!(
        first.0["webhook-id"], second.0["webhook-id"],
        "so that it can be told apart from another one"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_two_keys_count_whoever_knows_one_of_them_believes_a_message() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let policy = GrantPolicy {
        grants: GrantSet::parse([&*format!("fetch:{origin}")]).unwrap(),
        ..GrantPolicy::default()
    };
    let webhooks = WebhookSender::within(client(), policy, Arc::new(WallClock));
    let (new, old, other) = (HookKey::new().unwrap(), HookKey::new().unwrap(), HookKey::new().unwrap());
    let news = JobNotification { old: Some(old.clone()), ..news(&format!("{origin}/hook"), &new) };
    let telling = tokio::spawn(webhooks.tell(news));
    let (headers, body) = take(&listener, "204 No Content").await;
    assert_eq!(telling.await.unwrap(), Ok(()));
    let signed = WebhookHeaders::of(&headers).unwrap();
    for key in [&new, &old] {
        assert_eq!(key.check(&signed, &body, WallClock.now()), Ok(()));
    }
    assert!(other.check(&signed, &body, WallClock.now()).is_err());
}

#[tokio::test]
async fn this_machine_and_its_neighbours_are_never_told() {
    let webhooks = WebhookSender::new(client(), Arc::new(WallClock)).unwrap();
    let key = HookKey::new().unwrap();
    for url in [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest",
        "http://8.8.8.8/",
    ] {
        let sent = webhooks.tell(news(url, &key)).await;
        assert!(matches!(sent, Err(WebhookDeliveryError::Net(NetError::Refused(_)))), "{url}: {sent:?}");
    }
    assert_eq!(webhooks.tell(news("no address", &key)).await, Err(WebhookDeliveryError::Address));
}
