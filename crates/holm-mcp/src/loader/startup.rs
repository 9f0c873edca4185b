//! Decides how long the first load waits for new servers: as long as the fastest server takes, plus
//! a little.
//!
//! It asks no server: `server_watch.rs` does. The wait is bounded, and servers that are added later
//! cause none.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

/// How long to wait for unknown servers if none of them answers. A person
/// barely notices this delay.
const LONGEST: Duration = Duration::from_secs(2);
/// The least time that the others get after the fastest server. Programs that start together do not
/// finish at the same time.
const LEAST: Duration = Duration::from_millis(250);

/// The first load. Servers that are added later cause no wait.
#[derive(Debug, Default)]
pub(super) struct StartupBarrier {
    begun: OnceLock<Instant>,
    first: watch::Sender<Option<Duration>>,
}

/// How long a caller waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartupWait {
    /// Not at all, because waiting was useless.
    NotAtAll,
    /// Until the other servers had answered.
    ForOthers,
    /// Until the time limit was reached.
    ToTheEnd,
}

impl StartupBarrier {
    /// Records that a server has answered.
    pub(super) fn answered(&self) {
        let took = self.begun().elapsed();
        self.first.send_if_modified(|first| {
            let is_first = first.is_none();
            first.get_or_insert(took);
            is_first
        });
    }

    /// Returns when callers should stop waiting.
    pub(super) async fn over(&self) -> StartupWait {
        let begun = self.begun();
        let end = begun + LONGEST;
        let mut first = self.first.subscribe();
        let Ok(Ok(took)) =
            timeout_at(end, first.wait_for(Option::is_some)).await.map(|took| took.map(|took| *took))
        else {
            return StartupWait::ToTheEnd;
        };
        let took = took.unwrap_or_default();
        let rest = (begun + took + took.max(LEAST)).min(end);
        sleep_until(rest).await;
        if rest == end { StartupWait::ToTheEnd } else { StartupWait::ForOthers }
    }

    fn begun(&self) -> Instant {
        *self.begun.get_or_init(Instant::now)
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST, LONGEST, StartupBarrier, StartupWait};
    use std::time::Duration;
    use tokio::time::{Instant, advance};

    #[tokio::test(start_paused = true)]
    async fn where_nobody_answers_it_is_over_after_a_moment() {
        let (start, begun) = (StartupBarrier::default(), Instant::now());
        assert_eq!(start.over().await, StartupWait::ToTheEnd);
        assert_eq!(begun.elapsed(), LONGEST);
        assert_eq!(start.over().await, StartupWait::ToTheEnd);
        assert_eq!(begun.elapsed(), LONGEST, "who comes later waits for nobody");
    }

    #[tokio::test(start_paused = true)]
    async fn the_others_have_as_long_again_as_the_fastest() {
        for (took, expect) in [(10, 10 + 250), (400, 800), (1_900, 2_000)] {
            let (start, begun) = (StartupBarrier::default(), Instant::now());
            start.begun();
            advance(Duration::from_millis(took)).await;
            start.answered();
            start.answered();
            start.over().await;
            // Timer ticks are whole milliseconds.
            let waited = begun.elapsed();
            assert!(
                waited.abs_diff(Duration::from_millis(expect)) <= Duration::from_millis(2),
                "{took}: {waited:?}"
            );
        }
        assert!(LEAST < LONGEST);
    }
}
