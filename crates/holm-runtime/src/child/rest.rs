//! Closes the journals of orphaned children, so that none of them appears to be running.
//!
//! A parent that is stopped stops its children, and the process may die between the two. The
//! repair needs no model, tool or agent: the work under way is cancelled in the journal itself,
//! from the top down.

use holm_kernel::{
    ChildResult, Effect, Ending, Input, Run, Timestamp, ToolOutput,
    journal::{self, Writer},
};

use super::work::{UNWANTED, bill, child_id};
use crate::{
    BoxFuture, Child, DriveError, Durability, Journal, JournalFailed, Journals, Replayed,
    driver::{Folded, OpenChild},
};

/// A run whose journal says that it has ended.
pub(crate) struct Rested {
    pub(crate) run: Run,
    /// `None` for a run that never had a prompt.
    pub(crate) ending: Option<Ending>,
    pub(crate) left: Left,
}

/// Whether all descendants could be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// All journals could be closed.
    Nobody,
    /// Another holder still has the journal of a descendant.
    Held,
}

impl Rested {
    /// The result for its parent, which already recorded the end and only lacks the bill.
    pub(crate) fn result(&self) -> ChildResult {
        ChildResult { output: ToolOutput::failed(UNWANTED), ..bill(&self.run) }
    }
}

impl Child {
    /// The result of a child that cannot be run or resumed. If it was at work before a crash, its
    /// journal and those of its children are closed, and its bill is returned. If it had answered,
    /// that answer is returned.
    pub async fn not_run(&self, reason: impl Into<String>) -> ChildResult {
        let failed = ToolOutput::failed(reason);
        match lay_to_rest(&*self.journals, &child_id(&self.request)).await {
            Ok(Some(Rested { run, ending: Some(Ending::Answered { text }), .. })) => {
                ChildResult { output: ToolOutput::text(text), ..bill(&run) }
            }
            Ok(Some(Rested { run, .. })) => ChildResult { output: failed, ..bill(&run) },
            Ok(None) | Err(_) => ChildResult { output: failed, ..ChildResult::default() },
        }
    }
}

/// Closes the journal of a run: it is cancelled where it stopped, and so are its children. A run
/// that has ended is unchanged. `None` for a run that never started.
pub(crate) fn lay_to_rest<'a>(
    journals: &'a dyn Journals,
    run: &'a str,
) -> BoxFuture<'a, Result<Option<Rested>, DriveError>> {
    Box::pin(async move {
        crate::driver::released(run).await;
        let opened = match journals.open(run).await {
            Ok(opened) => opened,
            Err(JournalFailed::Missing { .. }) => return Ok(None),
            Err(failed) => return Err(failed.into()),
        };
        if !opened.text.contains(&b'\n') {
            return Ok(None);
        }
        let (mut folded, mut journal) = Folded::open(journals, run, opened).await?;
        folded.check_name(run)?;
        let mut writer = Writer::after(folded.head);
        if !folded.run.is_idle() {
            let cancelled = Input::Cancelled { reason: UNWANTED.into() };
            append(&mut *journal, &mut folded.run, &mut writer, cancelled).await?;
        }
        let mut left = Left::Nobody;
        for OpenChild { call, child } in folded.own {
            // A child that another process drives does not delay the others.
            let Ok(rested) = lay_to_rest(journals, &child).await else {
                left = Left::Held;
                continue;
            };
            if rested.as_ref().is_some_and(|rested| rested.left == Left::Held) {
                // Its bill is not complete yet.
                left = Left::Held;
                continue;
            }
            let result = rested.map(|rested| rested.result()).unwrap_or_default();
            append(&mut *journal, &mut folded.run, &mut writer, Input::ChildFinished { call, result })
                .await?;
        }
        let replayed = Replayed::whole(journals.read(run).await?).await?;
        let ending = replayed.ending();
        Ok(Some(Rested { run: replayed.run, ending, left }))
    })
}

/// Appends one fact to a journal that no process drives. The effects that follow from
/// it are not performed.
async fn append(
    journal: &mut dyn Journal,
    run: &mut Run,
    writer: &mut Writer,
    fact: Input,
) -> Result<(), DriveError> {
    // The clock of a run never goes back, so this is the time of its last record.
    let line = journal::step(run, writer, Timestamp::new(0), fact)?;
    while !matches!(run.poll(), Effect::Wait(_)) {}
    journal.append(&line, Durability::Synced).await?;
    Ok(())
}
