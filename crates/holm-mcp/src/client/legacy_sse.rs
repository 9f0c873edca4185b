//! The HTTP transport from before 2025-03: one stream carries all answers and names a URL for
//! requests.
//!
//! The server chooses that URL, so it must have the server's own origin. Otherwise a stream could
//! name another host, which would receive every request with all its headers.
//!
//! The newer transport is that of `rmcp`, with `http_client.rs`. Which of them is used is decided
//! in `server_connection.rs`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use http::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpClient, StreamableHttpError};
use sse_stream::Sse;
use url::Url;

use super::incoming_message::heard;

/// The event that names the URL for requests.
const ENDPOINT: &str = "endpoint";
/// How many other events may come before it. A server that sends more is considered broken.
const MOST_BEFORE: usize = 16;

/// A connection over the older HTTP transport.
pub(crate) struct LegacySseTransport<C> {
    client: C,
    endpoint: Arc<str>,
    headers: HashMap<HeaderName, HeaderValue>,
    events: BoxStream<'static, Result<Sse, SseError>>,
}

impl<C: StreamableHttpClient> LegacySseTransport<C> {
    /// Opens the stream and reads the URL for requests from it.
    pub(crate) async fn open(
        client: C,
        url: &str,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Self, StreamableHttpError<C::Error>> {
        let mut events = client.get_stream(url.into(), None, None, None, headers.clone()).await?;
        for _ in 0..MOST_BEFORE {
            let event = events.next().await.ok_or(StreamableHttpError::UnexpectedEndOfStream)??;
            if event.event.as_deref() == Some(ENDPOINT) {
                let named = event.data.unwrap_or_default();
                let endpoint = endpoint(url, &named).map_err(unexpected)?;
                return Ok(Self { client, endpoint: endpoint.into(), headers, events });
            }
        }
        Err(unexpected("its stream names no address for questions"))
    }
}

impl<C: StreamableHttpClient + Sync> Transport<RoleClient> for LegacySseTransport<C> {
    type Error = StreamableHttpError<C::Error>;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (client, endpoint, headers) =
            (self.client.clone(), Arc::clone(&self.endpoint), self.headers.clone());
        async move {
            match client.post_message(endpoint, item, None, None, headers).await {
                // The answer arrives on the stream, so the body of a successful response is
                // ignored.
                Ok(_) | Err(StreamableHttpError::UnexpectedContentType(_)) => Ok(()),
                Err(error) => Err(error),
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let event = self.events.next().await?.ok()?;
            let is_message = event.event.as_deref().is_none_or(|kind| kind == "message");
            if !is_message {
                continue;
            }
            if let Some(message) = event.data.and_then(|data| heard(data.as_bytes())) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.events = stream::empty().boxed();
        Ok(())
    }
}

/// The URL for requests, if it has the server's own origin.
fn endpoint(stream: &str, named: &str) -> Result<String, &'static str> {
    let base = Url::parse(stream).map_err(|_| "its own address is not valid")?;
    let endpoint = base.join(named.trim()).map_err(|_| "its stream names no address for questions")?;
    if endpoint.origin() != base.origin() {
        return Err("its stream names an address on another host for questions; Holm does not follow it");
    }
    Ok(endpoint.into())
}

fn unexpected<E: std::error::Error + Send + Sync + 'static>(message: &'static str) -> StreamableHttpError<E> {
    StreamableHttpError::UnexpectedServerResponse(Cow::Borrowed(message))
}

#[cfg(test)]
mod tests {
    use super::endpoint;

    #[test]
    fn questions_go_to_the_server_itself_and_nowhere_else() {
        let check = |named: &str, expect: Option<&str>| {
            assert_eq!(endpoint("https://mcp.example/sse", named).ok().as_deref(), expect, "{named}");
        };
        check("/message?session=1", Some("https://mcp.example/message?session=1"));
        check("message", Some("https://mcp.example/message"));
        check("https://mcp.example/m", Some("https://mcp.example/m"));
        check("https://mcp.example:443/m", Some("https://mcp.example/m"));
        for elsewhere in [
            "https://evil.example/m",
            "//evil.example/m",
            "http://mcp.example/m",
            "https://mcp.example:8443/m",
            "https://mcp.example.evil.example/m",
            "http://169.254.169.254/latest",
            "file:///etc/passwd",
            "https://",
        ] {
            check(elsewhere, None);
        }
    }
}
