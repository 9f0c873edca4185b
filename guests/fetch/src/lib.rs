//! Fetches a URL. The request leaves through `wasi:http`, where the sandbox decides about each hop.

mod message;
mod tool;
mod wire;

pub use message::{HttpExchange, GuestFetchRequest, GuestFetchResponse};
pub use tool::{TOOL, work};
pub use wire::WasiExchange;

#[cfg(test)]
mod tests;
