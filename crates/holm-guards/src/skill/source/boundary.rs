//! Decides where a value may begin and end in a text.
//!
//! `ello@x.com` occurs inside `hello@x.com` but is not a value of the text. A place counts only if
//! the value is not a piece of something longer of its own kind. Punctuation around the value is
//! not part of it.
//!
//! It judges one place; `skill/source/search.rs` finds the places and `skill/source/text.rs` asks.
//! Whether a value has the form of an address is decided in `skill/format.rs`.

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// The kind of a value, which decides what would make it a piece of something longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ValueReading {
    /// Words and figures. Letters, digits, marks and `_` belong together; hyphens and apostrophes
    /// separate (`Berlin-based` names Berlin); `.` and `,` between digits do not. Scripts that
    /// write without spaces have no word boundaries.
    #[default]
    Words,
    /// An e-mail address: also the dots, hyphens and signs of a longer address.
    Email,
    /// A URL: also everything up to the next character that no URL may hold.
    Url,
    /// A date: also `-`, `/`, `.` and `:` between digits.
    Date,
}

impl ValueReading {
    /// The reading of a value of unknown kind, by its looks.
    #[must_use]
    pub fn of(value: &str) -> Self {
        let spaced = value.contains(char::is_whitespace);
        if !spaced && (value.contains("://") || value.starts_with("www.")) {
            Self::Url
        } else if !spaced && value.contains('@') {
            Self::Email
        } else {
            Self::Words
        }
    }

    /// Whether `value`, between `before` and `after`, is a whole and not a piece.
    pub(super) fn is_whole(self, before: &str, value: &str, after: &str) -> bool {
        match self {
            Self::Words => words(before, value, after, &['.', ',']),
            Self::Date => words(before, value, after, &['.', ',', '-', '/', ':']),
            Self::Email => email(before, value, after),
            Self::Url => url(before, value, after),
        }
    }
}

/// Characters that are followed around a value: more punctuation than this is part of no address.
const LOOK_AROUND: usize = 16;

fn words(before: &str, value: &str, after: &str, in_figures: &[char]) -> bool {
    let (mut left, mut right) = (before.chars().rev(), after.chars());
    let (first, last) = (value.chars().next(), value.chars().next_back());
    let (previous, next) = (left.next(), right.next());
    !touches(previous, first)
        && !touches(last, next)
        && !figure(left.next(), previous, first, in_figures)
        && !figure(last, next, right.next(), in_figures)
}

/// Whether two neighbours belong to one word.
fn touches(a: Option<char>, b: Option<char>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    is_word(a) && is_word(b) && !is_unspaced(a) && !is_unspaced(b)
}

/// Whether two digits and a sign between them are one figure, as in `1.5` or `2024-01`.
fn figure(a: Option<char>, sign: Option<char>, b: Option<char>, signs: &[char]) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    digit(a) && digit(b) && sign.is_some_and(|sign| signs.contains(&sign))
}

fn email(before: &str, value: &str, after: &str) -> bool {
    let (first, last) = (value.chars().next(), value.chars().next_back());
    !touches(before.chars().next_back(), first)
        && !touches(last, after.chars().next())
        && !continues(before.chars().rev(), &['.', '_', '%', '+', '-', '\'', '@'])
        && !continues(after.chars(), &['.', '-', '_', '@'])
}

/// Whether characters of an address lead from a value to a further part of it.
fn continues(mut chars: impl Iterator<Item = char>, signs: &[char]) -> bool {
    let mut signs_seen = 0;
    for c in chars.by_ref().take(LOOK_AROUND) {
        if !signs.contains(&c) {
            return signs_seen > 0 && c.is_alphanumeric() && !is_unspaced(c);
        }
        signs_seen += 1;
    }
    signs_seen == LOOK_AROUND
}

fn url(before: &str, value: &str, after: &str) -> bool {
    begins_url(before, value) && (is_enclosed(before, after) || ends_url(after))
}

fn begins_url(before: &str, value: &str) -> bool {
    let previous = before.chars().next_back();
    if touches(previous, value.chars().next()) {
        return false;
    }
    if value.contains("://") {
        return !continues(before.chars().rev(), &['+', '-', '.']);
    }
    // Without a scheme the value may be the tail of an address or of a longer URL.
    !previous.is_some_and(|c| matches!(c, '@' | '.' | '-' | '_' | '/' | '%'))
}

/// Whether the rest, up to a character that no URL holds, is only punctuation or
/// begins the next address.
fn ends_url(after: &str) -> bool {
    if let Some(next) = after.strip_prefix([',', ';'])
        && ["http://", "https://", "ftp://", "www."].iter().any(|start| next.starts_with(start))
    {
        return true;
    }
    let mut rest = after.chars().take_while(|c| is_in_url(*c)).take(LOOK_AROUND);
    rest.all(|c| !c.is_alphanumeric())
}

fn is_in_url(c: char) -> bool {
    let never = c.is_whitespace() || matches!(c, '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`');
    !never && !is_unspaced(c)
}

/// Whether a value is enclosed in brackets, quotes or emphasis of its own.
fn is_enclosed(before: &str, after: &str) -> bool {
    let pair = before.chars().next_back().zip(after.chars().next());
    matches!(pair, Some(('(', ')') | ('[', ']') | ('\'', '\'') | ('*', '*') | ('_', '_') | ('~', '~')))
}

/// Whether a character belongs to words.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_mark(c)
}

/// Combining marks, which belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5BD}' | '\u{64B}'..='\u{65F}'
        | '\u{93C}' | '\u{94D}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}')
}

/// Letters of scripts that put no spaces between words, or attach endings to names: Thai, Lao,
/// Myanmar, Khmer, kana, Han and Hangul.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{11FF}'
        | '\u{1780}'..='\u{17FF}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}
