//! The tables and their migrations. Table names begin with Holm's name, so that other programs can
//! share the database.
//!
//! Steps are never changed, only added, because a store may be at any of them. All missing steps
//! run in one transaction, under a lock, since servers start at the same time. The queries are in
//! `postgres/queries.rs`; SQLite has its own steps (`sqlite/schema.rs`).

use tokio_postgres::error::SqlState;

use super::{
    LOCKS, SCHEMA_LOCK, failed,
    pool::{CheckedOutConnection, PostgresConnections},
    schema_connection::{SchemaName, SchemaTransaction},
};
use crate::StoreError;

/// Tables of the whole database, in addition to those of the default schema. `holmdb_leases` has a
/// row for each run that is driven. `holmdb_at_work` has one for each session that is running or
/// for which a prompt waits, so that a server finds those without a holder with one query.
const SHARED: &str = "CREATE TABLE IF NOT EXISTS holmdb_leases (
        schema text NOT NULL, run int8 NOT NULL, lease int8 NOT NULL, hold int8 NOT NULL, holder text NOT NULL,
        PRIMARY KEY (schema, run)
     );
     CREATE TABLE IF NOT EXISTS holmdb_at_work (
        schema text NOT NULL, id text NOT NULL, reason text NOT NULL, run int8 NOT NULL,
        since timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (schema, id, reason)
     );";

/// Each step brings a database from the schema of its index to the next. Steps are
/// never changed, only added.
const STEPS: [&str; 8] = [
    "CREATE TABLE holm_meta (name text PRIMARY KEY, value bytea NOT NULL);
     CREATE TABLE holm_runs (
        no bigserial PRIMARY KEY, id text NOT NULL UNIQUE, created int8 NOT NULL,
        key bytea, named bytea, holder text, moved bool NOT NULL DEFAULT true
     );
     CREATE TABLE holm_records (
        run int8 NOT NULL, seq int8 NOT NULL, line bytea NOT NULL, PRIMARY KEY (run, seq)
     );
     CREATE TABLE holm_snapshots (run int8 PRIMARY KEY, body bytea NOT NULL);
     CREATE TABLE holm_tags (run int8 NOT NULL, tag text NOT NULL, PRIMARY KEY (run, tag));
     CREATE TABLE holm_blobs (
        run int8 NOT NULL, name text NOT NULL, file text NOT NULL, bytes int8 NOT NULL, PRIMARY KEY (run, name)
     );
     CREATE INDEX holm_blobs_by_name ON holm_blobs (name);
     CREATE INDEX holm_blobs_by_file ON holm_blobs (file);
     CREATE TABLE holm_pieces (file text NOT NULL, n int8 NOT NULL, data bytea NOT NULL, PRIMARY KEY (file, n));
     CREATE TABLE holm_stones (id text PRIMARY KEY, at int8 NOT NULL, records int8 NOT NULL, chain text NOT NULL);",
    "CREATE TABLE holm_heads (
        run int8 PRIMARY KEY, records int8 NOT NULL, updated int8 NOT NULL,
        agent text NOT NULL, model text NOT NULL, title bytea, folded int8 NOT NULL DEFAULT 0
     );
     CREATE TABLE holm_usage (
        run int8 NOT NULL, day int8 NOT NULL, kind int8 NOT NULL, name text NOT NULL, numbers int8[] NOT NULL
     );
     CREATE INDEX holm_usage_by_run ON holm_usage (run);
     CREATE TABLE holm_texts (run int8 NOT NULL, seq int8 NOT NULL, folded text NOT NULL, PRIMARY KEY (run, seq));
     DO $$ BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE INDEX holm_texts_by_trigram ON holm_texts USING gin (folded gin_trgm_ops);
     EXCEPTION WHEN OTHERS THEN
        -- Without the extension, or the right to add it, a search reads every text.
        NULL;
     END $$;",
    // Derived data is computed again, so that the ledger includes the existing journals.
    "CREATE TABLE holm_ledger (
        run int8 NOT NULL, kind text NOT NULL, model text NOT NULL, numbers int8[] NOT NULL, whys bytea NOT NULL,
        PRIMARY KEY (run, kind, model)
     );
     CREATE INDEX holm_ledger_by_kind ON holm_ledger (kind);
     UPDATE holm_runs SET moved = true;
     DELETE FROM holm_heads; DELETE FROM holm_usage; DELETE FROM holm_texts;",
    "CREATE TABLE holm_jobs (
        id text PRIMARY KEY, key bytea, version int8 NOT NULL, spec bytea NOT NULL, standing bytea NOT NULL
     );
     CREATE TABLE holm_job_runs (
        no bigserial PRIMARY KEY,
        job text NOT NULL, slot text NOT NULL, at int8 NOT NULL, open bool NOT NULL,
        version int8 NOT NULL, body bytea NOT NULL,
        UNIQUE (job, slot)
     );
     CREATE INDEX holm_job_runs_by_state ON holm_job_runs (job, open, no);",
    "CREATE TABLE holm_slips (
        tray text NOT NULL, name text NOT NULL, key bytea, at int8 NOT NULL, version int8 NOT NULL,
        body bytea NOT NULL, PRIMARY KEY (tray, name)
     );",
    // Usage and ledger hold `counted` records; `state` is the fold after `state_at` of them.
    "CREATE TABLE holm_folds (run int8 PRIMARY KEY, counted int8 NOT NULL, state_at int8 NOT NULL, state bytea);",
    // The holder of a run is in a table of the whole database now.
    "ALTER TABLE holm_runs DROP COLUMN holder;",
    // What each run has cost after its first `at` records; the eighth number of usage is a cost.
    "CREATE TABLE holm_spends (run int8 PRIMARY KEY, at int8 NOT NULL, nano int8 NOT NULL);
     INSERT INTO holm_spends SELECT u.run, coalesce(max(f.counted), 0), sum(u.numbers[8])::int8
        FROM holm_usage u LEFT JOIN holm_folds f ON f.run = u.run GROUP BY u.run;",
];

/// Creates the tables of the whole database if they are missing.
pub(super) async fn make_shared(checkout: &mut CheckedOutConnection<'_>) -> Result<(), StoreError> {
    let tables =
        "SELECT to_regclass('holmdb_leases') IS NOT NULL AND to_regclass('holmdb_at_work') IS NOT NULL";
    let row = checkout.scoped()?.query_opt(tables, &[]).await.map_err(failed)?;
    if row.is_some_and(|row| row.get(0)) {
        return Ok(());
    }
    let tx = checkout.transaction().await?;
    lock(&tx).await?;
    tx.batch_execute(SHARED).await.map_err(failed)?;
    tx.commit().await.map_err(failed)
}

/// Brings a store to the present schema, all steps or none.
pub(super) async fn migrate(pool: &PostgresConnections, schema: &SchemaName) -> Result<(), StoreError> {
    let known = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
    // Nearly always there is nothing to do, and servers open the stores of all their users.
    if version(&pool.checkout(schema).await?).await? == Some(known) {
        return Ok(());
    }
    let usual = SchemaName::default();
    let mut checkout = pool.checkout(&usual).await?;
    if let Some(name) = schema.name() {
        make_schema(&mut checkout, name).await?;
    }
    let tx = checkout.transaction().await?;
    lock(&tx).await?;
    if let Some(name) = schema.name() {
        // Steps create indexes, whose names take no schema. Only for this transaction.
        tx.batch_execute(&format!("SET LOCAL search_path = \"{name}\", public")).await.map_err(failed)?;
    }
    tx.batch_execute("CREATE TABLE IF NOT EXISTS holm_schema (version int4 NOT NULL)")
        .await
        .map_err(failed)?;
    let row = tx.query_opt("SELECT version FROM holm_schema", &[]).await.map_err(failed)?;
    let found: i32 = row.map_or(0, |row| row.get(0));
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for step in STEPS.iter().skip(found as usize) {
        tx.batch_execute(step).await.map_err(failed)?;
    }
    if found < known {
        tx.execute("DELETE FROM holm_schema", &[]).await.map_err(failed)?;
        let version = i32::try_from(known).unwrap_or(i32::MAX);
        tx.execute("INSERT INTO holm_schema VALUES ($1)", &[&version]).await.map_err(failed)?;
    }
    tx.commit().await.map_err(failed)
}

/// The schema version of a store; `None` if there is no store yet.
async fn version(checkout: &CheckedOutConnection<'_>) -> Result<Option<u32>, StoreError> {
    let missing = [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME];
    match checkout.scoped()?.query_opt("SELECT version FROM holm_schema", &[]).await {
        Ok(row) => Ok(row.and_then(|row| u32::try_from(row.get::<_, i32>(0)).ok())),
        Err(error) if error.code().is_some_and(|code| missing.contains(code)) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Two processes that change the tables at once must not meet: `IF NOT EXISTS` alone lets
/// one of them fail.
async fn lock(tx: &SchemaTransaction<'_>) -> Result<(), StoreError> {
    // Another server may be migrating, which can take any time.
    tx.batch_execute("SET LOCAL statement_timeout = 0").await.map_err(failed)?;
    let sql = "SELECT pg_advisory_xact_lock($1, $2)";
    tx.execute(sql, &[&LOCKS, &SCHEMA_LOCK]).await.map_err(failed)?;
    Ok(())
}

/// Creates a schema if it is missing.
async fn make_schema(checkout: &mut CheckedOutConnection<'_>, name: &str) -> Result<(), StoreError> {
    let tx = checkout.transaction().await?;
    lock(&tx).await?;
    tx.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS \"{name}\"")).await.map_err(failed)?;
    tx.commit().await.map_err(failed)?;
    // In a place that all schemas see, so that each can have its index. Without the right to add
    // it, a search reads every text.
    let extension = "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public";
    let _ = checkout.scoped()?.batch_execute(extension).await;
    Ok(())
}
