//! AWS's binary event stream: each message has its lengths, typed headers and two checksums.
//!
//! In a text stream, the JSON parser detects damage. Here, a flipped bit in a length would consume
//! the rest of the stream, so the prelude's checksum is verified before its lengths are used.
//!
//! What a message means is decided in `bedrock/stream.rs`. `headers.rs` reads the headers, and
//! `crc32.rs` computes the checksums. A message whose second checksum is wrong must not be passed
//! on.

mod crc32;
mod headers;

#[cfg(test)]
mod tests;

pub use crc32::crc32;
pub use headers::{EventHeaderValue, EventHeaders};

use alloc::vec::Vec;

use super::{FrameDecoder, FrameError, FrameLimits, StreamFrame};

/// Two lengths and the checksum over them.
const PRELUDE: usize = 12;

/// The checksum over everything, at the end.
const TRAILER: usize = 4;

/// The largest size of the headers that the format allows.
const MAX_HEADERS: usize = 128 << 10;

/// Splits bytes into messages. A frame's name holds the message's headers, to be read with
/// [`EventHeaders`]; its data is the payload.
///
/// ```
/// use holm_wire::framing::{FrameDecoder, event_stream::{EventStreamDecoder, EventHeaders, write}};
///
/// let mut bytes = Vec::new();
/// write(&[(":event-type", "messageStop")], b"{}", &mut bytes);
/// let mut kinds = Vec::new();
/// EventStreamDecoder::default().feed(&bytes, &mut |frame| {
///     kinds.extend(EventHeaders::new(frame.name).text(":event-type").map(String::from));
/// })?;
/// assert_eq!(kinds, ["messageStop"]);
/// # Ok::<(), holm_wire::framing::FrameError>(())
/// ```
#[derive(Debug, Default)]
pub struct EventStreamDecoder {
    bounds: FrameLimits,
    carry: Vec<u8>,
    /// The lengths of the current message, once its prelude has been checked.
    lengths: Option<PreludeLengths>,
}

impl EventStreamDecoder {
    /// Creates a decoder with its own limits.
    pub fn new(bounds: FrameLimits) -> Self {
        Self { bounds, carry: Vec::new(), lengths: None }
    }

    /// Takes the bytes that the current message still needs, and passes it on if it is complete.
    fn resume<'b>(
        &mut self,
        bytes: &'b [u8],
        sink: &mut dyn FnMut(StreamFrame<'_>),
    ) -> Result<&'b [u8], FrameError> {
        let mut rest = bytes;
        if self.lengths.is_none() {
            rest = self.take(PRELUDE, rest);
            let Some(prelude) = self.carry.first_chunk() else { return Ok(rest) };
            self.lengths = Some(PreludeLengths::read(prelude, self.bounds)?);
        }
        let Some(lengths) = self.lengths else { return Ok(rest) };
        rest = self.take(lengths.total, rest);
        if self.carry.len() == lengths.total {
            lengths.hand_on(&self.carry, sink)?;
            self.carry.clear();
            self.lengths = None;
        }
        Ok(rest)
    }

    fn take<'b>(&mut self, wanted: usize, bytes: &'b [u8]) -> &'b [u8] {
        let missing = wanted.saturating_sub(self.carry.len()).min(bytes.len());
        let (now, rest) = bytes.split_at(missing);
        self.carry.extend_from_slice(now);
        rest
    }
}

impl FrameDecoder for EventStreamDecoder {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.carry.is_empty()
                && let Some(prelude) = rest.first_chunk()
            {
                let lengths = PreludeLengths::read(prelude, self.bounds)?;
                if let Some((message, after)) = rest.split_at_checked(lengths.total) {
                    lengths.hand_on(message, sink)?;
                    rest = after;
                    continue;
                }
            }
            rest = self.resume(rest, sink)?;
        }
        Ok(())
    }

    /// Passes on nothing, because a message without its checksum is incomplete.
    fn finish(&mut self, _: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        self.carry.clear();
        self.lengths = None;
        Ok(())
    }
}

/// The checked content of a prelude.
#[derive(Debug, Clone, Copy)]
struct PreludeLengths {
    total: usize,
    headers: usize,
}

impl PreludeLengths {
    fn read(prelude: &[u8; PRELUDE], bounds: FrameLimits) -> Result<Self, FrameError> {
        let [a, b, c, d, e, f, g, h, sum @ ..] = *prelude;
        if crc32(&[a, b, c, d, e, f, g, h]) != u32::from_be_bytes(sum) {
            return Err(FrameError::Damaged(FrameDamage::Prelude));
        }
        let length = |bytes| usize::try_from(u32::from_be_bytes(bytes)).unwrap_or(usize::MAX);
        let (total, headers) = (length([a, b, c, d]), length([e, f, g, h]));
        if total > bounds.frame {
            return Err(FrameError::Frame { limit: bounds.frame });
        }
        let available = total.checked_sub(PRELUDE + TRAILER);
        if headers > MAX_HEADERS || available.is_none_or(|available| headers > available) {
            return Err(FrameError::Damaged(FrameDamage::Lengths));
        }
        Ok(Self { total, headers })
    }

    fn hand_on(self, message: &[u8], sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError> {
        let Some((content, sum)) = message.split_last_chunk::<TRAILER>() else {
            return Err(FrameError::Damaged(FrameDamage::Lengths));
        };
        if crc32(content) != u32::from_be_bytes(*sum) {
            return Err(FrameError::Damaged(FrameDamage::Message));
        }
        let content = content.get(PRELUDE..).unwrap_or_default();
        let (name, data) = content.split_at_checked(self.headers).unwrap_or_default();
        sink(StreamFrame { name, data });
        Ok(())
    }
}

/// How a message is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameDamage {
    /// The checksum over the lengths is wrong.
    #[error("the checksum of its lengths is wrong")]
    Prelude,
    /// The lengths contradict each other.
    #[error("its lengths contradict each other")]
    Lengths,
    /// The checksum over everything is wrong.
    #[error("the checksum of its content is wrong")]
    Message,
}

/// Writes one message whose headers are all texts. A header with a name or value that is too long
/// for the format is left out; the formats that use this have none.
pub fn write(headers: &[(&str, &str)], payload: &[u8], out: &mut Vec<u8>) {
    let mut block = Vec::new();
    for (name, value) in headers {
        let (Ok(name_length), Ok(value_length)) = (u8::try_from(name.len()), u16::try_from(value.len()))
        else {
            continue;
        };
        block.push(name_length);
        block.extend_from_slice(name.as_bytes());
        block.push(headers::TEXT);
        block.extend_from_slice(&value_length.to_be_bytes());
        block.extend_from_slice(value.as_bytes());
    }
    let total = block.len().saturating_add(payload.len()).saturating_add(PRELUDE + TRAILER);
    let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    let mut message = Vec::with_capacity(total);
    message.extend_from_slice(&length(total));
    message.extend_from_slice(&length(block.len()));
    message.extend_from_slice(&crc32(&message).to_be_bytes());
    message.extend_from_slice(&block);
    message.extend_from_slice(payload);
    message.extend_from_slice(&crc32(&message).to_be_bytes());
    out.append(&mut message);
}
