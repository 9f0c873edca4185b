//! An HTTP response, read piece by piece within its limits. Decompression is in `decode.rs`, the
//! media type is checked in `mime.rs`. Headers and body are untrusted, and trailers are ignored. A
//! connection goes back to the pool only after the last byte.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use holm_grants::Url;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use crate::decode::BodyDecoder;
use crate::error::{ExchangeStage, NetError, origin};
use crate::limits::ExchangeLimits;
use crate::pool::{HttpConnection, HttpConnectionPool, PoolKey};

/// A response whose body is still to be read.
pub struct HttpClientResponse {
    status: StatusCode,
    url: Url,
    headers: HeaderMap,
    body: Incoming,
    decoder: BodyDecoder,
    deadline: Instant,
    idle: Duration,
    /// The connection that returns to the pool after the last byte.
    line: Option<(Arc<HttpConnectionPool>, HttpConnection)>,
    ended: bool,
}

impl HttpClientResponse {
    pub(crate) fn new(
        answer: http::Response<Incoming>,
        url: Url,
        limits: &ExchangeLimits,
        deadline: Instant,
        line: Option<(Arc<HttpConnectionPool>, HttpConnection)>,
    ) -> Result<Self, NetError> {
        let (head, body) = answer.into_parts();
        limits.mimes.check(&head.headers)?;
        let decoder = BodyDecoder::new(&head.headers, limits.body)?;
        Ok(Self {
            status: head.status,
            url,
            headers: head.headers,
            body,
            decoder,
            deadline,
            idle: limits.idle,
            line,
            ended: false,
        })
    }

    /// The status of the last response, after redirects.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The URL that answered, after redirects.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The headers. They are untrusted, as is the body.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The next piece of the decompressed body, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// If a limit is reached or the peer closes the connection early. The pieces so far
    /// are valid, but incomplete.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, NetError> {
        while !self.ended {
            let until = self.deadline.min(Instant::now() + self.idle);
            let frame = timeout_at(until, self.body.frame()).await;
            let chunk = match frame.map_err(|_| NetError::TimedOut(ExchangeStage::Reading))? {
                None => {
                    self.ended = true;
                    let rest = self.decoder.finish()?;
                    self.give_back();
                    rest
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.decoder.push(data)?,
                    // Trailers are ignored, because they are not trusted.
                    Err(_) => continue,
                },
                Some(Err(error)) => {
                    self.ended = true;
                    return Err(NetError::Http { origin: origin(&self.url), why: error.to_string() });
                }
            };
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
        Ok(None)
    }

    /// Reads the whole body.
    ///
    /// # Errors
    ///
    /// The same errors as for [`Self::piece`].
    pub async fn bytes(mut self) -> Result<Bytes, NetError> {
        let Some(first) = self.piece().await? else { return Ok(Bytes::new()) };
        let Some(second) = self.piece().await? else { return Ok(first) };
        let mut body = Vec::from(first);
        body.extend_from_slice(&second);
        while let Some(chunk) = self.piece().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body.into())
    }

    fn give_back(&mut self) {
        if let Some((pool, line)) = self.line.take() {
            pool.keep(PoolKey::of(&self.url), line);
        }
    }
}

impl std::fmt::Debug for HttpClientResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClientResponse")
            .field("status", &self.status)
            .field("origin", &origin(&self.url))
            .finish_non_exhaustive()
    }
}
