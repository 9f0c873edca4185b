//! Model formats behind handles: a request's bytes out, a reply's bytes in.

mod catalogue;
mod codec;
mod decoder;
mod failures;
mod sent;

#[cfg(test)]
mod tests;

pub use catalogue::catalogue_model;
pub use codec::CodecHandle;
pub use decoder::DecoderHandle;
pub use failures::{failure, http_failure};
pub use sent::Sent;
