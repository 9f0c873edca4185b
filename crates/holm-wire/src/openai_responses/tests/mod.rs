mod request;
mod server;
mod stream;

/// Documented and observed streams.
pub(super) mod fixture {
    macro_rules! fixture {
        ($name:literal) => {
            include_bytes!(concat!("../../../fixtures/openai_responses/", $name))
        };
    }
    pub(in super::super) const TEXT: &[u8] = fixture!("text.sse");
    pub(in super::super) const TOOLS: &[u8] = fixture!("tools_and_reasoning.sse");
    pub(in super::super) const INCOMPLETE: &[u8] = fixture!("incomplete.sse");
    pub(in super::super) const REFUSAL: &[u8] = fixture!("refusal.sse");
    pub(in super::super) const FAILED: &[u8] = fixture!("failed.sse");
    pub(in super::super) const OPEN: &[u8] = fixture!("open_reasoning.sse");
    pub(in super::super) const WHOLE: &[u8] = fixture!("whole.json");
    pub(in super::super) const ALL: [&[u8]; 6] = [TEXT, TOOLS, INCOMPLETE, REFUSAL, FAILED, OPEN];
}
