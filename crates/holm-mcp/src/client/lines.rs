//! The transport over a server's standard streams, with one message per line.
//!
//! `rmcp` has such a transport, but it drops messages that it cannot parse, and the caller would
//! wait for the answer until the timeout.
//!
//! It starts no program: `process.rs` does. Memory is bounded, however long a line is.
//!
//! A message that cannot be parsed is handled in `incoming_message.rs`. Servers behind a URL use
//! `http_client.rs`.

use std::io;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty, empty};

use super::incoming_message::{heard, too_long};
use super::message_id_scanner::MessageIdScanner;

/// How many bytes of a line that is too long are scanned at a time.
const PIECE: usize = 4 * 1024;

/// Messages over two streams. A line is stored up to a limit; of a longer line, only the id of the
/// request it answers is kept.
pub(crate) struct LineTransport<R, W: AsyncWrite> {
    read: BufReader<R>,
    /// Writes messages with the framing of `rmcp`.
    write: AsyncRwTransport<RoleClient, Empty, W>,
    line: LineBuffer,
    most: usize,
}

/// The line that is being read. It survives a cancelled wait for its next bytes.
enum LineBuffer {
    Kept(Vec<u8>),
    TooLong(MessageIdScanner, OverflowReport),
}

/// Whether the error for a line that is too long was already reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OverflowReport {
    NotYet,
    Already,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Accepts messages of at most `most` bytes.
    pub(crate) fn new(read: R, write: W, most: usize) -> Self {
        let write = AsyncRwTransport::new_client(empty(), write);
        Self { read: BufReader::new(read), write, line: LineBuffer::Kept(Vec::new()), most }
    }
}

impl<R, W> Transport<RoleClient> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.write.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            // A broken stream counts as ended. Bytes without a line end are not a message.
            let buffered = self.read.fill_buf().await.ok().filter(|buffered| !buffered.is_empty())?;
            let end = buffered.iter().position(|byte| *byte == b'\n');
            let chunk = buffered.get(..end.unwrap_or(buffered.len())).unwrap_or_default();
            let mut found = self.line.add(chunk, self.most);
            let taken = chunk.len() + usize::from(end.is_some());
            if end.is_some() {
                let message = self.line.end();
                found = found.or(message);
            }
            self.read.consume(taken);
            if found.is_some() {
                return found;
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.write.close().await
    }
}

impl LineBuffer {
    /// Adds the next bytes. Once the line is too long, returns an error for the request it answers,
    /// and skips the rest.
    fn add(&mut self, chunk: &[u8], limit: usize) -> Option<ServerJsonRpcMessage> {
        match self {
            Self::Kept(line) if line.len() + chunk.len() <= limit => {
                line.extend_from_slice(chunk);
                return None;
            }
            Self::Kept(line) => {
                let mut scanner = MessageIdScanner::default();
                // The id is usually near the beginning of a message, so most of a long line
                // need not be scanned.
                for chunk in line.chunks(PIECE) {
                    scanner.see(chunk);
                    if scanner.answers().is_some() {
                        break;
                    }
                }
                *self = Self::TooLong(scanner, OverflowReport::NotYet);
            }
            Self::TooLong(..) => {}
        }
        let Self::TooLong(scanner, report) = self else { return None };
        if *report == OverflowReport::Already {
            return None;
        }
        if scanner.answers().is_none() {
            scanner.see(chunk);
        }
        let error = too_long(scanner, limit);
        if error.is_some() {
            *report = OverflowReport::Already;
        }
        error
    }

    /// Handles the end of the line.
    fn end(&mut self) -> Option<ServerJsonRpcMessage> {
        match std::mem::replace(self, Self::Kept(Vec::new())) {
            Self::Kept(line) => heard(&line),
            Self::TooLong(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LineTransport;
    use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
    use rmcp::transport::Transport as _;
    use tokio::io::AsyncWriteExt as _;

    fn described(message: Option<ServerJsonRpcMessage>) -> String {
        match message {
            Some(JsonRpcMessage::Response(response)) => format!("answer {}", response.id),
            Some(JsonRpcMessage::Error(error)) => {
                format!("error {}: {}", error.id.unwrap(), error.error.message)
            }
            other => format!("{other:?}"),
        }
    }

    /// Checks everything that is read from these bytes, with lines of at most a hundred bytes.
    async fn check(bytes: &str, expect: &[&str]) {
        for capacity in [1, 7, 4096] {
            let (mut theirs, ours) = tokio::io::duplex(capacity);
            let bytes = bytes.to_owned();
            tokio::spawn(async move { theirs.write_all(bytes.as_bytes()).await });
            let mut lines = LineTransport::new(ours, tokio::io::sink(), 100);
            let mut all = Vec::new();
            while let Some(message) = lines.receive().await {
                all.push(described(Some(message)));
            }
            assert_eq!(all, expect, "in pieces of {capacity}");
        }
    }

    #[tokio::test]
    async fn each_line_is_a_message_or_nothing() {
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        check(&format!("{answer}\r\ngarbage\n\n{answer}\n{answer}"), &["answer 1", "answer 1"]).await;
    }

    #[tokio::test]
    async fn who_waits_for_a_line_that_is_too_long_is_told_once_and_the_next_is_heard() {
        let long = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{}"}}}}"#, "x".repeat(1_000));
        let late = format!(r#"{{"result":{{"a":"{}"}},"id":2}}"#, "x".repeat(1_000));
        let answer = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
        let error = |id: u32| format!("error {id}: its answer cannot be read: it has more than 100 bytes");
        check(&format!("{long}\n{late}\n{answer}\n"), &[&error(1), &error(2), "answer 3"]).await;
        check(&format!("{}\n{answer}\n", "x".repeat(1_000)), &["answer 3"]).await;
    }

    #[tokio::test]
    async fn a_line_without_end_is_told_of_before_it_ends() {
        let (mut theirs, ours) = tokio::io::duplex(4096);
        let begin = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}"#, "x".repeat(200));
        theirs.write_all(begin.as_bytes()).await.unwrap();
        let mut lines = LineTransport::new(ours, tokio::io::sink(), 100);
        assert!(described(lines.receive().await).starts_with("error 1: "));
        theirs.write_all(b"x\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n").await.unwrap();
        assert_eq!(described(lines.receive().await), "answer 2");
    }
}
