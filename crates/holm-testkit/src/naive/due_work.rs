//! What must be done, in a form in which two kernels can be compared.
//!
//! Texts for the model are left out, and so is the order within one record: it says who must do what, and not how it is put.

use std::sync::Arc;

use holm_grants::{GrantSet, Mode};
use holm_kernel::{
    AskReason, Author, CallId, ConsultPoint, Effect, Ending, Event, FailureClass, Limit, NanoUsd, NextTry,
    Outcome, Question, Queue, Role, Timestamp, ToolCallId,
};

use crate::Step;

/// One thing that follows from a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// Something that somebody said joins the transcript.
    Heard,
    /// Hooks are asked, about a call where it is about one.
    Consult { point: ConsultPoint, call: Option<ToolCallId> },
    /// A model is called.
    Model { name: String, cap: Option<u64> },
    /// A failed call is tried again at a time.
    Pause { until: Timestamp },
    /// A tool may run.
    Run { call: ToolCallId, tool: Arc<str>, arguments: Arc<str>, again: bool, deadline: Timestamp },
    /// Somebody is asked.
    Ask { call: ToolCallId, reasons: Vec<AskReason> },
    /// A child begins, or goes on.
    Child {
        call: ToolCallId,
        grants: GrantSet,
        mode: Mode,
        money: Option<NanoUsd>,
        tokens: Option<u64>,
        resume: Option<String>,
    },
    /// Whatever runs under this id is stopped.
    Stop(CallId),
    /// What waited to be said is dropped.
    Dropped { queue: Queue, count: usize },
    /// A call counts as begun.
    Began(ToolCallId),
    /// A call is answered.
    Answer(ToolCallId, Outcome),
    /// The group is over; so much was spent and used by then, in the whole run.
    End { how: How, spent: NanoUsd, tokens: u64 },
}

/// How a group ends, without the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Answered,
    Refused,
    Rejected,
    Looping,
    OverBudget { spent: NanoUsd, limit: NanoUsd },
    OverLimit { limit: Limit, used: u64, allowed: u64 },
    Cancelled,
    Failed { class: FailureClass, attempts: u64 },
}

impl Due {
    /// What the real kernel did at a record.
    pub(super) fn read(step: &Step) -> Vec<Self> {
        step.effects.iter().filter_map(Self::of).collect()
    }

    fn of(effect: &Effect) -> Option<Self> {
        Some(match effect {
            Effect::CallModel { request, .. } => {
                Self::Model { name: request.model.name.clone(), cap: request.max_output }
            }
            Effect::RunTool { call, request } => Self::Run {
                call: *call,
                tool: request.tool.clone(),
                arguments: request.arguments.clone(),
                again: request.again,
                deadline: request.deadline,
            },
            Effect::Spawn { call, request } => Self::Child {
                call: *call,
                grants: request.grants.clone(),
                mode: request.mode,
                money: request.budget,
                tokens: request.tokens,
                resume: request.resume.clone(),
            },
            Effect::Abort(call) => Self::Stop(*call),
            Effect::Judge(proposal) => {
                Self::Ask { call: proposal.tool_call, reasons: proposal.reasons.clone() }
            }
            Effect::Emit(numbered) => return Self::told(&numbered.event),
            Effect::Consult(consultation) => {
                Self::Consult { point: consultation.question.point(), call: about(&consultation.question) }
            }
            // Where one of the first two is asked for, the comparison has ended; endings are read from their event.
            Effect::Check { .. } | Effect::Summarise { .. } | Effect::Finish(_) | Effect::Wait(_) => {
                return None;
            }
        })
    }

    fn told(event: &Event) -> Option<Self> {
        Some(match event {
            Event::MessageAdded { message }
                if message.role == Role::User && message.author == Author::Speaker =>
            {
                Self::Heard
            }
            Event::ModelFailed { next: NextTry::Retry { at }, .. } => Self::Pause { until: *at },
            Event::QueueDropped { queue, prompts } => Self::Dropped { queue: *queue, count: prompts.len() },
            Event::CallStarted { call } => Self::Began(*call),
            Event::CallFinished { call, outcome, .. } => Self::Answer(*call, *outcome),
            Event::GroupEnded { ending, usage, spent, .. } => {
                Self::End { how: How::of(ending), spent: *spent, tokens: usage.total() }
            }
            _ => return None,
        })
    }
}

impl How {
    fn of(ending: &Ending) -> Self {
        match ending {
            Ending::Answered { .. } => Self::Answered,
            Ending::Refused { .. } => Self::Refused,
            Ending::Rejected { .. } => Self::Rejected,
            Ending::Looping { .. } => Self::Looping,
            Ending::OverBudget { spent, limit } => Self::OverBudget { spent: *spent, limit: *limit },
            Ending::OverLimit { limit, used, allowed } => {
                Self::OverLimit { limit: *limit, used: *used, allowed: *allowed }
            }
            Ending::Cancelled { .. } => Self::Cancelled,
            Ending::Failed { class, attempts, .. } => Self::Failed { class: *class, attempts: *attempts },
        }
    }
}

/// The call that a question is about.
pub(super) const fn about(question: &Question) -> Option<ToolCallId> {
    match question {
        Question::AfterTool { tool_call, .. } => Some(*tool_call),
        Question::Context
        | Question::Tools { .. }
        | Question::Model { .. }
        | Question::Stop
        | Question::PlainAnswer { .. } => None,
    }
}

/// What stands in the first list and not in the second, each as often as it stands there.
pub(super) fn without<'a>(these: &'a [Due], those: &[Due]) -> Vec<&'a Due> {
    let mut taken = vec![false; those.len()];
    these
        .iter()
        .filter(|due| {
            let place = (0..those.len()).find(|place| !taken[*place] && those[*place] == **due);
            if let Some(place) = place {
                taken[place] = true;
            }
            place.is_none()
        })
        .collect()
}
