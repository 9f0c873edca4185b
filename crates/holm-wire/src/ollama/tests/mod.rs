mod request;
mod server;
mod stream;

/// Documented and observed streams.
pub(super) mod fixture {
    macro_rules! fixture {
        ($name:literal) => {
            include_bytes!(concat!("../../../fixtures/ollama/", $name))
        };
    }
    pub(in super::super) const TEXT: &[u8] = fixture!("text.ndjson");
    pub(in super::super) const TOOLS: &[u8] = fixture!("tools_and_thinking.ndjson");
    pub(in super::super) const ERROR: &[u8] = fixture!("error.ndjson");
    pub(in super::super) const WHOLE: &[u8] = fixture!("whole.json");
}
