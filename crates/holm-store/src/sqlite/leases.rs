//! Leases in SQLite: which process may drive which run.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{failed, holder::Holder};
use crate::{
    StoreError,
    backend::{RunNo, RunRow},
};

/// The leases that this store has, by the words that stand in the database. The words are never the same twice, so a
/// lease that is given back late does not end the one that came after it.
#[derive(Default)]
pub(super) struct Leases {
    taken: Mutex<BTreeMap<RunNo, String>>,
    count: AtomicU64,
}

impl Leases {
    pub(super) fn words(&self, holder: &Holder) -> String {
        format!("{}/{}", holder.token(), self.count.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn took(&self, run: RunNo, words: String) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(run, words);
    }

    /// Whether a run is held under these words. A lease that this store has given back is free before that is written.
    pub(super) fn is_held(&self, holder: &Holder, run: RunNo, words: &str) -> bool {
        if token_of(words) != holder.token() {
            return lives(holder, words);
        }
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.get(&run).is_some_and(|taken| taken == words)
    }

    pub(super) fn give_back(&self, run: RunNo) -> Option<String> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&run)
    }
}

/// Takes a lease, from the dead if need be.
pub(super) fn take(conn: &Connection, holder: &Holder, run: &RunRow, words: &str) -> Result<(), StoreError> {
    check_free(conn, holder, run)?;
    conn.execute(
        "UPDATE runs SET holder = ?2, holder_name = ?3 WHERE no = ?1",
        params![run.no.0, words, Holder::name()],
    )
    .map_err(failed)?;
    moved(conn, run.no)
}

/// Refuses while another process that lives drives the run. This process knows by itself what it drives.
pub(super) fn check_free(conn: &Connection, holder: &Holder, run: &RunRow) -> Result<(), StoreError> {
    let found: Option<(Option<String>, Option<String>)> = conn
        .query_row("SELECT holder, holder_name FROM runs WHERE no = ?", [run.no.0], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
        .map_err(failed)?;
    match found {
        None => Err(StoreError::Missing { run: run.id.clone() }),
        Some((Some(words), name)) if is_elsewhere(holder, &words) => {
            Err(StoreError::Busy { run: run.id.clone(), holder: name.unwrap_or_else(|| "somebody".into()) })
        }
        Some(_) => Ok(()),
    }
}

/// Whether the words are those of another store that is open.
fn is_elsewhere(holder: &Holder, words: &str) -> bool {
    let token = token_of(words);
    token != holder.token() && holder.lives(token)
}

/// Whether anybody with these words lives, this store included.
pub(super) fn lives(holder: &Holder, words: &str) -> bool {
    holder.lives(token_of(words))
}

fn token_of(words: &str) -> &str {
    words.split_once('/').map_or(words, |(token, _)| token)
}

/// Says that the run's journal may have grown past what is known of it.
pub(super) fn moved(conn: &Connection, run: RunNo) -> Result<(), StoreError> {
    conn.execute("INSERT OR IGNORE INTO moved VALUES (?)", [run.0]).map_err(failed)?;
    Ok(())
}

pub(super) fn release(conn: &Connection, run: RunNo, words: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE runs SET holder = NULL, holder_name = NULL WHERE no = ? AND holder = ?";
    conn.prepare_cached(sql)?.execute(params![run.0, words])?;
    Ok(())
}
