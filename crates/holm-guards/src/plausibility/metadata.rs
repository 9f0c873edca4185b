//! Outputs that announce data without holding any.
//!
//! The shapes are data, and few: a shape belongs here only when no tool prints it as an answer.

use super::caseless;

/// Whole outputs that say "there is nothing".
const NOTHING: &[&str] = &["", "[]", "{}", "\"\"", "null", "total 0"];

/// Column headers of common listings, words separated by single spaces, in lower case.
const HEADERS: &[&str] = &[
    "filesystem 1k-blocks used available use% mounted on",
    "filesystem size used avail use% mounted on",
    "mode lastwritetime length name",
    "pid tty time cmd",
    "user pid %cpu %mem vsz rss tty stat start time command",
    "container id image command created status ports names",
    "repository tag image id created size",
];

/// A line longer than this is not a header; it bounds what is copied to compare.
const MAX_HEADER: usize = 160;

/// Whether a trimmed text is empty, or is the way in which a format writes "nothing".
pub(super) fn is_empty(text: &str) -> bool {
    NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing))
}

/// Whether every line is metadata: totals, column headers and the rules drawn under them.
///
/// Rules alone are not metadata (they are nothing at all), so one total or header must be among them.
pub(super) fn only(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
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

/// The header of `ls -l`: `total 12`, or `total 4.0K` where sizes are for people.
fn is_total(line: &str) -> bool {
    if !caseless::starts_with(line, "total") {
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
    // Most lines are no header, and their first letter already tells.
    let begins = |header: &str| caseless::starts_with(line, header.get(..1).unwrap_or_default());
    line.len() <= MAX_HEADER && HEADERS.iter().any(|header| begins(header) && same_words(line, header))
}

fn same_words(line: &str, header: &str) -> bool {
    let mut words = line.split_whitespace();
    header.split(' ').all(|word| words.next().is_some_and(|found| found.eq_ignore_ascii_case(word)))
        && words.next().is_none()
}
