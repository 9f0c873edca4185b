//! Runs from their journals.

use holm_kernel::{
    CallId, Ending, Event, Input, Numbered, Run, Seq,
    journal::{self, Fault, Head, Record, ReplayError, Snapshot, Tail},
};

use super::DriveError;

/// A run as its journal tells it.
pub(crate) struct Folded {
    pub(crate) run: Run,
    pub(crate) head: Head,
    /// Children that were written down and whose end was not.
    pub(crate) open: Vec<OpenChild>,
}

/// A child whose end is not in its parent's journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenChild {
    pub(crate) call: CallId,
    pub(crate) child: String,
}

impl Folded {
    /// Folds a whole journal, with the help of a snapshot if it is any use.
    pub(crate) fn read(text: &[u8], snapshot: Option<&[u8]>) -> Result<Self, DriveError> {
        let records = journal::decode_strict(text)?;
        let snapshot = snapshot.and_then(|snapshot| Snapshot::decode(snapshot).ok());
        let run = journal::resume(snapshot.as_ref(), &records)?;
        let head = records.last().map(Record::head).ok_or(ReplayError::Empty)?;
        Ok(Self { run, head, open: open_children(&records)? })
    }

    /// Whether the journal tells of the run that it is kept under.
    pub(crate) fn check_name(&self, wanted: &str) -> Result<(), DriveError> {
        let found = &self.run.started().run;
        if found != wanted {
            return Err(DriveError::OtherRun { wanted: wanted.into(), found: found.clone() });
        }
        Ok(())
    }
}

/// A run that was told again from its journal, without a model, a tool or a hook.
#[derive(Debug)]
pub struct Replayed {
    /// The run as it stood after the last record.
    pub run: Run,
    /// Everything that watchers were told, in order.
    pub events: Vec<Numbered>,
}

impl Replayed {
    /// How the last turn group ended; none while one is under way, or before the first.
    pub(crate) fn ending(&self) -> Option<Ending> {
        if !self.run.is_idle() {
            return None;
        }
        self.events.iter().rev().find_map(|event| match &event.event {
            Event::GroupEnded { ending, .. } => Some((**ending).clone()),
            _ => None,
        })
    }

    /// Folds a journal that somebody may be writing: a line that is not whole yet is left out.
    pub(crate) fn read(text: &[u8]) -> Result<Self, DriveError> {
        let mut events = Vec::new();
        let run = journal::replay_with(&whole_records(text)?, |_, effect| {
            if let holm_kernel::Effect::Emit(event) = effect {
                events.push(event.clone());
            }
        })?;
        Ok(Self { run, events })
    }
}

/// What becomes of work that was under way where a run is forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnderWay {
    /// The new run goes on with it.
    Kept,
    /// The new run begins by cancelling it, and waits for another prompt.
    Dropped,
}

/// The journal of another run with the same past: the same facts up to and with a record, told under the new name, so that
/// what it does from here on is never taken for what the old one did. For those who keep journals and have no agent at
/// hand; [`Agent::fork`](crate::Agent::fork) does all of it.
///
/// # Errors
/// [`DriveError`] if the text is no sound journal or does not have the record.
///
/// ```
/// use holm_kernel::{Config, Model, Seq, Started, Timestamp, journal};
/// use holm_runtime::{UnderWay, fork_journal};
///
/// let started = Started::new("trunk", 1, Config::new(Model::named("example/model")));
/// let (_, _, trunk) = journal::begin(started, Timestamp::new(0))?;
/// let branch = fork_journal(trunk.as_bytes(), Seq::new(0), "branch", UnderWay::Kept)?;
/// assert!(branch.contains("\"branch\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fork_journal(text: &[u8], at: Seq, name: &str, under_way: UnderWay) -> Result<String, DriveError> {
    let records = whole_records(text)?;
    let past = journal::fork(&records, at)?;
    let Some((first, rest)) = past.split_first() else { return Err(ReplayError::Empty.into()) };
    let Input::Started(mut started) = input(first)? else { return Err(ReplayError::NotStarted.into()) };
    // Folding it first says whether this kernel decides as the one that wrote it.
    journal::replay(past)?;
    started.run = name.into();
    let (mut run, mut writer, mut lines) = journal::begin(*started, first.at())?;
    drain(&mut run);
    for record in rest {
        lines += &journal::step(&mut run, &mut writer, record.at(), input(record)?)?;
        drain(&mut run);
    }
    if under_way == UnderWay::Dropped && !run.is_idle() {
        let now = past.last().map_or(first.at(), Record::at);
        let cancelled = Input::Cancelled { reason: "the run was forked here".into() };
        lines += &journal::step(&mut run, &mut writer, now, cancelled)?;
    }
    Ok(lines)
}

/// The children without an end. Other records are told apart by their beginning, without reading them.
fn open_children(records: &[Record]) -> Result<Vec<OpenChild>, DriveError> {
    let about_children =
        |record: &&Record| record.payload().text().is_some_and(|text| text.starts_with(r#"{"child_"#));
    let mut open: Vec<OpenChild> = Vec::new();
    for record in records.iter().filter(about_children) {
        let (call, child) = match input(record)? {
            Input::ChildStarted { call, child } => (call, Some(child)),
            Input::ChildFinished { call, .. } => (call, None),
            _ => continue,
        };
        // A run that was forked off has children of its own in place of those that it came with.
        open.retain(|open| open.call != call);
        open.extend(child.map(|child| OpenChild { call, child }));
    }
    Ok(open)
}

fn whole_records(text: &[u8]) -> Result<Vec<Record>, DriveError> {
    let decoded = journal::decode(text)?;
    match decoded.tail {
        Tail::Clean => Ok(decoded.records),
        Tail::Torn(error) if error.fault == Fault::Unfinished => Ok(decoded.records),
        Tail::Torn(error) => Err(error.into()),
    }
}

fn drain(run: &mut Run) {
    while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
}

fn input(record: &Record) -> Result<Input, ReplayError> {
    let seq = record.seq();
    record.payload().input().map_err(|error| match error {
        journal::InputError::Erased => ReplayError::Erased { seq },
        journal::InputError::Unreadable { reason } => ReplayError::Unreadable { seq, reason },
    })
}
