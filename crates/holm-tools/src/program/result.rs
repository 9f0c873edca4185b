//! Turns the result of a program into the output that a model reads. It runs nothing (`tool.rs`
//! does). A protected name that appeared while the program ran fails the call. The output of a
//! program never becomes advice to the model about grants: only refusals that Holm itself saw are
//! named.
//!
//! How a result is believed is decided by the kernel; results of WASM tools are made in
//! `wasm/output.rs`, those of commands in `shell/report.rs`.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use holm_jail::{JailEnding, JailOutcome, SuspectedDenial};
use holm_kernel::{Block, Media, Source, ToolOutput};

use super::interface::ProgramInterface;
use crate::describe::EmptyResultPolicy;
use crate::shell::{ProxyDenied, appeared, opens_nothing};

/// The output of a call, with protected names that appeared in the workspace while the program ran.
/// That fails a call.
pub(super) fn result(
    nature: &ProgramInterface,
    outcome: &JailOutcome,
    hosts: &[ProxyDenied],
    workspace: &Path,
    wall: Duration,
) -> ToolOutput {
    let mut output = by_ending(nature, outcome, hosts, wall);
    for name in &outcome.appeared {
        output.text.push_str(&format!("\n[{}]", appeared(workspace, name)));
        output.outcome = holm_kernel::Outcome::Failed;
    }
    output
}

fn by_ending(
    nature: &ProgramInterface,
    outcome: &JailOutcome,
    hosts: &[ProxyDenied],
    wall: Duration,
) -> ToolOutput {
    let failed = |why: &str| {
        let mut output = failed(why, outcome);
        for refusal in hosts {
            output.text.push_str(&match refusal {
                ProxyDenied::Missing { grant, .. } => {
                    format!("\n[refused: missing grant {grant}; the tool's sidecar can ask for it]")
                }
                ProxyDenied::Never(why) => format!("\n[refused, and no grant opens it: {why}]"),
                ProxyDenied::Path(url) => {
                    format!("\n[{}; the tool's sidecar can ask for the whole host]", opens_nothing(url))
                }
            });
        }
        output
    };
    match outcome.ending {
        JailEnding::Exited(0) => succeeded(nature, outcome),
        JailEnding::Exited(code) => failed(&format!("it ended with status {code}")),
        JailEnding::Signalled(signal) => failed(&format!("it was killed by signal {signal}")),
        JailEnding::TimedOut => failed(&format!("stopped: it timed out after {} s", wall.as_secs_f64())),
        JailEnding::Cancelled => failed("stopped: it was cancelled"),
        JailEnding::OutOfOutput => failed("stopped: it wrote too much"),
        JailEnding::OutOfMemory => failed("stopped: it used too much memory"),
        JailEnding::MadeProtected => failed("stopped: it created protected files repeatedly"),
        JailEnding::Lost => failed("its outcome is unknown: the process that supervised it died"),
    }
}

fn succeeded(nature: &ProgramInterface, outcome: &JailOutcome) -> ToolOutput {
    let bytes = &outcome.stdout.bytes;
    let described = match nature {
        ProgramInterface::Described(program) => Some(program),
        ProgramInterface::Helped(_) => None,
    };
    if bytes.is_empty() {
        return match described.map(|program| &program.empty_result) {
            Some(EmptyResultPolicy::AddMessage(message)) => ToolOutput::text(message.clone()),
            Some(EmptyResultPolicy::DoNothing) => ToolOutput::text(""),
            // A program that only has a help text may report its result on standard error.
            None => ToolOutput::text(String::from_utf8_lossy(&outcome.stderr.bytes)),
        };
    }
    if !outcome.stdout.is_whole() {
        return failed("it wrote more than Holm keeps", outcome);
    }
    let said = described.and_then(|program| program.output_media_type.as_deref());
    match (said.filter(|kind| !is_text(kind)), std::str::from_utf8(bytes)) {
        (None, Ok(text)) => ToolOutput::text(text),
        (Some(kind), _) => media(kind, bytes),
        (None, Err(_)) => media("application/octet-stream", bytes),
    }
}

fn is_text(kind: &str) -> bool {
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/") || essence == "application/json" || essence.ends_with("+json")
}

fn media(kind: &str, bytes: &[u8]) -> ToolOutput {
    let media =
        Media { media_type: kind.to_owned(), source: Source::Base64(STANDARD.encode(bytes)), name: None };
    let part = if kind.starts_with("image/") { Block::Image(media) } else { Block::File(media) };
    let text = format!("{} bytes of {kind}", bytes.len());
    ToolOutput { parts: vec![part], ..ToolOutput::text(text) }
}

fn failed(why: &str, outcome: &JailOutcome) -> ToolOutput {
    let mut text = why.to_owned();
    for bytes in [&outcome.stderr.bytes, &outcome.stdout.bytes] {
        let said = String::from_utf8_lossy(bytes);
        if !said.trim().is_empty() {
            text.push_str(&format!("\n{}", said.trim_end()));
        }
    }
    // The output of a program never becomes advice. Only the author of the sidecar knows which file
    // or host is meant.
    let is_network = |suspicion: &SuspectedDenial| matches!(suspicion, SuspectedDenial::Network(_));
    for (kind, found) in [
        ("the network", outcome.suspicions.iter().any(is_network)),
        ("a file", !outcome.suspicions.iter().all(is_network)),
    ] {
        if found {
            let hint = "list what the program needs under `asks` in its sidecar";
            text.push_str(&format!("\n[probably refused {kind}; {hint}]"));
        }
    }
    ToolOutput::failed(text)
}
