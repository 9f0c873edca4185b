//! Opens a tunnel through an HTTP proxy that the caller passes as a value. The proxy receives an
//! address and never a name, so that the address check still holds. Names are resolved and
//! addresses checked in `connector.rs`; proxies from the environment are never used.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The largest response to `CONNECT`: a status line and some headers.
const MAX_ANSWER: usize = 8 * 1024;

/// An HTTP proxy that opens tunnels. The user chooses it, so its own address is not checked.
///
/// Names are still resolved here. A proxy that resolved them would decide again where they lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TunnelProxy(SocketAddr);

impl TunnelProxy {
    /// The proxy at this address.
    #[must_use]
    pub fn http(address: SocketAddr) -> Self {
        Self(address)
    }

    /// Opens a tunnel to a checked address.
    pub(crate) async fn tunnel(&self, target: SocketAddr) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(self.0).await?;
        let ask = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
        stream.write_all(ask.as_bytes()).await?;
        let answer = head(&mut stream).await?;
        if accepted(&answer) {
            return Ok(stream);
        }
        Err(io::Error::new(io::ErrorKind::ConnectionRefused, "the proxy refused the tunnel"))
    }
}

/// Reads the response up to its empty line, byte by byte, because everything after it
/// belongs to the tunnel.
async fn head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() >= MAX_ANSWER {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the proxy's answer is incomplete"));
        }
        answer.push(stream.read_u8().await?);
    }
    Ok(answer)
}

fn accepted(answer: &[u8]) -> bool {
    let mut words = answer.split(|byte| *byte == b' ');
    let version = words.next().unwrap_or_default();
    let status = words.next().unwrap_or_default();
    version.starts_with(b"HTTP/1.") && matches!(status, [b'2', _, _])
}
