//! Connections to PostgreSQL: few, even with many users, and none that waits for a caller that has
//! gone.

use std::sync::Arc;

use holm_runtime::{Durability, JournalStore as _};
use holm_store::{PostgresPool, RUNNING_TAG, SessionQuery, Store, StoreOptions};
use tokio::task::JoinSet;

use crate::{
    postgres::{Database, database, until},
    suite::script::session,
};

/// Connections of one pool: eight for queries, two that append, one for the lease.
const MOST: i64 = 11;

async fn on(pool: &PostgresPool, schema: &str) -> Store {
    StoreOptions::new().schema(schema).postgres_on(pool).await.unwrap()
}

/// Connections that the tests did not make themselves.
async fn connections(place: &Database) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
         AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    place.client().await.query_one(sql, &[]).await.unwrap().get(0)
}

/// Makes schemas of other users that show the tables of one: views, because it takes a minute to
/// make as many tables.
const COPY: &str = "DO $$ DECLARE name text; BEGIN
    FOR n IN 1..999 LOOP
        EXECUTE format('CREATE SCHEMA holm_user%s', n);
        FOREACH name IN ARRAY ARRAY['schema', 'meta', 'stones', 'tags', 'runs', 'records', 'snapshots'] LOOP
            EXECUTE format('CREATE VIEW holm_user%s.holm_%s AS SELECT * FROM holm_user0.holm_%s', n, name, name);
        END LOOP;
        COMMIT;
    END LOOP;
END $$";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_users_share_a_few_connections_and_what_is_parked_is_found_at_once() {
    let place = database().await;
    let (one, two) =
        (PostgresPool::open(&place.0).await.unwrap(), PostgresPool::open(&place.0).await.unwrap());
    let first = on(&one, "holm_user0").await;
    for number in 0..10 {
        let script = session(&format!("s-{number}"), "hello", "out", "fine");
        first.import(script.text().as_bytes(), None).await.unwrap();
    }
    place.client().await.batch_execute(COPY).await.unwrap();

    let mut all = JoinSet::new();
    for number in 0..1_000 {
        for pool in [&one, &two] {
            let pool = pool.clone();
            all.spawn(async move {
                let store = on(&pool, &format!("holm_user{number}")).await;
                assert!(!store.read(&format!("s-{}", number % 10)).await.unwrap().is_empty());
                store
            });
        }
    }
    let stores: Vec<Store> = all.join_all().await;
    assert_eq!(stores.len(), 2_000);
    // Sessions of many users at work at the same time, at both.
    let (mut journals, mut appends) = (Vec::new(), JoinSet::new());
    for store in stores.iter().step_by(20) {
        let (store, id) = (store.clone(), format!("new-{}", journals.len() + appends.len()));
        appends.spawn(async move {
            let script = session(&id, "hello", "out", "fine");
            let mut journal = store.create(&id).await.unwrap();
            for (line, durability) in
                script.lines.iter().zip([Durability::Synced, Durability::Written].iter().cycle())
            {
                journal.append(line, *durability).await.unwrap();
            }
            store.tag(&id, RUNNING_TAG).await.unwrap();
            assert_eq!(store.read(&id).await.unwrap(), script.text().as_bytes());
            (id, store, journal)
        });
    }
    journals.extend(appends.join_all().await);
    assert_eq!(journals.len(), 100);
    let open = connections(&place).await;
    assert!(open <= 2 * MOST, "{open}");
    assert!(one.parked().await.unwrap().is_empty(), "all are driven");
    let (id, store, journal) = journals.pop().unwrap();
    drop(journal);
    let look = async || Some(two.parked().await.unwrap()).filter(|parked| !parked.is_empty());
    let parked = until("the session that was let go is parked", look).await;
    assert_eq!((parked.len(), parked[0].run.as_str()), (1, id.as_str()));
    let schema = parked[0].schema.clone().unwrap();
    drop(store);
    drop(on(&two, &schema).await.open(&id).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_do_not_wait_for_each_other_nor_for_callers_that_have_gone() {
    let place = database().await;
    let pool = PostgresPool::open(&place.0).await.unwrap();
    let store = on(&pool, "holm_ada").await;
    // No list ends while another client holds this table.
    let (holder, watch) = (place.client().await, place.client().await);
    holder.batch_execute("BEGIN; LOCK TABLE holm_ada.holm_tags IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let waiting = async |wanted: usize| {
        let sql =
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let look = async || (watch.query(sql, &[]).await.unwrap().len() == wanted).then_some(());
        until(&format!("{wanted} queries wait for the table"), look).await;
    };
    let store = Arc::new(store);
    let mut lists = JoinSet::new();
    for _ in 0..7 {
        let store = Arc::clone(&store);
        lists.spawn(async move { store.list(&SessionQuery::default()).await });
    }
    waiting(7).await;
    assert!(store.slips("letters").await.unwrap().is_empty(), "another query is answered meanwhile");
    let (more, again) = (Arc::clone(&store), Arc::clone(&store));
    lists.spawn(async move { more.list(&SessionQuery::default()).await });
    waiting(8).await;
    let slips = tokio::spawn(async move { again.slips("letters").await });
    // Their callers go, and the server stops what they asked.
    lists.shutdown().await;
    assert!(slips.await.unwrap().unwrap().is_empty());
    waiting(0).await;
    holder.batch_execute("COMMIT").await.unwrap();
    assert!(store.list(&SessionQuery::default()).await.unwrap().sessions.is_empty());
    let open = connections(&place).await;
    assert!(open <= MOST + 2, "{open}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_is_the_databases() {
    let place = database().await;
    let pool = PostgresPool::open(&place.0).await.unwrap();
    let store = on(&pool, "holm_ada").await;
    let client = place.client().await;
    let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8";
    let before: i64 = client.query_one(sql, &[]).await.unwrap().get(0);
    let clock = i64::try_from(store.clock().await.unwrap().value()).unwrap();
    let after: i64 = client.query_one(sql, &[]).await.unwrap().get(0);
    assert!(before - 1 <= clock && clock <= after, "{before} {clock} {after}");
}
