//! A codec with the messages that it has already encoded.
//!
//! A new format of `holm-wire` must be added to `codec_of`. Encoded messages belong to one run:
//! another run's must never be reused, because both count their messages alike. The cache is in
//! `holm-wire/src/encoder.rs`, the request in `wire/request.rs`, the decoder in `wire/decoder.rs`.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;

use holm_read::Read;
use holm_wire::{
    Format, MediaSource, ModelCall, ProviderCodec, RequestEncoder, WireOptions, anthropic, bedrock, cohere,
    gemini, ollama, openai_chat, openai_responses,
};

use super::{DecoderHandle, RequestHandle};
use crate::{BindingError, BindingErrorKind, WasmSession, text};

/// One format with its dialect, its options, and the bytes that it has encoded for one run.
///
/// ```
/// use holm_wasm::{CodecHandle, WasmSession};
///
/// let (mut run, _) = WasmSession::start("run-1", 7, r#"{"models":[{"name":"openai/gpt-5-mini"}]}"#, 0)?;
/// run.handle(1, r#"{"prompted":{"blocks":[{"text":"hi"}]}}"#)?;
/// while !run.poll().starts_with(r#"{"wait""#) {}
/// let mut codec = CodecHandle::new("openai_chat", "{}", "{}")?;
/// let sent = codec.request(&run, 0)?;
/// assert_eq!(sent.url("https://api.openai.com/v1"), "https://api.openai.com/v1/chat/completions");
/// # Ok::<(), holm_wasm::BindingError>(())
/// ```
#[derive(Debug)]
pub struct CodecHandle {
    codec: Arc<dyn ProviderCodec>,
    options: WireOptions,
    media: MediaMap,
    /// Kept for one run, because epochs are counted per run.
    encoder: Option<(u64, RequestEncoder)>,
}

impl CodecHandle {
    /// The codec of this name. The dialect and the options are JSON objects;
    /// `{}` means the defaults.
    ///
    /// # Errors
    /// [`BindingErrorKind::UnknownFormat`] if there is no such format,
    /// [`BindingErrorKind::BadJson`] if the dialect or the options are invalid.
    pub fn new(format: &str, dialect: &str, options: &str) -> Result<Self, BindingError> {
        let codec = codec_of(format, dialect)?;
        let options = text::read(options, "set of options")?;
        Ok(Self { codec, options, media: MediaMap::default(), encoder: None })
    }

    /// Stores the bytes of a picture or a file for the next request.
    pub fn put_media(&mut self, reference: &str, base64: &str) {
        self.media.0.insert(reference.into(), base64.into());
    }

    /// Encodes a model call that waits for an answer. Messages from earlier calls of this
    /// run are only copied.
    ///
    /// # Errors
    /// [`BindingErrorKind::UnknownCall`] if no such call waits.
    pub fn request(&mut self, run: &WasmSession, call: u64) -> Result<RequestHandle, BindingError> {
        let request = run.waiting(call)?;
        let model_call = ModelCall {
            request,
            view: run.run().messages(request),
            options: &self.options,
            media: &self.media,
        };
        let (_, encoder) = match &mut self.encoder {
            Some(kept) if kept.0 == run.number() => kept,
            stale => stale.insert((run.number(), RequestEncoder::new(Arc::clone(&self.codec)))),
        };
        Ok(RequestHandle::new(encoder.encode(&model_call)))
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
struct MediaMap(BTreeMap<String, String>);

impl MediaSource for MediaMap {
    fn base64(&self, reference: &str) -> Option<Cow<'_, str>> {
        self.0.get(reference).map(|data| Cow::Borrowed(data.as_str()))
    }
}

fn codec_of(format: &str, dialect: &str) -> Result<Arc<dyn ProviderCodec>, BindingError> {
    fn of<'a, D: Read<'a>>(dialect: &'a str) -> Result<D, BindingError> {
        text::read(dialect, "dialect")
    }
    let unknown =
        || BindingError::new(BindingErrorKind::UnknownFormat, format_args!("there is no codec {format:?}"));
    let known: Format = text::read(&text::json(&format), "format").map_err(|_| unknown())?;
    Ok(match known {
        Format::OpenaiChat => Arc::new(openai_chat::OpenaiChatCodec::new(of(dialect)?)),
        Format::OpenaiResponses => Arc::new(openai_responses::OpenaiResponsesCodec::new(of(dialect)?)),
        Format::Anthropic => Arc::new(anthropic::AnthropicCodec::new(of(dialect)?)),
        Format::Ollama => Arc::new(ollama::OllamaCodec::new(of(dialect)?)),
        Format::Bedrock => Arc::new(bedrock::BedrockCodec::new(of(dialect)?)),
        Format::Gemini => Arc::new(gemini::GeminiCodec::new(of(dialect)?)),
        Format::Cohere => Arc::new(cohere::CohereCodec::new(of(dialect)?)),
    })
}
