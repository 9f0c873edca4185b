//! The single timer of a run.

use holm_kernel::Timestamp;

use crate::{BoxFuture, Clock};

/// Wakes a run at a given time. Most waits end early, and the next deadline is later. So the timer
/// stays armed for the earlier time: it sometimes fires too early, and is rarely set.
#[derive(Default)]
pub(super) struct WakeTimer {
    armed: Option<(Timestamp, BoxFuture<'static, ()>)>,
}

impl WakeTimer {
    /// Waits until a time, or forever without one. May be dropped while it waits.
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

    /// Drops the timer, which belongs to the runtime that drives the run.
    pub(super) fn disarm(&mut self) {
        self.armed = None;
    }
}
