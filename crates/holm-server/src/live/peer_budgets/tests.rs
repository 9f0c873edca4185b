use std::sync::Arc;

use holm_kernel::{NanoUsd, Timestamp};
use holm_store::Store;

use super::{LOCK, PeerBudgets, TRAY};
use crate::{
    auth::{Role, TokenRegistry, TokenScope, UserName},
    live::budget_reservations::{BudgetReservation, BudgetReservations, ReservationRequest},
};

struct Stage {
    _folder: tempfile::TempDir,
    store: Store,
    keyring: Arc<TokenRegistry>,
    ada: UserName,
}

impl Stage {
    async fn new(budget: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("holm.db")).await.unwrap();
        let keyring = Arc::new(TokenRegistry::open(&folder.path().join("server")).unwrap());
        let ada: UserName = "ada".parse().unwrap();
        keyring.issue(ada.clone(), Role::Operator, TokenScope::All).unwrap();
        keyring.set_budget(&ada, Some(NanoUsd::new(budget))).unwrap();
        Self { _folder: folder, store, keyring, ada }
    }

    /// A server that shares the store with others.
    fn server(&self) -> BudgetReservations {
        BudgetReservations::shared(Arc::clone(&self.keyring))
    }

    async fn begin(
        &self,
        server: &BudgetReservations,
        session: &str,
    ) -> Result<BudgetReservation, &'static str> {
        let begins = ReservationRequest {
            session: session.parse().unwrap(),
            own: None,
            spent: NanoUsd::ZERO,
            tell: Box::new(|_| true),
        };
        server.take(&self.ada, &self.store, begins).await.map_err(|refusal| refusal.code)
    }
}

#[tokio::test]
async fn what_one_server_has_set_aside_is_not_there_for_another() {
    let stage = Stage::new(100).await;
    let (first, second) = (stage.server(), stage.server());
    let held = stage.begin(&first, "first").await.unwrap();
    assert_eq!(held.ceiling, Some(NanoUsd::new(100)));
    assert_eq!(stage.begin(&second, "second").await.err(), Some("set_aside"));
    drop(held);
    first.publish(&stage.ada, &stage.store).await;
    let held = stage.begin(&second, "second").await.unwrap();
    assert_eq!(held.ceiling, Some(NanoUsd::new(100)));
    assert_eq!(stage.begin(&first, "first").await.err(), Some("set_aside"));
}

#[tokio::test]
async fn what_a_dead_server_had_set_aside_comes_back() {
    let stage = Stage::new(100).await;
    let long_ago = br#"{"left":100,"until":1}"#;
    stage.store.put_slip(TRAY, "server-dead", Timestamp::new(1), long_ago).await.unwrap();
    let died_counting = br#"{"by":"server-dead","until":1}"#;
    stage.store.put_slip(TRAY, LOCK, Timestamp::new(1), died_counting).await.unwrap();
    let held = stage.begin(&stage.server(), "first").await.unwrap();
    assert_eq!(held.ceiling, Some(NanoUsd::new(100)));
    drop(held);
    let company = PeerBudgets::new();
    company.count(&stage.store).await.unwrap();
    let begun = stage.store.slip(TRAY, LOCK).await.unwrap().unwrap();
    // A server whose turn to count is over cannot release the lock of the next one.
    PeerBudgets::new().counted(&stage.store).await.unwrap();
    assert_eq!(stage.store.slip(TRAY, LOCK).await.unwrap(), Some(begun.clone()), "another counts now");
    company.counted(&stage.store).await.unwrap();
    assert_ne!(stage.store.slip(TRAY, LOCK).await.unwrap(), Some(begun), "others may count now");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_count_at_once_give_nothing_twice() {
    let stage = Arc::new(Stage::new(100).await);
    let begun = (0..4).map(|number| {
        let stage = Arc::clone(&stage);
        tokio::spawn(async move {
            let server = stage.server();
            let held = stage.begin(&server, &format!("s-{number}")).await;
            held.map_or(0, |held| {
                let given = held.ceiling.unwrap().value();
                // It is at work until all have asked.
                std::mem::forget(held);
                given
            })
        })
    });
    let mut given = 0;
    for task in begun.collect::<Vec<_>>() {
        given += task.await.unwrap();
    }
    assert_eq!(given, 100);
}
