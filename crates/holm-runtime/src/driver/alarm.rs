//! The single timer of a run.

use holm_kernel::Timestamp;

use crate::{BoxFuture, Clock};

/// Wakes a run at a time. Nearly every wait ends before its time has come, and the next one ends later, so the timer
/// stays armed for the earlier of the two: it rings too early now and then, and is hardly ever set.
#[derive(Default)]
pub(super) struct Alarm {
    armed: Option<(Timestamp, BoxFuture<'static, ()>)>,
}

impl Alarm {
    /// Waits until a time; for ever without one. May be dropped while it waits.
    pub(super) async fn wait(&mut self, clock: &dyn Clock, due: Option<Timestamp>) {
        let Some(due) = due else { return std::future::pending().await };
        while clock.now() < due {
            let sleep = match &mut self.armed {
                Some((at, sleep)) if *at <= due => sleep,
                armed => &mut armed.insert((due, clock.sleep_until(due))).1,
            };
            sleep.await;
            self.armed = None;
        }
    }

    /// Lets the timer go: it belongs to the runtime that the run is driven in.
    pub(super) fn disarm(&mut self) {
        self.armed = None;
    }
}
