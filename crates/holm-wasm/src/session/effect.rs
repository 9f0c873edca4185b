//! Effects as a host sees them: complete, except for the parts that grow with the conversation.
//!
//! A model request is shown by its measures, so that a step costs the same in a conversation of any
//! length; `request` in `session/mod.rs` and `wire/codec.rs` have the whole. Every effect of the
//! kernel (`holm-kernel/src/effect.rs`) must have its form here. The texts are part of the
//! package's interface (`packages/holm/src/types.ts`).

use holm_kernel::{
    CallId, CheckId, CheckRequest, Consultation, Effect, Ending, Messages, ModelCallId, Numbered, Proposal,
    Purpose, Request, SpawnRequest, Timestamp, ToolCallId, ToolRequest,
};
use serde::Serialize;

/// An [`Effect`] in the serde form that `poll` gives out.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EffectView<'a> {
    CallModel { call: ModelCallId, request: LeanRequest<'a> },
    RunTool { call: ToolCallId, request: &'a ToolRequest },
    Spawn { call: ToolCallId, request: &'a SpawnRequest },
    Abort(CallId),
    Judge(&'a Proposal),
    Consult(&'a Consultation),
    Check { call: CheckId, request: &'a CheckRequest },
    Summarise { call: ModelCallId, request: LeanRequest<'a> },
    Emit(&'a Numbered),
    Finish(&'a Ending),
    Wait(Option<Timestamp>),
}

impl<'a> EffectView<'a> {
    pub(super) fn of(effect: &'a Effect) -> Self {
        match effect {
            Effect::CallModel { call, request } => {
                Self::CallModel { call: *call, request: LeanRequest::of(request) }
            }
            Effect::RunTool { call, request } => Self::RunTool { call: *call, request },
            Effect::Spawn { call, request } => Self::Spawn { call: *call, request },
            Effect::Abort(call) => Self::Abort(*call),
            Effect::Judge(proposal) => Self::Judge(proposal),
            Effect::Consult(consultation) => Self::Consult(consultation),
            Effect::Check { call, request } => Self::Check { call: *call, request },
            Effect::Summarise { call, request } => {
                Self::Summarise { call: *call, request: LeanRequest::of(request) }
            }
            Effect::Emit(event) => Self::Emit(event),
            Effect::Finish(ending) => Self::Finish(ending),
            Effect::Wait(until) => Self::Wait(*until),
        }
    }
}

/// A request by its measures.
#[derive(Debug, Serialize)]
pub(super) struct LeanRequest<'a> {
    purpose: Purpose,
    model: &'a str,
    /// Changes whenever the view changes other than by growing; none for messages
    /// made for this request.
    epoch: Option<u64>,
    messages: u64,
    tools: u64,
    tools_epoch: u64,
    max_output: Option<u64>,
}

impl<'a> LeanRequest<'a> {
    fn of(request: &'a Request) -> Self {
        let (epoch, messages) = match &request.messages {
            Messages::View { epoch, count } => (Some(*epoch), *count),
            Messages::Own(messages) => (None, messages.len() as u64),
        };
        Self {
            purpose: request.purpose,
            model: &request.model.name,
            epoch,
            messages,
            tools: request.tools.tools.len() as u64,
            tools_epoch: request.tools.epoch,
            max_output: request.max_output,
        }
    }
}
