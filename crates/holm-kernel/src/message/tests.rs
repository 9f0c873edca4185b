use alloc::vec;

use holm_guards::json::Json;

use super::*;

fn round_trip(message: &Message, json: &str) {
    assert_eq!(serde_json::to_string(message).expect("writes"), json);
    assert_eq!(&serde_json::from_str::<Message>(json).expect("reads"), message);
}

#[test]
fn every_kind_of_block_has_a_stable_form() {
    let media = |source| Media { media_type: "image/png".into(), source, name: None };
    let blocks = vec![
        Block::Text("hi".into()),
        Block::Thinking(Thinking { text: "hm".into(), replay: Some("sig".into()) }),
        Block::ToolCall(ToolCall {
            id: "c1".into(),
            name: "echo".into(),
            arguments: r#"{"a":1.0}"#.into(),
            replay: None,
        }),
        Block::ToolResult(ToolResult {
            call: "c1".into(),
            tool: "echo".into(),
            text: "out".into(),
            outcome: Outcome::Failed,
            parts: vec![Block::Image(media(Source::Base64("AA==".into())))],
        }),
        Block::Image(media(Source::Url("https://example.com/a.png".into()))),
        Block::File(media(Source::Reference("blob:1".into()))),
        Block::Custom(Custom { kind: "note".into(), payload: Json::parse("[1.0,null]").expect("json") }),
    ];
    round_trip(
        &Message::new(MessageId::new(1), Role::Assistant, blocks),
        concat!(
            r#"{"id":1,"role":"assistant","blocks":["#,
            r#"{"text":"hi"},"#,
            r#"{"thinking":{"text":"hm","replay":"sig"}},"#,
            r#"{"tool_call":{"id":"c1","name":"echo","arguments":"{\"a\":1.0}"}},"#,
            r#"{"tool_result":{"call":"c1","tool":"echo","text":"out","outcome":"failed","parts":["#,
            r#"{"image":{"media_type":"image/png","source":{"base64":"AA=="}}}]}},"#,
            r#"{"image":{"media_type":"image/png","source":{"url":"https://example.com/a.png"}}},"#,
            r#"{"file":{"media_type":"image/png","source":{"reference":"blob:1"}}},"#,
            r#"{"custom":{"kind":"note","payload":[1.0,null]}}]}"#
        ),
    );
}

#[test]
fn unknown_fields_are_ignored() {
    let json = r#"{"id":1,"role":"user","later":{"a":1e999},"blocks":[{"tool_call":{"id":"","name":"x","arguments":"","new":[]}}]}"#;
    let message: Message = serde_json::from_str(json).expect("reads");
    assert_eq!(message.tool_calls().count(), 1);
}

#[test]
fn plain_text_joins_text_and_leaves_the_rest_out() {
    let blocks = [
        Block::Text("a".into()),
        Block::Thinking(Thinking { text: "no".into(), replay: None }),
        Block::Text("b".into()),
    ];
    assert_eq!(plain_text(&blocks), "ab");
}

#[test]
fn a_usage_without_details_prints_without_them() {
    let usage = Usage { input: 3, output: 1, ..Usage::default() };
    assert_eq!(serde_json::to_string(&usage).expect("writes"), r#"{"input":3,"output":1}"#);
    let read: Usage = serde_json::from_str("{}").expect("reads");
    assert_eq!(read, Usage::default());
    assert_eq!(usage.plus(usage).total(), 8);
}

#[test]
fn only_success_is_no_error() {
    let errors = [Outcome::Failed, Outcome::Refused, Outcome::Unknown, Outcome::Stopped];
    assert!(errors.into_iter().all(Outcome::is_error) && !Outcome::Succeeded.is_error());
}

#[test]
fn the_author_of_a_message_is_written_only_where_it_is_the_kernel() {
    let spoken = Message::text(MessageId::new(1), Role::User, "hi");
    let noted = Message { author: Author::Kernel, ..spoken.clone() };
    round_trip(&spoken, r#"{"id":1,"role":"user","blocks":[{"text":"hi"}]}"#);
    round_trip(&noted, r#"{"id":1,"role":"user","blocks":[{"text":"hi"}],"author":"kernel"}"#);
}
