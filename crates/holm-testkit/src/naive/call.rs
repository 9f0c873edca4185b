//! One call of a reply, as a plain enum.

use std::sync::Arc;

use holm_grants::{CallNeed, GrantSet, Mode};
use holm_kernel::{ConsultationId, QuestionId, Timestamp, ToolCallId, ToolOutput, ToolSpec};

use super::authority::Shown;

/// One call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: ToolCallId,
    /// None where there is no such tool.
    pub(super) tool: Option<Arc<ToolSpec>>,
    pub(super) arguments: Arc<str>,
    pub(super) needs: Vec<CallNeed>,
    /// The id of the question that was asked last.
    pub(super) question: Option<QuestionId>,
    /// What that question showed.
    pub(super) shown: Option<Shown>,
    /// It was answered with a yes.
    pub(super) approved: bool,
    pub(super) rewrites: u64,
    /// It may have run before, on a host that is gone.
    pub(super) again: bool,
    pub(super) stage: Stage,
}

/// Where a call stands.
#[derive(Debug, PartialEq)]
pub(super) enum Stage {
    /// Somebody is asked.
    Judging,
    /// Its turn has not come.
    Ready,
    /// Handed out, and not yet written down.
    Issued { deadline: Timestamp },
    /// It may have happened.
    Running { deadline: Timestamp },
    /// A child carries it out.
    Delegated { since: Timestamp, grants: GrantSet, mode: Mode, child: Option<String> },
    /// Hooks look at the result; the real kernel names the question.
    Reviewing { consult: Option<ConsultationId>, output: Box<ToolOutput> },
    /// Answered; none has no vote on whether the run is done.
    Done { vote: Option<bool> },
}

impl Call {
    pub(super) fn new(id: ToolCallId, tool: Option<Arc<ToolSpec>>) -> Self {
        Self {
            id,
            tool,
            arguments: Arc::from(""),
            needs: Vec::new(),
            question: None,
            shown: None,
            approved: false,
            rewrites: 0,
            again: false,
            stage: Stage::Ready,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done { .. })
    }

    pub(super) fn aborts_siblings(&self) -> bool {
        self.tool.as_ref().is_some_and(|tool| tool.aborts_siblings)
    }

    /// When it has to be stopped.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        match &self.stage {
            Stage::Issued { deadline } | Stage::Running { deadline } => Some(*deadline),
            Stage::Delegated { since, .. } => {
                let timeout = self.tool.as_ref().and_then(|tool| tool.timeout_ms);
                timeout.map(|timeout| since.plus(timeout))
            }
            Stage::Judging | Stage::Ready | Stage::Reviewing { .. } | Stage::Done { .. } => None,
        }
    }
}
