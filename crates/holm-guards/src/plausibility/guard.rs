//! The plausibility guard: the order of its checks, and the message of each finding.
//!
//! What is recognised is in `plausibility/metadata.rs` and `plausibility/disguised_errors.rs`; what
//! a tool allows, in `plausibility/expectation.rs`. It looks at the text alone and never at what
//! the text should say (`postcondition/` does). From the two ends of a spilled text it may accept
//! or ask for the whole, but it rejects only an error page. Failed calls pass: the model does not
//! take them for data.

use alloc::string::{String, ToString};

use super::{
    CallOutcome, EmptyOutput, ErrorText, Expectation, ObservedOutput, ascii, compat, disguised_errors,
    metadata,
};
use crate::guard_switches::{GuardSwitch, off};
use crate::ruling::{Reason, Rules, Ruling};

/// The name of this guard in its reasons.
pub const GUARD: &str = "plausibility";

/// The guard's result from the text that it saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlausibilityResult {
    /// The guard saw enough to decide.
    Ruled(Ruling),
    /// The ends of a spilled text do not decide; the host runs the guard again on the whole
    /// text, as a check.
    NeedsWhole,
}

/// Why an output is not plausible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlausibilityFinding {
    /// No output where data was promised.
    #[error("the output is empty, but data was promised; change the call so that it returns data")]
    Empty,
    /// Headers and totals without a single row.
    #[error("the output holds only metadata ({0:?}), not the data itself; ask for the rows")]
    MetadataOnly(String),
    /// The tool reported success, and its output is an error message.
    #[error("the tool reported success, but its output is an error message: {0:?}; fix the call")]
    ErrorInDisguise(String),
    /// Only punctuation, drawing characters or control characters.
    #[error("the output holds no letter and no digit ({0:?}), so it says nothing; change the call")]
    NoSubstance(String),
    /// A finding of the compatibility rules, whose texts are fixed.
    #[error("{0}")]
    AgentRs(&'static str),
}

/// Decides whether a result is plausible.
///
/// Failed results are accepted as the failures they are. The function examines the text
/// only. It costs time linear in that text, and it examines an output for an error only up
/// to a bounded size.
///
/// ```
/// use holm_guards::plausibility::{Expectation, ObservedOutput, CallOutcome, PlausibilityResult, judge};
/// use holm_guards::ruling::Ruling;
///
/// let judged = |text| judge(CallOutcome::Succeeded, &ObservedOutput::whole(text), Expectation::default());
/// assert_eq!(judged("7"), PlausibilityResult::Ruled(Ruling::Accept));
/// assert!(matches!(judged("total 7079928"), PlausibilityResult::Ruled(Ruling::Reject(_))));
/// ```
#[must_use]
pub fn judge(
    outcome: CallOutcome,
    observed: &ObservedOutput<'_>,
    expectation: Expectation,
) -> PlausibilityResult {
    match outcome {
        CallOutcome::Failed => return PlausibilityResult::Ruled(Ruling::Accept),
        CallOutcome::Succeeded => {}
    }
    let finding = match observed.text() {
        Some(text) => examine(text, expectation),
        None => match examine_ends(observed, expectation) {
            EndsVerdict::Decide(finding) => finding,
            EndsVerdict::LeaveOpen => return PlausibilityResult::NeedsWhole,
        },
    };
    let guard = match expectation.rules {
        Rules::Holm => GUARD,
        Rules::AgentRs => compat::GUARD,
    };
    PlausibilityResult::Ruled(match finding {
        None => Ruling::Accept,
        Some(finding) => Ruling::by(expectation.severity, Reason::new(guard, finding.to_string())),
    })
}

/// Examines a whole text.
fn examine(text: &str, expectation: Expectation) -> Option<PlausibilityFinding> {
    match expectation.rules {
        Rules::AgentRs if off(GuardSwitch::AgentRs) => return None,
        Rules::AgentRs => return compat::examine(text).map(PlausibilityFinding::AgentRs),
        Rules::Holm => {}
    }
    // Every check below ignores white space at the ends, so it is trimmed once.
    let trimmed = ascii::trim(text);
    if metadata::is_empty(trimmed) {
        return match expectation.empty {
            EmptyOutput::Allowed => None,
            EmptyOutput::Refused => (!off(GuardSwitch::Empty)).then_some(PlausibilityFinding::Empty),
        };
    }
    let quote = || crate::ruling::excerpt(text);
    if metadata::only(trimmed) && !off(GuardSwitch::Metadata) {
        return Some(PlausibilityFinding::MetadataOnly(quote()));
    }
    if !has_substance(trimmed) && !off(GuardSwitch::Substance) {
        return Some(PlausibilityFinding::NoSubstance(quote()));
    }
    match expectation.error_text {
        ErrorText::Allowed => None,
        ErrorText::Refused if off(GuardSwitch::Disguise) => None,
        ErrorText::Refused => {
            disguised_errors::is_error(trimmed).then(|| PlausibilityFinding::ErrorInDisguise(quote()))
        }
    }
}

/// The conclusion from the two ends of a spilled text.
enum EndsVerdict {
    Decide(Option<PlausibilityFinding>),
    LeaveOpen,
}

/// A head shorter than this shows too little of a text to decide anything from it.
const TELLING_HEAD: usize = 64;

/// Examines the ends of a spilled text.
///
/// A head that is fine on its own makes the whole fine, with one exception: the beginning of an
/// error page is enough to know it. A head that is *not* fine proves nothing about the rest.
fn examine_ends(observed: &ObservedOutput<'_>, expectation: Expectation) -> EndsVerdict {
    let head = observed.head();
    if expectation.rules == Rules::Holm
        && expectation.error_text == ErrorText::Refused
        && disguised_errors::is_error_page(head)
    {
        return EndsVerdict::Decide(Some(PlausibilityFinding::ErrorInDisguise(crate::ruling::excerpt(head))));
    }
    // The last line of a head is usually cut, and half a line may read like anything.
    let lines = head.rsplit_once('\n').map_or(head, |(lines, _cut)| lines);
    let telling = head.len() >= TELLING_HEAD && examine(lines, expectation).is_none();
    let substance = has_substance(lines) || has_substance(observed.tail());
    if telling && substance { EndsVerdict::Decide(None) } else { EndsVerdict::LeaveOpen }
}

/// Whether there is a letter or a digit of any script.
fn has_substance(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
