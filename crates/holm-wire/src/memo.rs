//! Reads a frame by comparing it with the one before.
//!
//! The pieces of a streamed text differ in that text and in nothing else; parsing the same id, model and fingerprint for every
//! token is most of the work. A memo keeps what stood before and after the text. A frame that matches is read by two comparisons; any doubt sends it back to the
//! parser, so the result is the same on every input.

use alloc::{string::String, vec::Vec};

use memchr::{memmem, memrchr};

/// Members that hold random padding, which providers add against length analysis: their text is not compared.
const PADDING: [&[u8]; 2] = [b"\"obfuscation\":\"", b"\"p\":\""];

/// What the last parsed frame looked like around its one text.
#[derive(Debug)]
pub struct Memo<K> {
    shape: Option<Shape<K>>,
    unescaped: String,
}

#[derive(Debug)]
struct Shape<K> {
    /// What the text is.
    kind: K,
    before: Vec<u8>,
    /// What follows the text, up to and including the quote that opens the padding if there is any.
    after: Vec<u8>,
    /// What follows the padding, beginning with its closing quote.
    end: Option<Vec<u8>>,
}

impl<K> Default for Memo<K> {
    fn default() -> Self {
        Self { shape: None, unescaped: String::new() }
    }
}

impl<K: Copy> Memo<K> {
    /// Remembers a parsed frame whose only effect was that of `text`, a string value borrowed from it.
    ///
    /// The caller vouches that a frame which differs in this string alone has the effect of that other string alone.
    pub fn learn(&mut self, frame: &[u8], text: &str, kind: K) {
        self.shape = None;
        // Addresses are only compared: a text that is not part of the frame gives no place and is not learnt.
        let Some(at) = (text.as_ptr() as usize).checked_sub(frame.as_ptr() as usize) else { return };
        let (Some(before), Some(after)) = (frame.get(..at), frame.get(at.saturating_add(text.len())..))
        else {
            return;
        };
        if before.last() != Some(&b'"') || after.first() != Some(&b'"') {
            return;
        }
        let (after, end) = split_padding(after);
        self.shape =
            Some(Shape { kind, before: before.into(), after: after.into(), end: end.map(Vec::from) });
    }

    /// Forgets, after a frame of another shape.
    pub fn forget(&mut self) {
        self.shape = None;
    }

    /// The text of a frame that differs from the remembered one in its text and padding alone.
    pub fn recall<'a>(&'a mut self, frame: &'a [u8]) -> Option<(K, &'a str)> {
        let shape = self.shape.as_ref()?;
        let rest = frame.strip_prefix(shape.before.as_slice())?;
        let rest = match &shape.end {
            None => rest,
            Some(end) => {
                let rest = rest.strip_suffix(end.as_slice())?;
                let (rest, padding) = rest.split_at_checked(memrchr(b'"', rest)?.saturating_add(1))?;
                if !padding.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'\\') {
                    return None;
                }
                rest
            }
        };
        let text = rest.strip_suffix(shape.after.as_slice())?;
        if text.iter().all(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
            return core::str::from_utf8(text).ok().map(|text| (shape.kind, text));
        }
        unescape(text, &mut self.unescaped)?;
        Some((shape.kind, &self.unescaped))
    }
}

/// Cuts what follows the text at the padding, if there is any that reaches a closing quote.
fn split_padding(after: &[u8]) -> (&[u8], Option<&[u8]>) {
    for name in PADDING {
        let Some(at) = memmem::find(after, name) else { continue };
        let Some((head, rest)) = after.split_at_checked(at.saturating_add(name.len())) else { continue };
        let Some(close) = memchr::memchr2(b'"', b'\\', rest) else { continue };
        let Some(end) = rest.get(close..).filter(|end| end.first() == Some(&b'"')) else { continue };
        // The padding is found again from the end of a frame by its last quote but those of the end.
        return (head, Some(end));
    }
    (after, None)
}

/// Undoes the short escapes of JSON; `None` for anything that the parser should look at.
fn unescape(text: &[u8], out: &mut String) -> Option<()> {
    out.clear();
    let text = core::str::from_utf8(text).ok()?;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        let (plain, special) = rest.split_at_checked(at)?;
        out.push_str(plain);
        let [b'\\', code, ..] = special.as_bytes() else { return None };
        out.push(match code {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => return None,
        });
        rest = special.get(2..)?;
    }
    out.push_str(rest);
    Some(())
}
