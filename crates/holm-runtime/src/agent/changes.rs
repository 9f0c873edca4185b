//! Changes that a person makes when taking a run over.

use holm_grants::{GrantSet, Mode};
use holm_kernel::{Budget, Input, MarkRule, Narrowing, Run};

/// Changes to a run's settings; see [`Agent::resume_with`](super::Agent::resume_with). A field that
/// is `None` leaves the run's value in place.
///
/// ```
/// use holm_grants::Mode;
/// use holm_runtime::ResumeChanges;
///
/// let changes = ResumeChanges { mode: Some(Mode::Plan), ..ResumeChanges::default() };
/// assert_ne!(changes, ResumeChanges::default());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResumeChanges {
    /// The mode. The model's own plan mode no longer counts.
    pub mode: Option<Mode>,
    /// The run's grants from now on; they replace all earlier ones.
    pub grants: Option<GrantSet>,
    /// The total budget, including what is already spent.
    pub budget: Option<Budget>,
    /// The rule for marks; the stricter of this one and the run's own applies.
    pub mark_rule: Option<MarkRule>,
}

impl ResumeChanges {
    /// The facts that tell a run about the changes; an unchanged rule is left out.
    pub(super) fn facts(self, run: &Run) -> Vec<Input> {
        let mode = self.mode.map(Input::ModeChanged);
        let grants = self.grants.map(Input::GrantsChanged);
        let budget = self.budget.map(Input::BudgetChanged);
        let own = run.config().mark_rule;
        let rule = self.mark_rule.filter(|rule| own.stricter(*rule) != own);
        let narrowed = rule.map(|rule| {
            let narrowing = Narrowing { mark_rule: Some(rule), ..Narrowing::default() };
            Input::Narrowed(Box::new(narrowing))
        });
        // First, so that it applies to everything that the other changes cause.
        narrowed.into_iter().chain(mode).chain(grants).chain(budget).collect()
    }
}
