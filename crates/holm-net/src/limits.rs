//! Limits on the size and the duration of an exchange.

use std::time::Duration;

use crate::mime::MimeFilter;

/// The limits of one exchange. Reaching a limit ends the exchange with an error; nothing
/// is cut off silently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeLimits {
    /// The largest body in bytes, checked on the wire and again after decompression.
    pub body: u64,
    /// The time from the first lookup to the last byte, including redirects.
    pub total: Duration,
    /// The longest silence while the response is read.
    pub idle: Duration,
    /// How many redirects are followed. With zero, the caller receives the first redirect.
    pub redirects: u8,
    /// The media types that are accepted.
    pub mimes: MimeFilter,
}

impl Default for ExchangeLimits {
    /// Enough for a large page on a slow connection, and not enough to fill the memory.
    fn default() -> Self {
        Self {
            body: 10 * 1024 * 1024,
            total: Duration::from_secs(30),
            idle: Duration::from_secs(15),
            redirects: 10,
            mimes: MimeFilter::Any,
        }
    }
}
