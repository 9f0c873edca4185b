use std::{collections::BTreeSet, format, string::String, string::ToString, sync::Arc, vec, vec::Vec};

use holm_kernel::{FailureClass, StopReason, Usage};

use super::*;
use crate::{
    AuthScheme, Format, ProviderRequest, RequestEncoder, WireOptions,
    classify::{HttpFailure, http},
    openai_chat::{MaxTokensField, OpenaiChatDialect},
    testing::{check_beginnings, check_cuts, decode, encode, request, user},
};

const FILTERED: &[u8] = include_bytes!("../../fixtures/azure/filtered.sse");

fn sent(service: &ProviderService, model: &str) -> ProviderRequest {
    let view = [user(0, "hi")];
    encode(
        &mut RequestEncoder::new(service.speaks.codec()),
        &request(model, 1, vec![]),
        &view,
        &WireOptions::default(),
    )
}

#[test]
fn the_stock_list_is_readable_and_whole() {
    let services = ServiceTable::parse(include_str!("../../data/services.json")).unwrap();
    assert_eq!(services, ServiceTable::stock());
    for id in [
        "anthropic",
        "azure",
        "bedrock",
        "cerebras",
        "cohere",
        "google",
        "deepseek",
        "fireworks",
        "groq",
        "huggingface",
        "llamacpp",
        "lmstudio",
        "minimax",
        "mistral",
        "moonshot",
        "nvidia",
        "ollama",
        "ollama-v1",
        "openai",
        "openrouter",
        "perplexity",
        "qwen",
        "together",
        "vllm",
        "xai",
        "zhipu",
    ] {
        assert!(services.find(id).is_ok(), "{id}");
    }
}

#[test]
fn no_two_services_share_a_name() {
    let mut seen = BTreeSet::new();
    for service in ServiceTable::stock().iter() {
        for name in core::iter::once(&service.id).chain(&service.aliases) {
            assert!(seen.insert(name.clone()), "{name} is there twice");
            assert!(!name.contains('/') && !name.is_empty(), "{name}");
        }
    }
}

#[test]
fn every_service_has_an_address_and_says_where_its_key_goes() {
    for service in ServiceTable::stock().iter() {
        let base = service
            .endpoint(&|name| ["AZURE_RESOURCE_NAME", "AWS_REGION"].contains(&name).then(|| "x".into()));
        let base = base.unwrap_or_else(|error| panic!("{error}"));
        assert!(base.starts_with("http") && !base.contains('{'), "{base}");
        assert!(!service.keys.is_empty(), "{}", service.id);
        let local = base.starts_with("http://");
        assert!(!local || !service.needs_key(), "{} is local", service.id);
        let url = sent(service, &format!("{}/a/b:c", service.id)).url(&base);
        assert!(url.starts_with("http") && !url.contains("/v1/v1"), "{url}");
    }
}

#[test]
fn each_service_is_reached_under_its_documented_url() {
    let check = |name: &str, expect: &str| {
        let services = ServiceTable::stock();
        let (model, service) = services.resolve(name).unwrap();
        let base = service.endpoint(&|name| match name {
            "AZURE_RESOURCE_NAME" => Some("contoso".into()),
            "AWS_REGION" => Some("eu-central-1".into()),
            _ => None,
        });
        assert_eq!(sent(service, &model.to_string()).url(&base.unwrap()), expect);
    };
    check("anthropic/claude-sonnet-4-5", "https://api.anthropic.com/v1/messages");
    check("openai/gpt-5", "https://api.openai.com/v1/responses");
    check("openai-chat/gpt-5", "https://api.openai.com/v1/chat/completions");
    check("deepseek/deepseek-chat", "https://api.deepseek.com/chat/completions");
    check("groq/openai/gpt-oss-20b", "https://api.groq.com/openai/v1/chat/completions");
    check("cohere/command-a-03-2025", "https://api.cohere.com/v2/chat");
    check(
        "gemini/gemini-2.5-pro",
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    );
    check("ollama/qwen3", "http://localhost:11434/api/chat");
    check("ollama-v1/qwen3", "http://localhost:11434/v1/chat/completions");
    check("zhipu/glm-4.6", "https://open.bigmodel.cn/api/paas/v4/chat/completions");
    check("hf/openai/gpt-oss-20b", "https://router.huggingface.co/v1/chat/completions");
    check("azure/my-gpt", "https://contoso.openai.azure.com/openai/v1/chat/completions");
    check("azure-responses/my-gpt", "https://contoso.openai.azure.com/openai/v1/responses");
    check(
        "azure-deployments/my gpt".replace(' ', "-").as_str(),
        "https://contoso.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
    );
    check(
        "bedrock/amazon.nova-lite-v1:0",
        "https://bedrock-runtime.eu-central-1.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse-stream",
    );
}

#[test]
fn names_are_taken_apart_at_the_first_slash() {
    let check = |text: &str, expect: Result<(&str, &str), &str>| {
        let parsed: Result<ModelName, ModelNameError> = text.parse();
        let parsed = parsed.map_err(|error| error.to_string());
        let halves = parsed.as_ref().map(|name| (name.provider(), name.model()));
        assert_eq!(halves.map_err(String::as_str), expect, "{text:?}");
    };
    check("openai/gpt-5", Ok(("openai", "gpt-5")));
    check(" openai/gpt-5\n", Ok(("openai", "gpt-5")));
    check("openrouter/meta/llama-4", Ok(("openrouter", "meta/llama-4")));
    let not_full = |name: &str| {
        format!("{name:?} is not a full model name; write it as provider/model, such as openai/gpt-5-mini")
    };
    for name in ["", "gpt-5", "/gpt-5", "openai/"] {
        check(name, Err(&not_full(name)));
    }
    check("openai/gpt 5", Err("a model name holds no white space and no control characters"));
    check("openai/\u{1b}[2J", Err("a model name holds no white space and no control characters"));
    check(&"x/".repeat(400), Err("a model name has at most 512 bytes"));
}

#[test]
fn a_name_is_stored_as_text() {
    let name: ModelName = serde_json::from_str("\"openai/gpt-5\"").unwrap();
    assert_eq!(serde_json::to_string(&name).unwrap(), "\"openai/gpt-5\"");
    assert!(serde_json::from_str::<ModelName>("\"gpt-5\"").is_err());
}

#[test]
fn a_slip_is_noticed_and_a_stranger_is_not_taken_for_a_friend() {
    let check = |name: &str, expect: &str| {
        let error = ServiceTable::stock().find(name).unwrap_err().to_string();
        assert_eq!(error, format!("unknown provider {name:?}{expect}"));
    };
    check("antropic", "; did you mean anthropic?");
    check("Mistral", "; did you mean mistral?");
    check("open-ai", "; did you mean openai?");
    check("perplex", "; did you mean perplexity?");
    check("togetherai2", "; did you mean together?");
    check("qwn", "; did you mean qwen?");
    check("acme", "; for your own provider, configure a base URL");
    check("", "; for your own provider, configure a base URL");
    let long = "x".repeat(5_000);
    assert!(ServiceTable::stock().find(&long).unwrap_err().to_string().len() < 200);
}

#[test]
fn a_users_service_needs_only_an_address_and_wins_over_ours() {
    let mine = r#"[
        {"id":"mine","base_url":"https://llm.example.com/v1","keys":["MINE_KEY"]},
        {"id":"mistral","base_url":"https://eu.example.com/v1","speaks":{"anthropic":{"auth":"bearer"}},"later":1}
    ]"#;
    let mine = ServiceTable::parse(mine).unwrap();
    let services = ServiceTable::stock().with(mine.iter().cloned());
    let service = services.find("mine").unwrap();
    assert_eq!((service.title(), service.needs_key()), ("mine", true));
    assert_eq!(service.speaks, ServiceDialect::OpenaiChat(OpenaiChatDialect::compatible()));
    let replaced = services.find("mistral").unwrap();
    assert_eq!((replaced.speaks.format(), replaced.speaks.auth()), (Format::Anthropic, &AuthScheme::Bearer));
    assert!(services.find("groq").is_ok());
    let error = ServiceTable::parse(r#"[{"id":"x"}]"#).unwrap_err();
    assert!(error.to_string().contains("base_url"), "{error}");
}

#[test]
fn an_address_is_filled_in_from_the_environment_and_from_nothing_else() {
    let services = ServiceTable::stock();
    let azure = services.find("azure").unwrap();
    let missing = azure.endpoint(&|_| Some(" ".into())).unwrap_err();
    assert_eq!(missing.to_string(), "the service azure needs its resource; set AZURE_RESOURCE_NAME");
    let evil = azure.endpoint(&|name| (name == "AZURE_RESOURCE_NAME").then(|| "evil.test/x?#".into()));
    assert_eq!(evil.unwrap(), "https://evil.testx.openai.azure.com/openai/v1");
    let ollama = services.find("ollama").unwrap();
    let host = |value: &'static str| move |name: &str| (name == "OLLAMA_HOST").then(|| String::from(value));
    assert_eq!(ollama.endpoint(&host("10.0.0.7:11434")).unwrap(), "http://10.0.0.7:11434");
    assert_eq!(ollama.endpoint(&host("https://o.test")).unwrap(), "https://o.test");
}

#[test]
fn azure_is_a_dialect_of_chat_completions() {
    let services = ServiceTable::stock();
    let speaks = |id: &str| services.find(id).unwrap().speaks.clone();
    assert_eq!(speaks("azure"), ServiceDialect::OpenaiChat(v1()));
    assert_eq!(speaks("azure-deployments"), ServiceDialect::OpenaiChat(deployments("2024-10-21")));
    let request = sent(services.find("azure").unwrap(), "azure/x");
    assert_eq!(request.auth.header("k"), Some(("api-key", "k".into())));
}

#[test]
fn azures_filter_is_understood_in_streams_and_errors() {
    let codec = ServiceTable::stock().find("azure").unwrap().speaks.codec();
    let reply = decode(codec.as_ref(), &[FILTERED]).0.unwrap();
    assert_eq!(reply.blocks[0].as_text(), Some("Hello"));
    assert_eq!(reply.stop, StopReason::ContentFilter);
    assert_eq!(reply.usage, Usage { input: 11, output: 4, ..Usage::default() });
    check_cuts(codec.as_ref(), FILTERED);
    check_beginnings(codec.as_ref(), FILTERED, b"[DONE]");
    let check = |status, body: &str, class| {
        let answer = HttpFailure { status, headers: &[], body: body.as_bytes(), now_ms: None };
        assert_eq!(http(&answer).class, class, "{body}");
    };
    check(
        400,
        r#"{"error":{"message":"The response was filtered due to the prompt triggering the content management policy.","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        FailureClass::ContentFilter,
    );
    check(
        404,
        r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#,
        FailureClass::BadRequest,
    );
    check(
        401,
        r#"{"error":{"code":"401","message":"Access denied due to invalid subscription key."}}"#,
        FailureClass::Auth,
    );
}

#[test]
fn quirks_reach_the_wire() {
    let services = ServiceTable::stock();
    let dialect = |id: &str| match &services.find(id).unwrap().speaks {
        ServiceDialect::OpenaiChat(dialect) => dialect.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(dialect("groq").max_tokens, MaxTokensField::MaxCompletionTokens);
    assert_eq!(dialect("vllm").max_tokens, MaxTokensField::MaxTokens);
    let body = |id: &str| {
        let request = sent(services.find(id).unwrap(), "x/y");
        String::from_utf8(request.body).unwrap()
    };
    assert!(!body("mistral").contains("stream_options"));
    assert!(body("deepseek").contains(r#""max_tokens":4096"#));
    assert!(body("openai-chat").contains(r#""role":"developer""#));
}

#[test]
fn a_cache_key_reaches_the_services_that_take_one_and_no_others() {
    let options =
        |key: Option<&str>| WireOptions { cache_key: key.map(Into::into), ..WireOptions::default() };
    let body = |service: &ProviderService, options: &WireOptions| {
        let mut encoder = RequestEncoder::new(service.speaks.codec());
        let sent = encode(&mut encoder, &request("x/y", 1, vec![]), &[user(0, "hi")], options);
        String::from_utf8(sent.body).unwrap()
    };
    let services = ServiceTable::stock();
    let mut takers: Vec<&str> = Vec::new();
    for service in services.iter() {
        let (with, without) = (body(service, &options(Some("k-1"))), body(service, &options(None)));
        if with == without {
            continue;
        }
        assert_eq!(with.replace(r#","prompt_cache_key":"k-1""#, ""), without, "{}", service.id);
        takers.push(&service.id);
    }
    takers.sort_unstable();
    assert_eq!(takers, ["azure-responses", "openai", "openai-chat"]);
    // What the caller gives for this provider wins, and the member is there once.
    let extra = holm_guards::json::Json::parse(r#"{"prompt_cache_key":"own"}"#).unwrap();
    let own =
        body(services.find("openai").unwrap(), &WireOptions { extra: Some(extra), ..options(Some("k-1")) });
    assert!(own.contains(r#""prompt_cache_key":"own""#) && !own.contains("k-1"), "{own}");
}

#[test]
fn codecs_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let codecs: Vec<Arc<dyn crate::ProviderCodec>> =
        ServiceTable::stock().iter().map(|service| service.speaks.codec()).collect();
    codecs.iter().for_each(shared);
}
