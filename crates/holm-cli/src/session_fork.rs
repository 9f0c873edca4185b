//! Forks sessions: it writes the beginning of a new session from the journal of another. The old
//! session is not changed at all; the new one shares its history up to a record. The rewriting of
//! records is in the runtime; the flags are in `commands/run/fork_args.rs` and
//! `commands/session/fork.rs`. Nothing is written for a fork that could not continue.

use holm::{
    kernel::{
        Seq,
        journal::{self, ForkError},
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
        let now = jiff::Timestamp::now().as_millisecond();
        new_name(holm::kernel::Timestamp::new(u64::try_from(now).unwrap_or_default()))
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
        let mut journal = store.create(new).await.map_err(taken)?;
        journal.append(&lines, Durability::Synced).await?;
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
