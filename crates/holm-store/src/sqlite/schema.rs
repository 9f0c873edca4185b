//! The tables and their migrations.
//!
//! A record's key combines its run's number and its own number in one integer. So an append touches
//! one page of one tree, and a journal lies together. All data that can be computed from records
//! stands apart, in the tables of steps 2, 3, 6 and 8.
//!
//! Steps are never changed, only added, because a store may be at any of them. All missing steps
//! run in one transaction. The queries are in `sqlite/queries.rs`; PostgreSQL has its own steps
//! (`postgres/schema.rs`).

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::failed;
use crate::{StoreError, backend::RunNumber};

/// Marks a file as a store of Holm.
const APPLICATION: i32 = 0x686f_6c6d;

/// Bits of a record's key that are its number in the journal; the rest is the run's.
const SEQ_BITS: u32 = 32;

/// Each step brings a database from the schema of its index to the next. Steps are
/// never changed, only added.
const STEPS: [&str; 8] = [
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
     CREATE TABLE runs (
        no INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        created INTEGER NOT NULL,
        key BLOB,
        named BLOB,
        holder TEXT,
        holder_name TEXT
     );
     CREATE TABLE records (id INTEGER PRIMARY KEY, line BLOB NOT NULL);
     CREATE TABLE snapshots (run INTEGER PRIMARY KEY, body BLOB NOT NULL);
     CREATE TABLE tags (run INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (run, tag)) WITHOUT ROWID;
     CREATE INDEX tags_by_tag ON tags (tag);
     CREATE TABLE blobs (
        run INTEGER NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (run, name)
     ) WITHOUT ROWID;
     CREATE INDEX blobs_by_name ON blobs (name);
     CREATE INDEX blobs_by_file ON blobs (file);
     CREATE TABLE stones (
        id TEXT PRIMARY KEY, at INTEGER NOT NULL, records INTEGER NOT NULL, chain TEXT NOT NULL
     ) WITHOUT ROWID;",
    "CREATE TABLE heads (
        run INTEGER PRIMARY KEY,
        records INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        agent TEXT NOT NULL,
        model TEXT NOT NULL,
        title BLOB,
        folded INTEGER NOT NULL DEFAULT 0
     );
     CREATE INDEX heads_by_time ON heads (updated, run);
     CREATE TABLE moved (run INTEGER PRIMARY KEY);
     INSERT INTO moved SELECT no FROM runs;
     CREATE TABLE usage (
        run INTEGER NOT NULL, day INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL,
        calls INTEGER NOT NULL, failed INTEGER NOT NULL,
        input INTEGER NOT NULL, output INTEGER NOT NULL,
        cached INTEGER NOT NULL, cache_write INTEGER NOT NULL, reasoning INTEGER NOT NULL,
        cost INTEGER NOT NULL, unpriced INTEGER NOT NULL, millis INTEGER NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (run, day, kind, name)
     ) WITHOUT ROWID;
     CREATE VIRTUAL TABLE texts USING fts5 (
        text, content = '', contentless_delete = 1, tokenize = 'trigram'
     );",
    // Derived data is computed again, so that the ledger includes the existing journals.
    "CREATE TABLE ledger (
        run INTEGER NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL,
        calls INTEGER NOT NULL, tasks INTEGER NOT NULL, successes INTEGER NOT NULL,
        rejections INTEGER NOT NULL, invalid_calls INTEGER NOT NULL, step_ups INTEGER NOT NULL,
        whys BLOB NOT NULL,
        PRIMARY KEY (run, kind, model)
     ) WITHOUT ROWID;
     CREATE INDEX ledger_by_kind ON ledger (kind);
     DELETE FROM heads; DELETE FROM usage; DELETE FROM texts;
     INSERT OR IGNORE INTO moved SELECT no FROM runs;",
    "CREATE TABLE jobs (
        id TEXT PRIMARY KEY, key BLOB, version INTEGER NOT NULL, spec BLOB NOT NULL, standing BLOB NOT NULL
     ) WITHOUT ROWID;
     CREATE TABLE job_runs (
        no INTEGER PRIMARY KEY AUTOINCREMENT,
        job TEXT NOT NULL, slot TEXT NOT NULL, at INTEGER NOT NULL, open INTEGER NOT NULL,
        version INTEGER NOT NULL, body BLOB NOT NULL,
        UNIQUE (job, slot)
     );
     CREATE INDEX job_runs_by_state ON job_runs (job, open, no);",
    "CREATE TABLE slips (
        tray TEXT NOT NULL, name TEXT NOT NULL, key BLOB, at INTEGER NOT NULL, version INTEGER NOT NULL,
        body BLOB NOT NULL, PRIMARY KEY (tray, name)
     ) WITHOUT ROWID;",
    // Usage and ledger hold `counted` records; `state` is the fold after `state_at` of them.
    "CREATE TABLE folds (
        run INTEGER PRIMARY KEY, counted INTEGER NOT NULL, state_at INTEGER NOT NULL, state BLOB
     );
     ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;",
    // Breaks of prompt caches, as JSON. The usage of every run is counted again with them.
    "ALTER TABLE usage ADD COLUMN breaks TEXT NOT NULL DEFAULT '';
     DELETE FROM folds; INSERT OR IGNORE INTO moved SELECT no FROM runs;",
    // What each run has cost after its first `at` records. Apart from the folds, whose states are
    // large: a driver writes this at the end of each group.
    "CREATE TABLE spends (run INTEGER PRIMARY KEY, at INTEGER NOT NULL, nano INTEGER NOT NULL);
     INSERT INTO spends SELECT u.run, coalesce((SELECT counted FROM folds WHERE run = u.run), 0), sum(u.cost)
        FROM usage u GROUP BY u.run;",
];

/// Brings a database to the present schema, all steps or none.
pub(super) fn migrate(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    migrate_to(conn, path, STEPS.len())
}

pub(super) fn migrate_to(conn: &Connection, path: &Path, goal: usize) -> Result<(), StoreError> {
    let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate).map_err(failed)?;
    let found = known_version(&tx, path)?;
    for (step, number) in STEPS.iter().zip(1_u32..).take(goal).skip(found as usize) {
        tx.execute_batch(step).map_err(failed)?;
        tx.pragma_update(None, "user_version", number).map_err(failed)?;
    }
    if found == 0 {
        tx.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    }
    tx.commit().map_err(failed)
}

/// Checks that a database is a store that this program can open, with every table of
/// its schema. Changes nothing.
pub(super) fn check(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = known_version(conn, path)?;
    // The migration steps define the tables, so that no second list can become outdated.
    let model = Connection::open_in_memory().map_err(failed)?;
    for step in STEPS.iter().take(found as usize) {
        model.execute_batch(step).map_err(failed)?;
    }
    let existing = tables(conn)?;
    match tables(&model)?.iter().find(|name| !existing.contains(*name)) {
        Some(name) => {
            Err(StoreError::System { reason: format!("it is damaged: the table `{name}` is missing") })
        }
        None => Ok(()),
    }
}

fn tables(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let all = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let mut statement = conn.prepare(all).map_err(failed)?;
    let names = statement.query_map([], |row| row.get::<_, String>(0)).map_err(failed)?;
    names.collect::<rusqlite::Result<_>>().map_err(failed)
}

/// The schema version of the database, if this program knows it.
fn known_version(conn: &Connection, path: &Path) -> Result<u32, StoreError> {
    let found = version(conn, path)?;
    if found as usize > STEPS.len() {
        let known = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
        return Err(StoreError::Newer { found, known });
    }
    Ok(found)
}

/// The schema version of the database; an empty file becomes a new store.
fn version(conn: &Connection, path: &Path) -> Result<u32, StoreError> {
    let foreign = || StoreError::Foreign { place: path.display().to_string() };
    let read = |name: &str| -> Result<i64, StoreError> {
        conn.pragma_query_value(None, name, |row| row.get(0)).map_err(failed)
    };
    let (version, application) = (read("user_version")?, read("application_id")?);
    let tables: i64 =
        conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(failed)?;
    if version == 0 && application == 0 && tables == 0 {
        return Ok(0);
    }
    if application != i64::from(APPLICATION) {
        return Err(foreign());
    }
    u32::try_from(version).map_err(|_| foreign())
}

/// The key of a record.
pub(super) fn key(run: RunNumber, seq: u64) -> Result<i64, StoreError> {
    let too_many = |reason: &str| StoreError::System { reason: reason.into() };
    let seq = u32::try_from(seq).map_err(|_| too_many("a journal holds at most 4,294,967,296 records"))?;
    let run = i32::try_from(run.0).map_err(|_| too_many("a store holds at most 2,147,483,647 runs"))?;
    Ok((i64::from(run) << SEQ_BITS) | i64::from(seq))
}

/// The keys of all records of a run, both ends included.
pub(super) fn keys(run: RunNumber) -> Result<(i64, i64), StoreError> {
    Ok((key(run, 0)?, key(run, u64::from(u32::MAX))?))
}

/// A record's number in its journal.
pub(super) const fn seq(key: i64) -> u64 {
    key.cast_unsigned() & ((1 << SEQ_BITS) - 1)
}

/// The run of a record.
pub(super) const fn run(key: i64) -> i64 {
    key >> SEQ_BITS
}
