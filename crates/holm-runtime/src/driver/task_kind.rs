//! The kinds of tasks, and the fact that replaces the result of a task that failed.
//!
//! Every task ends with a fact, or the run would wait for ever. A question that fails is a denial,
//! and a check that fails is broken: failures must never allow more. Starting and stopping tasks is
//! in `driver/tasks.rs`.

use holm_kernel::{
    Answer, CallId, CheckRuling, ChildResult, Failure, FailureClass, Input, ModelResult, ToolOutput, Usage,
    Verdict,
};

/// The kind of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DriverTaskKind {
    Model,
    /// A model call for a summary.
    Summary,
    Tool,
    Child,
    /// A check of a result.
    Check,
    /// A question about a call, to hooks and people.
    Question,
    /// A question to hooks.
    Consult,
    /// A message of a hook that the run does not wait for.
    Remark,
    /// As a remark, but the model's reply waits for it, so that it enters before the next call.
    Steering,
}

impl DriverTaskKind {
    pub(crate) fn model_fact(self, call: CallId, result: ModelResult) -> Input {
        match self {
            Self::Summary => Input::Summarised { call, result },
            Self::Model
            | Self::Tool
            | Self::Child
            | Self::Check
            | Self::Question
            | Self::Consult
            | Self::Remark
            | Self::Steering => Input::ModelFinished { call, result },
        }
    }

    /// The fact for a task without a result: it panicked, or took too long. Guards
    /// deny in this case.
    pub(crate) fn broken(self, call: CallId, why: &str) -> Option<Input> {
        let reason = || format!("{} {why}", self.who());
        Some(match self {
            Self::Model | Self::Summary => {
                let usage = Usage::default();
                // The provider may have received the request, and charges for it.
                let class = FailureClass::Truncated;
                let failure = Failure { class, message: reason(), retry_after_ms: None, usage };
                self.model_fact(call, ModelResult::Failed(failure))
            }
            Self::Tool => Input::ToolFinished { call, result: ToolOutput::failed(reason()) },
            Self::Child => {
                let result = ChildResult { output: ToolOutput::failed(reason()), ..ChildResult::default() };
                Input::ChildFinished { call, result }
            }
            Self::Check => Input::Checked { call, ruling: CheckRuling::Broken { reason: reason() } },
            Self::Question => Input::Judged { call, verdict: Verdict::deny(reason()) },
            Self::Consult => Input::Consulted { call, answer: Answer::Failed { reason: reason() } },
            Self::Remark | Self::Steering => return None,
        })
    }

    /// Whether a run that has ended waits a moment for it: a stopped task may still bring its bill,
    /// and hooks must see the last one too.
    pub(crate) const fn is_waited_for(self) -> bool {
        match self {
            Self::Model | Self::Summary | Self::Child | Self::Remark => true,
            Self::Tool | Self::Check | Self::Question | Self::Consult | Self::Steering => false,
        }
    }

    /// Whether the task may clean up after the run has stopped waiting for it. A child must record
    /// that it was stopped.
    pub(crate) const fn tidies_up(self) -> bool {
        match self {
            Self::Tool | Self::Child => true,
            Self::Model
            | Self::Summary
            | Self::Check
            | Self::Question
            | Self::Consult
            | Self::Remark
            | Self::Steering => false,
        }
    }

    const fn who(self) -> &'static str {
        match self {
            Self::Model | Self::Summary => "the model's transport",
            Self::Tool => "the tool",
            Self::Child => "the child run",
            Self::Check => "the check",
            Self::Question => "the approver of the call",
            Self::Consult | Self::Remark | Self::Steering => "the hook",
        }
    }
}
