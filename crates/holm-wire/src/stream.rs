//! Decodes a stream of bytes into a reply. All streaming formats share this loop.
//!
//! A format defines the meaning of one frame ([`EventReader`]). This module handles what all formats
//! have in common: bodies that are not streams, streams that end too early, errors in the middle,
//! and replies that never end.
//!
//! Splitting bytes into frames belongs in `framing/`, joining pieces in `draft.rs`, and the class
//! of an error in `classify/`. The limits here and in `framing/mod.rs` must hold for every format,
//! because a provider decides how much it sends. A stream without an end that its format accepts is
//! `Truncated` and never a reply.

use alloc::{boxed::Box, format, string::String, string::ToString, vec::Vec};

use holm_kernel::{Failure, FailureClass, Reply};

use crate::{
    ReplyDraft, WireDeltaSink, classify, delta,
    framing::{FrameDecoder, MAX_FRAME, StreamFrame},
};

mod values;

#[cfg(test)]
mod tests;

/// The largest number of bytes of one reply on the wire: a thousand times a long answer, and still
/// safe for the host.
pub const MAX_STREAM: u64 = 256 << 20;

/// The largest number of bytes kept of one reply, as [`ReplyDraft::kept`] counts them. Frames normally
/// carry a few letters in hundreds of bytes, so the limit on the wire alone would let a provider
/// fill the memory with large ones. It is enough for two of the largest images, and the journal
/// can hold the result.
pub const MAX_REPLY: u64 = 48 << 20;

/// Decodes the body of one streamed reply.
///
/// Feed bytes until [`StreamProgress::Ended`] or the end of the connection. Then call
/// the method [`finish`](StreamDecoder::finish) once.
pub trait StreamDecoder: Send {
    /// Takes the next bytes, split at any position.
    fn feed(&mut self, bytes: &[u8], sink: WireDeltaSink<'_>) -> StreamProgress;

    /// The reply, after the last bytes.
    ///
    /// # Errors
    /// The classified failure: the provider's own error, or [`FailureClass::Truncated`] if
    /// the end is missing.
    fn finish(self: Box<Self>, sink: WireDeltaSink<'_>) -> Result<Reply, Failure>;

    /// The content so far, for a call that is stopped on request. Calls with incomplete
    /// arguments are left out.
    fn abort(self: Box<Self>) -> Reply;
}

/// Whether the decoder needs more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamProgress {
    More,
    /// The provider ended or failed the reply; further bytes are ignored.
    Ended,
}

/// Interprets the frames of one format.
pub trait EventReader: Send {
    /// The first bytes of a body that is not framed: an error object, a complete reply,
    /// or a web page.
    const UNFRAMED: &'static [u8];

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome;

    /// Reads a body with the complete reply, for servers that ignore the request to stream.
    ///
    /// # Errors
    /// The classified failure of the call.
    fn whole(&self, body: &[u8]) -> Result<Reply, Failure>;

    /// Whether a stream that ends here without its last event counts as complete.
    fn is_complete(&self, draft: &ReplyDraft) -> bool {
        let _ = draft;
        false
    }
}

/// The result of one frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameOutcome {
    More,
    /// The provider ended the reply.
    End,
    /// The provider reported an error.
    Fail(Box<Failure>),
    /// The format does not allow this frame. In the middle of a stream, it is a failure; at the
    /// end, it is a frame that was cut off.
    Garbage,
}

impl FrameOutcome {
    pub fn fail(failure: Failure) -> Self {
        Self::Fail(Box::new(failure))
    }
}

/// A decoder that combines a framing with the events of a format.
#[derive(Debug)]
pub struct FramedDecoder<F, E> {
    framing: F,
    events: E,
    draft: ReplyDraft,
    phase: DecoderPhase,
    bytes: u64,
    frames: u64,
}

#[derive(Debug)]
enum DecoderPhase {
    /// Only white space so far. It is kept, because only the next bytes show whether
    /// the framing needs it.
    Sniffing(Vec<u8>),
    Framed,
    /// The body is not framed. It is collected and read as a whole.
    Unframed(Vec<u8>),
    Ended,
    Failed(Box<Failure>),
}

impl<F: FrameDecoder + Send, E: EventReader> FramedDecoder<F, E> {
    /// Creates a decoder at the start of a body.
    pub fn new(framing: F, events: E) -> Self {
        Self {
            framing,
            events,
            draft: ReplyDraft::default(),
            phase: DecoderPhase::Sniffing(Vec::new()),
            bytes: 0,
            frames: 0,
        }
    }

    /// Looks for the first byte that shows what the body is.
    fn sniff(&mut self, bytes: &[u8], sink: WireDeltaSink<'_>) {
        let DecoderPhase::Sniffing(blank) = &mut self.phase else { return };
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf);
        let at = bytes.iter().position(|byte| !is_blank(byte)).unwrap_or(bytes.len());
        if let Some(body) = bytes.get(at..)
            && let Some(first) = body.first()
        {
            if E::UNFRAMED.contains(first) {
                self.phase = DecoderPhase::Unframed(Vec::new());
                return self.body(body);
            }
            let blank = core::mem::take(blank);
            self.phase = DecoderPhase::Framed;
            self.frames(&blank, sink);
            return self.frames(bytes, sink);
        }
        if blank.len().saturating_add(bytes.len()) > MAX_FRAME {
            return self.fail(FailureClass::Server, &format!("the reply begins with {MAX_FRAME} blanks"));
        }
        blank.extend_from_slice(bytes);
    }

    /// Collects more of a body that is not framed.
    fn body(&mut self, bytes: &[u8]) {
        let DecoderPhase::Unframed(body) = &mut self.phase else { return };
        if body.len().saturating_add(bytes.len()) > MAX_FRAME {
            return self.fail(FailureClass::Server, &format!("the reply is longer than {MAX_FRAME} bytes"));
        }
        body.extend_from_slice(bytes);
    }

    fn frames(&mut self, bytes: &[u8], sink: WireDeltaSink<'_>) {
        let Self { framing, events, draft, phase, frames, .. } = self;
        let cut = framing.feed(bytes, &mut |frame| {
            if matches!(phase, DecoderPhase::Ended | DecoderPhase::Failed(_)) {
                return;
            }
            *frames = frames.saturating_add(1);
            if let Err(failure) = check_values(frame.data) {
                *phase = DecoderPhase::Failed(Box::new(failure));
                return;
            }
            match events.event(frame, draft, sink) {
                FrameOutcome::More | FrameOutcome::End if draft.kept() > MAX_REPLY => {
                    let message = format!("the reply holds more than {MAX_REPLY} bytes");
                    *phase =
                        DecoderPhase::Failed(Box::new(classify::failure(FailureClass::Server, &message)));
                }
                FrameOutcome::More => {}
                FrameOutcome::End => *phase = DecoderPhase::Ended,
                FrameOutcome::Fail(failure) => *phase = DecoderPhase::Failed(failure),
                FrameOutcome::Garbage => {
                    *phase = DecoderPhase::Failed(Box::new(garbage(frame.data, *frames)));
                }
            }
        });
        if let Err(error) = cut {
            self.fail(FailureClass::Server, &error.to_string());
        }
    }

    fn last_frames(&mut self, sink: WireDeltaSink<'_>) {
        let Self { framing, events, draft, phase, .. } = self;
        // A frame that cannot be read here was cut off, and the phase reports that.
        let _ = framing.finish(&mut |frame| {
            if matches!(phase, DecoderPhase::Ended | DecoderPhase::Failed(_))
                || check_values(frame.data).is_err()
            {
                return;
            }
            match events.event(frame, draft, sink) {
                FrameOutcome::More | FrameOutcome::Garbage => {}
                FrameOutcome::End => *phase = DecoderPhase::Ended,
                FrameOutcome::Fail(failure) => *phase = DecoderPhase::Failed(failure),
            }
        });
    }

    fn fail(&mut self, class: FailureClass, message: &str) {
        self.phase = DecoderPhase::Failed(Box::new(classify::failure(class, message)));
    }

    fn count(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        if self.bytes > MAX_STREAM {
            self.fail(FailureClass::Server, &format!("the reply is longer than {MAX_STREAM} bytes"));
        }
    }

    fn whole(self, body: &[u8], sink: WireDeltaSink<'_>) -> Result<Reply, Failure> {
        if let Some(failure) = classify::web_page(body) {
            return Err(failure);
        }
        check_values(body)?;
        let reply = self.events.whole(body)?;
        delta::replay(&reply, sink);
        Ok(reply)
    }
}

impl<F: FrameDecoder + Send, E: EventReader> StreamDecoder for FramedDecoder<F, E> {
    fn feed(&mut self, bytes: &[u8], sink: WireDeltaSink<'_>) -> StreamProgress {
        if matches!(self.phase, DecoderPhase::Ended | DecoderPhase::Failed(_)) {
            return StreamProgress::Ended;
        }
        self.count(bytes);
        match &self.phase {
            DecoderPhase::Sniffing(_) => self.sniff(bytes, sink),
            DecoderPhase::Framed => self.frames(bytes, sink),
            DecoderPhase::Unframed(_) => self.body(bytes),
            DecoderPhase::Ended | DecoderPhase::Failed(_) => {}
        }
        if matches!(self.phase, DecoderPhase::Ended | DecoderPhase::Failed(_)) {
            StreamProgress::Ended
        } else {
            StreamProgress::More
        }
    }

    fn finish(mut self: Box<Self>, sink: WireDeltaSink<'_>) -> Result<Reply, Failure> {
        if matches!(self.phase, DecoderPhase::Framed) {
            self.last_frames(sink);
        }
        match core::mem::replace(&mut self.phase, DecoderPhase::Ended) {
            DecoderPhase::Ended => Ok(self.draft.into_reply()),
            DecoderPhase::Unframed(body) => self.whole(&body, sink),
            DecoderPhase::Failed(failure) => Err(Failure { usage: self.draft.usage_so_far(), ..*failure }),
            DecoderPhase::Sniffing(_) | DecoderPhase::Framed if self.events.is_complete(&self.draft) => {
                Ok(self.draft.into_reply())
            }
            DecoderPhase::Sniffing(_) | DecoderPhase::Framed => {
                let message = format!(
                    "the stream ended after {} bytes and {} events without the provider's own end",
                    self.bytes, self.frames
                );
                Err(Failure {
                    usage: self.draft.usage_so_far(),
                    ..classify::failure(FailureClass::Truncated, &message)
                })
            }
        }
    }

    fn abort(self: Box<Self>) -> Reply {
        self.draft.into_partial()
    }
}

/// Checks that a frame or a whole body can be parsed without filling the memory.
///
/// # Errors
/// The failure, if the text contains too many values.
pub fn check_values(text: &[u8]) -> Result<(), Failure> {
    if values::too_many(text) {
        let message = format!("the reply holds more than {} values in one piece", values::MAX_VALUES);
        return Err(classify::failure(FailureClass::Server, &message));
    }
    Ok(())
}

fn garbage(data: &[u8], number: u64) -> Failure {
    let start = String::from_utf8_lossy(data.get(..80).unwrap_or(data));
    let message = format!("event {number} of the stream cannot be read; it begins {start:?}");
    classify::failure(FailureClass::Server, &message)
}
