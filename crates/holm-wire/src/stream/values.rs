//! Counts the values in a JSON text before it is parsed.
//!
//! `{},` takes three bytes on the wire and hundreds of bytes as a parsed choice, so a limit in
//! bytes alone does not limit the memory for parsing.
//!
//! It does not check that the text is JSON; the parser does. The limits in bytes are in `stream.rs`
//! and `framing/mod.rs`.

use memchr::memchr2;

/// Texts up to this size are not checked. Parsed, they take at most some MiB.
const SMALL: usize = 64 << 10;

/// The largest number of values in one text: far more than a reply has, whose largest texts
/// are one long string.
pub(super) const MAX_VALUES: usize = 1 << 17;

/// Whether a text has more values than should be parsed. Each comma and each opening bracket
/// outside of strings counts.
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

/// The rest of the text after a string whose first quote has been read.
fn after_string(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some(at) = memchr2(b'"', b'\\', rest) {
        let after = rest.get(at.saturating_add(1)..).unwrap_or_default();
        if rest.get(at) == Some(&b'"') {
            return after;
        }
        // An escaped character never ends a string.
        rest = after.get(1..).unwrap_or_default();
    }
    &[]
}
