//! Leases in SQLite: which process may drive which run.
//!
//! A lease is a text in the run's row that names its holder; whether the holder lives is asked of
//! `sqlite/liveness_lock.rs`. Waiting for a lease is in `sqlite/backend.rs`, releases are written
//! by `sqlite/committer.rs`. Within one store, `store/lease.rs` decides. No lease text is ever used
//! twice, so a late release cannot end the next lease.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{failed, liveness_lock::LivenessLock};
use crate::{
    StoreError,
    backend::{RunNumber, RunRow},
};

/// The leases of this store, by the words that the database stores for them. The words are never
/// reused, so a lease that is released late does not end its successor.
#[derive(Default)]
pub(super) struct SqliteLeases {
    taken: Mutex<BTreeMap<RunNumber, String>>,
    count: AtomicU64,
}

impl SqliteLeases {
    pub(super) fn words(&self, holder: &LivenessLock) -> String {
        format!("{}/{}", holder.token(), self.count.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn took(&self, run: RunNumber, words: String) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(run, words);
    }

    /// Whether a run is held under these words. A lease that this store has released is free before
    /// the release is written.
    pub(super) fn is_held(&self, holder: &LivenessLock, run: RunNumber, words: &str) -> bool {
        if token_of(words) != holder.token() {
            return lives(holder, words);
        }
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.get(&run).is_some_and(|taken| taken == words)
    }

    pub(super) fn give_back(&self, run: RunNumber) -> Option<String> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&run)
    }
}

/// Takes a lease, from the dead if need be.
pub(super) fn take(
    conn: &Connection,
    holder: &LivenessLock,
    run: &RunRow,
    words: &str,
) -> Result<(), StoreError> {
    check_free(conn, holder, run)?;
    conn.execute(
        "UPDATE runs SET holder = ?2, holder_name = ?3 WHERE no = ?1",
        params![run.no.0, words, LivenessLock::name()],
    )
    .map_err(failed)?;
    moved(conn, run.no)
}

/// Refuses while another live process drives the run. This process knows by itself
/// which runs it drives.
pub(super) fn check_free(conn: &Connection, holder: &LivenessLock, run: &RunRow) -> Result<(), StoreError> {
    let found: Option<(Option<String>, Option<String>)> = conn
        .query_row("SELECT holder, holder_name FROM runs WHERE no = ?", [run.no.0], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
        .map_err(failed)?;
    match found {
        None => Err(StoreError::Missing { run: run.id.clone() }),
        Some((Some(words), name)) if is_elsewhere(holder, &words) => Err(StoreError::Busy {
            run: run.id.clone(),
            holder: name.unwrap_or_else(|| "another process".into()),
        }),
        Some(_) => Ok(()),
    }
}

/// Whether the words belong to another open store.
fn is_elsewhere(holder: &LivenessLock, words: &str) -> bool {
    let token = token_of(words);
    token != holder.token() && holder.lives(token)
}

/// Whether the holder with these words is alive, this store included.
pub(super) fn lives(holder: &LivenessLock, words: &str) -> bool {
    holder.lives(token_of(words))
}

fn token_of(words: &str) -> &str {
    words.split_once('/').map_or(words, |(token, _)| token)
}

/// Marks that the run's journal may have grown past its index.
pub(super) fn moved(conn: &Connection, run: RunNumber) -> Result<(), StoreError> {
    conn.execute("INSERT OR IGNORE INTO moved VALUES (?)", [run.0]).map_err(failed)?;
    Ok(())
}

pub(super) fn release(conn: &Connection, run: RunNumber, words: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE runs SET holder = NULL, holder_name = NULL WHERE no = ? AND holder = ?";
    conn.prepare_cached(sql)?.execute(params![run.0, words])?;
    Ok(())
}
