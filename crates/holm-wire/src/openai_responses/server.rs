//! The server side of Responses: writes replies, streamed and whole, and numbers the events.
//!
//! The items are written in `items.rs`, requests are read in `request_reader.rs`, and routes and
//! sessions are in `holm-server/src/routes/openai/mod.rs`. The last event repeats all finished
//! items. Calls may be interleaved, so each is found by its own index.

use alloc::{boxed::Box, collections::BTreeMap, format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, Reply, StopReason, Usage};

use super::{
    REPLAY,
    items::{
        ResponsesCallItem, ResponsesContentKind, ResponsesStatus, ResponsesTextKind, call_item, item_id,
        message_item, part, reasoning_item, stem, whole_item, write_place, write_response,
    },
    request_reader,
};
use crate::{
    WireDelta,
    openai_chat::write_error,
    server::{CompletionRequest, ReplyHead, ReplyStream, RequestBodyError, ServerCodec, pieces, status},
    write::ObjectWriter,
};

/// The server side of Responses.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenaiResponsesServerCodec;

impl ServerCodec for OpenaiResponsesServerCodec {
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        request_reader::read(&RequestBodyError::parse(body)?)
    }

    fn stream(&self, head: ReplyHead) -> Box<dyn ReplyStream> {
        Box::new(OpenaiResponsesReplyStream {
            head,
            sequence: 0,
            items: Vec::new(),
            open: None,
            calls: BTreeMap::new(),
            voice: ResponsesContentKind::Answer,
        })
    }

    fn reply(&self, head: &ReplyHead, reply: &Reply) -> Vec<u8> {
        let voice = ResponsesContentKind::of(reply.stop);
        let items: Vec<Vec<u8>> = (0_u64..)
            .zip(&reply.blocks)
            .filter_map(|(index, block)| whole_item(head, index, block, voice))
            .collect();
        let mut out = Vec::new();
        let end = ResponsesStatus::of(reply.stop);
        write_response(head, &end, &items, Some(reply.usage), &mut out);
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        write_error(failure, &mut out);
        (status(failure.class), out)
    }
}

/// Writes a streamed reply.
#[derive(Debug)]
pub struct OpenaiResponsesReplyStream {
    head: ReplyHead,
    /// The next event's number; 0 until the reply has started.
    sequence: u64,
    /// The finished items, which the last event repeats. An open item has an empty entry.
    items: Vec<Vec<u8>>,
    open: Option<ResponsesOpenText>,
    /// The open calls by their index. Deltas of several calls may be interleaved.
    calls: BTreeMap<u64, ResponsesOpenCall>,
    voice: ResponsesContentKind,
}

/// The open text or reasoning item.
#[derive(Debug)]
struct ResponsesOpenText {
    kind: ResponsesTextKind,
    index: u64,
    id: String,
    text: String,
}

#[derive(Debug)]
struct ResponsesOpenCall {
    index: u64,
    item: ResponsesCallItem,
}

impl OpenaiResponsesReplyStream {
    fn event(&mut self, name: &str, out: &mut Vec<u8>, members: impl FnOnce(&mut ObjectWriter<'_>)) {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        let mut object = ObjectWriter::open(out);
        object.string("type", name);
        object.number("sequence_number", self.sequence);
        members(&mut object);
        object.close();
        out.extend_from_slice(b"\n\n");
        self.sequence = self.sequence.saturating_add(1);
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.sequence > 0 {
            return;
        }
        let mut response = Vec::new();
        write_response(&self.head, &ResponsesStatus::Running, &[], None, &mut response);
        for name in ["response.created", "response.in_progress"] {
            self.event(name, out, |object| object.raw("response", &response));
        }
    }

    /// Announces an item and returns its index.
    fn add(&mut self, item: impl FnOnce(u64) -> Vec<u8>, out: &mut Vec<u8>) -> u64 {
        self.begin(out);
        let index = self.items.len() as u64;
        let item = item(index);
        self.items.push(Vec::new());
        self.event("response.output_item.added", out, |object| {
            object.number("output_index", index);
            object.raw("item", item);
        });
        index
    }

    fn finish(&mut self, index: u64, item: Vec<u8>, out: &mut Vec<u8>) {
        self.event("response.output_item.done", out, |object| {
            object.number("output_index", index);
            object.raw("item", &item);
        });
        if let Some(slot) = usize::try_from(index).ok().and_then(|index| self.items.get_mut(index)) {
            *slot = item;
        }
    }

    /// Opens a text or reasoning item.
    fn open(&mut self, kind: ResponsesTextKind, out: &mut Vec<u8>) {
        if self.open.as_ref().is_some_and(|open| open.kind == kind) {
            return;
        }
        self.close(None, out);
        let id = item_id(
            &self.head,
            if kind == ResponsesTextKind::Text { "msg" } else { "rs" },
            self.items.len() as u64,
        );
        let item = match kind {
            ResponsesTextKind::Text => message_item(&id, "in_progress", None),
            ResponsesTextKind::Thinking => reasoning_item(&id, "", None),
        };
        let index = self.add(|_| item, out);
        let voice = self.voice;
        let name = match kind {
            ResponsesTextKind::Text => "response.content_part.added",
            ResponsesTextKind::Thinking => "response.reasoning_summary_part.added",
        };
        self.event(name, out, |object| {
            write_place(kind, &id, index, object);
            object.raw("part", part(kind, voice, ""));
        });
        self.open = Some(ResponsesOpenText { kind, index, id, text: String::new() });
    }

    fn piece(&mut self, kind: ResponsesTextKind, text: &str, out: &mut Vec<u8>) {
        self.open(kind, out);
        let Some(mut open) = self.open.take() else { return };
        open.text.push_str(text);
        let stem = stem(kind, self.voice);
        self.event(&format!("{stem}.delta"), out, |object| {
            write_place(kind, &open.id, open.index, object);
            object.string("delta", text);
        });
        self.open = Some(open);
    }

    /// Closes the text or reasoning item. `replay` is data that only finished reasoning has.
    fn close(&mut self, replay: Option<&Json>, out: &mut Vec<u8>) {
        let Some(open) = self.open.take() else { return };
        let (kind, voice) = (open.kind, self.voice);
        let member = if kind == ResponsesTextKind::Text { voice.words().1 } else { "text" };
        self.event(&format!("{}.done", stem(kind, voice)), out, |object| {
            write_place(kind, &open.id, open.index, object);
            object.string(member, &open.text);
        });
        let name = match kind {
            ResponsesTextKind::Text => "response.content_part.done",
            ResponsesTextKind::Thinking => "response.reasoning_summary_part.done",
        };
        self.event(name, out, |object| {
            write_place(kind, &open.id, open.index, object);
            object.raw("part", part(kind, voice, &open.text));
        });
        let item = match kind {
            ResponsesTextKind::Text => message_item(&open.id, "completed", Some((voice, &open.text))),
            ResponsesTextKind::Thinking => reasoning_item(&open.id, &open.text, replay),
        };
        self.finish(open.index, item, out);
    }

    fn call(&mut self, key: u64, id: &str, name: &str, out: &mut Vec<u8>) {
        self.close(None, out);
        let item_id = item_id(&self.head, "fc", self.items.len() as u64);
        let item = ResponsesCallItem { item_id, id: id.into(), name: name.into(), arguments: String::new() };
        let index = self.add(|_| call_item(&item, "in_progress"), out);
        self.calls.insert(key, ResponsesOpenCall { index, item });
    }

    fn arguments(&mut self, key: u64, text: &str, out: &mut Vec<u8>) {
        let Some(mut call) = self.calls.remove(&key) else { return };
        call.item.arguments.push_str(text);
        self.event("response.function_call_arguments.delta", out, |object| {
            object.string("item_id", &call.item.item_id);
            object.number("output_index", call.index);
            object.string("delta", text);
        });
        self.calls.insert(key, call);
    }

    fn close_calls(&mut self, out: &mut Vec<u8>) {
        for call in core::mem::take(&mut self.calls).into_values() {
            self.event("response.function_call_arguments.done", out, |object| {
                object.string("item_id", &call.item.item_id);
                object.number("output_index", call.index);
                object.string("name", &call.item.name);
                object.string("arguments", &call.item.arguments);
            });
            self.finish(call.index, call_item(&call.item, "completed"), out);
        }
    }

    fn last(&mut self, end: &ResponsesStatus<'_>, usage: Usage, out: &mut Vec<u8>) {
        self.begin(out);
        let mut response = Vec::new();
        write_response(&self.head, end, &self.items, Some(usage), &mut response);
        self.event(&format!("response.{}", end.status()), out, |object| object.raw("response", &response));
    }
}

impl ReplyStream for OpenaiResponsesReplyStream {
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>) {
        match delta {
            WireDelta::Text { text, .. } => self.piece(ResponsesTextKind::Text, text, out),
            WireDelta::Thinking { text, .. } => self.piece(ResponsesTextKind::Thinking, text, out),
            WireDelta::ToolCallStarted { index, id, name } => self.call(*index, id, name, out),
            WireDelta::ToolArguments { index, text, .. } => self.arguments(*index, text, out),
            WireDelta::Usage(_) => {}
        }
    }

    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>) {
        match block {
            Block::Text(text) => {
                self.close(None, out);
                pieces(text, piece).for_each(|text| self.piece(ResponsesTextKind::Text, text, out));
                self.close(None, out);
            }
            Block::Thinking(thinking) => {
                self.close(None, out);
                self.open(ResponsesTextKind::Thinking, out);
                pieces(&thinking.text, piece)
                    .for_each(|text| self.piece(ResponsesTextKind::Thinking, text, out));
                self.close(thinking.replay.as_ref().and_then(|replay| replay.get(REPLAY)), out);
            }
            Block::ToolCall(call) => {
                self.call(0, &call.id, &call.name, out);
                pieces(&call.arguments, piece).for_each(|text| self.arguments(0, text, out));
                self.close_calls(out);
            }
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
        }
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        self.close(None, out);
        self.close_calls(out);
        self.last(&ResponsesStatus::of(stop), usage, out);
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        self.last(&ResponsesStatus::Failed(failure), failure.usage, out);
    }

    fn reply(&mut self, reply: &Reply, piece: usize, out: &mut Vec<u8>) {
        self.voice = ResponsesContentKind::of(reply.stop);
        for block in &reply.blocks {
            self.block(block, piece, out);
        }
        self.end(reply.stop, reply.usage, out);
    }
}
