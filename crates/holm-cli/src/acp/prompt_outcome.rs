//! Translates how a prompt ended into the stop reasons of the Agent Client Protocol. It decides
//! nothing about a run: `acp_session.rs` runs the prompt and sends the result. Errors become errors
//! of the protocol in `refusal.rs`.

use agent_client_protocol::{
    Error,
    v1::schema::{PromptResponse, StopReason},
};
use holm::{
    kernel::{Ending, Limit},
    runtime::RunReport,
};

use super::{editor::EditorClient, refusal::failed};

/// The answer to a prompt. If the model gave no answer, the reason is sent as text first, because
/// the protocol has only a few stop reasons.
pub(super) fn of(report: &RunReport, editor: &EditorClient) -> Result<PromptResponse, Error> {
    let stop = match &report.ending {
        Ending::Answered { .. } => StopReason::EndTurn,
        Ending::Cancelled { .. } => StopReason::Cancelled,
        Ending::Refused { .. } => StopReason::Refusal,
        Ending::Rejected { .. } | Ending::Looping { .. } => StopReason::EndTurn,
        Ending::OverBudget { .. } => StopReason::MaxTurnRequests,
        Ending::OverLimit { limit, .. } => match limit {
            Limit::Turns | Limit::WallClock => StopReason::MaxTurnRequests,
            Limit::Tokens | Limit::OutputTokens | Limit::ContextWindow => StopReason::MaxTokens,
        },
        Ending::Failed { .. } => return Err(failed(in_words(report))),
    };
    match &report.ending {
        Ending::Answered { .. } | Ending::Cancelled { .. } => {}
        Ending::Refused { .. }
        | Ending::Rejected { .. }
        | Ending::Looping { .. }
        | Ending::OverBudget { .. }
        | Ending::OverLimit { .. }
        | Ending::Failed { .. } => editor.says(&format!("\n\nHolm: {}\n", in_words(report))),
    }
    Ok(PromptResponse::new(stop))
}

/// Why there is no answer, without the run's name, which the editor knows.
fn in_words(report: &RunReport) -> String {
    let why = report.text().err().map(|error| error.to_string()).unwrap_or_default();
    why.split_once(": ").map_or(why.clone(), |(_, words)| words.to_owned())
}
