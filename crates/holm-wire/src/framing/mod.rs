//! Where one message of a stream ends and the next begins.
//!
//! Bytes arrive cut at any place: inside a character, between CR and LF, one at a time. A framing keeps what is unfinished, looks at every
//! byte once, lends out whole frames without copying them where it can, and refuses a line or a frame that
//! would fill the memory.

pub mod event_stream;
pub mod ndjson;
pub mod sse;

#[cfg(test)]
mod tests;

/// The longest line. The largest real ones carry a generated picture in base64, some 20 MiB.
pub const MAX_LINE: usize = 32 << 20;

/// The longest frame, all of its data lines together.
pub const MAX_FRAME: usize = 32 << 20;

/// One whole frame, lent for the length of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The frame's kind where the framing has one (`event:` of SSE, an event stream's headers); empty otherwise.
    pub name: &'a [u8],
    /// The payload, not yet checked to be UTF-8.
    pub data: &'a [u8],
}

/// A way to cut bytes into frames: SSE, NDJSON, a vendor's binary event stream.
pub trait Framing {
    /// Takes the next bytes and hands on every frame that they complete.
    ///
    /// # Errors
    /// [`FrameError`]; the decoder is of no use afterwards.
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Frame<'_>)) -> Result<(), FrameError>;

    /// Hands on what stands between the last frame's end and the end of the bytes, as if its end had come.
    /// Servers that close the connection directly after the last line exist; a frame cut in the middle is recognised
    /// by whoever parses it.
    ///
    /// # Errors
    /// [`FrameError`].
    fn finish(&mut self, sink: &mut dyn FnMut(Frame<'_>)) -> Result<(), FrameError>;
}

/// The bytes cannot be cut into frames: a line or a frame beyond its bound, or a frame that arrived damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// No line end within the bound.
    #[error(
        "a line of the stream is longer than {limit} bytes; the server does not speak the expected format"
    )]
    Line {
        /// The bound in bytes.
        limit: usize,
    },
    /// No frame end within the bound.
    #[error(
        "an event of the stream is longer than {limit} bytes; the server does not speak the expected format"
    )]
    Frame {
        /// The bound in bytes.
        limit: usize,
    },
    /// A frame whose checksum or lengths do not fit.
    #[error(
        "an event of the stream is damaged: {0}; something between here and the server changes or drops bytes"
    )]
    Damaged(event_stream::Damage),
}

/// Bounds on what a framing keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The longest line in bytes.
    pub line: usize,
    /// The longest frame in bytes.
    pub frame: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { line: MAX_LINE, frame: MAX_FRAME }
    }
}
