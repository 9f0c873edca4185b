//! The time that this process has spent on processors: on a busy machine it says what the wall clock cannot.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time of all threads so far, in the program and in the system for it.
pub fn processor() -> Duration {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(spent.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(spent.tv_nsec).unwrap_or(0))
}
