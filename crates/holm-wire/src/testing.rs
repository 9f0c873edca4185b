//! What the tests of all formats share: decode in pieces, compare every cut,
//! encode a small conversation.

use std::{format, string::String, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Failure, FailureClass, Media, Message, MessageId, Messages, ModelSpec, Offer, Outcome, Purpose,
    Reply, Request, Role, Source, Thinking, ToolCall, ToolResult, ToolSpec,
};

use crate::{
    ModelCall, NoMedia, ProviderCodec, ProviderRequest, RequestEncoder, StreamDecoder, StreamProgress,
    WireOptions,
};

/// A turn as it was decoded: the result and the deltas before it.
pub(crate) type Turn = (Result<Reply, Failure>, Vec<String>);

pub(crate) fn decode(codec: &dyn ProviderCodec, pieces: &[&[u8]]) -> Turn {
    decode_with(codec.stream(), pieces)
}

pub(crate) fn decode_with(mut decoder: std::boxed::Box<dyn StreamDecoder>, pieces: &[&[u8]]) -> Turn {
    let mut seen = Vec::new();
    for chunk in pieces {
        if decoder.feed(chunk, &mut |delta| seen.push(format!("{delta:?}"))) == StreamProgress::Ended {
            break;
        }
    }
    let result = decoder.finish(&mut |delta| seen.push(format!("{delta:?}")));
    (result, seen)
}

/// Any cut gives the same turn; any beginning that lacks the end is `Truncated`.
pub(crate) fn check_cuts(codec: &dyn ProviderCodec, stream: &[u8]) {
    let uncut = decode(codec, &[stream]);
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(decode(codec, &bytes), uncut, "byte by byte");
    for at in 0..=stream.len() {
        let (a, b) = stream.split_at(at);
        assert_eq!(decode(codec, &[a, b]), uncut, "cut at {at}");
    }
    for size in [2, 3, 7, 64, 1000] {
        let pieces: Vec<&[u8]> = stream.chunks(size).collect();
        assert_eq!(decode(codec, &pieces), uncut, "in pieces of {size}");
    }
}

/// Every beginning before `end` (the last event's first byte) is `Truncated` and never a finished turn.
pub(crate) fn check_beginnings(codec: &dyn ProviderCodec, stream: &[u8], end: &[u8]) {
    let last = memchr::memmem::rfind(stream, end).unwrap();
    for at in 0..last + end.len() {
        let (result, _) = decode(codec, &[&stream[..at]]);
        let class = result.map_err(|failure| failure.class);
        assert_eq!(class, Err(FailureClass::Truncated), "ends at {at}");
    }
}

pub(crate) fn assistant(id: u64, blocks: Vec<Block>) -> Arc<Message> {
    Arc::new(Message::new(MessageId::new(id), Role::Assistant, blocks))
}

pub(crate) fn user(id: u64, text: &str) -> Arc<Message> {
    Arc::new(Message::text(MessageId::new(id), Role::User, text))
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolCall(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into(), replay: None })
}

pub(crate) fn result(id: u64, call: &str, text: &str, outcome: Outcome, parts: Vec<Block>) -> Arc<Message> {
    let result = ToolResult { call: call.into(), tool: "weather".into(), text: text.into(), outcome, parts };
    Arc::new(Message::new(MessageId::new(id), Role::Tool, vec![Block::ToolResult(result)]))
}

pub(crate) fn picture() -> Block {
    Block::Image(Media { media_type: "image/png".into(), source: Source::Base64("aWs=".into()), name: None })
}

pub(crate) fn file(media_type: &str, source: Source) -> Block {
    Block::File(Media { media_type: media_type.into(), source, name: Some("note.txt".into()) })
}

/// A request over a view of `count` messages.
pub(crate) fn request(model: &str, count: usize, tools: Vec<ToolSpec>) -> Request {
    Request {
        purpose: Purpose::Turn,
        model: Arc::new(ModelSpec { temperature_milli: Some(700), ..ModelSpec::named(model) }),
        system: "Be brief.".into(),
        messages: Messages::View { epoch: 1, count: count as u64 },
        tools: Arc::new(Offer { epoch: 1, tools: tools.into_iter().map(Arc::new).collect() }),
        max_output: Some(4096),
        format: None,
    }
}

pub(crate) fn weather() -> ToolSpec {
    let schema = r#"{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}"#;
    ToolSpec::new("weather", "Tells the weather.", Json::parse(schema).unwrap())
}

pub(crate) fn encode(
    encoder: &mut RequestEncoder,
    request: &Request,
    view: &[Arc<Message>],
    options: &WireOptions,
) -> ProviderRequest {
    encoder.encode(&ModelCall { request, view, options, media: &NoMedia })
}

pub(crate) fn body(request: &ProviderRequest) -> &str {
    core::str::from_utf8(&request.body).unwrap()
}

/// Encoding message by message gives the bytes of encoding all at once.
pub(crate) fn check_growth(codec: Arc<dyn ProviderCodec>, view: &[Arc<Message>]) {
    let mut kept = RequestEncoder::new(Arc::clone(&codec));
    let options = WireOptions::default();
    let request = |count| request("p/m", count, vec![weather()]);
    for count in 0..=view.len() {
        let grown = encode(&mut kept, &request(count), &view[..count], &options);
        let fresh =
            encode(&mut RequestEncoder::new(Arc::clone(&codec)), &request(count), &view[..count], &options);
        assert_eq!(body(&grown), body(&fresh), "at {count} messages");
        Json::parse(body(&grown)).unwrap();
    }
    let mut other = request(1);
    other.messages = Messages::View { epoch: 2, count: 1 };
    let after = encode(&mut kept, &other, &view[..1], &options);
    let fresh = encode(&mut RequestEncoder::new(codec), &other, &view[..1], &options);
    assert_eq!(body(&after), body(&fresh), "a new epoch forgets");
}

/// A reply in one line: blocks with what they want to see again, then the stop.
pub(crate) fn show(reply: &Reply) -> String {
    let again = |replay: &Option<Json>| replay.as_ref().map(Json::canonical).unwrap_or_default();
    let block = |block: &Block| match block {
        Block::Text(text) => format!("{text:?}"),
        Block::Thinking(thinking) => format!("<{}>{}", thinking.text, again(&thinking.replay)),
        Block::ToolCall(call) => {
            format!("{}:{}({}){}", call.id, call.name, call.arguments, again(&call.replay))
        }
        other => format!("{other:?}"),
    };
    let blocks: Vec<String> = reply.blocks.iter().map(block).collect();
    format!("{} | {:?}", blocks.join(" "), reply.stop)
}

/// A block of reasoning with what its provider wants to see again.
pub(crate) fn thought(text: &str, replay: &str) -> Block {
    let replay = (!replay.is_empty()).then(|| Json::parse(replay).unwrap());
    Block::Thinking(Thinking { text: text.into(), replay })
}
