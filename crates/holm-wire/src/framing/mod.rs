//! Splits a stream of bytes into frames.
//!
//! Bytes arrive split at any position: inside a character, between CR and LF, one at a time. A
//! framing keeps the unfinished part, reads every byte once, and lends out complete frames without
//! copying where possible. It refuses a line or a frame that would fill the memory.
//!
//! Where things are:
//! - `sse.rs`: server-sent events. `ndjson.rs`: one JSON value per line.
//! - `event_stream.rs`: AWS's binary messages. `event_stream/`: their headers and checksums.
//!
//! No framing reads JSON: the `stream.rs` of each format does. The limit on a whole reply is in
//! `stream.rs` of the crate.

pub mod event_stream;
pub mod ndjson;
pub mod sse;

#[cfg(test)]
mod tests;

/// The longest line. The longest real ones carry a generated image in base64, some 20 MiB.
pub const MAX_LINE: usize = 32 << 20;

/// The largest frame, with all of its data lines together.
pub const MAX_FRAME: usize = 32 << 20;

/// One complete frame, lent for the duration of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamFrame<'a> {
    /// The frame's kind, if the framing has one (`event:` of SSE, the headers of an
    /// event stream); empty otherwise.
    pub name: &'a [u8],
    /// The payload, not yet checked to be UTF-8.
    pub data: &'a [u8],
}

/// A way to split bytes into frames: SSE, NDJSON, or a vendor's binary event stream.
pub trait FrameDecoder {
    /// Takes the next bytes and passes on every frame that they complete.
    ///
    /// # Errors
    /// [`FrameError`] for invalid frames. The decoder must not be used afterwards.
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError>;

    /// Passes on the remaining bytes as a last frame. Some servers close the connection directly
    /// after the last line. The parser of the format detects a frame that was cut off.
    ///
    /// # Errors
    /// [`FrameError`] if the remaining bytes are invalid.
    fn finish(&mut self, sink: &mut dyn FnMut(StreamFrame<'_>)) -> Result<(), FrameError>;
}

/// The bytes cannot be split into frames: a line or a frame exceeds its limit, or
/// a frame is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A line is longer than the limit.
    #[error(
        "a line of the stream is longer than {limit} bytes; the server does not speak the expected format"
    )]
    Line {
        /// The limit in bytes.
        limit: usize,
    },
    /// A frame is longer than the limit.
    #[error(
        "an event of the stream is longer than {limit} bytes; the server does not speak the expected format"
    )]
    Frame {
        /// The limit in bytes.
        limit: usize,
    },
    /// The checksum or the lengths of a frame are wrong.
    #[error(
        "an event of the stream is damaged: {0}; something between here and the server changes or drops bytes"
    )]
    Damaged(event_stream::FrameDamage),
}

/// Limits on what a framing keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameLimits {
    /// The longest line in bytes.
    pub line: usize,
    /// The longest frame in bytes.
    pub frame: usize,
}

impl Default for FrameLimits {
    fn default() -> Self {
        Self { line: MAX_LINE, frame: MAX_FRAME }
    }
}
