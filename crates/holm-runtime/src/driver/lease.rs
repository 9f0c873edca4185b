//! Notices that the driver has lost the lease on its run. Another process may resume the run soon,
//! so everything stops first.

use super::{DriveError, Driver, DriverHealth};
use crate::{BoxFuture, Journal, JournalStorageError};

/// Waits for the loss of the lease on a run.
pub(super) struct LeaseLoss {
    /// `None` once the loss was noticed: a finished future must not be polled again.
    loss: Option<BoxFuture<'static, ()>>,
}

impl LeaseLoss {
    pub(super) fn of(journal: &dyn Journal) -> Self {
        Self { loss: Some(journal.lost()) }
    }

    /// Waits for the loss; returns at once if it was noticed before.
    pub(super) async fn wait(&mut self) {
        if let Some(loss) = &mut self.loss {
            loss.await;
            self.loss = None;
        }
    }
}

impl Driver {
    /// Stops all work, waits until it has ended, and ends the run here. Nothing starts after this.
    pub(super) async fn stop_without_lease(&mut self) -> Result<(), DriveError> {
        self.health = DriverHealth::Lost;
        self.tasks.end().await;
        Err(JournalStorageError::LeaseLost.into())
    }
}
