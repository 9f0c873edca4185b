//! The reader that all types share: positions, numbers, lists and objects. Strings are read in
//! `text.rs`, values are skipped in `scan.rs`, and fields are found in `shape.rs`. It must stay
//! small and free of generics over types, because its size is the reason for this crate. The
//! nesting of typed values is bounded.

use alloc::borrow::Cow;
use alloc::string::ToString as _;
use core::fmt;

use crate::{ReadError, ReadErrorKind};

/// How deep typed lists and objects may nest. Skipped JSON inside them is not counted.
pub const MAX_DEPTH: u8 = 127;

/// Handles one member of an object. It receives the name, and must read the value.
pub type EachMember<'f, 'a> = dyn FnMut(&mut Reader<'a>, Cow<'a, str>) -> Result<(), ReadError> + 'f;

/// A position in a JSON text. Implementations of `Read` use it; other code does not need it.
#[derive(Debug)]
pub struct Reader<'a> {
    pub(crate) bytes: &'a [u8],
    /// The same bytes as text, if they are known to be UTF-8. One check of the whole is cheaper
    /// than one per string.
    text: Option<&'a str>,
    pub(crate) at: usize,
    depth: u8,
}

impl<'a> Reader<'a> {
    pub(crate) const fn of_text(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), text: Some(text), at: 0, depth: 0 }
    }

    pub(crate) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self { bytes, text: core::str::from_utf8(bytes).ok(), at: 0, depth: 0 }
    }

    /// The next byte that is not white space, without consuming it; zero at the end.
    pub fn peek(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
        self.byte()
    }

    /// Consumes a `null`, if there is one at this position.
    ///
    /// # Errors
    /// [`ReadError`] if another word starts with `n`.
    pub fn null(&mut self) -> Result<bool, ReadError> {
        if self.peek() != b'n' {
            return Ok(false);
        }
        self.skip()?;
        Ok(true)
    }

    /// Reads a whole number of at most `max`.
    ///
    /// # Errors
    /// [`ReadError`] for anything else.
    pub fn unsigned(&mut self, max: u64) -> Result<u64, ReadError> {
        self.peek();
        let start = self.at;
        let mut value = Some(0_u64);
        while let digit @ b'0'..=b'9' = self.byte() {
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        let leading = self.at > start + 1 && self.bytes.get(start) == Some(&b'0');
        match value {
            Some(value) if value <= max && self.at > start && !leading && !self.is_fraction() => Ok(value),
            _ => {
                self.at = start;
                Err(self.expected("a whole number in range"))
            }
        }
    }

    fn is_fraction(&self) -> bool {
        matches!(self.byte(), b'.' | b'e' | b'E')
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// [`ReadError`] for anything else.
    pub fn boolean(&mut self) -> Result<bool, ReadError> {
        let value = self.peek() == b't';
        if !value && self.byte() != b'f' {
            return Err(self.expected("true or false"));
        }
        self.skip()?;
        Ok(value)
    }

    /// Reads a list. `each` must read one item.
    ///
    /// # Errors
    /// [`ReadError`] if there is no list at this position, and the errors of `each`.
    pub fn items(
        &mut self,
        each: &mut dyn FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.enter(b'[', "a list")?;
        if self.peek() != b']' {
            loop {
                each(self)?;
                if !self.comma(b']')? {
                    break;
                }
            }
        }
        self.leave()
    }

    /// Reads an object. `each` receives a name and must read the value.
    ///
    /// # Errors
    /// [`ReadError`] if there is no object at this position, and the errors of `each`.
    pub fn members(&mut self, each: &mut EachMember<'_, 'a>) -> Result<(), ReadError> {
        self.enter(b'{', "an object")?;
        if self.peek() != b'}' {
            loop {
                let name = self.name()?;
                each(self, name)?;
                if !self.comma(b'}')? {
                    break;
                }
            }
        }
        self.leave()
    }

    /// An error for a value that its type rejects. It is for types that check more than their form.
    #[cold]
    pub fn refused(&self, reason: &dyn fmt::Display) -> ReadError {
        self.fail(ReadErrorKind::Refused(reason.to_string()))
    }

    /// Checks that only white space follows.
    pub(crate) fn end(&mut self) -> Result<(), ReadError> {
        self.peek();
        if self.at < self.bytes.len() { Err(self.fail(ReadErrorKind::Trailing)) } else { Ok(()) }
    }

    pub(crate) fn enter(&mut self, opening: u8, expected: &'static str) -> Result<(), ReadError> {
        if self.peek() != opening {
            return Err(self.expected(expected));
        }
        if self.depth == MAX_DEPTH {
            return Err(self.fail(ReadErrorKind::TooDeep));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Consumes the closing bracket, which the caller has already seen.
    pub(crate) fn leave(&mut self) -> Result<(), ReadError> {
        self.depth = self.depth.saturating_sub(1);
        self.at += 1;
        Ok(())
    }

    /// Whether another item follows.
    pub(crate) fn comma(&mut self, closing: u8) -> Result<bool, ReadError> {
        match self.peek() {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            found if found == closing => Ok(false),
            _ => Err(self.expected("`,` or a closing bracket")),
        }
    }

    pub(crate) fn name(&mut self) -> Result<Cow<'a, str>, ReadError> {
        if self.peek() != b'"' {
            return Err(self.expected("a name in double quotes"));
        }
        let name = self.string()?;
        self.colon()?;
        Ok(name)
    }

    pub(crate) fn colon(&mut self) -> Result<(), ReadError> {
        if self.peek() != b':' {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    /// The byte at this position; zero at the end, which is not valid JSON either.
    pub(crate) fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn slice(&self, start: usize, end: usize) -> Result<&'a str, ReadError> {
        let found = match self.text {
            Some(text) => text.get(start..end),
            None => self.bytes.get(start..end).and_then(|bytes| core::str::from_utf8(bytes).ok()),
        };
        found.ok_or_else(|| self.expected("UTF-8"))
    }

    #[cold]
    pub(crate) fn expected(&self, expected: &'static str) -> ReadError {
        let at_end = self.at >= self.bytes.len();
        self.fail(if at_end { ReadErrorKind::End } else { ReadErrorKind::Expected(expected) })
    }

    #[cold]
    pub(crate) fn fail(&self, kind: ReadErrorKind) -> ReadError {
        ReadError::new(kind, self.bytes, self.at)
    }
}
