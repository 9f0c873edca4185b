//! A run on a stage: a double, a client, a tool, a fast clock, and everything that can be watched.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    CallId, Config, Ending, Event, Model, Numbered, Prompt, Started, Tool, ToolOutput, journal,
};
use holm_models::{Client, Endpoint, Key, Keys, Proxies, Timeouts};
use holm_runtime::{Delta, Driver, FastClock, Host, MemoryJournal, tool_fn};
use holm_testkit::double::{Act, Double};
use holm_wire::{Codec, Format, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses};

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
pub(crate) const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
    silence: Duration::from_mins(2),
};

pub(crate) fn codec(format: Format) -> Arc<dyn Codec> {
    match format {
        Format::OpenaiChat => Arc::new(openai_chat::Chat::default()),
        Format::OpenaiResponses => Arc::new(openai_responses::Responses::default()),
        Format::Anthropic => Arc::new(anthropic::Messages::default()),
        Format::Gemini => Arc::new(gemini::GenerateContent::default()),
        Format::Cohere => Arc::new(cohere::Chat::default()),
        Format::Ollama => Arc::new(ollama::Ollama::default()),
        Format::Bedrock => Arc::new(bedrock::Converse::default()),
    }
}

pub(crate) fn keys(format: Format) -> Keys {
    match format {
        Format::Bedrock => {
            let (access, region) = ("AKIDEXAMPLE".into(), "eu-central-1".into());
            Keys::new().with_key("double", Key::Aws { access, secret: KEY.into(), session: None, region })
        }
        _ => Keys::new().with("double", KEY),
    }
}

pub(crate) fn client(double: &Double, format: Format) -> Client {
    client_with(double, format, TIMEOUTS)
}

pub(crate) fn client_with(double: &Double, format: Format, timeouts: Timeouts) -> Client {
    Client::builder()
        .endpoint("double", Endpoint::with_codec(double.base(format), codec(format)))
        .keys(keys(format))
        .timeouts(timeouts)
        .proxies(Proxies::None)
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
    pub(crate) fn host(&self, model: Arc<dyn holm_runtime::Model>) -> Host {
        let (text, ids, events) = (self.text.clone(), self.request_ids.clone(), self.events.clone());
        Host::new(model)
            .tool(tool_fn(doubler(), |job| async move {
                let json = Json::parse(&job.arguments).unwrap();
                let number = json.get("n").and_then(Json::as_u64).unwrap();
                ToolOutput::text(format!("{number} doubled is {}", number * 2))
            }))
            .journal(self.journal.clone())
            .clock(FastClock::new(1_000))
            .deltas(move |_: CallId, delta: Delta<'_>| match delta {
                Delta::Text { offset, text: piece } => {
                    let mut text = text.lock().unwrap();
                    // A retry begins at 0 again.
                    text.truncate(usize::try_from(offset).unwrap());
                    assert_eq!(text.len() as u64, offset, "no piece is missing");
                    text.push_str(piece);
                }
                Delta::Accepted { request } => ids.lock().unwrap().push(request.into()),
                _ => {}
            })
            .events(move |event: &Numbered| events.lock().unwrap().push(event.event.clone()))
    }
}

fn doubler() -> Tool {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    Tool::new("double", "Doubles a number.", Json::parse(schema).unwrap()).level(Level::None)
}

/// A configuration with two models of the double, the second as fallback.
pub(crate) fn config(host: &Host) -> Config {
    let mut config = Config::new(Model::named("double/one"));
    config.models.push(Model::named("double/two"));
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
