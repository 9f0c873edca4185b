use std::{string::String, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, MessageId, Messages, Outcome, Role, Source, ToolCall};

use super::super::*;
use crate::{
    AuthScheme, Effort, Reasoning, RequestEncoder, ToolChoice, WireOptions,
    openai_chat::OptionalField,
    testing::{
        assistant, body, call, check_growth, encode, file, picture, request, result, thought, user, weather,
    },
};

fn conversation() -> Vec<Arc<Message>> {
    let signed = Block::ToolCall(ToolCall {
        id: "call_1".into(),
        name: "weather".into(),
        arguments: r#"{"city": "Paris"}"#.into(),
        replay: Some(super::super::signed("c2lnLWNhbGw=", SignaturePlace::Own)),
    });
    vec![
        user(0, "Weather in \"Paris\"?"),
        assistant(
            1,
            vec![
                thought("Ask.", r#"{"gemini":{"thoughtSignature":"c2lnLW93bg=="}}"#),
                thought("not ours", r#"{"anthropic":{"signature":"x"}}"#),
                thought("unsigned", ""),
                Block::Text("I ".into()),
                Block::Text("look.".into()),
                thought("", r#"{"gemini":{"thoughtSignature":"c2lnLXRleHQ=","part":"text"}}"#),
                signed,
                call("call_2", "weather", "{broken"),
                thought("", r#"{"gemini":{"thoughtSignature":"c2lnLWVtcHR5","part":"empty"}}"#),
            ],
        ),
        result(2, "call_1", "sunny", Outcome::Succeeded, vec![picture()]),
        result(3, "call_2", "not JSON", Outcome::Refused, vec![]),
        Arc::new(Message::text(MessageId::new(4), Role::System, "Be quick.")),
        user(5, "Well?"),
        assistant(6, vec![Block::Text("Sunny.".into())]),
        assistant(7, vec![call("c3", "weather", "")]),
        result(8, "c3", "rain", Outcome::Succeeded, vec![]),
        Arc::new(Message::new(
            MessageId::new(9),
            Role::User,
            vec![
                Block::Text("And these?".into()),
                picture(),
                file("application/pdf", Source::Url("https://x.test/a.pdf".into())),
                file("image/*", Source::Url("https://x.test/b".into())),
                file("text/markdown", Source::Base64("IyBoaQ==".into())),
                file("application/zip", Source::Reference("gone".into())),
            ],
        )),
    ]
}

fn encoded(
    dialect: GeminiDialect,
    options: &WireOptions,
    change: impl FnOnce(&mut holm_kernel::Request),
) -> crate::ProviderRequest {
    let view = conversation();
    let mut request = request("gemini/gemini-2.5-flash", view.len(), vec![weather()]);
    change(&mut request);
    encode(&mut RequestEncoder::new(Arc::new(GeminiCodec::new(dialect))), &request, &view, options)
}

#[test]
fn a_conversation_is_written_as_the_service_documents_it() {
    let request = encoded(GeminiDialect::default(), &WireOptions::default(), |_| {});
    assert_eq!(request.auth, AuthScheme::Header("x-goog-api-key".into()));
    assert_eq!(
        request.url("https://generativelanguage.googleapis.com/v1beta"),
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    );
    insta::assert_snapshot!(body(&request), @r##"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Weather in \"Paris\"?"}]},{"role":"model","parts":[{"text":"Ask.","thought":true,"thoughtSignature":"c2lnLW93bg=="},{"text":"I "},{"text":"look.","thoughtSignature":"c2lnLXRleHQ="},{"functionCall":{"id":"call_1","name":"weather","args":{"city": "Paris"}},"thoughtSignature":"c2lnLWNhbGw="},{"functionCall":{"id":"call_2","name":"weather","args":{"invalid_json":"{broken"}}},{"text":"","thoughtSignature":"c2lnLWVtcHR5"}]},{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"weather","response":{"output":"sunny"}}},{"functionResponse":{"id":"call_2","name":"weather","response":{"error":"not JSON"}}},{"text":"From the tool weather, call call_1:"},{"inlineData":{"mimeType":"image/png","data":"aWs="}}]},{"role":"user","parts":[{"text":"<operator>\nBe quick.\n</operator>"},{"text":"Well?"}]},{"role":"model","parts":[{"text":"Sunny."},{"functionCall":{"id":"c3","name":"weather","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"id":"c3","name":"weather","response":{"output":"rain"}}}]},{"role":"user","parts":[{"text":"And these?"},{"inlineData":{"mimeType":"image/png","data":"aWs="}},{"fileData":{"mimeType":"application/pdf","fileUri":"https://x.test/a.pdf"}},{"fileData":{"fileUri":"https://x.test/b"}},{"text":"The file \"note.txt\":\n# hi"},{"text":"[the file \"note.txt\" (application/zip) is not shown]"}]}],"tools":[{"functionDeclarations":[{"name":"weather","description":"Tells the weather.","parametersJsonSchema":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}]}],"generationConfig":{"maxOutputTokens":4096,"temperature":0.7}}"##);
}

#[test]
fn settings_are_written_by_their_names() {
    let options = WireOptions {
        delivery: crate::Delivery::Whole,
        tool_choice: ToolChoice::Tool("weather".into()),
        reasoning: Reasoning::Budget(2000),
        stop: vec!["END".into()],
        extra: Some(Json::parse(r#"{"safetySettings":[]}"#).unwrap()),
        ..WireOptions::default()
    };
    let dialect = GeminiDialect { schema_with_tools: OptionalField::Sent, ..GeminiDialect::default() };
    let request = encoded(dialect, &options, |request| {
        request.messages = Messages::Own(vec![user(0, "hi")]);
        request.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
    });
    assert_eq!(
        request.url("https://x.test/v1beta"),
        "https://x.test/v1beta/models/gemini-2.5-flash:generateContent"
    );
    insta::assert_snapshot!(body(&request), @r##"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"weather","description":"Tells the weather.","parametersJsonSchema":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["weather"]}},"generationConfig":{"maxOutputTokens":4096,"temperature":0.7,"stopSequences":["END"],"responseMimeType":"application/json","responseJsonSchema":{"type":"object"},"thinkingConfig":{"includeThoughts":true,"thinkingBudget":2000}},"safetySettings":[]}"##);
}

#[test]
fn a_dialect_changes_places_and_leaves_out_what_is_refused() {
    let dialect = GeminiDialect {
        path: "/projects/p/locations/global/publishers/google/models/{model}".into(),
        auth: AuthScheme::Bearer,
        ids: OptionalField::Omitted,
        missing_signature: None,
        ..GeminiDialect::default()
    };
    let request = encoded(dialect, &WireOptions::default(), |request| {
        request.model = Arc::new(holm_kernel::ModelSpec::named("vertex/models/gemini 3"));
        request.messages = Messages::Own(conversation().drain(7..9).collect());
        request.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
        request.max_output = None;
    });
    assert_eq!(
        request.url("https://aiplatform.googleapis.com/v1"),
        "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/models/gemini%203:streamGenerateContent?alt=sse"
    );
    insta::assert_snapshot!(body(&request), @r##"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"model","parts":[{"functionCall":{"name":"weather","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"output":"rain"}}}]}],"tools":[{"functionDeclarations":[{"name":"weather","description":"Tells the weather.","parametersJsonSchema":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}]}]}"##);
}

#[test]
fn thinking_is_asked_for_in_the_dialects_way() {
    let check = |thinking: GeminiThinking, reasoning, expect: &str| {
        let dialect = GeminiDialect { thinking, ..GeminiDialect::default() };
        let sent = encoded(dialect, &WireOptions { reasoning, ..WireOptions::default() }, |_| {});
        let json = Json::parse(body(&sent)).unwrap();
        let found: String =
            json.pointer("/generationConfig/thinkingConfig").map(Json::canonical).unwrap_or_default();
        assert_eq!(found, expect);
    };
    let high = Reasoning::Effort(Effort::High);
    check(GeminiThinking::Budget, high, r#"{"includeThoughts":true,"thinkingBudget":24576}"#);
    check(GeminiThinking::Budget, Reasoning::Off, r#"{"thinkingBudget":0}"#);
    check(GeminiThinking::Budget, Reasoning::Unsaid, "");
    check(GeminiThinking::Level, high, r#"{"includeThoughts":true,"thinkingLevel":"high"}"#);
    check(GeminiThinking::Level, Reasoning::Off, "");
    check(GeminiThinking::Omitted, high, "");
}

#[test]
fn growing_a_view_gives_the_same_bytes() {
    check_growth(Arc::new(GeminiCodec::default()), &conversation());
}
