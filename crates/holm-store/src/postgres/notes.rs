//! Notes in PostgreSQL's SQL.
//!
//! It implements `notes/rows.rs` and must behave as `sqlite/notes.rs` does. Names and sealing are
//! handled in `notes/store.rs`. A prompt that is put or taken changes the table of sessions at work
//! (`resume_marks.rs`) in the same statement, or another server would miss the session.

use tokio_postgres::Row;

use super::{PostgresBackend, queries, schema_connection::QueryValues, signed, unsigned};
use crate::{
    PROMPT_TRAY,
    backend::StoreFuture,
    notes::rows::{NoteRow, NoteTable},
};

const SLIP: &str = "SELECT tray, name, key, at, version, body FROM holm_slips";

impl NoteTable for PostgresBackend {
    fn slips<'a>(&'a self, tray: &'a str) -> StoreFuture<'a, Vec<NoteRow>> {
        Box::pin(async move {
            let sql = format!("{SLIP} WHERE tray = $1 ORDER BY at, name COLLATE \"C\"");
            Ok(self.rows(&sql, &[&tray]).await?.iter().map(slip_row).collect())
        })
    }

    fn slip<'a>(&'a self, tray: &'a str, name: &'a str) -> StoreFuture<'a, Option<NoteRow>> {
        Box::pin(async move {
            let row = self.row(&format!("{SLIP} WHERE tray = $1 AND name = $2"), &[&tray, &name]).await?;
            Ok(row.as_ref().map(slip_row))
        })
    }

    fn put_slip<'a>(&'a self, row: &'a NoteRow) -> StoreFuture<'a, bool> {
        const PUT: &str = "INSERT INTO holm_slips (tray, name, key, at, version, body)
             VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT DO NOTHING";
        Box::pin(async move {
            let values: QueryValues<'_> = &[&row.tray, &row.name, &row.key, &signed(row.at), &row.body];
            if row.tray != PROMPT_TRAY {
                return self.changes(PUT, values).await;
            }
            let run = "SELECT :schema, id, $1, no FROM holm_runs WHERE id = $2";
            let note = queries::note_at_work(run);
            let sql = format!("WITH put AS ({PUT} RETURNING 1), noted_run AS ({note}) SELECT 1 FROM put");
            Ok(self.row(&sql, values).await?.is_some())
        })
    }

    fn change_slip<'a>(&'a self, row: &'a NoteRow) -> StoreFuture<'a, bool> {
        let sql = "UPDATE holm_slips SET version = version + 1, body = $4
             WHERE tray = $1 AND name = $2 AND version = $3";
        Box::pin(
            async move { self.changes(sql, &[&row.tray, &row.name, &signed(row.version), &row.body]).await },
        )
    }

    fn take_slip<'a>(&'a self, tray: &'a str, name: &'a str) -> StoreFuture<'a, bool> {
        let sql =
            "WITH done AS (DELETE FROM holmdb_at_work WHERE schema = :schema AND id = $2 AND reason = $1)
             DELETE FROM holm_slips WHERE tray = $1 AND name = $2";
        Box::pin(async move { self.changes(sql, &[&tray, &name]).await })
    }
}

fn slip_row(row: &Row) -> NoteRow {
    NoteRow {
        tray: row.get(0),
        name: row.get(1),
        key: row.get(2),
        at: unsigned(row.get(3)),
        version: unsigned(row.get(4)),
        body: row.get(5),
    }
}
