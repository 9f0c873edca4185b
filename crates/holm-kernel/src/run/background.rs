//! Children in the background: their calls are answered at once, and the run continues while they
//! work.
//!
//! Each has its share of the budget and its grants like any other child, and is kept until its
//! result arrives. The result is checked by the same rules (`run/result_checks.rs`). The model gets
//! it once: before the next model call, or earlier if it asks for it. This file also answers the
//! tool that manages children. Starting a child is in `run/call.rs`, its share in
//! `run/budget_share.rs`; the host runs it (`holm-runtime/src/child/`). The number of children is
//! bounded, and none outlives its turn group.

use alloc::{format, string::String};
use core::fmt::Write as _;

use holm_grants::GrantSet;
use holm_guards::json::Json;

use super::{
    Run,
    batch::{BatchAction, CallPlacement, CallSlot, SlotState},
    budget_share::{BudgetShare, ShareRequest},
    state::RunPhase,
};
use crate::loops::CallImpact;
use crate::{
    Background, Block, CallId, Ending, Event, MessageId, Outcome, Role, ToolCallId, ToolOutput, envelope,
};

/// The most children in the background of one run. Each stopped child leaves a bill to wait for,
/// and the number of such bills is limited too.
const MOST_CHILDREN: usize = 32;

/// The most finished children that are remembered; the oldest is forgotten first.
const MOST_GONE: usize = 64;

/// Used instead of a message: the child's result was the answer to a call.
const ANSWERED: u64 = u64::MAX;

/// Whether a call waits for its child.
pub(super) fn place_of(slot: &CallSlot) -> CallPlacement {
    match slot.entry.as_ref().map(|entry| &entry.tool.background) {
        None | Some(Background::Never) => CallPlacement::Batch,
        Some(Background::Always) => CallPlacement::Background,
        Some(Background::Asked { argument }) => match Json::parse(&slot.arguments) {
            Ok(arguments) if arguments.get(argument) == Some(&Json::Bool(true)) => CallPlacement::Background,
            Ok(_) | Err(_) => CallPlacement::Batch,
        },
    }
}

impl Run {
    /// Whether one more child may work in the background.
    pub(super) fn may_leave(&self, wanted: ShareRequest) -> Result<(), &'static str> {
        if self.state.background.len() >= MOST_CHILDREN {
            return Err("not run: too many helpers already run in the background; wait until one ends");
        }
        self.leaves_room(wanted)
    }

    /// Answers the call of a child and lets the child work in the background.
    pub(super) fn leave_working(&mut self, slot: &mut CallSlot, grants: GrantSet, share: BudgetShare) {
        let call = slot.call;
        let child = CallSlot { place: CallPlacement::Background, ..slot.clone() };
        self.emit(Event::CallStarted { call });
        self.spawn(&child, grants, share, None);
        self.state.background.push(child);
        let text = format!(
            "`{}` runs in the background as child {call}. Its result will arrive on its own: continue \
            with other work, or end your turn to wait for it.",
            slot.name
        );
        let output = ToolOutput::text(text);
        self.observe_result(slot, &output, CallImpact::None);
        self.settle(slot, Outcome::Succeeded, output, 0);
    }

    /// The child in the background that a fact about `call` belongs to.
    pub(super) fn in_background(&self, call: CallId) -> Option<usize> {
        self.state.background.iter().position(|child| child.answers_to(call))
    }

    /// Puts a child in the background back after a fact about it.
    pub(super) fn put_child_back(
        &mut self,
        mut phase: RunPhase,
        place: usize,
        child: CallSlot,
        call: CallId,
        after: &BatchAction,
    ) -> RunPhase {
        match after {
            BatchAction::Late => {
                self.state.background.insert(place, child);
                return self.ignore(phase, call);
            }
            // It is not part of a batch, so it ends nothing and stops no other calls.
            BatchAction::Advance | BatchAction::End(_) | BatchAction::StopSiblings => {}
        }
        if child.is_done() {
            self.state.arrived.push(child);
            phase = self.look_around(phase);
        } else {
            self.state.background.insert(place, child);
        }
        self.advance_open_batch(phase)
    }

    /// Stops the children that `which` selects; the model gets their outcome like any other result.
    pub(super) fn stop_children(&mut self, which: &dyn Fn(&Self, &CallSlot) -> bool, message: &str) {
        for mut child in core::mem::take(&mut self.state.background) {
            if which(self, &child) {
                self.stop_call(&mut child, message);
                self.state.arrived.push(child);
            } else {
                self.state.background.push(child);
            }
        }
    }

    /// After a takeover, requests the children again: the host that drives the run
    /// also drives its children.
    pub(super) fn resume_children(&mut self) {
        for mut child in core::mem::take(&mut self.state.background) {
            self.resume_slot(&mut child);
            if child.is_done() {
                self.state.arrived.push(child);
            } else {
                self.state.background.push(child);
            }
        }
    }

    /// A run that waits for its children continues when a prompt or a result has arrived.
    pub(super) fn look_around(&mut self, phase: RunPhase) -> RunPhase {
        match phase {
            // The missing budget may be available now.
            RunPhase::Awaiting { ending: Ending::OverBudget { .. } | Ending::OverLimit { .. } } => {
                self.next_turn()
            }
            RunPhase::Awaiting { ending } => self.stop_unless_more(ending),
            other => other,
        }
    }

    /// Reports the results of children to the model.
    pub(super) fn hear_children(&mut self) {
        for child in core::mem::take(&mut self.state.arrived) {
            let SlotState::Done(settled) = child.state else { continue };
            let ended = ended(settled.outcome);
            let lead = format!("The background helper `{}` (child {}) {ended}.", child.name, child.call);
            let mut blocks = alloc::vec![Block::Text(lead), Block::Text(settled.text)];
            blocks.extend(settled.parts);
            let message = self.add_note(Role::User, blocks).id;
            self.remember(child.call, message.value());
        }
    }

    fn remember(&mut self, child: ToolCallId, message: u64) {
        self.state.gone.insert(child, message);
        while self.state.gone.len() > MOST_GONE {
            self.state.gone.pop_first();
        }
    }

    /// Ends the group at a limit. If only the shares of children exhaust the limit, the
    /// run waits for them.
    pub(super) fn end_or_wait(&mut self, ending: Ending) -> RunPhase {
        if self.awaits_shares(&ending) {
            return RunPhase::Awaiting { ending };
        }
        self.finish(ending)
    }

    /// Whether the run still waits for the child of a call, in the background or not.
    pub fn awaits_child(&self, call: ToolCallId) -> bool {
        let batch = match &self.state.phase {
            RunPhase::Working(batch) => batch.slots.as_slice(),
            _ => &[],
        };
        let mut slots = batch.iter().chain(&self.state.background);
        slots.any(|slot| slot.call == call && matches!(slot.state, SlotState::Delegated { .. }))
    }

    /// Children whose start is in the journal and whose end is not, with their names.
    pub fn open_children(&self) -> impl Iterator<Item = (ToolCallId, &str)> {
        self.state.children.iter().map(|(call, child)| (*call, child.as_str()))
    }

    /// Answers a call of the tool that manages children.
    pub(super) fn look_after(&mut self, slot: &mut CallSlot) {
        self.emit(Event::CallStarted { call: slot.call });
        let arguments = Json::parse(&slot.arguments).unwrap_or(Json::Null);
        let child = arguments.get("child").and_then(Json::as_u64).map(ToolCallId::new);
        let output = match (arguments.get("action").and_then(Json::as_str), child) {
            (Some("stop"), Some(child)) => self.stop_child(child),
            (Some("result"), Some(child)) => self.child_result(child),
            (Some("stop" | "result"), None) => {
                ToolOutput::failed("`child` is missing; give the child's number")
            }
            (_, child) => self.child_status(child),
        };
        self.observe_result(slot, &output, CallImpact::None);
        let outcome = output.outcome;
        self.settle(slot, outcome, output, 0);
    }

    /// Stops one child. The answer to this call reports it, so it is not reported again.
    fn stop_child(&mut self, child: ToolCallId) -> ToolOutput {
        let place = self.state.background.iter().position(|slot| slot.call == child);
        let Some(place) = place else { return self.child_status(Some(child)) };
        let mut slot = self.state.background.remove(place);
        self.stop_call(&mut slot, "stopped on request");
        self.remember(child, ANSWERED);
        ToolOutput::text(format!("child {child} was stopped; what it had already done is not undone"))
    }

    /// The result of one child. It is taken from the unreported ones, so it is not reported again.
    fn child_result(&mut self, child: ToolCallId) -> ToolOutput {
        if let Some(place) = self.state.arrived.iter().position(|arrived| arrived.call == child)
            && let SlotState::Done(settled) = self.state.arrived.remove(place).state
        {
            self.remember(child, ANSWERED);
            let text = String::from(envelope::open(&settled.text));
            let (outcome, parts) = (settled.outcome, settled.parts);
            return ToolOutput { outcome, text, parts, ..ToolOutput::default() };
        }
        match self.told(child, 1) {
            Some(sealed) => ToolOutput::text(envelope::open(sealed)),
            None => self.child_status(Some(child)),
        }
    }

    /// A part of the report on a child: first how it ended, then the result.
    fn told(&self, child: ToolCallId, part: usize) -> Option<&str> {
        let id = MessageId::new(*self.state.gone.get(&child)?);
        let message = self.state.history.find(id)?;
        match message.blocks.get(part) {
            Some(Block::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The status of all children, or of one.
    fn child_status(&self, only: Option<ToolCallId>) -> ToolOutput {
        let mut text = String::new();
        let is_meant = |child: ToolCallId| only.is_none_or(|only| only == child);
        for child in self.state.gone.keys().filter(|child| is_meant(**child)) {
            let how = self.told(*child, 0).unwrap_or("has ended; an earlier call returned its result");
            // Writing into a `String` cannot fail.
            let _ = writeln!(text, "child {child}: {how}");
        }
        let children = self.state.arrived.iter().chain(&self.state.background);
        for child in children.filter(|child| is_meant(child.call)) {
            let how = match &child.state {
                SlotState::Done(settled) => ended(settled.outcome),
                SlotState::Delegated { child: None, .. } => "is queued; its result will arrive on its own",
                _ => "is running; its result will arrive on its own",
            };
            let _ = writeln!(text, "child {} (`{}`) {how}", child.call, child.name);
        }
        match only {
            _ if !text.is_empty() => ToolOutput::text(text.trim_end()),
            None => ToolOutput::text("no helper runs in the background"),
            Some(child) => ToolOutput::failed(format!("no background helper has the number {child}")),
        }
    }
}

const fn ended(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "has ended",
        Outcome::Failed => "has failed",
        Outcome::Refused => "was refused",
        Outcome::Stopped => "was stopped",
        Outcome::Unknown => "has ended; its outcome is unknown",
    }
}
