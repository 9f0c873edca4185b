//! The typed headers of a message, parsed on demand. Lengths and checksums are verified before, in
//! `framing/event_stream.rs`, and what a header means is decided in `bedrock/stream.rs`. Headers
//! are untrusted bytes: a length beyond the end ends the list and never panics.

/// The type number of a text.
pub(super) const TEXT: u8 = 7;

/// The headers of one message, parsed on demand. A header that cannot be parsed ends the list,
/// because the position of the next one is unknown.
///
/// ```
/// use holm_wire::framing::event_stream::EventHeaders;
///
/// let headers = EventHeaders::new(b"\x05:kind\x07\x00\x05event\x04done\x00");
/// assert_eq!(headers.text(":kind"), Some("event"));
/// assert_eq!(headers.text("done"), None);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct EventHeaders<'a> {
    rest: &'a [u8],
}

/// A header's value: a text, or the bytes of any other type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventHeaderValue<'a> {
    Text(&'a str),
    /// Another type, with its number and its bytes.
    Other(u8, &'a [u8]),
}

impl<'a> EventHeaders<'a> {
    /// The headers in these bytes, which are the name of a
    /// [`StreamFrame`](crate::framing::StreamFrame).
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The text of the first header of this name.
    pub fn text(mut self, name: &str) -> Option<&'a str> {
        self.find_map(|(found, value)| match value {
            EventHeaderValue::Text(text) if found == name => Some(text),
            EventHeaderValue::Text(_) | EventHeaderValue::Other(..) => None,
        })
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (now, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(now)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn sized(&mut self) -> Option<&'a [u8]> {
        let size = self.take(2)?.first_chunk().copied()?;
        self.take(usize::from(u16::from_be_bytes(size)))
    }

    fn read(&mut self) -> Option<(&'a str, EventHeaderValue<'a>)> {
        let size = self.byte()?;
        let name = core::str::from_utf8(self.take(usize::from(size))?).ok()?;
        let kind = self.byte()?;
        let value = match kind {
            0 | 1 => &[],
            2 => self.take(1)?,
            3 => self.take(2)?,
            4 => self.take(4)?,
            5 | 8 => self.take(8)?,
            6 => self.sized()?,
            TEXT => return Some((name, EventHeaderValue::Text(core::str::from_utf8(self.sized()?).ok()?))),
            9 => self.take(16)?,
            _ => return None,
        };
        Some((name, EventHeaderValue::Other(kind, value)))
    }
}

impl<'a> Iterator for EventHeaders<'a> {
    type Item = (&'a str, EventHeaderValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let header = self.read();
        if header.is_none() {
            self.rest = &[];
        }
        header
    }
}
