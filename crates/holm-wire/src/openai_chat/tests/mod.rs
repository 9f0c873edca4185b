mod request;
mod server;
mod stream;

/// Documented and observed streams.
pub(super) mod fixture {
    macro_rules! fixture {
        ($name:literal) => {
            include_bytes!(concat!("../../../fixtures/openai_chat/", $name))
        };
    }
    pub(in super::super) const TEXT: &[u8] = fixture!("text.sse");
    pub(in super::super) const CALLS: &[u8] = fixture!("parallel_calls.sse");
    pub(in super::super) const REUSED: &[u8] = fixture!("reused_index.sse");
    pub(in super::super) const REASONING: &[u8] = fixture!("reasoning.sse");
    pub(in super::super) const REFUSAL: &[u8] = fixture!("refusal.sse");
    pub(in super::super) const ERROR: &[u8] = fixture!("error.sse");
    pub(in super::super) const WHOLE: &[u8] = fixture!("whole.json");
    pub(in super::super) const ALL: [&[u8]; 6] = [TEXT, CALLS, REUSED, REASONING, REFUSAL, ERROR];
}
