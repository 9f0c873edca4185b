//! Says why a user is asked about a call, in plain sentences. The terminal, the chat, editors and
//! the dashboard show the same text.
//!
//! It decides nothing: the kernel says what is asked and what is missing, and `approval_gate.rs`
//! handles the question. What an answer covers is described in `answer_coverage.rs`. A sentence
//! names every missing grant in words, so that a display may fold the list of needs away.

use holm_grants::Level;
use holm_kernel::{AskReason, Proposal};

use super::answer_coverage::is_never_granted;
use crate::access_words::need_words;

/// The need of a command that may run any program.
const ANY_PROGRAM: &str = "exec:*";

/// What every command in the workspace needs.
const COMMAND_NEEDS: [&str; 4] = [ANY_PROGRAM, "exec:./**", "read:**", "write:**"];

/// Why the user is asked: first what they have not allowed, then what else there is to know.
///
/// ```
/// use holm_kernel::{AskReason, Marks, Proposal, QuestionId, ToolCallId};
/// let proposal = Proposal {
///     call: QuestionId::new(1),
///     tool_call: ToolCallId::new(2),
///     tool: "write".into(),
///     digest: String::new(),
///     arguments: "{}".into(),
///     level: holm_grants::Level::Write,
///     needs: vec!["write:src/calc.py".into()],
///     missing: vec!["write:src/calc.py".into()],
///     hands_on: Vec::new(),
///     reasons: vec![AskReason::MissingGrant],
///     marks: Marks::default(),
/// };
/// let why = holm_tools::shell::ask_reasons(&proposal);
/// assert_eq!(why, ["you have not allowed it to write src/calc.py"]);
/// ```
#[must_use]
pub fn ask_reasons(proposal: &Proposal) -> Vec<String> {
    let special = proposal.reasons.iter().filter_map(|reason| special_reason(*reason));
    plain_reason(proposal).into_iter().chain(special.map(str::to_owned)).collect()
}

/// What the user has not allowed, or approves each time, in one sentence.
#[must_use]
pub fn plain_reason(proposal: &Proposal) -> Option<String> {
    let is_command = proposal.missing.iter().any(|need| need == ANY_PROGRAM);
    let of_every_command = |need: &String| is_command && COMMAND_NEEDS.contains(&need.as_str());
    let missing = proposal.missing.iter().filter(|need| !of_every_command(need));
    let missing: Vec<String> = missing.map(|need| missing_words(need)).collect();
    match (is_command, missing.is_empty()) {
        (true, true) => return Some("you have not allowed commands in this folder".into()),
        (true, false) => {
            let missing = missing.join(" and to ");
            return Some(format!("you have not allowed commands in this folder, nor it to {missing}"));
        }
        (false, false) => return Some(format!("you have not allowed it to {}", missing.join(" and to "))),
        (false, true) => {}
    }
    let is_level = proposal.reasons.contains(&AskReason::Level);
    match proposal.level {
        Level::Write if is_level => Some("you approve every write here".into()),
        Level::Execute if is_level => Some("you approve every command and program here".into()),
        Level::None | Level::ReadOnly | Level::Write | Level::Execute => None,
    }
}

/// A missing need in words.
fn missing_words(need: &str) -> String {
    let never = if is_never_granted(need) { " (can never be granted)" } else { "" };
    format!("{}{never}", need_words(need))
}

/// A reason that the level and the needs of a call do not show.
#[must_use]
pub const fn special_reason(reason: AskReason) -> Option<&'static str> {
    match reason {
        AskReason::Level | AskReason::MissingGrant => None,
        AskReason::EgressAfterMark => {
            Some("it sends data out, and the session has read private or untrusted data")
        }
        AskReason::WriteAfterMark => {
            Some("it writes outside its grants, and the session has read private or untrusted data")
        }
        AskReason::HookWants => Some("a hook asks for your approval"),
        AskReason::LeavesPlan => Some("it ends plan mode: later calls may change things"),
    }
}
