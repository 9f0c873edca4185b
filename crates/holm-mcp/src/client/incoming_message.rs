//! Turns the bytes that a server sent into a message, into an error for the request they answer, or
//! into nothing.
//!
//! The bytes come from `lines.rs`, `events.rs` or `legacy_sse.rs`, which bound their length. The id
//! is found in `message_id_scanner.rs`.

use rmcp::model::{ErrorCode, ErrorData, ServerJsonRpcMessage};

use super::error::{UNREADABLE, cut};
use super::message_id_scanner::{DEEPEST, MessageIdScanner};

/// Parses a message. If the bytes are not a valid message but show which request they
/// answer, returns an error for that request, so that its caller does not wait forever.
/// Other bytes are ignored.
///
/// ```
/// use rmcp::model::JsonRpcMessage;
/// let deep = format!(
///     r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":{}}}}}"#,
///     "[".repeat(900) + &"]".repeat(900)
/// );
/// let heard = holm_mcp::client::heard(deep.as_bytes());
/// assert!(matches!(heard, Some(JsonRpcMessage::Error(_))));
/// assert!(holm_mcp::client::heard(b"loading, 100%").is_none());
/// ```
#[must_use]
pub fn heard(bytes: &[u8]) -> Option<ServerJsonRpcMessage> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(message) => Some(message),
        Err(error) => {
            let mut scanner = MessageIdScanner::default();
            scanner.see(bytes);
            if scanner.is_too_deep() { too_deep(&scanner) } else { error_reply(&scanner, &error.to_string()) }
        }
    }
}

/// The error for a request whose answer is nested too deeply to parse.
pub(super) fn too_deep(scanner: &MessageIdScanner) -> Option<ServerJsonRpcMessage> {
    error_reply(scanner, &format!("it is nested deeper than {DEEPEST} levels"))
}

/// The error for a request whose answer is longer than the limit.
pub(super) fn too_long(scanner: &MessageIdScanner, limit: usize) -> Option<ServerJsonRpcMessage> {
    error_reply(scanner, &format!("it has more than {limit} bytes"))
}

fn error_reply(scanner: &MessageIdScanner, reason: &str) -> Option<ServerJsonRpcMessage> {
    let id = scanner.answers()?.clone();
    let message = cut(&format!("its answer cannot be read: {reason}"));
    Some(ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(UNREADABLE), message, None), Some(id)))
}

#[cfg(test)]
mod tests {
    use super::heard;
    use rmcp::model::JsonRpcMessage;

    /// Describes what was read from a line: the kind of message, its id, and its text.
    fn check(line: &str, expect: &str) {
        let found = match heard(line.as_bytes()) {
            None => "nothing".to_owned(),
            Some(JsonRpcMessage::Request(request)) => format!("request {}", request.id),
            Some(JsonRpcMessage::Response(response)) => format!("answer {}", response.id),
            Some(JsonRpcMessage::Notification(_)) => "notification".to_owned(),
            Some(JsonRpcMessage::Error(error)) => {
                format!("error {:?} {}", error.id.map(|id| id.to_string()), error.error.message)
            }
        };
        assert!(found.starts_with(expect), "{line} is {found}, not {expect}");
    }

    #[test]
    fn messages_are_what_they_were() {
        check(r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}"#, "answer 7");
        check("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\r", "answer 7");
        check(r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#, "request x");
        check(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, "notification");
        check(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}"#, r#"error Some("7") no"#);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_an_error_for_who_asked() {
        let spoiled = r#"error Some("7") its answer cannot be read"#;
        check(r#"{"jsonrpc":"2.0","id":7,"error":{"code":"no"}}"#, spoiled);
        check(r#"{"jsonrpc":"1.0","id":7,"result":{}}"#, spoiled);
        check(r#"{"jsonrpc":"2.0","id":7,"result":{}"#, spoiled);
        check(r#"{"jsonrpc":"2.0","id":7}"#, spoiled);
        let deep = "[".repeat(900) + &"]".repeat(900);
        let line = format!(r#"{{"jsonrpc":"2.0","result":{{"a":{deep}}},"id":7}}"#);
        check(&line, &format!("{spoiled}: it is nested deeper than 127 levels"));
    }

    #[test]
    fn what_is_nobodys_answer_is_nothing() {
        for line in ["", "\r", "loading… 100%", "{", r#"{"id":7"#, r#"{"id":null,"result":{}}"#] {
            check(line, "nothing");
        }
        let deep = "[".repeat(900) + &"]".repeat(900);
        check(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{deep}}}"#), "nothing");
    }
}
