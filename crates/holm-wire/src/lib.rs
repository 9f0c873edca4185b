//! x
#![no_std]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod call;
pub mod classify;
mod codec;
pub mod delta;
mod draft;
mod encoder;
pub mod framing;
mod http;
pub mod loose;
pub mod media;
mod memo;
pub mod openai_chat;
pub mod server;
pub mod stream;
pub mod write;

pub use call::{
    Caching, Delivery, Effort, MediaSource, ModelCall, NoMedia, Options, Parallel, Reasoning, ToolChoice,
    provider_model,
};
pub use codec::{Codec, Format};
pub use delta::{Delta, Sink};
pub use draft::{CallPiece, Draft};
pub use encoder::{Encoder, Mark, Parts, Transcript};
pub use http::{Auth, HttpRequest, Method, escape};
pub use memo::Memo;
pub use stream::{Progress, Step, Stream, StreamDecoder};
