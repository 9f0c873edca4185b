//! Lists the grants that each call of a session needed and used. Events do not contain them,
//! because a watcher of a run does not decide about it.
//!
//! They come from the journal: the fold that replays events also decides again what each call needs
//! and what it was given.
//!
//! It makes no decision for a run: it only reads the journal, with `session_watcher.rs`. The
//! route is in `routes/sessions.rs`.

use holm_kernel::{AskReason, Effect, journal, visible_line, visible_lines};
use holm_store::Store;
use serde::Serialize;
use utoipa::ToSchema;

use super::session_watcher::folded;
use crate::{ApiError, SessionId};

/// What a call may use, starting at a record of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Use {
    /// The journal record of the decision.
    record: u64,
    /// The number of the call in the events.
    call: u64,
    tool: String,
    /// Whether the user is asked, or the call runs.
    step: UseStep,
    /// What the call needs, as grants; once it runs, what it runs with.
    needs: Vec<String>,
    /// The needs that were not granted when the user was asked.
    missing: Vec<String>,
    /// What an agent holds that the call starts.
    hands_on: Vec<String>,
    /// Why the user is asked.
    #[schema(value_type = Vec<String>)]
    reasons: Vec<AskReason>,
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UseStep {
    /// The user is asked.
    Asked,
    /// The call runs with the listed needs.
    Run,
}

/// The grants that the calls of a session needed and used, oldest first.
pub(crate) async fn uses(store: &Store, id: &SessionId) -> Result<Vec<Use>, ApiError> {
    folded(store, id, |records| {
        let mut found = Vec::new();
        // As with events, a journal with erased parts is replayed as far as possible.
        let _ = journal::replay_with(records, |seq, effect| found.extend(used(seq.value(), effect)));
        found
    })
    .await
}

fn used(record: u64, effect: &Effect) -> Option<Use> {
    match effect {
        Effect::Judge(asked) => Some(Use {
            record,
            call: asked.tool_call.value(),
            tool: asked.tool.clone(),
            step: UseStep::Asked,
            needs: asked.needs.clone(),
            missing: asked.missing.clone(),
            hands_on: asked.hands_on.clone(),
            reasons: asked.reasons.clone(),
        }),
        Effect::RunTool { call, request } => {
            Some(runs(record, call.value(), &request.tool, lines(request.needs.iter()), Vec::new()))
        }
        Effect::Spawn { call, request } => {
            Some(runs(record, call.value(), &request.tool, Vec::new(), lines(request.grants.iter())))
        }
        Effect::CallModel { .. }
        | Effect::Abort(_)
        | Effect::Consult(_)
        | Effect::Check { .. }
        | Effect::Summarise { .. }
        | Effect::Emit(_)
        | Effect::Finish(_)
        | Effect::Wait(_) => None,
    }
}

fn runs(record: u64, call: u64, tool: &str, needs: Vec<String>, hands_on: Vec<String>) -> Use {
    let tool = visible_line(tool);
    Use { record, call, tool, step: UseStep::Run, needs, missing: Vec::new(), hands_on, reasons: Vec::new() }
}

/// Texts for people: a path may contain any character, and a call may name thousands of files.
fn lines(all: impl Iterator<Item = impl ToString>) -> Vec<String> {
    visible_lines(&all.map(|item| item.to_string()).collect::<Vec<_>>())
}
