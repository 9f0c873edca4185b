//! What a provider sends without end, as data. Each is stopped by a bound of the product, never by its own end.

use holm_kernel::{Block, Thinking, ToolCall};
use holm_testkit::double::{Act, Endless, Fault};

use super::table::{Kind, kind};

/// Large enough that a bound is soon reached, small enough that an event is an ordinary one.
const PIECE: usize = 4 << 10;

/// All of them. A seed changes nothing here.
pub(super) fn all() -> Vec<Kind> {
    let mut kinds = vec![
        // The bound on what is kept of a reply.
        endless("text", Endless::Pieces(Block::Text("x".repeat(PIECE)))),
        endless(
            "thinking",
            Endless::Pieces(Block::Thinking(Thinking { text: "x".repeat(PIECE), replay: None })),
        ),
        endless("arguments", Endless::Pieces(call("call_a"))),
        endless("calls", Endless::Blocks(call(""))),
        // The bounds on a line, an event, and a body that is not framed.
        endless("line", body(200, "data: {\"x\":\"", "x".repeat(PIECE))),
        endless("event", body(200, "data: x\n", format!("data: {}\n", "x".repeat(PIECE)))),
        endless("run of blanks", body(200, "", "\n".repeat(PIECE))),
        endless("page", body(200, "<html>", "x".repeat(PIECE))),
        endless("whole reply", body(200, "{\"x\":\"", "x".repeat(PIECE))),
        // The bound on the wire.
        endless("run of comments", body(200, ": ping\n\n", format!(": {}\n\n", "x".repeat(PIECE)))),
        // The bounds of HTTP.
        endless("head", Endless::Head(b"x-more: x\r\n".to_vec())),
        endless("line of the head", Endless::Head([b'x'; 64].to_vec())),
    ];
    // The bound on errors.
    for status in [302, 400, 429, 500] {
        let error = body(status, "{\"error\":{\"message\":\"", "x".repeat(PIECE));
        kinds.push(endless(&format!("error with status {status}"), error));
    }
    kinds
}

fn endless(name: &str, what: Endless) -> Kind {
    kind(format!("an endless {name}"), move |_| Act::fails(Fault::Endless(what.clone())))
}

fn body(status: u16, first: &str, again: String) -> Endless {
    Endless::Body { status, first: first.into(), again: again.into() }
}

/// Whole JSON, because some formats send it as such.
fn call(id: &str) -> Block {
    let arguments = format!("{{\"n\":\"{}\"}}", "x".repeat(PIECE));
    Block::ToolCall(ToolCall { id: id.into(), name: "double".into(), arguments, replay: None })
}
