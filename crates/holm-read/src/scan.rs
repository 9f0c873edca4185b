//! Skips JSON values without interpreting them. The grammar of JSON is still checked. Values that a
//! type reads are in `reader.rs` and `text.rs`. It uses no recursion, so that deep nesting cannot
//! fill the stack.

use alloc::vec::Vec;

use crate::{ReadError, ReadErrorKind, Reader};

impl<'a> Reader<'a> {
    /// Skips one value of any kind, however deep it nests.
    ///
    /// # Errors
    /// [`ReadError`] if there is no JSON value at this position.
    pub fn skip(&mut self) -> Result<(), ReadError> {
        let mut open = Vec::new();
        loop {
            match self.peek() {
                b'{' | b'[' => {
                    let (opening, closing) = (self.peek(), self.peek() + 2);
                    self.at += 1;
                    if self.peek() != closing {
                        open.push(closing);
                        if opening == b'{' {
                            self.skip_name()?;
                        }
                        continue;
                    }
                    self.at += 1;
                }
                b'"' => self.skip_string()?,
                b'-' | b'0'..=b'9' => self.skip_number()?,
                _ => self.skip_word()?,
            }
            // The value has ended, and the values around it may end too.
            loop {
                let Some(closing) = open.last().copied() else { return Ok(()) };
                match self.peek() {
                    b',' => {
                        self.at += 1;
                        if closing == b'}' {
                            self.skip_name()?;
                        }
                        break;
                    }
                    found if found == closing => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return Err(self.expected("`,` or a closing bracket")),
                }
            }
        }
    }

    /// The JSON text of the value at this position.
    ///
    /// # Errors
    /// The errors of [`skip`](Self::skip), and an error if the text is not UTF-8.
    pub fn raw(&mut self) -> Result<&'a str, ReadError> {
        self.peek();
        let start = self.at;
        self.skip()?;
        self.slice(start, self.at)
    }

    fn skip_name(&mut self) -> Result<(), ReadError> {
        if self.peek() != b'"' {
            return Err(self.expected("a name in double quotes"));
        }
        self.skip_string()?;
        self.colon()
    }

    fn skip_string(&mut self) -> Result<(), ReadError> {
        self.at += 1;
        loop {
            self.at += plain_length(self.rest());
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => {
                    let rest = self.rest();
                    let Some(length) = escape_length(rest) else {
                        // An escape that is cut off at the end of the text counts as a missing end,
                        // and not as an invalid escape.
                        let cut = rest.len() < 6 && rest.iter().skip(2).all(u8::is_ascii_hexdigit);
                        self.at += if cut { rest.len() } else { 0 };
                        return Err(self.expected("a JSON escape"));
                    };
                    self.at += length;
                }
                _ => return Err(self.expected("a closing quote")),
            }
        }
    }

    /// Skips a number according to the grammar of JSON.
    pub(crate) fn skip_number(&mut self) -> Result<(), ReadError> {
        if self.byte() == b'-' {
            self.at += 1;
        }
        let first = self.byte();
        let digit_count = self.digits()?;
        if first == b'0' && digit_count > 1 {
            return Err(self.expected("a number without leading zeros"));
        }
        if self.byte() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.byte(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<usize, ReadError> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.expected("a digit")) } else { Ok(count) }
    }

    fn skip_word(&mut self) -> Result<(), ReadError> {
        let word =
            ["null", "true", "false"].into_iter().find(|word| self.rest().starts_with(word.as_bytes()));
        let Some(word) = word else {
            // A word that is cut off at the end of the text counts as a missing end, and not as an
            // invalid word.
            let cut =
                ["null", "true", "false"].into_iter().any(|word| word.as_bytes().starts_with(self.rest()));
            return Err(if cut { self.fail(ReadErrorKind::End) } else { self.expected("a JSON value") });
        };
        self.at += word.len();
        Ok(())
    }
}

/// The number of bytes before the next quote, backslash or control character. It reads eight bytes
/// at a time, because texts are long.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    const fn all(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    // Sets the high bit of every byte that is zero. A borrow can set bits above a zero byte, and
    // none below.
    const fn zeros(word: u64) -> u64 {
        word.wrapping_sub(all(1)) & !word & all(0x80)
    }
    let mut done = 0;
    while let Some(chunk) = bytes.get(done..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        let control = word.wrapping_sub(all(0x20)) & !word & all(0x80);
        let found = zeros(word ^ all(b'"')) | zeros(word ^ all(b'\\')) | control;
        if found != 0 {
            return done + (found.trailing_zeros() / 8) as usize;
        }
        done += 8;
    }
    let rest = bytes.get(done..).unwrap_or_default();
    done + rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count()
}

fn escape_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
        [_, b'u', digits @ ..] => digits.get(..4)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}
