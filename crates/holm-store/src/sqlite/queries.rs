//! Queries and updates in SQL, one function each.
//!
//! Each runs in the caller's transaction (`sqlite/backend.rs`); inserting records is in
//! `sqlite/writer.rs`, leases are in `sqlite/leases.rs`, the tables in `sqlite/schema.rs`. Values
//! are parameters and never part of the text. Each function must give the same answers as the one
//! for PostgreSQL (`postgres/queries.rs`). A late write of a snapshot, a tag or derived data for an
//! erased run does nothing, so that no part of it comes back. A new table with data of a run must
//! be added to `erase`.

use std::ops::Range;

use holm_runtime::RecordCosts;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter, types::Value};

use super::{failed, liveness_lock::LivenessLock, schema};
use crate::{
    StoreError,
    backend::{
        BlobRow, IndexUpdate, LineRow, RunNumber, RunRow, RunTombstone, SessionFilter, SessionListRow,
        StaleRun,
    },
    derive::{
        FIRST_LINES, FoldRow, LedgerRow, SessionSummary, TIME_BYTES, UsageEntry, UsageSubject, UsageTally,
        UtcDay,
    },
    vault::hex,
};

type Result<T> = std::result::Result<T, StoreError>;

pub(super) fn meta(conn: &Connection, name: &str) -> Result<Option<Vec<u8>>> {
    conn.query_row("SELECT value FROM meta WHERE name = ?", [name], |row| row.get(0))
        .optional()
        .map_err(failed)
}

pub(super) fn meta_or(conn: &Connection, name: &str, value: &[u8]) -> Result<Vec<u8>> {
    conn.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", params![name, value]).map_err(failed)?;
    Ok(meta(conn, name)?.unwrap_or_default())
}

pub(super) fn any_run(conn: &Connection) -> Result<bool> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM runs) OR EXISTS (SELECT 1 FROM jobs) OR EXISTS (SELECT 1 FROM slips)";
    conn.query_row(sql, [], |row| row.get(0)).map_err(failed)
}

/// Creates a run in the caller's transaction. A name is free if its creator died before the
/// first record was stored.
pub(super) fn create(
    conn: &Connection,
    living: &LivenessLock,
    id: &str,
    key: Option<&[u8]>,
    now: u64,
    holder: Option<(&str, &str)>,
) -> Result<RunNumber> {
    let taken = |sql: &str| -> Result<bool> { conn.query_row(sql, [id], |row| row.get(0)).map_err(failed) };
    bury_stillborn(conn, living, id)?;
    if taken("SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?)")? {
        return Err(StoreError::Exists { run: id.into() });
    }
    if taken("SELECT EXISTS (SELECT 1 FROM stones WHERE id = ?)")? {
        return Err(StoreError::Erased { run: id.into() });
    }
    let (words, name) = holder.unzip();
    conn.execute(
        "INSERT INTO runs (id, created, key, holder, holder_name) VALUES (?, ?, ?, ?, ?)",
        params![id, signed(now), key, words, name],
    )
    .map_err(failed)?;
    let no = RunNumber(conn.last_insert_rowid());
    super::leases::moved(conn, no)?;
    Ok(no)
}

/// Removes a run that has no record and whose creator is no longer alive to add one.
fn bury_stillborn(conn: &Connection, living: &LivenessLock, id: &str) -> Result<()> {
    let found: Option<(i64, Option<String>)> = conn
        .query_row("SELECT no, holder FROM runs WHERE id = ?", [id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
        .map_err(failed)?;
    let Some((no, holder)) = found else { return Ok(()) };
    let held = holder.is_some_and(|words| super::leases::lives(living, &words));
    if held || has_records(conn, RunNumber(no))? {
        return Ok(());
    }
    for sql in [
        "DELETE FROM moved WHERE run = ?",
        "DELETE FROM heads WHERE run = ?",
        "DELETE FROM runs WHERE no = ?",
    ] {
        conn.execute(sql, [no]).map_err(failed)?;
    }
    Ok(())
}

/// Whether a run has any record. A run that lacks only the first is damaged, and
/// must not be overwritten.
fn has_records(conn: &Connection, run: RunNumber) -> Result<bool> {
    let (first, last) = schema::keys(run)?;
    let sql = "SELECT EXISTS (SELECT 1 FROM records WHERE id BETWEEN ? AND ?)";
    conn.query_row(sql, [first, last], |row| row.get(0)).map_err(failed)
}

pub(super) fn find(conn: &Connection, id: &str) -> Result<RunRow> {
    conn.query_row("SELECT no, id, key FROM runs WHERE id = ?", [id], |row| run_row(row, 0))
        .optional()
        .map_err(failed)?
        .ok_or_else(|| StoreError::Missing { run: id.into() })
}

pub(super) fn records(conn: &Connection, run: RunNumber, range: &Range<u64>) -> Result<Vec<(u64, Vec<u8>)>> {
    let most = u64::from(u32::MAX);
    if range.is_empty() || range.start > most {
        return Ok(Vec::new());
    }
    let first = schema::key(run, range.start)?;
    let last = schema::key(run, (range.end - 1).min(most))?;
    let mut statement = conn
        .prepare_cached("SELECT id, line FROM records WHERE id BETWEEN ? AND ? ORDER BY id")
        .map_err(failed)?;
    let rows = statement.query_map([first, last], |row| Ok((schema::seq(row.get(0)?), line(row, 1)?)));
    rows.and_then(Iterator::collect).map_err(failed)
}

pub(super) fn next_record(conn: &Connection, run: RunNumber) -> Result<u64> {
    let (first, last) = (schema::key(run, 0)?, schema::key(run, u64::from(u32::MAX))?);
    let mut statement =
        conn.prepare_cached("SELECT max(id) FROM records WHERE id BETWEEN ? AND ?").map_err(failed)?;
    let newest: Option<i64> = statement.query_row([first, last], |row| row.get(0)).map_err(failed)?;
    Ok(newest.map_or(0, |id| schema::seq(id) + 1))
}

/// Lines are text, sealed ones are not.
fn line(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<u8>> {
    Ok(match row.get_ref(column)? {
        rusqlite::types::ValueRef::Text(bytes) | rusqlite::types::ValueRef::Blob(bytes) => bytes.to_vec(),
        _ => Vec::new(),
    })
}

pub(super) fn keep_snapshot(conn: &Connection, run: RunNumber, body: &[u8]) -> Result<()> {
    conn.execute(
        "INSERT OR REPLACE INTO snapshots SELECT no, ?2 FROM runs WHERE no = ?1",
        params![run.0, body],
    )
    .map_err(failed)?;
    Ok(())
}

pub(super) fn snapshot(conn: &Connection, run: RunNumber) -> Result<Option<Vec<u8>>> {
    conn.query_row("SELECT body FROM snapshots WHERE run = ?", [run.0], |row| row.get(0))
        .optional()
        .map_err(failed)
}

pub(super) fn name(conn: &Connection, run: RunNumber, title: Option<&[u8]>) -> Result<()> {
    conn.execute("UPDATE runs SET named = ?2 WHERE no = ?1", params![run.0, title]).map_err(failed)?;
    Ok(())
}

pub(super) fn tag(conn: &Connection, run: RunNumber, tag: &str) -> Result<()> {
    conn.execute("INSERT OR IGNORE INTO tags SELECT no, ?2 FROM runs WHERE no = ?1", params![run.0, tag])
        .map_err(failed)?;
    Ok(())
}

pub(super) fn untag(conn: &Connection, run: RunNumber, tag: &str) -> Result<()> {
    conn.execute("DELETE FROM tags WHERE run = ? AND tag = ?", params![run.0, tag]).map_err(failed)?;
    Ok(())
}

/// The page of a list, each row with the words of
/// its lease. The caller removes holders that are no longer alive.
pub(super) fn list(
    conn: &Connection,
    filter: &OwnedSessionFilter,
) -> Result<Vec<(SessionListRow, Option<String>)>> {
    let time = if filter.by_created { "r.created" } else { "coalesce(h.updated, r.created)" };
    let (compare, order) = if filter.oldest_first { (">", "ASC") } else { ("<", "DESC") };
    let mut sql = String::from(
        "SELECT r.no, r.id, r.key, r.created, coalesce(h.updated, r.created), coalesce(h.records, 0),
            coalesce(h.agent, ''), coalesce(h.model, ''), r.named, h.title, r.holder, r.holder_name,
            (SELECT group_concat(tag, char(10)) FROM (SELECT tag FROM tags WHERE run = r.no ORDER BY tag)),
            EXISTS (SELECT 1 FROM records WHERE id BETWEEN r.no << 32 AND (r.no << 32) + 4294967295)
         FROM runs r LEFT JOIN heads h ON h.run = r.no WHERE 1",
    );
    let mut values: Vec<Value> = Vec::new();
    if let Some(id) = &filter.id {
        sql += " AND r.id = ?";
        values.push(id.clone().into());
    }
    if let Some(tag) = &filter.tag {
        sql += " AND EXISTS (SELECT 1 FROM tags WHERE run = r.no AND tag = ?)";
        values.push(tag.clone().into());
    }
    if let Some((at, no)) = filter.after {
        sql += &format!(" AND ({time}, r.no) {compare} (?, ?)");
        values.extend([signed(at).into(), no.into()]);
    }
    sql += &format!(" ORDER BY {time} {order}, r.no {order} LIMIT ?");
    values.push(signed(filter.limit).into());
    let mut statement = conn.prepare(&sql).map_err(failed)?;
    let rows = statement.query_map(params_from_iter(values), listed);
    rows.and_then(Iterator::collect).map_err(failed)
}

/// A filter that has left its caller.
pub(super) struct OwnedSessionFilter {
    id: Option<String>,
    tag: Option<String>,
    by_created: bool,
    oldest_first: bool,
    after: Option<(u64, i64)>,
    limit: u64,
}

impl From<SessionFilter<'_>> for OwnedSessionFilter {
    fn from(filter: SessionFilter<'_>) -> Self {
        Self {
            id: filter.id.map(str::to_owned),
            tag: filter.tag.map(str::to_owned),
            by_created: filter.by_created,
            oldest_first: filter.oldest_first,
            after: filter.after,
            limit: filter.limit,
        }
    }
}

fn listed(row: &Row<'_>) -> rusqlite::Result<(SessionListRow, Option<String>)> {
    let tags: Option<String> = row.get(12)?;
    let listed = SessionListRow {
        run: run_row(row, 0)?,
        created: unsigned(row.get(3)?),
        updated: unsigned(row.get(4)?),
        records: unsigned(row.get(5)?),
        agent: row.get(6)?,
        model: row.get(7)?,
        named: row.get(8)?,
        derived: row.get(9)?,
        tags: tags.map(|tags| tags.lines().map(str::to_owned).collect()).unwrap_or_default(),
        holder: row.get(11)?,
        has_begun: row.get(13)?,
    };
    Ok((listed, row.get(10)?))
}

pub(super) fn stale(conn: &Connection) -> Result<Vec<StaleRun>> {
    let mut statement = conn
        .prepare_cached(
            "SELECT r.no, r.id, r.key, x.id, coalesce(h.records, 0), h.title IS NOT NULL, coalesce(h.folded, 0),
                coalesce(s.at, 0), CASE WHEN (x.id & 4294967295) + 1 = h.records THEN NULL
                    WHEN r.key IS NULL THEN substr(x.line, 1, ?1) ELSE x.line END
             FROM moved m JOIN runs r ON r.no = m.run LEFT JOIN heads h ON h.run = r.no
             LEFT JOIN spends s ON s.run = r.no LEFT JOIN records x ON x.id = (
                SELECT id FROM records WHERE id BETWEEN r.no << 32 AND (r.no << 32) + 4294967295
                ORDER BY id DESC LIMIT 1)",
        )
        .map_err(failed)?;
    let rows = statement.query_map([signed(TIME_BYTES as u64)], |row| {
        let last: Option<i64> = row.get(3)?;
        Ok(StaleRun {
            run: run_row(row, 0)?,
            records: last.map_or(0, |key| schema::seq(key) + 1),
            head_at: unsigned(row.get(4)?),
            titled: row.get(5)?,
            folded: unsigned(row.get(6)?),
            spent_at: unsigned(row.get(7)?),
            last: line(row, 8)?,
        })
    });
    rows.and_then(Iterator::collect).map_err(failed)
}

pub(super) fn openings(conn: &Connection, runs: &[RunNumber]) -> Result<Vec<LineRow>> {
    let mut statement = conn
        .prepare_cached(
            "SELECT x.id, x.line FROM json_each(?1) j
             JOIN records x ON x.id BETWEEN j.value << 32 AND (j.value << 32) + ?2 ORDER BY x.id",
        )
        .map_err(failed)?;
    let rows = statement.query_map(params![numbers(runs.iter().copied()), signed(FIRST_LINES - 1)], |row| {
        let key: i64 = row.get(0)?;
        Ok((RunNumber(schema::run(key)), schema::seq(key), line(row, 1)?))
    });
    rows.and_then(Iterator::collect).map_err(failed)
}

/// Runs as a list that a statement can take.
fn numbers(runs: impl Iterator<Item = RunNumber>) -> String {
    serde_json::Value::from_iter(runs.map(|run| run.0)).to_string()
}

pub(super) fn keep_heads(conn: &Connection, heads: &[(RunNumber, SessionSummary)]) -> Result<()> {
    let rows = heads.iter().map(|(run, facts)| {
        let SessionSummary { records, updated, agent, model, title } = facts;
        let title = title.as_deref().map(hex);
        serde_json::json!([run.0, signed(*records), signed(*updated), agent, model, title])
    });
    conn.execute(
        "INSERT INTO heads (run, records, updated, agent, model, title)
         SELECT r.no, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, unhex(j.value ->> 5)
            FROM json_each(?1) j JOIN runs r ON r.no = j.value ->> 0 WHERE true
         ON CONFLICT (run) DO UPDATE SET records = excluded.records, updated = excluded.updated,
            agent = iif(excluded.agent = '', agent, excluded.agent),
            model = iif(excluded.model = '', model, excluded.model), title = coalesce(excluded.title, title)",
        [serde_json::Value::from_iter(rows).to_string()],
    )
    .map_err(failed)?;
    settle(conn, heads.iter().map(|(run, _)| *run))
}

pub(super) fn fold_row(conn: &Connection, run: RunNumber) -> Result<FoldRow> {
    let row = conn
        .query_row("SELECT counted, state_at, state FROM folds WHERE run = ?", [run.0], |row| {
            let (counted, state_at) = (unsigned(row.get(0)?), unsigned(row.get(1)?));
            Ok(FoldRow { counted, state_at, state: row.get(2)? })
        })
        .optional();
    Ok(row.map_err(failed)?.unwrap_or_default())
}

pub(super) fn spent(conn: &Connection) -> Result<u64> {
    conn.query_row("SELECT coalesce(sum(nano), 0) FROM spends", [], |row| row.get(0).map(unsigned))
        .map_err(failed)
}

pub(super) fn keep_costs(conn: &Connection, run: RunNumber, costs: &RecordCosts) -> Result<()> {
    let mut select = conn.prepare_cached("SELECT at, nano FROM spends WHERE run = ?").map_err(failed)?;
    let known = select.query_row([run.0], |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?))));
    let (at, nano) = known.optional().map_err(failed)?.unwrap_or_default();
    match costs.since(at) {
        Some(more) => keep_spent(conn, run, costs.records(), nano.saturating_add(more.value())),
        None => Ok(()),
    }
}

fn keep_spent(conn: &Connection, run: RunNumber, at: u64, nano: u64) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO spends SELECT no, ?2, ?3 FROM runs WHERE no = ?1";
    let mut insert = conn.prepare_cached(sql).map_err(failed)?;
    insert.execute(params![run.0, signed(at), signed(nano)]).map_err(failed)?;
    Ok(())
}

pub(super) fn keep_folded(conn: &Connection, run: RunNumber, derived: &IndexUpdate) -> Result<()> {
    let records = derived.records;
    let known: Option<i64> = conn
        .query_row(
            "SELECT coalesce((SELECT folded FROM heads WHERE run = ?1), 0) FROM runs WHERE no = ?1",
            [run.0],
            |row| row.get(0),
        )
        .optional()
        .map_err(failed)?;
    // The run was erased, or another process was faster.
    let Some(known) = known.map(unsigned).filter(|known| *known < records) else { return Ok(()) };
    for sql in ["DELETE FROM usage WHERE run = ?", "DELETE FROM ledger WHERE run = ?"] {
        conn.execute(sql, [run.0]).map_err(failed)?;
    }
    derived.usage.iter().try_for_each(|entry| keep_entry(conn, run, entry))?;
    derived.ledger.iter().try_for_each(|row| keep_standing(conn, run, row))?;
    keep_spent(conn, run, records, derived.cost())?;
    let mut insert = conn.prepare_cached("INSERT INTO texts (rowid, text) VALUES (?, ?)").map_err(failed)?;
    for row in derived.texts.iter().filter(|row| row.seq >= known) {
        insert.execute(params![schema::key(run, row.seq)?, row.text]).map_err(failed)?;
    }
    conn.execute(
        "INSERT INTO heads (run, records, updated, agent, model, folded) VALUES (?1, 0, 0, '', '', ?2)
         ON CONFLICT (run) DO UPDATE SET folded = ?2",
        params![run.0, signed(records)],
    )
    .map_err(failed)?;
    let (state_at, state) = derived.state.as_ref().map(|(at, state)| (signed(*at), state)).unzip();
    conn.execute(
        "INSERT INTO folds VALUES (?1, ?2, coalesce(?3, 0), ?4) ON CONFLICT (run) DO UPDATE SET
            counted = ?2, state_at = coalesce(?3, state_at), state = coalesce(?4, state)",
        params![run.0, signed(records), state_at, state],
    )
    .map_err(failed)?;
    settle(conn, [run].into_iter())
}

/// Unmarks runs that no process drives and whose index is complete, so that they
/// are not checked again.
fn settle(conn: &Connection, runs: impl Iterator<Item = RunNumber>) -> Result<()> {
    conn.execute(
        "DELETE FROM moved WHERE run IN (SELECT value FROM json_each(?1))
            AND EXISTS (SELECT 1 FROM runs WHERE no = moved.run AND holder IS NULL)
            AND EXISTS (SELECT 1 FROM heads h WHERE h.run = moved.run AND h.records = h.folded AND h.records - 1 =
                (SELECT id FROM records WHERE id BETWEEN moved.run << 32 AND (moved.run << 32) + 4294967295
                 ORDER BY id DESC LIMIT 1) - (moved.run << 32))",
        [numbers(runs)],
    )
    .map_err(failed)?;
    Ok(())
}

fn keep_entry(conn: &Connection, run: RunNumber, entry: &UsageEntry) -> Result<()> {
    let (kind, name) = match &entry.subject {
        UsageSubject::Model(name) => (0, name),
        UsageSubject::Tool(name) => (1, name),
    };
    let UsageTally { calls, failed: errors, tokens, cost, unpriced, millis, bytes, breaks } = entry.tally;
    let breaks =
        serde_json::to_string(&breaks).map_err(|error| StoreError::System { reason: error.to_string() })?;
    conn.prepare_cached("INSERT INTO usage VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        .and_then(|mut insert| {
            insert.execute(params![
                run.0,
                signed(entry.day.value()),
                kind,
                name,
                signed(calls),
                signed(errors),
                signed(tokens.input),
                signed(tokens.output),
                signed(tokens.cached),
                signed(tokens.cache_write),
                signed(tokens.reasoning),
                signed(cost.value()),
                signed(unpriced),
                signed(millis),
                signed(bytes),
                signed(tokens.estimated),
                breaks,
            ])
        })
        .map_err(failed)?;
    Ok(())
}

fn keep_standing(conn: &Connection, run: RunNumber, row: &LedgerRow) -> Result<()> {
    let [calls, tasks, successes, rejections, invalid_calls, step_ups] = row.numbers.map(signed);
    conn.prepare_cached("INSERT INTO ledger VALUES (?,?,?,?,?,?,?,?,?,?)")
        .and_then(|mut insert| {
            insert.execute(params![
                run.0,
                row.kind,
                row.model,
                calls,
                tasks,
                successes,
                rejections,
                invalid_calls,
                step_ups,
                row.whys,
            ])
        })
        .map_err(failed)?;
    Ok(())
}

pub(super) fn ledger(conn: &Connection, kind: Option<&str>) -> Result<Vec<(RunRow, LedgerRow)>> {
    let sql = "SELECT r.no, r.id, r.key, l.kind, l.model, l.calls, l.tasks, l.successes, l.rejections,
            l.invalid_calls, l.step_ups, l.whys
         FROM ledger l JOIN runs r ON r.no = l.run WHERE ?1 IS NULL OR l.kind = ?1";
    let mut statement = conn.prepare_cached(sql).map_err(failed)?;
    let rows = statement.query_map([kind], |row| {
        let number = |column: usize| row.get(column).map(unsigned);
        let numbers = [number(5)?, number(6)?, number(7)?, number(8)?, number(9)?, number(10)?];
        let standing = LedgerRow { kind: row.get(3)?, model: row.get(4)?, numbers, whys: row.get(11)? };
        Ok((run_row(row, 0)?, standing))
    });
    rows.and_then(Iterator::collect).map_err(failed)
}

pub(super) fn forget_derived(conn: &Connection) -> Result<()> {
    conn.execute_batch(
        "DELETE FROM heads; DELETE FROM texts; INSERT OR IGNORE INTO moved SELECT no FROM runs;",
    )
    .map_err(failed)
}

pub(super) fn usage(conn: &Connection) -> Result<Vec<(String, UsageEntry)>> {
    let mut statement = conn
        .prepare_cached("SELECT r.id, u.* FROM usage u JOIN runs r ON r.no = u.run ORDER BY u.run, u.day")
        .map_err(failed)?;
    let rows = statement.query_map([], |row| {
        let name: String = row.get(4)?;
        let kind: i64 = row.get(3)?;
        let number = |column: usize| row.get(column).map(unsigned);
        let tokens = holm_kernel::Usage {
            input: number(7)?,
            output: number(8)?,
            cached: number(9)?,
            cache_write: number(10)?,
            reasoning: number(11)?,
            estimated: number(16)?,
        };
        let tally = UsageTally {
            calls: number(5)?,
            failed: number(6)?,
            tokens,
            cost: holm_kernel::NanoUsd::new(number(12)?),
            unpriced: number(13)?,
            millis: number(14)?,
            bytes: number(15)?,
            // Written by this program; a row of an older one has none.
            breaks: serde_json::from_str(&row.get::<_, String>(17)?).unwrap_or_default(),
        };
        let subject = if kind == 0 { UsageSubject::Model(name) } else { UsageSubject::Tool(name) };
        Ok((row.get(0)?, UsageEntry { day: UtcDay::new(number(2)?), subject, tally }))
    });
    rows.and_then(Iterator::collect).map_err(failed)
}

pub(super) fn matching(conn: &Connection, terms: &[String], limit: u64) -> Result<Vec<(RunRow, u64)>> {
    let query: Vec<String> = terms.iter().map(|term| format!("\"{}\"", term.replace('"', "\"\""))).collect();
    let mut statement = conn
        .prepare_cached("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?")
        .map_err(failed)?;
    let keys: Vec<i64> = statement
        .query_map(params![query.join(" AND "), signed(limit)], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(failed)?;
    let mut find = conn.prepare_cached("SELECT no, id, key FROM runs WHERE no = ?").map_err(failed)?;
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        let row = find.query_row([schema::run(key)], |row| run_row(row, 0)).optional().map_err(failed)?;
        found.extend(row.map(|row| (row, schema::seq(key))));
    }
    Ok(found)
}

/// Makes a run refer to a stored result. Returns whether the run exists.
pub(super) fn refer(conn: &Connection, run: RunNumber, name: &str, file: &str, bytes: u64) -> Result<bool> {
    let sql = "INSERT OR REPLACE INTO blobs SELECT no, ?2, ?3, ?4 FROM runs WHERE no = ?1";
    let rows = conn.execute(sql, params![run.0, name, file, signed(bytes)]).map_err(failed)?;
    Ok(rows > 0)
}

pub(super) fn blob(conn: &Connection, name: &str) -> Result<Option<BlobRow>> {
    conn.query_row(
        "SELECT r.no, r.id, r.key, b.name, b.file, b.bytes FROM blobs b JOIN runs r ON r.no = b.run WHERE b.name = ? LIMIT 1",
        [name],
        blob_row,
    )
    .optional()
    .map_err(failed)
}

pub(super) fn blobs_of(conn: &Connection, run: RunNumber) -> Result<Vec<BlobRow>> {
    let sql = "SELECT r.no, r.id, r.key, b.name, b.file, b.bytes FROM blobs b JOIN runs r ON r.no = b.run WHERE b.run = ?";
    let mut statement = conn.prepare_cached(sql).map_err(failed)?;
    let rows = statement.query_map([run.0], blob_row);
    rows.and_then(Iterator::collect).map_err(failed)
}

/// Removes every row of a run and leaves a tombstone. Returns the files to which no
/// run refers any more.
pub(super) fn erase(conn: &Connection, run: &RunRow, stone: &RunTombstone) -> Result<Vec<String>> {
    let (first, last) = schema::keys(run.no)?;
    let mut statement = conn
        .prepare(
            "SELECT file FROM blobs b WHERE run = ?1
             AND NOT EXISTS (SELECT 1 FROM blobs WHERE file = b.file AND run <> ?1)",
        )
        .map_err(failed)?;
    let orphans = statement.query_map([run.no.0], |row| row.get(0));
    let orphans: Vec<String> = orphans.and_then(Iterator::collect).map_err(failed)?;
    for sql in
        ["DELETE FROM texts WHERE rowid BETWEEN ? AND ?", "DELETE FROM records WHERE id BETWEEN ? AND ?"]
    {
        conn.execute(sql, [first, last]).map_err(failed)?;
    }
    for table in ["snapshots", "tags", "blobs", "heads", "moved", "usage", "ledger", "folds", "spends"] {
        conn.execute(&format!("DELETE FROM {table} WHERE run = ?"), [run.no.0]).map_err(failed)?;
    }
    conn.execute("DELETE FROM slips WHERE name = ?", [&run.id]).map_err(failed)?;
    conn.execute("DELETE FROM runs WHERE no = ?", [run.no.0]).map_err(failed)?;
    conn.execute(
        "INSERT OR REPLACE INTO stones VALUES (?, ?, ?, ?)",
        params![run.id, signed(stone.at), signed(stone.records), stone.chain],
    )
    .map_err(failed)?;
    Ok(orphans)
}

/// Whether any run refers to a file.
pub(super) fn is_referred(conn: &Connection, file: &str) -> Result<bool> {
    conn.query_row("SELECT EXISTS (SELECT 1 FROM blobs WHERE file = ?)", [file], |row| row.get(0))
        .map_err(failed)
}

fn run_row(row: &Row<'_>, at: usize) -> rusqlite::Result<RunRow> {
    Ok(RunRow { no: RunNumber(row.get(at)?), id: row.get(at + 1)?, key: row.get(at + 2)? })
}

fn blob_row(row: &Row<'_>) -> rusqlite::Result<BlobRow> {
    Ok(BlobRow { run: run_row(row, 0)?, name: row.get(3)?, file: row.get(4)?, bytes: unsigned(row.get(5)?) })
}

/// SQL has no unsigned numbers; none of ours comes near the end of the signed ones.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
