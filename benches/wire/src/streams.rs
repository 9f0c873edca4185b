//! The streams that are decoded: replies as services send them, made here so that no figure depends on a recording.

use bytes::Bytes;

/// Events of one reply: a long answer.
const EVENTS: usize = 2_000;

/// Fills a fingerprint up, so that events have the length that was measured at the service: 326 bytes.
const FILL: &str = "0123456789abcdef0123456789abcdef";

/// Words as a tokeniser cuts them; some need an escape.
const WORDS: [&str; 12] =
    [" the", " island", "s", " of", " a", " quiet", "\\n", " sea", ",", " \\\"holm\\\"", " caf\u{e9}", "."];

/// A stream by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// Chat Completions; consecutive events differ in their text alone.
    ChatRepeating,
    /// Chat Completions; id, time and padding differ in every event.
    ChatIds,
    /// Chat Completions; something that nobody foresaw differs in every event.
    ChatChanging,
    /// Chat Completions as a router of many services sends them: no event can be read by its likeness to the one before.
    ChatVaried,
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Responses.
    Responses,
}

impl Stream {
    /// All of them, in the report's order.
    pub const ALL: [Self; 6] = [
        Self::ChatRepeating,
        Self::ChatIds,
        Self::ChatChanging,
        Self::ChatVaried,
        Self::Anthropic,
        Self::Responses,
    ];

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatRepeating => "chat-repeating",
            Self::ChatIds => "chat-ids",
            Self::ChatChanging => "chat-changing",
            Self::ChatVaried => "chat-varied",
            Self::Anthropic => "anthropic",
            Self::Responses => "responses",
        }
    }

    /// The stream of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stream| stream.name() == name)
    }

    /// The events, one a piece: services flush after each.
    pub fn pieces(self) -> Vec<Bytes> {
        let (open, close) = self.ends();
        let middle = (0..EVENTS).map(|place| self.event(place));
        let all = open.into_iter().chain(middle).chain(close);
        all.map(Bytes::from).collect()
    }

    fn event(self, place: usize) -> String {
        let word = WORDS[place % WORDS.len()];
        match self {
            Self::ChatRepeating => chat("chatcmpl-C2vBxJ3qkD0hVZ5uXq7WmT1eYbR8g", 1_760_000_000, word, None),
            Self::ChatIds => chat(&id(place), 1_760_000_000 + place, word, Some(padding(place))),
            Self::ChatChanging => {
                let usual = Self::ChatRepeating.event(place);
                usual.replace("fp_0123", &format!("fp_{:04}", place % 10_000))
            }
            Self::ChatVaried => varied(place, word),
            Self::Anthropic => named(
                "content_block_delta",
                &format!(
                    r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{word}"}}}}"#
                ),
            ),
            Self::Responses => named(
                "response.output_text.delta",
                &format!(
                    r#"{{"type":"response.output_text.delta","sequence_number":{},"item_id":"msg_68a1f0c2d4e881a2b3c4d5e6f7a8b9c0","output_index":0,"content_index":0,"delta":"{word}","logprobs":[],"obfuscation":"{}"}}"#,
                    place + 4,
                    padding(place)
                ),
            ),
        }
    }

    /// What stands before and after the events of text.
    fn ends(self) -> (Vec<String>, Vec<String>) {
        match self {
            Self::ChatRepeating | Self::ChatIds | Self::ChatChanging | Self::ChatVaried => {
                let stop = r#"{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"object":"chat.completion.chunk","created":1,"model":"m"}"#;
                (Vec::new(), vec![bare(stop), bare("[DONE]")])
            }
            Self::Anthropic => (
                vec![
                    named(
                        "message_start",
                        r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}"#,
                    ),
                    named(
                        "content_block_start",
                        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                    ),
                ],
                vec![
                    named("content_block_stop", r#"{"type":"content_block_stop","index":0}"#),
                    named(
                        "message_delta",
                        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2000}}"#,
                    ),
                    named("message_stop", r#"{"type":"message_stop"}"#),
                ],
            ),
            Self::Responses => {
                let end = r#"{"type":"response.completed","sequence_number":9,"response":{"id":"resp_1","model":"m","status":"completed","output":[],"usage":{"input_tokens":9,"output_tokens":2000,"total_tokens":2009}}}"#;
                (Vec::new(), vec![named("response.completed", end)])
            }
        }
    }
}

/// An event of Chat Completions, filled up to about its usual length by the fingerprint, which stays the same in a stream.
fn chat(id: &str, created: usize, word: &str, padding: Option<&str>) -> String {
    let fill = if padding.is_some() { &FILL[..8] } else { FILL };
    let padding = padding.map_or_else(String::new, |padding| format!(r#","obfuscation":"{padding}""#));
    bare(&format!(
        r#"{{"id":"{id}","object":"chat.completion.chunk","created":{created},"model":"gpt-5-mini-2025-08-07","service_tier":"default","system_fingerprint":"fp_{fill}","choices":[{{"index":0,"delta":{{"content":"{word}"}},"logprobs":null,"finish_reason":null}}],"usage":null{padding}}}"#
    ))
}

/// Four shapes, a stretch of each: reasoning that is said twice, log probabilities, running usage, pieces of a call.
fn varied(place: usize, word: &str) -> String {
    let head = format!(
        r#""id":"gen-1760000000-{}","provider":"Fireworks","model":"z-ai/glm-4.6","object":"chat.completion.chunk","created":1760000000"#,
        id(place)
    );
    let body = match place * 4 / EVENTS {
        0 => format!(
            r#"{{{head},"choices":[{{"index":0,"delta":{{"role":"assistant","content":"","reasoning":"{word}","reasoning_details":[{{"type":"reasoning.text","text":"{word}","format":"unknown","index":0}}]}},"finish_reason":null,"native_finish_reason":null,"logprobs":null}}]}}"#
        ),
        1 => format!(
            r#"{{{head},"choices":[{{"index":0,"delta":{{"role":"assistant","content":"{word}"}},"finish_reason":null,"logprobs":{{"content":[{{"token":"{word}","logprob":-0.{place:04},"bytes":[32,116,104,101],"top_logprobs":[]}}]}}}}]}}"#
        ),
        2 => format!(
            r#"{{{head},"choices":[{{"index":0,"delta":{{"content":"{word}"}},"finish_reason":null,"logprobs":null}}],"usage":{{"prompt_tokens":812,"completion_tokens":{place},"total_tokens":{}}}}}"#,
            812 + place
        ),
        _ => format!(
            r#"{{{head},"choices":[{{"index":0,"delta":{{"role":"assistant","content":null,"tool_calls":[{{"index":0,"id":"call_1","type":"function","function":{{"name":"note","arguments":"{}"}}}}]}},"finish_reason":null,"native_finish_reason":null,"logprobs":null}}]}}"#,
            if place * 4 == EVENTS * 3 { "{\\\"text\\\": \\\"" } else { "holm " }
        ),
    };
    bare(&body)
}

fn bare(data: &str) -> String {
    format!("data: {data}\n\n")
}

fn named(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// An id of the usual length that is another for each event.
fn id(place: usize) -> String {
    format!("chatcmpl-{:029}", place.wrapping_mul(2_654_435_761))
}

/// Padding of a length that changes, as services add against traffic analysis.
fn padding(place: usize) -> &'static str {
    "aZ3kQ9xT1mB7".get(..place * 7 % 12).unwrap_or_default()
}

#[cfg(test)]
mod tests;
