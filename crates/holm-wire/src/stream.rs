//! From bytes to a reply: the one loop that every streaming format shares.
//!
//! A format says what one frame means ([`Events`]); this module knows what all of them have in common: bytes that are no
//! stream at all, an end that comes too early, an error in the middle, a reply that never ends.

use alloc::{boxed::Box, format, string::String, string::ToString, vec::Vec};

use holm_kernel::{Failure, FailureClass, Reply};

use crate::{
    Draft, Sink, classify, delta,
    framing::{Frame, Framing, MAX_FRAME},
};

mod values;

#[cfg(test)]
mod tests;

/// The most bytes one reply may take on the wire: a thousand times a long answer, and still no danger to the host.
pub const MAX_STREAM: u64 = 256 << 20;

/// The most that is kept of one reply, as [`Draft::kept`] counts. Events carry a few letters in hundreds of bytes, so the bound on
/// the wire alone would let a provider fill the memory with large ones. Two of the largest pictures fit, and the
/// journal can hold the rest.
pub const MAX_REPLY: u64 = 48 << 20;

/// Decodes the body of one streamed reply.
///
/// Feed bytes until [`Progress::Ended`] or the end of the connection, then call [`finish`](StreamDecoder::finish).
pub trait StreamDecoder: Send {
    /// Takes the next bytes, cut anywhere.
    fn feed(&mut self, bytes: &[u8], sink: Sink<'_>) -> Progress;

    /// The reply, once the bytes have ended.
    ///
    /// # Errors
    /// The classified failure: the provider's own error, or [`FailureClass::Truncated`] if its end never came.
    fn finish(self: Box<Self>, sink: Sink<'_>) -> Result<Reply, Failure>;

    /// What had arrived, for a call that is stopped on request. Calls whose arguments are cut off are left out.
    fn abort(self: Box<Self>) -> Reply;
}

/// Whether more bytes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    More,
    /// The provider ended or failed the reply; further bytes are ignored.
    Ended,
}

/// What the frames of one format mean.
pub trait Events: Send {
    /// First bytes of a body that is not framed at all: an error object, a whole reply, a web page.
    const UNFRAMED: &'static [u8];

    fn event(&mut self, frame: Frame<'_>, draft: &mut Draft, sink: Sink<'_>) -> Step;

    /// Reads a body that holds the whole reply, for servers that do not stream although they were asked to.
    ///
    /// # Errors
    /// The classified failure.
    fn whole(&self, body: &[u8]) -> Result<Reply, Failure>;

    /// Whether a stream that ends here without its last event counts as finished.
    fn is_complete(&self, draft: &Draft) -> bool {
        let _ = draft;
        false
    }
}

/// What a frame led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    More,
    /// The provider's own end.
    End,
    /// The provider's own error.
    Fail(Box<Failure>),
    /// The frame is not what the format allows. In the middle of a stream that is a failure; at its end it is a frame
    /// that was cut.
    Garbage,
}

impl Step {
    pub fn fail(failure: Failure) -> Self {
        Self::Fail(Box::new(failure))
    }
}

/// A decoder made of a framing and a format's events.
#[derive(Debug)]
pub struct Stream<F, E> {
    framing: F,
    events: E,
    draft: Draft,
    phase: Phase,
    bytes: u64,
    frames: u64,
}

#[derive(Debug)]
enum Phase {
    /// Nothing but white space so far. It is kept, because only what follows says whether the framing should see it.
    Sniffing(Vec<u8>),
    Framed,
    /// Not framed: kept and read as a whole.
    Unframed(Vec<u8>),
    Ended,
    Failed(Box<Failure>),
}

impl<F: Framing + Send, E: Events> Stream<F, E> {
    /// A decoder at the start of a body.
    pub fn new(framing: F, events: E) -> Self {
        Self {
            framing,
            events,
            draft: Draft::default(),
            phase: Phase::Sniffing(Vec::new()),
            bytes: 0,
            frames: 0,
        }
    }

    /// Looks for the first byte that says what the body is.
    fn sniff(&mut self, bytes: &[u8], sink: Sink<'_>) {
        let Phase::Sniffing(blank) = &mut self.phase else { return };
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf);
        let at = bytes.iter().position(|byte| !is_blank(byte)).unwrap_or(bytes.len());
        if let Some(body) = bytes.get(at..)
            && let Some(first) = body.first()
        {
            if E::UNFRAMED.contains(first) {
                self.phase = Phase::Unframed(Vec::new());
                return self.body(body);
            }
            let blank = core::mem::take(blank);
            self.phase = Phase::Framed;
            self.frames(&blank, sink);
            return self.frames(bytes, sink);
        }
        if blank.len().saturating_add(bytes.len()) > MAX_FRAME {
            return self.fail(FailureClass::Server, &format!("the reply begins with {MAX_FRAME} blanks"));
        }
        blank.extend_from_slice(bytes);
    }

    /// Keeps more of a body that is not framed.
    fn body(&mut self, bytes: &[u8]) {
        let Phase::Unframed(body) = &mut self.phase else { return };
        if body.len().saturating_add(bytes.len()) > MAX_FRAME {
            return self.fail(FailureClass::Server, &format!("the reply is longer than {MAX_FRAME} bytes"));
        }
        body.extend_from_slice(bytes);
    }

    fn frames(&mut self, bytes: &[u8], sink: Sink<'_>) {
        let Self { framing, events, draft, phase, frames, .. } = self;
        let cut = framing.feed(bytes, &mut |frame| {
            if matches!(phase, Phase::Ended | Phase::Failed(_)) {
                return;
            }
            *frames = frames.saturating_add(1);
            if let Err(failure) = check_values(frame.data) {
                *phase = Phase::Failed(Box::new(failure));
                return;
            }
            match events.event(frame, draft, sink) {
                Step::More | Step::End if draft.kept() > MAX_REPLY => {
                    let message = format!("the reply holds more than {MAX_REPLY} bytes");
                    *phase = Phase::Failed(Box::new(classify::failure(FailureClass::Server, &message)));
                }
                Step::More => {}
                Step::End => *phase = Phase::Ended,
                Step::Fail(failure) => *phase = Phase::Failed(failure),
                Step::Garbage => *phase = Phase::Failed(Box::new(garbage(frame.data, *frames))),
            }
        });
        if let Err(error) = cut {
            self.fail(FailureClass::Server, &error.to_string());
        }
    }

    fn last_frames(&mut self, sink: Sink<'_>) {
        let Self { framing, events, draft, phase, .. } = self;
        // What cannot be read here was cut off, which the phase then says.
        let _ = framing.finish(&mut |frame| {
            if matches!(phase, Phase::Ended | Phase::Failed(_)) || check_values(frame.data).is_err() {
                return;
            }
            match events.event(frame, draft, sink) {
                Step::More | Step::Garbage => {}
                Step::End => *phase = Phase::Ended,
                Step::Fail(failure) => *phase = Phase::Failed(failure),
            }
        });
    }

    fn fail(&mut self, class: FailureClass, message: &str) {
        self.phase = Phase::Failed(Box::new(classify::failure(class, message)));
    }

    fn count(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        if self.bytes > MAX_STREAM {
            self.fail(FailureClass::Server, &format!("the reply is longer than {MAX_STREAM} bytes"));
        }
    }

    fn whole(self, body: &[u8], sink: Sink<'_>) -> Result<Reply, Failure> {
        if let Some(failure) = classify::web_page(body) {
            return Err(failure);
        }
        check_values(body)?;
        let reply = self.events.whole(body)?;
        delta::replay(&reply, sink);
        Ok(reply)
    }
}

impl<F: Framing + Send, E: Events> StreamDecoder for Stream<F, E> {
    fn feed(&mut self, bytes: &[u8], sink: Sink<'_>) -> Progress {
        if matches!(self.phase, Phase::Ended | Phase::Failed(_)) {
            return Progress::Ended;
        }
        self.count(bytes);
        match &self.phase {
            Phase::Sniffing(_) => self.sniff(bytes, sink),
            Phase::Framed => self.frames(bytes, sink),
            Phase::Unframed(_) => self.body(bytes),
            Phase::Ended | Phase::Failed(_) => {}
        }
        if matches!(self.phase, Phase::Ended | Phase::Failed(_)) { Progress::Ended } else { Progress::More }
    }

    fn finish(mut self: Box<Self>, sink: Sink<'_>) -> Result<Reply, Failure> {
        if matches!(self.phase, Phase::Framed) {
            self.last_frames(sink);
        }
        match core::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Ended => Ok(self.draft.into_reply()),
            Phase::Unframed(body) => self.whole(&body, sink),
            Phase::Failed(failure) => Err(Failure { usage: self.draft.usage_so_far(), ..*failure }),
            Phase::Sniffing(_) | Phase::Framed if self.events.is_complete(&self.draft) => {
                Ok(self.draft.into_reply())
            }
            Phase::Sniffing(_) | Phase::Framed => {
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

/// Looks whether a frame or a whole body can be parsed without filling the memory.
///
/// # Errors
/// The failure, if it holds too many values.
pub fn check_values(text: &[u8]) -> Result<(), Failure> {
    if values::too_many(text) {
        let message = format!("the reply holds more than {} values in one piece", values::MAX_VALUES);
        return Err(classify::failure(FailureClass::Server, &message));
    }
    Ok(())
}

fn garbage(data: &[u8], place: u64) -> Failure {
    let start = String::from_utf8_lossy(data.get(..80).unwrap_or(data));
    let message = format!("event {place} of the stream cannot be read; it begins {start:?}");
    classify::failure(FailureClass::Server, &message)
}
