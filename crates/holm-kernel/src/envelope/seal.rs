//! Closing and opening the envelope.

use alloc::{borrow::Cow, string::String};
use core::fmt::Write as _;

use super::{Body, defuse};

/// Characters of a name or id that are shown; providers and people give short ones, and a tag must stay a tag.
const ATTRIBUTE: usize = 128;

/// Room for the tags around a body besides name and id, so that a small result is one allocation.
const TAGS: usize = 136;

/// Puts a body into its envelope.
///
/// `<tool_output name="…" id="…" seal="…">body</tool_output seal="…">`, with `truncated="true" raw_bytes="…"` before the
/// seal if the body is not the whole text. The body cannot contain anything that reads like either tag.
pub(crate) fn seal(tool: &str, id: &str, seal: u64, body: &Body<'_>) -> String {
    let mut out = String::with_capacity(TAGS + tool.len() + id.len() + body.text().len());
    out.push_str("<tool_output name=\"");
    attribute(tool, &mut out);
    out.push_str("\" id=\"");
    attribute(id, &mut out);
    out.push('"');
    // Writing into a `String` cannot fail.
    if let Some(bytes) = body.raw_bytes() {
        let _ = write!(out, " truncated=\"true\" raw_bytes=\"{bytes}\"");
    }
    out.push_str(" seal=\"");
    push_hex(seal, &mut out);
    out.push_str("\">");
    defuse::defuse(body.text(), &mut out);
    out.push_str("</tool_output seal=\"");
    push_hex(seal, &mut out);
    out.push_str("\">");
    out
}

/// A text that goes beside envelopes and not into one, with everything that reads like one defused: a model that was
/// told what to write could otherwise pass its words off as a tool's.
pub(crate) fn defused(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    defuse::defuse(text, &mut out);
    out
}

/// The text inside an envelope, as it was before it was sealed; a text without envelope is itself.
pub(crate) fn open(sealed: &str) -> Cow<'_, str> {
    let inside = || {
        let (tag, rest) = sealed.strip_prefix("<tool_output name=\"")?.split_once('>')?;
        let (_, seal) = tag.rsplit_once(" seal=")?;
        rest.strip_suffix('>')?.strip_suffix(seal)?.strip_suffix("</tool_output seal=")
    };
    let Some(body) = inside() else { return Cow::Borrowed(sealed) };
    let mut out = String::with_capacity(body.len());
    defuse::restore(body, &mut out);
    Cow::Owned(out)
}

/// Sixteen hex digits; a formatter would cost more than the rest of a small envelope.
fn push_hex(number: u64, out: &mut String) {
    for byte in number.to_be_bytes() {
        for nibble in [byte >> 4, byte & 15] {
            out.push(char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }));
        }
    }
}

/// Writes an attribute's value: letters, digits and plain ASCII as they are, all else as a reference.
fn attribute(value: &str, out: &mut String) {
    for c in value.chars().take(ATTRIBUTE) {
        match c {
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            ' '..='~' => out.push(c),
            _ if c.is_alphanumeric() && !holm_grants::is_hidden(c) => out.push(c),
            // Writing into a `String` cannot fail.
            _ => drop(write!(out, "&#x{:x};", u32::from(c))),
        }
    }
    if value.len() > ATTRIBUTE && value.chars().nth(ATTRIBUTE).is_some() {
        out.push_str("...");
    }
}
