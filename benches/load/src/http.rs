//! One request and its answer, by hand: thousands of clients must cost little.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// The head of a request.
pub(crate) fn head(address: SocketAddr, token: &str, method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n")
}

/// Sends a request and gives the status and the whole answer.
pub(crate) async fn post(
    address: SocketAddr,
    token: &str,
    path: &str,
    body: &str,
) -> io::Result<(u16, String)> {
    let head = head(address, token, "POST", path);
    let text = format!(
        "{head}connection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(text.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    Ok((status, body))
}
