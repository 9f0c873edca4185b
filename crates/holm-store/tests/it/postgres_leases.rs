//! Leases in PostgreSQL: what a process does that loses the connection of its lease, and when
//! another may continue.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use holm_grants::Mode;
use holm_kernel::{Block, Message, ModelResult, Reply, Role, StopReason, ToolCall, ToolOutput};
use holm_runtime::{
    Agent, CancellationToken, DriveError, Durability, JournalStorageError, JournalStore as _, ToolInvocation,
    model_fn, tool_fn,
};
use holm_store::{PostgresPool, RUNNING_TAG, Store, StoreOptions};

use crate::{
    postgres::{Database, database, until},
    suite::{Place as _, script::session},
};

/// Longer than any test: what happens before has another reason than that this time passed.
const FOR_EVER: Duration = Duration::from_secs(86_400);

/// Another process on the same database, that waits so long before it takes the place of a holder
/// that has not stopped.
async fn process(place: &Database, wait: Duration) -> (PostgresPool, Store) {
    let pool = PostgresPool::open(&place.0).await.unwrap().handover_wait(wait);
    let store = StoreOptions::new().postgres_on(&pool).await.unwrap();
    (pool, store)
}

/// Ends the connections of all leases by which runs are held, as a restart of the database does.
async fn end_leases(place: &Database) {
    let sql =
        "SELECT pg_terminate_backend(k.pid) FROM pg_locks k WHERE k.locktype = 'advisory' AND k.objsubid = 1
         AND ((k.classid::int8 << 32) | k.objid::int8) IN (SELECT lease FROM holmdb_leases)
         AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert!(!place.client().await.query(sql, &[]).await.unwrap().is_empty(), "a lease is held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_lease_stops_every_append_and_frees_the_run_after_a_while() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    let (_pool, other) = process(&place, Duration::ZERO).await;
    assert!(matches!(other.open("one").await.map(|_| ()), Err(JournalStorageError::Busy { .. })));
    end_leases(&place).await;
    journal.lost().await;
    for durability in [Durability::Written, Durability::Synced] {
        assert!(journal.append(&script.lines[1], durability).await.is_err());
    }
    let mut opened = other.open("one").await.unwrap();
    assert_eq!(opened.text, script.lines[0].as_bytes());
    opened.journal.append(&script.lines[1], Durability::Synced).await.unwrap();
    // What the first gives back late is not the lease of the second.
    drop(journal);
    opened.journal.append(&script.lines[2], Durability::Written).await.unwrap();
    assert_eq!(other.read("one").await.unwrap(), script.lines[..3].concat().as_bytes());
    let again = store.open("one").await.map(|_| ());
    assert!(matches!(again, Err(JournalStorageError::Busy { .. })), "{again:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_holder_lost_its_lease_is_resumed_when_the_holder_says_that_it_stopped() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    store.tag("one", RUNNING_TAG).await.unwrap();
    let (pool, other) = process(&place, FOR_EVER).await;
    assert!(pool.parked().await.unwrap().is_empty(), "it is driven");
    end_leases(&place).await;
    journal.lost().await;
    assert!(pool.parked().await.unwrap().is_empty(), "its holder may still be at work");
    let mut opening = other.open("one");
    let early = tokio::time::timeout(Duration::from_secs(1), &mut opening).await;
    assert!(early.is_err(), "it is waited for");
    drop(journal);
    // Ends because the holder has said so.
    assert_eq!(opening.await.unwrap().text, script.lines[0].as_bytes());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_at_work_is_parked_when_its_holder_lets_it_go_or_is_long_gone() {
    let place = database().await;
    let script = session("one", "hello", "out", "fine");
    let (at_once, later) = (process(&place, Duration::ZERO).await, process(&place, FOR_EVER).await);
    let found = async |pool: &PostgresPool| -> Vec<String> {
        pool.parked().await.unwrap().into_iter().map(|parked| parked.run).collect()
    };
    let store = place.open(StoreOptions::new()).await;
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    store.tag("one", RUNNING_TAG).await.unwrap();
    store.put_slip(holm_store::PROMPT_TRAY, "one", holm_kernel::Timestamp::new(1), b"more").await.unwrap();
    assert!(found(&at_once.0).await.is_empty());
    end_leases(&place).await;
    journal.lost().await;
    // The client learns of the end of its connection a moment before the server has given its locks back.
    for _ in 0..100 {
        if !found(&at_once.0).await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(found(&at_once.0).await, ["one"], "once, although there are two reasons");
    assert!(found(&later.0).await.is_empty());
    drop(journal);
    // Given back after what was on its way, so opened here again it is free.
    drop(store.open("one").await.unwrap());
    drop(store.open("one").await.unwrap());
    let look = async || Some(found(&later.0).await).filter(|parked| !parked.is_empty());
    assert_eq!(until("the session that was let go is parked", look).await, ["one"]);
    store.untag("one", RUNNING_TAG).await.unwrap();
    assert_eq!(found(&later.0).await, ["one"], "a prompt waits");
    store.take_slip(holm_store::PROMPT_TRAY, "one").await.unwrap();
    assert!(found(&later.0).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_left_of_an_older_run_of_the_same_name_does_not_park_the_new_one() {
    let place = database().await;
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    // As after a schema was dropped and made again: rows of the whole database name runs that are gone.
    let client = place.client().await;
    for reason in [RUNNING_TAG, holm_store::PROMPT_TRAY] {
        let sql = "INSERT INTO holmdb_at_work (schema, id, reason, run) VALUES ('', 'one', $1, 999999)";
        client.execute(sql, &[&reason]).await.unwrap();
    }
    let (pool, _other) = process(&place, Duration::ZERO).await;
    assert_eq!(pool.parked().await.unwrap().len(), 1, "the row names a run that no process holds");
    store.tag("one", RUNNING_TAG).await.unwrap();
    store.put_slip(holm_store::PROMPT_TRAY, "one", holm_kernel::Timestamp::new(1), b"more").await.unwrap();
    assert!(pool.parked().await.unwrap().is_empty(), "it is driven");
    let stale = client.query("SELECT 1 FROM holmdb_at_work WHERE run = 999999", &[]).await.unwrap();
    assert!(stale.is_empty());
    drop(journal);
    let look = async || Some(pool.parked().await.unwrap()).filter(|parked| !parked.is_empty());
    assert_eq!(until("the session that was let go is parked", look).await[0].run, "one");
}

/// Calls a tool that deploys once, and then says what became of it.
fn agent(
    store: &Store,
    runs: &Arc<AtomicUsize>,
    begun: &CancellationToken,
    ended: &CancellationToken,
) -> Agent {
    let client = model_fn(|ask| {
        let asked = ask.messages.last().map(|message: &Arc<Message>| message.role);
        let reply = if asked == Some(Role::User) {
            let call =
                ToolCall { id: "c".into(), name: "deploy".into(), arguments: "{}".into(), replay: None };
            Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() }
        } else {
            Reply { blocks: vec![Block::Text("seen to".into())], ..Reply::default() }
        };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let (runs, begun, ended) = (Arc::clone(runs), begun.clone(), ended.clone());
    let schema = holm_guards::json::Json::object([("type", "object".into())]);
    let declared =
        holm_kernel::ToolSpec::new("deploy", "Deploys.", schema).level(holm_grants::Level::Execute);
    let deploy = tool_fn(declared, move |job: ToolInvocation| {
        let (runs, begun, ended) = (Arc::clone(&runs), begun.clone(), ended.clone());
        async move {
            let _ended = ended.drop_guard();
            runs.fetch_add(1, Ordering::SeqCst);
            begun.cancel();
            job.stop.cancelled().await;
            ToolOutput::text("stopped")
        }
    });
    let agent = Agent::builder("test/one", client).mode(Mode::Full).tool(deploy);
    agent.journals(store.clone()).blobs(store.clone()).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_is_stopped_before_another_process_resumes_the_run_and_nothing_runs_twice() {
    let place = database().await;
    let (runs, begun, ended) =
        (Arc::<AtomicUsize>::default(), CancellationToken::new(), CancellationToken::new());
    let (_, first) = process(&place, FOR_EVER).await;
    let (_, second) = process(&place, FOR_EVER).await;
    let mut session = agent(&first, &runs, &begun, &ended).start_as("one").await.unwrap();
    let working = tokio::spawn(async move { session.prompt("go").await.map(|_| ()) });
    begun.cancelled().await;
    end_leases(&place).await;
    let mut resumed = agent(&second, &runs, &begun, &ended).resume("one").await.unwrap();
    assert!(ended.is_cancelled(), "the tool had ended when the other process wrote that it resumes");
    let lost = working.await.unwrap().unwrap_err();
    assert_eq!(lost, DriveError::Journal(JournalStorageError::LeaseLost));
    let report = resumed.go_on().await.unwrap().unwrap();
    assert_eq!(report.text().unwrap(), "seen to");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let journal = String::from_utf8(second.read("one").await.unwrap()).unwrap();
    assert!(!journal.contains("tool_finished"), "the first wrote nothing after the loss: {journal}");
}
