//! Wraps text in an envelope, and reads it back.

use alloc::string::String;

use super::{EnvelopeBody, defuse};

/// Bytes of both tags, so that a small result is one allocation.
const TAGS: usize = 60;

/// Hex digits of a seal. A body that guesses ten thousand seals is wrong with all of them 999,997
/// times out of a million.
const DIGITS: usize = 8;

/// Puts a body into its envelope: `<tool_output seal="…">body</tool_output seal="…">`.
///
/// The body stays as it is, also where it holds such tags: only the kernel knows the seal.
pub(crate) fn seal(seal: u64, body: &EnvelopeBody<'_>) -> String {
    let mut out = String::with_capacity(TAGS + body.text().len());
    out.push_str("<tool_output seal=\"");
    push_hex(seal, &mut out);
    out.push_str("\">");
    out.push_str(body.text());
    out.push_str("</tool_output seal=\"");
    push_hex(seal, &mut out);
    out.push_str("\">");
    out
}

/// Text without a seal, in which everything that reads like an envelope's tag is defused.
///
/// It is for text beside envelopes, such as a summary by a model, and for small models whose
/// prompts have no room for seals.
pub fn defused(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    defuse::defuse(text, &mut out);
    out
}

/// The text inside an envelope; a text without envelope is itself.
pub fn open(sealed: &str) -> &str {
    let inside = || {
        let (seal, rest) = sealed.strip_prefix("<tool_output seal=")?.split_once('>')?;
        rest.strip_suffix('>')?.strip_suffix(seal)?.strip_suffix("</tool_output seal=")
    };
    inside().unwrap_or(sealed)
}

/// The last digits of a number; a formatter would cost more than the rest of a small envelope.
fn push_hex(number: u64, out: &mut String) {
    for at in (0..DIGITS).rev() {
        let nibble = (number >> (4 * at)) & 15;
        out.extend(char::from_digit(u32::try_from(nibble).unwrap_or_default(), 16));
    }
}
