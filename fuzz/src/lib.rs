//! What must hold on any input, as plain functions: a fuzzer looks for bytes that break one, and a test replays the bytes
//! that once did.
//!
//! Each function takes raw bytes and panics on a finding. None of them checks for crashes alone: a decoder is compared with
//! itself under another cut, a parser with its own writer, a framing with a slow reference, a policy with what browsers do.

mod decoders;
mod exe;
mod framing;
mod grants;
mod guards;
mod journal;
mod mcp;
mod net;
mod root;
mod run;
mod screen;
mod server;
mod split;
mod tools;
mod turn;

#[cfg(test)]
mod tests;

pub use decoders::{
    anthropic, bedrock, cohere, gemini, memo_equals_plain, ollama, openai_chat, openai_responses,
};
pub use exe::agents_exe;
pub use framing::{event_stream, ndjson, sse};
pub use grants::{grants, url};
pub use guards::{json, schema};
pub use journal::{journal, replay};
pub use mcp::mcp;
pub use net::answers;
pub use root::root;
pub use run::{envelope, protocol};
pub use screen::{markdown, terminal};
pub use server::{classify, requests};
pub use split::any_split;
pub use tools::{describe, help, shell};

/// One target: its name and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All targets, by name.
pub const TARGETS: &[Target] = &[
    ("agents_exe", agents_exe),
    ("answers", answers),
    ("any_split", any_split),
    ("anthropic", anthropic),
    ("bedrock", bedrock),
    ("classify", classify),
    ("cohere", cohere),
    ("describe", describe),
    ("envelope", envelope),
    ("event_stream", event_stream),
    ("gemini", gemini),
    ("grants", grants),
    ("help", help),
    ("journal", journal),
    ("json", json),
    ("markdown", markdown),
    ("mcp", mcp),
    ("memo_equals_plain", memo_equals_plain),
    ("ndjson", ndjson),
    ("ollama", ollama),
    ("openai_chat", openai_chat),
    ("openai_responses", openai_responses),
    ("protocol", protocol),
    ("replay", replay),
    ("requests", requests),
    ("root", root),
    ("schema", schema),
    ("shell", shell),
    ("sse", sse),
    ("terminal", terminal),
    ("url", url),
];

/// Makes a binary of a target: a fuzzer where one is built, otherwise a program that replays the files it is given, for a
/// debugger or a profiler.
#[macro_export]
macro_rules! target {
    ($body:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::$body(data));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            std::env::args_os()
                .skip(1)
                .try_for_each(|path| std::fs::read(path).map(|data| $crate::$body(&data)))
        }
    };
}
