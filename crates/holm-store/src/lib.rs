//! Keeps journals, large results, sessions, jobs and usage. This crate decides nothing about a run:
//! it keeps what it is given and finds it again.
//!
//! A [`Store`] is one SQLite file with two folders next to it, or a PostgreSQL database (feature
//! `postgres`). It is where an agent's journals go ([`JournalStore`](holm_runtime::JournalStore))
//! and its large results ([`BlobStore`](holm_runtime::BlobStore)), and it answers what people ask
//! about sessions: lists, searches, exports, usage, and that they be forgotten; small notes that
//! must outlive a process are in trays next to them. It is the
//! [`ModelLedger`](holm_runtime::ModelLedger) of models too, from the same journals. Journals in
//! memory and in plain files need no database: [`MemoryJournalStore`], [`JsonLinesFolder`].
//!
//! ```text
//!   agent ──append──►  Store  ◄──list, search, usage, export, erase── people
//!                        │
//!      one row a line ───┼─── large results, by their SHA-256
//!                        │
//!           derived: titles, usage, ledger of models, search index
//!           (computed from the lines, when a caller asks)
//! ```
//!
//! # What survives what
//!
//! | | the process is killed | the system crashes or power is lost |
//! |---|---|---|
//! | [`Written`], SQLite | kept | may lose the last lines (1) |
//! | [`Synced`], SQLite | kept | kept |
//! | `Written`, PostgreSQL | kept | a crash of the *server* may lose up to about 0.6 s (2) |
//! | `Synced`, PostgreSQL | kept | kept, as far as the server's `fsync` is on |
//! | user input that an event has shown (3) | kept | kept |
//! | a large result that [`put`](holm_runtime::BlobStore::put) has named | kept | kept |
//!
//! 1. Lines since the last sync of *any* run or the last checkpoint, at most about 4 MiB of log.
//! 2. Three times its `wal_writer_delay`.
//! 3. Also an accepted prompt ([`Store::put_slip`]), and a job that was added, changed or removed.
//!    They are requested as `Synced`, or synced before the call returns.
//!
//! [`Written`]: holm_runtime::Durability::Written
//! [`Synced`]: holm_runtime::Durability::Synced
//!
//! What is lost is always an end: a journal that is found again is a beginning of what was written,
//! never one with a hole, and the lines of one append are there together or not at all. A driver
//! asks for `Synced` before it does anything that cannot be done twice. It also does for every
//! prompt, steering, follow-up, verdict and cancellation, and for every change of mode, grants and
//! budget, before it shows them or acts on them. So what a loss of power costs is work that may be
//! done again: replies of models (and what they cost) and results of tools that only read. A disk
//! that says it has synced and has not is beyond this table.
//!
//! How: SQLite's write-ahead log with `synchronous = NORMAL`; an append that need not be synced is
//! one statement on the caller's own thread. Those that must be are committed in groups by one
//! thread, which then syncs the log once for all of them: 64 runs that wait together share one
//! sync. If a sync ever fails, every later one is refused until the store is opened again, because
//! the system may have dropped what it could not write.
//!
//! # What a long session costs
//!
//! Opening a run reads its last snapshot and the records from there on, and checks the chain from
//! the snapshot's record. A snapshot holds what the model is shown and what decides, not the
//! transcript: the records have that already. A snapshot that is missing, damaged or from another
//! journal is left aside, and the whole journal is read and verified.
//! [`JournalStore::read`](holm_runtime::JournalStore::read), exports and replays
//! always read everything.
//!
//! Usage, the ledger and the search index are kept with the number of records that they hold, and
//! with the state of the fold there. [`Store::usage`] reads the records since, of the sessions that
//! moved, and nothing of the others. What a session cost is kept by its driver whenever a turn group
//! ends, so [`Store::spent`] folds only sessions that are further: those at work, or left by a
//! crash. What a kernel of other rules counted stays counted. A list brings all sessions that moved up to date at once. Journals are decoded
//! and folded on threads that may block.
//!
//! # Who may write
//!
//! A run is driven in one place at a time. In SQLite a lease names a lock file, which the system
//! unlocks when its process ends, even if it is killed. So a run whose driver was killed can be
//! resumed at once. In PostgreSQL the lease is a lock of a connection, which can be lost while the
//! process lives: the driver then stops and reports it. Another process waits for that report, or
//! for 20 seconds if none comes. Several processes may use one store.
//!
//! # What is readable
//!
//! Files are for their owner alone. A store made with a [`MasterKey`] keeps lines, titles,
//! snapshots and large results encrypted, each session under its own key; ids, tags, times, sizes,
//! numbers, kinds of tasks, and the names of agents, models and tools stay readable, and a search
//! has to decrypt everything. [`Store::erase`] leaves nothing of a session in SQLite's files,
//! results that a crash left unfinished included. PostgreSQL's pages and logs keep deleted rows
//! until the server uses their room again: use encryption where that matters, then what is left
//! cannot be read without the key that was erased.
//!
//! # Where things are
//!
//! Paths in all module comments are relative to `src/`.
//!
//! - `store/`: the store, independent of the database.
//! - `sessions/`: what people ask about sessions.
//! - `jobs/`, `notes/`: jobs, and small notes.
//! - `derive/`: pure functions that compute data from records.
//! - `vault/`: encryption.
//! - `label.rs`: titles and tags.
//! - `backend.rs`: what a database must offer.
//! - `sqlite/`, `postgres/`: the two databases.
//! - `resume_marks.rs`: marks of sessions that must be resumed.
//! - `error.rs`: the errors.
//!
//! There is no SQL outside `sqlite/` and `postgres/`. Both must pass the same tests
//! (`holm-store/tests/it/suite/`).

#[cfg(not(any(feature = "sqlite", feature = "postgres")))]
compile_error!("a store needs a database: turn on the feature `sqlite` (the default) or `postgres`");

mod backend;
mod derive;
mod error;
mod jobs;
mod label;
mod notes;
#[cfg(feature = "postgres")]
mod postgres;
mod resume_marks;
mod sessions;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod vault;

pub use backend::{CopySummary, StoreStats};
pub use derive::{RunUsage, TextKind, UsageEntry, UsageSubject, UsageTally, UtcDay, fold, search_text};
pub use error::StoreError;
pub use jobs::{JobRunState, StoredJob, StoredJobRun};
pub use label::{MAX_TAG, MAX_TITLE};
pub use notes::StoredNote;
#[cfg(feature = "postgres")]
pub use postgres::{ParkedSession, PostgresPool};
pub use resume_marks::{PROMPT_TRAY, RUNNING_TAG};
pub use sessions::{
    ErasedSession, RetentionPolicy, SearchHit, SessionCursor, SessionFileFormat, SessionListPage,
    SessionOrder, SessionQuery, SessionSort, StoredSession, UsageGrouping, UsageLine, UsageQuery,
    WithheldPrompt, withheld,
};
pub use store::{Store, StoreOptions};
pub use vault::MasterKey;

pub use holm_runtime::{JsonLinesFolder, JsonLinesJournal, MemoryJournal, MemoryJournalStore};
