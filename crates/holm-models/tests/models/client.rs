//! The client around the calls: names, keys, lists, several providers, whole replies.

use std::sync::Arc;

use holm_kernel::{Config, ModelResult, ModelSpec, Prompt, Started};
use holm_models::{
    AfterScript, CredentialCheck, ModelClient, ModelClientError, ModelEndpoint, ModelRouter, ProviderKeys,
    ProxyPolicy, ScriptedModel,
};
use holm_runtime::{RunHost, drive};
use holm_testkit::double::{Act, Double};
use holm_wire::{Delivery, Format, WireOptions};

use crate::stage::{FORMATS, KEY, TIMEOUTS, Watched, answered, client, codec, keys, play_with};

#[test]
fn a_name_leads_to_its_provider_or_says_why_not() {
    let keys = ProviderKeys::new().with("openai", KEY);
    assert!(ModelClient::from_name("openai/gpt-5-mini", keys.clone()).is_ok());
    let error = |name: &str| ModelClient::from_name(name, keys.clone()).unwrap_err().to_string();
    assert!(error("anthropic/claude-sonnet-4-5").contains("no key for anthropic"));
    assert!(error("gpt-5").contains("provider/model"), "{}", error("gpt-5"));
    assert!(error("opnai/gpt-5").contains("did you mean openai?"), "{}", error("opnai/gpt-5"));
    let other_name = ProviderKeys::new().with("anthropic", KEY);
    assert!(
        ModelClient::from_name("claude/claude-sonnet-4-5", other_name).is_ok(),
        "an alias has its service's key"
    );
    assert!(ModelClient::from_name("vllm/any", ProviderKeys::new()).is_ok(), "a local server needs no key");
}

#[test]
fn a_key_of_white_space_is_no_key() {
    let error = ModelClient::from_name("openai/gpt-5", ProviderKeys::new().with("openai", "  ")).unwrap_err();
    assert_eq!(error, ModelClientError::NoKey { provider: "openai".into() });
}

#[test]
fn a_password_in_a_base_url_is_refused_before_it_stands_in_a_log() {
    let with = |base: &str| {
        ModelClient::builder()
            .endpoint("proxy", ModelEndpoint::compatible(base))
            .keys(ProviderKeys::new().with("proxy", KEY))
            .build()
    };
    let error = with("https://me:secret-word@models.example.com/v1").unwrap_err();
    assert_eq!(error, ModelClientError::SecretInBase { provider: "proxy".into() });
    assert!(with("https://models.example.com/v1/@team").is_ok());
}

#[test]
fn keys_come_from_the_environment_under_their_own_names() {
    let keys = ProviderKeys::from_lookup(|name| match name {
        "ANTHROPIC_API_KEY" => Some(" key-one ".into()),
        "GOOGLE_API_KEY" => Some("key-two".into()),
        "AWS_ACCESS_KEY_ID" => Some("AKIDEXAMPLE".into()),
        "AWS_SECRET_ACCESS_KEY" => Some("key-three".into()),
        "OPENAI_API_KEY" => Some(" ".into()),
        _ => None,
    });
    let found: Vec<&str> = ["anthropic", "google", "bedrock", "openai"]
        .into_iter()
        .filter(|provider| keys.get(provider).is_some())
        .collect();
    assert_eq!(found, ["anthropic", "google", "bedrock"]);
}

#[tokio::test]
async fn models_are_listed_and_keys_are_checked() {
    for format in FORMATS.into_iter().filter(|format| *format != Format::Bedrock) {
        let double = Double::start([]).unwrap();
        let client = client(&double, format);
        assert_eq!(client.list_models("double").await.unwrap(), ["double-one", "double-two"], "{format:?}");
        assert_eq!(
            client.check_credentials("double").await.unwrap(),
            CredentialCheck::Accepted,
            "{format:?}"
        );
        if format == Format::Ollama {
            continue;
        }
        let strict = Double::start([]).unwrap().wants_key("another key");
        let client = crate::stage::client(&strict, format);
        let CredentialCheck::Refused { reason } = client.check_credentials("double").await.unwrap() else {
            panic!("{format:?} took the wrong key")
        };
        assert!(reason.contains("Incorrect API key"), "{format:?}: {reason}");
        let strict = Double::start([]).unwrap().wants_key(KEY);
        let client = crate::stage::client(&strict, format);
        assert_eq!(
            client.check_credentials("double").await.unwrap(),
            CredentialCheck::Accepted,
            "{format:?}"
        );
    }
}

#[tokio::test]
async fn a_reply_in_one_body_is_the_same_reply() {
    for format in FORMATS {
        let calls = Act::calls(&[("call_a", "double", r#"{"n":3}"#)]);
        let double = Double::start([calls, Act::says("six ✓")]).unwrap();
        let client = ModelClient::builder()
            .endpoint("double", ModelEndpoint::with_codec(double.base(format), codec(format)))
            .keys(keys(format))
            .options(WireOptions { delivery: Delivery::Whole, ..WireOptions::default() })
            .timeouts(TIMEOUTS)
            .proxies(ProxyPolicy::None)
            .build()
            .unwrap();
        let (ending, watched) = play_with(Arc::new(client)).await;
        assert_eq!((ending, watched.text().as_str()), (answered("six ✓"), "six ✓"), "{format:?}");
        assert_eq!(double.requests()[0].asked.as_ref().unwrap().delivery, Delivery::Whole, "{format:?}");
    }
}

#[tokio::test]
async fn a_run_falls_back_from_one_provider_to_a_script() {
    let double = Double::start([Act::overloaded()]).unwrap();
    let router = ModelRouter::new()
        .with("double", Arc::new(client(&double, Format::Anthropic)))
        .with("scripted/spare", Arc::new(ScriptedModel::says(["from the spare"])));
    let mut config = Config::new(ModelSpec::named("double/one"));
    config.models.push(ModelSpec::named("scripted/spare"));
    let watched = Watched::default();
    let (ending, _) =
        drive(Started::new("run-1", 7, config), Prompt::text("go"), watched.host(Arc::new(router)))
            .await
            .unwrap();
    assert_eq!((ending, watched.text().as_str()), (answered("from the spare"), "from the spare"));
}

#[tokio::test]
async fn a_proxy_is_any_base_url_that_speaks_chat_completions() {
    let double = Double::start([Act::says("through the proxy")]).unwrap();
    let client = ModelClient::builder()
        .endpoint("double", ModelEndpoint::compatible(format!("http://{}/gateway/v1", double.address())))
        .keys(ProviderKeys::new().with("double", KEY))
        .proxies(ProxyPolicy::None)
        .build()
        .unwrap();
    let (ending, _) = play_with(Arc::new(client)).await;
    assert_eq!(ending, answered("through the proxy"));
    let seen = double.requests().remove(0);
    assert_eq!(seen.path, "/gateway/v1/chat/completions");
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[tokio::test]
async fn a_script_that_is_too_short_says_so_and_one_may_begin_again() {
    let short = ScriptedModel::says(["one"]);
    let run = |model: ScriptedModel| async move {
        let started = Started::new("run-1", 7, Config::new(ModelSpec::named("scripted/one")));
        let (first, mut driver) =
            drive(started, Prompt::text("a"), RunHost::new(Arc::new(model))).await.unwrap();
        (first, driver.prompt(Prompt::text("b")).await.unwrap())
    };
    let (first, second) = run(short.clone()).await;
    assert_eq!(first, answered("one"));
    assert!(format!("{second:?}").contains("asked for one more"), "{second:?}");
    let (_, second) = run(ScriptedModel { then: AfterScript::Repeat, ..short }).await;
    assert_eq!(second, answered("one"));
}

#[test]
fn a_script_is_data() {
    let script = ScriptedModel::says(["hello"]);
    let json = serde_json::to_string(&script).unwrap();
    assert_eq!(serde_json::from_str::<ScriptedModel>(&json).unwrap(), script);
    assert!(matches!(script.results[0], ModelResult::Replied(_)));
}
