//! An HTTP request: method, URL, headers and body. It is sent in `client.rs`; which headers survive
//! a redirect to another origin is decided in `redirect.rs` with `HARMLESS`. Headers about the
//! transport and the destination cannot be set by a caller, because they must fit the checked URL.

use bytes::Bytes;
use holm_grants::{Url, UrlScheme};
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, Version};
use http_body_util::Full;

use crate::error::NetError;

/// Headers about the transport and the destination. This crate sets them from the checked URL.
const OURS: &[HeaderName] = &[
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
    header::ACCEPT_ENCODING,
    header::PROXY_AUTHORIZATION,
    header::PROXY_AUTHENTICATE,
];

/// Headers that do not identify the sender. Only these follow a redirect to another origin.
const HARMLESS: &[HeaderName] = &[header::ACCEPT, header::ACCEPT_LANGUAGE, header::USER_AGENT];

/// One request. Its debug form hides the values of headers and the body.
///
/// ```
/// use holm_net::HttpClientRequest;
/// let request = HttpClientRequest::get("https://example.com/".parse()?).header("accept", "text/html")?;
/// assert!(request.header("Host", "elsewhere.example").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct HttpClientRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl HttpClientRequest {
    /// Creates a request with this method, without headers or body.
    #[must_use]
    pub fn new(method: Method, url: Url) -> Self {
        Self { method, url, headers: HeaderMap::new(), body: Bytes::new() }
    }

    /// Creates a `GET` request.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    /// Creates a `POST` request.
    #[must_use]
    pub fn post(url: Url) -> Self {
        Self::new(Method::POST, url)
    }

    /// Adds one header to the request.
    ///
    /// # Errors
    ///
    /// [`NetError::Header`] if the header is invalid, or if this crate sets it itself.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, NetError> {
        let refused = || NetError::Header(name.chars().filter(char::is_ascii_graphic).take(64).collect());
        let parsed: HeaderName = name.parse().map_err(|_| refused())?;
        if OURS.contains(&parsed) || parsed.as_str().starts_with("proxy-") {
            return Err(refused());
        }
        let mut value: HeaderValue = value.parse().map_err(|_| refused())?;
        // Keeps the header out of compression tables that a later request could be compared with.
        value.set_sensitive(true);
        self.headers.append(parsed, value);
        Ok(self)
    }

    #[must_use]
    pub fn body(self, body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// The URL of the request.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The headers that may be sent to another origin.
    pub(crate) fn harmless_headers(&self) -> HeaderMap {
        let kept = self.headers.iter().filter(|(name, _)| HARMLESS.contains(name));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The request in the form of the HTTP library.
    pub(crate) fn message(&self, version: Version) -> Result<Request<Full<Bytes>>, http::Error> {
        let authority = authority(&self.url);
        let target = match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        };
        let mut message = Request::builder().method(self.method.clone()).version(version);
        message = if version == Version::HTTP_2 {
            message.uri(format!("{}://{authority}{target}", self.url.scheme()))
        } else {
            message.uri(target).header(header::HOST, authority)
        };
        let mut message = message.body(Full::new(self.body.clone()))?;
        message.headers_mut().extend(self.headers.clone());
        message.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        Ok(message)
    }
}

impl std::fmt::Debug for HttpClientRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("HttpClientRequest")
            .field("method", &self.method)
            .field("origin", &crate::error::origin(&self.url))
            .field("headers", &names)
            .field("body", &self.body.len())
            .finish()
    }
}

/// The host and port for the `Host` header.
fn authority(url: &Url) -> String {
    let default = match url.scheme() {
        UrlScheme::Http | UrlScheme::Ws => 80,
        UrlScheme::Https | UrlScheme::Wss => 443,
        UrlScheme::Tcp => 0,
    };
    if url.port() == default { url.host().to_string() } else { format!("{}:{}", url.host(), url.port()) }
}
