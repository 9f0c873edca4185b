//! A codec with the messages that it has already encoded.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;

use holm_read::Read;
use holm_wire::{
    Codec, Encoder, Format, MediaSource, ModelCall, Options, anthropic, bedrock, cohere, gemini, ollama,
    openai_chat, openai_responses,
};

use super::{DecoderHandle, Sent};
use crate::{Fault, FaultKind, Session, text};

/// One format with its dialect, its options, and the bytes that it has encoded for one run.
///
/// ```
/// use holm_wasm::{CodecHandle, Session};
///
/// let (mut run, _) = Session::start("run-1", 7, r#"{"models":[{"name":"openai/gpt-5-mini"}]}"#, 0)?;
/// run.handle(1, r#"{"prompted":{"blocks":[{"text":"hi"}]}}"#)?;
/// while !run.poll().starts_with(r#"{"wait""#) {}
/// let mut codec = CodecHandle::new("openai_chat", "{}", "{}")?;
/// let sent = codec.request(&run, 0)?;
/// assert_eq!(sent.url("https://api.openai.com/v1"), "https://api.openai.com/v1/chat/completions");
/// # Ok::<(), holm_wasm::Fault>(())
/// ```
#[derive(Debug)]
pub struct CodecHandle {
    codec: Arc<dyn Codec>,
    options: Options,
    media: Media,
    /// Kept for one run, because epochs are counted per run.
    encoder: Option<(u64, Encoder)>,
}

impl CodecHandle {
    /// The codec of this name. The dialect and the options are JSON objects;
    /// `{}` means the defaults.
    ///
    /// # Errors
    /// [`FaultKind::UnknownFormat`] if there is no such format, [`FaultKind::BadJson`] if the
    /// dialect or the options are invalid.
    pub fn new(format: &str, dialect: &str, options: &str) -> Result<Self, Fault> {
        let codec = codec_of(format, dialect)?;
        let options = text::read(options, "set of options")?;
        Ok(Self { codec, options, media: Media::default(), encoder: None })
    }

    /// Stores the bytes of a picture or a file for the next request.
    pub fn put_media(&mut self, reference: &str, base64: &str) {
        self.media.0.insert(reference.into(), base64.into());
    }

    /// Encodes a model call that waits for an answer. Messages from earlier calls of this
    /// run are only copied.
    ///
    /// # Errors
    /// [`FaultKind::UnknownCall`] if no such call waits.
    pub fn request(&mut self, run: &Session, call: u64) -> Result<Sent, Fault> {
        let request = run.waiting(call)?;
        let model_call = ModelCall {
            request,
            view: run.run().messages(request),
            options: &self.options,
            media: &self.media,
        };
        let (_, encoder) = match &mut self.encoder {
            Some(kept) if kept.0 == run.number() => kept,
            stale => stale.insert((run.number(), Encoder::new(Arc::clone(&self.codec)))),
        };
        Ok(Sent::new(encoder.encode(&model_call)))
    }

    /// A decoder for one streamed reply.
    pub fn decoder(&self) -> DecoderHandle {
        DecoderHandle::new(self.codec.stream())
    }

    /// Decodes a reply that came as a whole, and returns a model result.
    pub fn reply(&self, body: &[u8]) -> String {
        super::decoder::result_json(self.codec.reply(body))
    }
}

#[derive(Debug, Default)]
struct Media(BTreeMap<String, String>);

impl MediaSource for Media {
    fn base64(&self, reference: &str) -> Option<Cow<'_, str>> {
        self.0.get(reference).map(|data| Cow::Borrowed(data.as_str()))
    }
}

fn codec_of(format: &str, dialect: &str) -> Result<Arc<dyn Codec>, Fault> {
    fn of<'a, D: Read<'a>>(dialect: &'a str) -> Result<D, Fault> {
        text::read(dialect, "dialect")
    }
    let unknown = || Fault::new(FaultKind::UnknownFormat, format_args!("there is no codec {format:?}"));
    let known: Format = text::read(&text::json(&format), "format").map_err(|_| unknown())?;
    Ok(match known {
        Format::OpenaiChat => Arc::new(openai_chat::Chat::new(of(dialect)?)),
        Format::OpenaiResponses => Arc::new(openai_responses::Responses::new(of(dialect)?)),
        Format::Anthropic => Arc::new(anthropic::Messages::new(of(dialect)?)),
        Format::Ollama => Arc::new(ollama::Ollama::new(of(dialect)?)),
        Format::Bedrock => Arc::new(bedrock::Converse::new(of(dialect)?)),
        Format::Gemini => Arc::new(gemini::GenerateContent::new(of(dialect)?)),
        Format::Cohere => Arc::new(cohere::Chat::new(of(dialect)?)),
    })
}
