//! The one writer: sorted names, no white space, number text as given, the fewest escapes.
//!
//! Its bytes are hashed and stored in journals, so they must never change, and there must be no
//! second writer for hashed values. It only writes; parsing is in `json/parse.rs`.

use alloc::string::String;
use core::fmt::{self, Write};

use super::Json;

impl Json {
    /// The canonical text: equal values give equal bytes in every host and under every build.
    ///
    /// ```
    /// use holm_guards::json::Json;
    ///
    /// assert_eq!(Json::parse(r#"{"b":1e2, "a":"\u00e9\/"}"#)?.canonical(), r#"{"a":"é/","b":1e2}"#);
    /// # Ok::<(), holm_guards::json::JsonParseError>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> String {
        // Room for a typical call, so that it is written without growing.
        let mut out = String::with_capacity(64);
        // Writing into a `String` cannot fail.
        let _ = write_value(self, &mut out);
        out
    }

    /// Whether `text` is this value's canonical text, found without writing it anywhere.
    ///
    /// A caller that holds the text of a parsed value can then keep it instead of a second copy.
    ///
    /// ```
    /// use holm_guards::json::Json;
    ///
    /// let text = r#"{"path":"a.txt"}"#;
    /// assert!(Json::parse(text)?.is_canonical_text(text));
    /// assert!(!Json::parse(text)?.is_canonical_text(r#"{ "path": "a.txt" }"#));
    /// # Ok::<(), holm_guards::json::JsonParseError>(())
    /// ```
    #[must_use]
    pub fn is_canonical_text(&self, text: &str) -> bool {
        let mut expected = TextComparer(text.as_bytes());
        write_value(self, &mut expected).is_ok() && expected.0.is_empty()
    }

    /// Writes the canonical text piece by piece, for hashing without a copy or into a buffer
    /// that is used again.
    ///
    /// # Errors
    /// Only those of `out`.
    pub fn write_canonical(&self, out: &mut impl Write) -> fmt::Result {
        write_value(self, out)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(self, f)
    }
}

/// A writer that accepts only the given text.
struct TextComparer<'a>(&'a [u8]);

impl Write for TextComparer<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(piece.as_bytes()).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// Writes `text` as a JSON string with its quotes.
///
/// Escapes the quote, the backslash and the control characters below U+0020 (short forms where JSON
/// has them, `\u00xx` in lower case otherwise); everything else is written unchanged.
///
/// # Errors
/// Only those of `out`.
///
/// ```
/// let mut out = String::new();
/// holm_guards::json::write_string("a\"b\u{1}\n", &mut out)?;
/// assert_eq!(out, r#""a\"b\u0001\n""#);
/// # Ok::<(), core::fmt::Error>(())
/// ```
pub fn write_string(text: &str, out: &mut (impl Write + ?Sized)) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    loop {
        let plain = plain_length(rest.as_bytes());
        out.write_str(rest.get(..plain).unwrap_or_default())?;
        let Some(special) = rest.as_bytes().get(plain) else { break };
        write_escape(*special, out)?;
        rest = rest.get(plain + 1..).unwrap_or_default();
    }
    out.write_char('"')
}

/// The number of bytes before the first one that a JSON string must escape.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let (head, tail) = bytes.split_at(bytes.len().min(BLOCK));
    // Most strings end here.
    if let Some(found) = head.iter().position(special) {
        return found;
    }
    // Without an exit from the inner loop the compiler handles a whole block at once; long texts
    // are mostly plain.
    let is_plain = |block: &&[u8]| !block.iter().fold(false, |found, byte| found | special(byte));
    let blocks = tail.chunks_exact(BLOCK).take_while(is_plain).count() * BLOCK;
    let rest = tail.get(blocks..).unwrap_or_default();
    head.len() + blocks + rest.iter().position(special).unwrap_or(rest.len())
}

/// Bytes examined together: what a vector register holds on every common machine.
const BLOCK: usize = 16;

fn write_escape(byte: u8, out: &mut (impl Write + ?Sized)) -> fmt::Result {
    match byte {
        b'"' => out.write_str("\\\""),
        b'\\' => out.write_str("\\\\"),
        0x08 => out.write_str("\\b"),
        0x0c => out.write_str("\\f"),
        b'\n' => out.write_str("\\n"),
        b'\r' => out.write_str("\\r"),
        b'\t' => out.write_str("\\t"),
        other => write!(out, "\\u{other:04x}"),
    }
}

fn write_value(value: &Json, out: &mut (impl Write + ?Sized)) -> fmt::Result {
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(true) => out.write_str("true"),
        Json::Bool(false) => out.write_str("false"),
        Json::Number(number) => out.write_str(number.as_str()),
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.write_char('[')?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                write_value(item, out)?;
            }
            out.write_char(']')
        }
        Json::Object(members) => {
            out.write_char('{')?;
            for (index, (name, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                write_string(name, out)?;
                out.write_char(':')?;
                write_value(member, out)?;
            }
            out.write_char('}')
        }
    }
}
