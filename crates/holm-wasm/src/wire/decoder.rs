//! Decodes one streamed reply.
//!
//! The formats are decoded in `holm-wire`; this file writes deltas and results as JSON. Bytes may
//! be split anywhere. After `finish` or `abort` the handle is used up. A failure of the provider is
//! a model result and not an error of the call; failures outside of a reply are in
//! `wire/failures.rs`.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use holm_kernel::{Failure, ModelResult, Reply, Usage};
use holm_wire::{StreamDecoder, StreamProgress, WireDelta};
use serde::Serialize;

use crate::{BindingError, BindingErrorKind, text};

/// Decodes one reply as its bytes arrive. Call `feed` repeatedly, and then
/// `finish` or `abort` once.
pub struct DecoderHandle {
    stream: Option<Box<dyn StreamDecoder>>,
    ended: bool,
}

impl DecoderHandle {
    pub(super) fn new(stream: Box<dyn StreamDecoder>) -> Self {
        Self { stream: Some(stream), ended: false }
    }

    /// Takes the next bytes, split at any position. Returns the deltas that they complete,
    /// as a JSON array.
    ///
    /// # Errors
    /// [`BindingErrorKind::Finished`] if the reply has already ended.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<String, BindingError> {
        let stream = self.stream.as_mut().ok_or_else(finished)?;
        let mut pieces = JsonArrayWriter::default();
        self.ended = stream.feed(bytes, &mut |delta| pieces.push(delta)) == StreamProgress::Ended;
        Ok(pieces.finish())
    }

    /// Whether the provider has ended the reply, so that no more bytes are needed.
    pub const fn ended(&self) -> bool {
        self.ended
    }

    /// The model result, once the bytes have ended. The last deltas are left out, because
    /// the reply contains them.
    ///
    /// # Errors
    /// [`BindingErrorKind::Finished`] if the reply has already ended.
    pub fn finish(&mut self) -> Result<String, BindingError> {
        let stream = self.stream.take().ok_or_else(finished)?;
        Ok(result_json(stream.finish(&mut |_| {})))
    }

    /// The model result of a call that was stopped on request: everything that had arrived.
    ///
    /// # Errors
    /// [`BindingErrorKind::Finished`] if the reply has already ended.
    pub fn abort(&mut self) -> Result<String, BindingError> {
        let stream = self.stream.take().ok_or_else(finished)?;
        Ok(text::json(&ModelResult::Aborted(stream.abort())))
    }
}

impl fmt::Debug for DecoderHandle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("DecoderHandle").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// A model result in the form that `model_finished` takes.
pub(super) fn result_json(result: Result<Reply, Failure>) -> String {
    text::json(&match result {
        Ok(reply) => ModelResult::Replied(reply),
        Err(failure) => ModelResult::Failed(failure),
    })
}

fn finished() -> BindingError {
    BindingError::new(
        BindingErrorKind::Finished,
        "the reply was finished or stopped already; ask the codec for a new decoder",
    )
}

/// A [`WireDelta`] in its serde form.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum DeltaView<'a> {
    Text { offset: u64, text: &'a str },
    Thinking { offset: u64, text: &'a str },
    ToolCallStarted { index: u64, id: &'a str, name: &'a str },
    ToolArguments { index: u64, offset: u64, text: &'a str },
    Usage(Usage),
}

/// Builds the text of a JSON array, item by item.
#[derive(Default)]
struct JsonArrayWriter(String);

impl JsonArrayWriter {
    fn push(&mut self, delta: WireDelta<'_>) {
        let piece = match delta {
            WireDelta::Text { offset, text } => DeltaView::Text { offset, text },
            WireDelta::Thinking { offset, text } => DeltaView::Thinking { offset, text },
            WireDelta::ToolCallStarted { index, id, name } => DeltaView::ToolCallStarted { index, id, name },
            WireDelta::ToolArguments { index, offset, text } => {
                DeltaView::ToolArguments { index, offset, text }
            }
            WireDelta::Usage(usage) => DeltaView::Usage(usage),
        };
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        self.0.push_str(&text::json(&piece));
    }

    fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('[');
        }
        self.0.push(']');
        self.0
    }
}
