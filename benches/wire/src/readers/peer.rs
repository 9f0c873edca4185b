//! What most Rust programs use: the `eventsource-stream` crate, and serde into a struct of owned strings with the members
//! that client libraries declare.

use std::{convert::Infallible, future::ready};

use bytes::Bytes;
use eventsource_stream::{Event, Eventsource};
use futures::{StreamExt, executor::block_on, stream};
use serde::{Deserialize, de::DeserializeOwned};

use super::Said;
use crate::streams::Stream;

pub(super) fn read(stream: Stream, pieces: &[Bytes]) -> Said {
    match stream {
        Stream::ChatRepeating | Stream::ChatIds | Stream::ChatChanging | Stream::ChatVaried => {
            fold(pieces, chunk)
        }
        Stream::Anthropic => fold(pieces, message_event),
        Stream::Responses => fold(pieces, response_event),
    }
}

fn fold(pieces: &[Bytes], mut take: impl FnMut(&Event, &mut Said)) -> Said {
    let bytes = stream::iter(pieces.iter().cloned().map(Ok::<_, Infallible>));
    let mut said = Said::default();
    block_on(bytes.eventsource().for_each(|event| {
        take(&event.expect("the stream is whole"), &mut said);
        ready(())
    }));
    said
}

fn parse<T: DeserializeOwned>(event: &Event) -> T {
    serde_json::from_str(&event.data).expect("the event is JSON")
}

fn chunk(event: &Event, said: &mut Said) {
    if event.data == "[DONE]" {
        return;
    }
    let chunk: Chunk = parse(event);
    for choice in &chunk.choices {
        let delta = &choice.delta;
        said.text.push_str(delta.content.as_deref().unwrap_or_default());
        said.thinking.push_str(delta.reasoning.as_deref().unwrap_or_default());
        for call in delta.tool_calls.iter().flatten() {
            let arguments = call.function.as_ref().and_then(|function| function.arguments.as_deref());
            said.arguments.push_str(arguments.unwrap_or_default());
        }
    }
    std::hint::black_box(&chunk);
}

fn message_event(event: &Event, said: &mut Said) {
    if event.event != "content_block_delta" {
        return;
    }
    let event: BlockDelta = parse(event);
    said.text.push_str(event.delta.text.as_deref().unwrap_or_default());
    std::hint::black_box(&event);
}

fn response_event(event: &Event, said: &mut Said) {
    if event.event != "response.output_text.delta" {
        return;
    }
    let event: TextDelta = parse(event);
    said.text.push_str(&event.delta);
    std::hint::black_box(&event);
}

#[expect(dead_code, reason = "client libraries fill these in, whether or not anybody reads them")]
#[derive(Deserialize)]
struct Chunk {
    id: String,
    object: String,
    created: u64,
    model: String,
    service_tier: Option<String>,
    system_fingerprint: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct Choice {
    index: u32,
    delta: Delta,
    finish_reason: Option<String>,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct Delta {
    role: Option<String>,
    content: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct Call {
    index: u32,
    id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    function: Option<Function>,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct BlockDelta {
    #[serde(rename = "type")]
    kind: String,
    index: u64,
    delta: BlockText,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct BlockText {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
}

#[expect(dead_code, reason = "as above")]
#[derive(Deserialize)]
struct TextDelta {
    #[serde(rename = "type")]
    kind: String,
    sequence_number: u64,
    item_id: String,
    output_index: u64,
    content_index: u64,
    delta: String,
}
