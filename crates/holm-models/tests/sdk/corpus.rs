//! The bytes that are read by both: what Holm's servers write, and what was recorded.

use std::{fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use holm_wire::{Format, ProviderCodec, anthropic, openai_chat, openai_responses};
use serde::Serialize;

use crate::{streams::streams, told::Told};

/// A body of a reply, and what Holm reads in it.
#[derive(Debug, Serialize)]
pub(crate) struct Sample {
    name: String,
    format: Format,
    /// Whether it is one object and no stream.
    whole: bool,
    /// The bytes of the body in base64.
    bytes: String,
    told: Told,
}

impl Sample {
    fn new(name: String, codec: &dyn ProviderCodec, whole: bool, body: &[u8]) -> Self {
        let told = if whole { Told::by_body(codec, body) } else { Told::by_stream(codec, body) };
        Self { name, format: codec.format(), whole, bytes: STANDARD.encode(body), told }
    }
}

/// All samples in the formats that the installed SDKs speak.
pub(crate) fn samples() -> Vec<Sample> {
    let chat = openai_chat::OpenaiChatCodec::default();
    let responses = openai_responses::OpenaiResponsesCodec::default();
    let messages = anthropic::AnthropicCodec::default();
    let spoken: [(&dyn ProviderCodec, &[&str]); 3] = [
        (&chat, &["openai_chat", "azure"]),
        (&responses, &["openai_responses"]),
        (&messages, &["anthropic"]),
    ];
    let mut samples = Vec::new();
    for (codec, folders) in spoken {
        let format = codec.format();
        for (place, (_, body)) in streams(&[format]).iter().enumerate() {
            samples.push(Sample::new(format!("written/{format:?}/{place}"), codec, false, body));
        }
        for folder in folders {
            recorded(folder, codec, &mut samples);
        }
    }
    samples
}

/// Adds what was recorded in a folder of `holm-wire/fixtures`.
fn recorded(folder: &str, codec: &dyn ProviderCodec, samples: &mut Vec<Sample>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-wire/fixtures").join(folder);
    let mut names: Vec<String> = fs::read_dir(&path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".sse") || name.ends_with(".json"))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "nothing was recorded in {folder}");
    for name in names {
        let body = fs::read(path.join(&name)).unwrap();
        samples.push(Sample::new(format!("{folder}/{name}"), codec, name.ends_with(".json"), &body));
    }
}
