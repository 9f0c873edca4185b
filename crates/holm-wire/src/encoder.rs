//! Encodes request bodies from cached parts. Each message is encoded once per epoch of a run, and a
//! request copies the bytes.
//!
//! How a message looks is decided in the `request.rs` of each format, and commas and escapes in
//! `write.rs`. The bytes of a message must not change while the epoch lasts, because the prompt
//! caches of providers compare bytes. Only the tail of a [`MessageBuffer`] may change.

use alloc::{sync::Arc, vec::Vec};

use holm_kernel::{Messages, Offer};

use crate::{ModelCall, ProviderCodec, ProviderRequest};

#[cfg(test)]
mod tests;

/// Encodes the requests of one run for one codec, and keeps the bytes that it has encoded.
///
/// A host keeps one encoder for each run and codec. Dropping it costs only time.
#[derive(Debug)]
pub struct RequestEncoder {
    codec: Arc<dyn ProviderCodec>,
    view: Option<ViewCache>,
    tools: Option<(Arc<Offer>, Vec<u8>)>,
}

impl RequestEncoder {
    /// Creates an encoder with an empty cache.
    pub fn new(codec: Arc<dyn ProviderCodec>) -> Self {
        Self { codec, view: None, tools: None }
    }

    pub fn codec(&self) -> &Arc<dyn ProviderCodec> {
        &self.codec
    }

    /// Encodes one call. Messages that an earlier call of the same epoch encoded
    /// are not read again.
    pub fn encode(&mut self, call: &ModelCall<'_>) -> ProviderRequest {
        self.refresh_tools(&call.request.tools);
        let tools = self.tools.as_ref().map_or(&[][..], |(_, bytes)| bytes.as_slice());
        let codec = self.codec.as_ref();
        match &call.request.messages {
            Messages::Own(_) => {
                let mut transcript = MessageBuffer::default();
                for message in call.messages() {
                    codec.write_message(message, call.media, &mut transcript);
                }
                codec.assemble(call, &RequestParts { transcript: &transcript, tools })
            }
            Messages::View { epoch, .. } => {
                let messages = call.messages();
                let view = match &mut self.view {
                    Some(view) if view.epoch == *epoch && view.count <= messages.len() => view,
                    stale => stale.insert(ViewCache {
                        epoch: *epoch,
                        count: 0,
                        transcript: MessageBuffer::default(),
                    }),
                };
                for message in messages.get(view.count..).unwrap_or_default() {
                    codec.write_message(message, call.media, &mut view.transcript);
                }
                view.count = messages.len();
                codec.assemble(call, &RequestParts { transcript: &view.transcript, tools })
            }
        }
    }

    fn refresh_tools(&mut self, offer: &Arc<Offer>) {
        if let Some((kept, _)) = &self.tools
            && same_offer(kept, offer)
        {
            return;
        }
        let mut bytes = Vec::new();
        self.codec.write_tools(&offer.tools, &mut bytes);
        self.tools = Some((Arc::clone(offer), bytes));
    }
}

/// The encoded part of a view.
#[derive(Debug)]
struct ViewCache {
    epoch: u64,
    count: usize,
    transcript: MessageBuffer,
}

/// The encoded parts from which a body is assembled.
#[derive(Debug, Clone, Copy)]
pub struct RequestParts<'a> {
    pub transcript: &'a MessageBuffer,
    /// The tools, as [`ProviderCodec::write_tools`] wrote them; empty if there are none.
    pub tools: &'a [u8],
}

/// Encoded messages, joined as the inside of one JSON array. The end may still change.
///
/// Some formats require neighbouring messages of one role to be one message. They leave the last
/// message open: its closing brackets are the [tail](MessageBuffer::tail), which is sent with each
/// request, and becomes final only when the next message does not join it.
#[derive(Debug, Default)]
pub struct MessageBuffer {
    bytes: Vec<u8>,
    tail: Vec<u8>,
    group: &'static str,
    marks: Vec<CacheBreakpoint>,
}

/// A position where a cache breakpoint may be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheBreakpoint {
    /// The offset in the bytes, directly before the closing brace of a block.
    pub at: usize,
    /// The group that the block belongs to.
    pub group: &'static str,
}

impl MessageBuffer {
    /// The bytes that no later message changes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that close the messages if no more follow.
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// The open group; empty if none is open.
    pub const fn group(&self) -> &'static str {
        self.group
    }

    /// The positions for breakpoints, in order.
    pub fn marks(&self) -> &[CacheBreakpoint] {
        &self.marks
    }

    /// How many bytes a request needs for the messages.
    pub const fn len(&self) -> usize {
        self.bytes.len().saturating_add(self.tail.len())
    }

    /// Whether no message has been written.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.tail.is_empty()
    }

    /// The buffer for the next bytes.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The end that may still change.
    pub fn tail_mut(&mut self) -> &mut Vec<u8> {
        &mut self.tail
    }

    /// Makes the tail final and opens a group. The empty name opens none.
    pub fn settle(&mut self, group: &'static str) {
        self.bytes.append(&mut self.tail);
        self.group = group;
    }

    /// Records a position for a breakpoint. The last byte written must close a block
    /// that may carry one.
    pub fn mark(&mut self) {
        self.marks.push(CacheBreakpoint { at: self.bytes.len().saturating_sub(1), group: self.group });
    }

    /// Appends everything to a body.
    pub fn copy_into(&self, body: &mut Vec<u8>) {
        body.extend_from_slice(&self.bytes);
        body.extend_from_slice(&self.tail);
    }
}

/// Whether two offers hold the same declarations. Epochs belong to one run, so the
/// shared pointers are compared.
fn same_offer(kept: &Arc<Offer>, offer: &Arc<Offer>) -> bool {
    Arc::ptr_eq(kept, offer)
        || (kept.epoch == offer.epoch
            && kept.tools.len() == offer.tools.len()
            && kept.tools.iter().zip(&offer.tools).all(|(a, b)| Arc::ptr_eq(a, b)))
}
