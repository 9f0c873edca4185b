//! Contract skills: the model carries them out in a request of their own, and the guards check the
//! outcome.
//!
//! The contract, its prompts and its checks are in `holm-guards/src/skill/`; this file makes the
//! model calls, pays for them and gives one correction. The request has neither the transcript nor
//! tools, so a skill sees only its input. With a budget or a token limit, one skill at a time calls
//! the model: each reply must be booked before the next is paid for. The order among the calls of a
//! reply is kept by `run/batch.rs`.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_guards::json::Json;
use holm_guards::skill::{self, Cases, CompiledSkill, SkillError};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{
    Run,
    batch::{BatchAction, CallSlot, SlotState},
    catalogue::RunCatalogueEntry,
    ladder::CorrectionChance,
    state::RunPhase,
};
use crate::context::estimate;
use crate::loops::CallImpact;
use crate::{
    Block, Effect, Event, Message, MessageId, Messages, ModelCallId, ModelResult, Purpose, Request, Role,
    ToolOutput, plain_text,
};

/// One corrective attempt, then an explicit failure.
const MOST_TRIES: u64 = 2;

/// A skill that is being carried out.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct SkillExecution {
    /// The model call that carries it out.
    pub(crate) call: ModelCallId,
    pub(crate) tries: u64,
    pub(crate) messages: Vec<Arc<Message>>,
    /// Estimated tokens of the request.
    pub(crate) tokens: u64,
}

/// The next attempt at a skill.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct SkillAttempt {
    pub(crate) messages: Vec<Arc<Message>>,
    /// The number of the attempt, from 1.
    pub(crate) tries: u64,
}

impl Run {
    pub(super) fn start_skill(&mut self, slot: &mut CallSlot) {
        let Some(entry) = slot.entry.clone() else { return };
        let Some(skill) = skill_of(&entry) else { return };
        let prompt = match skill.check_input(&arguments_of(slot)) {
            Ok(input) => skill.prompt(&input),
            Err(error) => return self.refuse(slot, &error.to_string()),
        };
        self.emit(Event::CallStarted { call: slot.call });
        let messages = alloc::vec![own_message(0, Role::User, prompt)];
        self.call_for_skill(slot, messages, 1);
    }

    /// Makes the model call that a skill has waited for.
    pub(super) fn continue_skill(&mut self, slot: &mut CallSlot) {
        let SlotState::SkillDue(next) = &slot.state else { return };
        let SkillAttempt { messages, tries } = (**next).clone();
        self.call_for_skill(slot, messages, tries);
    }

    /// Ends a skill that waits for its next model call, because the run is ending.
    pub(super) fn give_up_skill(&mut self, slot: &mut CallSlot) {
        self.end_skill(slot, ToolOutput::failed("the run is ending; the skill was not tried again"));
    }

    fn call_for_skill(&mut self, slot: &mut CallSlot, messages: Vec<Arc<Message>>, tries: u64) {
        let format = output_schema(slot);
        let Some(model) = self.shared.model().cloned() else {
            return self.refuse(slot, "not run: no model is configured");
        };
        if self.is_unpriced() || self.tokens_reached().is_some() || self.budget_reached().is_some() {
            let why = "not run: the budget is spent, or the model's price is unknown";
            if tries == 1 {
                return self.refuse(slot, why);
            }
            return self.end_skill(
                slot,
                ToolOutput::failed(
                    "the budget is spent; the skill was not tried \
                again",
                ),
            );
        }
        let call = ModelCallId::new(self.next_number());
        let request = Request {
            purpose: Purpose::Skill,
            model,
            system: Arc::from(""),
            messages: Messages::Own(messages.clone()),
            tools: Arc::default(),
            max_output: None,
            format,
        };
        let tokens = estimate::messages(self.shared.family(), &messages);
        self.hold_call(tokens);
        slot.state = SlotState::Skilled(SkillExecution { call, tries, messages, tokens }.into());
        self.issue(Effect::CallModel { call, request });
    }

    pub(super) fn skill_replied(
        &mut self,
        phase: RunPhase,
        call: ModelCallId,
        result: ModelResult,
    ) -> RunPhase {
        self.with_slot(phase, call.into(), |run, slot| {
            let SlotState::Skilled(skilled) = &slot.state else { return BatchAction::Late };
            if skilled.call != call {
                return BatchAction::Late;
            }
            let skilled = (**skilled).clone();
            run.take_skill_reply(slot, skilled, result);
            BatchAction::Advance
        })
    }

    fn take_skill_reply(&mut self, slot: &mut CallSlot, skilled: SkillExecution, mut result: ModelResult) {
        self.fill_in(skilled.tokens, &mut result);
        let reply = match result {
            ModelResult::Replied(reply) => reply,
            ModelResult::Aborted(reply) => {
                self.account(reply.usage);
                let output = ToolOutput::failed("the skill was stopped");
                return self.end_skill(slot, output);
            }
            ModelResult::Failed(failure) => {
                self.account(failure.usage);
                let text = alloc::format!("the model call of the skill failed: {}", failure.message);
                return self.end_skill(slot, ToolOutput::failed(text));
            }
        };
        let cost = self.account(reply.usage);
        self.emit(Event::replied(skilled.call, &reply, cost));
        let text = plain_text(&reply.blocks);
        let Some(entry) = slot.entry.clone() else { return };
        let Some(skill) = skill_of(&entry) else { return };
        let checked =
            skill.check_input(&arguments_of(slot)).and_then(|input| skill.check_output(&input, &text));
        match checked {
            Ok(value) => {
                let output = ToolOutput::text(value.canonical());
                self.end_skill(slot, output);
            }
            Err(error) => self.correct_skill(slot, skilled, text, &error),
        }
    }

    fn correct_skill(
        &mut self,
        slot: &mut CallSlot,
        skilled: SkillExecution,
        text: String,
        error: &SkillError,
    ) {
        let last = skilled.tries >= MOST_TRIES;
        self.emit(Event::Ruled {
            call: slot.call,
            guard: String::from(&*slot.name),
            rejected: true,
            reason: error.to_string(),
        });
        if last {
            self.rejection_climbs(CorrectionChance::Spent, &error.to_string());
            let output = ToolOutput::failed(error.to_string());
            return self.end_skill(slot, output);
        }
        let correction = skill::corrective(error);
        let mut messages = skilled.messages;
        messages.push(own_message(messages.len() as u64, Role::Assistant, text));
        messages.push(own_message(messages.len() as u64, Role::User, correction));
        let tries = skilled.tries + 1;
        if self.has_limit() {
            // Another skill may be under way, from before the limit was set.
            slot.state = SlotState::SkillDue(SkillAttempt { messages, tries }.into());
        } else {
            self.call_for_skill(slot, messages, tries);
        }
    }

    /// Ends a skill. Asking for it again with the same outcome is a repeat like any other.
    fn end_skill(&mut self, slot: &mut CallSlot, output: ToolOutput) {
        self.count_use(slot, &output, 0);
        self.observe_result(slot, &output, CallImpact::None);
        let outcome = output.outcome;
        self.settle(slot, outcome, output, 0);
    }

    pub(super) fn resume_skill(&mut self, slot: &mut CallSlot) {
        let SlotState::Skilled(skilled) = &slot.state else { return };
        let tokens = skilled.tokens;
        let (messages, tries) = (skilled.messages.clone(), skilled.tries);
        self.pay_lost(tokens);
        self.call_for_skill(slot, messages, tries);
    }
}

fn skill_of(entry: &RunCatalogueEntry) -> Option<&CompiledSkill> {
    entry.compiled.as_ref().ok().and_then(|compiled| compiled.skill.as_ref())
}

/// The schema of the reply, for providers and engines that can enforce one.
fn output_schema(slot: &CallSlot) -> Option<Arc<Json>> {
    let entry = slot.entry.as_ref()?;
    let skill = skill_of(entry)?;
    let input = skill.check_input(&arguments_of(slot)).ok()?;
    let case = match &skill.contract().cases {
        Cases::One(case) => case,
        Cases::By { cases, .. } => cases.get(input.case())?,
    };
    Some(Arc::new(case.output.clone()))
}

fn arguments_of(slot: &CallSlot) -> Json {
    Json::parse(&slot.arguments).unwrap_or(Json::Null)
}

fn own_message(id: u64, role: Role, text: String) -> Arc<Message> {
    Arc::new(Message::new(MessageId::new(id), role, alloc::vec![Block::Text(text)]))
}
