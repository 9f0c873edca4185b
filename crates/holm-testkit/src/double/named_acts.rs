//! Acts that are chosen by the model's name, for clients that cannot hand in a script.

use std::time::Duration;

use holm_kernel::{FailureClass, Role, StopReason, Usage};

use super::{Act, Fault, Seen};

/// The text of every plain answer; it holds characters of one to four bytes.
pub const HELLO: &str = "Hello, wörld ✓ 🚀";

/// Answers by the model's name, so that any client can ask for any situation.
///
/// | name | what happens |
/// |---|---|
/// | `hello`, and any unknown name | [`HELLO`] |
/// | `drip` | the same, one byte at a time |
/// | `thinking` | a thought, then the same |
/// | `tools` | two calls of `weather`, then, once there are results, an answer |
/// | `cached` | usage with tokens from the cache |
/// | `cut` | the answer ends at its token limit |
/// | `limited` | 429 with `retry-after: 1` |
/// | `overloaded`, `broken`, `denied`, `too-long` | 529, 500, 401, 400 |
/// | `stream-error` | an error event after the first words |
/// | `truncated` | the body ends in its middle |
/// | `stalled` | the first bytes, and then nothing |
/// | `say:HEX`, `say:HEX:HEX` … | this text, given in hex; the next one once the model has spoken, the last one for ever |
/// | `call:TOOL:HEX` | one call with these arguments, then, once there is a result, [`HELLO`] |
/// | `insist:TOOL:HEX` | the same call, whatever came of it |
pub fn rehearsed(seen: &Seen) -> Act {
    let refused =
        |class, message: &str| Act::fails(Fault::Refused { status: None, class, message: message.into() });
    match seen.model() {
        "drip" => Act::says(HELLO).with(Fault::Drip(Duration::ZERO)),
        "thinking" => Act::says(HELLO).thinks("Let me see."),
        "tools" if has_results(seen) => Act::says("18 and 21 degrees"),
        "tools" => Act::calls(&[
            ("call_1", "weather", r#"{"city":"Köln"}"#),
            ("call_2", "weather", r#"{"city":"Rome","unit":"C"}"#),
        ]),
        "cached" => Act::says(HELLO).usage(Usage { input: 100, output: 20, cached: 80, ..Usage::default() }),
        "cut" => Act::says(HELLO).stop(StopReason::MaxTokens),
        "limited" => Act::rate_limited("retry-after", "1"),
        "overloaded" => Act::overloaded(),
        "broken" => Act::broken(),
        "denied" => refused(FailureClass::Auth, "Incorrect API key provided"),
        "too-long" => refused(FailureClass::ContextOverflow, "maximum context length exceeded"),
        "stream-error" => {
            let (class, message) = (FailureClass::Overloaded, "Overloaded".into());
            Act::says(HELLO).with(Fault::ErrorInStream { class, message })
        }
        "truncated" => Act::says(HELLO).with(Fault::Closed(500)),
        "stalled" => Act::says(HELLO).with(Fault::Stall(300)),
        name => spelled(name, seen).unwrap_or_else(|| Act::says(HELLO)),
    }
}

/// What a name spells out; none for a name that does not.
fn spelled(name: &str, seen: &Seen) -> Option<Act> {
    if let Some(texts) = name.strip_prefix("say:") {
        let messages = seen.asked.iter().flat_map(|asked| &asked.messages);
        let spoken = messages.filter(|message| message.role == Role::Assistant).count();
        let texts = texts.split(':').map(from_hex).collect::<Option<Vec<_>>>()?;
        return Some(Act::says(texts.get(spoken).or(texts.last())?));
    }
    let (manner, call) = name.split_once(':')?;
    let (tool, arguments) = call.split_once(':')?;
    let act = Act::calls(&[("call_1", tool, &from_hex(arguments)?)]);
    match manner {
        "call" if has_results(seen) => Some(Act::says(HELLO)),
        "call" | "insist" => Some(act),
        _ => None,
    }
}

/// Text from its hex digits.
fn from_hex(digits: &str) -> Option<String> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some((digit(high)? << 4) | digit(low)?),
        _ => None,
    });
    String::from_utf8(pairs.collect::<Option<Vec<u8>>>()?).ok()
}

/// Whether the conversation ends in tool results. Some formats put them into a user's message.
fn has_results(seen: &Seen) -> bool {
    let last = seen.asked.as_ref().and_then(|asked| asked.messages.last());
    last.is_some_and(|message| {
        message.role == Role::Tool
            || message.blocks.iter().any(|block| matches!(block, holm_kernel::Block::ToolResult(_)))
    })
}
