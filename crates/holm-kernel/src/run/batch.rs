//! The calls of one reply: opened together and answered in order. Read-only calls run in parallel.
//! A call that may change something waits for the calls before it, and the calls after it wait for
//! it.
//!
//! This file keeps the order, finds the call that a fact belongs to, and decides what follows when
//! all are answered. What happens to one call is in `run/call.rs`, whether it may run in
//! `run/permit.rs`, whether its result is believed in `run/result_checks.rs`. Every call gets
//! exactly one result, in the order of the reply, also when the run ends: providers refuse a
//! transcript with an unanswered call.

use alloc::{boxed::Box, collections::VecDeque, string::String, sync::Arc, vec::Vec};

use holm_grants::{CallNeed, GrantSet, Level, Mode};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{
    Run,
    call::BUDGET_SPENT,
    catalogue::RunCatalogueEntry,
    ladder::LadderOutcome,
    question::CallQuestion,
    skill::{SkillAttempt, SkillExecution},
    state::RunPhase,
};
use crate::digest::StreamHasher;
use crate::loops::{CallFingerprint, RunProgress};
use crate::{
    BatchOrder, Block, CallAccess, CallId, Check, CheckId, ConsultationId, Ending, Event, NanoUsd, Outcome,
    Pace, PlanRole, Protocol, Role, Timestamp, ToolCall, ToolCallId, ToolKind, ToolOutput, ToolResult, Vote,
};

/// The message for a call in a turn that offered no tools.
const LAST_TURN: &str = "not run: no tools can be called in the last turn";

/// The calls of one reply.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct CallBatch {
    pub(crate) slots: Vec<CallSlot>,
    pub(crate) order: BatchOrder,
    /// Whether a call was dropped unread; then the batch cannot end the run.
    pub(crate) dropped: bool,
    /// How the group ends once every call is answered, if a call decided so.
    pub(crate) ending: Option<Ending>,
}

/// One call of a reply.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct CallSlot {
    pub(crate) call: ToolCallId,
    /// The provider's id of the call.
    pub(crate) id: Arc<str>,
    pub(crate) name: Arc<str>,
    /// `None` if there is no such tool.
    pub(crate) entry: Option<Arc<RunCatalogueEntry>>,
    /// The arguments in canonical form; while they are invalid, as the model wrote them.
    pub(crate) arguments: Arc<str>,
    pub(crate) needs: Arc<[CallNeed]>,
    pub(crate) fingerprint: CallFingerprint,
    /// The epoch of the authority that permitted it.
    pub(crate) permitted: u64,
    /// The last question about it.
    pub(crate) ask: Option<CallQuestion>,
    pub(crate) rewrites: u64,
    /// Whether it may have run before, on a host that crashed.
    pub(crate) again: bool,
    pub(crate) place: CallPlacement,
    /// What it may do, decided when it starts.
    pub(crate) access: CallAccess,
    pub(crate) state: SlotState,
}

/// Where a call is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallPlacement {
    /// In its batch, which waits for it.
    #[default]
    Batch,
    /// In the background; its call is answered already.
    Background,
}

/// The state of a call.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SlotState {
    /// A person or a hook was asked about it.
    Judging,
    /// Permitted; it waits for its turn.
    Ready,
    /// Given to the host, not yet recorded as dispatched.
    Issued {
        deadline: Timestamp,
    },
    /// Dispatched: it may have happened.
    Running {
        since: Timestamp,
        deadline: Timestamp,
    },
    /// A child run carries it out.
    Delegated {
        child: Option<String>,
        reserved: NanoUsd,
        tokens: Option<u64>,
        since: Timestamp,
        grants: GrantSet,
        mode: Mode,
    },
    /// The model carries it out under a contract.
    Skilled(Box<SkillExecution>),
    /// The next model call of a skill waits until no other is under way.
    SkillDue(Box<SkillAttempt>),
    /// Hooks review the result.
    Reviewing {
        consult: ConsultationId,
        output: Box<ToolOutput>,
        millis: u64,
    },
    /// An executable postcondition checks the result.
    Checking {
        check: CheckId,
        pending: Box<PendingChecks>,
    },
    Done(SettledCall),
}

/// A result that waits for its executable checks.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Read)]
pub(crate) struct PendingChecks {
    pub(crate) output: ToolOutput,
    pub(crate) millis: u64,
    /// The first is under way; the others wait.
    pub(crate) checks: VecDeque<Check>,
}

/// A call that has been answered.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct SettledCall {
    pub(crate) outcome: Outcome,
    /// The text, sealed for the model.
    pub(crate) text: String,
    pub(crate) parts: Vec<Block>,
    /// `None` if it has no vote.
    pub(crate) vote: Option<bool>,
}

impl CallSlot {
    /// The result, while its checks are under way.
    pub(crate) fn checked_output(&self) -> Option<&ToolOutput> {
        match &self.state {
            SlotState::Checking { pending, .. } => Some(&pending.output),
            SlotState::Judging
            | SlotState::Ready
            | SlotState::Issued { .. }
            | SlotState::Running { .. }
            | SlotState::Delegated { .. }
            | SlotState::Skilled(_)
            | SlotState::SkillDue(_)
            | SlotState::Reviewing { .. }
            | SlotState::Done(_) => None,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.state, SlotState::Done(_))
    }

    /// When it must be stopped.
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        match &self.state {
            SlotState::Issued { deadline } | SlotState::Running { deadline, .. } => Some(*deadline),
            // An agent takes as long as it needs, unless its tool says otherwise.
            SlotState::Delegated { since, .. } => {
                let timeout = self.entry.as_ref().and_then(|entry| entry.tool.timeout_ms);
                timeout.map(|timeout| since.plus(timeout))
            }
            SlotState::Judging
            | SlotState::Ready
            | SlotState::Skilled(_)
            | SlotState::SkillDue(_)
            | SlotState::Reviewing { .. }
            | SlotState::Checking { .. }
            | SlotState::Done(_) => None,
        }
    }

    /// Whether its failure stops the other calls of the batch.
    pub(crate) fn aborts_siblings(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.tool.aborts_siblings)
    }

    /// Whether it may change anything, if it runs at all.
    pub(crate) fn may_change(&self) -> bool {
        !self.is_done() && self.entry.as_ref().is_some_and(|entry| entry.tool.level >= Level::Write)
    }

    /// Whether a model carries it out.
    fn is_skill(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| matches!(entry.tool.kind, ToolKind::Skill { .. }))
    }

    /// Whether a model is carrying it out now.
    pub(crate) fn is_skill_open(&self) -> bool {
        matches!(self.state, SlotState::Skilled(_))
    }

    /// Whether it runs after all calls before it and before all calls after it, so that its changes
    /// do not depend on timing.
    ///
    /// This does not apply to agents and skills: they work for minutes, and in parallel.
    fn keeps_order(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| {
            let tool = &entry.tool;
            let changes = tool.kind == ToolKind::Host && tool.level >= Level::Write;
            // What narrows the run holds for the calls after it and for none before it.
            let narrows = tool.kind == ToolKind::Plan(PlanRole::Enter);
            narrows || tool.pace == Pace::Exclusive || changes
        })
    }
}

impl CallBatch {
    /// All calls that have a vote must agree. A dropped call prevents the end.
    fn votes_to_end(&self) -> bool {
        let mut votes = self.slots.iter().filter_map(|slot| match &slot.state {
            SlotState::Done(settled) => settled.vote,
            _ => None,
        });
        let Some(first) = votes.next() else { return false };
        !self.dropped && first && votes.all(|vote| vote)
    }
}

impl Run {
    /// Opens a batch: every call is validated, then permitted, before the first one runs.
    pub(super) fn open_batch<'a>(&mut self, calls: impl Iterator<Item = &'a ToolCall>) -> RunPhase {
        if let Some(ending) = self.budget_reached().filter(|ending| !self.awaits_shares(ending)) {
            // The model can no longer be asked, so the results of tools would be of no use.
            return self.refuse_all(calls, ending, BUDGET_SPENT);
        }
        if let Some(ending) = self.limit_reached().filter(|_| self.was_last_turn()) {
            // The request offered no tools, and no later turn would show their results.
            return self.refuse_all(calls, ending, LAST_TURN);
        }
        let (limit, order) = (self.config().limits.calls_per_turn, self.config().batch);
        let mut batch = CallBatch { slots: Vec::with_capacity(1), order, dropped: false, ending: None };
        let mut counted = 0_u64;
        for call in calls {
            let id = ToolCallId::new(self.next_number());
            let mut slot = self.new_slot(id, call);
            if limit.exceeded_by(counted + 1) {
                batch.dropped = true;
                self.refuse(&mut slot, "not run: too many calls in one reply; make fewer calls at a time");
            } else if let Some(ending) = self.prepare(&mut slot, &batch.slots) {
                batch.ending = Some(ending);
            }
            // A call that cannot run does not count towards the limit.
            if !slot.is_done() {
                counted += 1;
            }
            batch.slots.push(slot);
        }
        self.advance_batch(batch)
    }

    /// Answers every call with a reason and runs none.
    fn refuse_all<'a>(
        &mut self,
        calls: impl Iterator<Item = &'a ToolCall>,
        ending: Ending,
        reason: &str,
    ) -> RunPhase {
        let order = self.config().batch;
        let mut batch = CallBatch { slots: Vec::new(), order, dropped: true, ending: Some(ending) };
        for call in calls {
            let id = ToolCallId::new(self.next_number());
            let mut slot = self.new_slot(id, call);
            self.refuse(&mut slot, reason);
            batch.slots.push(slot);
        }
        self.advance_batch(batch)
    }

    fn new_slot(&self, call: ToolCallId, wanted: &ToolCall) -> CallSlot {
        let entry = self.catalogue.find(&wanted.name).cloned();
        let name = entry.as_ref().map_or_else(|| Arc::from(&*wanted.name), |entry| entry.name.clone());
        CallSlot {
            call,
            id: Arc::from(&*wanted.id),
            name,
            entry,
            arguments: Arc::from(&*wanted.arguments),
            needs: Arc::default(),
            fingerprint: CallFingerprint::default(),
            permitted: 0,
            ask: None,
            rewrites: 0,
            again: false,
            place: CallPlacement::Batch,
            access: CallAccess::Full,
            state: SlotState::Ready,
        }
    }

    /// Issues the calls that may run now; closes the batch when all are answered.
    pub(super) fn advance_batch(&mut self, mut batch: CallBatch) -> RunPhase {
        let withdrawn = self.state.authority.withdrawn;
        let is_done = loop {
            self.expire_leases();
            let epoch = self.state.authority.epoch;
            let is_done = self.advance_slots(&mut batch);
            // A call may have changed the circumstances of questions before it.
            if epoch == self.state.authority.epoch {
                break is_done;
            }
        };
        if withdrawn != self.state.authority.withdrawn {
            // One of the calls has narrowed what the others and the children may do.
            return self.look_again(RunPhase::Working(batch));
        }
        if is_done { self.close_batch(batch) } else { RunPhase::Working(batch) }
    }

    /// Advances the batch after an outside fact, whose marks may affect open questions.
    pub(super) fn advance_open_batch(&mut self, phase: RunPhase) -> RunPhase {
        match phase {
            RunPhase::Working(batch) => self.advance_batch(batch),
            other => other,
        }
    }

    /// Renews questions and starts calls in one pass. Returns whether all are answered.
    fn advance_slots(&mut self, batch: &mut CallBatch) -> bool {
        let is_ending = batch.ending.is_some();
        // Whether any call before this one is unanswered, and whether an ordered one is. A call may
        // be refused at the last moment, so the pass continues until one is under way.
        let (mut any_open, mut ordered_open) = (false, false);
        // Each reply is checked before the next is paid for; otherwise a batch of skills would
        // overspend by many replies.
        let one_skill = self.has_limit();
        let mut skill_open = one_skill && batch.slots.iter().any(CallSlot::is_skill_open);
        for slot in &mut batch.slots {
            if is_ending {
                self.give_up_waiting(slot);
            } else {
                self.renew_question(slot);
            }
            let in_order = batch.order == BatchOrder::Sequential || slot.keeps_order();
            let waits = ordered_open || (in_order && any_open) || (skill_open && slot.is_skill());
            if !waits {
                if matches!(slot.state, SlotState::Ready) {
                    self.start_call(slot);
                } else if matches!(slot.state, SlotState::SkillDue(_)) {
                    self.continue_skill(slot);
                }
                skill_open |= one_skill && slot.is_skill_open();
            }
            let is_open = !slot.is_done();
            any_open |= is_open;
            ordered_open |= is_open && in_order;
        }
        !any_open
    }

    /// Ends calls that have not started when the run is ending: nothing new starts, and open
    /// questions no longer matter.
    fn give_up_waiting(&mut self, slot: &mut CallSlot) {
        match &slot.state {
            SlotState::Judging | SlotState::Ready => self.stop_call(slot, "not run: the run is ending"),
            SlotState::SkillDue(_) => self.give_up_skill(slot),
            SlotState::Issued { .. }
            | SlotState::Running { .. }
            | SlotState::Delegated { .. }
            | SlotState::Skilled(_)
            | SlotState::Reviewing { .. }
            | SlotState::Checking { .. }
            | SlotState::Done(_) => {}
        }
    }

    /// Sends all results to the model, in call order, and decides what follows.
    pub(super) fn close_batch(&mut self, mut batch: CallBatch) -> RunPhase {
        let ends = batch.votes_to_end();
        let ending = batch.ending.take();
        let spoken = ends.then(|| last_words(&batch)).flatten();
        let progress = self.state.loops.turn();
        self.add_results(batch);
        if let Some(ending) = ending {
            return self.finish(ending);
        }
        if ends {
            let text = spoken.unwrap_or_default();
            return self.natural_stop(Ending::Answered { text });
        }
        match (self.climb(), progress) {
            (LadderOutcome::No, RunProgress::Stuck { turns }) => self.stuck(turns),
            (LadderOutcome::No | LadderOutcome::Yes, _) => self.next_turn(),
        }
    }

    /// Turns without anything new get one warning, then the run ends.
    fn stuck(&mut self, turns: u64) -> RunPhase {
        self.emit(Event::LoopSeen { tool: Arc::from(""), times: turns });
        if self.state.group.warned_stuck {
            return self.finish(Ending::Looping { tool: String::new(), times: turns });
        }
        self.state.group.warned_stuck = true;
        let text = alloc::format!(
            "The last {turns} turns made no progress. Change your approach, or say what is missing and \
            stop."
        );
        self.note(text);
        self.next_turn()
    }

    fn add_results(&mut self, batch: CallBatch) {
        if batch.slots.is_empty() {
            return;
        }
        let role = match self.config().protocol {
            Protocol::Native => Role::Tool,
            Protocol::Text => Role::User,
        };
        let facts = self.facts_of(&batch);
        let mut blocks = Vec::with_capacity(batch.slots.len());
        for slot in batch.slots {
            let SlotState::Done(settled) = slot.state else { continue };
            match role {
                Role::Tool => blocks.push(Block::ToolResult(ToolResult {
                    call: String::from(&*slot.id),
                    tool: String::from(&*slot.name),
                    text: settled.text,
                    outcome: settled.outcome,
                    parts: settled.parts,
                })),
                Role::System | Role::User | Role::Assistant | Role::Custom => {
                    blocks.push(Block::Text(settled.text));
                    blocks.extend(settled.parts);
                }
            }
        }
        let message = match role {
            Role::Tool => self.add_message(role, blocks),
            Role::System | Role::User | Role::Assistant | Role::Custom => self.add_note(role, blocks),
        };
        self.state.view.keep_facts(facts, message.id);
    }

    /// Passes a fact to the slot that waits for it; otherwise the fact is late.
    pub(super) fn with_slot(
        &mut self,
        phase: RunPhase,
        call: CallId,
        act: impl FnOnce(&mut Self, &mut CallSlot) -> BatchAction,
    ) -> RunPhase {
        // Each fact has its own `act`; the code that does not depend on the fact is shared here.
        let mut taken = self.take_slot(phase, call);
        let after = match taken.slot() {
            Some(slot) => act(self, slot),
            None => BatchAction::Late,
        };
        self.put_back(taken, call, after)
    }

    fn take_slot(&mut self, phase: RunPhase, call: CallId) -> CallTarget {
        if let Some(place) = self.in_background(call) {
            return CallTarget::Child(phase, place, self.state.background.remove(place).into());
        }
        match phase {
            RunPhase::Working(batch) => {
                let place = batch.slots.iter().position(|slot| slot.answers_to(call));
                CallTarget::Batch(batch, place)
            }
            other => CallTarget::Nothing(other),
        }
    }

    fn put_back(&mut self, taken: CallTarget, call: CallId, after: BatchAction) -> RunPhase {
        let mut batch = match taken {
            CallTarget::Nothing(phase) => return self.ignore(phase, call),
            CallTarget::Child(phase, place, child) => {
                return self.put_child_back(phase, place, *child, call, &after);
            }
            CallTarget::Batch(batch, _) => batch,
        };
        match after {
            BatchAction::Late => return self.ignore(RunPhase::Working(batch), call),
            BatchAction::Advance => {}
            BatchAction::End(ending) => batch.ending = Some(ending),
            BatchAction::StopSiblings => self.stop_siblings(&mut batch),
        }
        self.advance_batch(batch)
    }

    pub(super) fn stop_siblings(&mut self, batch: &mut CallBatch) {
        for slot in batch.slots.iter_mut().filter(|slot| !slot.is_done()) {
            self.stop_call(slot, "stopped: another call of the same reply failed");
        }
    }
}

/// The call that a fact is about, temporarily taken out of the run.
enum CallTarget {
    /// No call waits for it.
    Nothing(RunPhase),
    /// The batch, with the index of the call if it is one of them.
    Batch(CallBatch, Option<usize>),
    /// A child in the background, with its index, and the phase of its run.
    Child(RunPhase, usize, Box<CallSlot>),
}

impl CallTarget {
    fn slot(&mut self) -> Option<&mut CallSlot> {
        match self {
            Self::Nothing(_) => None,
            Self::Batch(batch, place) => place.and_then(|place| batch.slots.get_mut(place)),
            Self::Child(_, _, child) => Some(child),
        }
    }
}

/// What follows a fact about a call.
pub(crate) enum BatchAction {
    /// The fact came too late or twice.
    Late,
    Advance,
    /// The group ends once the batch is answered.
    End(Ending),
    /// The call failed, and stops the others.
    StopSiblings,
}

impl CallSlot {
    /// Whether a fact about `call` is about this slot: the call itself, or the
    /// question it waits for.
    pub(crate) fn answers_to(&self, call: CallId) -> bool {
        if call == self.call {
            return true;
        }
        match &self.state {
            SlotState::Reviewing { consult, .. } => call == *consult,
            SlotState::Checking { check, .. } => call == *check,
            SlotState::Skilled(skilled) => call == skilled.call,
            SlotState::Judging => self.ask.as_ref().is_some_and(|ask| call == ask.call),
            SlotState::Ready
            | SlotState::Issued { .. }
            | SlotState::Running { .. }
            | SlotState::Delegated { .. }
            | SlotState::SkillDue(_)
            | SlotState::Done(_) => false,
        }
    }
}

/// The answer of a run that its tools end: the text of the last voting
/// result, without its envelope.
fn last_words(batch: &CallBatch) -> Option<String> {
    batch.slots.iter().rev().find_map(|slot| match &slot.state {
        SlotState::Done(settled) if settled.vote == Some(true) => {
            Some(crate::envelope::open(&settled.text).into())
        }
        _ => None,
    })
}

/// The fingerprint of a call for the loop detector.
pub(crate) fn fingerprint(tool: &str, arguments: &str) -> CallFingerprint {
    let mut digest = StreamHasher::new();
    digest.str(tool);
    digest.str(arguments);
    CallFingerprint::new(digest.finish())
}

/// Whether a settled result votes, and how.
pub(crate) fn vote(slot: &CallSlot, outcome: Outcome, terminate: bool, terminal: bool) -> Option<bool> {
    match slot.entry.as_ref().map(|entry| entry.tool.vote) {
        Some(Vote::Advisory) => None,
        // An unknown tool votes no.
        None => Some(false),
        Some(Vote::Counts) => Some(outcome == Outcome::Succeeded && (terminate || terminal)),
    }
}
