//! Provider formats behind handles: they encode requests and decode replies.
//!
//! The formats are in `holm-wire`. Nothing is sent here; the host does that and knows the key.
//!
//! Where things are:
//!
//! - `wire/codec.rs`: a codec of one format.
//! - `wire/request.rs`: an encoded request.
//! - `wire/decoder.rs`: a streamed reply.
//! - `wire/failures.rs`: failed calls.
//! - `wire/catalogue.rs`: catalogues of models.

mod catalogue;
mod codec;
mod decoder;
mod failures;
mod request;

#[cfg(test)]
mod tests;

pub use catalogue::catalogue_model;
pub use codec::CodecHandle;
pub use decoder::DecoderHandle;
pub use failures::{failure, http_failure};
pub use request::RequestHandle;
