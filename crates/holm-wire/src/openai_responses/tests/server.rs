use std::{format, string::ToString, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Message, MessageId, Outcome, Role, StopReason, Usage};

use super::super::*;
use crate::{
    Delivery, Effort, Reasoning, RequestEncoder, ToolChoice, WireDelta, WireOptions,
    server::{ReplyHead, ServerCodec},
    testing::{assistant, body, call, decode, encode, picture, request, result, thought, user, weather},
};

fn head() -> ReplyHead {
    ReplyHead { id: "resp_1".into(), model: "m".into(), created: 1, ..ReplyHead::default() }
}

fn reply() -> Reply {
    Reply {
        blocks: vec![
            thought(
                "Zwei Orte…",
                r#"{"openai_responses":{"id":"rs_a","summary":[{"type":"summary_text","text":"Zwei Orte…"}],"encrypted_content":"gA=="}}"#,
            ),
            thought("", r#"{"openai_responses":{"id":"rs_b","summary":[],"encrypted_content":"gB=="}}"#),
            thought("shown only", ""),
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
    let refusal =
        Reply { blocks: vec![Block::Text("I can't.".into())], stop: StopReason::Refusal, ..reply() };
    let cut = Reply { blocks: vec![Block::Text("Once".into())], stop: StopReason::MaxTokens, ..reply() };
    for reply in [reply(), refusal, cut] {
        for size in [1, 5, 1000] {
            let mut stream = Vec::new();
            OpenaiResponsesServerCodec.stream(head()).reply(&reply, size, &mut stream);
            assert_eq!(
                decode(&OpenaiResponsesCodec::default(), &[&stream]).0.unwrap(),
                reply,
                "pieces of {size}"
            );
        }
        assert_eq!(
            OpenaiResponsesCodec::default()
                .reply(&OpenaiResponsesServerCodec.reply(&head(), &reply))
                .unwrap(),
            reply
        );
    }
}

#[test]
fn the_last_event_repeats_the_whole_reply() {
    let mut stream = Vec::new();
    OpenaiResponsesServerCodec.stream(head()).reply(&reply(), 3, &mut stream);
    let text = core::str::from_utf8(&stream).unwrap();
    let datas: Vec<Json> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| Json::parse(data).unwrap())
        .collect();
    for (number, data) in (0_u64..).zip(&datas) {
        assert_eq!(data.get("sequence_number").and_then(Json::as_u64), Some(number));
    }
    let last = datas.last().unwrap().get("response").unwrap().canonical();
    assert_eq!(OpenaiResponsesCodec::default().reply(last.as_bytes()).unwrap(), reply());
}

#[test]
fn live_pieces_pass_through_and_may_be_mixed() {
    let mut server = OpenaiResponsesServerCodec.stream(head());
    let mut out = Vec::new();
    let arguments = |index, text| WireDelta::ToolArguments { index, offset: 0, text };
    for delta in [
        WireDelta::Thinking { offset: 0, text: "hm" },
        WireDelta::Text { offset: 0, text: "Hi" },
        WireDelta::ToolCallStarted { index: 0, id: "a", name: "f" },
        WireDelta::ToolCallStarted { index: 1, id: "b", name: "g" },
        arguments(0, "["),
        arguments(1, "{"),
        arguments(0, "]"),
        arguments(1, "}"),
        WireDelta::Usage(Usage::default()),
    ] {
        server.delta(&delta, &mut out);
    }
    server.end(StopReason::ToolUse, Usage::default(), &mut out);
    let got = decode(&OpenaiResponsesCodec::default(), &[&out]).0.unwrap();
    assert_eq!(crate::testing::show(&got), r#"<hm> "Hi" a:f([]) b:g({}) | ToolUse"#);
}

#[test]
fn a_failure_keeps_its_class_on_the_way() {
    let check = |class, message: &str, expect_status: u16| {
        let failure =
            Failure { class, message: message.into(), retry_after_ms: None, usage: Usage::default() };
        let (status, body) = OpenaiResponsesServerCodec.failure(&failure);
        assert_eq!(status, expect_status);
        let answer = crate::classify::HttpFailure { status, headers: &[], body: &body, now_ms: None };
        assert_eq!(crate::classify::http(&answer).class, class);
        let mut stream = Vec::new();
        OpenaiResponsesServerCodec.stream(head()).fail(&failure, &mut stream);
        assert_eq!(decode(&OpenaiResponsesCodec::default(), &[&stream]).0.unwrap_err().class, class);
    };
    check(FailureClass::Overloaded, "Overloaded", 503);
    check(FailureClass::RateLimited, "slow down", 429);
    check(FailureClass::Quota, "pay", 429);
    check(FailureClass::Server, "oops", 500);
    check(FailureClass::ContextOverflow, "too long", 400);
    check(FailureClass::BadRequest, "no such field", 400);
    check(FailureClass::Auth, "no", 401);
}

#[test]
fn what_the_client_writes_the_server_reads() {
    let view = vec![
        user(0, "Weather?"),
        assistant(
            1,
            vec![
                thought(
                    "hm",
                    r#"{"openai_responses":{"id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"g"}}"#,
                ),
                Block::Text("I look.".into()),
                call("c1", "weather", "{\"city\":\"Oslo\"}"),
            ],
        ),
        result(2, "c1", "rain", Outcome::Succeeded, vec![picture()]),
        assistant(3, vec![Block::Text("Rain.".into())]),
        Arc::new(Message::text(MessageId::new(4), Role::System, "Be quick.")),
        Arc::new(Message::new(MessageId::new(5), Role::User, vec![Block::Text("And".into()), picture()])),
    ];
    let options = WireOptions {
        tool_choice: ToolChoice::Tool("weather".into()),
        reasoning: Reasoning::Effort(Effort::High),
        ..WireOptions::default()
    };
    let codec: Arc<dyn ProviderCodec> = Arc::new(OpenaiResponsesCodec::default());
    let mut request = request("p/m", view.len(), vec![weather()]);
    request.format = Some(Arc::new(Json::parse("{\"type\":\"object\"}").unwrap()));
    let sent = encode(&mut RequestEncoder::new(codec), &request, &view, &options);
    let asked = OpenaiResponsesServerCodec.read(body(&sent).as_bytes()).unwrap();
    let messages: Vec<_> = asked.messages.into_iter().map(Arc::new).collect();
    assert_eq!(messages, view);
    assert_eq!((asked.system.as_str(), asked.model.as_str()), ("Be brief.", "m"));
    assert_eq!((asked.tools[0].name.as_str(), &asked.tools[0].schema), ("weather", &weather().schema));
    assert_eq!(asked.tool_choice, ToolChoice::Tool("weather".into()));
    assert_eq!(asked.reasoning, Reasoning::Effort(Effort::High));
    assert_eq!((asked.delivery, asked.max_output), (Delivery::Stream, Some(4096)));
    assert_eq!((asked.format.as_ref(), asked.temperature_milli), (request.format.as_deref(), Some(700)));
}

#[test]
fn a_plain_question_is_read() {
    let asked = OpenaiResponsesServerCodec
        .read(br#"{"model":"m","input":"hi","tools":[{"type":"web_search"}],"tool_choice":"none"}"#)
        .unwrap();
    assert_eq!(asked.messages[0].plain_text(), "hi");
    assert_eq!(
        (asked.tools.len(), asked.tool_choice, asked.delivery),
        (0, ToolChoice::None, Delivery::Whole)
    );
}

#[test]
fn a_bad_body_says_what_is_wrong_and_where() {
    let check = |body: &str, expect: &str| {
        assert_eq!(OpenaiResponsesServerCodec.read(body.as_bytes()).unwrap_err().to_string(), expect);
    };
    let input = |items: &str| format!(r#"{{"model":"m","input":{items}}}"#);
    check("{}", "/model: expected a string");
    let formatted = |format: &str| format!(r#"{{"model":"m","input":"hi","text":{{"format":{format}}}}}"#);
    let expect = "/text/format/type: expected text, json_object or json_schema";
    check(&formatted(r#"{"type":"grammar"}"#), expect);
    check(&formatted(r#"{"type":"json_schema","name":"x"}"#), "/text/format/schema: expected a JSON Schema");
    check(r#"{"model":"m"}"#, "/input: expected a string or a list of items");
    check(&input(r#"[{"role":"x"}]"#), "/input/0/role: expected system, developer, user or assistant");
    check(
        &input(r#"[{"role":"user","content":3}]"#),
        "/input/0/content: expected a string or a list of parts",
    );
    check(&input(r#"[{"type":"function_call_output"}]"#), "/input/0/call_id: expected a string");
    check(
        &input(r#"[{"type":"item_reference","id":"x"}]"#),
        "/input/0: expected an item with its content, because items are not stored",
    );
    check(
        r#"{"model":"m","input":"x","previous_response_id":"r"}"#,
        "/previous_response_id: expected null, because replies are not stored; send the whole conversation as input",
    );
    check(r#"{"model":"m","input":"x","tools":[{"type":"function"}]}"#, "/tools/0/name: expected a string");
    check(r#"{"model":"m","input":"x","n":2}"#, "/n: expected 1, because a reply has one choice");
    check(r#"{"model":"m","input":"x","temperature":3}"#, "/temperature: expected a number from 0 to 2");
}
