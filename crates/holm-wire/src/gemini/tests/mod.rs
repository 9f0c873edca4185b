mod request;
mod server;
mod stream;

/// Documented and observed streams.
pub(super) mod fixture {
    macro_rules! fixture {
        ($name:literal) => {
            include_bytes!(concat!("../../../fixtures/gemini/", $name))
        };
    }
    pub(in super::super) const TEXT: &[u8] = fixture!("text.sse");
    pub(in super::super) const TOOLS: &[u8] = fixture!("tools_and_thoughts.sse");
    pub(in super::super) const CUT: &[u8] = fixture!("max_tokens.sse");
    pub(in super::super) const BLOCKED: &[u8] = fixture!("blocked.sse");
    pub(in super::super) const MALFORMED: &[u8] = fixture!("malformed_call.sse");
    pub(in super::super) const OVERLOADED: &[u8] = fixture!("overloaded.sse");
    pub(in super::super) const WHOLE: &[u8] = fixture!("whole.json");
    pub(in super::super) const ALL: [&[u8]; 6] = [TEXT, TOOLS, CUT, BLOCKED, MALFORMED, OVERLOADED];
}
