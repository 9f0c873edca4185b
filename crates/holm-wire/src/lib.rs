//! Encodes requests and decodes replies for every model provider, without any I/O. Each provider's
//! format is a pair of pure functions: from the kernel's request to bytes, and from bytes to the
//! kernel's reply. This crate is `no_std` and has no socket, no clock and no key, so that it runs
//! in every host and its tests need no network; a host adds them. `holm-models/src/client.rs` sends
//! requests, and `holm-wasm/src/wire/` offers the codecs to JavaScript. Whether a failed call is
//! tried again is decided by the kernel.
//!
//! # Where things are
//!
//! - A folder for each format: `openai_chat/`, `openai_responses/`, `anthropic/`, `gemini/`,
//!   `cohere/`, `ollama/`, `bedrock/`. What only one format does belongs there.
//! - `codec.rs`, `call.rs`, `http.rs`: the interface of a format, its input, and its output.
//! - `encoder.rs`, `write.rs`, `media.rs`: write requests.
//! - `framing/`, `stream.rs`, `draft.rs`, `delta.rs`: turn bytes into a reply.
//! - `lenient.rs`, `fast_read.rs`, `memo.rs`: read a frame, and read it fast.
//! - `classify/`: the class of a failure.
//! - `server.rs`: the interface of the other direction.
//! - `services/`, `catalogue/`: the known services; the windows and prices of models.
//!
//! # The way of a call
//!
//! ```
//! use std::sync::Arc;
//! use holm_kernel::{Message, MessageId, Messages, ModelSpec, Offer, Purpose, Request, Role};
//! use holm_wire::{
//!     ModelCall, NoMedia, ProviderCodec, RequestEncoder, StreamProgress, WireOptions,
//!     openai_chat::OpenaiChatCodec,
//! };
//!
//! let codec: Arc<dyn ProviderCodec> = Arc::new(OpenaiChatCodec::default());
//! // One for each run and codec: it keeps what it has written.
//! let mut encoder = RequestEncoder::new(Arc::clone(&codec));
//! let view = [Arc::new(Message::text(MessageId::new(0), Role::User, "hi"))]; // Run::messages(&request)
//! let request = Request {
//!     purpose: Purpose::Turn,
//!     model: Arc::new(ModelSpec::named("openai/gpt-5-mini")),
//!     system: "".into(),
//!     messages: Messages::View { epoch: 0, count: 1 },
//!     tools: Arc::new(Offer::default()),
//!     max_output: None,
//!     format: None,
//! };
//! let options = WireOptions::default();
//! let call = ModelCall { request: &request, view: &view, options: &options, media: &NoMedia };
//! let sent = encoder.encode(&call); // method, path, headers, body; `sent.auth` says where the key goes
//! assert_eq!(sent.url("https://api.openai.com/v1"), "https://api.openai.com/v1/chat/completions");
//!
//! let mut decoder = codec.stream(); // for status 2xx; anything else goes to `classify::http`
//! let bytes = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\ndata: [DONE]\n\n";
//! assert_eq!(decoder.feed(bytes, &mut |piece| println!("{piece:?}")), StreamProgress::Ended);
//! let reply = decoder.finish(&mut |_| {})?;
//! assert_eq!(reply.blocks[0].as_text(), Some("Hello"));
//! # Ok::<(), holm_kernel::Failure>(())
//! ```
//!
//! # Adding a format
//!
//! A format is one folder. Outside of it, add a line here, a variant of [`Format`], and one of
//! [`services::ServiceDialect`]. The compiler then finds the matches on [`Format`] in
//! `holm-models/src/endpoint.rs`, `holm-wasm/src/wire/codec.rs` and `holm-testkit/src/double/`;
//! only the path of the format in `holm-testkit/src/double/route.rs` must be added by hand. Write:
//!
//! 1. `wire.rs`: the types that are read, borrowing from the frame. Use [`lenient::LenientStr`] for
//!    strings, [`lenient::LenientText`] for text that may come in parts, [`lenient::LenientCount`]
//!    for numbers, `Option<RawJson<'_>>` for open JSON, and `#[serde(default)]` on everything.
//!    Never use `flatten`, `untagged` or `tag = ".."`.
//! 2. `stream.rs`: [`stream::EventReader`] for a type of your own. It receives one frame, writes
//!    into the [`ReplyDraft`], and returns a [`FrameOutcome`]. The [`ReplyDraft`] repairs ids,
//!    joins pieces and counts offsets. [`FramedDecoder`] combines it with a
//!    [framing](framing::FrameDecoder) and handles truncation, web pages, unstreamed bodies and
//!    limits. Use a [`FrameMemo`] where frames repeat.
//! 3. `request.rs`: [`ProviderCodec::write_message`] into a [`MessageBuffer`] (to join neighbours,
//!    leave the message open and put its end into the tail), [`ProviderCodec::write_tools`] and
//!    [`ProviderCodec::assemble`]. Write bytes with [`write::ObjectWriter`],
//!    and files with [`media`].
//! 4. `dialect.rs`: the differences between services, as data with serde defaults.
//! 5. `server.rs`: [`server::ServerCodec`] and [`server::ReplyStream`], the other direction.
//! 6. `tests/`: recorded streams under `fixtures/`, bodies as inline snapshots, and streams split
//!    and truncated at every position.
//!
//! Data that a provider must receive again (signatures, encrypted items) goes into
//! `Thinking::replay` or `ToolCall::replay`, as an object with one member named after the format.
//! Other providers therefore never receive it. Errors in a stream go through
//! [`classify::in_stream`].

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod anthropic;
pub mod bedrock;
mod call;
pub mod catalogue;
pub mod classify;
mod codec;
pub mod cohere;
pub mod delta;
mod draft;
mod encoder;
mod fast_read;
pub mod framing;
pub mod gemini;
mod http;
pub mod lenient;
pub mod media;
mod memo;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;
pub mod server;
pub mod services;
pub mod stream;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod utc_date_time;
pub mod write;

pub use call::{
    Caching, Delivery, Effort, MediaSource, ModelCall, NoMedia, Parallel, Reasoning, ToolChoice, WireOptions,
    provider_model,
};
pub use codec::{Format, ProviderCodec};
pub use delta::{WireDelta, WireDeltaSink};
pub use draft::{ReplyDraft, ToolCallChunk};
pub use encoder::{CacheBreakpoint, MessageBuffer, RequestEncoder, RequestParts};
pub use http::{AuthScheme, HttpMethod, ProviderRequest, escape};
pub use memo::FrameMemo;
pub use stream::{FrameOutcome, FramedDecoder, StreamDecoder, StreamProgress};
