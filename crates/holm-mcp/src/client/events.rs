//! Reads a stream of server-sent events with a size limit for each event. Without the limit, an
//! event that never ends would fill the memory.
//!
//! Requests are sent in `http_client.rs`. An event that cannot be parsed becomes an error for its
//! request (`incoming_message.rs`), so that no caller waits forever.

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use holm_net::{HttpClientResponse, NetError};
use sse_stream::{Error as SseError, Sse, SseStream};

use super::incoming_message::too_deep;
use super::message_id_scanner::MessageIdScanner;

/// The events of an answer. An event of more than `most` bytes ends the stream with an error.
pub(crate) fn events(answer: HttpClientResponse, most: usize) -> BoxStream<'static, Result<Sse, SseError>> {
    let state = Some((answer, EventSizeCounter { most, ..EventSizeCounter::default() }));
    let pieces = stream::unfold(state, |state| async move {
        let (mut answer, mut gauge) = state?;
        match answer.piece().await {
            Ok(None) => None,
            Ok(Some(chunk)) if gauge.admits(&chunk) => {
                Some((Ok::<Bytes, NetError>(chunk), Some((answer, gauge))))
            }
            Ok(Some(_)) => Some((Err(NetError::TooLarge { max: gauge.most as u64 }), None)),
            Err(error) => Some((Err(error), None)),
        }
    });
    SseStream::from_bytes_stream(pieces).map(|event| event.map(readable)).boxed()
}

/// Returns the event unchanged. If its JSON is nested too deeply to parse, returns an error for the
/// waiting request instead, because `rmcp` would silently drop the event.
fn readable(mut event: Sse) -> Sse {
    if let Some(data) = &mut event.data {
        let mut scanner = MessageIdScanner::default();
        scanner.see(data.as_bytes());
        let error = too_deep(&scanner).filter(|_| scanner.is_too_deep());
        if let Some(error) = error.and_then(|error| serde_json::to_string(&error).ok()) {
            *data = error;
        }
    }
    event
}

/// Counts the bytes since the last empty line.
#[derive(Debug, Default)]
struct EventSizeCounter {
    most: usize,
    since: usize,
    /// The number of line ends in direct succession.
    ends: u8,
}

impl EventSizeCounter {
    fn admits(&mut self, chunk: &[u8]) -> bool {
        for byte in chunk {
            match byte {
                b'\n' => self.ends += 1,
                b'\r' => {}
                _ => self.ends = 0,
            }
            self.since += 1;
            if self.ends >= 2 {
                (self.ends, self.since) = (0, 0);
            }
            if self.since > self.most {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{EventSizeCounter, Sse, readable};

    #[test]
    fn an_event_that_nobody_reads_is_an_error_for_who_waits_for_it() {
        let read = |data: &str| readable(Sse::default().data(data)).data.unwrap();
        let plain = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        assert_eq!(read(plain), plain);
        let deep = "[".repeat(900) + &"]".repeat(900);
        let message = read(&format!(r#"{{"jsonrpc":"2.0","id":7,"result":{deep}}}"#));
        assert!(
            message.contains(r#""id":7"#) && message.contains("nested deeper than 127 levels"),
            "{message}"
        );
        assert_eq!(read(&deep), deep, "what is nobody's answer is left as it is");
    }

    fn check(most: usize, pieces: &[&str], expect: bool) {
        let mut gauge = EventSizeCounter { most, ..EventSizeCounter::default() };
        let admitted = pieces.iter().all(|chunk| gauge.admits(chunk.as_bytes()));
        assert_eq!(admitted, expect, "{pieces:?}");
    }

    #[test]
    fn an_event_is_bounded_and_a_stream_is_not() {
        check(16, &["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"], true);
        check(16, &["data: 1\r\n\r\ndata: 2\r\n\r\n"], true);
        check(16, &["data: 0123456789"], true);
        check(16, &["data: 0123456789", "0"], false);
        check(16, &["data: 1\ndata: 2\ndata: 3\n"], false);
    }

    #[test]
    fn the_end_of_an_event_may_be_split_over_pieces() {
        check(10, &["data: 1\n", "\ndata: 2\n", "\n", "data: 3"], true);
    }
}
