//! Decides how often a server's list is read: as often as the server suggests, within limits.
//!
//! It only computes delays; `server_set.rs` and `loader/server_watch.rs` wait and read. A server
//! can neither cause constant reads nor prevent them.

use std::time::Duration;

/// How long after a change the list is read, so that a thousand change notices cause one read.
pub(crate) const CALM: Duration = Duration::from_secs(1);
/// How often the list is read again if the server gives no lifetime.
const REFRESH: Duration = Duration::from_secs(5 * 60);
/// The shortest time between two reads that a server can cause by the lifetime it gives.
const SHORTEST: Duration = Duration::from_secs(10);
/// The delay before the first retry after a failure. It grows with each failure, as does the pause
/// of the connection itself.
const AGAIN: Duration = Duration::from_secs(5);
/// The longest delay between retries.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Computes when the list is read next.
#[derive(Debug, Default)]
pub(crate) struct RefreshSchedule {
    failures: u32,
}

impl RefreshSchedule {
    /// Returns the delay after a successful read. `fresh_for` is the lifetime that the
    /// server gave, if any.
    pub(crate) fn read(&mut self, fresh_for: Option<Duration>) -> Duration {
        self.failures = 0;
        fresh_for.unwrap_or(REFRESH).clamp(SHORTEST, REFRESH)
    }

    /// Returns how long to wait after a failure.
    pub(crate) fn failed(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1);
        AGAIN.saturating_mul(1 << self.failures.min(6)).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, REFRESH, RefreshSchedule, SHORTEST};
    use std::time::Duration;

    #[test]
    fn a_server_says_how_often_it_is_read_within_bounds() {
        let mut pace = RefreshSchedule::default();
        for (says, expect) in [(None, REFRESH), (Some(0), SHORTEST), (Some(60), Duration::from_secs(60))] {
            assert_eq!(pace.read(says.map(Duration::from_secs)), expect, "{says:?}");
        }
        assert_eq!(pace.read(Some(Duration::MAX)), REFRESH);
    }

    #[test]
    fn a_server_that_fails_is_tried_less_and_less_often() {
        let mut pace = RefreshSchedule::default();
        let waits: Vec<Duration> = (0..10).map(|_| pace.failed()).collect();
        assert!(waits.is_sorted() && waits.first() < waits.last(), "{waits:?}");
        assert_eq!(waits.last(), Some(&LONGEST));
        pace.read(None);
        assert_eq!(pace.failed(), waits[0], "one success and it counts anew");
    }
}
