//! PostgreSQL: for stores that several machines share.
//!
//! Three connections: one syncs every commit and holds the leases, one commits without waiting for the disk, one asks
//! questions. A lease is an advisory lock of the first connection, so the server takes it away when the process ends,
//! however it ends; and when that connection is lost, nothing is appended any more.

mod backend;
mod committer;
mod jobs;
mod queries;
mod schema;

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};
use tokio_postgres::{Client, NoTls, error::SqlState};

use crate::{
    StoreError,
    backend::{Counters, RunNo},
};
use committer::{Committer, Job};

/// Marks Holm's advisory locks among those of other programs; the run's number is the other half.
const LOCKS: i32 = 0x686f_6c6d;

/// The lock that changes of the schema take.
const SCHEMA_LOCK: i32 = 0;

/// The lock under which references to large results change.
const BLOB_LOCK: i32 = -1;

pub(crate) struct Postgres {
    ask: Mutex<Client>,
    /// Has `synchronous_commit` on, and the leases.
    safe: Arc<Client>,
    synced: mpsc::UnboundedSender<Job>,
    written: mpsc::UnboundedSender<Job>,
    counters: Arc<Counters>,
}

impl Postgres {
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        let mut ask = connect(url, "on").await?;
        schema::migrate(&mut ask).await?;
        let safe = Arc::new(connect(url, "on").await?);
        let fast = Arc::new(connect(url, "off").await?);
        let counters = Arc::<Counters>::default();
        let start = |client: Arc<Client>, syncs| {
            committer::start(Committer {
                client,
                lease: Arc::clone(&safe),
                syncs,
                counters: Arc::clone(&counters),
            })
        };
        let (synced, written) = (start(Arc::clone(&safe), 1), start(fast, 0));
        Ok(Self { ask: Mutex::new(ask), safe, synced, written, counters })
    }
}

async fn connect(url: &str, synchronous_commit: &str) -> Result<Client, StoreError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(failed)?;
    // Ends with the client, or when the server is gone; every question says so then.
    tokio::spawn(connection);
    let set = format!("SET synchronous_commit = {synchronous_commit}; SET client_min_messages = warning");
    client.batch_execute(&set).await.map_err(failed)?;
    Ok(client)
}

/// What the server says, in the store's words.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn failed(error: tokio_postgres::Error) -> StoreError {
    let reason = error.as_db_error().map_or_else(|| error.to_string(), |db| db.message().to_owned());
    match error.code() {
        Some(code) if *code == SqlState::DISK_FULL => StoreError::Full,
        Some(code)
            if *code == SqlState::READ_ONLY_SQL_TRANSACTION || *code == SqlState::INSUFFICIENT_PRIVILEGE =>
        {
            StoreError::ReadOnly { place: "the database".into(), reason }
        }
        Some(code) if *code == SqlState::UNIQUE_VIOLATION => StoreError::System {
            reason: "a record of that number is kept already; fold the journal again".into(),
        },
        _ => StoreError::System { reason },
    }
}

/// The half of a lock that names a run.
fn lock_of(run: RunNo) -> Result<i32, StoreError> {
    i32::try_from(run.0)
        .map_err(|_| StoreError::System { reason: "a store holds 2,147,483,647 runs at the most".into() })
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// PostgreSQL's text has no zero byte.
fn clean(text: &str) -> String {
    text.replace('\0', " ")
}
