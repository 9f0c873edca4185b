use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::net::TcpListener;

use super::Reach;

/// Somebody who hangs up on everybody, and how often somebody came.
async fn rude() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let (port, came) = (listener.local_addr().unwrap().port(), Arc::<AtomicUsize>::default());
    let count = Arc::clone(&came);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, came)
}

#[tokio::test]
async fn whoever_waits_for_a_database_that_is_not_there_is_told_at_once() {
    for (pause, expect) in [(Duration::from_secs(3_600), 1), (Duration::ZERO, 3)] {
        let (port, came) = rude().await;
        let mut reach = Reach::new(&format!("host=127.0.0.1 port={port} user=holm"), None).unwrap();
        reach.pause = pause;
        let first = reach.connect("on").await.map(|_| ()).unwrap_err();
        for _ in 0..2 {
            let again = reach.connect("off").await.map(|_| ()).unwrap_err();
            assert!(pause == Duration::ZERO || again == first, "{again:?}");
        }
        assert_eq!(came.load(Ordering::SeqCst), expect, "{pause:?}");
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
