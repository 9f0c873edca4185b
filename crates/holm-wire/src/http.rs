//! A provider request as data. The host adds the key and sends it.
//!
//! Nothing is sent here: `holm-models/src/client.rs` adds the header for the key, or signs with
//! `bedrock/sign.rs`, and sends. A request must not contain a secret, because hosts record it
//! (`holm-models/src/cassette.rs`). Bodies are written in the `request.rs` of each format.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// One HTTP request without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRequest {
    /// The method. Every known format uses `POST`.
    pub method: HttpMethod,
    /// The path after the service's base URL, with a leading slash.
    pub path: String,
    /// Query parameters, not yet escaped.
    pub query: Vec<(String, String)>,
    /// Headers that contain no secret.
    pub headers: Vec<(String, String)>,
    /// How the request is authenticated.
    pub auth: AuthScheme,
    pub body: Vec<u8>,
}

impl ProviderRequest {
    /// A request that posts JSON.
    pub fn post(path: impl Into<String>, auth: AuthScheme, body: Vec<u8>) -> Self {
        let headers = alloc::vec![("content-type".into(), "application/json".into())];
        Self { method: HttpMethod::Post, path: path.into(), query: Vec::new(), headers, auth, body }
    }

    /// The full URL for a base URL such as `https://api.example.com/v1`.
    ///
    /// If the base ends with the segment that the path begins with (`…/v1` and `/v1/messages`), it
    /// is written once, because people put the version on either side.
    ///
    /// ```
    /// use holm_wire::{AuthScheme, ProviderRequest};
    ///
    /// let request = ProviderRequest::post("/v1/messages", AuthScheme::None, Vec::new());
    /// assert_eq!(request.url("https://api.example.com/"), "https://api.example.com/v1/messages");
    /// assert_eq!(request.url("https://proxy.example.com/x/v1"), "https://proxy.example.com/x/v1/messages");
    /// ```
    pub fn url(&self, base: &str) -> String {
        let base = base.trim_end_matches('/');
        let first = self.path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let last = base.rsplit('/').next().unwrap_or_default();
        let mut url = String::from(base);
        if !first.is_empty() && first == last {
            url.truncate(base.len().saturating_sub(first.len().saturating_add(1)));
        }
        url.push_str(&self.path);
        for (index, (name, value)) in self.query.iter().enumerate() {
            url.push(if index == 0 && !self.path.contains('?') { '?' } else { '&' });
            escape(name, &mut url);
            url.push('=');
            escape(value, &mut url);
        }
        url
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    Get,
    Post,
}

/// How a request is authenticated. This crate stores no key: it only receives one as an argument of
/// [`AuthScheme::header`] and of the signing functions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum AuthScheme {
    /// No authentication, as for local servers.
    None,
    /// The header `authorization: Bearer <key>`.
    #[default]
    Bearer,
    /// A header of this name that contains only the key.
    Header(String),
    /// AWS Signature Version 4 for this service name.
    SigV4(String),
}

impl AuthScheme {
    /// The header to add for a key. `None` if no header is needed, or if the request
    /// must be signed instead.
    ///
    /// ```
    /// use holm_wire::AuthScheme;
    ///
    /// assert_eq!(AuthScheme::Bearer.header("k"), Some(("authorization", "Bearer k".into())));
    /// assert_eq!(AuthScheme::Header("x-api-key".into()).header("k"), Some(("x-api-key", "k".into())));
    /// ```
    pub fn header(&self, key: &str) -> Option<(&str, String)> {
        match self {
            Self::Bearer => Some(("authorization", alloc::format!("Bearer {key}"))),
            Self::Header(name) => Some((name, key.into())),
            Self::None | Self::SigV4(_) => None,
        }
    }
}

/// Escapes one path segment or query part. Unreserved characters stay.
pub fn escape(text: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |nibble: u8| char::from(HEX.get(usize::from(nibble)).copied().unwrap_or(b'0'));
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(digit(byte >> 4));
            out.push(digit(byte & 15));
        }
    }
}
