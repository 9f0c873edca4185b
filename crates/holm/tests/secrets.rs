//! Keys of many shapes go through a run by every door, and none of them is found in anything that
//! was kept.
//!
//! What is searched is the disk itself: database, write-ahead log, large results, exports and the
//! log of events.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

use std::{fs, path::Path};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use holm::{
    grants::{Level, Mode},
    guards::json::Json,
    kernel::{FailureClass, ToolOutput},
    models::{ModelClient, ModelEndpoint, ProviderKeys, SecretString},
    runtime::{Agent, EventLines, OutputLimits, SecretRedactor, ToolInvocation, tool_fn},
    store::{SessionFileFormat, Store},
    wire,
};
use holm_testkit::double::{Act, Double, Fault};

/// The provider's key, which the agent knows. It holds what URLs and base64 write differently.
const PROVIDER: &str = "k/9f8Q+zz1=Kx7Lm2Np4Rs6Tv8Wy0";

/// Another secret, which the agent was told about.
const TOLD: &str = "correct horse/battery+staple?4711";

/// Keys that the agent was not told about. They are drawn for this test and open nothing.
const LOOSE: &[&str] = &[
    "sk-proj-Zx81Qm4vTn7Lw2Ra9Ks3Yd6Hb0Ug5Je",
    "ghp_a8Kd2Lm9Qx4Rt7Vw1Yz3Bc6Ef0Gh5Ij8Nop1",
    "AKIAQ7XW3M5ZB2LRT9VK",
    "xoxb-482913847562-918273645564-aQ9wE8rT7yU6iO5pA4sD3f",
    "AIzaSyD4m8Qw2Er6Ty0Ui4Op8As2Df6Gh0Jk4Lz",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0NzExIn0.q8Wv3Zt6Rm1Kx9Lp4Hs7Yd2",
];

/// Every way in which a known secret is looked for.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let mut escaped = String::new();
    wire::escape(secret, &mut escaped);
    let mut forms = vec![secret.to_owned(), escaped.to_lowercase(), escaped];
    for engine in [&STANDARD, &URL_SAFE] {
        for shift in 0..3 {
            let text = format!("{}{secret}", "x".repeat(shift));
            let encoded = engine.encode(text);
            // The ends depend on the neighbours; what lies between them does not.
            forms.push(encoded[4..encoded.len() - 4].to_owned());
        }
    }
    forms.into_iter().map(String::into_bytes).collect()
}

/// A text that holds every secret in every form.
fn loot() -> String {
    let mut loot = String::from("Here is what I found.\n");
    for secret in [PROVIDER, TOLD] {
        let mut escaped = String::new();
        wire::escape(secret, &mut escaped);
        loot += &format!("plain {secret} url https://host/?q={escaped}&x=1 low {}\n", escaped.to_lowercase());
        for before in ["", "u", "us"] {
            let text = format!("{before}{secret}");
            loot += &format!("basic {} safe {}\n", STANDARD.encode(&text), URL_SAFE.encode(&text));
        }
    }
    for key in LOOSE {
        loot += &format!("found {key} and Authorization: Bearer {key}\n");
    }
    loot
}

/// A model that repeats everything it is shown, in its calls, its answer and its errors.
fn thief() -> Double {
    let arguments = Json::object([("text", Json::from(loot().as_str()))]).to_string();
    let calls = Act::calls(&[("c1", "echo", &arguments), ("c2", "flood", "{}")]);
    let message = format!("bad request with header {}", loot());
    let refused = Act::fails(Fault::Refused { status: None, class: FailureClass::Overloaded, message });
    let broken = Act::fails(Fault::ErrorInStream { class: FailureClass::Server, message: loot() });
    Double::start([refused, calls.thinks(&loot()), broken, Act::says(&loot())]).unwrap()
}

fn tools(
    name: &'static str,
    output: impl Fn(&ToolInvocation) -> ToolOutput + Send + Sync,
) -> impl holm::runtime::Tool {
    let schema = Json::object([("type", "object".into())]);
    let declaration = holm::kernel::ToolSpec::new(name, "Gives secrets away.", schema).level(Level::ReadOnly);
    tool_fn(declaration, move |job| {
        let output = output(&job);
        async move { output }
    })
}

fn agent(store: &Store, double: &Double, events: EventLines) -> Agent {
    let keys = ProviderKeys::new().with("double", SecretString::from(PROVIDER.to_owned()));
    let secrets = keys.told_to(SecretRedactor::new()).know("told", SecretString::from(TOLD.to_owned()));
    let endpoint = ModelEndpoint::compatible(double.base(wire::Format::OpenaiChat));
    let client = ModelClient::builder().endpoint("double", endpoint).keys(keys).build().unwrap();
    Agent::builder("double/thief", client)
        .tool(tools("echo", |job| {
            let metadata = Json::object([("seen", Json::from(loot().as_str()))]);
            ToolOutput {
                metadata: Some(Box::new(metadata)),
                ..ToolOutput::text(format!("{} {}", job.arguments, loot()))
            }
        }))
        .tool(tools("flood", |_| ToolOutput::text(loot().repeat(200))))
        .mode(Mode::Full)
        .secrets(secrets)
        .carry(OutputLimits { text: 4 * 1024, ..OutputLimits::default() })
        .journals(store.clone())
        .blobs(store.clone())
        .events(events)
        .build()
        .unwrap()
}

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_key_is_found_in_anything_that_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("holm.db")).await.unwrap();
    let double = thief();
    let agent = agent(&store, &double, EventLines::create(folder.path().join("events.jsonl")).unwrap());
    let mut session = agent.start_as("robbed").await.unwrap();
    let report = session.prompt(format!("Look at this: {}", loot())).await.unwrap();
    assert!(report.text().unwrap().contains("‹secret:told›"), "what was there is told: {report:?}");
    drop(session);
    for (format, name) in
        [(SessionFileFormat::JsonLines, "export.jsonl"), (SessionFileFormat::Markdown, "export.md")]
    {
        fs::write(folder.path().join(name), store.export("robbed", format).await.unwrap()).unwrap();
    }
    assert!(store.blob_bytes("robbed").await.unwrap() > 0, "the flood was spilled");
    // Dropped first, so that the log of events is whole; the write-ahead log stays as long as the store is open.
    drop(agent);

    let needles: Vec<Vec<u8>> = [PROVIDER, TOLD].into_iter().flat_map(forms).collect();
    let loose = LOOSE.iter().map(|key| key.as_bytes().to_vec());
    let needles: Vec<Vec<u8>> = needles.into_iter().chain(loose).collect();
    let mut found = Vec::new();
    files(folder.path(), &mut found);
    let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    for part in ["holm.db", "holm.db-wal", "events.jsonl", "export.jsonl", "export.md"] {
        assert!(names.iter().any(|name| name.ends_with(part)), "{part} is not among {names:?}");
    }
    for path in &found {
        let bytes = fs::read(path).unwrap();
        for needle in &needles {
            let there = bytes.windows(needle.len()).any(|window| window == needle.as_slice());
            assert!(!there, "{} holds {}", path.display(), String::from_utf8_lossy(needle));
        }
    }
    assert!(loot().contains(LOOSE[0]), "the search looks for what was really said");
}
