//! The least that a parser must do: find the blank line, borrow the few members that matter. It knows one format, takes
//! whole events only, and would not notice the end of a stream.

use std::borrow::Cow;

use bytes::Bytes;
use memchr::memmem;
use serde::Deserialize;

use super::Said;

pub(super) fn read(pieces: &[Bytes]) -> Said {
    let mut said = Said::default();
    for piece in pieces {
        let mut rest = piece.as_ref();
        while let Some(end) = memmem::find(rest, b"\n\n") {
            let (event, after) = rest.split_at(end);
            event_of(event, &mut said);
            rest = after.get(2..).unwrap_or_default();
        }
    }
    said
}

fn event_of(event: &[u8], said: &mut Said) {
    let Some(data) = event.strip_prefix(b"data: ") else { return };
    if data == b"[DONE]" {
        return;
    }
    let chunk: Chunk<'_> = serde_json::from_slice(data).expect("the event is JSON");
    for choice in &chunk.choices {
        said.text.push_str(choice.delta.content.as_ref().map_or("", |text| text.0.as_ref()));
        said.thinking.push_str(choice.delta.reasoning.as_ref().map_or("", |text| text.0.as_ref()));
        for call in choice.delta.tool_calls.iter().flatten() {
            said.arguments.push_str(&call.function.arguments);
        }
    }
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<Text<'a>>,
    #[serde(borrow, default)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<Call<'a>>>,
}

/// Inside an option serde would copy a bare `Cow`.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    function: Function<'a>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    arguments: Cow<'a, str>,
}
