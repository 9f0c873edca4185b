//! A session: one run, owned by the program that drives it.
//!
//! It passes calls to the driver (`driver/mod.rs`) and words the report (`agent/report.rs`).
//! Another task that wants to steer, cancel or watch uses a handle (`handle/mod.rs`). Dropping a
//! session stops the work; the journal stays, so nothing may be kept only here.

use std::{fmt, time::Duration};

use holm_kernel::{Ending, Prompt, Run};

use super::{ResumeChanges, RunReport};
use crate::{BoxFuture, DriveError, Driver, RunHandle};

/// How long observers may take for the last events before their run is dropped.
const LAST_SIGHT: Duration = Duration::from_secs(1);

/// One run of an agent: prompt it as often as you like. Dropping it stops the work under way. The
/// journal stays, and [`Agent::resume`](super::Agent::resume) continues from there.
pub struct Session {
    driver: Driver,
}

impl Session {
    pub(super) fn new(driver: Driver) -> Self {
        Self { driver }
    }

    pub fn id(&self) -> &str {
        &self.driver.run().started().run
    }

    /// The run: its transcript, its usage, its permissions.
    pub fn run(&self) -> &Run {
        self.driver.run()
    }

    /// A handle to the run while it works: steer, cancel, answer, watch.
    pub fn handle(&self) -> RunHandle {
        self.driver.handle()
    }

    /// Completes if the lease is lost while the run is idle.
    pub fn lease_loss(&self) -> BoxFuture<'static, ()> {
        self.driver.lease_loss()
    }

    /// Changes the run's permissions before the next prompt. A field that is `None` leaves
    /// its value in place.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written.
    pub async fn change(&mut self, changes: ResumeChanges) -> Result<(), DriveError> {
        self.driver.change(changes.facts(self.driver.run())).await
    }

    /// The prompt with all secrets removed, as the journal will store it. Use it to store a prompt
    /// before the run has taken it.
    pub fn without_secrets(&self, prompt: impl Into<Prompt>) -> Prompt {
        self.driver.without_secrets(prompt.into())
    }

    /// Runs a prompt to its end.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written. All other failures are in the report.
    pub async fn prompt(&mut self, prompt: impl Into<Prompt>) -> Result<RunReport, DriveError> {
        let ending = self.driver.prompt(prompt).await?;
        Ok(self.report(ending))
    }

    /// Works on prompts that arrived through a [`RunHandle`] just after the run had ended; the
    /// sender cannot know about the end. Returns `None` if there are none: then the run
    /// waits for a prompt.
    ///
    /// # Errors
    /// The same errors as [`prompt`](Self::prompt).
    pub async fn catch_up(&mut self) -> Result<Option<RunReport>, DriveError> {
        let ending = self.driver.catch_up().await?;
        Ok(ending.map(|ending| self.report(ending)))
    }

    /// Takes the prompts that arrived through a [`RunHandle`] after the run had ended, if you drop the
    /// run instead of working on them. They are not in the journal, so they would be lost. Each is
    /// returned once; other waiting requests are dropped.
    pub fn unheard(&mut self) -> Vec<Prompt> {
        self.driver.unheard()
    }

    /// Continues the work that was under way when the run was taken over. Returns `None` if there
    /// was none: then the run waits for a prompt.
    ///
    /// # Errors
    /// The same errors as [`prompt`](Self::prompt).
    pub async fn go_on(&mut self) -> Result<Option<RunReport>, DriveError> {
        if !self.driver.is_at_work() {
            return Ok(None);
        }
        let ending = self.driver.go_on().await?;
        Ok(Some(self.report(ending)))
    }

    /// Gives observers a moment for the remaining events, and drops the run. Dropping a
    /// session does not wait.
    pub async fn close(self) {
        self.driver.close(LAST_SIGHT).await;
    }

    fn report(&self, ending: Ending) -> RunReport {
        let run = self.driver.run();
        RunReport { run: run.started().run.clone(), ending, usage: run.usage(), spent: run.spent() }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("id", &self.id()).finish_non_exhaustive()
    }
}
