//! The operations that a database must offer to the store, and the rows that they exchange. The
//! code above this trait is the same for every database; the code below it belongs to one database.
//!
//! Nothing here reads or writes: the implementations are in `sqlite/backend.rs` and
//! `postgres/backend.rs`, and the operations on jobs and notes are in `jobs/rows.rs` and
//! `notes/rows.rs`. Sealing and opening is done above (`store/journal.rs`, `vault/mod.rs`), so an
//! implementation must not depend on the content of a line. The lines of one append are kept
//! together or not at all.

use std::{
    future::Future,
    ops::Range,
    path::PathBuf,
    pin::Pin,
    sync::atomic::{AtomicU64, Ordering},
};

use holm_runtime::{BoxFuture, Durability, RecordCosts};

use crate::{
    StoreError,
    derive::{FoldRow, LedgerRow, SessionSummary, TextRow, UsageEntry},
    jobs::rows::JobTable,
    notes::rows::NoteTable,
};

/// The answer of a database, some time.
pub(crate) type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A run's number in its database; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RunNumber(pub(crate) i64);

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunRow {
    pub(crate) no: RunNumber,
    pub(crate) id: String,
    /// The wrapped data key of an encrypted store.
    pub(crate) key: Option<Vec<u8>>,
}

/// One line as it is written: readable, or sealed by an encrypted store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordBody<'a> {
    Plain(&'a str),
    Sealed(Vec<u8>),
}

impl IndexUpdate {
    /// What the run has cost.
    pub(crate) fn cost(&self) -> u64 {
        self.usage.iter().fold(0, |sum, entry| sum.saturating_add(entry.tally.cost.value()))
    }
}

impl RecordBody<'_> {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(text) => text.as_bytes(),
            Self::Sealed(bytes) => bytes,
        }
    }
}

/// Lines that are kept together or not at all; the first has the number `first`.
#[derive(Debug, Clone)]
pub(crate) struct RecordBatch<'a> {
    pub(crate) run: RunNumber,
    pub(crate) first: u64,
    pub(crate) bodies: Vec<RecordBody<'a>>,
}

/// A run whose index may lag its journal.
#[derive(Debug, Clone)]
pub(crate) struct StaleRun {
    pub(crate) run: RunRow,
    /// Records that the journal holds.
    pub(crate) records: u64,
    /// Records that the head facts know.
    pub(crate) head_at: u64,
    /// Whether the title is known.
    pub(crate) titled: bool,
    /// Records that usage and search know.
    pub(crate) folded: u64,
    /// Records whose cost is known.
    pub(crate) spent_at: u64,
    /// The beginning of the last line, or the whole line if it is sealed; empty if the
    /// head facts are current.
    pub(crate) last: Vec<u8>,
}

/// The result of folding a run.
#[derive(Debug, Clone)]
pub(crate) struct IndexUpdate {
    /// Records that were folded.
    pub(crate) records: u64,
    pub(crate) usage: Vec<UsageEntry>,
    /// Texts of the records that are new.
    pub(crate) texts: Vec<TextRow>,
    pub(crate) ledger: Vec<LedgerRow>,
    /// The state of the fold with the number of its records, if it replaces the stored one.
    pub(crate) state: Option<(u64, Vec<u8>)>,
}

/// One line as the database returns it: the run, the number, and the plain or sealed text.
pub(crate) type LineRow = (RunNumber, u64, Vec<u8>);

/// A session as the database lists it.
#[derive(Debug, Clone)]
pub(crate) struct SessionListRow {
    pub(crate) run: RunRow,
    pub(crate) created: u64,
    pub(crate) updated: u64,
    pub(crate) records: u64,
    /// Whether it has a record, even if the head facts know none. A damaged run has one; a
    /// bare name has none.
    pub(crate) has_begun: bool,
    pub(crate) agent: String,
    pub(crate) model: String,
    /// The title that the user gave.
    pub(crate) named: Option<Vec<u8>>,
    /// The title derived from the first prompt, shown until the user names the session.
    pub(crate) derived: Option<Vec<u8>>,
    pub(crate) tags: Vec<String>,
    pub(crate) holder: Option<String>,
}

/// Selects sessions, and the place in the list to start from.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionFilter<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) tag: Option<&'a str>,
    pub(crate) by_created: bool,
    pub(crate) oldest_first: bool,
    /// Continue after this place: the sorted time and the number.
    pub(crate) after: Option<(u64, i64)>,
    pub(crate) limit: u64,
}

/// A large result as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlobRow {
    pub(crate) run: RunRow,
    /// The name under which it is asked for.
    pub(crate) name: String,
    /// The file that holds its bytes.
    pub(crate) file: String,
    /// Bytes as they were put.
    pub(crate) bytes: u64,
}

/// The length of a blob, with a stamp that changes with its bytes if the database has one.
pub(crate) struct BlobStamp {
    pub(crate) length: u64,
    pub(crate) changed: Option<(u64, u64)>,
}

/// The record of an erased run. It proves that a copy is the erased run, and
/// holds no readable text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunTombstone {
    pub(crate) at: u64,
    pub(crate) records: u64,
    pub(crate) chain: String,
}

/// Counters of a store since it was opened: how well appends share their syncs, and
/// how much was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Appends that were written on their caller's own thread.
    pub inline: u64,
    /// Appends that went through a group.
    pub grouped: u64,
    /// Groups, each one transaction.
    pub groups: u64,
    /// Groups that ended with a sync.
    pub syncs: u64,
    /// Queries and updates, without appends. SQLite counts a transaction
    /// once, PostgreSQL each statement.
    pub questions: u64,
    /// Records that were read.
    pub records: u64,
}

/// The size of a copy of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopySummary {
    /// Bytes on disk, large results with them.
    pub bytes: u64,
    /// The number of large results.
    pub results: u64,
}

/// Counts commits from several threads; the numbers are for people, so no order
/// among them is needed.
#[derive(Debug, Default)]
pub(crate) struct StoreCounters {
    pub(crate) inline: AtomicU64,
    pub(crate) grouped: AtomicU64,
    pub(crate) groups: AtomicU64,
    pub(crate) syncs: AtomicU64,
    pub(crate) questions: AtomicU64,
    pub(crate) records: AtomicU64,
}

impl StoreCounters {
    pub(crate) fn count(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> StoreStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreStats {
            inline: read(&self.inline),
            grouped: read(&self.grouped),
            groups: read(&self.groups),
            syncs: read(&self.syncs),
            questions: read(&self.questions),
            records: read(&self.records),
        }
    }
}

pub(crate) trait StoreBackend: JobTable + NoteTable + Send + Sync {
    fn meta<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;
    /// Writes a value unless there is one. Returns the value that is stored afterwards.
    fn meta_or<'a>(&'a self, name: &'a str, value: &'a [u8]) -> StoreFuture<'a, Vec<u8>>;
    /// Whether a run, a job or a note is stored. The first one fixes whether
    /// the store is encrypted.
    fn any_run(&self) -> StoreFuture<'_, bool>;

    /// Makes a run with these records and, unless it is an import, takes its lease.
    fn create<'a>(
        &'a self,
        id: &'a str,
        key: Option<&'a [u8]>,
        now: u64,
        kind: RunOrigin<'a>,
    ) -> StoreFuture<'a, RunNumber>;
    fn find<'a>(&'a self, id: &'a str) -> StoreFuture<'a, RunRow>;
    /// Takes the lease. Fails with [`StoreError::Busy`] while another live process has it.
    fn hold<'a>(&'a self, run: &'a RunRow) -> StoreFuture<'a, ()>;
    /// Releases the lease, now or soon.
    fn release(&self, run: RunNumber);
    /// Completes when the lease is lost without being released. Never completes where a lease ends
    /// only with the process.
    fn lost(&self, run: RunNumber) -> BoxFuture<'static, ()> {
        let _ = run;
        Box::pin(std::future::pending())
    }
    /// Milliseconds since 1970, the same for all processes that share the database.
    fn clock(&self) -> StoreFuture<'_, u64> {
        Box::pin(async { Ok(crate::store::now()) })
    }

    fn append<'a>(&'a self, batch: RecordBatch<'a>, durability: Durability) -> StoreFuture<'a, ()>;
    /// The lines of some records, as they were written, in order.
    fn records(&self, run: RunNumber, range: Range<u64>) -> StoreFuture<'_, Vec<(u64, Vec<u8>)>>;
    /// The number of the record that is appended next.
    fn next_record(&self, run: RunNumber) -> StoreFuture<'_, u64>;
    fn keep_snapshot<'a>(&'a self, run: RunNumber, snapshot: &'a [u8]) -> StoreFuture<'a, ()>;
    fn snapshot(&self, run: RunNumber) -> StoreFuture<'_, Option<Vec<u8>>>;

    fn name<'a>(&'a self, run: RunNumber, title: Option<&'a [u8]>) -> StoreFuture<'a, ()>;
    fn tag<'a>(&'a self, run: RunNumber, tag: &'a str) -> StoreFuture<'a, ()>;
    fn untag<'a>(&'a self, run: RunNumber, tag: &'a str) -> StoreFuture<'a, ()>;
    fn list<'a>(&'a self, filter: SessionFilter<'a>) -> StoreFuture<'a, Vec<SessionListRow>>;

    fn stale(&self) -> StoreFuture<'_, Vec<StaleRun>>;
    /// The first lines of these runs, in order.
    fn openings<'a>(&'a self, runs: &'a [RunNumber]) -> StoreFuture<'a, Vec<LineRow>>;
    /// Stores the list entries of these runs, all at once.
    fn keep_heads<'a>(&'a self, heads: &'a [(RunNumber, SessionSummary)]) -> StoreFuture<'a, ()>;
    /// The stored fold of a run.
    fn fold_row(&self, run: RunNumber) -> StoreFuture<'_, FoldRow>;
    /// Replaces the run's usage, its cost and its ledger, and adds the texts that are new.
    fn keep_folded<'a>(&'a self, run: RunNumber, derived: IndexUpdate) -> StoreFuture<'a, ()>;
    /// Deletes all derived data. Usage and ledger stay until they are replaced: spent money stays
    /// spent, even if no kernel at hand can fold it again.
    fn forget_derived(&self) -> StoreFuture<'_, ()>;
    /// Adds what a run's records have cost to what is known of it. Does nothing if the cost of a
    /// record in between is unknown.
    fn keep_costs(&self, run: RunNumber, costs: RecordCosts) -> StoreFuture<'_, ()>;
    /// The cost of everything that was used, as far as it is known.
    fn spent(&self) -> StoreFuture<'_, u64>;
    fn usage(&self) -> StoreFuture<'_, Vec<(String, UsageEntry)>>;
    /// The ledger rows of all runs for one kind of task, or for all kinds.
    fn ledger<'a>(&'a self, kind: Option<&'a str>) -> StoreFuture<'a, Vec<(RunRow, LedgerRow)>>;
    /// Records whose text holds every term, newest run first.
    fn matching<'a>(&'a self, terms: &'a [String], limit: u64) -> StoreFuture<'a, Vec<(RunRow, u64)>>;

    fn keep_blob<'a>(&'a self, file: &'a str, bytes: &'a [u8]) -> StoreFuture<'a, ()>;
    /// Makes a run refer to a stored result. Returns whether the run exists. If it was erased, the
    /// result is removed, unless another run refers to it.
    fn refer<'a>(&'a self, run: RunNumber, name: &'a str, file: &'a str, bytes: u64)
    -> StoreFuture<'a, bool>;
    fn blob<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<BlobRow>>;
    fn blobs_of(&self, run: RunNumber) -> StoreFuture<'_, Vec<BlobRow>>;
    fn stamp<'a>(&'a self, file: &'a str) -> StoreFuture<'a, Option<BlobStamp>>;
    fn read_blob<'a>(&'a self, file: &'a str, range: Range<u64>) -> StoreFuture<'a, Vec<u8>>;

    /// Removes a run and leaves a tombstone. Also removes large results to which
    /// no other run refers.
    fn erase<'a>(&'a self, run: &'a RunRow, stone: &'a RunTombstone) -> StoreFuture<'a, ()>;
    /// Makes sure that nothing of erased runs is left in files that this store writes.
    fn scour(&self) -> StoreFuture<'_, ()>;
    /// Copies a consistent snapshot of the store to a path where nothing exists yet.
    fn copy_to(&self, to: PathBuf) -> StoreFuture<'_, CopySummary>;
    /// The counters since the store was opened.
    fn commits(&self) -> StoreStats;
    /// Every file that was written.
    fn files(&self) -> Vec<PathBuf>;
}

/// Why a run is made.
pub(crate) enum RunOrigin<'a> {
    /// The run will be driven by this store.
    Driven,
    /// To be kept, with all its records.
    Imported(&'a [RecordBody<'a>]),
}
