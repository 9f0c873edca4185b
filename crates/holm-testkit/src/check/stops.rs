//! Whoever works on what nobody wants any more is told to stop.

use std::collections::BTreeMap;

use holm_kernel::{CallId, Effect, Event, Input, Question, ToolCallId};

use super::background::left_working;
use crate::{Outcome, Step, Violation};

/// When a call ends, all that was asked for it has been answered or is told to stop; when a group ends, all that was asked at all.
pub fn what_is_given_up_is_stopped(outcome: &Outcome) -> Vec<Violation> {
    Desk::of(outcome).found
}

/// How much is still under way at the end.
pub(super) fn under_way(outcome: &Outcome) -> usize {
    Desk::of(outcome).open.len()
}

/// What a host was asked for. Ids are shared: the first question about a call has the id of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Model,
    Tool,
    Child,
    Question,
    Hook,
    Check,
}

/// What was asked for and not answered yet, each with the tool call that it is about.
#[derive(Default)]
struct Desk {
    open: BTreeMap<(CallId, Kind), Option<ToolCallId>>,
    found: Vec<Violation>,
}

impl Desk {
    fn of(outcome: &Outcome) -> Self {
        let mut desk = Self::default();
        for step in &outcome.steps {
            if matches!(step.input, Input::Resumed { .. }) {
                // Whoever takes over is asked for all of it again.
                desk.open.clear();
            }
            if let Some(answered) = answered(&step.input) {
                desk.open.remove(&answered);
            }
            for effect in &step.effects {
                desk.see(step, effect);
            }
        }
        desk
    }

    fn see(&mut self, step: &Step, effect: &Effect) {
        match effect {
            Effect::CallModel { call, .. } | Effect::Summarise { call, .. } => {
                self.ask((*call).into(), Kind::Model, None);
            }
            Effect::RunTool { call, .. } => self.ask((*call).into(), Kind::Tool, Some(*call)),
            Effect::Spawn { call, .. } => self.ask((*call).into(), Kind::Child, Some(*call)),
            Effect::Judge(proposal) => {
                self.ask(proposal.call.into(), Kind::Question, Some(proposal.tool_call));
            }
            Effect::Consult(consultation) => {
                let about = match &consultation.question {
                    Question::AfterTool { tool_call, .. } => Some(*tool_call),
                    Question::Context
                    | Question::Tools { .. }
                    | Question::Model { .. }
                    | Question::Stop
                    | Question::PlainAnswer { .. } => None,
                };
                self.ask(consultation.call.into(), Kind::Hook, about);
            }
            Effect::Check { call, request } => self.ask((*call).into(), Kind::Check, Some(request.tool_call)),
            Effect::Abort(call) => self.open.retain(|(asked, _), _| asked != call),
            Effect::Emit(numbered) => self.hear(step, &numbered.event),
            Effect::Finish(_) | Effect::Wait(_) => {}
        }
    }

    fn ask(&mut self, call: CallId, kind: Kind, about: Option<ToolCallId>) {
        self.open.insert((call, kind), about);
    }

    fn hear(&mut self, step: &Step, event: &Event) {
        match event {
            Event::CallFinished { call, outcome, .. } if left_working(step, *call, *outcome) => {}
            Event::CallFinished { call, .. } | Event::ChildFinished { call, .. } => {
                self.give_up(step, |about| about == Some(*call));
            }
            Event::GroupEnded { .. } => self.give_up(step, |_| true),
            _ => {}
        }
    }

    /// What is still open here goes on for nobody.
    fn give_up(&mut self, step: &Step, whose: impl Fn(Option<ToolCallId>) -> bool) {
        let promise = "what is given up is stopped";
        for ((call, kind), about) in std::mem::take(&mut self.open) {
            if whose(about) {
                let message = format!("{kind:?} {call} was neither answered nor told to stop");
                self.found.push(Violation::new(promise, step.seq, message));
            } else {
                self.open.insert((call, kind), about);
            }
        }
    }
}

/// What a fact answers.
fn answered(input: &Input) -> Option<(CallId, Kind)> {
    Some(match input {
        Input::ModelFinished { call, .. } | Input::Summarised { call, .. } => ((*call).into(), Kind::Model),
        Input::ToolFinished { call, .. } => ((*call).into(), Kind::Tool),
        Input::ChildFinished { call, .. } => ((*call).into(), Kind::Child),
        Input::Judged { call, .. } => ((*call).into(), Kind::Question),
        Input::Consulted { call, .. } => ((*call).into(), Kind::Hook),
        Input::Checked { call, .. } => ((*call).into(), Kind::Check),
        Input::Started(_)
        | Input::Resumed { .. }
        | Input::Prompted(_)
        | Input::Steered(_)
        | Input::FollowedUp(_)
        | Input::Dispatched { .. }
        | Input::ChildStarted { .. }
        | Input::ToolsChanged(_)
        | Input::ModeChanged(_)
        | Input::Narrowed(_)
        | Input::GrantsChanged(_)
        | Input::BudgetChanged(_)
        | Input::Cancelled { .. }
        | Input::TimePassed => return None,
    })
}
