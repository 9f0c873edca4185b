//! Formats dates as providers write them, from a number of seconds. This crate has no clock: the
//! host passes the time. Dates are parsed in `classify/time.rs`.

use alloc::{format, string::String};

/// A moment in UTC, split into its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UtcDateTime {
    year: u64,
    month: u64,
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
}

/// The last second of the year 9999. Later moments would not fit the formats below.
const LAST: u64 = 253_402_300_799;

impl UtcDateTime {
    /// The moment this many seconds after the Unix epoch.
    pub(crate) const fn from_seconds(seconds: u64) -> Self {
        let seconds = if seconds > LAST { LAST } else { seconds };
        let (days, time) = (seconds / 86_400, seconds % 86_400);
        // Years are counted from March, so that the leap day is the last day of its year. There are
        // 719,468 days between 1 March of year 0 and 1970.
        let days = days + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
        Self { year, month, day, hour: time / 3_600, minute: time / 60 % 60, second: time % 60 }
    }

    /// The date alone, such as `20150830`.
    pub(crate) fn basic_date(self) -> String {
        format!("{:04}{:02}{:02}", self.year, self.month, self.day)
    }

    /// The basic ISO 8601 form, such as `20150830T123600Z`.
    pub(crate) fn basic(self) -> String {
        format!("{}T{:02}{:02}{:02}Z", self.basic_date(), self.hour, self.minute, self.second)
    }

    /// The RFC 3339 form, such as `2015-08-30T12:36:00Z`.
    pub(crate) fn rfc3339(self) -> String {
        let Self { year, month, day, hour, minute, second } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::rfc3339_ms;

    #[test]
    fn moments_are_written_in_every_form() {
        let civil = UtcDateTime::from_seconds(1_440_938_160);
        assert_eq!(civil.basic_date(), "20150830");
        assert_eq!(civil.basic(), "20150830T123600Z");
        assert_eq!(civil.rfc3339(), "2015-08-30T12:36:00Z");
    }

    #[test]
    fn what_is_written_is_read_back_as_the_same_moment() {
        for seconds in (0..4_200_000_000).step_by(86_399 * 17).chain([951_782_400, 1_709_164_800, LAST]) {
            let text = UtcDateTime::from_seconds(seconds).rfc3339();
            assert_eq!(rfc3339_ms(&text), Some(seconds * 1000), "{text}");
        }
        assert_eq!(UtcDateTime::from_seconds(u64::MAX).rfc3339(), "9999-12-31T23:59:59Z");
    }
}
