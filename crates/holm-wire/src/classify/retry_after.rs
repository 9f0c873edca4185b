//! Reads how long a provider asks to wait, in every notation: headers, durations, points in time,
//! and prose.
//!
//! It does not wait, and it does not decide whether to wait: the kernel does. Dates are parsed in
//! `time.rs`. A result is at most a day, and a negative time is zero. Without the host's time, a
//! date is ignored.
//!
//! The class of a failure is chosen in `classify/mod.rs`; waiting is decided in
//! `holm-kernel/src/run/failure.rs`.

use super::time::{http_date_ms, rfc3339_ms};

/// The longest waiting time that is passed on: a day. A longer one is a mistake or a lock-out, and
/// the kernel's deadline handles both.
pub const MAX_RETRY_AFTER_MS: u64 = 86_400_000;

/// Larger numbers are points in time and not durations, because no provider asks to
/// wait for 30 years.
const MOMENT_SECONDS: u64 = 1_000_000_000;

/// The waiting time that the headers ask for, in milliseconds. Header names may be in any case.
///
/// ```
/// use holm_wire::classify::retry_after_ms;
///
/// assert_eq!(retry_after_ms(&[("Retry-After", "1.5")], None), Some(1500));
/// assert_eq!(retry_after_ms(&[("retry-after-ms", "120")], None), Some(120));
/// assert_eq!(retry_after_ms(&[("x-ratelimit-reset-tokens", "1m1s")], None), Some(61_000));
/// ```
pub fn retry_after_ms(headers: &[(&str, &str)], now_ms: Option<u64>) -> Option<u64> {
    let header = |name: &str| {
        headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    header("retry-after-ms")
        .or_else(|| header("x-ms-retry-after-ms"))
        .and_then(|value| scaled(value, 1))
        .or_else(|| header("retry-after").and_then(|value| span_or_moment(value, now_ms)))
        .or_else(|| reset(headers, now_ms))
        .map(|wait| wait.min(MAX_RETRY_AFTER_MS))
}

/// A duration such as `1m1s`, `120ms`, `26.001s`, `2h`, `1.5`. A plain number counts seconds.
///
/// ```
/// use holm_wire::classify::duration_ms;
///
/// assert_eq!(duration_ms("6m0s"), Some(360_000));
/// assert_eq!(duration_ms("26.001s"), Some(26_001));
/// assert_eq!(duration_ms("soon"), None);
/// ```
pub fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    if rest.starts_with('-') {
        return scaled(rest, 1000);
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(digits)?;
        let letters = after.find(|c: char| !c.is_ascii_alphabetic() && c != 'µ').unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(letters)?;
        let part = match unit {
            "ns" => scaled(number, 1)? / 1_000_000,
            "us" | "µs" => scaled(number, 1)? / 1_000,
            "ms" => scaled(number, 1)?,
            "" | "s" | "sec" | "secs" | "second" | "seconds" => scaled(number, 1_000)?,
            "m" | "min" | "mins" | "minute" | "minutes" => scaled(number, 60_000)?,
            "h" | "hour" | "hours" => scaled(number, 3_600_000)?,
            "d" | "day" | "days" => scaled(number, 86_400_000)?,
            _ => return None,
        };
        total = total.saturating_add(part);
        rest = next;
    }
    Some(total.min(MAX_RETRY_AFTER_MS))
}

/// A waiting time in a message: "try again in 1.2s", "retry after 32 seconds".
pub(super) fn said_in_prose(lower: &str) -> Option<u64> {
    let after = ["try again in ", "retry after ", "retry in ", "try again after "]
        .iter()
        .find_map(|phrase| lower.split_once(phrase))?
        .1;
    let mut words = after.split_whitespace();
    let first = words.next()?.trim_end_matches(['.', ',', ';', ')']);
    let bare = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !bare {
        return duration_ms(first);
    }
    let unit = words.next().unwrap_or("s").trim_end_matches(['.', ',', ';', ')']);
    let unit = match unit {
        "milliseconds" | "millisecond" => "ms",
        other => other,
    };
    duration_ms(&alloc::format!("{first}{unit}")).or_else(|| duration_ms(first))
}

fn span_or_moment(value: &str, now_ms: Option<u64>) -> Option<u64> {
    if let Some(moment) = http_date_ms(value).or_else(|| rfc3339_ms(value)) {
        return now_ms.map(|now| moment.saturating_sub(now));
    }
    let wait = duration_ms_unbounded(value)?;
    let seconds = wait / 1000;
    if seconds >= MOMENT_SECONDS.saturating_mul(1000) {
        // Milliseconds since 1970.
        return now_ms.map(|now| seconds.saturating_sub(now));
    }
    if seconds >= MOMENT_SECONDS {
        return Some(now_ms.map_or(MAX_RETRY_AFTER_MS, |now| wait.saturating_sub(now)));
    }
    Some(wait)
}

/// A plain number of seconds without the limit, so that points in time can be distinguished from
/// durations. Everything else is read as a duration.
fn duration_ms_unbounded(value: &str) -> Option<u64> {
    scaled(value, 1000).or_else(|| duration_ms(value))
}

/// Reads the `…-reset…` headers. If limits are marked as used up, the latest of those counts;
/// otherwise the earliest of all.
fn reset(headers: &[(&str, &str)], now_ms: Option<u64>) -> Option<u64> {
    let mut exhausted: Option<u64> = None;
    let mut open: Option<u64> = None;
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        if !name.contains("ratelimit") && !name.contains("rate-limit") || !name.contains("reset") {
            continue;
        }
        let Some(wait) = span_or_moment(value.trim(), now_ms) else { continue };
        let remaining = name.replace("reset", "remaining");
        let left = headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(&remaining));
        if left.is_some_and(|(_, left)| left.trim() == "0") {
            exhausted = Some(exhausted.map_or(wait, |other| other.max(wait)));
        } else {
            open = Some(open.map_or(wait, |other| other.min(wait)));
        }
    }
    exhausted.or(open)
}

/// A decimal number times `scale`, rounded up. A negative number becomes zero.
fn scaled(text: &str, scale: u64) -> Option<u64> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (integer_part, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (integer_part.is_empty() && fraction.is_empty()) || !digits(integer_part) || !digits(fraction) {
        return None;
    }
    if negative {
        return Some(0);
    }
    let integer_part = integer_part
        .bytes()
        .fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0'))));
    // Nine digits are more precise than any clock.
    let (mut part, mut unit) = (0_u64, 1_u64);
    for digit in fraction.bytes().take(9) {
        part = part.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0')));
        unit = unit.saturating_mul(10);
    }
    Some(integer_part.saturating_mul(scale).saturating_add(part.saturating_mul(scale).div_ceil(unit)))
}
