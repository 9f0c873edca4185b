//! Queries and updates in PostgreSQL's SQL, one function each.
//!
//! Short ones are in `postgres/backend.rs`; the tables are in `postgres/schema.rs`. Tables are
//! named without a schema, which `postgres/schema_connection.rs` inserts. Values are parameters and
//! never part of the text. A transaction is committed by the caller. Each function must give the
//! same answers as the one for SQLite (`sqlite/queries.rs`).

use holm_runtime::{CacheBreaks, RecordCosts};
use tokio_postgres::{Row, types::ToSql};

use super::{
    clean, failed,
    lease::ALIVE,
    schema_connection::{SchemaConnection, SchemaTransaction},
    signed, unsigned,
};
use crate::{
    StoreError,
    backend::{BlobRow, IndexUpdate, RunNumber, RunRow, SessionFilter, SessionListRow, StaleRun},
    derive::{LedgerRow, SessionSummary, TIME_BYTES, UsageEntry, UsageSubject, UsageTally, UtcDay},
};

type Result<T> = std::result::Result<T, StoreError>;

/// Makes a run; the caller commits.
pub(super) async fn create(
    tx: &SchemaTransaction<'_>,
    id: &str,
    key: Option<&[u8]>,
    now: u64,
) -> Result<RunNumber> {
    let erased = tx.query_opt("SELECT 1 FROM holm_stones WHERE id = $1", &[&id]).await.map_err(failed)?;
    if erased.is_some() {
        return Err(StoreError::Erased { run: id.into() });
    }
    // A name is free if its creator died before the first record was stored. A live creator holds a
    // lease.
    let stillborn = format!(
        "{ALIVE}, gone AS (DELETE FROM holm_runs r WHERE r.id = $1
            AND NOT EXISTS (SELECT 1 FROM holm_records WHERE run = r.no)
            AND NOT EXISTS (SELECT 1 FROM holmdb_leases l WHERE l.schema = :schema AND l.run = r.no
                AND l.lease IN (SELECT lease FROM alive)) RETURNING no)
         DELETE FROM holmdb_leases l USING gone WHERE l.schema = :schema AND l.run = gone.no"
    );
    tx.execute(&stillborn, &[&id]).await.map_err(failed)?;
    let row = tx
        .query_opt(
            "INSERT INTO holm_runs (id, created, key) VALUES ($1, $2, $3)
             ON CONFLICT (id) DO NOTHING RETURNING no",
            &[&id, &signed(now), &key],
        )
        .await
        .map_err(failed)?;
    row.map(|row| RunNumber(row.get(0))).ok_or_else(|| StoreError::Exists { run: id.into() })
}

/// The page of a list.
pub(super) async fn list(
    client: &SchemaConnection<'_>,
    filter: &SessionFilter<'_>,
) -> Result<Vec<SessionListRow>> {
    let time = if filter.by_created { "r.created" } else { "coalesce(h.updated, r.created)" };
    let (compare, order) = if filter.oldest_first { (">", "ASC") } else { ("<", "DESC") };
    let mut sql = format!(
        "{ALIVE} SELECT r.no, r.id, r.key, r.created, coalesce(h.updated, r.created), coalesce(h.records, 0),
            coalesce(h.agent, ''), coalesce(h.model, ''), r.named, h.title,
            CASE WHEN l.lease IN (SELECT lease FROM alive) THEN l.holder END,
            ARRAY (SELECT tag FROM holm_tags WHERE run = r.no ORDER BY tag COLLATE \"C\"),
            EXISTS (SELECT 1 FROM holm_records WHERE run = r.no)
         FROM holm_runs r LEFT JOIN holm_heads h ON h.run = r.no
         LEFT JOIN holmdb_leases l ON l.schema = :schema AND l.run = r.no WHERE true",
    );
    let (at, no) = filter.after.map_or((0, 0), |(at, no)| (signed(at), no));
    let limit = signed(filter.limit);
    let mut values: Vec<&(dyn ToSql + Sync)> = Vec::new();
    if let Some(id) = &filter.id {
        values.push(id);
        sql += &format!(" AND r.id = ${}", values.len());
    }
    if let Some(tag) = &filter.tag {
        values.push(tag);
        sql += &format!(" AND EXISTS (SELECT 1 FROM holm_tags WHERE run = r.no AND tag = ${})", values.len());
    }
    if filter.after.is_some() {
        values.extend([&at as &(dyn ToSql + Sync), &no]);
        sql += &format!(" AND ({time}, r.no) {compare} (${}, ${})", values.len() - 1, values.len());
    }
    values.push(&limit);
    sql += &format!(" ORDER BY {time} {order}, r.no {order} LIMIT ${}", values.len());
    let rows = client.query(&sql, &values).await.map_err(failed)?;
    Ok(rows.iter().map(listed).collect())
}

fn listed(row: &Row) -> SessionListRow {
    SessionListRow {
        run: run_row(row),
        created: unsigned(row.get(3)),
        updated: unsigned(row.get(4)),
        records: unsigned(row.get(5)),
        agent: row.get(6),
        model: row.get(7),
        named: row.get(8),
        derived: row.get(9),
        holder: row.get(10),
        tags: row.get(11),
        has_begun: row.get(12),
    }
}

pub(super) async fn stale(client: &SchemaConnection<'_>) -> Result<Vec<StaleRun>> {
    let rows = client
        .query(
            "SELECT r.no, r.id, r.key, coalesce(x.seq + 1, 0), coalesce(h.records, 0), h.title IS NOT NULL,
                coalesce(h.folded, 0), coalesce(s.at, 0),
                CASE WHEN x.seq + 1 = h.records THEN NULL
                    WHEN r.key IS NULL THEN substring(x.line FROM 1 FOR $1::int4) ELSE x.line END
             FROM holm_runs r LEFT JOIN holm_heads h ON h.run = r.no LEFT JOIN holm_spends s ON s.run = r.no
             LEFT JOIN LATERAL (
                SELECT seq, line FROM holm_records WHERE run = r.no ORDER BY seq DESC LIMIT 1) x ON true
             WHERE r.moved",
            &[&i32::try_from(TIME_BYTES).unwrap_or(i32::MAX)],
        )
        .await
        .map_err(failed)?;
    let stale = |row: &Row| StaleRun {
        run: run_row(row),
        records: unsigned(row.get(3)),
        head_at: unsigned(row.get(4)),
        titled: row.get(5),
        folded: unsigned(row.get(6)),
        spent_at: unsigned(row.get(7)),
        last: row.get::<_, Option<Vec<u8>>>(8).unwrap_or_default(),
    };
    Ok(rows.iter().map(stale).collect())
}

pub(super) async fn keep_heads(
    tx: &SchemaTransaction<'_>,
    heads: &[(RunNumber, SessionSummary)],
) -> Result<()> {
    let column = |of: fn(&SessionSummary) -> u64| heads.iter().map(|(_, facts)| signed(of(facts))).collect();
    let (records, updated): (Vec<i64>, Vec<i64>) =
        (column(|facts| facts.records), column(|facts| facts.updated));
    let text = |of: fn(&SessionSummary) -> &str| heads.iter().map(|(_, facts)| clean(of(facts))).collect();
    let (agents, models): (Vec<String>, Vec<String>) =
        (text(|facts| &facts.agent), text(|facts| &facts.model));
    let titles: Vec<Option<&[u8]>> = heads.iter().map(|(_, facts)| facts.title.as_deref()).collect();
    let runs: Vec<RunNumber> = heads.iter().map(|(run, _)| *run).collect();
    tx.execute(
        "INSERT INTO holm_heads (run, records, updated, agent, model, title)
         SELECT r.no, j.records, j.updated, j.agent, j.model, j.title
            FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::bytea[])
                AS j (run, records, updated, agent, model, title) JOIN holm_runs r ON r.no = j.run
         ON CONFLICT (run) DO UPDATE SET records = excluded.records, updated = excluded.updated,
            agent = coalesce(nullif(excluded.agent, ''), holm_heads.agent),
            model = coalesce(nullif(excluded.model, ''), holm_heads.model),
            title = coalesce(excluded.title, holm_heads.title)",
        &[&numbers(&runs), &records, &updated, &agents, &models, &titles],
    )
    .await
    .map_err(failed)?;
    settle(tx, &runs).await
}

/// Stores what a run has cost after this many records, unless it was erased.
const KEEP_SPENT: &str = "INSERT INTO holm_spends
     SELECT no, $2::int8, $3::int8 FROM holm_runs WHERE no = $1 FOR KEY SHARE
     ON CONFLICT (run) DO UPDATE SET at = excluded.at, nano = excluded.nano";

pub(super) async fn keep_costs(
    client: &SchemaConnection<'_>,
    run: RunNumber,
    costs: &RecordCosts,
) -> Result<()> {
    let sql = "SELECT at, nano FROM holm_spends WHERE run = $1";
    let row = client.query_opt(sql, &[&run.0]).await.map_err(failed)?;
    let (at, nano) = row.map_or((0, 0), |row| (unsigned(row.get(0)), unsigned(row.get(1))));
    let Some(more) = costs.since(at) else { return Ok(()) };
    // A fold may write in between: its cost is right for its records too, and may stay or go.
    let (at, nano) = (signed(costs.records()), signed(nano.saturating_add(more.value())));
    client.execute(KEEP_SPENT, &[&run.0, &at, &nano]).await.map_err(failed)?;
    Ok(())
}

pub(super) fn numbers(runs: &[RunNumber]) -> Vec<i64> {
    runs.iter().map(|run| run.0).collect()
}

pub(super) async fn keep_folded(
    tx: &SchemaTransaction<'_>,
    run: RunNumber,
    derived: &IndexUpdate,
) -> Result<()> {
    let records = derived.records;
    // The run's row is locked, so that two folds run one after the other. Appends only share its
    // key and continue.
    let found = tx
        .query_opt("SELECT 1 FROM holm_runs WHERE no = $1 FOR NO KEY UPDATE", &[&run.0])
        .await
        .map_err(failed)?;
    let row =
        tx.query_opt("SELECT folded FROM holm_heads WHERE run = $1", &[&run.0]).await.map_err(failed)?;
    let known = row.map_or(0, |row| unsigned(row.get(0)));
    // The run was erased, or another process was faster.
    if found.is_none() || known >= records {
        return Ok(());
    }
    for table in ["usage", "ledger"] {
        tx.execute(&format!("DELETE FROM holm_{table} WHERE run = $1"), &[&run.0]).await.map_err(failed)?;
    }
    for entry in &derived.usage {
        keep_entry(tx, run, entry).await?;
    }
    for row in &derived.ledger {
        keep_standing(tx, run, row).await?;
    }
    tx.execute(KEEP_SPENT, &[&run.0, &signed(records), &signed(derived.cost())]).await.map_err(failed)?;
    let new = derived.texts.iter().filter(|row| row.seq >= known);
    let (seqs, folded): (Vec<i64>, Vec<String>) =
        new.map(|row| (signed(row.seq), clean(&row.text.to_lowercase()))).unzip();
    tx.execute(
        "INSERT INTO holm_texts SELECT $1, * FROM unnest($2::int8[], $3::text[])",
        &[&run.0, &seqs, &folded],
    )
    .await
    .map_err(failed)?;
    tx.execute(
        "INSERT INTO holm_heads (run, records, updated, agent, model, folded) VALUES ($1, 0, 0, '', '', $2)
         ON CONFLICT (run) DO UPDATE SET folded = excluded.folded",
        &[&run.0, &signed(records)],
    )
    .await
    .map_err(failed)?;
    let (state_at, state) = derived.state.as_ref().map(|(at, state)| (signed(*at), state)).unzip();
    tx.execute(
        "INSERT INTO holm_folds VALUES ($1, $2, coalesce($3::int8, 0), $4::bytea) ON CONFLICT (run) DO UPDATE SET
            counted = excluded.counted, state_at = coalesce($3::int8, holm_folds.state_at),
            state = coalesce($4::bytea, holm_folds.state)",
        &[&run.0, &signed(records), &state_at, &state],
    )
    .await
    .map_err(failed)?;
    settle(tx, &[run]).await
}

/// Unmarks runs that no process drives and whose index is complete, so that they
/// are not checked again.
async fn settle(tx: &SchemaTransaction<'_>, runs: &[RunNumber]) -> Result<()> {
    tx.execute(
        "UPDATE holm_runs r SET moved = false WHERE r.no = ANY($1)
         AND NOT EXISTS (SELECT 1 FROM holmdb_leases WHERE schema = :schema AND run = r.no) AND EXISTS (
            SELECT 1 FROM holm_heads h WHERE h.run = r.no AND h.records = h.folded
            AND h.records = (SELECT coalesce(max(seq) + 1, 0) FROM holm_records WHERE run = r.no))",
        &[&numbers(runs)],
    )
    .await
    .map_err(failed)?;
    Ok(())
}

async fn keep_entry(tx: &SchemaTransaction<'_>, run: RunNumber, entry: &UsageEntry) -> Result<()> {
    let (kind, name) = match &entry.subject {
        UsageSubject::Model(name) => (0_i64, name),
        UsageSubject::Tool(name) => (1, name),
    };
    let UsageTally { calls, failed: errors, tokens, cost, unpriced, millis, bytes, breaks } = entry.tally;
    let numbers: Vec<i64> = [
        calls,
        errors,
        tokens.input,
        tokens.output,
        tokens.cached,
        tokens.cache_write,
        tokens.reasoning,
        cost.value(),
        unpriced,
        millis,
        bytes,
        tokens.estimated,
        breaks.model,
        breaks.compaction,
        breaks.mode,
        breaks.tools,
        breaks.expiry,
        breaks.eviction,
        breaks.tokens,
    ]
    .map(signed)
    .to_vec();
    tx.execute(
        "INSERT INTO holm_usage VALUES ($1, $2, $3, $4, $5)",
        &[&run.0, &signed(entry.day.value()), &kind, &clean(name), &numbers],
    )
    .await
    .map_err(failed)?;
    Ok(())
}

async fn keep_standing(tx: &SchemaTransaction<'_>, run: RunNumber, row: &LedgerRow) -> Result<()> {
    let numbers = row.numbers.map(signed).to_vec();
    tx.execute(
        "INSERT INTO holm_ledger VALUES ($1, $2, $3, $4, $5)",
        &[&run.0, &clean(&row.kind), &clean(&row.model), &numbers, &row.whys],
    )
    .await
    .map_err(failed)?;
    Ok(())
}

pub(super) async fn ledger(
    client: &SchemaConnection<'_>,
    kind: Option<&str>,
) -> Result<Vec<(RunRow, LedgerRow)>> {
    let sql = "SELECT r.no, r.id, r.key, l.kind, l.model, l.numbers, l.whys
         FROM holm_ledger l JOIN holm_runs r ON r.no = l.run WHERE $1::text IS NULL OR l.kind = $1";
    let rows = client.query(sql, &[&kind.map(clean)]).await.map_err(failed)?;
    let standing = |row: &Row| {
        let kept: Vec<i64> = row.get(5);
        let mut numbers = [0; 6];
        numbers.iter_mut().zip(kept).for_each(|(number, kept)| *number = unsigned(kept));
        LedgerRow { kind: row.get(3), model: row.get(4), numbers, whys: row.get(6) }
    };
    Ok(rows.iter().map(|row| (run_row(row), standing(row))).collect())
}

pub(super) async fn usage(client: &SchemaConnection<'_>) -> Result<Vec<(String, UsageEntry)>> {
    let rows = client
        .query("SELECT r.id, u.day, u.kind, u.name, u.numbers FROM holm_usage u JOIN holm_runs r ON r.no = u.run", &[])
        .await
        .map_err(failed)?;
    Ok(rows.iter().map(|row| (row.get(0), entry(row))).collect())
}

fn entry(row: &Row) -> UsageEntry {
    let (kind, name, numbers): (i64, String, Vec<i64>) = (row.get(2), row.get(3), row.get(4));
    let number = |at: usize| numbers.get(at).copied().map_or(0, unsigned);
    let tokens = holm_kernel::Usage {
        input: number(2),
        output: number(3),
        cached: number(4),
        cache_write: number(5),
        reasoning: number(6),
        estimated: number(11),
    };
    let tally = UsageTally {
        calls: number(0),
        failed: number(1),
        tokens,
        cost: holm_kernel::NanoUsd::new(number(7)),
        unpriced: number(8),
        millis: number(9),
        bytes: number(10),
        breaks: CacheBreaks {
            model: number(12),
            compaction: number(13),
            mode: number(14),
            tools: number(15),
            expiry: number(16),
            eviction: number(17),
            tokens: number(18),
        },
    };
    let subject = if kind == 0 { UsageSubject::Model(name) } else { UsageSubject::Tool(name) };
    UsageEntry { day: UtcDay::new(unsigned(row.get(1))), subject, tally }
}

pub(super) async fn matching(
    client: &SchemaConnection<'_>,
    terms: &[String],
    limit: u64,
) -> Result<Vec<(RunRow, u64)>> {
    let escaped = |term: &String| {
        let term = term.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        format!("%{term}%")
    };
    let patterns: Vec<String> = terms.iter().map(escaped).collect();
    let rows = client
        .query(
            "SELECT r.no, r.id, r.key, t.seq FROM holm_texts t JOIN holm_runs r ON r.no = t.run
             WHERE t.folded LIKE ALL ($1) ORDER BY t.run DESC, t.seq DESC LIMIT $2",
            &[&patterns, &signed(limit)],
        )
        .await
        .map_err(failed)?;
    Ok(rows.iter().map(|row| (run_row(row), unsigned(row.get(3)))).collect())
}

/// Removes every row of a run and what only it refers to; the caller holds the lock of references.
pub(super) async fn erase(tx: &SchemaTransaction<'_>, run: RunNumber) -> Result<()> {
    // Deleted first, so that a late write for the run waits and then finds no run. Otherwise its
    // rows would remain.
    tx.execute("DELETE FROM holm_runs WHERE no = $1", &[&run.0]).await.map_err(failed)?;
    tx.execute(
        "DELETE FROM holm_pieces p USING holm_blobs b WHERE b.run = $1 AND p.file = b.file
         AND NOT EXISTS (SELECT 1 FROM holm_blobs o WHERE o.file = b.file AND o.run <> $1)",
        &[&run.0],
    )
    .await
    .map_err(failed)?;
    for table in
        ["texts", "records", "snapshots", "tags", "blobs", "heads", "usage", "ledger", "folds", "spends"]
    {
        tx.execute(&format!("DELETE FROM holm_{table} WHERE run = $1"), &[&run.0]).await.map_err(failed)?;
    }
    for table in ["at_work", "leases"] {
        let sql = format!("DELETE FROM holmdb_{table} WHERE schema = :schema AND run = $1");
        tx.execute(&sql, &[&run.0]).await.map_err(failed)?;
    }
    Ok(())
}

/// Records in the table of the whole database that a run is at work, and why, together with the
/// statement that makes it so. `run` selects the run and the reason. A leftover row of another run
/// of the same name, such as one whose schema was dropped, becomes this one's.
pub(super) fn note_at_work(run: &str) -> String {
    format!(
        "INSERT INTO holmdb_at_work AS noted (schema, id, reason, run) {run}
         ON CONFLICT (schema, id, reason) DO UPDATE SET run = EXCLUDED.run, since = now()
         WHERE noted.run <> EXCLUDED.run"
    )
}

pub(super) fn run_row(row: &Row) -> RunRow {
    RunRow { no: RunNumber(row.get(0)), id: row.get(1), key: row.get(2) }
}

pub(super) fn blob_row(row: &Row) -> BlobRow {
    BlobRow { run: run_row(row), name: row.get(3), file: row.get(4), bytes: unsigned(row.get(5)) }
}
