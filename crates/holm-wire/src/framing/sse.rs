//! Server-sent events, the streaming format of most providers. The rules are those of the HTML
//! standard.
//!
//! It does not reconnect, and gives `[DONE]` no meaning: the `stream.rs` of each format does. The
//! fast path for usual events must give the same frames as the path line by line. Names, lines and
//! data are bounded, because a server decides how long they are.
//!
//! What a frame means is decided in the `stream.rs` of each format, and limits that all framings
//! share are in `framing/mod.rs`.

use alloc::vec::Vec;

use memchr::{memchr, memchr2};

use super::{FrameDecoder, FrameError, FrameLimits, StreamFrame, ndjson::BOM};

/// The longest reconnection time that a server may ask for: a day. Larger values are reduced to it.
pub const MAX_RETRY_MS: u64 = 86_400_000;

/// The longest name of an event and the longest `id:`, in bytes. Real ones have some dozen letters.
/// Only a line and the data of an event may be large; nothing else that is kept may be.
pub const MAX_NAME: usize = 4 << 10;

/// Splits bytes into events by the rules of the HTML standard.
///
/// Lines end with LF, CR or CRLF. A byte order mark at the start, comments and unknown fields are
/// dropped. Several `data:` lines are joined by LF, and an event without data is not passed on. A
/// name longer than [`MAX_NAME`] is refused. A longer `id:` is ignored, like one that the
/// standard does not allow. An event with a single data line that lies completely in the fed
/// bytes is not copied.
///
/// ```
/// use holm_wire::framing::{FrameDecoder, sse::SseDecoder};
///
/// let mut seen = Vec::new();
/// let mut decoder = SseDecoder::default();
/// for piece in [&b"event: ping\nda"[..], b"ta: {}\r", b"\n\r\n: comment\n"] {
///     decoder.feed(piece, &mut |frame| seen.push((frame.name.to_vec(), frame.data.to_vec())))?;
/// }
/// assert_eq!(seen, [(b"ping".to_vec(), b"{}".to_vec())]);
/// # Ok::<(), holm_wire::framing::FrameError>(())
/// ```
#[derive(Debug, Default)]
pub struct SseDecoder {
    bounds: FrameLimits,
    carry: Vec<u8>,
    /// The current event, as far as it had to be copied.
    event: PendingEvent,
    /// The last line ended with CR, so a following LF belongs to it.
    after_cr: bool,
    /// The first line has been read, so a byte order mark no longer has a meaning.
    started: bool,
    id: Vec<u8>,
    retry: Option<u64>,
    /// The name of the last event of the usual form. The next one usually has the same.
    usual: Vec<u8>,
}

impl SseDecoder {
    /// Creates a decoder with its own limits.
    pub fn new(bounds: FrameLimits) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// The last `id:` so far; empty if there was no `id:`.
    pub fn last_id(&self) -> &[u8] {
        &self.id
    }

    /// The reconnection time that the server asks for, in milliseconds.
    pub const fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Parses one line. `held` is the data line of the current event while it still lies
    /// in the fed bytes.
    fn line<'c>(
        &mut self,
        line: &'c [u8],
        held: &mut Option<&'c [u8]>,
        sink: &mut dyn FnMut(StreamFrame<'_>),
    ) -> Result<(), FrameError> {
        if line.is_empty() {
            self.dispatch(held.take(), sink);
            return Ok(());
        }
        // Most lines are of these two kinds.
        if let Some(value) = line.strip_prefix(b"data:") {
            return self.data(value.strip_prefix(b" ").unwrap_or(value), held);
        }
        if let Some(value) = line.strip_prefix(b"event:") {
            return self.event.rename(value.strip_prefix(b" ").unwrap_or(value));
        }
        let (field, value) = field(line);
        match field {
            b"data" => return self.data(value, held),
            b"event" => return self.event.rename(value),
            b"id" if value.len() <= MAX_NAME && memchr(0, value).is_none() => {
                self.id.clear();
                self.id.extend_from_slice(value);
            }
            b"retry" => self.retry = milliseconds(value).or(self.retry),
            _ => {}
        }
        Ok(())
    }

    /// Adds a data line. The first one of an event is only remembered, in case it
    /// need not be copied.
    fn data<'c>(&mut self, value: &'c [u8], held: &mut Option<&'c [u8]>) -> Result<(), FrameError> {
        if self.event.lines == 0 && held.is_none() {
            *held = Some(value);
            return Ok(());
        }
        self.event.keep(held.take());
        self.event.keep(Some(value));
        if self.event.data.len() > self.bounds.frame {
            return Err(FrameError::Frame { limit: self.bounds.frame });
        }
        Ok(())
    }

    fn dispatch(&mut self, held: Option<&[u8]>, sink: &mut dyn FnMut(StreamFrame<'_>)) {
        if let Some(data) = held {
            sink(StreamFrame { name: &self.event.name, data });
        } else if self.event.lines > 0 {
            sink(StreamFrame { name: &self.event.name, data: &self.event.data });
        }
        self.event.clear();
    }

    /// Passes on complete events of the usual form: an optional name, one line of data, and a blank
    /// line. The rest begins with another form.
    fn usual_events<'c>(&mut self, bytes: &'c [u8], sink: &mut dyn FnMut(StreamFrame<'_>)) -> &'c [u8] {
        let mut rest = bytes;
        while let Some((frame, after)) = self.usual_event(rest) {
            sink(frame);
            self.started = true;
            rest = after;
        }
        rest
    }

    fn usual_event<'c>(&mut self, bytes: &'c [u8]) -> Option<(StreamFrame<'c>, &'c [u8])> {
        let (name, rest) = match bytes.strip_prefix(b"event: ") {
            Some(named) => self.usual_name(named)?,
            None => (&[][..], bytes),
        };
        let data = rest.strip_prefix(b"data: ")?;
        let (data, after) = data.split_at_checked(memchr2(b'\n', b'\r', data)?)?;
        let fits = name.len().max(data.len()) < self.bounds.line.saturating_sub(8);
        Some((StreamFrame { name, data }, after.strip_prefix(b"\n\n").filter(|_| fits)?))
    }

    fn usual_name<'c>(&mut self, named: &'c [u8]) -> Option<(&'c [u8], &'c [u8])> {
        let length = match named.strip_prefix(self.usual.as_slice()) {
            Some([b'\n', ..]) => self.usual.len(),
            _ => {
                let length = memchr2(b'\n', b'\r', named).filter(|length| *length <= MAX_NAME)?;
                self.usual.clear();
                self.usual.extend_from_slice(named.get(..length)?);
                length
            }
        };
        let (name, rest) = named.split_at_checked(length)?;
        Some((name, rest.strip_prefix(b"\n")?))
    }

    /// A line that began in an earlier feed. Its bytes are joined, and its data cannot be
    /// lent beyond this call.
    fn joined_line(&mut self, end: &[u8], sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        let mut joined = core::mem::take(&mut self.carry);
        joined.extend_from_slice(end);
        let mut held = None;
        let result = self.line(self.without_bom(&joined), &mut held, sink);
        self.event.keep(held);
        joined.clear();
        self.carry = joined;
        self.started = true;
        result
    }

    fn without_bom<'c>(&self, line: &'c [u8]) -> &'c [u8] {
        if self.started { line } else { line.strip_prefix(BOM).unwrap_or(line) }
    }

    const fn check(&self, more: usize) -> Result<(), FrameError> {
        if self.carry.len().saturating_add(more) > self.bounds.line {
            return Err(FrameError::Line { limit: self.bounds.line });
        }
        Ok(())
    }
}

impl FrameDecoder for SseDecoder {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        let mut rest = bytes;
        let mut held = None;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        loop {
            if held.is_none() && self.carry.is_empty() && self.event.is_empty() {
                rest = self.usual_events(rest, sink);
            }
            let Some(at) = line_length(rest) else { break };
            let (line, after) = rest.split_at(at);
            rest = match after {
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [b'\r', b'\n', next @ ..] | [_, next @ ..] => next,
                [] => &[],
            };
            self.check(line.len())?;
            if self.carry.is_empty() {
                let line = self.without_bom(line);
                self.started = true;
                self.line(line, &mut held, sink)?;
            } else {
                self.joined_line(line, sink)?;
            }
        }
        self.event.keep(held);
        self.check(rest.len())?;
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    fn finish(&mut self, sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        if !self.carry.is_empty() {
            self.joined_line(b"", sink)?;
        }
        self.dispatch(None, sink);
        Ok(())
    }
}

/// The part of an event that had to be copied.
#[derive(Debug, Default)]
struct PendingEvent {
    name: Vec<u8>,
    data: Vec<u8>,
    /// How many data lines `data` holds. One empty line is data too.
    lines: u64,
}

impl PendingEvent {
    fn keep(&mut self, line: Option<&[u8]>) {
        let Some(line) = line else { return };
        if self.lines > 0 {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(line);
        self.lines = self.lines.saturating_add(1);
    }

    fn is_empty(&self) -> bool {
        self.lines == 0 && self.name.is_empty()
    }

    fn rename(&mut self, name: &[u8]) -> Result<(), FrameError> {
        if name.len() > MAX_NAME {
            return Err(FrameError::Line { limit: MAX_NAME });
        }
        self.name.clear();
        self.name.extend_from_slice(name);
        Ok(())
    }

    fn clear(&mut self) {
        self.name.clear();
        self.data.clear();
        self.lines = 0;
    }
}

/// The length of the line that begins here, or `None` if its end has not arrived. Every second line
/// is blank and needs no search.
fn line_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\n', ..] => Some(0),
        _ => memchr2(b'\n', b'\r', bytes),
    }
}

/// Splits a line at its first colon; one space after the colon is not part of the value.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = memchr(b':', line) else { return (line, b"") };
    let (name, value) = line.split_at(colon);
    let value = value.get(1..).unwrap_or_default();
    (name, value.strip_prefix(b" ").unwrap_or(value))
}

/// A `retry:` value: digits only, at most [`MAX_RETRY_MS`].
fn milliseconds(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0'))));
    Some(value.min(MAX_RETRY_MS))
}
