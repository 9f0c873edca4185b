//! Parses dates in headers, as milliseconds since 1970. This crate has no clock: the host passes
//! the time. Dates are written in `utc_date_time.rs`, and durations are read in `retry_after.rs`.
//! An invalid date is `None` and never an error.

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// An HTTP date in any of its three formats.
///
/// ```
/// use holm_wire::classify::http_date_ms;
///
/// assert_eq!(http_date_ms("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777_000));
/// assert_eq!(http_date_ms("Sunday, 06-Nov-94 08:49:37 GMT"), Some(784_111_777_000));
/// assert_eq!(http_date_ms("Sun Nov  6 08:49:37 1994"), Some(784_111_777_000));
/// ```
pub fn http_date_ms(text: &str) -> Option<u64> {
    let (mut day, mut month, mut year, mut clock) = (None, None, None, None);
    for part in text.split([' ', ',', '-']).filter(|part| !part.is_empty()).take(8) {
        let number = part.parse::<u64>().ok();
        if part.contains(':') {
            clock = clock_seconds(part);
        } else if let Some(found) = MONTHS.iter().position(|name| part.eq_ignore_ascii_case(name)) {
            month = u64::try_from(found).ok().map(|found| found.saturating_add(1));
        } else if let Some(number) = number {
            if day.is_none() {
                day = Some(number);
            } else {
                year = Some(full_year(number, part.len()));
            }
        }
    }
    seconds(year?, month?, day?)?.checked_add(clock?)?.checked_mul(1000)
}

/// A point in time such as `2025-01-15T12:00:00Z`, with fractions or an offset.
///
/// ```
/// use holm_wire::classify::rfc3339_ms;
///
/// assert_eq!(rfc3339_ms("1994-11-06T08:49:37Z"), Some(784_111_777_000));
/// assert_eq!(rfc3339_ms("1994-11-06T09:49:37.5+01:00"), Some(784_111_777_500));
/// ```
pub fn rfc3339_ms(text: &str) -> Option<u64> {
    let (date, rest) = text.trim().split_once(['T', 't', ' '])?;
    let mut parts = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at_checked(zone)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let local = seconds(year, month, day)?.checked_add(clock_seconds(clock)?)?;
    let utc = match zone.split_at_checked(1)? {
        ("+", offset) => local.checked_sub(clock_seconds(offset)?)?,
        ("-", offset) => local.checked_add(clock_seconds(offset)?)?,
        _ => local,
    };
    let millis = fraction.bytes().chain(*b"000").take(3).try_fold(0_u64, |sum, digit| {
        digit.is_ascii_digit().then(|| sum * 10 + u64::from(digit.wrapping_sub(b'0')))
    })?;
    utc.checked_mul(1000)?.checked_add(millis)
}

/// `hh:mm` or `hh:mm:ss` in seconds.
fn clock_seconds(text: &str) -> Option<u64> {
    let mut parts = text.split(':').map(|part| part.parse::<u64>().ok());
    let (hours, minutes) = (parts.next()??, parts.next()??);
    let seconds = parts.next().unwrap_or(Some(0))?;
    (hours < 24 && minutes < 60 && seconds < 61).then(|| hours * 3600 + minutes * 60 + seconds)
}

const fn full_year(number: u64, digits: usize) -> u64 {
    match (digits, number) {
        (2, 70..) => number.saturating_add(1900),
        (2, _) => number.saturating_add(2000),
        _ => number,
    }
}

/// Seconds from 1970 to the start of a day, by counting whole years and leap days.
fn seconds(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // March is month 0 of the counted year, so that the leap day comes last.
    let counted = if month > 2 { year } else { year - 1 };
    let from_march = (month + 9) % 12;
    let days = counted * 365 + counted / 4 - counted / 100 + counted / 400 + (from_march * 153 + 2) / 5 + day;
    // Days from year 0 (1 March) to 1970, one day counted as day 1.
    days.checked_sub(719_469).map(|days| days * 86_400)
}
