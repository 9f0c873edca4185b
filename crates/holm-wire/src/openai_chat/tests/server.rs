use std::{boxed::Box, format, string::String, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Outcome, Role, StopReason, Thinking, Usage};

use super::super::*;
use crate::{
    Delivery, RequestEncoder, ToolChoice, WireOptions,
    server::{ReplyHead, RequestBodyError, ServerCodec, UsageReporting},
    testing::{assistant, body, call, decode, encode, picture, request, result, user, weather},
};

fn head() -> ReplyHead {
    ReplyHead { id: "chatcmpl-1".into(), model: "m".into(), created: 1, ..ReplyHead::default() }
}

fn reply() -> Reply {
    Reply {
        blocks: vec![
            Block::Thinking(Thinking { text: "Two plus two…".into(), replay: None }),
            Block::Text("Ein \"Wort\"\n und 漢字".into()),
            call("a", "f", r#"{"x":"é"}"#),
            call("b", "g", "{}"),
        ],
        usage: Usage { input: 10, output: 5, cached: 2, cache_write: 0, reasoning: 1, estimated: 0 },
        stop: StopReason::ToolUse,
        model: Some("m".into()),
    }
}

#[test]
fn what_the_server_writes_the_client_reads() {
    for size in [1, 5, 1000] {
        let mut stream = Vec::new();
        OpenaiChatServerCodec.stream(head()).reply(&reply(), size, &mut stream);
        assert_eq!(decode(&OpenaiChatCodec::default(), &[&stream]).0.unwrap(), reply(), "pieces of {size}");
    }
    assert_eq!(
        OpenaiChatCodec::default().reply(&OpenaiChatServerCodec.reply(&head(), &reply())).unwrap(),
        Reply {
            blocks: {
                // A whole reply has one place for text and one for reasoning; the order between them is the reader's.
                reply().blocks
            },
            ..reply()
        }
    );
}

#[test]
fn live_pieces_pass_through() {
    let mut first = Vec::new();
    OpenaiChatServerCodec.stream(head()).reply(&reply(), 3, &mut first);
    let mut server = OpenaiChatServerCodec.stream(head());
    let mut second = Vec::new();
    let mut decoder = OpenaiChatCodec::default().stream();
    let _ = decoder.feed(&first, &mut |delta| server.delta(&delta, &mut second));
    let decoded = decoder.finish(&mut |_| {}).unwrap();
    server.end(decoded.stop, decoded.usage, &mut second);
    assert_eq!(decode(&OpenaiChatCodec::default(), &[&second]).0.unwrap(), reply());
}

#[test]
fn usage_is_streamed_only_when_wanted() {
    let stream = |usage| {
        let mut out = Vec::new();
        OpenaiChatServerCodec.stream(ReplyHead { usage, ..head() }).reply(&reply(), 100, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert!(stream(UsageReporting::Wanted).contains("prompt_tokens"));
    assert!(!stream(UsageReporting::Unsaid).contains("prompt_tokens"));
}

#[test]
fn a_failure_keeps_its_class_on_the_way() {
    use FailureClass::*;
    for class in [RateLimited, Overloaded, Server, ContextOverflow, Auth, Quota, BadRequest, ContentFilter] {
        let failure =
            Failure { class, message: "it went wrong".into(), retry_after_ms: None, usage: Usage::default() };
        let (status, body) = super::super::OpenaiChatServerCodec.failure(&failure);
        let answer = crate::classify::HttpFailure { status, headers: &[], body: &body, now_ms: None };
        assert_eq!(crate::classify::http(&answer).class, class);
        let mut stream = Vec::new();
        super::super::OpenaiChatServerCodec.stream(head()).fail(&failure, &mut stream);
        assert_eq!(
            decode(&OpenaiChatCodec::default(), &[&stream]).0.unwrap_err().class,
            class,
            "in a stream"
        );
    }
}

#[test]
fn what_the_client_writes_the_server_reads() {
    let view = vec![
        user(0, "Weather?"),
        assistant(1, vec![Block::Text("Hm.".into()), call("c1", "weather", "{\"city\":\"Oslo\"}")]),
        result(2, "c1", "rain", Outcome::Succeeded, vec![]),
        std::sync::Arc::new(holm_kernel::Message::new(
            holm_kernel::MessageId::new(3),
            Role::User,
            vec![Block::Text("And".into()), picture()],
        )),
    ];
    let options = WireOptions { tool_choice: ToolChoice::Required, ..WireOptions::default() };
    let codec: std::sync::Arc<dyn ProviderCodec> = std::sync::Arc::new(OpenaiChatCodec::default());
    let sent = encode(&mut RequestEncoder::new(codec), &request("p/m", 4, vec![weather()]), &view, &options);
    let asked = OpenaiChatServerCodec.read(body(&sent).as_bytes()).unwrap();
    assert_eq!(asked.system, "Be brief.");
    let messages: Vec<_> = asked.messages.into_iter().map(std::sync::Arc::new).collect();
    assert_eq!(messages, view);
    assert_eq!((asked.tools[0].name.as_str(), &asked.tools[0].schema), ("weather", &weather().schema));
    assert_eq!(asked.tool_choice, ToolChoice::Required);
    assert_eq!((asked.delivery, asked.usage), (Delivery::Stream, UsageReporting::Wanted));
    assert_eq!((asked.max_output, asked.temperature_milli), (Some(4096), Some(700)));
}

#[test]
fn settings_of_the_answer_are_read() {
    let read = |members: &str| {
        OpenaiChatServerCodec.read(format!(r#"{{"model":"m","messages":[]{members}}}"#).as_bytes()).unwrap()
    };
    for (written, expect) in [("0", 0), ("0.7", 700), ("1e-1", 100), ("1e-05", 0), ("2", 2_000)] {
        let asked = read(&format!(r#","temperature":{written}"#));
        assert_eq!(asked.temperature_milli, Some(expect), "{written}");
    }
    assert_eq!(read(r#","stop":"END""#).stop, ["END"]);
    assert_eq!(read(r#","stop":["a","b"],"n":1"#).stop, ["a", "b"]);
    let unset = read(r#","stop":null,"temperature":null,"n":null"#);
    assert_eq!((unset.stop.len(), unset.temperature_milli), (0, None));
}

#[test]
fn a_bad_body_says_what_is_wrong_and_where() {
    let check = |body: &[u8], expect: &str| {
        let error: Box<RequestBodyError> = Box::new(OpenaiChatServerCodec.read(body).unwrap_err());
        assert_eq!(std::string::ToString::to_string(&error), expect);
    };
    check(b"\xff", "the body is not UTF-8; send JSON as UTF-8");
    check(b"{}", "/model: expected a string");
    check(br#"{"model":"m"}"#, "/messages: expected a list");
    check(
        br#"{"model":"m","messages":[{"role":"x"}]}"#,
        "/messages/0/role: expected system, developer, user, assistant or tool",
    );
    check(br#"{"model":"m","messages":[{"role":"tool"}]}"#, "/messages/0/tool_call_id: expected a string");
    check(
        br#"{"model":"m","messages":[{"role":"user","content":3}]}"#,
        "/messages/0/content: expected a string or a list of parts",
    );
    check(br#"{"model":"m","messages":[],"tools":[{}]}"#, "/tools/0/function/name: expected a string");
    let formatted = |format: &str| format!(r#"{{"model":"m","messages":[],"response_format":{format}}}"#);
    for unknown in [r#"{"type":"grammar"}"#, r#"{"type":7}"#, "{}", "\"json\""] {
        let expect = "/response_format/type: expected text, json_object or json_schema";
        check(formatted(unknown).as_bytes(), expect);
    }
    let expect = "/response_format/json_schema/schema: expected a JSON Schema";
    check(formatted(r#"{"type":"json_schema","json_schema":{"name":"x"}}"#).as_bytes(), expect);
    for words in ["null", r#"{"type":"text"}"#] {
        assert_eq!(OpenaiChatServerCodec.read(formatted(words).as_bytes()).unwrap().format, None::<Json>);
    }
    let with = |member: &str| format!(r#"{{"model":"m","messages":[],{member}}}"#);
    for n in ["0", "2", "\"1\""] {
        check(with(&format!(r#""n":{n}"#)).as_bytes(), "/n: expected 1, because a reply has one choice");
    }
    for temperature in ["-0.1", "2.001", "\"hot\"", "1e9"] {
        let expect = "/temperature: expected a number from 0 to 2";
        check(with(&format!(r#""temperature":{temperature}"#)).as_bytes(), expect);
    }
    for stop in ["7", "\"\"", "[\"a\",7]", r#"["a","b","c","d","e"]"#] {
        let expect = "/stop: expected a text or a list of at most 4 texts, none of them empty";
        check(with(&format!(r#""stop":{stop}"#)).as_bytes(), expect);
    }
    assert!(matches!(OpenaiChatServerCodec.read(b"{").unwrap_err(), RequestBodyError::NotJson(_)));
    assert_eq!(OpenaiChatServerCodec.read(br#"{"model":"m","messages":[]}"#).unwrap().format, None::<Json>);
}
