//! Finds the dates of a text, in the ISO forms that a model may answer with.
//!
//! A prompt asks for ISO dates and a text says `January 15, 2024`, so besides the words of the text
//! its ISO form is accepted. Recognised: year first (`2024-01-15`, `2024/1/15`), day first with
//! points (`15.1.2024`), and English month names in the usual orders. `03/04/2024` is the third of
//! April or the fourth of March, and choosing one would be a guess. So a numeric date with `/` or
//! `-` has an ISO form only if just one reading is a date. Years of two digits have no ISO form:
//! such dates are answered as they are written in the text.
//!
//! No other language and no other order is guessed. Comparing spelled-out dates word by word is
//! left to `skill/source/text.rs`.
//!
//! Whether a value is searched at all is decided in `skill/runner.rs`; the form of a date is
//! checked in `skill/format.rs`.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::normal_form::normalise;

pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words that occur in dates besides months.
const DATE_WORDS: &[&str] = &[
    "ad",
    "am",
    "at",
    "bc",
    "bce",
    "by",
    "ce",
    "century",
    "day",
    "early",
    "end",
    "est",
    "fri",
    "friday",
    "from",
    "gmt",
    "h",
    "in",
    "last",
    "late",
    "mid",
    "mon",
    "monday",
    "month",
    "next",
    "noon",
    "of",
    "on",
    "pm",
    "q",
    "quarter",
    "s",
    "sat",
    "saturday",
    "sun",
    "sunday",
    "t",
    "the",
    "this",
    "thu",
    "thur",
    "thurs",
    "thursday",
    "to",
    "today",
    "tomorrow",
    "tonight",
    "tue",
    "tues",
    "tuesday",
    "until",
    "utc",
    "wed",
    "wednesday",
    "week",
    "weekend",
    "year",
    "yesterday",
    "z",
    "spring",
    "summer",
    "autumn",
    "fall",
    "winter",
    "nd",
    "rd",
    "st",
    "th",
];

/// The most characters between the parts of one date.
const MAX_GAP: usize = 3;

/// The ISO forms (`2024-01-15`, `2024-01`) of every date in a normalised text.
pub(super) fn scan(text: &str) -> BTreeSet<String> {
    let tokens = tokens(text);
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(second) = tokens.get(at + 1) else { break };
        if let Some((year, month)) = month_of_year(token, second) {
            found.insert(format!("{year:04}-{month:02}"));
        }
        let Some(third) = tokens.get(at + 2) else { break };
        let next = tokens.get(at + 3);
        if let Some((year, month, day)) = date(token, second, third, next) {
            found.insert(format!("{year:04}-{month:02}-{day:02}"));
            found.insert(format!("{year:04}-{month:02}"));
        }
    }
    found
}

/// Whether a text has the form of a date: complete, partial (`March 2024`)
/// or relative (`next Monday`).
///
/// A complete date must exist in the calendar, in at least one order of its parts.
pub(in crate::skill) fn is_date(text: &str) -> bool {
    let text = normalise(text);
    let tokens = tokens(&text);
    let known = |token: &DateToken<'_>| match token.part {
        DatePart::Number { digits, .. } => digits <= 4,
        DatePart::Word(word) => month(word).is_some() || DATE_WORDS.contains(&word),
    };
    if tokens.is_empty() || !tokens.iter().all(known) {
        return false;
    }
    let numbers: Vec<(u32, usize)> = tokens.iter().filter_map(DateToken::number).collect();
    let months = tokens.iter().filter_map(|token| token.word().and_then(month)).count();
    match (months, numbers.as_slice()) {
        (0, []) => true,
        (0, [(_, digits)]) => *digits == 4 || tokens.len() > 1,
        (0, [(a, _), (b, _)]) => is_month(*a) || is_month(*b),
        (0, [a, b, c, ..]) => [(a, b, c), (c, b, a), (c, a, b)]
            .into_iter()
            .any(|(year, month, day)| exists(full_year(*year), month.0, day.0)),
        (_, numbers) => numbers.iter().all(|(number, digits)| *digits > 2 || *number <= 99),
    }
}

/// A run of digits or of letters.
struct DateToken<'a> {
    part: DatePart<'a>,
    /// The text between the previous token and this one.
    gap: &'a str,
}

enum DatePart<'a> {
    Number { value: u32, digits: usize },
    Word(&'a str),
}

impl DateToken<'_> {
    fn number(&self) -> Option<(u32, usize)> {
        match self.part {
            DatePart::Number { value, digits } => Some((value, digits)),
            DatePart::Word(_) => None,
        }
    }

    fn word(&self) -> Option<&str> {
        match self.part {
            DatePart::Number { .. } => None,
            DatePart::Word(word) => Some(word),
        }
    }

    fn year(&self) -> Option<u32> {
        self.number().filter(|(value, digits)| *digits == 4 && *value > 0).map(|(value, _)| value)
    }

    fn day(&self) -> Option<u32> {
        self.number()
            .filter(|(value, digits)| *digits <= 2 && (1..=31).contains(value))
            .map(|(value, _)| value)
    }

    fn month(&self) -> Option<u32> {
        self.word().and_then(month)
    }

    /// Whether only the punctuation of a spelled-out date precedes this token.
    fn follows_closely(&self) -> bool {
        self.gap.len() <= MAX_GAP && self.gap.chars().all(|c| matches!(c, ' ' | ',' | '.' | '-' | '/' | '\''))
    }
}

/// Splits a text into numbers and words; ordinal endings and the small words inside
/// dates are left out.
fn tokens(text: &str) -> Vec<DateToken<'_>> {
    let mut tokens: Vec<DateToken<'_>> = Vec::new();
    let mut rest = text;
    let mut gap_start = 0;
    while let Some(at) = rest.find(char::is_alphanumeric) {
        let start = text.len() - rest.len() + at;
        let run = text.get(start..).unwrap_or_default();
        let is_number = run.starts_with(|c: char| c.is_ascii_digit());
        let same =
            |c: char| if is_number { c.is_ascii_digit() } else { c.is_alphanumeric() && !c.is_ascii_digit() };
        let (run, after) =
            run.split_at_checked(run.find(|c| !same(c)).unwrap_or(run.len())).unwrap_or((run, ""));
        rest = after;
        let gap = text.get(gap_start..start).unwrap_or_default();
        let after_number = tokens.last().is_some_and(|last| last.number().is_some());
        let ordinal = gap.is_empty() && after_number && matches!(run, "st" | "nd" | "rd" | "th");
        let small = matches!(run, "of" | "the") && after_number && gap == " ";
        if ordinal || small {
            gap_start = start + run.len();
            continue;
        }
        let part = if is_number {
            DatePart::Number { value: run.parse().unwrap_or(u32::MAX), digits: run.len() }
        } else {
            DatePart::Word(run)
        };
        tokens.push(DateToken { part, gap });
        gap_start = start + run.len();
    }
    tokens
}

fn month_of_year(a: &DateToken<'_>, b: &DateToken<'_>) -> Option<(u32, u32)> {
    if !b.follows_closely() {
        return None;
    }
    a.month().zip(b.year()).map(|(month, year)| (year, month)).or_else(|| a.year().zip(b.month()))
}

fn date(
    a: &DateToken<'_>,
    b: &DateToken<'_>,
    c: &DateToken<'_>,
    next: Option<&DateToken<'_>>,
) -> Option<(u32, u32, u32)> {
    let (year, month, day) = if a.word().or(b.word()).is_some() {
        spelled(a, b, c).filter(|_| b.follows_closely() && c.follows_closely())?
    } else {
        let runs_on = next.is_some_and(|next| next.gap == c.gap && next.number().is_some());
        numeric(a, b, c).filter(|_| !runs_on && a.gap != b.gap)?
    };
    exists(year, month, day).then_some((year, month, day))
}

/// Day, month name and year in one of the orders that people write.
fn spelled(a: &DateToken<'_>, b: &DateToken<'_>, c: &DateToken<'_>) -> Option<(u32, u32, u32)> {
    let day_first = || Some((c.year()?, b.month()?, a.day()?));
    let month_first = || Some((c.year()?, a.month()?, b.day()?));
    let year_first = || Some((a.year()?, b.month()?, c.day()?));
    day_first().or_else(month_first).or_else(year_first)
}

/// Three numbers with the same sign between them, if they are one date and only one.
fn numeric(a: &DateToken<'_>, b: &DateToken<'_>, c: &DateToken<'_>) -> Option<(u32, u32, u32)> {
    if b.gap != c.gap || !matches!(b.gap, "-" | "/" | ".") {
        return None;
    }
    if let Some(year) = a.year() {
        return Some((year, b.day()?, c.day()?));
    }
    let (year, first, second) = (c.year()?, a.day()?, b.day()?);
    if b.gap == "." {
        return Some((year, second, first));
    }
    match (exists(year, second, first), exists(year, first, second)) {
        (true, false) => Some((year, second, first)),
        (false, true) => Some((year, first, second)),
        (true, true) if first == second => Some((year, first, second)),
        (true, true) | (false, false) => None,
    }
}

/// The number of a month by its name, its first three letters, or `sept`.
fn month(word: &str) -> Option<u32> {
    let named = |name: &&str| *name == word || (word.len() == 3 && name.starts_with(word));
    let at = if word == "sept" { Some(8) } else { MONTHS.iter().position(named) }?;
    u32::try_from(at + 1).ok()
}

fn is_month(number: u32) -> bool {
    (1..=12).contains(&number)
}

fn full_year((value, digits): (u32, usize)) -> u32 {
    if digits == 2 { value.saturating_add(2000) } else { value }
}

/// Whether the Gregorian calendar has this day.
fn exists(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day)
}
