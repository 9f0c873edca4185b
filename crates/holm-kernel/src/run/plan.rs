//! Plan mode by the model's own choice: in without a question, out only with a person's yes.
//!
//! Both are decided and carried out here, so that no host and no tool can do it differently. This
//! file also says what a call may do in plan mode ([`CallAccess`](crate::CallAccess)) and which
//! tools are offered there. The module [`permit`](super::permit) decides what plan mode forbids, as
//! for any mode; a change of mode by a person is in `run/changes.rs`. Leaving restores the mode
//! from before and never a wider one, and plan mode that a person set cannot be left by the model.

use alloc::{string::String, sync::Arc, vec::Vec};

use holm_grants::{CallNeed, GrantKind, GrantSet, Level, LevelDecision, Mode};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{Run, batch::CallSlot, permit::kind_of, state::RunPhase};
use crate::loops::CallImpact;
use crate::{
    CallAccess, Event, Outcome, PlanAccess, PlanOffer, PlanRole, QuestionId, ToolKind, ToolOutput, ToolSpec,
};

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
    pub fn rewritten_plan(&self, question: QuestionId) -> Option<&str> {
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
        let read_only = |tool: &&Arc<ToolSpec>| tool.in_plan == PlanAccess::ReadOnly;
        let names: Vec<String> = self
            .offer()
            .tools
            .iter()
            .filter(read_only)
            .map(|tool| alloc::format!("`{}`", tool.name))
            .collect();
        let read_only = match names.as_slice() {
            [] => String::new(),
            [one] => alloc::format!(" {one} runs read-only."),
            several => alloc::format!(" {} run read-only.", several.join(" and ")),
        };
        alloc::format!("You are now in plan mode: explore, change nothing, and make the plan.{read_only}")
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

impl Run {
    /// What a call of this tool may do if it starts now.
    pub(super) fn access(&self, tool: &ToolSpec) -> CallAccess {
        let is_refused = self.state.mode.stance(tool.level) == LevelDecision::Deny;
        if is_refused && tool.in_plan == PlanAccess::ReadOnly {
            CallAccess::ReadOnly
        } else {
            CallAccess::Full
        }
    }

    /// Whether a call was issued with more than it would get now.
    pub(super) fn is_narrower_now(&self, slot: &CallSlot) -> bool {
        let now = slot.entry.as_ref().map(|entry| self.access(&entry.tool));
        slot.access == CallAccess::Full && now == Some(CallAccess::ReadOnly)
    }

    /// Why plan mode refuses a tool, and what the model can do about it.
    pub(super) fn refused_in_plan(&self, tool: &ToolSpec) -> String {
        let (name, mode) = (&tool.name, self.state.mode);
        let next = match self.state.planning_from {
            Some(_) => "make the plan, then leave the mode with `exit_plan`",
            None => "only the user can change the mode, so do not try again; answer with what you found",
        };
        alloc::format!("denied: `{name}` can make changes, and {mode} mode is read-only; {next}")
    }

    /// Offers the tools that the mode lets the model use. Otherwise the request stays as it is, so
    /// that a provider's cache serves it again when the mode returns.
    pub(super) fn refresh_plan_offer(&mut self) {
        let stage = match (self.config().plan_offer, self.state.mode, self.state.planning_from) {
            (PlanOffer::All, ..) | (PlanOffer::Usable, Mode::Default | Mode::AcceptEdits | Mode::Full, _) => {
                PlanStage::Off
            }
            (PlanOffer::Usable, Mode::Plan, Some(_)) => PlanStage::ByModel,
            (PlanOffer::Usable, Mode::Plan, None) => PlanStage::ByUser,
        };
        if self.catalogue.set_plan(stage) {
            self.shared.refresh(&self.state, &self.catalogue);
        }
    }
}

/// Who decided that the run only plans, where that limits which tools are offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlanStage {
    /// The offer does not depend on plan mode.
    #[default]
    Off,
    /// The model entered plan mode and can ask to leave it.
    ByModel,
    /// The user set plan mode, and only the user can end it.
    ByUser,
}

impl PlanStage {
    /// Whether a model can use a tool.
    pub(crate) fn fits(self, tool: &ToolSpec) -> bool {
        let is_usable =
            || Mode::Plan.stance(tool.level) != LevelDecision::Deny || tool.in_plan == PlanAccess::ReadOnly;
        match (self, &tool.kind) {
            (Self::Off, _) => true,
            (Self::ByModel, ToolKind::Plan(role)) => *role == PlanRole::Exit,
            (Self::ByUser, ToolKind::Plan(_)) => false,
            (
                Self::ByModel | Self::ByUser,
                ToolKind::Host | ToolKind::Agent { .. } | ToolKind::Skill { .. } | ToolKind::Children,
            ) => is_usable(),
        }
    }
}

impl CallAccess {
    /// The level at which a call counts.
    pub(super) fn level(self, declared: Level) -> Level {
        match self {
            Self::Full => declared,
            Self::ReadOnly => declared.min(Level::ReadOnly),
        }
    }

    /// The needs that remain.
    pub(super) fn allowed(self, needs: &Arc<[CallNeed]>) -> Arc<[CallNeed]> {
        match self {
            Self::Full => Arc::clone(needs),
            Self::ReadOnly => self.allowed_of(needs).into(),
        }
    }

    /// As [`allowed`](Self::allowed), as a list.
    pub(super) fn allowed_of(self, needs: &[CallNeed]) -> Vec<CallNeed> {
        needs.iter().filter(|need| self == Self::Full || only_looks(kind_of(need))).cloned().collect()
    }

    /// The grants that remain.
    pub(super) fn allowed_grants(self, grants: Arc<GrantSet>) -> Arc<GrantSet> {
        match self {
            Self::Full => grants,
            Self::ReadOnly => {
                Arc::new(grants.iter().filter(|grant| only_looks(grant.kind())).cloned().collect())
            }
        }
    }
}

/// Whether something of this kind can be used without changing or sending anything, by a tool that
/// confines what it starts.
const fn only_looks(kind: GrantKind) -> bool {
    match kind {
        GrantKind::Read | GrantKind::Env | GrantKind::Exec | GrantKind::Tool => true,
        GrantKind::Write | GrantKind::Fetch | GrantKind::Secret | GrantKind::Spawn => false,
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
