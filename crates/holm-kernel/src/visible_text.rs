//! Makes hidden characters visible in text that a person reads before approving a call.
//!
//! A terminal obeys escape sequences, a bidi override reverses a command, and a zero-width
//! character hides in a path. The person who approves a call must see all of that. So every
//! character that is not plainly visible is written as `\u{…}`, and a long text keeps both ends and
//! says how much is missing. The result is for people only and cannot be parsed back. Text for
//! models goes through `envelope/`; which characters are hidden is defined in
//! `holm-grants/src/text.rs`.

#[cfg(test)]
mod tests;

use alloc::{string::String, vec::Vec};
use core::fmt::Write as _;

use holm_grants::is_hidden;

/// The most characters of a name or a need that a person is shown: longer than any honest path.
const LINE: u64 = 1_000;

/// The most lines of a list that a person is shown. People do not read more; the rest is counted.
const LINES: usize = 100;

/// Makes every character visible: newline and tab stay, other invisible characters are written out.
///
/// The result is for people and cannot be parsed back: a text that already contains
/// `\u{1b}` looks the same.
///
/// ```
/// assert_eq!(holm_kernel::visible("safe\u{1b}[2J"), "safe\\u{1b}[2J");
/// ```
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    write_visible(text, &mut out);
    out
}

/// As [`visible`], on one line and shortened. A name that contains a line break must not
/// look like two names.
///
/// ```
/// assert_eq!(holm_kernel::visible_line("read:a\nread:b"), "read:a\\u{a}read:b");
/// ```
pub fn visible_line(text: &str) -> String {
    line(text, LINE)
}

/// Formats many texts for a person, one line each. A long list is cut in the middle, with a note
/// that says how many entries are not shown.
///
/// ```
/// let needs: Vec<String> = (0..120).map(|file| format!("read:{file}")).collect();
/// let shown = holm_kernel::visible_lines(&needs);
/// assert_eq!(shown.len(), 101);
/// assert_eq!(shown[50], "[…20 more not shown…]");
/// assert_eq!(shown[100], "read:119");
/// ```
pub fn visible_lines(texts: &[String]) -> Vec<String> {
    lines(texts, LINES, LINE)
}

/// As [`visible`], but shows at most about `limit` characters, half from each end, and says how
/// many are missing. So a long text cannot push its dangerous part off the screen unnoticed.
pub(crate) fn visible_bounded(text: &str, limit: u64) -> String {
    if reach(text.chars(), limit) == text.len() {
        return visible(text);
    }
    let half = limit / 2;
    let (head, rest) = text.split_at(reach(text.chars(), limit - half));
    let (middle, tail) = rest.split_at(rest.len() - reach(rest.chars().rev(), half));
    let mut out = String::new();
    write_visible(head, &mut out);
    let hidden = middle.chars().count();
    // Writing into a `String` cannot fail.
    let _ = write!(out, " […{hidden} characters not shown…] ");
    write_visible(tail, &mut out);
    out
}

/// As [`visible_bounded`], on one line.
fn line(text: &str, limit: u64) -> String {
    visible_bounded(text, limit).replace('\n', "\\u{a}").replace('\t', "\\u{9}")
}

/// At most `most` texts, from both ends of the list, each on one line, and how many are not shown.
fn lines(texts: &[String], most: usize, limit: u64) -> Vec<String> {
    let show = |texts: &[String]| -> Vec<String> { texts.iter().map(|text| line(text, limit)).collect() };
    if texts.len() <= most {
        return show(texts);
    }
    let (head, rest) = texts.split_at(most - most / 2);
    let (hidden, tail) = rest.split_at(rest.len() - most / 2);
    let mut out = show(head);
    out.push(alloc::format!("[…{} more not shown…]", hidden.len()));
    out.extend(show(tail));
    out
}

/// Whether a character is invisible, moves the cursor, reorders its neighbours or passes
/// for a plain space.
pub(crate) fn is_deceptive(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        _ => c.is_control() || c.is_whitespace() || is_hidden(c),
    }
}

/// How many bytes of text, read in the order of `chars`, fit into `room` once
/// they are made visible.
fn reach(chars: impl Iterator<Item = char>, room: u64) -> usize {
    let mut left = room;
    let mut bytes = 0;
    for c in chars {
        let Some(rest) = left.checked_sub(width(c)) else { break };
        left = rest;
        bytes += c.len_utf8();
    }
    bytes
}

/// How many characters a character is shown as.
fn width(c: char) -> u64 {
    if is_deceptive(c) { c.escape_unicode().len() as u64 } else { 1 }
}

fn write_visible(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_deceptive(*c)) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        out.extend(c.escape_unicode());
        rest = from.get(c.len_utf8()..).unwrap_or_default();
    }
    out.push_str(rest);
}
