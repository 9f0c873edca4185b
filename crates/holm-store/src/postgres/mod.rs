//! PostgreSQL: for stores that several machines share.
//!
//! Three connections: one syncs every commit and holds the leases, one commits without waiting for the disk, one asks
//! questions. A lease is an advisory lock of the first connection, so the server takes it away when the process ends,
//! however it ends; and when that connection is lost, nothing is appended any more by whoever had a lease then. A connection
//! that is lost is made anew when the next question comes, and whoever opens a run after that has a lease of the new one.

mod address;
mod backend;
mod committer;
mod jobs;
mod line;
mod queries;
mod reach;
mod schema;
mod slips;
mod tls;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex as BlockingMutex, PoisonError},
};

use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, MutexGuard};
use tokio_postgres::{Client, error::SqlState};

use crate::{
    StoreError,
    backend::{Counters, RunNo},
};
use line::Line;
use reach::Reach;

/// Marks Holm's advisory locks among those of other programs; the run's number is the other half. Locks are the whole
/// database's, so each named schema has a mark of its own: runs of two schemas have the same numbers.
const LOCKS: i32 = 0x686f_6c6d;

/// Bytes of a schema's name; the server cuts what is longer, and two names would be one.
const MOST_SCHEMA: usize = 63;

/// The lock that changes of the schema take.
const SCHEMA_LOCK: i32 = 0;

/// The lock under which references to large results change.
const BLOB_LOCK: i32 = -1;

/// How many causes of an error are told; no library nests deeper than half of it.
const MOST_CAUSES: usize = 8;

pub(crate) struct Postgres {
    reach: Reach,
    ask: Mutex<Client>,
    /// What marks the locks of this store.
    locks: i32,
    /// The connections that append, as they are now.
    line: Mutex<Arc<Line>>,
    /// By which connection each run that is driven here is held.
    held: BlockingMutex<HashMap<RunNo, Arc<Line>>>,
    counters: Arc<Counters>,
}

impl Postgres {
    pub(crate) async fn open(url: &str, schema: Option<&str>) -> Result<Self, StoreError> {
        if let Some(schema) = schema {
            check_schema(schema)?;
        }
        let locks = schema.map_or(LOCKS, locks_of);
        let reach = Reach::new(url, schema)?;
        let mut ask = reach.connect("on").await?;
        if let Some(schema) = schema {
            make_schema(&ask, schema).await?;
        }
        schema::migrate(&mut ask, locks).await?;
        let counters = Arc::<Counters>::default();
        let line = Arc::new(Line::open(&reach, locks, &counters).await?);
        let (ask, line, held) = (Mutex::new(ask), Mutex::new(line), BlockingMutex::default());
        Ok(Self { reach, ask, locks, line, held, counters })
    }

    /// The connection that asks questions, made anew where it was lost.
    async fn asking(&self) -> Result<MutexGuard<'_, Client>, StoreError> {
        let mut client = self.ask.lock().await;
        if client.is_closed() {
            *client = self.reach.connect("on").await?;
        }
        Ok(client)
    }

    /// The connections that append, made anew where the one that holds the leases was lost.
    async fn line(&self) -> Result<Arc<Line>, StoreError> {
        let mut line = self.line.lock().await;
        if line.is_lost() {
            *line = Arc::new(Line::open(&self.reach, self.locks, &self.counters).await?);
        }
        Ok(Arc::clone(&line))
    }

    /// Whoever holds a run appends by the connection that has its lease, and by no other.
    fn held_by(&self, run: RunNo) -> Option<Arc<Line>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).get(&run).cloned()
    }

    fn note_held(&self, run: RunNo, line: Arc<Line>) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).insert(run, line);
    }
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
    let reason = error.as_db_error().map_or_else(|| with_causes(&error), |db| db.message().to_owned());
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

/// What an error says, and each cause behind it that says more: "error performing TLS handshake" alone helps nobody. None of them
/// speaks of the address, so no password is told.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let causes = std::iter::successors(error.source(), |cause| cause.source()).take(MOST_CAUSES);
    for cause in causes.map(ToString::to_string) {
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
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
