//! Reads and writes one message a line on standard streams. A line that is too long, or not valid
//! text, gets an error answer and is never buffered whole. It does not parse messages; the protocol
//! library does, and `session_manager.rs` handles them. A write that fails does not stop running
//! work.

use std::io;

use futures::{Sink, Stream, sink, stream};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The longest message: some pictures in it, and no more than a machine has room for.
const MOST_BYTES: usize = 64 << 20;

/// Replaces a line that cannot be read. It is not valid JSON, so the protocol library answers
/// with its own error.
const UNREADABLE: &str = "{";

/// The messages that come.
pub(crate) fn incoming<R>(reader: R) -> impl Stream<Item = io::Result<String>> + Send + 'static
where
    R: AsyncBufRead + Unpin + Send + 'static,
{
    stream::unfold(reader, |mut reader| async move {
        let line = next(&mut reader, MOST_BYTES).await.transpose()?;
        Some((line, reader))
    })
}

/// Writes each message at once. A reader that has stopped does not stop the work: an editor that is
/// gone closes the other stream too.
pub(crate) fn outgoing<W>(writer: W) -> impl Sink<String, Error = io::Error> + Send + 'static
where
    W: AsyncWrite + Unpin + Send + 'static,
{
    sink::unfold(writer, |mut writer, mut line: String| async move {
        line.push('\n');
        if writer.write_all(line.as_bytes()).await.is_ok() {
            let _ = writer.flush().await;
        }
        Ok(writer)
    })
}

/// The next line that says something; none at the end.
async fn next(reader: &mut (impl AsyncBufRead + Unpin), most: usize) -> io::Result<Option<String>> {
    loop {
        let Some(line) = whole(reader, most).await? else { return Ok(None) };
        match line.map(String::from_utf8) {
            Some(Ok(text)) if text.trim().is_empty() => {}
            Some(Ok(text)) => return Ok(Some(text)),
            Some(Err(_)) | None => return Ok(Some(UNREADABLE.to_owned())),
        }
    }
}

/// The bytes of a line without its end. The inner value is `None` for a line that was too long, of
/// which nothing is kept.
async fn whole(reader: &mut (impl AsyncBufRead + Unpin), most: usize) -> io::Result<Option<Option<Vec<u8>>>> {
    let mut line = Some(Vec::new());
    let mut begun = false;
    loop {
        let read = reader.fill_buf().await?;
        if read.is_empty() {
            return Ok(begun.then_some(line));
        }
        begun = true;
        let end = read.iter().position(|byte| *byte == b'\n');
        let (piece, _) = read.split_at(end.unwrap_or(read.len()));
        match &mut line {
            Some(bytes) if bytes.len().saturating_add(piece.len()) <= most => bytes.extend_from_slice(piece),
            Some(_) | None => line = None,
        }
        let used = piece.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests;
