//! Performs one act on one connection.

use std::io;

use holm_wire::{
    Delivery,
    server::{CompletionRequest, ReplyHead},
};

use super::{
    Act, Fault,
    act::failure,
    connection::{Connection, Waited},
    endless_reply,
    route::{Route, stream_type},
};

/// Bytes to a chunk: a prime that is no multiple of anything, so that characters, lines and events are cut everywhere.
const CHUNK: usize = 61;

/// How an act went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Went {
    /// The connection can be used again.
    Well,
    /// The connection is of no further use, on purpose.
    Over,
    /// The client left before the end.
    ClientLeft,
}

/// Performs an act for a request that was understood.
pub(super) fn perform(
    connection: &mut Connection,
    route: &Route,
    asked: &CompletionRequest,
    act: &Act,
    number: u64,
    stopped: impl Fn() -> bool,
) -> io::Result<Went> {
    let head = head(asked, act, number);
    let mut body = Vec::new();
    match &act.fault {
        Some(Fault::HangUp) => return Ok(Went::Over),
        Some(Fault::Refused { status, class, message }) => {
            let (own, body) = route.codec.failure(&failure(*class, message));
            return whole(connection, status.unwrap_or(own), "application/json", act, number, &body);
        }
        Some(Fault::Body { status, content_type, bytes }) => {
            return whole(connection, *status, content_type, act, number, bytes);
        }
        Some(Fault::Endless(what)) => {
            return endless_reply::perform(connection, route, head, act, what, number, stopped);
        }
        Some(Fault::ErrorInStream { class, message }) => {
            let mut stream = route.codec.stream(head.clone());
            for block in act.reply.blocks.iter().take(1) {
                stream.block(block, act.piece, &mut body);
            }
            stream.fail(&failure(*class, message), &mut body);
        }
        Some(Fault::Ends(ending)) if asked.delivery == Delivery::Stream => {
            let mut stream = route.codec.stream(head.clone());
            ending.write(route.format, stream.as_mut(), &act.reply, act.piece, &mut body);
        }
        Some(
            Fault::Truncated(_)
            | Fault::Closed(_)
            | Fault::Reset(_)
            | Fault::Stall(_)
            | Fault::Drip(_)
            | Fault::Bent(_)
            | Fault::Ends(_),
        )
        | None => match asked.delivery {
            Delivery::Stream => route.codec.stream(head.clone()).reply(&act.reply, act.piece, &mut body),
            Delivery::Whole => body = route.codec.reply(&head, &act.reply),
        },
    }
    if let Some(Fault::Bent(bends)) = &act.fault {
        bends.iter().for_each(|bend| bend.apply(&mut body));
    }
    let content_type = match asked.delivery {
        Delivery::Stream => stream_type(route.format),
        Delivery::Whole => "application/json",
    };
    connection.write(&head_bytes(200, content_type, "transfer-encoding: chunked", act, number))?;
    send(connection, &body, act.fault.as_ref(), stopped)
}

fn send(
    connection: &mut Connection,
    body: &[u8],
    fault: Option<&Fault>,
    stopped: impl Fn() -> bool,
) -> io::Result<Went> {
    if let Some(Fault::Drip(pause)) = fault {
        for byte in body.chunks(1) {
            connection.chunk(byte)?;
            std::thread::sleep(*pause);
        }
        connection.last_chunk()?;
        return Ok(Went::Well);
    }
    let cut = match fault {
        Some(Fault::Truncated(milli) | Fault::Closed(milli) | Fault::Reset(milli) | Fault::Stall(milli)) => {
            body.len().saturating_mul(usize::from(*milli)) / 1_000
        }
        _ => body.len(),
    };
    for chunk in body.get(..cut).unwrap_or(body).chunks(CHUNK) {
        connection.chunk(chunk)?;
    }
    match fault {
        Some(Fault::Closed(_)) => Ok(Went::Over),
        Some(Fault::Reset(_)) => {
            connection.reset();
            Ok(Went::Over)
        }
        Some(Fault::Stall(_)) => Ok(match connection.stall(stopped) {
            Waited::ClientLeft => Went::ClientLeft,
            Waited::Nothing => Went::Over,
        }),
        _ => {
            connection.last_chunk()?;
            Ok(Went::Well)
        }
    }
}

/// Sends a body that is known whole.
fn whole(
    connection: &mut Connection,
    status: u16,
    content_type: &str,
    act: &Act,
    number: u64,
    body: &[u8],
) -> io::Result<Went> {
    let length = format!("content-length: {}", body.len());
    connection.write(&head_bytes(status, content_type, &length, act, number))?;
    connection.write(body)?;
    Ok(Went::Well)
}

/// Sends a plain answer that belongs to no act.
pub(super) fn plain(connection: &mut Connection, status: u16, body: &str) -> io::Result<()> {
    let length = format!("content-length: {}", body.len());
    let act = Act::says("");
    connection.write(&head_bytes(status, "application/json", &length, &act, 0))?;
    connection.write(body.as_bytes())
}

pub(super) fn head_bytes(status: u16, content_type: &str, length: &str, act: &Act, number: u64) -> Vec<u8> {
    let mut out =
        format!("HTTP/1.1 {status} {}\r\ncontent-type: {content_type}\r\n{length}\r\n", reason(status));
    out += &format!("x-request-id: req-double-{number}\r\nrequest-id: req-double-{number}\r\n");
    for (name, value) in &act.headers {
        out += &format!("{name}: {value}\r\n");
    }
    out += "\r\n";
    out.into_bytes()
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        302 => "Found",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        529 => "Overloaded",
        400..=499 => "Bad Request",
        _ => "Internal Server Error",
    }
}

fn head(asked: &CompletionRequest, act: &Act, number: u64) -> ReplyHead {
    ReplyHead {
        id: format!("double-{number}"),
        model: asked.model.clone(),
        created: 1_700_000_000,
        usage: asked.usage,
        prompt: act.reply.usage,
    }
}
