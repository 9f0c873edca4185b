mod request;
mod server;
mod stream;

/// Documented and observed streams.
pub(super) mod fixture {
    macro_rules! fixture {
        ($name:literal) => {
            include_bytes!(concat!("../../../fixtures/cohere/", $name))
        };
    }
    pub(in super::super) const TEXT: &[u8] = fixture!("text.sse");
    pub(in super::super) const TOOLS: &[u8] = fixture!("tools_and_plan.sse");
    pub(in super::super) const THINKING: &[u8] = fixture!("thinking.sse");
    pub(in super::super) const CUT: &[u8] = fixture!("max_tokens.sse");
    pub(in super::super) const ERROR: &[u8] = fixture!("error.sse");
    pub(in super::super) const WHOLE: &[u8] = fixture!("whole.json");
    pub(in super::super) const ALL: [&[u8]; 5] = [TEXT, TOOLS, THINKING, CUT, ERROR];
}
