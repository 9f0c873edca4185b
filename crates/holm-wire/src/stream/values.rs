//! How many values a JSON text holds, told before anybody parses it.
//!
//! `{},` takes three bytes on the wire and hundreds as a parsed choice, so a bound in bytes alone does not bound what parsing
//! takes.

use memchr::memchr2;

/// Texts up to this size are not looked at: whatever they hold, it is some MiB when parsed.
const SMALL: usize = 64 << 10;

/// The most values of one text: far more than a reply has, whose largest texts are one long string.
pub(super) const MAX_VALUES: usize = 1 << 17;

/// Whether a text holds more values than should be parsed: each comma and each opening bracket outside of strings counts.
pub(super) fn too_many(text: &[u8]) -> bool {
    if text.len() <= SMALL {
        return false;
    }
    let (mut values, mut rest) = (0_usize, text);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => rest = after_string(after),
            b',' | b'{' | b'[' => values = values.saturating_add(1),
            _ => {}
        }
        if values > MAX_VALUES {
            return true;
        }
    }
    false
}

/// What follows a string whose first quote has been read.
fn after_string(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some(at) = memchr2(b'"', b'\\', rest) {
        let after = rest.get(at.saturating_add(1)..).unwrap_or_default();
        if rest.get(at) == Some(&b'"') {
            return after;
        }
        // Whatever is escaped ends no string.
        rest = after.get(1..).unwrap_or_default();
    }
    &[]
}
