//! Exports codecs to JavaScript.
//!
//! It only passes strings and bytes on; the functions are in `wire/`, the formats in `holm-wire`.
//! It sends nothing: the host does, with its own key (`packages/holm/src/wire/`).

use alloc::string::String;
use alloc::vec::Vec;
use holm_wire::bedrock::AwsCredentials;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::{run::Run, thrown};
use crate::{CodecHandle, DecoderHandle, RequestHandle};

/// A codec in WASM memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Codec(CodecHandle);

#[wasm_bindgen]
impl Codec {
    /// The codec of a name.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, dialect: &str, options: &str) -> Result<Codec, JsValue> {
        CodecHandle::new(format, dialect, options).map(Self).map_err(thrown)
    }

    /// Bytes of a stored picture or file.
    pub fn put_media(&mut self, reference: &str, base64: &str) {
        self.0.put_media(reference, base64);
    }

    /// Encodes a waiting call.
    pub fn request(&mut self, run: &Run, call: u64) -> Result<HttpRequest, JsValue> {
        self.0.request(run.session(), call).map(HttpRequest).map_err(thrown)
    }

    /// A decoder for one reply.
    pub fn decoder(&self) -> Decoder {
        Decoder(self.0.decoder())
    }

    /// Decodes a whole reply.
    pub fn reply(&self, body: &[u8]) -> String {
        self.0.reply(body)
    }
}

/// One HTTP request without its secret.
#[wasm_bindgen]
#[derive(Debug)]
pub struct HttpRequest(RequestHandle);

#[wasm_bindgen]
impl HttpRequest {
    pub fn method(&self) -> String {
        self.0.method().into()
    }

    /// The URL under a base.
    pub fn url(&self, base: &str) -> String {
        self.0.url(base)
    }

    /// The headers as JSON, with the key in the one that the provider expects.
    pub fn headers(&self, key: &str) -> String {
        self.0.headers(key)
    }

    /// The service to sign for.
    pub fn signed_service(&self) -> Option<String> {
        self.0.signed_service()
    }

    /// The headers of a signature.
    pub fn sign(
        &self,
        base: &str,
        region: &str,
        access: String,
        secret: String,
        session: Option<String>,
        now_ms: u64,
    ) -> String {
        self.0.sign(base, region, &AwsCredentials { access, secret, session }, now_ms)
    }

    /// The body; the request is used up.
    pub fn into_body(self) -> Vec<u8> {
        self.0.into_body()
    }
}

/// A decoder for one streamed reply.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Decoder(DecoderHandle);

#[wasm_bindgen]
impl Decoder {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<String, JsValue> {
        self.0.feed(bytes).map_err(thrown)
    }

    /// Whether the reply has ended.
    pub fn ended(&self) -> bool {
        self.0.ended()
    }

    /// The model result, as JSON.
    pub fn finish(&mut self) -> Result<String, JsValue> {
        self.0.finish().map_err(thrown)
    }

    /// The model result of a stopped call.
    pub fn abort(&mut self) -> Result<String, JsValue> {
        self.0.abort().map_err(thrown)
    }
}

/// What the kernel is told of a model in a catalogue.
#[wasm_bindgen]
pub fn catalogue_model(catalogue: &str, name: &str) -> Result<String, JsValue> {
    crate::catalogue_model(catalogue, name).map_err(thrown)
}

/// The model result of an HTTP failure.
#[wasm_bindgen]
pub fn http_failure(status: u16, headers: &str, body: &[u8], now_ms: u64) -> Result<String, JsValue> {
    crate::http_failure(status, headers, body, now_ms).map_err(thrown)
}

/// The model result of another failure.
#[wasm_bindgen]
pub fn failure(class: &str, message: &str) -> Result<String, JsValue> {
    crate::failure(class, message).map_err(thrown)
}
