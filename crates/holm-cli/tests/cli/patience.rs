//! How tests wait: for a condition, never for a fixed time.

use std::{
    fmt::Debug,
    thread,
    time::{Duration, Instant},
};

/// How long anything may take: far longer than it does, for machines that are slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How often the condition is checked: a server limits the requests of one token per minute.
const LOOK: Duration = Duration::from_millis(20);

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(what: &str, is: impl FnMut() -> bool) {
    until_seen(what, is, |so| *so);
}

/// Looks until what is seen is as it should be, and says what was seen last where it never is.
#[track_caller]
pub(crate) fn until_seen<T: Debug>(what: &str, mut look: impl FnMut() -> T, is: impl Fn(&T) -> bool) {
    let began = Instant::now();
    loop {
        let seen = look();
        if is(&seen) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{what} never came; seen last: {seen:?}");
        thread::sleep(LOOK);
    }
}
