use std::vec::Vec;

use crate::framing::event_stream;

mod request;
mod server;
mod sign;
mod stream;

/// Documented streams, one event a line, put into frames here so that they can be read; `!` marks an exception.
pub(super) mod fixture {
    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../fixtures/bedrock/", $name))
        };
    }
    pub(in super::super) const TEXT: &str = fixture!("text.events");
    pub(in super::super) const TOOLS: &str = fixture!("tools_and_thinking.events");
    pub(in super::super) const THROTTLED: &str = fixture!("throttled.events");
    pub(in super::super) const WHOLE: &str = fixture!("whole.json");
}

pub(super) fn frames(events: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for line in events.lines() {
        let (name, payload) = line.split_once(' ').unwrap();
        let content = (":content-type", "application/json");
        let headers = match name.strip_prefix('!') {
            Some(name) => [(":exception-type", name), content, (":message-type", "exception")],
            None => [(":event-type", name), content, (":message-type", "event")],
        };
        event_stream::write(&headers, payload.as_bytes(), &mut out);
    }
    out
}
