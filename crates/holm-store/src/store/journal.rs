//! Journals in the store: implements the traits of `holm-runtime/src/journal/mod.rs` for every
//! database. It creates, opens, reads and appends, and encrypts and decrypts lines if the store has
//! a key.
//!
//! A line is stored unchanged. Only its number is checked here; the chain is verified when a
//! journal is folded (`holm-kernel/src/journal/`). After an append that failed or was not waited
//! for, every later one is refused, because the end of the journal is unknown. A snapshot is a
//! cache: one that cannot be used counts as missing.
//!
//! The database is reached through `backend.rs`, so there is no SQL here. The driver says which
//! appends must be synced, and `sqlite/committer.rs` and `postgres/committer.rs` group the syncs.
//! Which process may write a run is decided in `store/lease.rs`, ciphers are in `vault/`, and lists
//! and searches of sessions are in `sessions/`.

use std::{
    io::Write as _,
    ops::Range,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use holm_kernel::journal::Snapshot;
use holm_runtime::{
    BoxFuture, Durability, Journal, JournalLines, JournalStorageError, JournalStore, OpenedJournal,
    RecordCosts,
};

use super::{
    Store, StoreInner,
    lease::{DriveLease, to_the_end},
};
use crate::{
    StoreError,
    backend::{RecordBatch, RecordBody, RunNumber, RunRow},
    label::check_run,
    sessions::blocking,
    vault::SessionCipher,
};

/// The places that encrypted texts are bound to. They must never change, or stored texts could not
/// be decrypted any more.
const RECORD: &str = "record";
const SNAPSHOT: &str = "snapshot";

/// Records of a long journal that are read at once. Together they are small compared with the
/// state of a fold.
const RECORDS_PER_READ: u64 = 256;

impl JournalStore for Store {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>> {
        Box::pin(async move { Ok(Box::new(self.begin(run).await?) as Box<dyn Journal>) })
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>> {
        Box::pin(self.take_over(run))
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>> {
        Box::pin(async move {
            let row = self.find(run).await.map_err(read_error)?;
            Ok(self.text(&row).await.map_err(read_error)?.0)
        })
    }

    fn read_lines<'a>(
        &'a self,
        run: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn JournalLines>, JournalStorageError>> {
        Box::pin(async move {
            let row = self.find(run).await.map_err(read_error)?;
            let end = self.inner.backend.next_record(row.no).await.map_err(read_error)?;
            Ok(Box::new(StoreJournalReader { store: self.clone(), row, next: 0, end })
                as Box<dyn JournalLines>)
        })
    }
}

impl Store {
    /// Creates a run and takes its lease.
    async fn begin(&self, run: &str) -> Result<StoreJournal, StoreError> {
        check_run(run)?;
        let (key, wrapped) = match &self.inner.vault {
            Some(vault) => vault.new_key(run).map(|(key, wrapped)| (Some(key), Some(wrapped)))?,
            None => (None, None),
        };
        let lease = DriveLease::create(&self.inner, run, wrapped, now()).await?;
        Ok(StoreJournal {
            run: lease.run(),
            lease,
            id: run.into(),
            key,
            next: 0,
            state: JournalTailState::Sound,
        })
    }

    /// Takes the lease of a run and reads its snapshot and the records after it. The rest of a long
    /// journal is read in pieces.
    async fn take_over(&self, run: &str) -> Result<OpenedJournal, JournalStorageError> {
        let row = self.find(run).await.map_err(read_error)?;
        let lease = DriveLease::take(&self.inner, &row).await?;
        let key = self.inner.key(&row).map_err(read_error)?;
        let snapshot = self.snapshot(&row).await.map_err(read_error)?;
        let from = snapshot.as_ref().map_or(0, |snapshot| snapshot.head().seq.value());
        let next = self.inner.backend.next_record(row.no).await.map_err(read_error)?;
        // A snapshot of a record that does not exist belongs to another journal.
        let (snapshot, from) = if from < next { (snapshot, from) } else { (None, 0) };
        let upto = if snapshot.is_some() { u64::MAX } else { RECORDS_PER_READ };
        let (text, count) = self.text_of(&row, from..upto).await.map_err(read_error)?;
        let read = from + count;
        let rest = (read < next).then(|| {
            let lines = StoreJournalReader { store: self.clone(), row: row.clone(), next: read, end: next };
            Box::new(lines) as Box<dyn JournalLines>
        });
        let journal =
            StoreJournal { lease, run: row.no, id: row.id, key, next, state: JournalTailState::Sound };
        Ok(OpenedJournal { snapshot, text, rest, journal: Box::new(journal) })
    }

    /// Returns the snapshot of a run. A snapshot that cannot be opened or read counts as missing;
    /// the journal is complete without it.
    async fn snapshot(&self, row: &RunRow) -> Result<Option<Snapshot>, StoreError> {
        let Some(stored) = self.inner.backend.snapshot(row.no).await? else { return Ok(None) };
        let (inner, row) = (Arc::clone(&self.inner), row.clone());
        blocking(move || {
            let stored = match inner.key(&row)? {
                Some(key) => key.open(SNAPSHOT, 0, &stored),
                None => Some(stored),
            };
            Ok(stored.and_then(|stored| Snapshot::decode(&stored).ok()))
        })
        .await
    }

    /// Whether a run has a record of that number: a cheap check whether another
    /// process has written more.
    ///
    /// # Errors
    /// [`StoreError::Missing`].
    pub async fn has_record(&self, run: &str, seq: u64) -> Result<bool, StoreError> {
        let row = self.find(run).await?;
        Ok(!self.inner.backend.records(row.no, seq..seq.saturating_add(1)).await?.is_empty())
    }

    /// Finds a run with at least one record. A creator that died, or a full disk, can leave a name
    /// without a record. Such a name is not a run: it holds nothing, and the next caller that
    /// creates a run of that name gets it.
    pub(crate) async fn find(&self, run: &str) -> Result<RunRow, StoreError> {
        check_run(run)?;
        let row = self.inner.backend.find(run).await?;
        if self.inner.has_begun(row.no).await? {
            Ok(row)
        } else {
            Err(StoreError::Missing { run: run.into() })
        }
    }

    /// A run's whole lines and their number.
    pub(crate) async fn text(&self, row: &RunRow) -> Result<(Vec<u8>, u64), StoreError> {
        self.text_of(row, 0..u64::MAX).await
    }

    /// As [`text`](Self::text), for a range of records.
    async fn text_of(&self, row: &RunRow, range: Range<u64>) -> Result<(Vec<u8>, u64), StoreError> {
        let first = range.start;
        let lines = self.inner.backend.records(row.no, range).await?;
        let (inner, row) = (Arc::clone(&self.inner), row.clone());
        blocking(move || {
            let lines = inner.opened(&row, lines, first)?;
            let count = lines.len() as u64;
            let mut text = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
            // Each line is freed as soon as it is copied, so that the journal is in memory only once.
            for line in lines {
                text.extend_from_slice(&line);
                text.push(b'\n');
            }
            Ok((text, count))
        })
        .await
    }
}

impl StoreInner {
    /// Whether a run has a record. A run that lacks only the first record is damaged, and
    /// reading it reports that.
    pub(crate) async fn has_begun(&self, run: RunNumber) -> Result<bool, StoreError> {
        for range in [0..1, 1..u64::MAX] {
            if !self.backend.records(run, range).await?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Some lines of a run, decrypted, without their ends. A gap is reported as damage.
    pub(crate) async fn lines(&self, row: &RunRow, range: Range<u64>) -> Result<Vec<Vec<u8>>, StoreError> {
        let first = range.start;
        let rows = self.backend.records(row.no, range).await?;
        self.opened(row, rows, first)
    }

    /// Decrypts stored lines, if the store is encrypted. The first must be record `first`, and a
    /// gap is reported as damage.
    pub(crate) fn opened(
        &self,
        row: &RunRow,
        rows: Vec<(u64, Vec<u8>)>,
        first: u64,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let damaged = |reason: String| StoreError::Damaged { run: row.id.clone(), reason };
        let key = self.key(row)?;
        let mut lines = Vec::with_capacity(rows.len());
        for (next, (seq, body)) in (first..).zip(rows) {
            if seq != next {
                return Err(damaged(format!("record {next} is missing")));
            }
            lines.push(match &key {
                None => body,
                Some(key) => key
                    .open(RECORD, seq, &body)
                    .ok_or_else(|| damaged(format!("record {seq} cannot be decrypted")))?,
            });
        }
        Ok(lines)
    }
}

/// Reads a journal of the store, some records at a time.
struct StoreJournalReader {
    store: Store,
    row: RunRow,
    next: u64,
    /// The record after the last one.
    end: u64,
}

impl JournalLines for StoreJournalReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, JournalStorageError>> {
        Box::pin(async move {
            if self.next >= self.end {
                return Ok(None);
            }
            let range = self.next..self.end.min(self.next.saturating_add(RECORDS_PER_READ));
            let (text, count) = self.store.text_of(&self.row, range).await.map_err(read_error)?;
            if count == 0 {
                let (run, reason) = (self.row.id.clone(), format!("record {} is missing", self.next));
                return Err(JournalStorageError::Damaged { run, reason });
            }
            self.next += count;
            Ok(Some(text))
        })
    }
}

/// The error for a journal that cannot be read. A caller that only reads must not get
/// an error about writing.
fn read_error(error: StoreError) -> JournalStorageError {
    match JournalStorageError::from(error) {
        JournalStorageError::System { reason } => JournalStorageError::Unreadable { reason },
        other => other,
    }
}

/// Writes one run's journal into the store.
struct StoreJournal {
    lease: DriveLease,
    run: RunNumber,
    id: String,
    key: Option<SessionCipher>,
    next: u64,
    state: JournalTailState,
}

/// Whether the end of the journal is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JournalTailState {
    Sound,
    /// An append failed or was given up half-way.
    Uncertain,
}

impl StoreJournal {
    async fn add(&mut self, lines: &str, durability: Durability) -> Result<(), StoreError> {
        if self.state == JournalTailState::Uncertain {
            return Err(StoreError::Uncertain { run: self.id.clone() });
        }
        let bodies = bodies(lines, self.next, self.key.as_ref())?;
        let count = bodies.len() as u64;
        // Cleared when the answer has come: a caller that stops waiting leaves the journal
        // uncertain.
        self.state = JournalTailState::Uncertain;
        let batch = RecordBatch { run: self.run, first: self.next, bodies };
        self.lease.inner().backend.append(batch, durability).await?;
        self.next += count;
        self.state = JournalTailState::Sound;
        Ok(())
    }
}

impl Journal for StoreJournal {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        Box::pin(async move { Ok(self.add(lines, durability).await?) })
    }

    fn lost(&self) -> BoxFuture<'static, ()> {
        self.lease.inner().backend.lost(self.run)
    }

    fn keeps_snapshots(&self) -> bool {
        true
    }

    fn keep_snapshot<'a>(&'a mut self, snapshot: &'a [u8]) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        Box::pin(async move {
            let body = match &self.key {
                None => snapshot.to_owned(),
                Some(key) => key.seal(SNAPSHOT, 0, snapshot)?,
            };
            let (inner, run) = (Arc::clone(self.lease.inner()), self.run);
            // The driver of the run may pause for a while, and would hold a connection that others
            // wait for.
            to_the_end(async move { inner.backend.keep_snapshot(run, &body).await }).await?;
            Ok(())
        })
    }

    fn keep_costs<'a>(
        &'a mut self,
        costs: &'a RecordCosts,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        let (inner, run, costs) = (Arc::clone(self.lease.inner()), self.run, costs.clone());
        Box::pin(async move {
            to_the_end(async move { inner.backend.keep_costs(run, costs).await }).await?;
            Ok(())
        })
    }
}

/// Splits lines that follow record `next - 1`, and encrypts them if there is a key.
///
/// The chain is verified whenever a journal is folded; here only what would put a line in the
/// wrong row is refused.
pub(crate) fn bodies<'a>(
    lines: &'a str,
    next: u64,
    key: Option<&SessionCipher>,
) -> Result<Vec<RecordBody<'a>>, StoreError> {
    let out_of_order = |next: u64, reason: &str| StoreError::OutOfOrder { next, reason: reason.into() };
    if lines.is_empty() || !lines.ends_with('\n') {
        return Err(out_of_order(next, "a line has no end"));
    }
    let mut bodies = Vec::with_capacity(1);
    for (seq, line) in (next..).zip(lines.split_terminator('\n')) {
        if !is_record(line, seq) {
            return Err(out_of_order(seq, "the line has a wrong number, or none"));
        }
        bodies.push(match key {
            None => RecordBody::Plain(line),
            Some(key) => RecordBody::Sealed(key.seal(RECORD, seq, line.as_bytes())?),
        });
    }
    Ok(bodies)
}

/// Whether a line begins as the kernel writes record `seq`: only the version and the number are compared.
fn is_record(line: &str, seq: u64) -> bool {
    let mut expected = [0_u8; 48];
    let mut rest = &mut expected[..];
    if write!(rest, "{{\"v\":{},\"seq\":{seq},", holm_kernel::journal::VERSION).is_err() {
        return false;
    }
    let length = 48 - rest.len();
    line.as_bytes().get(..length) == expected.get(..length)
}

/// Milliseconds since 1970, for lists; nothing in a run depends on it.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
