//! Reads JSON strings, borrowed from the text where there are no escapes. Strings of
//! unknown fields are skipped in `scan.rs`. Half of a surrogate pair is an error.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;

use crate::scan::plain_length;
use crate::{ReadError, ReadErrorKind, Reader};

impl<'a> Reader<'a> {
    /// Reads a string. It borrows from the text if the string has no escapes.
    ///
    /// # Errors
    /// [`ReadError`] if there is no string at this position.
    pub fn string(&mut self) -> Result<Cow<'a, str>, ReadError> {
        if self.peek() != b'"' {
            return Err(self.expected("a string"));
        }
        self.at += 1;
        let start = self.at;
        self.at += plain_length(self.rest());
        let plain = self.slice(start, self.at)?;
        if self.byte() == b'"' {
            self.at += 1;
            return Ok(Cow::Borrowed(plain));
        }
        self.escaped(plain.to_owned()).map(Cow::Owned)
    }

    /// Reads the rest of a string from its first escape on.
    fn escaped(&mut self, mut out: String) -> Result<String, ReadError> {
        loop {
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                _ if self.at >= self.bytes.len() => return Err(self.fail(ReadErrorKind::End)),
                _ => return Err(self.expected("a closing quote")),
            }
            let start = self.at;
            self.at += plain_length(self.rest());
            out.push_str(self.slice(start, self.at)?);
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let escaped = self.byte();
        self.at += 1;
        Ok(match escaped {
            b'"' | b'\\' | b'/' => char::from(escaped),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code(),
            _ => return Err(self.expected("a JSON escape")),
        })
    }

    /// The character of one `\u` escape, or of a surrogate pair.
    fn code(&mut self) -> Result<char, ReadError> {
        let mut code = self.unit()?;
        if (0xd800..0xdc00).contains(&code) && self.rest().starts_with(b"\\u") {
            self.at += 2;
            let low = self.unit()?;
            if (0xdc00..0xe000).contains(&low) {
                code = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| self.expected("both halves of a surrogate pair"))
    }

    fn unit(&mut self) -> Result<u32, ReadError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = char::from(self.byte()).to_digit(16);
            code = code * 16 + digit.ok_or_else(|| self.expected("four hexadecimal digits"))?;
            self.at += 1;
        }
        Ok(code)
    }
}
