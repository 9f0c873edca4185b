//! A run on a stage: a double, a client, a tool, a fast clock, and everything that can be watched.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    CallId, Config, Ending, Event, ModelSpec, Numbered, Prompt, Started, ToolOutput, ToolSpec, journal,
};
use holm_models::{HttpTimeouts, ModelClient, ModelEndpoint, ProviderCredential, ProviderKeys, ProxyPolicy};
use holm_runtime::{Driver, FastClock, MemoryJournal, ReplyDelta, RunHost, tool_fn};
use holm_testkit::double::{Act, Double};
use holm_wire::{
    Format, ProviderCodec, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses,
};

pub(crate) const FORMATS: [Format; 7] = [
    Format::OpenaiChat,
    Format::OpenaiResponses,
    Format::Anthropic,
    Format::Gemini,
    Format::Cohere,
    Format::Ollama,
    Format::Bedrock,
];

/// A key that must never be seen again.
pub(crate) const KEY: &str = "key-CANARY/0123456789+abcdef";

/// Short enough that a test which waits for one is not slow, long enough for a busy machine.
pub(crate) const TIMEOUTS: HttpTimeouts = HttpTimeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
    silence: Duration::from_mins(2),
};

pub(crate) fn codec(format: Format) -> Arc<dyn ProviderCodec> {
    match format {
        Format::OpenaiChat => Arc::new(openai_chat::OpenaiChatCodec::default()),
        Format::OpenaiResponses => Arc::new(openai_responses::OpenaiResponsesCodec::default()),
        Format::Anthropic => Arc::new(anthropic::AnthropicCodec::default()),
        Format::Gemini => Arc::new(gemini::GeminiCodec::default()),
        Format::Cohere => Arc::new(cohere::CohereCodec::default()),
        Format::Ollama => Arc::new(ollama::OllamaCodec::default()),
        Format::Bedrock => Arc::new(bedrock::BedrockCodec::default()),
    }
}

pub(crate) fn keys(format: Format) -> ProviderKeys {
    match format {
        Format::Bedrock => {
            let (access, region) = ("AKIDEXAMPLE".into(), "eu-central-1".into());
            ProviderKeys::new().with_key(
                "double",
                ProviderCredential::Aws { access, secret: KEY.into(), session: None, region },
            )
        }
        _ => ProviderKeys::new().with("double", KEY),
    }
}

pub(crate) fn client(double: &Double, format: Format) -> ModelClient {
    client_with(double, format, TIMEOUTS)
}

pub(crate) fn client_with(double: &Double, format: Format, timeouts: HttpTimeouts) -> ModelClient {
    ModelClient::builder()
        .endpoint("double", ModelEndpoint::with_codec(double.base(format), codec(format)))
        .keys(keys(format))
        .timeouts(timeouts)
        .proxies(ProxyPolicy::None)
        .build()
        .unwrap()
}

/// What can be seen of a run.
#[derive(Clone, Default)]
pub(crate) struct Watched {
    pub(crate) text: Arc<Mutex<String>>,
    pub(crate) request_ids: Arc<Mutex<Vec<String>>>,
    pub(crate) events: Arc<Mutex<Vec<Event>>>,
    pub(crate) journal: MemoryJournal,
}

impl Watched {
    pub(crate) fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    /// A host around a model, with a tool that doubles a number and with everything watched.
    pub(crate) fn host(&self, model: Arc<dyn holm_runtime::Model>) -> RunHost {
        let (text, ids, events) = (self.text.clone(), self.request_ids.clone(), self.events.clone());
        RunHost::new(model)
            .tool(tool_fn(doubler(), |job| async move {
                let json = Json::parse(&job.arguments).unwrap();
                let number = json.get("n").and_then(Json::as_u64).unwrap();
                ToolOutput::text(format!("{number} doubled is {}", number * 2))
            }))
            .journal(self.journal.clone())
            .clock(FastClock::new(1_000))
            .deltas(move |_: CallId, delta: ReplyDelta<'_>| match delta {
                ReplyDelta::Text { offset, text: piece } => {
                    let mut text = text.lock().unwrap();
                    // A retry begins at 0 again.
                    text.truncate(usize::try_from(offset).unwrap());
                    assert_eq!(text.len() as u64, offset, "no piece is missing");
                    text.push_str(piece);
                }
                ReplyDelta::Accepted { request } => ids.lock().unwrap().push(request.into()),
                _ => {}
            })
            .events(move |event: &Numbered| events.lock().unwrap().push(event.event.clone()))
    }
}

fn doubler() -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    ToolSpec::new("double", "Doubles a number.", Json::parse(schema).unwrap()).level(Level::None)
}

/// A configuration with two models of the double, the second as fallback.
pub(crate) fn config(host: &RunHost) -> Config {
    let mut config = Config::new(ModelSpec::named("double/one"));
    config.models.push(ModelSpec::named("double/two"));
    config.system = "You are tested.".into();
    config.tools = host.declarations();
    config.mode = Mode::Full;
    config
}

/// Plays acts to a run of a format, from the prompt to the ending.
pub(crate) async fn play(format: Format, acts: Vec<Act>) -> (Ending, Watched, Double) {
    let double = Double::start(acts).unwrap();
    let (ending, watched) = play_with(Arc::new(client(&double, format))).await;
    (ending, watched, double)
}

pub(crate) async fn play_with(model: Arc<dyn holm_runtime::Model>) -> (Ending, Watched) {
    let watched = Watched::default();
    let host = watched.host(model);
    let started = Started::new("run-1", 7, config(&host));
    let mut driver = Driver::start(started, host).await.unwrap();
    let ending = driver.prompt(Prompt::text("Go on, please. Größe: 3 ✓")).await.unwrap();
    let records = journal::decode_strict(watched.journal.text().as_bytes()).unwrap();
    assert_eq!(
        journal::replay(&records).unwrap().receipt(),
        driver.run().receipt(),
        "the journal tells the run"
    );
    (ending, watched)
}

pub(crate) fn answered(text: &str) -> Ending {
    Ending::Answered { text: text.into() }
}
