//! The whole suite on PostgreSQL, which the tests start themselves.

use std::{future::Future, pin::Pin, time::Duration};

use holm_runtime::{BlobStore as _, Durability, JournalStorageError, JournalStore as _};
use holm_store::{Store, StoreError, StoreOptions};
use holm_testkit::postgres::Postgres;

use crate::suite::{Place, script::session};

pub(crate) struct Database(pub(crate) String);

impl Database {
    pub(crate) async fn client(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.0, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

impl Place for Database {
    fn open(&self, options: StoreOptions) -> Pin<Box<dyn Future<Output = Store> + Send + '_>> {
        Box::pin(async { self.try_open(options).await.unwrap() })
    }

    fn try_open(
        &self,
        options: StoreOptions,
    ) -> Pin<Box<dyn Future<Output = Result<Store, StoreError>> + Send + '_>> {
        Box::pin(async move { options.postgres(&self.0).await })
    }
}

/// Looks again and again until something is there, and fails if it does not come: the
/// database does not notify.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let end = tokio::time::Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(tokio::time::Instant::now() < end, "{what}: not within a minute");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub(crate) async fn database() -> Database {
    let made = tokio::task::spawn_blocking(|| Postgres::get().and_then(Postgres::database));
    Database(made.await.unwrap().unwrap())
}

whole_suite!(crate::postgres::database);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused() {
    let place = database().await;
    drop(place.open(StoreOptions::new()).await);
    place.client().await.batch_execute("UPDATE holm_schema SET version = 99").await.unwrap();
    assert_eq!(
        place.try_open(StoreOptions::new()).await.map(|_| ()),
        Err(StoreError::Newer { found: 99, known: 8 })
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_the_schema_before_is_opened_with_all_it_holds_and_used_on() {
    let place = database().await;
    let script = session("one", "find the harbour", "out", "fine");
    let store = place.open(StoreOptions::new()).await;
    let mut journal = store.create("one").await.unwrap();
    for line in &script.lines {
        journal.append(line, Durability::Synced).await.unwrap();
    }
    store.tag("one", "sea").await.unwrap();
    drop((journal, store));
    // What the last steps added goes, what they took comes back, and the version is what it was.
    let client = place.client().await;
    let before = "ALTER TABLE holm_runs ADD holder text; DROP TABLE holm_folds; DROP TABLE holm_spends;
         UPDATE holm_schema SET version = 5";
    client.batch_execute(before).await.unwrap();

    let store = place.open(StoreOptions::new()).await;
    assert_eq!(store.read("one").await.unwrap(), script.text().as_bytes());
    let tagged = holm_store::SessionQuery { tag: Some("sea".into()), ..holm_store::SessionQuery::default() };
    assert_eq!(store.list(&tagged).await.unwrap().sessions.len(), 1);
    assert_eq!(store.search("harbour", 9).await.unwrap().len(), 1);
    drop(store.open("one").await.unwrap());
    let version: i32 = client.query_one("SELECT version FROM holm_schema", &[]).await.unwrap().get(0);
    assert_eq!(version, 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erasing_a_session_removes_results_that_no_session_refers_to() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    for id in ["one", "two"] {
        let mut journal = store.create(id).await.unwrap();
        for line in &session(id, "find the harbour", "out", "fine").lines {
            journal.append(line, Durability::Synced).await.unwrap();
        }
    }
    let kept = store.put("two", &[b'k'; 100_000]).await.unwrap();
    // What a writer leaves that is killed before its session refers to the result.
    let client = place.client().await;
    client.batch_execute("INSERT INTO holm_pieces VALUES ('left', 0, 'words'::bytea)").await.unwrap();
    store.erase("one").await.unwrap();
    let left = client.query("SELECT 1 FROM holm_pieces WHERE file = 'left'", &[]).await.unwrap();
    assert!(left.is_empty());
    assert_eq!(store.get(&kept, 0..9).await.unwrap(), [b'k'; 9]);
}

/// Whether the late writer waits for the one who erases the run.
async fn until_one_waits(place: &Database) {
    let client = place.client().await;
    let waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
         AND wait_event_type = 'Lock' LIMIT 1";
    until("a writer that waits", async || client.query_opt(waits, &[]).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_erased_in_the_meantime_gets_neither_a_tag_nor_a_result() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    for id in ["tagged", "with-result"] {
        let mut journal = store.create(id).await.unwrap();
        for line in &session(id, "find the harbour", "out", "fine").lines {
            journal.append(line, Durability::Synced).await.unwrap();
        }
        drop(journal);
        let mut client = place.client().await;
        let erasure = client.transaction().await.unwrap();
        erasure.execute("DELETE FROM holm_runs WHERE id = $1", &[&id]).await.unwrap();
        let late = store.clone();
        let late = tokio::spawn(async move {
            match id {
                "tagged" => late.tag(id, "sea").await.is_ok(),
                _ => late.put(id, &[b'k'; 100_000]).await.is_ok(),
            }
        });
        until_one_waits(&place).await;
        erasure.commit().await.unwrap();
        assert_eq!(late.await.unwrap(), id == "tagged", "{id}: a result that is nobody's is refused");
        for table in ["tags", "blobs", "pieces"] {
            let left = client.query(&format!("SELECT 1 FROM holm_{table}"), &[]).await.unwrap();
            assert!(left.is_empty(), "{id}: holm_{table}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_were_lost_are_made_anew_and_leases_are_not() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    // As when the server is restarted: all connections but the one that says so end.
    let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    place.client().await.batch_execute(ended).await.unwrap();
    journal.lost().await;
    // The first query may still be told that no server is there.
    for _ in 0..1_500 {
        if store.list(&holm_store::SessionQuery::default()).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for durability in [Durability::Written, Durability::Synced] {
        assert!(journal.append(&script.lines[1], durability).await.is_err(), "its lease is gone");
    }
    drop(journal);
    let mut opened = None;
    for _ in 0..1_500 {
        match store.open("one").await {
            Ok(found) => {
                opened = Some(found);
                break;
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    let mut opened = opened.expect("the same store opens it again");
    for (line, durability) in script.lines[1..3].iter().zip([Durability::Written, Durability::Synced]) {
        opened.journal.append(line, durability).await.unwrap();
    }
    assert_eq!(store.read("one").await.unwrap(), script.lines[..3].concat().as_bytes());
    let other = place.open(StoreOptions::new()).await;
    assert!(matches!(other.open("one").await.map(|_| ()), Err(JournalStorageError::Busy { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_let_go_and_taken_again_at_once_keeps_its_holders_name() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    drop(journal);
    let client = place.client().await;
    for round in 0..50 {
        let opened = store.open("one").await.unwrap();
        let row = client.query_one("SELECT holder FROM holmdb_leases", &[]).await.unwrap();
        assert!(row.get::<_, Option<String>>(0).is_some(), "round {round}");
        drop(opened);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_append_does_not_bring_an_erased_run_back() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    // What another process does that believes this one dead.
    let client = place.client().await;
    client.batch_execute("DELETE FROM holm_records; DELETE FROM holm_runs").await.unwrap();
    for durability in [Durability::Written, Durability::Synced] {
        assert!(journal.append(&script.lines[1], durability).await.is_err());
    }
    // A snapshot is a cache: whether it was kept is no matter, but nothing of it may stay.
    let _ = journal.keep_snapshot(b"what was said").await;
    for table in ["holm_records", "holm_snapshots"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left: i64 = client.query_one(&sql, &[]).await.unwrap().get(0);
        assert_eq!(left, 0, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stores_in_two_schemas_know_nothing_of_each_other() {
    let place = database().await;
    let script = session("one", "hello", "out", "fine");
    let (mut stores, mut journals) = (Vec::new(), Vec::new());
    for schema in ["holm_ada", "holm_bob"] {
        let store = place.open(StoreOptions::new().schema(schema)).await;
        // Each schema has the same name and the same number: a lease in one is not a lease in the
        // other.
        let mut journal = store.create("one").await.unwrap();
        journal.append(&script.lines[0], Durability::Synced).await.unwrap();
        let again = place.open(StoreOptions::new().schema(schema)).await;
        assert!(matches!(again.open("one").await.map(|_| ()), Err(JournalStorageError::Busy { .. })));
        stores.push(store);
        journals.push(journal);
    }
    assert!(stores[0].put_slip("letters", "x", holm_kernel::Timestamp::new(1), b"").await.unwrap());
    assert!(stores[1].slips("letters").await.unwrap().is_empty());
    let none = place.open(StoreOptions::new()).await;
    assert!(none.list(&holm_store::SessionQuery::default()).await.unwrap().sessions.is_empty());
    for bad in ["", "Ada", "a\"b", "a b", &"x".repeat(64)] {
        let opened = place.try_open(StoreOptions::new().schema(bad)).await;
        assert!(matches!(opened.map(|_| ()), Err(StoreError::BadLabel { .. })), "{bad}");
    }
    let sql = "SELECT 1 FROM pg_indexes WHERE indexname = 'holm_texts_by_trigram'";
    assert_eq!(place.client().await.query(sql, &[]).await.unwrap().len(), 3, "each has an index");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn search_has_an_index_where_the_server_offers_one() {
    let place = database().await;
    drop(place.open(StoreOptions::new()).await);
    let rows = place
        .client()
        .await
        .query("SELECT 1 FROM pg_indexes WHERE indexname = 'holm_texts_by_trigram'", &[])
        .await
        .unwrap();
    assert_eq!(rows.len(), 1, "Debian's server has pg_trgm");
}
