//! Questions about calls: asked, answered, and asked again when the circumstances have changed.
//!
//! An answer counts only for the circumstances that its question showed. If they grow while the
//! question is open, the question is withdrawn and asked again under a new id, so the old answer
//! comes too late. An approval that waits for its turn must also match the circumstances. Whether
//! to ask at all is decided in `run/permit.rs`; the host shows the question and waits
//! (`holm-runtime/src/approver.rs`). All texts for a person go through `visible_text.rs`, because a
//! call could hide what it does.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_grants::GrantSet;
use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{
    Run,
    batch::{BatchAction, CallSlot, SlotState},
    catalogue::RunCatalogueEntry,
    permit::{GrantorKnowledge, PermitDecision},
    state::RunPhase,
};
use crate::effect::call_digest;
use crate::visible_text;
use crate::{
    AskReason, CallAccess, Effect, Event, Marks, Proposal, QuestionId, Timestamp, ToolKind, ToolSpec, Verdict,
};

/// How often hooks may rewrite one call. A further rewrite is refused, so that two hooks
/// cannot alternate for ever.
const MOST_REWRITES: u64 = 3;

/// What a model is shown of the reason for a denial.
const MAX_REASON_CHARS: u64 = 2_000;

/// What a person is shown of the arguments; the digest covers all of them.
const SHOWN_ARGUMENTS: u64 = 20_000;

/// A question about a call. Each has its own id, so that an answer never counts for arguments or
/// circumstances that were not shown.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct CallQuestion {
    pub(crate) call: QuestionId,
    /// The count of withdrawals when it was asked.
    pub(crate) withdrawn: u64,
    /// The epoch of the authority at the last comparison of its circumstances.
    pub(crate) epoch: u64,
    pub(crate) shown: QuestionContext,
    /// Whether a person or a hook approved it.
    pub(crate) approved: bool,
}

/// The circumstances that a question shows beside the call itself.
#[derive(Debug, Clone, Serialize, Deserialize, Read)]
pub(crate) struct QuestionContext {
    pub(crate) reasons: Vec<AskReason>,
    pub(crate) missing: Vec<String>,
    /// The grants that a child agent would get.
    pub(crate) hands_on: GrantSet,
    pub(crate) marks: Marks,
    /// What the call would be allowed to do: less in plan mode.
    #[serde(default, skip_serializing_if = "CallAccess::is_full")]
    pub(crate) access: CallAccess,
}

impl QuestionContext {
    /// Whether an answer under these circumstances also counts under `now`: approving
    /// more includes approving less.
    fn covers(&self, now: &Self) -> bool {
        // That a hook wants to see a call says nothing about the call.
        let shown = |reason: &AskReason| *reason == AskReason::HookWants || self.reasons.contains(reason);
        now.reasons.iter().all(shown)
            && now.missing.iter().all(|need| self.missing.contains(need))
            && self.hands_on.contains_all(&now.hands_on)
            && (self.access == now.access || self.access.is_full())
            && (self.marks == now.marks || !now.reasons.iter().copied().any(is_about_marks))
    }
}

const fn is_about_marks(reason: AskReason) -> bool {
    match reason {
        AskReason::EgressAfterMark | AskReason::WriteAfterMark => true,
        AskReason::Level | AskReason::MissingGrant | AskReason::HookWants | AskReason::LeavesPlan => false,
    }
}

impl Run {
    /// Asks hooks and people about a call.
    pub(super) fn pose(
        &mut self,
        slot: &mut CallSlot,
        tool: &ToolSpec,
        reasons: Vec<AskReason>,
        missing: Vec<String>,
    ) {
        let shown = self.circumstances(tool, reasons, missing);
        let proposal = self.proposal(slot, tool, &shown);
        let authority = &self.state.authority;
        let (withdrawn, epoch) = (authority.withdrawn, authority.epoch);
        slot.ask = Some(CallQuestion { call: proposal.call, withdrawn, epoch, shown, approved: false });
        slot.state = SlotState::Judging;
        self.emit(Event::ApprovalAsked { call: slot.call });
        self.issue(Effect::Judge(proposal.into()));
    }

    fn circumstances(
        &self,
        tool: &ToolSpec,
        reasons: Vec<AskReason>,
        missing: Vec<String>,
    ) -> QuestionContext {
        QuestionContext {
            reasons,
            missing,
            hands_on: self.hands_on(tool),
            marks: self.state.marks,
            access: self.access(tool),
        }
    }

    /// The grants that a child agent would get if it started now; none for other tools.
    fn hands_on(&self, tool: &ToolSpec) -> GrantSet {
        match &tool.kind {
            ToolKind::Agent { grants, .. } => self.lasting_grants().meet(grants),
            ToolKind::Host | ToolKind::Skill { .. } | ToolKind::Plan(_) | ToolKind::Children => {
                GrantSet::default()
            }
        }
    }

    /// Everything that a person needs to see about a call.
    fn proposal(&mut self, slot: &CallSlot, tool: &ToolSpec, shown: &QuestionContext) -> Proposal {
        let access = shown.access;
        let needs: Vec<String> = access.allowed(&slot.needs).iter().map(ToString::to_string).collect();
        let hands_on: Vec<String> = shown.hands_on.iter().map(ToString::to_string).collect();
        Proposal {
            // The first question has the number of its call, later ones have their own.
            call: QuestionId::new(if slot.ask.is_none() { slot.call.value() } else { self.next_number() }),
            tool_call: slot.call,
            tool: visible_text::visible_line(&slot.name),
            arguments: visible_text::visible_bounded(&slot.arguments, SHOWN_ARGUMENTS),
            level: access.level(tool.level),
            needs: visible_text::visible_lines(&needs),
            missing: visible_text::visible_lines(&shown.missing),
            hands_on: visible_text::visible_lines(&hands_on),
            reasons: shown.reasons.clone(),
            marks: shown.marks,
            digest: call_digest(&slot.name, &slot.arguments),
        }
    }

    /// Withdraws an open question that is out of date, and asks again.
    pub(super) fn renew_question(&mut self, slot: &mut CallSlot) {
        let epoch = self.state.authority.epoch;
        let Some(asked) = slot.open_question().filter(|ask| ask.epoch != epoch).map(|ask| ask.call) else {
            return;
        };
        match self.standing(slot) {
            PermitDecision::Deny(reason) => self.stop_call(slot, &reason),
            PermitDecision::Ask { reasons, missing } if !self.is_answerable(slot, &reasons, &missing) => {
                let Some(entry) = slot.entry.clone() else { return };
                self.issue(Effect::Abort(asked.into()));
                self.pose(slot, &entry.tool, reasons, missing);
            }
            PermitDecision::Ask { .. } | PermitDecision::Allow => {
                if let Some(ask) = &mut slot.ask {
                    ask.epoch = epoch;
                }
            }
        }
    }

    /// Whether an answer to the last question counts under the present circumstances.
    fn is_answerable(&self, slot: &CallSlot, reasons: &[AskReason], missing: &[String]) -> bool {
        let (Some(ask), Some(entry)) = (&slot.ask, &slot.entry) else { return false };
        let now = self.circumstances(&entry.tool, reasons.to_vec(), missing.to_vec());
        ask.withdrawn == self.state.authority.withdrawn && ask.shown.covers(&now)
    }

    /// Whether a call was approved under circumstances that cover the present ones.
    pub(super) fn is_approved(&self, slot: &CallSlot, reasons: &[AskReason], missing: &[String]) -> bool {
        slot.ask.as_ref().is_some_and(|ask| ask.approved) && self.is_answerable(slot, reasons, missing)
    }

    pub(super) fn judged(&mut self, phase: RunPhase, call: QuestionId, verdict: Verdict) -> RunPhase {
        self.with_slot(phase, call.into(), |run, slot| {
            if !slot.is_asked_under(call) {
                return BatchAction::Late;
            }
            run.apply_verdict(slot, verdict)
        })
    }

    fn apply_verdict(&mut self, slot: &mut CallSlot, verdict: Verdict) -> BatchAction {
        let call = slot.call;
        match verdict {
            Verdict::Allow { grants, until } => {
                self.emit(Event::ApprovalGiven { call, allowed: true, reason: String::new() });
                self.accept_grants(slot, &grants, until);
                if let Some(ask) = &mut slot.ask {
                    ask.approved = true;
                }
                slot.state = SlotState::Ready;
                // Deny is final, also if it came into force while the question was open.
                self.permit_again(slot);
            }
            Verdict::Deny { reason } => {
                let reason_shown = visible_text::visible_bounded(&reason, MAX_REASON_CHARS);
                // A reason that says for how long it holds begins with the word itself.
                let message = if reason_shown.starts_with("denied ") {
                    reason_shown
                } else {
                    alloc::format!("denied: {reason_shown}")
                };
                self.emit(Event::ApprovalGiven { call, allowed: false, reason });
                self.turn_down(slot, &message);
            }
            Verdict::Rewrite { .. } if slot.rewrites >= MOST_REWRITES => {
                self.refuse(slot, "denied: the call was rewritten too many times");
            }
            Verdict::Rewrite { arguments } => {
                slot.rewrites += 1;
                slot.arguments = Arc::from(arguments);
                if let Some(ending) = self.prepare(slot, &[]) {
                    return BatchAction::End(ending);
                }
            }
        }
        BatchAction::Advance
    }

    /// Stores the grants of an answer, if the circumstances it was given under still hold.
    fn accept_grants(&mut self, slot: &mut CallSlot, grants: &GrantSet, until: Option<Timestamp>) {
        self.expire_leases();
        let (Some(ask), Some(entry)) = (&slot.ask, slot.entry.clone()) else { return };
        if grants.is_empty() || ask.withdrawn != self.state.authority.withdrawn {
            return;
        }
        let knowledge = if ask.shown.marks == self.state.marks {
            GrantorKnowledge::Current
        } else {
            GrantorKnowledge::Outdated
        };
        let had_all = ask.shown.hands_on.contains_all(&self.hands_on(&entry.tool));
        self.lease(grants, until, knowledge);
        // The grants of the answer also apply to this call.
        let hands_on = self.hands_on(&entry.tool);
        if let Some(ask) = slot.ask.as_mut().filter(|_| had_all) {
            ask.shown.hands_on = hands_on;
        }
    }

    /// Checks a permission again after a change of authority.
    pub(super) fn permit_again(&mut self, slot: &mut CallSlot) {
        match self.standing(slot) {
            PermitDecision::Deny(reason) => self.refuse(slot, &reason),
            PermitDecision::Allow => slot.permitted = self.state.authority.epoch,
            PermitDecision::Ask { reasons, missing } if self.is_approved(slot, &reasons, &missing) => {
                slot.permitted = self.state.authority.epoch;
            }
            PermitDecision::Ask { .. } => match Json::parse(&slot.arguments) {
                Ok(arguments) => self.permit(slot, &arguments),
                Err(_) => self.refuse(slot, "denied: the permission was withdrawn"),
            },
        }
    }

    /// What the rules say now about a call that was permitted before. If its tool has changed
    /// since, the call is denied.
    pub(super) fn standing(&self, slot: &CallSlot) -> PermitDecision {
        let Some(entry) = &slot.entry else {
            return PermitDecision::Deny(String::from("not run: there is no such tool"));
        };
        let same = |now: &Arc<RunCatalogueEntry>| Arc::ptr_eq(now, entry) || now.tool == entry.tool;
        if !self.catalogue.find(&slot.name).is_some_and(same) {
            let message = alloc::format!(
                "not run: the tool `{}` has changed; read its description and call it again",
                slot.name
            );
            return PermitDecision::Deny(message);
        }
        self.decide(&entry.tool, &slot.needs)
    }

    /// Asks again after the host that was asked has stopped.
    pub(super) fn judge_again(&mut self, slot: &mut CallSlot) {
        match Json::parse(&slot.arguments) {
            Ok(arguments) => self.permit(slot, &arguments),
            Err(_) => self.refuse(slot, "denied: the arguments are no longer known"),
        }
    }
}

impl CallSlot {
    /// The question that is open.
    fn open_question(&self) -> Option<&CallQuestion> {
        self.ask.as_ref().filter(|_| matches!(self.state, SlotState::Judging))
    }

    /// Whether a verdict with this id answers the open question.
    pub(crate) fn is_asked_under(&self, call: QuestionId) -> bool {
        self.open_question().is_some_and(|ask| ask.call == call)
    }
}
