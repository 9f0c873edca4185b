//! Describes what an approval for later calls covers, from the grants themselves. Terminal, server
//! and editors show the same text.
//!
//! It decides nothing: `approval_gate.rs` decides what an answer covers, and both must change
//! together, so that a person is never shown less than is given.

use holm_grants::{AccessRequest, FetchPattern, Grant};
use holm_kernel::Proposal;

use super::approval_gate::{ApprovalOffer, lasts, session_grants};
use super::rules::unknown_program;
use super::script::ShellScript;

/// A description of what [`ApprovalAnswer::Session`](super::ApprovalAnswer::Session) would cover,
/// or `None` if no answer lasts.
#[must_use]
pub fn always_covers(proposal: &Proposal, offer: &ApprovalOffer) -> Option<String> {
    if !lasts(proposal) {
        return None;
    }
    let grants = session_grants(proposal);
    let mut covers = vec![again(offer)];
    covers.extend(grants.iter().map(|grant| format!("for every later call {}", described(grant))));
    Some(covers.join("; "))
}

/// The same call again. A program that is not known to do only what its name says may
/// do something else then.
fn again(offer: &ApprovalOffer) -> String {
    let script = offer.command.as_deref().and_then(|command| ShellScript::read(command).ok());
    match script.as_ref().and_then(unknown_program) {
        Some(program) => format!("this exact call, even if code that {program} runs has changed"),
        None => "this exact call".into(),
    }
}

/// A grant, with a description of its content.
fn described(grant: &Grant) -> String {
    let text = grant.to_string();
    match grant {
        Grant::Fetch(pattern) if pattern.names_path() => format!("{text} and everything below it"),
        Grant::Fetch(_) => format!("{text} and everything on it"),
        Grant::Read(_) | Grant::Write(_) | Grant::Exec(_) if text.ends_with("**") => {
            format!("{text} (everything in there)")
        }
        Grant::Read(_)
        | Grant::Write(_)
        | Grant::Exec(_)
        | Grant::Env(_)
        | Grant::Secret(_)
        | Grant::Spawn(_)
        | Grant::Tool(_) => text,
    }
}

/// Whether a need is one that no grant ever meets, such as the address of a cloud's metadata.
///
/// ```
/// assert!(holm_tools::shell::is_never_granted("fetch:http://169.254.169.254/"));
/// assert!(!holm_tools::shell::is_never_granted("fetch:https://example.com/"));
/// ```
#[must_use]
pub fn is_never_granted(need: &str) -> bool {
    matches!(need.parse::<AccessRequest>(), Ok(AccessRequest::Fetch(url)) if FetchPattern::origin(&url).is_err())
}
