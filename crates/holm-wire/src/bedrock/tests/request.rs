use std::{string::String, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Message, MessageId, Messages, Outcome, Role, Source, Thinking};

use super::super::*;
use crate::{
    AuthScheme, Caching, Delivery, Effort, Reasoning, RequestEncoder, ToolChoice, WireOptions,
    testing::{assistant, body, call, check_growth, encode, file, picture, request, result, user, weather},
};

const CLAUDE: &str = "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

fn conversation() -> Vec<Arc<Message>> {
    let replay = |json: &str| Some(Json::parse(json).unwrap());
    vec![
        user(0, "Weather in \"Paris\"?"),
        assistant(
            1,
            vec![
                Block::Thinking(Thinking {
                    text: "Ask.".into(),
                    replay: replay(r#"{"bedrock":{"signature":"c2ln"}}"#),
                }),
                Block::Thinking(Thinking {
                    text: String::new(),
                    replay: replay(r#"{"bedrock":{"redacted":"ZGF0YQ=="}}"#),
                }),
                Block::Thinking(Thinking {
                    text: "foreign".into(),
                    replay: replay(r#"{"anthropic":{"signature":"x"}}"#),
                }),
                call("functions.weather:0", "weather", r#"{"city": "Paris"}"#),
                call("call_2", "weather", "{broken"),
            ],
        ),
        result(2, "functions.weather:0", "sunny", Outcome::Succeeded, vec![picture()]),
        result(3, "call_2", " ", Outcome::Failed, vec![]),
        Arc::new(Message::text(MessageId::new(4), Role::System, "Be quick.")),
        assistant(5, vec![Block::Text("Sunny.".into())]),
        Arc::new(Message::new(
            MessageId::new(6),
            Role::User,
            vec![
                file("application/pdf", Source::Base64("JVBE".into())),
                file("application/pdf", Source::Url("s3://bucket/a.pdf".into())),
                file("text/markdown", Source::Base64("IyBoaQ==".into())),
                file("application/zip", Source::Base64("UEs=".into())),
            ],
        )),
    ]
}

fn encoded(
    model: &str,
    options: &WireOptions,
    change: impl FnOnce(&mut holm_kernel::Request),
) -> ProviderRequest {
    let view = conversation();
    let mut request = request(model, view.len(), vec![weather()]);
    change(&mut request);
    encode(&mut RequestEncoder::new(Arc::new(BedrockCodec::default())), &request, &view, options)
}

#[test]
fn a_conversation_is_written_as_the_service_documents_it() {
    let request = encoded(CLAUDE, &WireOptions::default(), |_| {});
    assert_eq!(request.path, "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
    assert_eq!(request.auth, AuthScheme::SigV4("bedrock".into()));
    insta::assert_snapshot!(body(&request), @r##"{"system":[{"text":"Be brief."},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"Weather in \"Paris\"?"}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Ask.","signature":"c2ln"}}},{"reasoningContent":{"redactedContent":"ZGF0YQ=="}},{"toolUse":{"toolUseId":"functions_weather_0","name":"weather","input":{"city": "Paris"}}},{"toolUse":{"toolUseId":"call_2","name":"weather","input":{"invalid_json":"{broken"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"functions_weather_0","content":[{"text":"sunny"},{"image":{"format":"png","source":{"bytes":"aWs="}}}],"status":"success"}},{"toolResult":{"toolUseId":"call_2","content":[{"text":"(no output)"}],"status":"error"}},{"text":"<operator>\nBe quick.\n</operator>"},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"text":"Sunny."}]},{"role":"user","content":[{"document":{"format":"pdf","name":"note txt 6-1","source":{"bytes":"JVBE"}}},{"document":{"format":"pdf","name":"note txt 6-2","source":{"s3Location":{"uri":"s3://bucket/a.pdf"}}}},{"text":"The file \"note.txt\":\n# hi"},{"text":"[the file \"note.txt\" (application/zip) is not shown]"},{"text":"See the attached document."},{"cachePoint":{"type":"default"}}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"weather","description":"Tells the weather.","inputSchema":{"json":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}},{"cachePoint":{"type":"default"}}]},"inferenceConfig":{"maxTokens":4096,"temperature":0.7}}"##);
}

#[test]
fn settings_are_written_by_their_names() {
    let options = WireOptions {
        delivery: Delivery::Whole,
        tool_choice: ToolChoice::Tool("weather".into()),
        reasoning: Reasoning::Budget(2000),
        caching: Caching::Off,
        stop: vec!["END".into()],
        extra: Some(Json::parse(r#"{"requestMetadata":{"team":"a"}}"#).unwrap()),
        ..WireOptions::default()
    };
    let request = encoded(CLAUDE, &options, |request| {
        request.messages = Messages::Own(vec![user(0, "hi")]);
        request.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
    });
    assert!(request.path.ends_with("/converse"), "{}", request.path);
    insta::assert_snapshot!(body(&request), @r##"{"system":[{"text":"Be brief."}],"messages":[{"role":"user","content":[{"text":"hi"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"weather","description":"Tells the weather.","inputSchema":{"json":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}}],"toolChoice":{"tool":{"name":"weather"}}},"inferenceConfig":{"maxTokens":4096,"stopSequences":["END"]},"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"reply","schema":"{\"type\":\"object\"}"}}}},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":2000}},"requestMetadata":{"team":"a"}}"##);
}

#[test]
fn a_long_lived_key_goes_as_a_bearer_token() {
    let dialect: BedrockDialect = serde_json::from_str(r#"{"auth":"bearer"}"#).unwrap();
    let view = conversation();
    let request = encode(
        &mut RequestEncoder::new(Arc::new(BedrockCodec::new(dialect))),
        &request(CLAUDE, 1, vec![]),
        &view[..1],
        &WireOptions::default(),
    );
    assert_eq!(request.auth.header("k"), Some(("authorization", "Bearer k".into())));
}

#[test]
fn cache_points_stand_only_where_the_model_knows_them() {
    let check = |model: &str, expect: usize| {
        let sent = encoded(model, &WireOptions::default(), |_| {});
        assert_eq!(body(&sent).matches("cachePoint").count(), expect, "{model}");
    };
    check(CLAUDE, 4);
    check("bedrock/amazon.nova-pro-v1:0", 3);
    check("bedrock/meta.llama3-3-70b-instruct-v1:0", 0);
    check("bedrock/anthropic.claude-3-haiku-20240307-v1:0", 0);
}

#[test]
fn thinking_is_asked_for_in_the_makers_words() {
    let check = |model: &str, reasoning, cap, expect: &str| {
        let options = WireOptions { reasoning, ..WireOptions::default() };
        let sent = encoded(model, &options, |request| request.max_output = Some(cap));
        let json = Json::parse(body(&sent)).unwrap();
        let fields = json.get("additionalModelRequestFields").map(Json::canonical).unwrap_or_default();
        assert_eq!(fields, expect, "{model}");
        let cool = json.pointer("/inferenceConfig/temperature").is_some();
        assert_eq!(cool, expect.is_empty(), "{model}");
    };
    let high = Reasoning::Effort(Effort::High);
    check(CLAUDE, high, 64_000, r#"{"thinking":{"budget_tokens":24576,"type":"enabled"}}"#);
    check(CLAUDE, high, 4_096, r#"{"thinking":{"budget_tokens":4095,"type":"enabled"}}"#);
    check(CLAUDE, high, 512, "");
    check(CLAUDE, Reasoning::Off, 512, "");
    check("bedrock/openai.gpt-oss-120b-1:0", high, 512, r#"{"reasoning_effort":"high"}"#);
    check("bedrock/amazon.nova-pro-v1:0", high, 512, "");
}

#[test]
fn growing_a_view_gives_the_same_bytes() {
    check_growth(Arc::new(BedrockCodec::default()), &conversation());
}

#[test]
fn ids_are_made_to_fit_and_stay_apart() {
    let sent = |id: &str| {
        let view = [assistant(0, vec![call(id, "f", "")]), result(1, id, "x", Outcome::Succeeded, vec![])];
        let request = request("bedrock/m", 2, vec![]);
        let sent = encode(
            &mut RequestEncoder::new(Arc::new(BedrockCodec::default())),
            &request,
            &view,
            &WireOptions::default(),
        );
        let json = Json::parse(body(&sent)).unwrap();
        let at = |pointer: &str| String::from(json.pointer(pointer).and_then(Json::as_str).unwrap());
        let call = at("/messages/0/content/0/toolUse/toolUseId");
        assert_eq!(call, at("/messages/1/content/0/toolResult/toolUseId"));
        call
    };
    assert_eq!(sent("tooluse_1"), "tooluse_1");
    assert_eq!(sent("a.b:c"), "a_b_c");
    assert_eq!(sent(""), "_");
    let (first, second) = (sent(&("x".repeat(80) + "1")), sent(&("x".repeat(80) + "2")));
    assert_eq!((first.len(), second.len()), (64, 64));
    assert_ne!(first, second);
}

#[test]
fn pictures_that_the_service_cannot_fetch_are_named_in_words() {
    let image =
        |media_type: &str, source| Block::Image(Media { media_type: media_type.into(), source, name: None });
    let blocks = vec![
        image("image/png", Source::Url("https://x.test/a.png".into())),
        image("image/tiff", Source::Base64("AA==".into())),
        image("image/jpeg", Source::Reference("gone".into())),
    ];
    let view = [Arc::new(Message::new(MessageId::new(0), Role::User, blocks))];
    let sent = encode(
        &mut RequestEncoder::new(Arc::new(BedrockCodec::default())),
        &request("bedrock/m", 1, vec![]),
        &view,
        &WireOptions::default(),
    );
    assert_eq!(body(&sent).matches("is not shown]").count(), 3, "{}", body(&sent));
}
