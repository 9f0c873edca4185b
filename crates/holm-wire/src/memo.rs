//! Reads a frame by comparing it with the one before.
//!
//! The pieces of a streamed text differ in that text, perhaps in an id, a time and random padding, and in nothing else; parsing the
//! same model and fingerprint for every token is most of the work. A memo keeps what stood around the text. A frame that matches is read by a
//! few comparisons; any doubt sends it back to the parser, so the result is the same on every input.

use alloc::{string::String, vec::Vec};

use memchr::{memchr, memchr2, memmem};

#[cfg(test)]
mod tests;

/// Members whose values no decoder reads from a frame of one text: they differ from frame to frame at some services, and are stepped over.
/// Inside a JSON string every quote is escaped, so these bytes are a member's name wherever they stand.
const UNREAD: [(&[u8], Hole); 5] = [
    (b"\"id\":\"", Hole::Word),
    (b"\"created\":", Hole::Digits),
    (b"\"sequence_number\":", Hole::Digits),
    (b"\"obfuscation\":\"", Hole::Word),
    (b"\"p\":\"", Hole::Word),
];

/// How many frames in a row are learnt although none was recalled.
const EAGER: u32 = 4;

/// After that only one frame in so many is learnt: a stream whose frames all differ should not pay for the copies.
const PATIENCE: u32 = 32;

/// What the last parsed frame looked like around its one text.
///
/// ```
/// use holm_wire::Memo;
///
/// let first = br#"{"id":"1","text":"Hel"}"#;
/// let mut memo = Memo::default();
/// memo.learn(first, core::str::from_utf8(&first[18..21]).unwrap(), ());
/// assert_eq!(memo.recall(br#"{"id":"2","text":"lo\n"}"#), Some(((), "lo\n")));
/// assert_eq!(memo.recall(br#"{"id":"3","text":"lo","end":true}"#), None);
/// ```
#[derive(Debug)]
pub struct Memo<K> {
    shape: Option<Shape<K>>,
    unescaped: String,
    /// Frames offered since the last one that was recalled.
    misses: u32,
}

#[derive(Debug)]
struct Shape<K> {
    /// What the text is.
    kind: K,
    /// What stands before the text, ending with its opening quote; often to the byte the same in the next frame.
    exact: Vec<u8>,
    /// The same, cut at what may differ.
    before: Vec<Piece>,
    /// What stands after it, beginning with its closing quote.
    after: Vec<Piece>,
}

/// Bytes that must be the same, and what follows them.
#[derive(Debug)]
struct Piece {
    same: Vec<u8>,
    then: Hole,
}

/// What may differ between two pieces.
#[derive(Debug, Clone, Copy)]
enum Hole {
    /// Nothing: the part ends here.
    End,
    /// Printable characters up to a quote.
    Word,
    Digits,
}

impl<K> Default for Memo<K> {
    fn default() -> Self {
        Self { shape: None, unescaped: String::new(), misses: 0 }
    }
}

impl<K: Copy> Memo<K> {
    /// Remembers a parsed frame whose only effect was that of `text`, a string value borrowed from it.
    ///
    /// The caller vouches that a frame which differs in this string alone has the effect of that other string alone, and
    /// that `id`, `created`, `sequence_number`, `obfuscation` and `p` have no effect at all. Where learning has not paid off, most frames are not learnt.
    pub fn learn(&mut self, frame: &[u8], text: &str, kind: K) {
        self.shape = None;
        self.misses = self.misses.wrapping_add(1);
        if self.misses > EAGER && !self.misses.is_multiple_of(PATIENCE) {
            return;
        }
        // Addresses are only compared: a text that is not part of the frame gives no place and is not learnt.
        let Some(at) = (text.as_ptr() as usize).checked_sub(frame.as_ptr() as usize) else { return };
        let (Some(before), Some(after)) = (frame.get(..at), frame.get(at.saturating_add(text.len())..))
        else {
            return;
        };
        if before.last() != Some(&b'"') || after.first() != Some(&b'"') {
            return;
        }
        self.shape = Some(Shape { kind, exact: before.into(), before: cut(before), after: cut(after) });
    }

    /// Forgets, after a frame of another shape.
    pub fn forget(&mut self) {
        self.shape = None;
    }

    /// The text of a frame that differs from the remembered one in its text and in unread members alone.
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

/// Cuts a part of a frame at its unread members, the first of each name.
fn cut(part: &[u8]) -> Vec<Piece> {
    let mut holes: Vec<(usize, usize, Hole)> = Vec::new();
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
        // One name can stand inside the value of another only if that value is no plain word.
        let Some(same) = part.get(done..from) else { continue };
        pieces.push(Piece { same: same.into(), then: hole });
        done = to;
    }
    pieces.push(Piece { same: part.get(done..).unwrap_or_default().into(), then: Hole::End });
    pieces
}

/// Steps over a remembered part; `None` if the bytes differ from it.
fn skip<'a>(frame: &'a [u8], part: &[Piece]) -> Option<&'a [u8]> {
    let mut rest = frame;
    for piece in part {
        rest = rest.strip_prefix(piece.same.as_slice())?;
        rest = rest.get(measure(rest, piece.then)?..)?;
    }
    Some(rest)
}

/// How many bytes a value takes that is stepped over; `None` if it is not of the simple kind.
fn measure(value: &[u8], hole: Hole) -> Option<usize> {
    match hole {
        Hole::End => Some(0),
        Hole::Word => {
            let end = memchr(b'"', value)?;
            all(value.get(..end)?, |byte| matches!(byte, b' '..=b'~') & (byte != b'\\')).then_some(end)
        }
        Hole::Digits => {
            let end = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let valid = end > 0 && (end == 1 || value.first() != Some(&b'0'));
            valid.then_some(end)
        }
    }
}

/// The inside of the string that begins here, and whether it holds escapes; `None` if it never ends or holds what no JSON string
/// holds.
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

/// Whether all bytes pass, without leaving early: the compiler turns this into wide comparisons.
fn all(bytes: &[u8], pass: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |so_far, byte| so_far & pass(*byte))
}

/// Undoes the escapes of JSON; `None` for anything that the parser should look at, such as halves of characters.
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

/// The character of four hexadecimal digits; a half of one is none.
fn hex(digits: &str) -> Option<char> {
    // A sign would be read as part of the number.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}
