//! Runs one child, from its call to its result.
//!
//! It waits for a slot, tells the parent the child's name, starts or resumes it, and collects its
//! answer, its bill and its changes. It always returns a result: a child's failure is a result for
//! its parent, never an error. The parent must have recorded the name before the child acts, so
//! that no journal is without an owner. What the child may do is decided by the kernel and applied
//! in `agent/child.rs`; a panic is handled in `child/panic_result.rs`.

use std::{path::PathBuf, sync::Arc};

use holm_kernel::{ChildResult, Ending, Outcome, Run, SpawnRequest, ToolOutput};
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::{
    ChildIsolation, HelperAgent, LiveChild,
    helper::HelperOrigin,
    live_children::{ChildRegistry, LiveChildGuard},
};
use crate::{Agent, ChildLaunch, DriveError, JournalStorageError, RunReplay, RunReport, Session};

/// The reason for stopping a child.
pub(super) const UNWANTED: &str = "its parent no longer waits for it";

/// How much of a child's changes its parent sees; the isolation keeps the rest.
const MOST_CHANGES: usize = 64 * 1024;

/// One child to run.
pub(super) struct ChildExecution {
    pub(super) helper: HelperAgent,
    pub(super) places: Arc<Semaphore>,
    pub(super) shared: Arc<ChildRegistry>,
    pub(super) child: ChildLaunch,
}

/// The arguments of a call to a helper.
#[derive(Deserialize)]
struct HelperArguments {
    task: String,
}

/// A child that could not be run.
struct ChildStartError(String);

impl ChildExecution {
    /// Runs it to its end, and always returns a result.
    pub(super) async fn run(self) -> ChildResult {
        let id = child_id(&self.child.request);
        let stop = self.child.stop.clone();
        let begun = async {
            let permit = Arc::clone(&self.places).acquire_owned().await;
            let permit = permit.map_err(|_| ChildStartError("the host is shutting down".into()))?;
            // The parent records it first, so that no journal is ever without an owner.
            self.child.started(&*id).await.map_err(|error| ChildStartError(error.to_string()))?;
            Ok(permit)
        };
        let begun = tokio::select! {
            biased;
            () = stop.cancelled() => Err(ChildStartError(UNWANTED.into())),
            begun = begun => begun,
        };
        // The slot is held until the result is there.
        match begun {
            Ok(_place) => match self.begin(&id).await {
                Ok(result) => result,
                Err(failed) => self.child.not_run(self.reason(&failed)).await,
            },
            Err(failed) if stop.is_cancelled() => self.child.not_run(self.reason(&failed)).await,
            // Its parent is gone: it stays unchanged until the parent is resumed.
            Err(failed) => self.failed(&failed),
        }
    }

    async fn begin(&self, id: &str) -> Result<ChildResult, ChildStartError> {
        let task: HelperArguments = serde_json::from_str(&self.child.request.arguments)
            .map_err(|error| ChildStartError(format!("its task is invalid ({error})")))?;
        let (agent, folder) = self.agent(id).await?;
        let done = self.drive(id, &agent, task.task).await;
        let changes = match folder {
            Some(entered) => entered.leave().await,
            None => Ok(None),
        };
        let mut result = done.map_err(|error| ChildStartError(error.to_string()))?;
        match changes {
            Ok(None) => {}
            Ok(Some(changes)) => add_changes(&mut result.output, &changes),
            Err(reason) => {
                let output = &mut result.output;
                output.text = format!("{}\n\n[its changes could not be collected: {reason}]", output.text);
                output.outcome = Outcome::Failed;
            }
        }
        Ok(result)
    }

    /// The agent that does the work, and the folder that it must leave.
    async fn agent<'a>(
        &'a self,
        id: &'a str,
    ) -> Result<(Agent, Option<ChildFolderGuard<'a>>), ChildStartError> {
        match &self.helper.origin {
            HelperOrigin::Shared(agent) => Ok((agent.clone(), None)),
            HelperOrigin::Made { isolation, make } => {
                let folder: PathBuf = isolation.enter(id).await.map_err(ChildStartError)?;
                let entered = ChildFolderGuard { isolation, id, is_left: false };
                match make(&folder) {
                    Ok(agent) => Ok((agent, Some(entered))),
                    Err(error) => {
                        // The folder is still empty; if it stays, it is removed later.
                        let _ = entered.leave().await;
                        Err(ChildStartError(error.to_string()))
                    }
                }
            }
        }
    }

    /// Starts or resumes the child. If it had ended before a crash, its result is replayed from its
    /// journal: its work is not done twice.
    async fn drive(&self, id: &str, agent: &Agent, task: String) -> Result<ChildResult, DriveError> {
        let mut session = match self.child.journals.read(id).await {
            Err(JournalStorageError::Missing { .. }) => {
                let journal = self.child.journals.create(id).await?;
                agent.start_child(id, &self.child, journal).await?
            }
            // The crash came between creating the journal and its first record.
            Ok(text) if !text.contains(&b'\n') => {
                let opened = self.child.journals.open(id).await?;
                agent.start_child(id, &self.child, opened.journal).await?
            }
            Ok(text) => {
                let replayed = RunReplay::whole(text).await?;
                if let Some(ending) = replayed.ending() {
                    return Ok(self.result(ending, &replayed.run));
                }
                agent.resume_child(id, &self.child).await?
            }
            Err(failed) => return Err(failed.into()),
        };
        let _shown = self.show(id, &session);
        let report = self.work(&mut session, task).await;
        Ok(match report {
            Ok(report) => self.result(report.ending, session.run()),
            Err(error) => {
                let failed = self.failed(&ChildStartError(error.to_string()));
                ChildResult { output: failed.output, ..bill(session.run()) }
            }
        })
    }

    /// Works until the child has ended. If its result is no longer needed, it is cancelled
    /// and may still finish.
    async fn work(&self, session: &mut Session, task: String) -> Result<RunReport, DriveError> {
        let handle = session.handle();
        let work = async {
            match session.go_on().await? {
                Some(report) => Ok(report),
                None => session.prompt(task).await,
            }
        };
        tokio::pin!(work);
        tokio::select! {
            biased;
            report = &mut work => report,
            () = self.child.stop.cancelled() => {
                // A child that is already gone needs no cancel.
                let _ = handle.cancel(UNWANTED);
                work.await
            }
        }
    }

    fn show(&self, id: &str, session: &Session) -> LiveChildGuard {
        self.shared.show(LiveChild {
            id: id.to_owned(),
            parent: self.child.parent.clone(),
            helper: self.helper.name().to_owned(),
            handle: session.handle(),
        })
    }

    fn result(&self, ending: Ending, run: &Run) -> ChildResult {
        let output = match ending {
            Ending::Answered { text } => ToolOutput::text(text),
            ending => {
                let part = run.unfinished_answer().to_owned();
                let (run, ending) = (run.started().run.clone(), Box::new(ending));
                let mut message = crate::NoAnswerError { run, ending }.to_string();
                if !part.is_empty() {
                    message = format!("{message}. The part of its answer that exists:\n{part}");
                }
                self.failed(&ChildStartError(message)).output
            }
        };
        ChildResult { output, ..bill(run) }
    }

    fn failed(&self, error: &ChildStartError) -> ChildResult {
        ChildResult { output: ToolOutput::failed(self.reason(error)), ..ChildResult::default() }
    }

    fn reason(&self, error: &ChildStartError) -> String {
        format!("the helper `{}` failed: {}", self.helper.name(), error.0)
    }
}

/// The folder of a child. If the caller stops waiting, the work is dropped
/// without leaving the folder.
struct ChildFolderGuard<'a> {
    isolation: &'a Arc<dyn ChildIsolation>,
    id: &'a str,
    is_left: bool,
}

impl ChildFolderGuard<'_> {
    async fn leave(mut self) -> Result<Option<String>, String> {
        let changes = self.isolation.leave(self.id).await;
        self.is_left = true;
        changes
    }
}

impl Drop for ChildFolderGuard<'_> {
    fn drop(&mut self) {
        if !self.is_left {
            self.isolation.abandon(self.id);
        }
    }
}

/// The child of a call always has the same name. So it is found again after a crash, and a forked
/// run does not take over the children of the original.
pub(crate) fn child_id(request: &SpawnRequest) -> String {
    format!("child-{}", request.key)
}

/// The usage of a run, with its own children.
pub(super) fn bill(run: &Run) -> ChildResult {
    ChildResult { output: ToolOutput::default(), spent: run.spent(), usage: run.usage(), marks: run.marks() }
}

fn add_changes(output: &mut ToolOutput, changes: &str) {
    let end = changes.floor_char_boundary(MOST_CHANGES);
    let shown = changes.get(..end).unwrap_or_default();
    let rest = if shown.len() < changes.len() { "\n[the rest is not shown]" } else { "" };
    output.text = format!("{}\n\nChanges:\n{shown}{rest}", output.text);
}
