//! Restores, replays and forks runs from their journals.
//!
//! It performs no effect and repairs no journal: a torn or damaged one is an error here, and
//! `journal/folder.rs` or the store cuts a torn line. Folding is done on blocking threads, since a
//! journal can be long. A snapshot only saves time: if it does not fit, the whole journal is
//! folded. Restrictions that a host added to an imported run must also hold in a fork.
//!
//! Records are read and folded by the kernel (`holm-kernel/src/journal/replay.rs`); the driver of a
//! restored run is `driver/mod.rs`.

use std::collections::BTreeSet;

use holm_grants::{GrantSet, Mode};
use holm_kernel::{
    Effect, Ending, Event, Input, Numbered, Run, Seq, ToolCallId,
    journal::{self, Head, JournalFault, JournalRecord, JournalTail, ReplayError, ReplayFold, Snapshot},
};

use super::{DriveError, SnapshotSchedule};
use crate::{Journal, JournalStore, OpenedJournal, child};

/// A run restored from its journal.
pub(crate) struct RestoredRun {
    pub(crate) run: Run,
    pub(crate) head: Head,
    /// Children whose start was recorded and whose end was not.
    pub(crate) open: Vec<OpenChild>,
    /// Those of them that this run itself requested. A forked run also has children of the original
    /// run in its past, and must not stop those.
    pub(crate) own: Vec<OpenChild>,
    /// How much was folded, and from where.
    pub(super) snapshots: SnapshotSchedule,
}

/// A child whose end is not in its parent's journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenChild {
    pub(crate) call: ToolCallId,
    pub(crate) child: String,
}

impl RestoredRun {
    /// Folds an opened journal on blocking threads. With a snapshot, only the records after it are
    /// read; an unusable snapshot costs a second pass over the journal and nothing else. A long
    /// journal is read some lines at a time.
    pub(crate) async fn open(
        journals: &dyn JournalStore,
        run: &str,
        opened: OpenedJournal,
    ) -> Result<(Self, Box<dyn Journal>), DriveError> {
        let OpenedJournal { snapshot, text, rest, journal } = opened;
        let mut fold = JournalFold::default();
        let mut rest = match snapshot {
            None => {
                fold = fold.add(text).await?;
                rest
            }
            Some(snapshot) => {
                // The transcript after a snapshot is kept: a snapshot is never far from the end.
                let folded = off_the_loop(move || Ok(Self::after(&snapshot, &text))).await?;
                if let (Some(folded), None) = (folded, rest) {
                    return Ok((folded, journal));
                }
                Some(journals.read_lines(run).await?)
            }
        };
        while let Some(lines) = &mut rest {
            let Some(text) = lines.next().await? else { break };
            fold = fold.add(text).await?;
        }
        Ok((off_the_loop(move || fold.finish()).await?, journal))
    }

    /// As [`read`](Self::read), on a blocking thread.
    pub(crate) async fn whole(text: Vec<u8>) -> Result<Self, DriveError> {
        let fold = JournalFold::default().add(text).await?;
        off_the_loop(move || fold.finish()).await
    }

    /// Folds a whole journal.
    #[cfg(test)]
    pub(crate) fn read(text: &[u8]) -> Result<Self, DriveError> {
        let mut fold = JournalFold::default();
        fold.feed(text)?;
        fold.finish()
    }

    /// Folds the records after a snapshot; `None` if the snapshot does not help. `text` begins with
    /// the snapshot's own record.
    fn after(snapshot: &Snapshot, text: &[u8]) -> Option<Self> {
        let tail = journal::decode_after(snapshot.head(), text).ok()?;
        let run = journal::resume_from(snapshot, &tail).ok()?;
        // The records before the snapshot say whose children they are.
        if run.open_children().next().is_some() {
            return None;
        }
        let head = tail.last().map_or(snapshot.head(), JournalRecord::head);
        let (last, size) = (snapshot.head().seq.value(), snapshot.bytes());
        let snapshots = SnapshotSchedule { last, bytes: text.len() as u64, size };
        Some(Self { run, head, open: Vec::new(), own: Vec::new(), snapshots })
    }

    /// Checks that the journal belongs to the run whose name it is stored under.
    pub(crate) fn check_name(&self, wanted: &str) -> Result<(), DriveError> {
        let found = &self.run.started().run;
        if found != wanted {
            return Err(DriveError::OtherRun { wanted: wanted.into(), found: found.clone() });
        }
        Ok(())
    }
}

/// Folds a journal from record 0, some lines at a time; folded lines are dropped.
#[derive(Default)]
struct JournalFold {
    reader: journal::JournalReader,
    fold: ReplayFold,
    /// The children that the run requested.
    asked: BTreeSet<(ToolCallId, String)>,
    bytes: u64,
}

impl JournalFold {
    /// As [`feed`](Self::feed), on a blocking thread.
    async fn add(mut self, text: Vec<u8>) -> Result<Self, DriveError> {
        off_the_loop(move || {
            self.feed(&text)?;
            Ok(self)
        })
        .await
    }

    /// Reads and folds more of the journal. Messages of earlier lines are dropped,
    /// as after a snapshot.
    fn feed(&mut self, text: &[u8]) -> Result<(), DriveError> {
        let Self { reader, fold, asked, bytes } = self;
        fold.leave_transcript();
        *bytes = bytes.saturating_add(text.len() as u64);
        let mut records = Vec::new();
        // Line by line, so that only one record is in memory next to the text.
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            reader.feed(line, &mut records)?;
            for record in records.drain(..) {
                fold.add(&record, |_, effect| {
                    if let Effect::Spawn { call, request } = effect {
                        asked.insert((*call, child::child_id(request)));
                    }
                })?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<RestoredRun, DriveError> {
        if let JournalTail::Torn(error) = self.reader.finish()? {
            return Err(error.into());
        }
        let (run, head) = self.fold.finish()?;
        let open = open_children(&run);
        let is_own = |open: &&OpenChild| self.asked.contains(&(open.call, open.child.clone()));
        let own = open.iter().filter(is_own).cloned().collect();
        let snapshots = SnapshotSchedule { last: 0, bytes: self.bytes, size: 0 };
        Ok(RestoredRun { run, head, open, own, snapshots })
    }
}

/// A run that was replayed from its journal, without a model, a tool or a hook.
#[derive(Debug)]
pub struct RunReplay {
    /// The run after the last record.
    pub run: Run,
    /// All events, in order.
    pub events: Vec<Numbered>,
}

impl RunReplay {
    /// How the last turn group ended; `None` before the first group and while one is under way.
    pub(crate) fn ending(&self) -> Option<Ending> {
        if !self.run.is_idle() {
            return None;
        }
        self.events.iter().rev().find_map(|event| match &event.event {
            Event::GroupEnded { ending, .. } => Some((**ending).clone()),
            _ => None,
        })
    }

    /// As [`read`](Self::read), on a blocking thread.
    pub(crate) async fn whole(text: Vec<u8>) -> Result<Self, DriveError> {
        off_the_loop(move || Self::read(&text)).await
    }

    /// Folds a journal that another process may be writing: an incomplete last line is ignored.
    pub(crate) fn read(text: &[u8]) -> Result<Self, DriveError> {
        let mut events = Vec::new();
        let run = journal::replay_with(&whole_records(text)?, |_, effect| {
            if let Effect::Emit(event) = effect {
                events.push(event.clone());
            }
        })?;
        Ok(Self { run, events })
    }
}

/// What happens to work under way when a run is forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingWork {
    /// The new run continues it.
    Kept,
    /// The new run first cancels it, and waits for a prompt.
    Dropped,
}

/// The journal of a new run with the same past: the same facts up to and including a record, under
/// the new name. So later work of the new run is never mistaken for that of the old one. This
/// function is for programs that store journals and have no agent;
/// [`Agent::fork`](crate::Agent::fork) does the complete job.
///
/// A host that imports a foreign journal appends records that narrow the run and withdraw its
/// grants. A fork at an earlier record keeps them: these restrictions are added to the fork.
///
/// # Errors
/// [`DriveError`] if the text is not a valid journal or does not have the record.
///
/// ```
/// use holm_kernel::{Config, ModelSpec, Seq, Started, Timestamp, journal};
/// use holm_runtime::{PendingWork, fork_journal};
///
/// let started = Started::new("trunk", 1, Config::new(ModelSpec::named("example/model")));
/// let (_, _, trunk) = journal::begin(started, Timestamp::new(0))?;
/// let branch = fork_journal(trunk.as_bytes(), Seq::new(0), "branch", PendingWork::Kept)?;
/// assert!(branch.contains("\"branch\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fork_journal(text: &[u8], at: Seq, name: &str, under_way: PendingWork) -> Result<String, DriveError> {
    let records = whole_records(text)?;
    let past = journal::fork(&records, at)?;
    let Some((first, rest)) = past.split_first() else { return Err(ReplayError::Empty.into()) };
    let Input::Started(mut started) = input(first)? else { return Err(ReplayError::NotStarted.into()) };
    // Folding it first shows whether this kernel decides like the one that wrote it.
    journal::replay(past)?;
    started.run = name.into();
    let (mut run, mut writer, mut lines) = journal::begin(*started, first.at())?;
    drain(&mut run);
    for record in rest {
        lines += &journal::step(&mut run, &mut writer, record.at(), input(record)?)?;
        drain(&mut run);
    }
    let now = past.last().map_or(first.at(), JournalRecord::at);
    for fact in later_terms(&records, at) {
        lines += &journal::step(&mut run, &mut writer, now, fact)?;
        drain(&mut run);
    }
    if under_way == PendingWork::Dropped && !run.is_idle() {
        let cancelled = Input::Cancelled { reason: "the run was forked here".into() };
        lines += &journal::step(&mut run, &mut writer, now, cancelled)?;
    }
    Ok(lines)
}

/// The restrictions that a host added in the records after `at`. If it imported the run, the grants
/// and the mode of the past are not trusted, and neither is kept.
fn later_terms(records: &[JournalRecord], at: Seq) -> Vec<Input> {
    // An import adds three records in a row, and `at` may be between them.
    let near = records.iter().filter(|record| record.seq().value().saturating_add(2) > at.value());
    let (mut terms, mut is_import, mut is_foreign) = (Vec::new(), false, false);
    for record in near {
        let (fact, is_later) = (record.payload().input(), record.seq() > at);
        match fact {
            Ok(Input::Narrowed(narrowing)) => {
                is_import = narrowing.marks.untrusted;
                let term = Input::Narrowed(narrowing);
                if is_later && !terms.contains(&term) {
                    terms.push(term);
                }
            }
            Ok(Input::GrantsChanged(_) | Input::ModeChanged(_)) => {}
            Ok(_) | Err(_) => is_import = false,
        }
        is_foreign |= is_import && is_later;
    }
    if is_foreign {
        terms.extend([Input::GrantsChanged(GrantSet::default()), Input::ModeChanged(Mode::default())]);
    }
    terms
}

/// The children whose end was not recorded.
fn open_children(run: &Run) -> Vec<OpenChild> {
    run.open_children().map(|(call, child)| OpenChild { call, child: child.into() }).collect()
}

/// Folds on a blocking thread: a journal can be long, and other runs use this thread.
pub(crate) async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DriveError> + Send + 'static,
) -> Result<T, DriveError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, and the run with it.
            Err(_) => Err(DriveError::Lost),
        },
    }
}

fn whole_records(text: &[u8]) -> Result<Vec<JournalRecord>, DriveError> {
    let decoded = journal::decode(text)?;
    match decoded.tail {
        JournalTail::Clean => Ok(decoded.records),
        JournalTail::Torn(error) if error.fault == JournalFault::Unfinished => Ok(decoded.records),
        JournalTail::Torn(error) => Err(error.into()),
    }
}

fn drain(run: &mut Run) {
    while !matches!(run.poll(), Effect::Wait(_)) {}
}

fn input(record: &JournalRecord) -> Result<Input, ReplayError> {
    let seq = record.seq();
    record.payload().input().map_err(|error| match error {
        journal::InputError::Erased => ReplayError::Erased { seq },
        journal::InputError::Unreadable { reason } => ReplayError::Unreadable { seq, reason },
    })
}
