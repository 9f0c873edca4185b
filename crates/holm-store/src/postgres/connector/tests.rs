use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt as _,
    net::{TcpListener, TcpStream},
};

use super::{CommitDurability, PostgresConnector};
use crate::StoreError;

/// A server that closes every connection at once, with the number of connections so far.
async fn rude() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let (port, connections) = (listener.local_addr().unwrap().port(), Arc::<AtomicUsize>::default());
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, connections)
}

#[tokio::test]
async fn whoever_waits_for_a_database_that_is_not_there_is_told_at_once() {
    for (pause, expect) in [(Duration::from_secs(3_600), 1), (Duration::ZERO, 3)] {
        let (port, connections) = rude().await;
        let mut reach = PostgresConnector::new(&format!("host=127.0.0.1 port={port} user=holm")).unwrap();
        reach.pause = pause;
        let first = reach.connect(CommitDurability::Synced).await.map(|_| ()).unwrap_err();
        for _ in 0..2 {
            let again = reach.connect(CommitDurability::Written).await.map(|_| ()).unwrap_err();
            assert!(pause == Duration::ZERO || again == first, "{again:?}");
        }
        assert_eq!(connections.load(Ordering::SeqCst), expect, "{pause:?}");
    }
}

/// A server that accepts every login and then stays silent, like a pool that has
/// run out of connections.
async fn silent() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut held: Vec<TcpStream> = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            // Accepts any login and reports that it is ready for queries.
            stream.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").await.unwrap();
            held.push(stream);
        }
    });
    port
}

#[tokio::test]
async fn a_database_that_lets_somebody_in_and_says_nothing_more_is_not_waited_for_without_end() {
    let address = format!("host=127.0.0.1 port={} user=holm", silent().await);
    let mut reach = PostgresConnector::new(&address).unwrap();
    reach.patience = Duration::from_millis(200);
    match reach.connect(CommitDurability::Synced).await.map(|_| ()) {
        Err(StoreError::System { reason }) => assert!(reason.contains("does not answer"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_an_address_says_of_silence_is_what_happens() {
    let all = "postgresql://a@127.0.0.1/x?keepalives_idle=9&keepalives_interval=4&keepalives_retries=7&tcp_user_timeout=3";
    for (address, idle, interval, retries, unheard) in [
        ("host=127.0.0.1 user=a", 30, 10, 3, 60),
        ("host=127.0.0.1 user=a keepalives_idle=5", 5, 10, 3, 60),
        // As long as the driver waits by itself, and said all the same.
        ("host=127.0.0.1 user=a keepalives_idle=7200", 7_200, 10, 3, 60),
        ("postgresql://a@127.0.0.1/x?keepalives_idle=8", 8, 10, 3, 60),
        (all, 9, 4, 7, 3),
    ] {
        let config = PostgresConnector::new(address).unwrap().config;
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(idle), "{address}");
        assert_eq!(config.get_keepalives_interval(), Some(Duration::from_secs(interval)), "{address}");
        assert_eq!(config.get_keepalives_retries(), Some(retries), "{address}");
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(unheard)), "{address}");
    }
}

#[test]
fn what_goes_wrong_is_told_with_its_cause_and_nothing_twice() {
    #[derive(Debug, thiserror::Error)]
    #[error("{said}")]
    struct Wrong {
        said: &'static str,
        source: std::io::Error,
    }
    let check = |said: &'static str, cause: &'static str, expect: &str| {
        let wrong = Wrong { said, source: std::io::Error::other(cause) };
        assert_eq!(super::super::with_causes(&wrong), expect);
    };
    check("no handshake", "unknown issuer", "no handshake: unknown issuer");
    check("no handshake: unknown issuer", "unknown issuer", "no handshake: unknown issuer");
    check("no handshake", "", "no handshake");
}
