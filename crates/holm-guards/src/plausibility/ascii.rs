//! Fast paths for ASCII: compare text without its case, and trim it, in place.
//!
//! Every result passes the guard, so nothing is copied to lower case just to find that it is not an
//! error. The words that are searched for are ASCII. Of the other characters only the Kelvin sign
//! becomes an ASCII letter in lower case, and callers for whom that matters lower the text first.

/// Whether `text` begins with the ASCII text `start`.
pub(super) fn starts_with(text: &str, start: &str) -> bool {
    strip_prefix(text, start).is_some()
}

/// The text after the non-empty ASCII text `start` at the beginning of `text`.
pub(super) fn strip_prefix<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    // Most texts differ in the first letter already.
    let same = |(a, b): (&u8, &u8)| a.eq_ignore_ascii_case(b);
    if !text.as_bytes().first().zip(start.as_bytes().first()).is_some_and(same) {
        return None;
    }
    let (head, rest) = text.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

/// The text before the ASCII text `end` at the end of `text`.
pub(super) fn strip_suffix<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    tail.eq_ignore_ascii_case(end).then_some(rest)
}

/// The text without white space at its ends; text that shows something at both ends, as most
/// does, is not walked.
pub(super) fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [only] if only.is_ascii_graphic() => text,
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}
