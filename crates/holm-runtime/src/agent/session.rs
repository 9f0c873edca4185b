//! One run, held by whoever drives it.

use std::{fmt, time::Duration};

use holm_kernel::{Ending, Prompt, Run};

use super::{Changes, Report};
use crate::{BoxFuture, DriveError, Driver, Handle};

/// How long observers may take to see the last events before their run is let go.
const LAST_SIGHT: Duration = Duration::from_secs(1);

/// One run of an agent: prompt it as often as you like. Dropping it stops whatever is under way; the journal stays, and
/// [`Agent::resume`](super::Agent::resume) goes on from there.
pub struct Session {
    driver: Driver,
}

impl Session {
    pub(super) fn new(driver: Driver) -> Self {
        Self { driver }
    }

    /// The run's name.
    pub fn id(&self) -> &str {
        &self.driver.run().started().run
    }

    /// The run: its transcript, what it has used, what it may do.
    pub fn run(&self) -> &Run {
        self.driver.run()
    }

    /// A way to reach the run while it works: steer, stop, answer, watch.
    pub fn handle(&self) -> Handle {
        self.driver.handle()
    }

    /// Ends when the lease on the run is lost, while it does nothing.
    pub fn lease_loss(&self) -> BoxFuture<'static, ()> {
        self.driver.lease_loss()
    }

    /// Changes what the run may do before it is asked for anything else. What is none stays as it is.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written.
    pub async fn change(&mut self, changes: Changes) -> Result<(), DriveError> {
        self.driver.change(changes.facts(self.driver.run())).await
    }

    /// A prompt without what is secret, as the journal will have it: for whoever keeps it before the run has heard it.
    pub fn without_secrets(&self, prompt: impl Into<Prompt>) -> Prompt {
        self.driver.without_secrets(prompt.into())
    }

    /// Asks for something and works until that has ended.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written. Whatever else goes wrong is in the report.
    pub async fn prompt(&mut self, prompt: impl Into<Prompt>) -> Result<Report, DriveError> {
        let ending = self.driver.prompt(prompt).await?;
        Ok(self.report(ending))
    }

    /// Works on what was said through a [`Handle`] when the run had ended already, which nobody who speaks just then can know. Gives
    /// nothing if nothing was: the run waits for a prompt then.
    ///
    /// # Errors
    /// As [`prompt`](Self::prompt).
    pub async fn catch_up(&mut self) -> Result<Option<Report>, DriveError> {
        let ending = self.driver.catch_up().await?;
        Ok(ending.map(|ending| self.report(ending)))
    }

    /// What was said through a [`Handle`] when the run had ended already, for whoever lets the run go in place of working on it: it is not
    /// in the journal, so nobody hears it any more. Gives it once; whatever else people wanted meanwhile is dropped with it.
    pub fn unheard(&mut self) -> Vec<Prompt> {
        self.driver.unheard()
    }

    /// Works on what was under way when the run was taken over. Gives nothing if nothing was: the run waits for a
    /// prompt then.
    ///
    /// # Errors
    /// As [`prompt`](Self::prompt).
    pub async fn go_on(&mut self) -> Result<Option<Report>, DriveError> {
        if !self.driver.is_at_work() {
            return Ok(None);
        }
        let ending = self.driver.go_on().await?;
        Ok(Some(self.report(ending)))
    }

    /// Lets the observers see what waits for them, for a moment, and lets the run go. Dropping a session does not wait.
    pub async fn close(self) {
        self.driver.close(LAST_SIGHT).await;
    }

    fn report(&self, ending: Ending) -> Report {
        let run = self.driver.run();
        Report { run: run.started().run.clone(), ending, usage: run.usage(), spent: run.spent() }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("id", &self.id()).finish_non_exhaustive()
    }
}
