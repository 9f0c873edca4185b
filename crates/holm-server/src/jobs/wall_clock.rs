//! The wall clock, by which jobs are due, also after the machine was asleep. Runs use another
//! clock, which does not change when a user sets the machine's time.

use std::time::{Duration, SystemTime};

use holm_kernel::Timestamp;
use holm_runtime::{BoxFuture, Clock};

/// How long it sleeps before it reads the clock again, since the clock may have been set.
const LOOK: Duration = Duration::from_secs(30);

/// The system clock, read at each call.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let clock = *self;
        Box::pin(async move {
            loop {
                let left = at.since(clock.now());
                if left == 0 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(left).min(LOOK)).await;
            }
        })
    }
}
