use std::{boxed::Box, format, string::String, vec};

use holm_kernel::{Failure, FailureClass, Reply};

use super::{
    EventReader, FrameOutcome, FramedDecoder, MAX_REPLY, MAX_STREAM, StreamDecoder, StreamProgress,
    values::MAX_VALUES,
};
use crate::{
    ProviderCodec, ReplyDraft, WireDeltaSink,
    anthropic::AnthropicCodec,
    bedrock::BedrockCodec,
    framing::{FrameLimits, MAX_FRAME, StreamFrame, ndjson},
    ollama::OllamaCodec,
    testing::{check_cuts, decode},
};

/// A format of one word a line: `end` ends, `bad` is garbage, the rest is text.
struct Words;

impl EventReader for Words {
    const UNFRAMED: &'static [u8] = b"<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        match frame.data {
            b"end" => FrameOutcome::End,
            b"bad" => FrameOutcome::Garbage,
            text => {
                draft.text(core::str::from_utf8(text).unwrap_or("?"), sink);
                FrameOutcome::More
            }
        }
    }

    fn whole(&self, _: &[u8]) -> Result<Reply, Failure> {
        Ok(Reply::default())
    }
}

fn decoder() -> Box<FramedDecoder<ndjson::NdjsonDecoder, Words>> {
    Box::new(FramedDecoder::new(ndjson::NdjsonDecoder::default(), Words))
}

fn class(
    mut decoder: Box<FramedDecoder<ndjson::NdjsonDecoder, Words>>,
    bytes: &[u8],
) -> Result<usize, FailureClass> {
    let _ = decoder.feed(bytes, &mut |_| {});
    decoder.finish(&mut |_| {}).map(|reply| reply.blocks.len()).map_err(|failure| failure.class)
}

#[test]
fn the_end_decides_and_what_follows_is_ignored() {
    assert_eq!(class(decoder(), b"a\nend\nbad\n"), Ok(1));
    assert_eq!(class(decoder(), b"a\nend"), Ok(1), "the last line needs no line feed");
    assert_eq!(class(decoder(), b"a\n"), Err(FailureClass::Truncated));
    assert_eq!(class(decoder(), b""), Err(FailureClass::Truncated));
    let mut ended = decoder();
    assert_eq!(ended.feed(b"end\n", &mut |_| {}), StreamProgress::Ended);
    assert_eq!(ended.feed(b"more\n", &mut |_| panic!("nothing follows the end")), StreamProgress::Ended);
}

#[test]
fn garbage_in_the_middle_fails_and_at_the_end_was_cut() {
    assert_eq!(class(decoder(), b"bad\nend\n"), Err(FailureClass::Server));
    assert_eq!(class(decoder(), b"a\nbad"), Err(FailureClass::Truncated));
}

#[test]
fn a_page_is_recognised_behind_white_space_and_a_mark() {
    assert_eq!(class(decoder(), b" \r\n<html>"), Err(FailureClass::Network));
    assert_eq!(class(decoder(), b"\xef\xbb\xbf<html>"), Err(FailureClass::Network));
}

#[test]
fn white_space_before_a_body_is_no_part_of_it_however_it_comes() {
    // Found by fuzzing: in one piece it was part of the body, in several it went to the framing.
    let codecs: [&dyn ProviderCodec; 3] =
        [&AnthropicCodec::default(), &BedrockCodec::default(), &OllamaCodec::default()];
    for start in ["\n\n", " \t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t", "\u{feff}"] {
        for body in ["{\"id\":", "[1", "<html>", "{}"] {
            for codec in codecs {
                check_cuts(codec, format!("{start}{body}").as_bytes());
            }
        }
    }
    let message_body =
        br#"{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}"#;
    let marked = [b"\xef\xbb\xbf\r\n", message_body.as_slice()].concat();
    check_cuts(&AnthropicCodec::default(), &marked);
    assert!(decode(&AnthropicCodec::default(), &[&marked]).0.is_ok());
}

#[test]
fn a_line_without_end_and_a_stream_without_end_are_refused() {
    let short = FramedDecoder::new(ndjson::NdjsonDecoder::new(FrameLimits { line: 8, frame: 8 }), Words);
    assert_eq!(class(Box::new(short), b"a line too long"), Err(FailureClass::Server));
    let mut endless = decoder();
    let _ = endless.feed(b"a\n", &mut |_| {});
    let mut lines = vec![b' '; 1 << 20];
    lines.push(b'\n');
    let mut fed = 0_u64;
    while endless.feed(&lines, &mut |_| {}) == StreamProgress::More {
        fed += lines.len() as u64;
        assert!(fed <= MAX_STREAM, "bounded");
    }
    assert_eq!(endless.finish(&mut |_| {}).unwrap_err().class, FailureClass::Server);
    let mut page = decoder();
    let _ = page.feed(b"<", &mut |_| {});
    let filler = vec![b'x'; MAX_FRAME];
    assert_eq!(page.feed(&filler, &mut |_| {}), StreamProgress::Ended);
}

/// Feeds a piece until no more is wanted; what the failure says, and how many bytes that took.
fn feed_without_end(mut decoder: Box<dyn StreamDecoder>, first: &[u8], again: &[u8]) -> (String, u64) {
    let mut fed = 0_u64;
    assert_eq!(decoder.feed(first, &mut |_| {}), StreamProgress::More);
    while decoder.feed(again, &mut |_| {}) == StreamProgress::More {
        fed += again.len() as u64;
        assert!(fed <= MAX_STREAM, "bounded");
    }
    let failure = decoder.finish(&mut |_| {}).unwrap_err();
    assert_eq!(failure.class, FailureClass::Server);
    (failure.message, fed)
}

#[test]
fn no_more_is_kept_of_a_reply_than_a_host_can_bear() {
    let limit = format!("the reply holds more than {MAX_REPLY} bytes");
    let check = |codec: &dyn ProviderCodec, first: &str, again: &str| {
        let (message, fed) = feed_without_end(codec.stream(), first.as_bytes(), again.as_bytes());
        assert!(message.contains(&limit), "{message}");
        assert!(fed <= MAX_REPLY + again.len() as u64, "{fed}");
    };
    let long = "x".repeat(1 << 20);
    let begun = r#"{"message":{"content":"a"}}"#;
    check(
        &OllamaCodec::default(),
        &format!("{begun}\n"),
        &format!("{{\"message\":{{\"content\":\"{long}\"}}}}\n"),
    );
    // Signatures are no text, and are kept until the reasoning ends.
    let start = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}"#;
    let chunk = format!(
        r#"data: {{"type":"content_block_delta","index":0,"delta":{{"type":"signature_delta","signature":"{long}"}}}}"#
    );
    check(&AnthropicCodec::default(), &format!("{start}\n\n"), &format!("{chunk}\n\n"));
    // A call that says nothing takes room too, in one event as in many.
    let calls = [r#"{"function":{"name":"f","arguments":{}}}"#; 1_000].join(",");
    check(
        &OllamaCodec::default(),
        &format!("{begun}\n"),
        &format!("{{\"message\":{{\"tool_calls\":[{calls}]}}}}\n"),
    );
}

#[test]
fn an_event_that_would_fill_the_memory_when_parsed_is_not_parsed() {
    let text = "[{,".repeat(MAX_VALUES);
    let check = |event: &str, refused: bool| {
        let start = r#"{"type":"message","content":[{"type":"text","text":"hi"}],"extra":"#;
        for body in [format!("data: {event}\n\n"), format!("{start}{event}}}")] {
            let (result, _) = decode(&AnthropicCodec::default(), &[body.as_bytes()]);
            let crowded = result.is_err_and(|failure| failure.message.contains("values"));
            assert_eq!(crowded, refused, "{}", &event[..20]);
        }
    };
    check(&format!("[{}{{}}]", "{},".repeat(MAX_VALUES)), true);
    check(&format!("[{}{{}}]", "{},".repeat(10_000)), false);
    // What stands in a string is one value, however its quotes are written.
    check(&format!("[\"{text}\"]"), false);
    check(&format!("[\"\\\"{text}\\\\\"]"), false);
    check(&format!("[\"\\\\\",{}{{}}]", "{},".repeat(MAX_VALUES)), true);
}

#[test]
fn an_abort_gives_what_had_arrived() {
    let mut decoder = decoder();
    let _ = decoder.feed(b"a\nb\n", &mut |_| {});
    assert_eq!(holm_kernel::plain_text(&decoder.abort().blocks), "ab");
}
