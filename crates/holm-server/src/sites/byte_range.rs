//! Decides which part of a file to send, from the range and cache headers. It opens no file;
//! `page.rs` does. Several ranges or an invalid one get the whole file, as HTTP allows.

use http::{
    HeaderMap,
    header::{IF_NONE_MATCH, IF_RANGE, RANGE},
};

/// Which part of a file to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseRange {
    Whole,
    /// Bytes from the first to the last, both included.
    Bytes {
        first: u64,
        last: u64,
    },
    /// Nothing: the requested range is outside of the file.
    Outside,
    /// Nothing: the client has the current version.
    Unchanged,
}

/// Decides what to send of a file with this length and current tag.
pub(super) fn part(headers: &HeaderMap, tag: &str, length: u64) -> ResponseRange {
    let read = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(known) = read(IF_NONE_MATCH) {
        let same =
            |candidate: &str| candidate == "*" || candidate.strip_prefix("W/").unwrap_or(candidate) == tag;
        if known.split(',').any(|candidate| same(candidate.trim())) {
            return ResponseRange::Unchanged;
        }
    }
    // A range of an old version does not fit the new one. Dates are not accepted, because two
    // versions may have the same second.
    if read(IF_RANGE).is_some_and(|wanted| wanted != tag) {
        return ResponseRange::Whole;
    }
    read(RANGE).map_or(ResponseRange::Whole, |range| ranged(range, length))
}

/// Parses one range. Several ranges or an invalid one get the whole file, as HTTP allows.
fn ranged(text: &str, length: u64) -> ResponseRange {
    let Some((first, last)) = text.strip_prefix("bytes=").and_then(|range| range.trim().split_once('-'))
    else {
        return ResponseRange::Whole;
    };
    let number = |text: &str| {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // A number that is too large means the end of the file.
        plain.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    match (number(first), number(last), first.is_empty(), last.is_empty()) {
        (Some(first), Some(last), ..) if first <= last => within(first, last, length),
        (Some(first), None, _, true) => within(first, u64::MAX, length),
        (None, Some(0), true, _) => ResponseRange::Outside,
        (None, Some(count), true, _) => within(length.saturating_sub(count), u64::MAX, length),
        _ => ResponseRange::Whole,
    }
}

fn within(first: u64, last: u64, length: u64) -> ResponseRange {
    if first >= length {
        return ResponseRange::Outside;
    }
    ResponseRange::Bytes { first, last: last.min(length - 1) }
}
