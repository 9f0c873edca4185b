//! Provider formats behind handles: they encode requests and decode replies.

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
