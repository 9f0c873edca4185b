//! Detects outputs that announce data without holding any: empty ones, totals, and column headers
//! without rows.
//!
//! The shapes are data, and few: a shape belongs here only when no tool prints it as an answer.
//! Errors in disguise are in `plausibility/disguised_errors.rs`; whether a finding counts is
//! decided in `plausibility/guard.rs`.

use super::ascii;

/// Whole outputs that say "there is nothing".
const NOTHING: &[&str] = &["", "[]", "{}", "\"\"", "null", "total 0"];

/// The longest of them, so that other texts are not compared at all.
const MAX_NOTHING: usize = "total 0".len();

/// Column headers of common listings, the first word and the others separated by single
/// spaces, in lower case.
const HEADERS: &[(&str, &str)] = &[
    ("filesystem", "1k-blocks used available use% mounted on"),
    ("filesystem", "size used avail use% mounted on"),
    ("mode", "lastwritetime length name"),
    ("pid", "tty time cmd"),
    ("user", "pid %cpu %mem vsz rss tty stat start time command"),
    ("container", "id image command created status ports names"),
    ("repository", "tag image id created size"),
];

/// A line longer than this is not a header; it bounds what is copied to compare.
const MAX_HEADER: usize = 160;

/// Whether a trimmed text is empty, or is the way in which a format writes "nothing".
pub(super) fn is_empty(text: &str) -> bool {
    text.len() <= MAX_NOTHING && NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing))
}

/// Whether every line of a trimmed text is metadata: totals, column headers and the
/// rules drawn under them.
///
/// Rules alone are not metadata (they are nothing at all), so one total or header
/// must be among them.
pub(super) fn only(text: &str) -> bool {
    // A first line that shows something and announces nothing is data; that is nearly every output.
    let shows = text.chars().next().is_some_and(char::is_alphanumeric);
    if shows && !may_announce(text) {
        return false;
    }
    let mut lines = text.lines().map(ascii::trim).filter(|line| !line.is_empty()).peekable();
    let mut announced = false;
    for line in &mut lines {
        if is_total(line) || is_header(line) {
            announced = true;
        } else if line.chars().any(char::is_alphanumeric) {
            return false;
        }
    }
    announced
}

/// Whether a text begins with the first word of a total or a header.
fn may_announce(text: &str) -> bool {
    ascii::starts_with(text, "total") || HEADERS.iter().any(|(first, _)| ascii::starts_with(text, first))
}

/// The header of `ls -l`: `total 12`, or `total 4.0K` where sizes are for people.
fn is_total(line: &str) -> bool {
    if !ascii::starts_with(line, "total") {
        return false;
    }
    let mut words = line.split_whitespace();
    let (Some(total), Some(size), None) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let size = size.strip_suffix(['K', 'M', 'G', 'T', 'k']).unwrap_or(size);
    total.eq_ignore_ascii_case("total")
        && size.starts_with(|c: char| c.is_ascii_digit())
        && size.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',')
}

fn is_header(line: &str) -> bool {
    let is = |(first, others): &(&str, &str)| {
        ascii::strip_prefix(line, first).is_some_and(|rest| same_words(rest, others))
    };
    line.len() <= MAX_HEADER && HEADERS.iter().any(is)
}

/// Whether white space and then exactly these words follow.
fn same_words(rest: &str, others: &str) -> bool {
    let mut words = rest.split_whitespace();
    rest.starts_with(char::is_whitespace)
        && others.split(' ').all(|word| words.next().is_some_and(|found| found.eq_ignore_ascii_case(word)))
        && words.next().is_none()
}
