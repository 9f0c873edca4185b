//! Notes in SQL.
//!
//! It implements `notes/rows.rs` and must behave as `postgres/notes.rs` does. Names and sealing are
//! handled in `notes/store.rs`. A new note is synced before the call returns; changed and taken
//! notes are not.

use rusqlite::{OptionalExtension as _, Row, params};

use super::{
    SqliteBackend, failed,
    queries::{signed, unsigned},
};
use crate::{
    backend::StoreFuture,
    notes::rows::{NoteRow, NoteTable},
};

const SLIP: &str = "SELECT tray, name, key, at, version, body FROM slips";

impl NoteTable for SqliteBackend {
    fn slips<'a>(&'a self, tray: &'a str) -> StoreFuture<'a, Vec<NoteRow>> {
        let tray = tray.to_owned();
        self.read(move |conn| {
            let sql = format!("{SLIP} WHERE tray = ? ORDER BY at, name");
            let mut statement = conn.prepare_cached(&sql).map_err(failed)?;
            let rows = statement.query_map([tray], slip_row);
            rows.and_then(Iterator::collect).map_err(failed)
        })
    }

    fn slip<'a>(&'a self, tray: &'a str, name: &'a str) -> StoreFuture<'a, Option<NoteRow>> {
        let (tray, name) = (tray.to_owned(), name.to_owned());
        self.read(move |conn| {
            let sql = format!("{SLIP} WHERE tray = ? AND name = ?");
            conn.query_row(&sql, [tray, name], slip_row).optional().map_err(failed)
        })
    }

    fn put_slip<'a>(&'a self, row: &'a NoteRow) -> StoreFuture<'a, bool> {
        let row = row.clone();
        self.write_synced(move |conn| {
            let sql = "INSERT OR IGNORE INTO slips (tray, name, key, at, version, body)
                 VALUES (?, ?, ?, ?, 0, ?)";
            let values = params![row.tray, row.name, row.key, signed(row.at), row.body];
            conn.execute(sql, values).map(|rows| rows > 0).map_err(failed)
        })
    }

    fn change_slip<'a>(&'a self, row: &'a NoteRow) -> StoreFuture<'a, bool> {
        let row = row.clone();
        self.write(move |conn| {
            let sql = "UPDATE slips SET version = version + 1, body = ?4
                 WHERE tray = ?1 AND name = ?2 AND version = ?3";
            let values = params![row.tray, row.name, signed(row.version), row.body];
            conn.execute(sql, values).map(|rows| rows > 0).map_err(failed)
        })
    }

    fn take_slip<'a>(&'a self, tray: &'a str, name: &'a str) -> StoreFuture<'a, bool> {
        let (tray, name) = (tray.to_owned(), name.to_owned());
        self.write(move |conn| {
            let sql = "DELETE FROM slips WHERE tray = ? AND name = ?";
            conn.execute(sql, [&tray, &name]).map(|rows| rows > 0).map_err(failed)
        })
    }
}

fn slip_row(row: &Row<'_>) -> rusqlite::Result<NoteRow> {
    Ok(NoteRow {
        tray: row.get(0)?,
        name: row.get(1)?,
        key: row.get(2)?,
        at: unsigned(row.get(3)?),
        version: unsigned(row.get(4)?),
        body: row.get(5)?,
    })
}
