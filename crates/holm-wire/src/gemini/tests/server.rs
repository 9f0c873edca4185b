use std::{string::ToString, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Failure, FailureClass, Message, MessageId, Outcome, Role, StopReason, ToolCall, Usage,
};

use super::super::*;
use crate::{
    Reasoning, RequestEncoder, ToolChoice, WireDelta, WireOptions,
    server::{ReplyHead, ServerCodec},
    testing::{
        assistant, body, call, decode, encode, picture, request, result, show, thought, user, weather,
    },
};

fn head() -> ReplyHead {
    ReplyHead { id: "r1".into(), model: "m".into(), created: 1, ..ReplyHead::default() }
}

fn signed_call() -> Block {
    Block::ToolCall(ToolCall {
        id: "a".into(),
        name: "f".into(),
        arguments: r#"{"x":"é"}"#.into(),
        replay: Some(signed("c2ln", SignaturePlace::Own)),
    })
}

fn reply() -> Reply {
    Reply {
        blocks: vec![
            thought("Zwei Orte…", ""),
            thought("signed", r#"{"gemini":{"thoughtSignature":"b3du"}}"#),
            Block::Text("Ein \"Wort\"\n".into()),
            Block::Text("und 漢字".into()),
            thought("", r#"{"gemini":{"part":"text","thoughtSignature":"dGV4dA=="}}"#),
            signed_call(),
            call("b", "g", "{}"),
            picture(),
            thought("", r#"{"gemini":{"part":"empty","thoughtSignature":"ZW1wdHk="}}"#),
        ],
        usage: Usage { input: 10, output: 5, cached: 2, cache_write: 0, reasoning: 1, estimated: 0 },
        stop: StopReason::ToolUse,
        model: Some("m".into()),
    }
}

#[test]
fn what_the_server_writes_the_client_reads() {
    let cut = Reply { blocks: vec![Block::Text("Once".into())], stop: StopReason::MaxTokens, ..reply() };
    for reply in [reply(), cut] {
        for size in [1, 5, 1000] {
            let mut stream = Vec::new();
            GeminiServerCodec.stream(head()).reply(&reply, size, &mut stream);
            assert_eq!(decode(&GeminiCodec::default(), &[&stream]).0.unwrap(), reply, "pieces of {size}");
        }
        assert_eq!(GeminiCodec::default().reply(&GeminiServerCodec.reply(&head(), &reply)).unwrap(), reply);
    }
}

#[test]
fn live_pieces_pass_through_and_calls_wait_until_they_are_whole() {
    let mut server = GeminiServerCodec.stream(head());
    let mut out = Vec::new();
    let arguments = |index, text| WireDelta::ToolArguments { index, offset: 0, text };
    for delta in [
        WireDelta::Thinking { offset: 0, text: "hm" },
        WireDelta::Text { offset: 0, text: "Hi" },
        WireDelta::ToolCallStarted { index: 0, id: "a", name: "f" },
        WireDelta::ToolCallStarted { index: 1, id: "b", name: "g" },
        arguments(0, "{\"x\":"),
        arguments(1, "{broken"),
        arguments(0, "1}"),
        WireDelta::Usage(Usage::default()),
    ] {
        server.delta(&delta, &mut out);
    }
    server.end(StopReason::ToolUse, Usage::default(), &mut out);
    let got = decode(&GeminiCodec::default(), &[&out]).0.unwrap();
    assert_eq!(show(&got), r#"<hm> "Hi" a:f({"x":1}) b:g({}) | ToolUse"#);
}

#[test]
fn a_failure_keeps_its_class_on_the_way() {
    let check = |class, message: &str, retry_after_ms, expect_status: u16| {
        let failure = Failure { class, message: message.into(), retry_after_ms, usage: Usage::default() };
        let (status, body) = GeminiServerCodec.failure(&failure);
        assert_eq!(status, expect_status);
        let answer = crate::classify::HttpFailure { status, headers: &[], body: &body, now_ms: None };
        let got = crate::classify::http(&answer);
        assert_eq!((got.class, got.retry_after_ms), (class, retry_after_ms));
        let mut stream = Vec::new();
        GeminiServerCodec.stream(head()).fail(&failure, &mut stream);
        let got = decode(&GeminiCodec::default(), &[&stream]).0.unwrap_err();
        assert_eq!((got.class, got.retry_after_ms), (class, retry_after_ms));
    };
    check(FailureClass::Overloaded, "The model is overloaded.", None, 503);
    check(FailureClass::RateLimited, "slow down", Some(1500), 429);
    check(FailureClass::Server, "oops", None, 500);
    check(FailureClass::ContextOverflow, "exceeds the maximum number of tokens allowed", None, 400);
    check(FailureClass::BadRequest, "no such field", None, 400);
    check(FailureClass::Auth, "no", None, 401);
}

#[test]
fn what_the_client_writes_the_server_reads() {
    let view = vec![
        user(0, "Weather?"),
        assistant(
            1,
            vec![
                thought("hm", r#"{"gemini":{"thoughtSignature":"b3du"}}"#),
                Block::Text("I look.".into()),
                thought("", r#"{"gemini":{"part":"text","thoughtSignature":"dGV4dA=="}}"#),
                Block::ToolCall(ToolCall {
                    id: "c1".into(),
                    name: "weather".into(),
                    arguments: "{\"city\":\"Oslo\"}".into(),
                    replay: Some(signed("c2ln", SignaturePlace::Own)),
                }),
                thought("", r#"{"gemini":{"part":"empty","thoughtSignature":"ZW1wdHk="}}"#),
            ],
        ),
        result(2, "c1", "rain", Outcome::Failed, vec![]),
        assistant(3, vec![Block::Text("Rain.".into())]),
        Arc::new(Message::new(MessageId::new(4), Role::User, vec![Block::Text("And".into()), picture()])),
    ];
    let options = WireOptions {
        tool_choice: ToolChoice::Tool("weather".into()),
        reasoning: Reasoning::Budget(2000),
        stop: vec!["END".into()],
        ..WireOptions::default()
    };
    let codec: Arc<dyn ProviderCodec> = Arc::new(GeminiCodec::default());
    let sent = encode(
        &mut RequestEncoder::new(codec),
        &request("p/m", view.len(), vec![weather()]),
        &view,
        &options,
    );
    assert_eq!(route(&sent.path), Some(("m", crate::Delivery::Stream)));
    let asked = GeminiServerCodec.read(body(&sent).as_bytes()).unwrap();
    let messages: Vec<_> = asked.messages.into_iter().map(Arc::new).collect();
    assert_eq!(messages, view);
    assert_eq!(asked.system, "Be brief.");
    assert_eq!((asked.tools[0].name.as_str(), &asked.tools[0].schema), ("weather", &weather().schema));
    assert_eq!(asked.tool_choice, ToolChoice::Tool("weather".into()));
    assert_eq!((asked.reasoning, asked.stop), (Reasoning::Budget(2000), vec!["END".to_string()]));
    assert_eq!((asked.max_output, asked.temperature_milli), (Some(4096), Some(700)));
}

#[test]
fn both_spellings_and_missing_ids_are_read() {
    let body = br#"{"system_instruction":{"parts":[{"text":"s"}]},"contents":[
        {"parts":[{"text":"hi"},{"inline_data":{"mime_type":"image/png","data":"aWs="}}]},
        {"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"name":"f"}}]},
        {"role":"function","parts":[{"functionResponse":{"name":"f","response":{"rows":[1]}}}]}],
        "generation_config":{"thinking_config":{"thinking_level":"low"}}}"#;
    let asked = GeminiServerCodec.read(body).unwrap();
    assert_eq!(asked.system, "s");
    assert_eq!(asked.messages[0].blocks, [Block::Text("hi".into()), picture()]);
    let calls: Vec<_> =
        asked.messages[1].tool_calls().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("call_1_0", r#"{"a":1}"#), ("call_1_1", "{}")]);
    let Block::ToolResult(result) = &asked.messages[2].blocks[0] else { unreachable!("a result") };
    assert_eq!((result.text.as_str(), asked.messages[2].role), (r#"{"rows":[1]}"#, Role::Tool));
    assert_eq!(asked.reasoning, Reasoning::Effort(crate::Effort::Low));
    assert_eq!(asked.format, None::<Json>);
}

#[test]
fn a_bad_body_says_what_is_wrong_and_where() {
    let check =
        |body: &[u8], expect: &str| assert_eq!(GeminiServerCodec.read(body).unwrap_err().to_string(), expect);
    check(b"{}", "/contents: expected a list");
    check(br#"{"contents":[{}]}"#, "/contents/0/parts: expected a list");
    check(br#"{"contents":[{"role":"x","parts":[]}]}"#, "/contents/0/role: expected user or model");
    check(
        br#"{"contents":[],"tools":[{"functionDeclarations":[{}]}]}"#,
        "/tools/0/functionDeclarations/0/name: expected a string",
    );
}
