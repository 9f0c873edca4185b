//! Notices that the driver has lost the lease on its run. Another process may resume the run soon,
//! so everything stops first.

use super::{DriveError, Driver, Health};
use crate::{BoxFuture, Journal, JournalFailed};

/// Hears that the lease on a run is lost.
pub(super) struct LeaseLoss {
    /// None once it has been heard: a future that has ended must not be polled again.
    loss: Option<BoxFuture<'static, ()>>,
}

impl LeaseLoss {
    pub(super) fn of(journal: &dyn Journal) -> Self {
        Self { loss: Some(journal.lost()) }
    }

    /// Waits for the loss; ends at once if it was heard before.
    pub(super) async fn wait(&mut self) {
        if let Some(loss) = &mut self.loss {
            loss.await;
            self.loss = None;
        }
    }
}

impl Driver {
    /// Stops what runs, waits until it has ended, and ends the run here. Nothing begins after this.
    pub(super) async fn stop_without_lease(&mut self) -> Result<(), DriveError> {
        self.health = Health::Lost;
        self.tasks.end().await;
        Err(JournalFailed::LeaseLost.into())
    }
}
