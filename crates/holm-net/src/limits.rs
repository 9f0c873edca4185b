//! How much of an answer is taken, and how long is waited for it.

use std::time::Duration;

use crate::mime::Mimes;

/// What one exchange may cost. Each limit ends the exchange with an error; nothing is cut off silently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of the body, on the wire and again after decompression.
    pub body: u64,
    /// From the first lookup to the last byte, redirects included.
    pub total: Duration,
    /// The longest silence while the answer comes in.
    pub idle: Duration,
    /// How many redirects are followed; zero hands the first one to the caller.
    pub redirects: u8,
    /// The media types that are wanted.
    pub mimes: Mimes,
}

impl Default for Limits {
    /// Enough for a large page on a slow line, and nothing that could fill a memory.
    fn default() -> Self {
        Self {
            body: 10 * 1024 * 1024,
            total: Duration::from_secs(30),
            idle: Duration::from_secs(15),
            redirects: 10,
            mimes: Mimes::Any,
        }
    }
}
