//! PostgreSQL: for stores that several machines share.
//!
//! A process has one [`PostgresPool`] for a database and a store for each schema on it. Queries
//! take any free connection; appends are committed in groups by two connections, one of which waits
//! for the disk; one more holds the lease of the process. A run is driven by the process whose
//! lease its row in `holmdb_leases` names. If that connection is lost, nothing is appended any more
//! for the runs it held, their drivers stop ([`Journal::lost`](holm_runtime::Journal::lost)), and
//! another process resumes them afterwards.
//!
//! This file holds the backend's type, the check of a schema's name and the translation of errors.
//! A message must not contain the address, which may hold a password.
//!
//! Where things are:
//!
//! - `postgres/address.rs`: the address, and whether TLS is used.
//! - `postgres/tls.rs`: TLS.
//! - `postgres/connector.rs`: opens a connection.
//! - `postgres/pool.rs`: keeps connections.
//! - `postgres/schema_connection.rs`: queries in one schema.
//! - `postgres/schema.rs`: the tables.
//! - `postgres/backend.rs`: the operations of the store.
//! - `postgres/queries.rs`: the longer ones among them.
//! - `postgres/jobs.rs`, `postgres/notes.rs`: jobs and notes.
//! - `postgres/committer.rs`: appends.
//! - `postgres/lease.rs`: who may drive a run.

mod address;
mod backend;
mod committer;
mod connector;
mod jobs;
mod lease;
mod notes;
mod pool;
mod queries;
mod schema;
mod schema_connection;
mod tls;

use std::sync::Arc;

use tokio_postgres::error::SqlState;

use crate::StoreError;
use pool::{CheckedOutConnection, PostgresConnections};
pub use pool::{ParkedSession, PostgresPool};
use schema_connection::SchemaName;

/// Marks Holm's short locks among those of other programs; leases are locks with one number.
const LOCKS: i32 = 0x686f_6c6d;

/// The longest name of a schema, in bytes. The server cuts longer names, and two
/// names would become one.
const MOST_SCHEMA: usize = 63;

/// The lock that changes of the schemas take.
const SCHEMA_LOCK: i32 = 0;

/// The most causes of an error that a message contains; no library nests deeper than half of it.
const MOST_CAUSES: usize = 8;

pub(crate) struct PostgresBackend {
    pool: Arc<PostgresConnections>,
    schema: SchemaName,
}

impl PostgresBackend {
    pub(crate) async fn open(pool: &PostgresPool, schema: Option<&str>) -> Result<Self, StoreError> {
        if let Some(schema) = schema {
            check_schema(schema)?;
        }
        let (pool, schema) = (Arc::clone(&pool.inner), SchemaName::new(schema));
        schema::migrate(&pool, &schema).await?;
        Ok(Self { pool, schema })
    }

    /// A connection that asks questions in this schema.
    async fn asking(&self) -> Result<CheckedOutConnection<'_>, StoreError> {
        self.pool.checkout(&self.schema).await
    }
}

/// Only what needs no thought between quotation marks.
fn check_schema(name: &str) -> Result<(), StoreError> {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.');
    if name.is_empty() || name.len() > MOST_SCHEMA || !name.bytes().all(plain) {
        let reason = "lower-case letters, digits, `_`, `-` and `.`, at most 63".to_owned();
        return Err(StoreError::BadLabel { what: "the name of the schema".into(), reason });
    }
    Ok(())
}

/// Translates an error of the server into one of the store.
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
            reason: "a record with that number already exists; read the journal again".into(),
        },
        _ => StoreError::System { reason },
    }
}

/// The message of an error and of each cause that adds something: "error performing TLS handshake"
/// alone does not help. None of these messages contains the address, so no password leaks.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let causes = std::iter::successors(error.source(), |cause| cause.source()).take(MOST_CAUSES);
    for cause in causes.map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
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
