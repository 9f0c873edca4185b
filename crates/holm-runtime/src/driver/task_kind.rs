//! The kinds of tasks with the ids of their work, and the fact that replaces the result of a task
//! that failed.
//!
//! Every task ends with a fact, or the run would wait forever. A question that fails is a denial,
//! and a check that fails is broken: failures must never allow more. Starting and stopping tasks is
//! in `driver/tasks.rs`.
//!
//! Which task an effect starts is decided in `driver/perform.rs`.

use holm_kernel::{
    Answer, CallId, CheckId, CheckRuling, ChildResult, ConsultationId, Failure, FailureClass, Input,
    ModelCallId, ModelResult, QuestionId, ToolCallId, ToolOutput, Usage, Verdict,
};

/// The kind of a task, and the work that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DriverTaskKind {
    Model(ModelCallId),
    /// A model call for a summary.
    Summary(ModelCallId),
    Tool(ToolCallId),
    Child(ToolCallId),
    /// A check of a result.
    Check(CheckId),
    /// A question about a call, to hooks and people.
    Question(QuestionId),
    /// A question to hooks.
    Consult(ConsultationId),
    /// A message of a hook that the run does not wait for. No id stops it.
    Remark,
    /// As a remark, but the reply of this model call waits for it, so that
    /// it enters before the next call.
    Steering(ModelCallId),
}

impl DriverTaskKind {
    /// The work that an [`Effect::Abort`](holm_kernel::Effect::Abort) with this id stops.
    pub(crate) fn call(self) -> Option<CallId> {
        match self {
            Self::Model(call) | Self::Summary(call) | Self::Steering(call) => Some(call.into()),
            Self::Tool(call) | Self::Child(call) => Some(call.into()),
            Self::Check(call) => Some(call.into()),
            Self::Question(call) => Some(call.into()),
            Self::Consult(call) => Some(call.into()),
            Self::Remark => None,
        }
    }

    /// The fact that a model call has ended; `None` for tasks of other kinds.
    pub(crate) fn model_fact(self, result: ModelResult) -> Option<Input> {
        match self {
            Self::Model(call) => Some(Input::ModelFinished { call, result }),
            Self::Summary(call) => Some(Input::Summarised { call, result }),
            Self::Tool(_)
            | Self::Child(_)
            | Self::Check(_)
            | Self::Question(_)
            | Self::Consult(_)
            | Self::Remark
            | Self::Steering(_) => None,
        }
    }

    /// The fact for a task without a result: it panicked, or took too long. Guards
    /// deny in this case.
    pub(crate) fn broken(self, problem: &str) -> Option<Input> {
        let reason = || format!("{} {problem}", self.who());
        Some(match self {
            Self::Model(_) | Self::Summary(_) => {
                let usage = Usage::default();
                // The provider may have received the request, and charges for it.
                let class = FailureClass::Truncated;
                let failure = Failure { class, message: reason(), retry_after_ms: None, usage };
                return self.model_fact(ModelResult::Failed(failure));
            }
            Self::Tool(call) => Input::ToolFinished { call, result: ToolOutput::failed(reason()) },
            Self::Child(call) => {
                let result = ChildResult { output: ToolOutput::failed(reason()), ..ChildResult::default() };
                Input::ChildFinished { call, result }
            }
            Self::Check(call) => Input::Checked { call, ruling: CheckRuling::Broken { reason: reason() } },
            Self::Question(call) => Input::Judged { call, verdict: Verdict::deny(reason()) },
            Self::Consult(call) => Input::Consulted { call, answer: Answer::Failed { reason: reason() } },
            Self::Remark | Self::Steering(_) => return None,
        })
    }

    /// Whether a run that has ended waits a moment for it: a stopped task may still bring its bill,
    /// and hooks must see the last one too.
    pub(crate) const fn is_waited_for(self) -> bool {
        match self {
            Self::Model(_) | Self::Summary(_) | Self::Child(_) | Self::Remark => true,
            Self::Tool(_) | Self::Check(_) | Self::Question(_) | Self::Consult(_) | Self::Steering(_) => {
                false
            }
        }
    }

    /// Whether the task may clean up after the run has stopped waiting for it. A child must record
    /// that it was stopped.
    pub(crate) const fn tidies_up(self) -> bool {
        match self {
            Self::Tool(_) | Self::Child(_) => true,
            Self::Model(_)
            | Self::Summary(_)
            | Self::Check(_)
            | Self::Question(_)
            | Self::Consult(_)
            | Self::Remark
            | Self::Steering(_) => false,
        }
    }

    const fn who(self) -> &'static str {
        match self {
            Self::Model(_) | Self::Summary(_) => "the model's transport",
            Self::Tool(_) => "the tool",
            Self::Child(_) => "the child run",
            Self::Check(_) => "the check",
            Self::Question(_) => "the approver of the call",
            Self::Consult(_) | Self::Remark | Self::Steering(_) => "the hook",
        }
    }
}
