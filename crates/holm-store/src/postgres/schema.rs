//! Tables, and how older ones become the present ones. The tables have Holm's name, so that a database can be shared.

use tokio_postgres::Client;

use super::{SCHEMA_LOCK, failed};
use crate::StoreError;

/// Each step brings a database from the schema of its index to the next. Steps are never changed, only added.
const STEPS: [&str; 6] = [
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
    // What is derived is computed anew, so that the ledger knows the journals that are there already.
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
];

/// Brings a database to the present schema, all steps or none.
pub(super) async fn migrate(client: &mut Client, locks: i32) -> Result<(), StoreError> {
    let tx = client.transaction().await.map_err(failed)?;
    tx.execute("SELECT pg_advisory_xact_lock($1, $2)", &[&locks, &SCHEMA_LOCK]).await.map_err(failed)?;
    tx.batch_execute("CREATE TABLE IF NOT EXISTS holm_schema (version int4 NOT NULL)")
        .await
        .map_err(failed)?;
    let row = tx.query_opt("SELECT version FROM holm_schema", &[]).await.map_err(failed)?;
    let found: i32 = row.map_or(0, |row| row.get(0));
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    let known = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
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
