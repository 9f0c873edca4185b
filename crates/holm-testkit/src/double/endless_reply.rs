//! Answers without an end: what is sent again and again until the client hangs up.
//!
//! Little is held here however much is sent, so that a test can measure what the client holds.

use std::io;

use holm_kernel::Block;
use holm_wire::{
    WireDelta,
    server::{ReplyHead, ReplyStream},
};

use super::{
    Act,
    connection::Connection,
    perform::{Went, head_bytes},
    route::{Route, stream_type},
};

/// A client that has taken so much would have taken anything. The connection is closed then, and
/// [`left_early`](super::Double::left_early) does not count it.
const MOST: u64 = 1 << 30;

/// About how much is written at once.
const SPAN: usize = 64 << 10;

/// What never ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endless {
    /// Pieces of one text, one thought or one call's arguments, in the format's own events. Where calls come whole, call follows call.
    Pieces(Block),
    /// Whole blocks, in the format's own events.
    Blocks(Block),
    /// A body that is not the format's.
    Body {
        /// The status.
        status: u16,
        /// What it begins with.
        first: Vec<u8>,
        /// What follows for ever.
        again: Vec<u8>,
    },
    /// The head of the answer, of these bytes behind its first line.
    Head(Vec<u8>),
}

/// Sends it until the client hangs up, which is an error, or has had too much, which is none.
pub(super) fn perform(
    connection: &mut Connection,
    route: &Route,
    head: ReplyHead,
    act: &Act,
    endless: &Endless,
    number: u64,
    stopped: impl Fn() -> bool,
) -> io::Result<Went> {
    let mut stream = route.codec.stream(head);
    let (mut first, mut again) = (Vec::new(), Vec::new());
    let mut status = 200;
    match endless {
        Endless::Head(lines) => {
            connection.write(b"HTTP/1.1 200 OK\r\n")?;
            return flood(lines, stopped, |bytes| connection.write(bytes));
        }
        Endless::Body { status: own, first: begin, again: piece } => {
            status = *own;
            first.clone_from(begin);
            again.clone_from(piece);
        }
        Endless::Blocks(block) => stream.block(block, usize::MAX, &mut again),
        Endless::Pieces(block) => {
            begin(stream.as_mut(), block, &mut first);
            piece(stream.as_mut(), block, &mut again);
            if again.is_empty() {
                stream.block(block, usize::MAX, &mut again);
            }
        }
    }
    let content_type = stream_type(route.format);
    connection.write(&head_bytes(status, content_type, "transfer-encoding: chunked", act, number))?;
    if !first.is_empty() {
        connection.chunk(&first)?;
    }
    flood(&again, stopped, |bytes| connection.chunk(bytes))
}

/// The first piece, with whatever has to stand before it.
fn begin(stream: &mut dyn ReplyStream, block: &Block, out: &mut Vec<u8>) {
    if let Block::ToolCall(call) = block {
        stream.delta(&WireDelta::ToolCallStarted { index: 0, id: &call.id, name: &call.name }, out);
    }
    piece(stream, block, out);
}

fn piece(stream: &mut dyn ReplyStream, block: &Block, out: &mut Vec<u8>) {
    match block {
        Block::Text(text) => stream.delta(&WireDelta::Text { offset: 0, text }, out),
        Block::Thinking(thinking) => {
            stream.delta(&WireDelta::Thinking { offset: 0, text: &thinking.text }, out);
        }
        Block::ToolCall(call) => {
            stream.delta(&WireDelta::ToolArguments { index: 0, offset: 0, text: &call.arguments }, out);
        }
        Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
    }
}

/// Writes a piece over and over, many of them at a time.
fn flood(
    again: &[u8],
    stopped: impl Fn() -> bool,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Went> {
    let span = again.repeat(SPAN.div_ceil(again.len().max(1)));
    let mut sent = 0_u64;
    while sent < MOST && !span.is_empty() && !stopped() {
        write(&span)?;
        sent = sent.saturating_add(span.len() as u64);
    }
    Ok(Went::Over)
}
