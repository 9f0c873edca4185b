//! Forks sessions: it writes the beginning of a new session from the journal of another. The old
//! session is not changed at all; the new one shares its history up to a record. The rewriting of
//! records is in the runtime; the flags are in `commands/run/fork_args.rs` and
//! `commands/session/fork.rs`. Nothing is written for a fork that could not continue.

use holm::{
    kernel::{
        Effect, Input, Run, Seq, Timestamp,
        journal::{self, ForkError, JournalRecord, JournalWriter},
    },
    runtime::{
        DriveError, Durability, JournalStorageError, JournalStore as _, PendingWork, fork_journal, new_name,
    },
    store::Store,
};

use crate::{
    children,
    commands::session,
    exit::{CommandError, CommandExit},
};

/// Where a session is forked from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForkPoint {
    /// The session whose history is shared.
    pub(crate) from: String,
    /// The last shared record; by default the last record of that session.
    pub(crate) at: Option<u64>,
}

/// How a forked session continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForkContinuation {
    /// There is a new prompt, so unfinished work is dropped.
    AskedElse,
    /// Unfinished work continues: it is answered again.
    GoesOn,
    /// The caller that resumes the session decides.
    Later,
}

impl ForkPoint {
    /// A new name for a session without one.
    pub(crate) fn new_name() -> String {
        new_name(timestamp())
    }

    /// Writes the beginning of the new session, and returns the last shared record. Nothing is
    /// written where it could not go on.
    pub(crate) async fn grow(&self, store: &Store, new: &str, next: ForkContinuation) -> anyhow::Result<u64> {
        children::check(store, &self.from).await?;
        let text = store.read(&self.from).await.map_err(|error| self.missing(error))?;
        let records = journal::decode(&text)?.records;
        let last = records.last().map_or(0, |record| record.seq().value());
        let at = self.at.unwrap_or(last);
        let under_way = match next {
            ForkContinuation::AskedElse => PendingWork::Dropped,
            ForkContinuation::GoesOn | ForkContinuation::Later => PendingWork::Kept,
        };
        let lines = fork_journal(&text, Seq::new(at), new, under_way).map_err(|error| self.unfit(error))?;
        if next == ForkContinuation::GoesOn
            && journal::replay(&journal::decode_strict(lines.as_bytes())?)?.is_idle()
        {
            let message = format!("nothing is running at record {at} of session `{}`", self.from);
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("say what to do next with -p")
                .into());
        }
        let less = if at < last { narrowing(&records, &lines)? } else { String::new() };
        let mut journal = store.create(new).await.map_err(taken)?;
        journal.append(&format!("{lines}{less}"), Durability::Synced).await?;
        Ok(at)
    }

    fn unfit(&self, error: DriveError) -> anyhow::Error {
        match error {
            DriveError::Fork(ForkError { at, last }) => {
                let last = last.map_or_else(|| "none".to_owned(), |last| last.to_string());
                let message = format!("session `{}` has no record {at}; the last one is {last}", self.from);
                let hint = format!("`holm session replay {}` shows the record numbers", self.from);
                CommandError::new(CommandExit::Usage, message).hint(hint).into()
            }
            other => other.into(),
        }
    }

    fn missing(&self, error: JournalStorageError) -> anyhow::Error {
        match error {
            JournalStorageError::Missing { .. } => session::no_such(&self.from).into(),
            JournalStorageError::BadName { .. } => {
                CommandError::new(CommandExit::Usage, error.to_string()).into()
            }
            other => other.into(),
        }
    }
}

/// The records by which a fork of an earlier record loses what its session has lost since: a person
/// who withdrew a grant or lowered the mode or the budget meant the forks too.
fn narrowing(records: &[JournalRecord], fork: &str) -> anyhow::Result<String> {
    let now = journal::replay(records)?;
    let forked = journal::decode_strict(fork.as_bytes())?;
    let mut run = journal::replay(&forked)?;
    let Some(head) = forked.last().map(JournalRecord::head) else { return Ok(String::new()) };
    let (mut writer, mut lines) = (JournalWriter::after(head), String::new());
    for fact in losses(&run, &now) {
        lines += &journal::step(&mut run, &mut writer, timestamp(), fact)?;
        // Resuming the session requests the remaining work again.
        while !matches!(run.poll(), Effect::Wait(_)) {}
    }
    Ok(lines)
}

/// What a run has and its session no longer has.
fn losses(run: &Run, now: &Run) -> Vec<Input> {
    let is_less = now.budget().usd.is_some_and(|most| run.budget().usd.is_none_or(|has| most < has));
    let mode = (now.chosen_mode() < run.chosen_mode()).then(|| Input::ModeChanged(now.chosen_mode()));
    let grants = (!now.grants().contains_all(run.grants()))
        .then(|| Input::GrantsChanged(run.grants().meet(now.grants())));
    let budget = is_less.then(|| Input::BudgetChanged(now.budget()));
    [mode, grants, budget].into_iter().flatten().collect()
}

fn timestamp() -> Timestamp {
    Timestamp::new(u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default())
}

fn taken(error: JournalStorageError) -> anyhow::Error {
    match &error {
        JournalStorageError::Exists { run } => {
            let message = format!("session `{run}` already exists");
            CommandError::new(CommandExit::Usage, message).hint("choose another name with --session").into()
        }
        JournalStorageError::BadName { .. } => {
            CommandError::new(CommandExit::Usage, error.to_string()).into()
        }
        _ => error.into(),
    }
}
