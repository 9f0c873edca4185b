//! A fast path that reads a frame by comparing it with the previous one.
//!
//! The frames of a streamed text differ only in that text, and perhaps in an id, a time and random
//! padding. Parsing the same model and fingerprint for every token is most of the work. A memo
//! keeps the bytes around the text. A matching frame is read with a few comparisons; in any doubt,
//! the parser reads it, so the result is the same for every input.
//!
//! It decides nothing about a format: the `stream.rs` of a format says which frames may be learnt.
//! A frame that is recalled must have exactly the effect that the parser would give it;
//! `fuzz/src/decoders.rs` compares the two. For reading single frames fast, see `fast_read.rs`.

use alloc::{string::String, vec::Vec};

use memchr::{memchr, memchr2, memmem};

#[cfg(test)]
mod tests;

/// Members that no decoder reads from a frame with one text. They differ from frame to frame at
/// some services, and are skipped. Quotes inside a JSON string are always escaped, so these bytes
/// are a member's name wherever they occur.
const UNREAD: [(&[u8], TemplateGap); 5] = [
    (b"\"id\":\"", TemplateGap::Word),
    (b"\"created\":", TemplateGap::Digits),
    (b"\"sequence_number\":", TemplateGap::Digits),
    (b"\"obfuscation\":\"", TemplateGap::Word),
    (b"\"p\":\"", TemplateGap::Word),
];

/// How many frames in a row are learnt although no frame matched.
const EAGER: u32 = 4;

/// After that, only one in this many frames is learnt. A stream whose frames all differ should not
/// pay for the copies.
const PATIENCE: u32 = 32;

/// The bytes around the text of the last parsed frame.
///
/// ```
/// use holm_wire::FrameMemo;
///
/// let first = br#"{"id":"1","text":"Hel"}"#;
/// let mut memo = FrameMemo::default();
/// memo.learn(first, core::str::from_utf8(&first[18..21]).unwrap(), ());
/// assert_eq!(memo.recall(br#"{"id":"2","text":"lo\n"}"#), Some(((), "lo\n")));
/// assert_eq!(memo.recall(br#"{"id":"3","text":"lo","end":true}"#), None);
/// ```
#[derive(Debug)]
pub struct FrameMemo<K> {
    shape: Option<FrameTemplate<K>>,
    unescaped: String,
    /// The number of frames since the last match.
    misses: u32,
}

#[derive(Debug)]
struct FrameTemplate<K> {
    /// The kind of the text.
    kind: K,
    /// The bytes before the text, including its opening quote. The next frame often
    /// has exactly the same.
    exact: Vec<u8>,
    /// The same bytes, split at the parts that may differ.
    before: Vec<TemplateSegment>,
    /// The bytes after the text, including its closing quote.
    after: Vec<TemplateSegment>,
}

/// Bytes that must be equal, and what follows them.
#[derive(Debug)]
struct TemplateSegment {
    same: Vec<u8>,
    then: TemplateGap,
}

/// What may differ between two segments.
#[derive(Debug, Clone, Copy)]
enum TemplateGap {
    /// Nothing, because the part ends here.
    End,
    /// Printable characters up to a quote.
    Word,
    Digits,
}

impl<K> Default for FrameMemo<K> {
    fn default() -> Self {
        Self { shape: None, unescaped: String::new(), misses: 0 }
    }
}

impl<K: Copy> FrameMemo<K> {
    /// Remembers a parsed frame whose only effect was that of `text`, a string
    /// value borrowed from it.
    ///
    /// The caller guarantees that a frame which differs only in this string has only the effect of
    /// the other string, and that `id`, `created`, `sequence_number`, `obfuscation` and `p` have no
    /// effect. If learning has not paid off, most frames are not learnt.
    pub fn learn(&mut self, frame: &[u8], text: &str, kind: K) {
        self.shape = None;
        self.misses = self.misses.wrapping_add(1);
        if self.misses > EAGER && !self.misses.is_multiple_of(PATIENCE) {
            return;
        }
        // The addresses are only compared. A text outside of the frame has no position and is not
        // learnt.
        let Some(at) = (text.as_ptr() as usize).checked_sub(frame.as_ptr() as usize) else { return };
        let (Some(before), Some(after)) = (frame.get(..at), frame.get(at.saturating_add(text.len())..))
        else {
            return;
        };
        if before.last() != Some(&b'"') || after.first() != Some(&b'"') {
            return;
        }
        self.shape =
            Some(FrameTemplate { kind, exact: before.into(), before: cut(before), after: cut(after) });
    }

    /// Forgets the frame, after a frame of another shape.
    pub fn forget(&mut self) {
        self.shape = None;
    }

    /// The text of a frame that differs from the remembered one only in its text
    /// and in unread members.
    pub fn recall<'a>(&'a mut self, frame: &'a [u8]) -> Option<(K, &'a str)> {
        let shape = self.shape.as_ref()?;
        let rest = frame.strip_prefix(shape.exact.as_slice()).or_else(|| skip(frame, &shape.before))?;
        let (text, escaped) = string(rest)?;
        if !skip(rest.get(text.len()..)?, &shape.after)?.is_empty() {
            return None;
        }
        let kind = shape.kind;
        let text = core::str::from_utf8(text).ok()?;
        if !escaped {
            self.misses = 0;
            return Some((kind, text));
        }
        unescape(text, &mut self.unescaped)?;
        self.misses = 0;
        Some((kind, &self.unescaped))
    }
}

/// Splits a part of a frame at its unread members, the first of each name.
fn cut(part: &[u8]) -> Vec<TemplateSegment> {
    let mut holes: Vec<(usize, usize, TemplateGap)> = Vec::new();
    for (name, hole) in UNREAD {
        let Some(at) = memmem::find(part, name).map(|at| at.saturating_add(name.len())) else { continue };
        let value = part.get(at..).unwrap_or_default();
        if let Some(length) = measure(value, hole) {
            holes.push((at, at.saturating_add(length), hole));
        }
    }
    holes.sort_unstable_by_key(|(from, _, _)| *from);
    let mut pieces = Vec::with_capacity(holes.len().saturating_add(1));
    let mut done = 0;
    for (from, to, hole) in holes {
        // A name can occur inside the value of another member only if that value is not a plain
        // word.
        let Some(same) = part.get(done..from) else { continue };
        pieces.push(TemplateSegment { same: same.into(), then: hole });
        done = to;
    }
    pieces
        .push(TemplateSegment { same: part.get(done..).unwrap_or_default().into(), then: TemplateGap::End });
    pieces
}

/// Skips a remembered part. `None` if the bytes differ from it.
fn skip<'a>(frame: &'a [u8], part: &[TemplateSegment]) -> Option<&'a [u8]> {
    let mut rest = frame;
    for segment in part {
        rest = rest.strip_prefix(segment.same.as_slice())?;
        rest = rest.get(measure(rest, segment.then)?..)?;
    }
    Some(rest)
}

/// The length of a value that is skipped. `None` if it is not of the simple kind.
fn measure(value: &[u8], hole: TemplateGap) -> Option<usize> {
    match hole {
        TemplateGap::End => Some(0),
        TemplateGap::Word => {
            let end = memchr(b'"', value)?;
            all(value.get(..end)?, |byte| matches!(byte, b' '..=b'~') & (byte != b'\\')).then_some(end)
        }
        TemplateGap::Digits => {
            let end = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let valid = end > 0 && (end == 1 || value.first() != Some(&b'0'));
            valid.then_some(end)
        }
    }
}

/// The content of the string that begins here, and whether it has escapes. `None` if it does not
/// end, or contains bytes that JSON does not allow.
fn string(rest: &[u8]) -> Option<(&[u8], bool)> {
    let mut at = 0_usize;
    let mut escaped = false;
    loop {
        let found = at.checked_add(memchr2(b'"', b'\\', rest.get(at..)?)?)?;
        if rest.get(found) == Some(&b'"') {
            let inside = rest.get(..found)?;
            return all(inside, |byte| byte >= 0x20).then_some((inside, escaped));
        }
        escaped = true;
        at = found.checked_add(2)?;
    }
}

/// Whether all bytes pass. It does not return early, so that the compiler can use wide comparisons.
fn all(bytes: &[u8], pass: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |so_far, byte| so_far & pass(*byte))
}

/// Decodes JSON escapes. `None` for anything that the parser should handle, such as surrogates.
pub(crate) fn unescape(text: &str, out: &mut String) -> Option<()> {
    out.clear();
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (plain, special) = rest.split_at_checked(at)?;
        out.push_str(plain);
        let [b'\\', code, ..] = special.as_bytes() else { return None };
        let mut taken = 2;
        out.push(match code {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                taken = 6;
                hex(special.get(2..6)?)?
            }
            _ => return None,
        });
        rest = special.get(taken..)?;
    }
    out.push_str(rest);
    Some(())
}

/// The character of four hexadecimal digits. `None` for a surrogate.
fn hex(digits: &str) -> Option<char> {
    // `from_str_radix` would accept a sign.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}
