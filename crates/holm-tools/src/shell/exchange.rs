//! Forwards one request through the proxy, up to its last byte and not beyond.
//!
//! The proxy checks the URL of a request. More bytes on the same connection would be
//! another request, which was not checked. So the body is measured as the head says, and
//! the rest is discarded.
//!
//! Which host a request may reach is decided in `proxy.rs`. A body whose length two readers could
//! understand differently is refused, because the rest could be a second request.

use std::io;
use std::time::Duration;

use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
};
use tokio::net::TcpStream;

/// The longest line in front of a chunk: sixteen digits and its end, with room.
const MAX_CHUNK_LINE: u64 = 32;
/// How long to keep reading from a client after its answer was sent, so that late bytes do
/// not reset the connection.
const LINGER: Duration = Duration::from_secs(15);

/// The length of a request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestBodyLength {
    Sized(u64),
    /// As its chunks say.
    Chunked,
}

impl RequestBodyLength {
    /// The body that follows these headers. Returns `None` if two readers
    /// would measure it differently.
    pub(super) fn of<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut body = None;
        for (name, value) in headers {
            let found = if name.eq_ignore_ascii_case("content-length") {
                let digits = value.trim_matches([' ', '\t']);
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                Self::Sized(digits.parse().ok()?)
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                if !value.trim_matches([' ', '\t']).eq_ignore_ascii_case("chunked") {
                    return None;
                }
                Self::Chunked
            } else {
                continue;
            };
            if body.replace(found).is_some() {
                return None;
            }
        }
        Some(body.unwrap_or(Self::Sized(0)))
    }

    /// Forwards the body, and nothing that follows it.
    pub(super) async fn pass(
        self,
        source: &mut (impl AsyncBufRead + Unpin),
        sink: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<()> {
        match self {
            Self::Sized(length) => exactly(length, source, sink).await?,
            Self::Chunked => while chunk(source, sink).await? == BodyContinuation::Follows {},
        }
        sink.flush().await
    }
}

/// Whether more of the body follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyContinuation {
    Follows,
    Nothing,
}

/// Sends one request, and hands back what the server says until it hangs up.
pub(super) async fn exchange(
    client: TcpStream,
    server: TcpStream,
    (head, body): (&str, RequestBodyLength),
    rest: &[u8],
) -> io::Result<()> {
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async {
        let mut source = tokio::io::BufReader::new(rest.chain(from_client));
        to_server.write_all(head.as_bytes()).await?;
        body.pass(&mut source, &mut to_server).await?;
        // Read and dropped: a connection that is closed with something unread breaks the answer off.
        tokio::io::copy(&mut source, &mut tokio::io::sink()).await.map(drop)
    };
    let down = async {
        tokio::io::copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::pin!(up, down);
    tokio::select! {
        answered = &mut down => {
            let _ = tokio::time::timeout(LINGER, up).await;
            answered
        }
        sent = &mut up => match sent {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(error),
            // A server may answer before it has read the whole request.
            Ok(()) | Err(_) => down.await,
        },
    }
}

/// Forwards exactly this many bytes, or fails if there are fewer.
async fn exactly(
    length: u64,
    source: &mut (impl AsyncRead + Unpin),
    sink: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    if tokio::io::copy(&mut (&mut *source).take(length), sink).await? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// Passes one chunk on. Extensions and trailers, which readers take differently, are not passed.
async fn chunk(
    source: &mut (impl AsyncBufRead + Unpin),
    sink: &mut (impl AsyncWrite + Unpin),
) -> io::Result<BodyContinuation> {
    let mut line = Vec::new();
    (&mut *source).take(MAX_CHUNK_LINE).read_until(b'\n', &mut line).await?;
    let size = line.strip_suffix(b"\r\n").and_then(size).ok_or(io::ErrorKind::InvalidData)?;
    sink.write_all(&line).await?;
    exactly(size, source, sink).await?;
    let mut end = [0; 2];
    source.read_exact(&mut end).await?;
    if end != *b"\r\n" {
        return Err(io::ErrorKind::InvalidData.into());
    }
    sink.write_all(&end).await?;
    Ok(if size == 0 { BodyContinuation::Nothing } else { BodyContinuation::Follows })
}

/// The size of a chunk: hexadecimal digits only.
fn size(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    // `from_str_radix` would also take a sign.
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u64::from_str_radix(text, 16).ok())?
}
