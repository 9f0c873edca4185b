//! Finds the numbers of a text, compared by value and not by spelling.
//!
//! A model answers `1234` where the text says `1,234.00`. All readings that the spelling allows are
//! kept: `1,234` is one thousand two hundred and thirty-four in English and 1.234 in German, and
//! the text does not say which. *Not* read: number words, digits inside identifiers (`B52`), digit
//! groups separated by spaces, and versions such as `1.2.3`.
//!
//! Numbers inside JSON are compared in `json/number.rs`. A reading is added only if people write
//! numbers so: each further reading lets more invented values pass.
//!
//! `skill/source/text.rs` asks here; where a number may begin and end is decided in
//! `skill/source/boundary.rs`.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};

use super::boundary::{is_unspaced, is_word};

/// A decimal number in lowest terms, so that equal values are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DecimalNumber {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
    /// Power of ten of the last digit.
    exponent: i64,
}

impl DecimalNumber {
    /// Reads `-12.50e3`: a sign, digits with at most one point, an exponent.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, power) = match text.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, power.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (integer_part, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = integer_part.to_string();
        digits.push_str(fraction);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let exponent = power.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        Some(Self::lowest(negative, digits.trim_start_matches('0'), exponent))
    }

    fn lowest(negative: bool, digits: &str, exponent: i64) -> Self {
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        let dropped = i64::try_from(digits.len() - kept.len()).unwrap_or(i64::MAX);
        Self { negative, digits: kept.to_string(), exponent: exponent.saturating_add(dropped) }
    }
}

/// Every number that a normalised text spells, in every reading.
pub(super) fn scan(text: &str) -> BTreeSet<DecimalNumber> {
    let mut found = BTreeSet::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let start = text.len() - rest.len() + at;
        let (numeral, after) = split_numeral(text.get(start..).unwrap_or_default());
        let before = text.get(..start).unwrap_or_default();
        let (before, point) = split_point(before);
        if let Some(sign) = sign(before) {
            readings(numeral, &mut |reading| {
                let number: String = [sign, point, reading].concat();
                found.extend(DecimalNumber::parse(&number));
            });
        }
        rest = after;
    }
    found
}

/// Takes the point of `.5` from the text before the digits; a point after a word or another
/// point is not one.
fn split_point(before: &str) -> (&str, &'static str) {
    match before.strip_suffix('.') {
        Some(left) if !left.ends_with(|c: char| c == '.' || is_word(c)) => (left, "."),
        _ => (before, ""),
    }
}

/// The sign of digits that follow `before`; `None` if letters make them part of an identifier.
///
/// A dash is a minus only if it joins nothing: `-5`, but not the range `3-5` and not `F-16`.
fn sign(before: &str) -> Option<&'static str> {
    let mut left = before.chars().rev();
    let previous = left.next();
    let joins = |c: Option<char>| c.is_some_and(|c| is_word(c) && !is_unspaced(c));
    match previous {
        Some('-') if !joins(left.next()) => Some("-"),
        _ if joins(previous) => None,
        _ => Some(""),
    }
}

/// The most digits of an exponent: real numbers have fewer, and the digits are
/// copied for each reading.
const MAX_POWER: usize = 4;

/// Splits off the longest run of digits with single separators between them, and an exponent.
fn split_numeral(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while digit(end) || (matches!(bytes.get(end), Some(b'.' | b',' | b'\'')) && digit(end + 1)) {
        end += 1;
    }
    if bytes.get(end) == Some(&b'e') {
        let mut power = end + 1;
        if matches!(bytes.get(power), Some(b'+' | b'-')) {
            power += 1;
        }
        let first = power;
        while digit(power) {
            power += 1;
        }
        if (1..=MAX_POWER).contains(&(power - first)) {
            end = power;
        }
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Calls `emit` with each plain spelling that a numeral may stand for.
fn readings(numeral: &str, emit: &mut impl FnMut(&str)) {
    let (mantissa, power) = match numeral.find('e') {
        Some(at) => numeral.split_at_checked(at).unwrap_or((numeral, "")),
        None => (numeral, ""),
    };
    let mut with_power = |mantissa: &str| {
        let mut reading = mantissa.to_string();
        reading.push_str(power);
        emit(&reading);
    };
    if mantissa.contains('\'') {
        return apostrophes(mantissa, &mut with_power);
    }
    let commas = mantissa.matches(',').count();
    let points = mantissa.matches('.').count();
    match (commas, points) {
        (0, 0) => with_power(mantissa),
        (0, 1) => {
            with_power(mantissa);
            grouped(mantissa, '.', &mut with_power);
        }
        (0, _) => {
            grouped(mantissa, '.', &mut with_power);
        }
        (_, 0) => {
            if commas == 1 {
                with_power(&mantissa.replace(',', "."));
            }
            if !grouped(mantissa, ',', &mut with_power) {
                mantissa.split(',').for_each(with_power);
            }
        }
        (_, _) => mixed(mantissa, &mut with_power),
    }
}

/// Apostrophes group thousands (`1'234.5`), or part two figures (`5'11`).
fn apostrophes(mantissa: &str, emit: &mut impl FnMut(&str)) {
    let (integer_part, _) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if is_grouped(integer_part, '\'') {
        return emit(&mantissa.replace('\'', ""));
    }
    mantissa.split('\'').for_each(emit);
}

/// Both separators occur: the last one is the decimal sign if it occurs once, or the
/// comma parts a list.
fn mixed(mantissa: &str, emit: &mut impl FnMut(&str)) {
    let (decimal, group) = if mantissa.rfind(',') > mantissa.rfind('.') { (',', '.') } else { ('.', ',') };
    if let Some((integer_part, fraction)) = mantissa.rsplit_once(decimal)
        && is_grouped(integer_part, group)
    {
        let mut reading = integer_part.replace(group, "");
        reading.push('.');
        reading.push_str(fraction);
        return emit(&reading);
    }
    mantissa.split(',').filter(|part| part.matches('.').count() < 2).for_each(emit);
}

/// Emits the reading in which `sign` groups thousands, if the groups allow it.
fn grouped(mantissa: &str, sign: char, emit: &mut impl FnMut(&str)) -> bool {
    let allowed = is_grouped(mantissa, sign);
    if allowed {
        emit(&mantissa.replace(sign, ""));
    }
    allowed
}

/// One to three digits without a leading zero, then groups of exactly three.
fn is_grouped(text: &str, sign: char) -> bool {
    let mut groups = text.split(sign);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()))
}
