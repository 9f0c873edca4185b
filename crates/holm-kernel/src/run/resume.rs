//! Resumes after a crash or a takeover.
//!
//! A call that was never dispatched is issued again. A dispatched call runs again only if that is
//! harmless; otherwise it is settled as *outcome unknown*, visible to the model and to people.
//! Nothing with side effects silently runs twice.
//!
//! A model call that was under way is paid by estimate before it is repeated. Work that crashes its
//! host every time is given up. Reading the journal is done before this, in `journal/replay.rs` and
//! by the host (`holm-runtime/src/driver/fold.rs`). Which tools may run twice is declared in
//! `config/tool.rs`.

use alloc::string::String;

use super::{
    Run,
    batch::{CallBatch, CallSlot, SlotState},
    budget_share::BudgetShare,
    skill::SkillAttempt,
    state::{ConsultationSubject, RunPhase},
};
use crate::{Consultation, Effect, Ending, Event, FailureClass, Outcome, Question, ToolOutput};

/// The most crashes in a row during the same work. One or two planned restarts are not crashes, but
/// five in a row without an answer in between are not an accident.
const MOST_CRASHES: u64 = 5;

/// The message for a call that is not repeated after too many crashes.
const ABANDONED: &str = "stopped: Holm crashed repeatedly during this step";

/// What the model is told about a call whose outcome is unknown.
const UNKNOWN: &str = "outcome unknown: Holm stopped while this call ran. It may or may not have taken \
    effect; check before you repeat it.";

impl Run {
    pub(super) fn resumed(&mut self, phase: RunPhase, host: String) -> RunPhase {
        self.effects.clear();
        self.emit(Event::RunResumed { host });
        self.write_off_model_calls();
        if phase.repeats_work() {
            self.state.group.crashes += 1;
            if self.state.group.crashes >= MOST_CRASHES {
                return self.give_up_crashing(phase);
            }
        }
        self.resume_children();
        match phase {
            RunPhase::Idle => RunPhase::Idle,
            RunPhase::Consulting(consulting) => {
                let (call, question) = (consulting.call, self.question(&consulting.about));
                self.issue(Effect::Consult(Consultation { call, question }.into()));
                RunPhase::Consulting(consulting)
            }
            RunPhase::Calling(calling) => {
                self.emit(Event::Withdrawn { call: calling.call });
                self.pay_lost(calling.tokens);
                self.call_model(calling.draft)
            }
            RunPhase::Summarising { draft, tokens, .. } => {
                self.pay_lost(tokens);
                self.advance_turn(super::state::PreparationStep::Plan, draft)
            }
            waiting @ (RunPhase::Backoff { .. } | RunPhase::Awaiting { .. }) => {
                // A child that could not start again is reported, and the run may be waiting for
                // its share.
                if self.state.arrived.is_empty() { waiting } else { self.look_around(waiting) }
            }
            RunPhase::Working(batch) => self.resume_batch(batch),
        }
    }

    fn resume_batch(&mut self, mut batch: CallBatch) -> RunPhase {
        let one_skill = self.has_limit();
        let mut skill_open = false;
        for slot in &mut batch.slots {
            if skill_open && slot.is_skill_open() {
                // A limit was set while several were under way: it applies from here on.
                self.put_skill_back(slot);
            } else {
                self.resume_slot(slot);
            }
            skill_open |= one_skill && slot.is_skill_open();
        }
        self.advance_batch(batch)
    }

    /// Ends the group: every host crashed at the same place, and the next one would too.
    fn give_up_crashing(&mut self, phase: RunPhase) -> RunPhase {
        let crashes = self.state.group.crashes;
        let message = alloc::format!(
            "Holm stopped {crashes} times in a row during this step without an answer in between; check \
            its log and its memory, then send another prompt to continue"
        );
        let ending = Ending::Failed { class: FailureClass::HostCrash, message, attempts: crashes };
        match phase {
            RunPhase::Calling(calling) => {
                self.emit(Event::Withdrawn { call: calling.call });
                self.pay_lost(calling.tokens);
                self.finish(ending)
            }
            RunPhase::Summarising { tokens, .. } => {
                self.pay_lost(tokens);
                self.finish(ending)
            }
            RunPhase::Working(mut batch) => {
                for slot in &mut batch.slots {
                    self.abandon(slot);
                }
                batch.ending = Some(ending);
                self.close_batch(batch)
            }
            RunPhase::Idle
            | RunPhase::Consulting(_)
            | RunPhase::Backoff { .. }
            | RunPhase::Awaiting { .. } => self.finish(ending),
        }
    }

    fn abandon(&mut self, slot: &mut CallSlot) {
        match &slot.state {
            SlotState::Running { .. } => self.settle(slot, Outcome::Unknown, ToolOutput::text(UNKNOWN), 0),
            SlotState::Skilled(skilled) => {
                self.pay_lost(skilled.tokens);
                self.refuse(slot, ABANDONED);
            }
            SlotState::Judging
            | SlotState::Ready
            | SlotState::SkillDue(_)
            | SlotState::Issued { .. }
            | SlotState::Delegated { .. }
            | SlotState::Reviewing { .. }
            | SlotState::Checking { .. }
            | SlotState::Done(_) => self.stop_call(slot, ABANDONED),
        }
    }

    /// Pays for a skill's call and queues the skill again.
    fn put_skill_back(&mut self, slot: &mut CallSlot) {
        let SlotState::Skilled(skilled) = &slot.state else { return };
        self.pay_lost(skilled.tokens);
        let next = SkillAttempt { messages: skilled.messages.clone(), tries: skilled.tries };
        slot.state = SlotState::SkillDue(next.into());
    }

    fn question(&self, about: &ConsultationSubject) -> Question {
        match about {
            ConsultationSubject::Turn(super::state::PreparationStep::Gate, _) => {
                Question::Tools { offered: self.catalogue.usable() }
            }
            ConsultationSubject::Turn(super::state::PreparationStep::Choose, _) => {
                Question::Model { current: String::from(&*self.shared.model_name()) }
            }
            ConsultationSubject::Turn(_, _) | ConsultationSubject::Summary(_, _) => Question::Context,
            ConsultationSubject::Stop(_) => Question::Stop,
            ConsultationSubject::PlainAnswer(text) => Question::PlainAnswer { text: text.clone() },
        }
    }

    pub(super) fn resume_slot(&mut self, slot: &mut CallSlot) {
        match &slot.state {
            SlotState::Ready | SlotState::SkillDue(_) | SlotState::Done(_) => {}
            SlotState::Judging => self.judge_again(slot),
            SlotState::Issued { .. } => {
                self.give_back_call(slot);
                slot.state = SlotState::Ready;
            }
            SlotState::Running { .. } => self.resume_running(slot),
            SlotState::Delegated { child: None, .. } => {
                self.delegate_again(slot);
            }
            SlotState::Delegated { child, reserved, tokens, grants, .. } => {
                let (child, grants) = (child.clone(), grants.clone());
                let share = BudgetShare { money: *reserved, tokens: *tokens };
                self.spawn(slot, grants, share, child);
            }
            SlotState::Skilled(_) => self.resume_skill(slot),
            SlotState::Reviewing { output, millis, .. } => {
                let (output, millis) = ((**output).clone(), *millis);
                self.ask_review(slot, output, millis);
            }
            SlotState::Checking { pending, .. } => {
                let pending = (**pending).clone();
                self.run_check(slot, pending);
            }
        }
    }

    fn resume_running(&mut self, slot: &mut CallSlot) {
        let again = slot.entry.as_ref().is_some_and(|entry| entry.tool.may_run_again());
        if !again {
            return self.settle(slot, Outcome::Unknown, ToolOutput::text(UNKNOWN), 0);
        }
        // Its permission is checked again before it runs again.
        self.give_back_call(slot);
        slot.again = true;
        slot.state = SlotState::Ready;
    }
}

impl RunPhase {
    /// Whether the host that stopped was doing work that would now start again. Questions to
    /// people, children and pauses outlive a host, and do not explain a crash.
    fn repeats_work(&self) -> bool {
        match self {
            Self::Calling(_) | Self::Summarising { .. } | Self::Consulting(_) => true,
            Self::Working(batch) => batch.slots.iter().any(CallSlot::begins_again),
            Self::Idle | Self::Backoff { .. } | Self::Awaiting { .. } => false,
        }
    }
}

impl CallSlot {
    /// Whether a host that takes over repeats the work that was under way.
    fn begins_again(&self) -> bool {
        match &self.state {
            SlotState::Issued { .. }
            | SlotState::Skilled(_)
            | SlotState::Reviewing { .. }
            | SlotState::Checking { .. } => true,
            SlotState::Running { .. } => self.entry.as_ref().is_some_and(|entry| entry.tool.may_run_again()),
            SlotState::Judging
            | SlotState::Ready
            | SlotState::SkillDue(_)
            | SlotState::Delegated { .. }
            | SlotState::Done(_) => false,
        }
    }
}
