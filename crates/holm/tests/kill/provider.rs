//! What the model says: 20 turns of 10 calls, then an answer.
//!
//! It is a function of the conversation, so a repeated request after a crash gets the same reply.

use std::io;

use holm_testkit::double::{Act, Double, Seen};

use holm::kernel::Block;

/// Turns that call tools.
pub(crate) const TURNS: usize = 20;

/// Calls in each.
pub(crate) const CALLS_PER_TURN: usize = 10;

/// Every call of a run.
pub(crate) const CALLS: usize = TURNS * CALLS_PER_TURN;

/// Every fifth call may run twice; the others must not.
pub(crate) fn tool_of(call: usize) -> &'static str {
    if call % 5 == 4 { "put" } else { "append" }
}

pub(crate) fn start() -> io::Result<Double> {
    Double::answering(answer)
}

fn answer(seen: &Seen) -> Act {
    let answered = seen.asked.as_ref().map_or(0, |asked| {
        let blocks = asked.messages.iter().flat_map(|message| &message.blocks);
        blocks.filter(|block| matches!(block, Block::ToolResult(_))).count()
    });
    if answered >= CALLS {
        return Act::says("all done");
    }
    let calls: Vec<(String, &str, String)> = (answered..answered + CALLS_PER_TURN)
        .map(|call| (format!("call-{call}"), tool_of(call), format!(r#"{{"n":{call}}}"#)))
        .collect();
    let calls: Vec<(&str, &str, &str)> =
        calls.iter().map(|(id, tool, arguments)| (id.as_str(), *tool, arguments.as_str())).collect();
    Act::calls(&calls)
}
