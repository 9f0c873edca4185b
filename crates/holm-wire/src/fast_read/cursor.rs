//! A position in a frame, and the steps from there.
//!
//! It knows no type and no member's name: `values.rs` and the `wire.rs` of each format do. A step
//! may give up on valid JSON, but it must never accept what `holm-read` refuses, because then the
//! two readers would disagree.

use memchr::{memchr, memchr2};

/// How deep a skipped value may nest: one bit per level.
const MAX_DEPTH: u32 = 63;

/// Shorter searches compare eight bytes at a time; longer ones use a wide search.
const SHORT: usize = 24;

const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);

const SLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);

/// A position in JSON text. Every step returns `None` for anything unusual, and the cursor must
/// not be used afterwards.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    /// Whether the frame contains a backslash. Usually it does not, and strings end
    /// at the next quote.
    escapes: bool,
    /// Whether the whole frame is ASCII. Otherwise each name must be checked, because
    /// names must be UTF-8.
    ascii: bool,
}

impl<'a> Cursor<'a> {
    /// The beginning of a frame. `None` if it contains control characters: strings must not contain
    /// them, and few services put them between values.
    pub(super) fn new(frame: &'a [u8]) -> Option<Self> {
        // This does not return early, so that the compiler can compare many bytes at once.
        let (plain, bits) =
            frame.iter().fold((true, 0), |(plain, bits), byte| (plain & (*byte >= 0x20), bits | *byte));
        plain.then(|| Self { rest: frame, escapes: memchr(b'\\', frame).is_some(), ascii: bits.is_ascii() })
    }

    /// Whether only spaces follow.
    pub(super) fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The next byte that is not a space, without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        match self.rest {
            [b' ', ..] => self.peek_beyond_spaces(),
            [byte, ..] => Some(*byte),
            [] => None,
        }
    }

    #[cold]
    fn peek_beyond_spaces(&mut self) -> Option<u8> {
        let spaces = self.rest.iter().take_while(|byte| **byte == b' ').count();
        self.rest = self.rest.get(spaces..).unwrap_or_default();
        self.rest.first().copied()
    }

    /// Reads an object, member by member. The function must read each value.
    pub(crate) fn members(&mut self, mut each: impl FnMut(&'a [u8], &mut Self) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        if self.peek()? == b'}' {
            self.advance();
            return Some(());
        }
        self.take(b'"')?;
        loop {
            let name = self.name()?;
            if !self.ascii && !name.is_ascii() {
                return None;
            }
            each(name, self)?;
            // Without spaces, two bytes are enough to decide.
            match self.rest {
                [b',', b'"', after @ ..] => self.rest = after,
                [b'}', after @ ..] => {
                    self.rest = after;
                    return Some(());
                }
                _ => match self.next()? {
                    b',' => self.take(b'"')?,
                    b'}' => return Some(()),
                    _ => return None,
                },
            }
        }
    }

    /// Reads an array, item by item. The function must read each value.
    pub(super) fn items(&mut self, mut each: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        if self.peek()? == b']' {
            self.advance();
            return Some(());
        }
        loop {
            each(self)?;
            match self.peek()? {
                b',' => self.advance(),
                b']' => break,
                _ => return None,
            }
        }
        self.advance();
        Some(())
    }

    /// The content of a string, and whether it has escapes.
    #[inline]
    pub(super) fn string(&mut self) -> Option<(&'a [u8], bool)> {
        self.take(b'"')?;
        if self.escapes {
            return self.escaped_string();
        }
        let (inside, after) = self.rest.split_at_checked(quote(self.rest)?)?;
        self.rest = after.get(1..)?;
        Some((inside, false))
    }

    #[inline(never)]
    fn escaped_string(&mut self) -> Option<(&'a [u8], bool)> {
        let start = self.rest;
        let mut length = 0;
        let mut escaped = false;
        loop {
            let rest = start.get(length..)?;
            let plain = quote_or_slash(rest)?;
            length += plain;
            match rest.get(plain..)? {
                [b'"', after @ ..] => {
                    self.rest = after;
                    return Some((start.get(..length)?, escaped));
                }
                escape => {
                    escaped = true;
                    length += escape_length(escape)?;
                }
            }
        }
    }

    /// Consumes `null`, if it is at this position.
    pub(super) fn null(&mut self) -> bool {
        self.peek() == Some(b'n') && self.word(b"null").is_some()
    }

    /// Skips a value and returns its bytes.
    pub(crate) fn skip(&mut self) -> Option<&'a [u8]> {
        let first = self.peek()?;
        let from = self.rest;
        match first {
            b'{' | b'[' => self.nested()?,
            other => self.scalar(other)?,
        }
        from.get(..from.len().checked_sub(self.rest.len())?)
    }

    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        if self.peek()? != byte {
            return None;
        }
        self.advance();
        Some(())
    }

    /// Consumes the byte that was peeked.
    #[inline]
    fn advance(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    /// Consumes the next byte that is not a space.
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.advance();
        Some(byte)
    }

    /// A member's name, after its opening quote, and its colon.
    #[inline]
    fn name(&mut self) -> Option<&'a [u8]> {
        let (name, after) = self.rest.split_at_checked(quote(self.rest)?)?;
        if self.escapes && memchr(b'\\', name).is_some() {
            return None;
        }
        self.rest = match after {
            [b'"', b':', after @ ..] => after,
            _ => {
                self.rest = after.get(1..)?;
                self.take(b':')?;
                self.rest
            }
        };
        Some(name)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    #[inline]
    fn scalar(&mut self, first: u8) -> Option<()> {
        match first {
            b'"' => self.string().map(drop),
            b'n' => self.word(b"null"),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            _ => {
                self.rest = self.rest.get(number_length(self.rest)?..)?;
                Some(())
            }
        }
    }

    /// Skips an array or an object. One bit per level records which of both it is.
    fn nested(&mut self) -> Option<()> {
        let (mut kinds, mut depth) = (0_u64, 0_u32);
        loop {
            match self.peek()? {
                open @ (b'{' | b'[') => {
                    self.advance();
                    let object = open == b'{';
                    if self.peek()? != if object { b'}' } else { b']' } {
                        depth += 1;
                        if depth > MAX_DEPTH {
                            return None;
                        }
                        kinds = kinds << 1 | u64::from(object);
                        if object {
                            self.take(b'"')?;
                            self.name()?;
                        }
                        continue;
                    }
                    self.advance();
                }
                other => self.scalar(other)?,
            }
            // A value has ended, and the values around it may end too.
            loop {
                if depth == 0 {
                    return Some(());
                }
                let object = kinds & 1 == 1;
                match (self.next()?, object) {
                    (b',', true) => {
                        self.take(b'"')?;
                        self.name()?;
                        break;
                    }
                    (b',', false) => break,
                    (b'}', true) | (b']', false) => {
                        kinds >>= 1;
                        depth -= 1;
                    }
                    _ => return None,
                }
            }
        }
    }
}

/// The number of bytes before the next quote. Names and most values are short, and a wide search
/// costs more than it gains there.
#[inline]
fn quote(bytes: &[u8]) -> Option<usize> {
    let mut done = 0;
    while done < SHORT {
        let Some(word) = bytes.get(done..)?.first_chunk() else { break };
        let quotes = zeros(u64::from_le_bytes(*word) ^ QUOTES);
        if quotes != 0 {
            return Some(done + first_index(quotes));
        }
        done += 8;
    }
    Some(done + memchr(b'"', bytes.get(done..)?)?)
}

/// The number of bytes before the next quote or backslash.
fn quote_or_slash(bytes: &[u8]) -> Option<usize> {
    let word = bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    let found = zeros(word ^ QUOTES) | zeros(word ^ SLASHES);
    if found != 0 { Some(first_index(found)) } else { memchr2(b'"', b'\\', bytes) }
}

/// Sets the high bit of every byte that is zero. A borrow can set bits above a zero byte, and none
/// below, so the lowest bit is right.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(u64::from_le_bytes([1; 8])) & !word & u64::from_le_bytes([0x80; 8])
}

/// The index of the byte with the lowest bit.
const fn first_index(bits: u64) -> usize {
    (bits.trailing_zeros() / 8) as usize
}

/// The length of the escape that begins here.
fn escape_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
        [b'\\', b'u', a, b, c, d, ..] => {
            [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()).then_some(6)
        }
        _ => None,
    }
}

/// The length of the number that begins here.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let count = bytes.get(from..)?.iter().position(|byte| !byte.is_ascii_digit());
        let end = count.map_or(bytes.len(), |count| from + count);
        (end > from).then_some(end)
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut end = digits(start)?;
    if bytes.get(start) == Some(&b'0') && end > start + 1 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign)?;
    }
    Some(end)
}
