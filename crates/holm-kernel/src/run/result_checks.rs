//! Decides whether a result is believed: hooks, plausibility, postconditions, executable checks, in
//! this order.
//!
//! The rules are in `holm-guards`. Checks that run a program or read a large result are commands to
//! the host (`holm-runtime/src/check.rs`), and a check that cannot be made counts as failed. The
//! model gets one correction for a rejected result; what follows the second rejection is decided
//! here and in `run/ladder.rs`. Results of skills are checked in `run/skill.rs`. A rejected output
//! never reaches the model: only the reason does.

use alloc::{
    collections::VecDeque,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_grants::Level;
use holm_guards::plausibility::{self, CallOutcome, Expectation, ObservedOutput, PlausibilityResult};
use holm_guards::postcondition::{CompiledPostconditions, PostconditionResult};
use holm_guards::ruling::{Reason, Ruling};

use super::{
    Run,
    batch::{BatchAction, CallSlot, PendingChecks, SlotState},
    catalogue::RunCatalogueEntry,
    ladder::CorrectionChance,
    state::{QuotaUsage, RunPhase},
};
use crate::digest::StreamHasher;
use crate::loops::CallImpact;
use crate::{
    Answer, Check, CheckId, CheckRequest, CheckRuling, ConsultPoint, Consultation, ConsultationId, Effect,
    Ending, Event, Exemption, Marks, Outcome, Question, ToolOutput,
};

/// One correction is allowed; the second rejection is a failure.
const MOST_REJECTIONS: u64 = 2;

impl Run {
    /// A tool has finished: hooks see the result first.
    pub(super) fn review(&mut self, slot: &mut CallSlot, output: ToolOutput, millis: u64) -> BatchAction {
        self.count_use(slot, &output, millis);
        if self.wants(ConsultPoint::AfterTool) {
            self.ask_review(slot, output, millis);
            return BatchAction::Advance;
        }
        self.believe(slot, output, millis)
    }

    pub(super) fn count_use(&mut self, slot: &CallSlot, output: &ToolOutput, millis: u64) {
        let Some(entry) = &slot.entry else { return };
        let yields = entry.tool.yields;
        let declared = Marks { untrusted: yields.untrusted, private: yields.private };
        self.mark(declared.join(output.marks));
        let bytes = output.spill.as_ref().map_or(output.text.len() as u64, |spill| spill.bytes);
        self.use_quota(slot, QuotaUsage { calls: 0, millis, bytes });
    }

    pub(super) fn ask_review(&mut self, slot: &mut CallSlot, output: ToolOutput, millis: u64) {
        let call = ConsultationId::new(self.next_number());
        let question = Question::AfterTool {
            tool_call: slot.call,
            tool: String::from(&*slot.name),
            output: output.clone(),
        };
        slot.state = SlotState::Reviewing { consult: call, output: output.into(), millis };
        self.issue(Effect::Consult(Consultation { call, question }.into()));
    }

    pub(super) fn after_tool_consulted(
        &mut self,
        phase: RunPhase,
        call: ConsultationId,
        answer: Answer,
    ) -> RunPhase {
        self.with_slot(phase, call.into(), |run, slot| {
            let (output, millis) = match &mut slot.state {
                SlotState::Reviewing { consult, output, millis } if *consult == call => {
                    (core::mem::take(&mut **output), *millis)
                }
                _ => return BatchAction::Late,
            };
            let output = match answer {
                Answer::Output(changed) => {
                    run.mark(changed.marks);
                    changed
                }
                Answer::Failed { reason } => {
                    run.emit(Event::HookFailed { reason });
                    output
                }
                _ => output,
            };
            run.believe(slot, output, millis)
        })
    }

    /// Plausibility first, then the tool's own postconditions; the first rejection decides.
    fn believe(&mut self, slot: &mut CallSlot, output: ToolOutput, millis: u64) -> BatchAction {
        let Some(entry) = slot.entry.clone() else { return BatchAction::Late };
        if output.outcome != Outcome::Succeeded {
            return self.accept(slot, &entry, output, millis);
        }
        let mut checks = VecDeque::new();
        match judge_plausibility(&entry, &output) {
            PlausibilityResult::Ruled(ruling) => {
                if let Some(after) = self.rule(slot, &ruling, &output, millis) {
                    return after;
                }
            }
            PlausibilityResult::NeedsWhole => checks.push_back(Check::Plausibility(expectation(&entry))),
        }
        if let Ok(compiled) = &entry.compiled {
            let (chain, open) =
                match compiled.postconditions.evaluate(CallOutcome::Succeeded, &observe(&output)) {
                    PostconditionResult::Ruled(chain) => (chain, Vec::new()),
                    PostconditionResult::Pending { chain, checks } => (chain, checks),
                };
            for warning in chain.warnings() {
                self.emit_ruling(slot, warning, false);
            }
            if let Ruling::Reject(reason) = chain.ruling() {
                self.emit_ruling(slot, &reason, true);
                return self.reject(slot, &reason.to_string(), &output, millis);
            }
            checks.extend(open.into_iter().map(Check::Postcondition));
        }
        if checks.is_empty() {
            return self.accept(slot, &entry, output, millis);
        }
        self.run_check(slot, PendingChecks { output, millis, checks });
        BatchAction::Advance
    }

    /// Acts on a ruling; returns `Some` if the result was rejected.
    fn rule(
        &mut self,
        slot: &mut CallSlot,
        ruling: &Ruling,
        output: &ToolOutput,
        millis: u64,
    ) -> Option<BatchAction> {
        match ruling {
            Ruling::Accept => None,
            Ruling::Warn(reason) => {
                self.emit_ruling(slot, reason, false);
                None
            }
            Ruling::Reject(reason) => {
                self.emit_ruling(slot, reason, true);
                Some(self.reject(slot, &reason.to_string(), output, millis))
            }
        }
    }

    fn emit_ruling(&mut self, slot: &CallSlot, reason: &Reason, rejected: bool) {
        self.emit(Event::Ruled {
            call: slot.call,
            guard: reason.guard.clone(),
            rejected,
            reason: reason.message.clone(),
        });
    }

    /// The model gets the reason and one more try. A second rejection of the same tool in a row
    /// ends the group, unless the ladder has another model.
    fn reject(&mut self, slot: &mut CallSlot, reason: &str, output: &ToolOutput, millis: u64) -> BatchAction {
        self.observe_result(slot, output, CallImpact::None);
        let turn = self.state.group.turns;
        let rejections = self.state.group.rejections.entry(slot.name.clone()).or_default();
        if rejections.last != turn {
            rejections.turns += 1;
            rejections.last = turn;
        }
        let correction = if rejections.turns >= MOST_REJECTIONS {
            CorrectionChance::Spent
        } else {
            CorrectionChance::Left
        };
        let text =
            alloc::format!("the result was not accepted: {reason}. Correct the call and try once more.");
        self.settle(slot, Outcome::Failed, ToolOutput::failed(text), millis);
        if !self.rejection_climbs(correction, reason) && correction == CorrectionChance::Spent {
            let what = String::from(&*slot.name);
            return BatchAction::End(Ending::Rejected { what, reason: self.last_reason(reason) });
        }
        self.after_failure(slot)
    }

    fn accept(
        &mut self,
        slot: &mut CallSlot,
        entry: &Arc<RunCatalogueEntry>,
        output: ToolOutput,
        millis: u64,
    ) -> BatchAction {
        let outcome = output.outcome;
        let changed = outcome == Outcome::Succeeded && entry.tool.level >= Level::Write;
        self.observe_result(slot, &output, if changed { CallImpact::Changed } else { CallImpact::None });
        if !self.state.group.rejections.is_empty() && outcome == Outcome::Succeeded {
            self.state.group.rejections.remove(&slot.name);
        }
        self.settle(slot, outcome, output, millis);
        if outcome == Outcome::Succeeded { BatchAction::Advance } else { self.after_failure(slot) }
    }

    #[expect(clippy::unused_self, reason = "reads as one of the run's decisions")]
    fn after_failure(&self, slot: &CallSlot) -> BatchAction {
        if slot.aborts_siblings() { BatchAction::StopSiblings } else { BatchAction::Advance }
    }

    pub(super) fn observe_result(&mut self, slot: &CallSlot, output: &ToolOutput, change: CallImpact) {
        if slot.entry.as_ref().is_some_and(|entry| entry.tool.exemption == Exemption::Polling) {
            return;
        }
        let mut digest = StreamHasher::new();
        digest.u64(u64::from(output.outcome.is_error()));
        digest.str(output.spill.as_ref().map_or(&output.text, |spill| &spill.sha256));
        self.state.loops.observe(slot.fingerprint, digest.finish(), change);
    }

    /// Starts the next executable check.
    pub(super) fn run_check(&mut self, slot: &mut CallSlot, pending: PendingChecks) {
        let Some(check) = pending.checks.front().cloned() else { return };
        let call = CheckId::new(self.next_number());
        slot.state = SlotState::Checking { check: call, pending: pending.into() };
        self.issue(Effect::Check { call, request: CheckRequest { tool_call: slot.call, check }.into() });
    }

    pub(super) fn checked(&mut self, phase: RunPhase, call: CheckId, ruling: CheckRuling) -> RunPhase {
        self.with_slot(phase, call.into(), |run, slot| {
            let Some(entry) = slot.entry.clone() else { return BatchAction::Late };
            let pending = match &mut slot.state {
                SlotState::Checking { check, pending } if *check == call => core::mem::take(&mut **pending),
                _ => return BatchAction::Late,
            };
            run.apply_check(slot, &entry, pending, ruling)
        })
    }

    fn apply_check(
        &mut self,
        slot: &mut CallSlot,
        entry: &Arc<RunCatalogueEntry>,
        mut pending: PendingChecks,
        ruling: CheckRuling,
    ) -> BatchAction {
        let Some(check) = pending.checks.pop_front() else { return BatchAction::Late };
        if let CheckRuling::Failed { reason } | CheckRuling::Broken { reason } = ruling {
            let ruling = against(&check, reason);
            if let Some(after) = self.rule(slot, &ruling, &pending.output, pending.millis) {
                return after;
            }
        }
        if pending.checks.is_empty() {
            return self.accept(slot, entry, pending.output, pending.millis);
        }
        self.run_check(slot, pending);
        BatchAction::Advance
    }
}

/// The ruling of a failed check, by the severity of its declaration.
fn against(check: &Check, reason: String) -> Ruling {
    match check {
        Check::Plausibility(expectation) => {
            Ruling::by(expectation.severity, Reason::new("plausibility", reason))
        }
        Check::Postcondition(declared) => CompiledPostconditions::answer(declared, Some(&reason)),
    }
}

fn expectation(entry: &RunCatalogueEntry) -> Expectation {
    let tool = &entry.tool;
    Expectation {
        empty: tool.empty,
        error_text: tool.error_text,
        severity: tool.severity,
        ..Expectation::default()
    }
}

fn judge_plausibility(entry: &RunCatalogueEntry, output: &ToolOutput) -> PlausibilityResult {
    // Pictures and files are content too, so text is not required beside them.
    if !output.parts.is_empty() {
        return PlausibilityResult::Ruled(Ruling::Accept);
    }
    plausibility::judge(CallOutcome::Succeeded, &observe(output), expectation(entry))
}

fn observe(output: &ToolOutput) -> ObservedOutput<'_> {
    match &output.spill {
        None => ObservedOutput::whole(&output.text),
        Some(spill) => ObservedOutput::spilled(&spill.head, &spill.tail, spill.bytes),
    }
}
