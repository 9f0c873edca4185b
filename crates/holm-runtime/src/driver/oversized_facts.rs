//! Replaces facts that cannot be journaled because they are too large or nested too deeply. A run
//! cannot continue with a fact that it cannot store, so each becomes a fact that says so.
//!
//! The bill and the marks of a lost result are kept. Facts from people are not replaced: the caller
//! gets an error instead. The limits are those of `holm-kernel/src/journal/payload.rs`; large
//! results of tools are moved elsewhere before (`spill.rs`).

use holm_kernel::{
    Answer, CheckRuling, Failure, FailureClass, Family, Input, ModelResult, ToolCallId, ToolOutput, Verdict,
    journal::PayloadError,
};

/// The fact to journal in place of one that does not fit; `None` for facts from people,
/// who are notified instead.
pub(super) fn in_place_of(fact: &Input, error: &PayloadError) -> Option<Input> {
    let reason = format!("it cannot be written to the journal: {error}");
    Some(match fact {
        Input::ToolFinished { call, .. } => Input::ToolFinished { call: *call, result: failed(&reason) },
        Input::ChildFinished { call, result } => {
            let mut result = holm_kernel::ChildResult { output: failed(&reason), ..result.clone() };
            result.output.marks = result.marks;
            Input::ChildFinished { call: *call, result }
        }
        Input::ModelFinished { call, result } => {
            Input::ModelFinished { call: *call, result: no_reply(&reason, result) }
        }
        Input::Summarised { call, result } => {
            Input::Summarised { call: *call, result: no_reply(&reason, result) }
        }
        Input::Judged { call, .. } => Input::Judged { call: *call, verdict: Verdict::deny(reason) },
        Input::Consulted { call, .. } => Input::Consulted { call: *call, answer: Answer::Failed { reason } },
        Input::Checked { call, .. } => Input::Checked { call: *call, ruling: CheckRuling::Broken { reason } },
        Input::ChildStarted { call, .. } => child_unnamed(*call, &reason),
        Input::Cancelled { .. } => Input::Cancelled { reason: "cancelled".into() },
        Input::Started(_)
        | Input::Resumed { .. }
        | Input::Prompted(_)
        | Input::Steered(_)
        | Input::FollowedUp(_)
        | Input::Dispatched { .. }
        | Input::ToolsChanged(_)
        | Input::ModeChanged(_)
        | Input::Narrowed(_)
        | Input::GrantsChanged(_)
        | Input::BudgetChanged(_)
        | Input::TimePassed => return None,
    })
}

fn failed(reason: &str) -> ToolOutput {
    ToolOutput::failed(format!("the result is lost: {reason}"))
}

fn child_unnamed(call: ToolCallId, reason: &str) -> Input {
    let result = holm_kernel::ChildResult { output: failed(reason), ..Default::default() };
    Input::ChildFinished { call, result }
}

/// The reply is lost, but its bill is not. Sending the same request again may give a shorter reply.
fn no_reply(reason: &str, result: &ModelResult) -> ModelResult {
    let (usage, class) = match result {
        // The provider charges for it, whether it reported the usage or not.
        ModelResult::Replied(reply) if reply.usage.output > 0 => (reply.usage, FailureClass::Truncated),
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => {
            (reply.usage_so_far(Family::Other), FailureClass::Truncated)
        }
        ModelResult::Failed(failure) => (failure.usage, FailureClass::Server),
    };
    let message = format!("the reply is lost: {reason}");
    ModelResult::Failed(Failure { class, message, retry_after_ms: None, usage })
}
