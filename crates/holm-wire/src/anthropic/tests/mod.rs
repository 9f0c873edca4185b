mod request;
mod server;
mod stream;

/// Documented and observed streams.
pub(super) mod fixture {
    macro_rules! fixture {
        ($name:literal) => {
            include_bytes!(concat!("../../../fixtures/anthropic/", $name))
        };
    }
    pub(in super::super) const TEXT: &[u8] = fixture!("text.sse");
    pub(in super::super) const TOOLS: &[u8] = fixture!("tools_and_thinking.sse");
    pub(in super::super) const OVERLOADED: &[u8] = fixture!("overloaded.sse");
    pub(in super::super) const LATE_USAGE: &[u8] = fixture!("usage_at_end.sse");
    pub(in super::super) const WHOLE: &[u8] = fixture!("whole.json");
}
