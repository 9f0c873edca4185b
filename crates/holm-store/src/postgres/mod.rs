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
mod slips;

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, mpsc};
use tokio_postgres::{Client, NoTls, error::SqlState};

use crate::{
    StoreError,
    backend::{Counters, RunNo},
};
use committer::{Committer, Job};

/// Marks Holm's advisory locks among those of other programs; the run's number is the other half. Locks are the whole
/// database's, so each named schema has a mark of its own: runs of two schemas have the same numbers.
const LOCKS: i32 = 0x686f_6c6d;

/// Bytes of a schema's name; the server cuts what is longer, and two names would be one.
const MOST_SCHEMA: usize = 63;

/// The lock that changes of the schema take.
const SCHEMA_LOCK: i32 = 0;

/// The lock under which references to large results change.
const BLOB_LOCK: i32 = -1;

pub(crate) struct Postgres {
    ask: Mutex<Client>,
    /// What marks the locks of this store.
    locks: i32,
    /// Has `synchronous_commit` on, and the leases.
    safe: Arc<Client>,
    synced: mpsc::UnboundedSender<Job>,
    written: mpsc::UnboundedSender<Job>,
    counters: Arc<Counters>,
}

impl Postgres {
    pub(crate) async fn open(url: &str, schema: Option<&str>) -> Result<Self, StoreError> {
        if let Some(schema) = schema {
            check_schema(schema)?;
        }
        let locks = schema.map_or(LOCKS, locks_of);
        let mut ask = connect(url, "on", schema).await?;
        if let Some(schema) = schema {
            make_schema(&ask, schema).await?;
        }
        schema::migrate(&mut ask, locks).await?;
        let safe = Arc::new(connect(url, "on", schema).await?);
        let fast = Arc::new(connect(url, "off", schema).await?);
        let counters = Arc::<Counters>::default();
        let start = |client: Arc<Client>, syncs| {
            committer::start(Committer {
                client,
                lease: Arc::clone(&safe),
                locks,
                syncs,
                counters: Arc::clone(&counters),
            })
        };
        let (synced, written) = (start(Arc::clone(&safe), 1), start(fast, 0));
        Ok(Self { ask: Mutex::new(ask), locks, safe, synced, written, counters })
    }
}

async fn connect(url: &str, synchronous_commit: &str, schema: Option<&str>) -> Result<Client, StoreError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(failed)?;
    // Ends with the client, or when the server is gone; every question says so then.
    tokio::spawn(connection);
    let mut set = format!("SET synchronous_commit = {synchronous_commit}; SET client_min_messages = warning");
    if let Some(schema) = schema {
        // The name was looked at: nothing in it ends the quotation.
        set += &format!("; SET search_path = \"{schema}\", public");
    }
    client.batch_execute(&set).await.map_err(failed)?;
    Ok(client)
}

/// Only what needs no thought between quotation marks.
fn check_schema(name: &str) -> Result<(), StoreError> {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.');
    if name.is_empty() || name.len() > MOST_SCHEMA || !name.bytes().all(plain) {
        let reason = "small letters, digits, `_`, `-` and `.`, 63 at the most".to_owned();
        return Err(StoreError::BadLabel { what: "the name of the schema".into(), reason });
    }
    Ok(())
}

/// Makes a schema unless it is there. Two who do that at once must not meet: `IF NOT EXISTS` alone lets one of them fail.
async fn make_schema(client: &Client, name: &str) -> Result<(), StoreError> {
    let sql = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({LOCKS}, {SCHEMA_LOCK}); CREATE SCHEMA IF NOT EXISTS \"{name}\"; COMMIT"
    );
    client.batch_execute(&sql).await.map_err(failed)?;
    // Where all schemas see it, so that each can have its index. Without the right to add it, a search reads every text.
    let _ = client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public").await;
    Ok(())
}

/// What marks the locks of a schema. Two names with one mark would only wait for each other.
fn locks_of(schema: &str) -> i32 {
    let digest = Sha256::digest(schema);
    let first = digest.iter().take(4).fold(0_i32, |mark, byte| (mark << 8) | i32::from(*byte));
    // Never the mark of a store that has no schema of its own.
    if first == LOCKS { !first } else { first }
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
