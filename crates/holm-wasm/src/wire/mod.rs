//! Model formats behind handles: a request's bytes out, a reply's bytes in.

mod codec;
mod decoder;
mod failures;
mod sent;

#[cfg(test)]
mod tests;

pub use codec::CodecHandle;
pub use decoder::DecoderHandle;
pub use failures::{failure, http_failure};
pub use sent::Sent;
