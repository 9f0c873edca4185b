//! Shortcuts for ASCII: text is compared without its case, and trimmed, in place.
//!
//! Every result passes the guard, so nothing is copied to lower case just to find that it is no error. The words looked
//! for are ASCII; of the other characters only the Kelvin sign becomes an ASCII letter in lower case, and the callers for
//! whom that matters lower the text first.

/// Whether `text` begins with the ASCII text `start`.
pub(super) fn starts_with(text: &str, start: &str) -> bool {
    strip_prefix(text, start).is_some()
}

/// What follows the ASCII text `start` at the beginning of `text`.
pub(super) fn strip_prefix<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

/// What stands before the ASCII text `end` at the end of `text`.
pub(super) fn strip_suffix<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    tail.eq_ignore_ascii_case(end).then_some(rest)
}

/// The text without white space at its ends; text that shows something at both ends, as most does, is not walked.
pub(super) fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [only] if only.is_ascii_graphic() => text,
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}

/// The first letters of some lower-case ASCII words, as one bit each.
pub(super) const fn initials(words: &[(&str, &str)]) -> u32 {
    let (mut bits, mut at) = (0, 0);
    while at < words.len() {
        if let [letter @ b'a'..=b'z', ..] = words[at].0.as_bytes() {
            bits |= 1 << (*letter - b'a');
        }
        at += 1;
    }
    bits
}

/// Whether a text begins with one of the letters in `bits`, in either case.
pub(super) fn has_initial(text: &str, bits: u32) -> bool {
    let letter = text.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
    letter.is_ascii_lowercase() && bits >> (letter - b'a') & 1 == 1
}
