//! The life of one call: prepared, started, dispatched, finished, settled.
//!
//! It validates arguments, applies quotas and the loop detector, hands the call to the host, a
//! child, a skill or the kernel, and seals the result. Whether a call may run is decided in
//! `run/permit.rs`, questions about it are in `run/question.rs`, its place among the other calls in
//! `run/batch.rs`, and whether its result is believed in `run/result_checks.rs`. A permission is
//! checked again when the call starts, because authority may have changed since. No result reaches
//! the model except through `settle`, which puts it into its envelope.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_grants::{GrantLeases, Level};
use holm_guards::json::Json;
use holm_guards::repair::{self, ArgumentRepair};

use super::{
    Run,
    background::place_of,
    batch::{BatchAction, CallPlacement, CallSlot, SettledCall, SlotState, fingerprint, vote},
    budget_share::{BudgetShare, ShareRequest},
    permit::PermitDecision,
    state::{QuotaUsage, RunPhase},
};
use crate::digest::StreamHasher;
use crate::envelope::{self, EnvelopeBody, ExcerptBias};
use crate::loops::LoopRuling;
use crate::visible_text;
use crate::{
    Block, ChildResult, Effect, Ending, Event, Exemption, FINDER, IdempotencyKey, Marks, NanoUsd, Outcome,
    PlanRole, Quota, SpawnRequest, StepCause, ToolCallId, ToolKind, ToolOutput, ToolRequest,
};

/// The message for a call that does not start because the budget is spent.
pub(super) const BUDGET_SPENT: &str = "not run: the budget is spent";

/// How far back in a reply equal calls are searched: the default limit of calls per reply. It keeps
/// a very long reply linear.
const TWINS_WITHIN: usize = 64;

/// How many tool names a model gets after calling an unknown tool; the rest is counted.
const NAMED_TOOLS: usize = 20;

/// Names with this many equal first letters count as similar.
const ALIKE_LETTERS: usize = 3;

impl Run {
    /// Validates and permits a call. A call that may not run is settled here; this
    /// may end the group.
    pub(super) fn prepare(&mut self, slot: &mut CallSlot, earlier: &[CallSlot]) -> Option<Ending> {
        let validated = self.validate(slot);
        self.note_validity(validated.as_ref().err());
        slot.fingerprint = fingerprint(&slot.name, &slot.arguments);
        if let Some(ending) = self.repeated(slot, earlier) {
            return ending;
        }
        match validated {
            Err(message) => self.turn_down(slot, &message),
            Ok(arguments) => match self.over_quota(slot) {
                Some(refusal) => self.turn_down(slot, &refusal),
                None => self.permit(slot, &arguments),
            },
        }
        None
    }

    /// Finds the tool and normalises the arguments, or returns what the model must change.
    fn validate(&mut self, slot: &mut CallSlot) -> Result<Json, String> {
        let Some(entry) = slot.entry.clone() else { return Err(self.unknown_tool(&slot.name)) };
        if !self.catalogue.is_open(&slot.name) {
            return Err(self.hidden_tool(&slot.name));
        }
        let compiled =
            entry.compiled.as_ref().map_err(|reason| alloc::format!("the tool cannot be used: {reason}"))?;
        match repair::repair(&compiled.schema, &slot.arguments) {
            ArgumentRepair::Valid { value, fixes } => {
                if !value.is_canonical_text(&slot.arguments) {
                    slot.arguments = Arc::from(value.canonical());
                }
                let fixes: Vec<String> = fixes.iter().map(ToString::to_string).collect();
                self.emit(Event::CallProposed {
                    call: slot.call,
                    tool: slot.name.clone(),
                    arguments: slot.arguments.clone(),
                    fixes,
                });
                Ok(value)
            }
            ArgumentRepair::Invalid { message } => {
                let aliases = &self.config().policy.aliases;
                let known = crate::protocol::unsupported_argument(aliases, &slot.name, &slot.arguments);
                Err(known.map_or(message, String::from))
            }
        }
    }

    fn unknown_tool(&self, name: &str) -> String {
        if let Some(note) = self.config().policy.hidden.get(name) {
            return note.message.clone();
        }
        let mut names: Vec<&str> =
            self.catalogue.offer().tools.iter().map(|tool| tool.name.as_str()).collect();
        // Similar names come first, so that the probable one is listed.
        names.sort_by_key(|known| !begin_alike(known, name));
        let more = names.len().saturating_sub(NAMED_TOOLS);
        names.truncate(NAMED_TOOLS);
        let name = visible_text::visible_bounded(name, 80);
        if names.is_empty() {
            return alloc::format!("there is no tool `{name}`, and no tool is available; answer in text");
        }
        let names = names.join(", ");
        if more == 0 {
            return alloc::format!("there is no tool `{name}`; available tools: {names}");
        }
        alloc::format!("there is no tool `{name}`; available tools: {names} and {more} more")
    }

    fn hidden_tool(&self, name: &str) -> String {
        self.config().policy.hidden.get(name).map_or_else(
            || {
                let finds = self.catalogue.find(FINDER).is_some();
                let or =
                    if finds { alloc::format!(", or look it up with `{FINDER}`") } else { String::new() };
                alloc::format!("the tool `{name}` is not available in this turn; use one that is{or}")
            },
            |note| note.message.clone(),
        )
    }

    fn over_quota(&self, slot: &CallSlot) -> Option<String> {
        let quota = slot.entry.as_ref()?.tool.quota;
        let used = self.state.group.quotas.get(&slot.name).copied().unwrap_or_default();
        let over = |what: &str, used: u64, allowed: Option<u64>| {
            allowed.filter(|allowed| used >= *allowed).map(|allowed| {
                alloc::format!("not run: `{}` has used its quota of {allowed} {what}", slot.name)
            })
        };
        over("calls", used.calls, quota.calls)
            .or_else(|| over("milliseconds", used.millis, quota.millis))
            .or_else(|| over("bytes of output", used.bytes, quota.bytes))
    }

    /// Counts what a tool has used, if the tool has a quota.
    pub(super) fn use_quota(&mut self, slot: &CallSlot, more: QuotaUsage) {
        let Some(quota) = slot.entry.as_ref().map(|entry| entry.tool.quota) else { return };
        if quota == Quota::default() {
            return;
        }
        let used = self.state.group.quotas.entry(slot.name.clone()).or_default();
        used.calls = used.calls.saturating_add(more.calls);
        used.millis = used.millis.saturating_add(more.millis);
        used.bytes = used.bytes.saturating_add(more.bytes);
    }

    /// Returns the quota of a call that will not run or will be issued again.
    pub(super) fn give_back_call(&mut self, slot: &CallSlot) {
        if !matches!(slot.state, SlotState::Issued { .. } | SlotState::Running { .. }) {
            return;
        }
        if let Some(used) = self.state.group.quotas.get_mut(&slot.name) {
            used.calls = used.calls.saturating_sub(1);
        }
    }

    /// Asks the loop detector. Returns `Some` if the call was settled, with the ending if the
    /// loop ends the group.
    fn repeated(&mut self, slot: &mut CallSlot, earlier: &[CallSlot]) -> Option<Option<Ending>> {
        let exempt = slot.entry.as_ref().is_some_and(|entry| entry.tool.exemption == Exemption::Polling);
        if exempt {
            return None;
        }
        let twins = twins(slot, earlier);
        let ruling = match self.state.loops.propose(slot.fingerprint) {
            // Two of a kind in one reply may be an oversight; a third is a loop within the reply.
            LoopRuling::Fine if twins >= 2 => LoopRuling::Refuse { times: twins + 1 },
            ruling => ruling,
        };
        let (times, ends) = match ruling {
            LoopRuling::Fine => return None,
            LoopRuling::Refuse { times } => (times, false),
            LoopRuling::End { times } => (times, true),
        };
        self.emit(Event::LoopSeen { tool: slot.name.clone(), times });
        self.state.loops.refused(slot.fingerprint);
        let message = alloc::format!(
            "not run: `{}` was already called with these arguments {} times, and the result did not \
            change. Change your approach or stop.",
            slot.name,
            times.saturating_sub(1)
        );
        self.refuse(slot, &message);
        let tool = String::from(&*slot.name);
        // A stronger model may find another way.
        let ends = ends && !self.falls_short(StepCause::Looping, &looped(&tool, times));
        Some(ends.then_some(Ending::Looping { tool, times }))
    }

    /// Computes deny, ask or allow, and acts on it.
    pub(super) fn permit(&mut self, slot: &mut CallSlot, arguments: &Json) {
        let Some(entry) = slot.entry.clone() else { return };
        match self.needs(&entry.tool, arguments) {
            Ok(needs) => slot.needs = needs,
            Err(reason) => return self.turn_down(slot, &reason),
        }
        // Narrowing needs no approval. It waits for its turn: the calls before it run
        // as they were permitted.
        if entry.tool.kind == ToolKind::Plan(PlanRole::Enter) {
            slot.permitted = self.state.authority.epoch;
            slot.state = SlotState::Ready;
            return;
        }
        match self.decide(&entry.tool, &slot.needs) {
            PermitDecision::Deny(reason) => self.turn_down(slot, &reason),
            PermitDecision::Allow => {
                slot.permitted = self.state.authority.epoch;
                slot.state = SlotState::Ready;
            }
            PermitDecision::Ask { reasons, missing } => self.pose(slot, &entry.tool, reasons, missing),
        }
    }

    /// Hands a permitted call to the host, to a child or to the kernel itself.
    pub(super) fn start_call(&mut self, slot: &mut CallSlot) {
        self.expire_leases();
        if slot.permitted != self.state.authority.epoch {
            self.permit_again(slot);
            if !matches!(slot.state, SlotState::Ready) {
                return;
            }
        }
        let Some(entry) = slot.entry.clone() else { return };
        if self.is_budget_spent() {
            // As for a reply that arrives without budget: no model would get the result.
            return self.refuse(slot, BUDGET_SPENT);
        }
        // Other calls of the batch may have used up the quota since this one was checked.
        if let Some(refusal) = self.over_quota(slot) {
            return self.turn_down(slot, &refusal);
        }
        self.use_quota(slot, QuotaUsage { calls: 1, ..QuotaUsage::default() });
        slot.access = self.access(&entry.tool);
        match &entry.tool.kind {
            ToolKind::Host => {
                let timeout = entry.tool.timeout_ms.unwrap_or(self.config().limits.tool_ms);
                let deadline = self.state.now.plus(timeout);
                slot.state = SlotState::Issued { deadline };
                self.run_tool(slot);
            }
            ToolKind::Agent { grants, reserve, tokens } => {
                let wanted = ShareRequest { money: *reserve, tokens: *tokens };
                self.delegate(slot, grants, wanted);
            }
            ToolKind::Skill { .. } => self.start_skill(slot),
            ToolKind::Plan(role) => self.change_plan(slot, *role),
            ToolKind::Children => self.look_after(slot),
        }
    }

    fn run_tool(&mut self, slot: &CallSlot) {
        let (SlotState::Issued { deadline } | SlotState::Running { deadline, .. }) = slot.state else {
            return;
        };
        let grants = self.standing_grants(slot.entry.as_ref().map(|entry| entry.tool.level));
        let request = ToolRequest {
            tool: slot.name.clone(),
            arguments: slot.arguments.clone(),
            key: self.key(slot),
            needs: slot.access.allowed(&slot.needs),
            denials: self.shared.denials().clone(),
            grants: slot.access.allowed_grants(grants),
            access: slot.access,
            deadline,
            again: slot.again,
        };
        self.issue(Effect::RunTool { call: slot.call, request });
    }

    fn key(&self, slot: &CallSlot) -> IdempotencyKey {
        self.shared.key(slot.call, &slot.name, &slot.arguments)
    }

    fn delegate(&mut self, slot: &mut CallSlot, asked: &holm_grants::GrantSet, wanted: ShareRequest) {
        let depth = self.config().depth.saturating_add(1);
        if depth > self.config().limits.depth {
            return self.refuse(slot, "not run: agents are already nested as deeply as allowed");
        }
        let place = place_of(slot);
        let share = match self.take_share(place, wanted) {
            Ok(share) => share,
            Err(reason) => return self.refuse(slot, reason),
        };
        let grants = self.lasting_grants().meet(asked);
        slot.state = SlotState::Delegated {
            child: None,
            reserved: share.money,
            tokens: share.tokens,
            since: self.state.now,
            grants: grants.clone(),
            mode: self.state.mode,
        };
        match place {
            CallPlacement::Batch => self.spawn(slot, grants, share, None),
            CallPlacement::Background => self.leave_working(slot, grants, share),
        }
    }

    /// Reserves a child's share, if one more child may start.
    fn take_share(
        &mut self,
        place: CallPlacement,
        wanted: ShareRequest,
    ) -> Result<BudgetShare, &'static str> {
        if self.owes_too_much() {
            return Err("not run: too many stopped agents have not reported their cost yet; wait for them");
        }
        match place {
            CallPlacement::Batch => {}
            CallPlacement::Background => self.may_leave(wanted)?,
        }
        self.set_aside(wanted)
    }

    /// Requests a child again that had not started when its host stopped. It reserves its share
    /// again: the lost calls are booked by now, and may have left less or nothing.
    pub(super) fn delegate_again(&mut self, slot: &mut CallSlot) {
        let Some(entry) = slot.entry.clone() else { return };
        let ToolKind::Agent { reserve, tokens, .. } = &entry.tool.kind else { return };
        let wanted = ShareRequest { money: *reserve, tokens: *tokens };
        let SlotState::Delegated { reserved, tokens, grants, .. } = &mut slot.state else { return };
        let grants = grants.clone();
        self.release(BudgetShare { money: *reserved, tokens: *tokens });
        match self.take_share(slot.place, wanted) {
            Ok(share) => {
                (*reserved, *tokens) = (share.money, share.tokens);
                self.spawn(slot, grants, share, None);
            }
            Err(reason) => {
                // A host that was replaced may have started it, and may still report its usage.
                self.owe_nothing(slot.call.into());
                self.refuse(slot, reason);
            }
        }
    }

    pub(super) fn spawn(
        &mut self,
        slot: &CallSlot,
        grants: holm_grants::GrantSet,
        share: BudgetShare,
        resume: Option<String>,
    ) {
        let limits = &self.config().limits;
        // A child that continues after a crash keeps its restrictions, even if its parent may do
        // more by now.
        let mode = match slot.state {
            SlotState::Delegated { mode, .. } => mode.min(self.state.mode),
            _ => self.state.mode,
        };
        let request = SpawnRequest {
            tool: slot.name.clone(),
            arguments: slot.arguments.clone(),
            key: self.key(slot),
            grants,
            denials: self.config().denials.clone(),
            workspace: self.config().workspace.clone(),
            mode,
            approvals: self.config().approvals,
            mark_rule: self.config().mark_rule,
            budget: (share.money > NanoUsd::ZERO).then_some(share.money),
            tokens: share.tokens,
            marks: self.state.marks,
            depth: self.config().depth.saturating_add(1),
            deepest: limits.depth,
            resume,
        };
        self.issue(Effect::Spawn { call: slot.call, request: request.into() });
    }

    /// Whether a tool call still waits for its `Dispatched`.
    pub(super) fn awaits_dispatch(&self, call: ToolCallId) -> bool {
        let RunPhase::Working(batch) = &self.state.phase else { return false };
        batch.slots.iter().any(|slot| slot.call == call && matches!(slot.state, SlotState::Issued { .. }))
    }

    pub(super) fn dispatched(&mut self, phase: RunPhase, call: ToolCallId) -> RunPhase {
        self.with_slot(phase, call.into(), |run, slot| {
            let SlotState::Issued { deadline } = slot.state else { return BatchAction::Late };
            slot.state = SlotState::Running { since: run.state.now, deadline };
            run.emit(Event::CallStarted { call });
            BatchAction::Advance
        })
    }

    pub(super) fn tool_finished(
        &mut self,
        phase: RunPhase,
        call: ToolCallId,
        output: ToolOutput,
    ) -> RunPhase {
        self.with_slot(phase, call.into(), |run, slot| {
            let SlotState::Running { since, .. } = slot.state else { return BatchAction::Late };
            let millis = run.state.now.since(since);
            run.review(slot, output, millis)
        })
    }

    pub(super) fn child_started(&mut self, phase: RunPhase, call: ToolCallId, child: String) -> RunPhase {
        self.with_slot(phase, call.into(), |run, slot| {
            let SlotState::Delegated { child: known, .. } = &mut slot.state else { return BatchAction::Late };
            if known.is_some() {
                return BatchAction::Late;
            }
            *known = Some(child.clone());
            if slot.place == CallPlacement::Batch {
                run.emit(Event::CallStarted { call });
            }
            run.emit(Event::ChildStarted { call, child });
            BatchAction::Advance
        })
    }

    pub(super) fn child_finished(
        &mut self,
        phase: RunPhase,
        call: ToolCallId,
        result: ChildResult,
    ) -> RunPhase {
        let held = self.state.stopped.contains_key(&call.into());
        if self.pays_late_child(call, &result) {
            let mut phase = self.ignore(phase, call);
            // The run may wait for the released share.
            if held {
                phase = self.look_around(phase);
            }
            return self.advance_open_batch(phase);
        }
        self.with_slot(phase, call.into(), |run, slot| {
            let SlotState::Delegated { reserved, tokens, since, .. } = slot.state else {
                return BatchAction::Late;
            };
            let millis = run.state.now.since(since);
            run.settle_child(BudgetShare { money: reserved, tokens }, &result);
            run.review(slot, result.output, millis)
        })
    }

    /// Sets marks on the run.
    pub(super) fn mark(&mut self, marks: Marks) {
        let joined = self.state.marks.join(marks);
        if joined != self.state.marks {
            self.state.marks = joined;
            self.state.authority.epoch += 1;
            self.state.authority.given_since = GrantLeases::default();
            self.emit(Event::Marked { marks: joined });
        }
    }

    /// Answers a call that does not run.
    pub(super) fn refuse(&mut self, slot: &mut CallSlot, message: &str) {
        if slot.again {
            let text = alloc::format!("outcome unknown: it may have run before Holm stopped; now {message}");
            return self.settle(slot, Outcome::Unknown, ToolOutput::text(text), 0);
        }
        self.settle(slot, Outcome::Refused, ToolOutput::text(message), 0);
    }

    /// Answers a call that may not run, and counts it: asking again is a repeat.
    pub(super) fn turn_down(&mut self, slot: &mut CallSlot, message: &str) {
        self.state.loops.turned_down(slot.fingerprint, StreamHasher::new().str(message).finish());
        self.refuse(slot, message);
    }

    /// Stops a call in any state and answers it.
    pub(super) fn stop_call(&mut self, slot: &mut CallSlot, message: &str) {
        let (abort, millis) = match &slot.state {
            SlotState::Done(_) => return,
            SlotState::Ready | SlotState::SkillDue(_) => (None, None),
            SlotState::Judging => (slot.ask.as_ref().map(|ask| ask.call.into()), None),
            SlotState::Issued { .. } => (Some(slot.call.into()), None),
            SlotState::Running { since, .. } => {
                let millis = self.state.now.since(*since);
                self.use_quota(slot, QuotaUsage { millis, ..QuotaUsage::default() });
                (Some(slot.call.into()), Some(millis))
            }
            SlotState::Delegated { child, reserved, tokens, since, .. } => {
                let share = BudgetShare { money: *reserved, tokens: *tokens };
                let millis = self.state.now.since(*since);
                if child.is_some() {
                    self.owe_child(slot.call, share);
                } else {
                    // A child that never started has no bill, and will not start.
                    self.release(share);
                    self.owe_nothing(slot.call.into());
                }
                self.use_quota(slot, QuotaUsage { millis, ..QuotaUsage::default() });
                (Some(slot.call.into()), Some(millis))
            }
            SlotState::Skilled(skilled) => {
                let (call, tokens) = (skilled.call, skilled.tokens);
                self.owe(call, tokens);
                (Some(call.into()), None)
            }
            SlotState::Reviewing { consult, millis, .. } => (Some((*consult).into()), Some(*millis)),
            SlotState::Checking { check, pending } => (Some((*check).into()), Some(pending.millis)),
        };
        if let Some(call) = abort {
            self.issue(Effect::Abort(call));
        }
        let Some(millis) = millis else { return self.refuse(slot, message) };
        let text = alloc::format!("{message}; it may already have had effects");
        self.settle(slot, Outcome::Stopped, ToolOutput::text(text), millis);
    }

    /// Seals a result for the model and closes the slot.
    pub(super) fn settle(&mut self, slot: &mut CallSlot, outcome: Outcome, output: ToolOutput, millis: u64) {
        let limit = slot.entry.as_ref().and_then(|entry| entry.tool.result_limit);
        let limit = limit.unwrap_or(self.config().limits.result_chars);
        let seal = match slot.place {
            CallPlacement::Batch => slot.call.value(),
            // The model has already seen the seal that the call was answered with.
            CallPlacement::Background => self.next_number(),
        };
        let seal = self.shared.seal(seal);
        let executes = slot.entry.as_ref().is_some_and(|entry| entry.tool.level == Level::Execute);
        let ends = if executes { ExcerptBias::MostlyTail } else { ExcerptBias::MostlyHead };
        let body = match &output.spill {
            None => EnvelopeBody::clip(&output.text, limit, ends),
            Some(spill) => EnvelopeBody::spilled(spill, limit, ends),
        };
        let text = envelope::seal(seal, &body);
        let terminal = self.config().policy.terminal_tools.contains(&*slot.name);
        let bytes = output.spill.as_ref().map_or(output.text.len() as u64, |spill| spill.bytes);
        let metadata = output.metadata.map(|metadata| Arc::new(*metadata));
        let (call, id) = (slot.call, slot.id.clone());
        self.emit(match slot.place {
            CallPlacement::Batch => Event::CallFinished { call, id, outcome, bytes, millis, metadata },
            CallPlacement::Background => Event::ChildFinished { call, outcome, bytes, millis },
        });
        slot.state = SlotState::Done(SettledCall {
            outcome,
            text,
            parts: only_media(output.parts),
            vote: vote(slot, outcome, output.terminate, terminal),
        });
    }
}

/// Equal calls earlier in the same reply, unless a call in between could make a difference.
fn twins(slot: &CallSlot, earlier: &[CallSlot]) -> u64 {
    let lately = earlier.iter().rev().take(TWINS_WITHIN).take_while(|other| !other.may_change());
    lately.filter(|other| other.fingerprint == slot.fingerprint).count() as u64
}

/// Keeps only pictures and files of a tool's other parts: text beside the sealed one would reach
/// the model without an envelope.
fn only_media(mut parts: Vec<Block>) -> Vec<Block> {
    parts.retain(|part| matches!(part, Block::Image(_) | Block::File(_)));
    parts
}

/// Whether two names begin with the same letters.
fn begin_alike(one: &str, other: &str) -> bool {
    one.chars().zip(other.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count() >= ALIKE_LETTERS
}

fn looped(tool: &str, times: u64) -> String {
    alloc::format!("the model called `{tool}` {times} times to no avail")
}
