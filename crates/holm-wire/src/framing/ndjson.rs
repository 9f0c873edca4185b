//! Newline-delimited JSON: one value per line, as Ollama streams. It splits lines and does not
//! check that a line is JSON: `ollama/stream.rs` reads it. A line may not be longer than the limit.

use alloc::vec::Vec;

use memchr::memchr;

use super::{FrameDecoder, FrameError, FrameLimits, StreamFrame};

/// Splits bytes at line feeds. Blank lines, a carriage return before the line feed, and a byte
/// order mark at the start are dropped.
///
/// ```
/// use holm_wire::framing::{FrameDecoder, ndjson::NdjsonDecoder};
///
/// let mut lines = Vec::new();
/// let mut decoder = NdjsonDecoder::default();
/// decoder.feed(b"{\"a\":1}\r\n{\"b\"", &mut |frame| lines.push(frame.data.to_vec()))?;
/// decoder.feed(b":2}\n", &mut |frame| lines.push(frame.data.to_vec()))?;
/// assert_eq!(lines, [b"{\"a\":1}", b"{\"b\":2}"]);
/// # Ok::<(), holm_wire::framing::FrameError>(())
/// ```
#[derive(Debug, Default)]
pub struct NdjsonDecoder {
    bounds: FrameLimits,
    carry: Vec<u8>,
    started: bool,
}

impl NdjsonDecoder {
    /// Creates a decoder with its own limits.
    pub fn new(bounds: FrameLimits) -> Self {
        Self { bounds, carry: Vec::new(), started: false }
    }

    fn line(&mut self, line: &[u8], sink: &mut dyn FnMut(StreamFrame<'_>)) {
        let line = if self.started { line } else { line.strip_prefix(BOM).unwrap_or(line) };
        self.started = true;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.trim_ascii().is_empty() {
            sink(StreamFrame { name: b"", data: line });
        }
    }

    const fn check(&self, more: usize) -> Result<(), FrameError> {
        if self.carry.len().saturating_add(more) > self.bounds.line {
            return Err(FrameError::Line { limit: self.bounds.line });
        }
        Ok(())
    }
}

impl FrameDecoder for NdjsonDecoder {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        let mut rest = bytes;
        while let Some(at) = memchr(b'\n', rest) {
            let (line, after) = rest.split_at(at);
            rest = after.get(1..).unwrap_or_default();
            self.check(line.len())?;
            if self.carry.is_empty() {
                self.line(line, sink);
            } else {
                let mut joined = core::mem::take(&mut self.carry);
                joined.extend_from_slice(line);
                self.line(&joined, sink);
                joined.clear();
                self.carry = joined;
            }
        }
        self.check(rest.len())?;
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    fn finish(&mut self, sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        let last = core::mem::take(&mut self.carry);
        self.line(&last, sink);
        Ok(())
    }
}

/// The byte order mark, which some servers on Windows send first.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";
