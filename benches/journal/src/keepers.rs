//! Those who keep lines: Holm's store, Holm's plain text, SQLite by hand, a plain file.
//!
//! Each appends every line by itself and says how long that took, from the call to the moment when the line is as safe as it was
//! asked to be.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::Instant,
};

use holm_bench_kit::micros;
use holm_runtime::{Durability, Journals, JsonLinesFolder};
use holm_store::Store;
use rusqlite::{Connection, params};
use tokio::runtime::Runtime;

use crate::scratch;

/// Who keeps the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// `holm-store` in SQLite, as the runtime uses it.
    Holm,
    /// `JsonLinesFolder`: a file of plain text for each run.
    JsonLines,
    /// One connection, one prepared statement, one table.
    Sqlite,
    /// A file that is written and, where it must be safe, synced: the floor.
    File,
}

impl Way {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 4] = [Self::Holm, Self::JsonLines, Self::Sqlite, Self::File];

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holm => "holm",
            Self::JsonLines => "holm-jsonl",
            Self::Sqlite => "sqlite",
            Self::File => "file",
        }
    }

    /// A keeper in an empty folder.
    pub fn open(self, folder: &Path, durability: Durability) -> Box<dyn Keeper> {
        match self {
            Self::Holm => {
                let runtime = scratch::runtime();
                let store = runtime.block_on(Store::open(database(folder))).expect("a store can be made");
                Box::new(Journaled { runtime, journals: Box::new(store), durability })
            }
            Self::JsonLines => {
                let journals = JsonLinesFolder::new(folder).expect("a folder can be used");
                Box::new(Journaled { runtime: scratch::runtime(), journals: Box::new(journals), durability })
            }
            Self::Sqlite => {
                Box::new(ByHand::open(&database(folder), durability).expect("a database can be made"))
            }
            Self::File => Box::new(Plain { folder: folder.to_owned(), durability }),
        }
    }
}

/// Keeps lines of journals.
pub trait Keeper {
    /// Appends each line by itself to a new journal, and gives the microseconds of each; making the journal is not counted.
    fn append(&mut self, journal: usize, lines: &[String]) -> Vec<f64>;
}

/// Where the database lies that a folder is for.
pub fn database(folder: &Path) -> PathBuf {
    folder.join("journal.db")
}

/// The name of a journal.
pub fn name(journal: usize) -> String {
    format!("run-{journal}")
}

/// Holm's own journals.
struct Journaled {
    journals: Box<dyn Journals>,
    runtime: Runtime,
    durability: Durability,
}

impl Keeper for Journaled {
    fn append(&mut self, journal: usize, lines: &[String]) -> Vec<f64> {
        self.runtime.block_on(async {
            let name = name(journal);
            let mut journal = self.journals.create(&name).await.expect("a run can be made");
            let mut times = Vec::with_capacity(lines.len());
            for line in lines {
                let begun = Instant::now();
                journal.append(line, self.durability).await.expect("the journal can be written");
                times.push(micros(begun.elapsed()));
            }
            times
        })
    }
}

/// SQLite by hand. The pragmas are those that the store sets, but for the checkpoints: SQLite makes them itself, where the store
/// has a thread for them.
pub struct ByHand(Connection);

impl ByHand {
    /// Opens the database, or makes it.
    pub fn open(path: &Path, durability: Durability) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        for (name, value) in [("secure_delete", "ON"), ("trusted_schema", "OFF"), ("temp_store", "MEMORY")] {
            connection.pragma_update(None, name, value)?;
        }
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        let synchronous = match durability {
            Durability::Written => "NORMAL",
            Durability::Synced => "FULL",
        };
        connection.pragma_update(None, "synchronous", synchronous)?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, line BLOB NOT NULL)",
        )?;
        Ok(Self(connection))
    }

    /// Every line of a journal, each with its end.
    pub fn read(&self, journal: usize) -> rusqlite::Result<Vec<u8>> {
        let mut select =
            self.0.prepare_cached("SELECT line FROM records WHERE id >= ? AND id < ? ORDER BY id")?;
        let mut rows = select.query(params![key(journal, 0), key(journal + 1, 0)])?;
        let mut text = Vec::new();
        while let Some(row) = rows.next()? {
            text.extend_from_slice(row.get_ref(0)?.as_bytes()?);
            text.push(b'\n');
        }
        Ok(text)
    }

    fn insert(&self, journal: usize, lines: &[String]) -> rusqlite::Result<Vec<f64>> {
        let mut insert = self.0.prepare_cached("INSERT INTO records VALUES (?,?)")?;
        let mut times = Vec::with_capacity(lines.len());
        for (seq, line) in lines.iter().enumerate() {
            let begun = Instant::now();
            insert.execute(params![key(journal, seq), line.trim_end().as_bytes()])?;
            times.push(micros(begun.elapsed()));
        }
        Ok(times)
    }
}

impl Keeper for ByHand {
    fn append(&mut self, journal: usize, lines: &[String]) -> Vec<f64> {
        self.insert(journal, lines).expect("the database can be written")
    }
}

/// The key that the store would give: the run's number and the record's in one integer.
fn key(journal: usize, seq: usize) -> i64 {
    let whole = |value: usize| i64::try_from(value).unwrap_or(0);
    (whole(journal) << 32) | whole(seq)
}

/// Plain files.
struct Plain {
    folder: PathBuf,
    durability: Durability,
}

impl Plain {
    fn write(&self, journal: usize, lines: &[String]) -> io::Result<Vec<f64>> {
        let path = self.folder.join(name(journal));
        let mut file: File = OpenOptions::new().append(true).create_new(true).open(path)?;
        let mut times = Vec::with_capacity(lines.len());
        for line in lines {
            let begun = Instant::now();
            file.write_all(line.as_bytes())?;
            if self.durability == Durability::Synced {
                file.sync_data()?;
            }
            times.push(micros(begun.elapsed()));
        }
        Ok(times)
    }
}

impl Keeper for Plain {
    fn append(&mut self, journal: usize, lines: &[String]) -> Vec<f64> {
        self.write(journal, lines).expect("the file can be written")
    }
}

#[cfg(test)]
mod tests;
