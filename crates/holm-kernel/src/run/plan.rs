//! Plan mode by the model's own choice: in without a question, out only with a person's yes.
//!
//! Both are decided and carried out here, so that no host and no tool can do it differently. The
//! module [`permit`](super::permit) decides what plan mode forbids, as for any mode.

use alloc::string::String;

use holm_grants::Mode;

use super::{Run, batch::CallSlot, state::RunPhase};
use crate::loops::CallImpact;
use crate::{CallId, Event, Outcome, PlanRole, ToolKind, ToolOutput, ToolSpec};

impl Run {
    /// Carries out a tool that enters or leaves plan mode.
    pub(super) fn change_plan(&mut self, slot: &mut CallSlot, role: PlanRole) {
        let text = match role {
            PlanRole::Enter => self.enter_plan(),
            PlanRole::Exit => match self.stays_in_plan() {
                Some(reason) => return self.refuse(slot, &reason),
                None => self.leave_plan(),
            },
        };
        self.emit(Event::CallStarted { call: slot.call });
        let output = ToolOutput::text(text);
        self.observe_result(slot, &output, CallImpact::None);
        self.settle(slot, Outcome::Succeeded, output, 0);
    }

    /// The arguments with which plan mode ends if this question is approved, if a person or a hook
    /// replaced the model's own. The model is only told that its plan was approved, so the host
    /// must tell it which plan that was.
    pub fn rewritten_plan(&self, question: CallId) -> Option<&str> {
        let RunPhase::Working(batch) = &self.state.phase else { return None };
        let asked = batch.slots.iter().find(|slot| slot.is_asked_under(question))?;
        let leaves = asked.entry.as_ref().is_some_and(|entry| leaves_plan(&entry.tool));
        (leaves && asked.rewrites > 0).then_some(&*asked.arguments)
    }

    fn enter_plan(&mut self) -> String {
        if self.state.mode == Mode::Plan {
            return String::from("You are already in plan mode: explore, change nothing, and make the plan.");
        }
        self.state.planning_from = Some(self.state.mode);
        self.set_mode(Mode::Plan);
        String::from("Plan mode holds from now on: look around, change nothing, and make the plan.")
    }

    fn leave_plan(&mut self) -> String {
        let mode = self.state.planning_from.take().unwrap_or(Mode::Plan);
        self.set_mode(mode);
        alloc::format!("The plan was approved; the mode is {mode} again. Carry it out.")
    }

    /// The reason why the model cannot leave plan mode, if there is one.
    pub(super) fn stays_in_plan(&self) -> Option<String> {
        if self.state.mode != Mode::Plan {
            return Some(String::from("not run: the run is not in plan mode"));
        }
        self.state.planning_from.is_none().then(|| {
            String::from("denied: the user set plan mode, and only the user can end it; answer with the plan")
        })
    }
}

/// Whether a tool asks to leave plan mode.
pub(super) fn leaves_plan(tool: &ToolSpec) -> bool {
    match tool.kind {
        ToolKind::Plan(PlanRole::Exit) => true,
        ToolKind::Plan(PlanRole::Enter)
        | ToolKind::Host
        | ToolKind::Agent { .. }
        | ToolKind::Skill { .. }
        | ToolKind::Children => false,
    }
}
