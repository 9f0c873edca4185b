//! Closes the journals of orphaned children, so that none of them appears to be running.
//!
//! A parent that is stopped stops its children, and the process may die between the two. The
//! repair needs no model, tool or agent: the work under way is cancelled in the journal itself,
//! from the top down.
//!
//! It performs no effect and continues no work; `driver/mod.rs` resumes runs. A journal that
//! another process holds is left alone. Bills are read from the closed journals, so that the parent
//! pays exactly once.

use holm_kernel::{
    ChildResult, Effect, Ending, Input, Run, Timestamp, ToolOutput,
    journal::{self, JournalWriter},
};

use super::child_execution::{UNWANTED, bill, child_id};
use crate::{
    BoxFuture, ChildLaunch, DriveError, Durability, Journal, JournalStorageError, JournalStore, RunReplay,
    driver::{OpenChild, RestoredRun},
};

/// A run whose journal says that it has ended.
pub(crate) struct ClosedRun {
    pub(crate) run: Run,
    /// `None` for a run that never had a prompt.
    pub(crate) ending: Option<Ending>,
    pub(crate) left: DescendantStatus,
}

/// Whether all descendants could be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DescendantStatus {
    /// All journals could be closed.
    Nobody,
    /// Another holder still has the journal of a descendant.
    Held,
}

impl ClosedRun {
    /// The result for its parent, which already recorded the end and only lacks the bill.
    pub(crate) fn result(&self) -> ChildResult {
        ChildResult { output: ToolOutput::failed(UNWANTED), ..bill(&self.run) }
    }
}

impl ChildLaunch {
    /// The result of a child that cannot be run or resumed. If it was at work before a crash, its
    /// journal and those of its children are closed, and its bill is returned. If it had answered,
    /// that answer is returned.
    pub async fn not_run(&self, reason: impl Into<String>) -> ChildResult {
        let failed = ToolOutput::failed(reason);
        match lay_to_rest(&*self.journals, &child_id(&self.request)).await {
            Ok(Some(ClosedRun { run, ending: Some(Ending::Answered { text }), .. })) => {
                ChildResult { output: ToolOutput::text(text), ..bill(&run) }
            }
            Ok(Some(ClosedRun { run, .. })) => ChildResult { output: failed, ..bill(&run) },
            Ok(None) | Err(_) => ChildResult { output: failed, ..ChildResult::default() },
        }
    }
}

/// Closes the journal of a run: it is cancelled where it stopped, and so are its children. A run
/// that has ended is unchanged. `None` for a run that never started.
pub(crate) fn lay_to_rest<'a>(
    journals: &'a dyn JournalStore,
    run: &'a str,
) -> BoxFuture<'a, Result<Option<ClosedRun>, DriveError>> {
    Box::pin(async move {
        crate::driver::released(run).await;
        let opened = match journals.open(run).await {
            Ok(opened) => opened,
            Err(JournalStorageError::Missing { .. }) => return Ok(None),
            Err(failed) => return Err(failed.into()),
        };
        if !opened.text.contains(&b'\n') {
            return Ok(None);
        }
        let (mut folded, mut journal) = RestoredRun::open(journals, run, opened).await?;
        folded.check_name(run)?;
        let mut writer = JournalWriter::after(folded.head);
        if !folded.run.is_idle() {
            let cancelled = Input::Cancelled { reason: UNWANTED.into() };
            append(&mut *journal, &mut folded.run, &mut writer, cancelled).await?;
        }
        let mut left = DescendantStatus::Nobody;
        for OpenChild { call, child } in folded.own {
            // A child that another process drives does not delay the others.
            let Ok(rested) = lay_to_rest(journals, &child).await else {
                left = DescendantStatus::Held;
                continue;
            };
            if rested.as_ref().is_some_and(|rested| rested.left == DescendantStatus::Held) {
                // Its bill is not complete yet.
                left = DescendantStatus::Held;
                continue;
            }
            let result = rested.map(|rested| rested.result()).unwrap_or_default();
            append(&mut *journal, &mut folded.run, &mut writer, Input::ChildFinished { call, result })
                .await?;
        }
        let replayed = RunReplay::whole(journals.read(run).await?).await?;
        let ending = replayed.ending();
        Ok(Some(ClosedRun { run: replayed.run, ending, left }))
    })
}

/// Appends one fact to a journal that no process drives. The effects that follow from
/// it are not performed.
async fn append(
    journal: &mut dyn Journal,
    run: &mut Run,
    writer: &mut JournalWriter,
    fact: Input,
) -> Result<(), DriveError> {
    // The clock of a run never goes back, so this is the time of its last record.
    let line = journal::step(run, writer, Timestamp::new(0), fact)?;
    while !matches!(run.poll(), Effect::Wait(_)) {}
    journal.append(&line, Durability::Synced).await?;
    Ok(())
}
