mod hooks;
mod keeping;
mod messages;
mod planning;
mod schedules;
mod specs;

use holm_kernel::Timestamp;

use super::{HookKey, ScheduledJob, Spec, When};

/// A time as people write it.
fn at(text: &str) -> Timestamp {
    let instant: jiff::Timestamp = text.parse().unwrap();
    Timestamp::new(u64::try_from(instant.as_millisecond()).unwrap())
}

fn cron(pattern: &str, zone: &str) -> When {
    When::Cron { pattern: pattern.into(), zone: zone.into() }
}

/// A job with a change.
fn job(when: When, change: impl FnOnce(&mut Spec)) -> ScheduledJob {
    let mut spec = Spec::new(when, "work");
    spec.per_hour = 60;
    change(&mut spec);
    ScheduledJob::new("nightly".parse().unwrap(), spec, HookKey::new().unwrap(), Timestamp::new(0)).unwrap()
}
