//! Goes on after a crash or a hand-over.
//!
//! What was never dispatched is issued again. What was dispatched runs again only when that is harmless; the rest is
//! settled as *outcome unknown*, visible to the model and to people. Nothing with side effects silently runs twice.

use alloc::string::String;

use super::{
    Run,
    batch::{Slot, SlotState},
    share::Share,
    state::{About, Phase},
};
use crate::planted::{Bug, planted};
use crate::{Consultation, Effect, Event, Outcome, Question, ToolOutput};

/// What the model is told of a call that nobody can vouch for.
const UNKNOWN: &str = "outcome unknown: the program stopped while this call ran. It may or may not have happened; look \
                       before you do it again.";

impl Run {
    pub(super) fn resumed(&mut self, host: String) {
        self.effects.clear();
        self.emit(Event::RunResumed { host });
        self.resume_children();
        match self.take_phase() {
            Phase::Idle => {}
            Phase::Consulting(consulting) => {
                let question = self.question(&consulting.about);
                let call = consulting.call;
                self.state.phase = Phase::Consulting(consulting);
                self.issue(Effect::Consult(Consultation { call, question }.into()));
            }
            calling @ Phase::Calling(_) if planted(Bug::ModelForgotten) => self.state.phase = calling,
            Phase::Calling(calling) => {
                self.emit(Event::Withdrawn { call: calling.call });
                self.owe(calling.call);
                self.call_model(calling.draft);
            }
            Phase::Summarising { call, draft, .. } => {
                self.owe(call);
                self.advance_turn(super::state::Step::Plan, draft);
            }
            waiting @ (Phase::Backoff { .. } | Phase::Awaiting { .. }) => self.state.phase = waiting,
            Phase::Working(mut batch) => {
                for slot in &mut batch.slots {
                    self.resume_slot(slot);
                }
                self.state.phase = Phase::Working(batch);
                self.advance_batch();
            }
        }
    }

    fn question(&self, about: &About) -> Question {
        match about {
            About::Turn(super::state::Step::Gate, _) => Question::Tools { offered: self.catalogue.usable() },
            About::Turn(super::state::Step::Choose, _) => {
                Question::Model { current: String::from(&*self.shared.model_name()) }
            }
            About::Turn(_, _) | About::Summary(_, _) => Question::Context,
            About::Stop(_) => Question::Stop,
            About::PlainAnswer(text) => Question::PlainAnswer { text: text.clone() },
        }
    }

    pub(super) fn resume_slot(&mut self, slot: &mut Slot) {
        match &slot.state {
            SlotState::Ready | SlotState::Done(_) => {}
            SlotState::Judging if planted(Bug::QuestionForgotten) => {}
            SlotState::Judging => self.judge_again(slot),
            SlotState::Issued { .. } => {
                self.give_back_call(slot);
                slot.state = SlotState::Ready;
            }
            SlotState::Running { .. } => self.resume_running(slot),
            SlotState::Delegated { child, reserved, tokens, grants, .. } => {
                let (child, grants) = (child.clone(), grants.clone());
                let share = Share { money: *reserved, tokens: *tokens };
                self.spawn(slot, grants, share, child);
            }
            SlotState::Skilled(_) => self.resume_skill(slot),
            SlotState::Reviewing { output, millis, .. } => {
                let (output, millis) = ((**output).clone(), *millis);
                self.ask_review(slot, output, millis);
            }
            SlotState::Checking(checking) => {
                let checking = (**checking).clone();
                self.run_check(slot, checking);
            }
        }
    }

    fn resume_running(&mut self, slot: &mut Slot) {
        let again = slot.entry.as_ref().is_some_and(|entry| entry.tool.may_run_again());
        if !again && !planted(Bug::RunsAgain) {
            return self.settle(slot, Outcome::Unknown, ToolOutput::text(UNKNOWN), 0);
        }
        // What it may do is looked at again before it runs again.
        self.give_back_call(slot);
        slot.again = true;
        slot.state = SlotState::Ready;
    }
}
