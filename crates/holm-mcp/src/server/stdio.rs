//! Serves MCP on the standard streams, or on any pair of streams.

use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};

/// The longest message of a client.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// Serves one client until it disconnects, possibly before its first message.
///
/// # Errors
///
/// Why the connection failed, as text.
pub async fn serve_stdio<S, R, W>(handler: S, read: R, write: W) -> Result<(), String>
where
    S: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(MAX_LINE);
    let running = match handler.serve(transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}
