//! Computes when a job is due, in the time zone of the job.
//!
//! When clocks go forward, a time that does not exist moves to the first one that does. When clocks
//! go back, a time of day occurs once, and an interval continues through both hours.
//!
//! It only computes times. What happens to missed ones is decided in `plan.rs`. The number of
//! occurrences that are counted is bounded, also after years of downtime.
//!
//! Whether a job is due now is decided in `plan.rs`, with the clock of `job_scheduler.rs`.

use std::collections::VecDeque;

use croner::{
    Cron,
    errors::CronError,
    parser::{CronParser, Seconds, Year},
};
use holm_kernel::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::JobError;

/// Occurrences that are counted one by one after a long downtime. Of a longer list, only the
/// latest part is counted.
const MOST_COUNTED: u64 = 1_000;
const HOUR_MS: u64 = 3_600_000;
/// The longest pattern in bytes.
const MOST_PATTERN: usize = 256;

/// When a job runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum When {
    /// Whenever the pattern matches the clock of a time zone.
    Cron {
        /// Minute, hour, day, month and day of the week, optionally preceded by second.
        pattern: String,
        /// The time zone, by its IANA name.
        #[serde(default = "utc")]
        zone: String,
    },
    /// At one time, and never again.
    Once {
        /// The time, in milliseconds since 1970.
        #[schema(value_type = u64)]
        at: Timestamp,
    },
    /// Never by the clock: only on a user's request or by a signed message.
    Asked,
}

/// A schedule whose pattern and time zone are known to be valid.
///
/// ```
/// use holm_kernel::Timestamp;
/// use holm_server::jobs::{JobSchedule, When};
///
/// let every_day = When::Cron { pattern: "0 9 * * *".into(), zone: "UTC".into() };
/// let nine = JobSchedule::new(&every_day)?.next(Timestamp::new(0));
/// assert_eq!(nine, Some(Timestamp::new(9 * 3_600_000)));
/// # Ok::<(), holm_server::jobs::JobError>(())
/// ```
#[derive(Debug, Clone)]
pub struct JobSchedule(ScheduleKind);

#[derive(Debug, Clone)]
enum ScheduleKind {
    Cron { cron: Box<Cron>, zone: TimeZone },
    Once(Timestamp),
    Asked,
}

/// Occurrences of a schedule that are due.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DueTimes {
    /// The latest ones, oldest first.
    pub times: Vec<Timestamp>,
    /// The number of earlier ones; a lower bound if there were very many.
    pub older: u64,
}

impl JobSchedule {
    /// Parses the pattern and looks up the time zone.
    ///
    /// # Errors
    /// [`JobError`] if the pattern, the time zone or the time is invalid.
    pub fn new(when: &When) -> Result<Self, JobError> {
        match when {
            When::Cron { pattern, zone } => {
                let (cron, zone) = (Box::new(cron(pattern)?), time_zone(zone)?);
                Ok(Self(ScheduleKind::Cron { cron, zone }))
            }
            When::Once { at } => Ok(Self(ScheduleKind::Once(*at))),
            When::Asked => Ok(Self(ScheduleKind::Asked)),
        }
    }

    /// The first occurrence after a time, if there is one.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        match &self.0 {
            ScheduleKind::Cron { cron, zone } => {
                let after_ms = i64::try_from(after.value()).ok()?;
                let start = jiff::Timestamp::from_millisecond(after_ms).ok()?.to_zoned(zone.clone());
                let next = cron.find_next_occurrence(&start, false).ok()?.timestamp().as_millisecond();
                // The next time must be later, even if the library says otherwise.
                u64::try_from(next).ok().map(Timestamp::new).filter(|next| *next > after)
            }
            ScheduleKind::Once(at) => Some(*at).filter(|at| *at > after),
            ScheduleKind::Asked => None,
        }
    }

    /// How many occurrences an hour has, if there are more than `most`. A pattern has as many in each
    /// of its hours, so the next ones tell.
    pub(super) fn exceeds(&self, most: u32, from: Timestamp) -> Option<u32> {
        let first = self.next(from)?;
        let end = first.plus(HOUR_MS);
        let (mut count, mut at) = (1_u32, first);
        while let Some(next) = self.next(at).filter(|next| *next < end) {
            count = count.saturating_add(1);
            at = next;
        }
        (count > most).then_some(count)
    }

    /// The occurrences after `from` up to `until`: the latest `most` of them, and the
    /// number of earlier ones.
    pub fn due(&self, from: Timestamp, until: Timestamp, most: usize) -> DueTimes {
        let mut from = from;
        let mut before = 0;
        loop {
            match self.counted(from, until, most) {
                Ok(due) => return DueTimes { older: due.older + before, ..due },
                Err(counted) => {
                    // Too many to count: the latest ones are in the later half of the span.
                    before += counted;
                    from = from.plus(until.since(from) / 2);
                }
            }
        }
    }

    /// As [`due`](Self::due). If there are too many, the error is the number in the first
    /// half of the span.
    fn counted(&self, from: Timestamp, until: Timestamp, most: usize) -> Result<DueTimes, u64> {
        let middle = from.plus(until.since(from) / 2);
        let mut latest = VecDeque::new();
        let (mut count, mut early, mut at) = (0_u64, 0, from);
        while let Some(next) = self.next(at).filter(|next| *next <= until) {
            count += 1;
            early += u64::from(next <= middle);
            // A span of two seconds is not halved further; it contains at most two occurrences.
            if count > MOST_COUNTED && until.since(from) > 2_000 {
                return Err(early);
            }
            latest.push_back(next);
            if latest.len() > most {
                latest.pop_front();
            }
            at = next;
        }
        Ok(DueTimes { older: count - latest.len() as u64, times: latest.into() })
    }
}

fn cron(pattern: &str) -> Result<Cron, JobError> {
    let wrong = |reason: String| JobError::Pattern { pattern: shown(pattern), reason };
    if pattern.len() > MOST_PATTERN {
        return Err(JobError::TooLong { what: "pattern", most: MOST_PATTERN });
    }
    let fields = pattern.split_whitespace().count();
    if !pattern.trim_start().starts_with('@') && !(5..=6).contains(&fields) {
        return Err(wrong(format!("it needs 5 or 6 fields, not {fields}")));
    }
    let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).build();
    parser.parse(pattern).map_err(|error| wrong(in_words(&error)))
}

/// The error in a pattern, without the library's internal names.
fn in_words(error: &CronError) -> String {
    let message = match error {
        CronError::IllegalCharacters(_) => "it has invalid characters".to_owned(),
        CronError::InvalidPattern(message) | CronError::ComponentError(message) => message.clone(),
        _ => error.to_string(),
    };
    let message = message.trim_end_matches('.');
    if message.ends_with("out of bounds") {
        return "a number in it is out of range; minutes are 0 to 59, hours 0 to 23, days 1 to 31, months \
                1 to 12, days of the week 0 to 7"
            .into();
    }
    message.to_owned()
}

fn time_zone(name: &str) -> Result<TimeZone, JobError> {
    TimeZone::get(name).map_err(|_| JobError::Zone(shown(name)))
}

/// User input without control characters, shortened for an error message.
fn shown(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(64).collect()
}

fn utc() -> String {
    "UTC".into()
}
