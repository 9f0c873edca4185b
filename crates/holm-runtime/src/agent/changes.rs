//! Changes that a person makes when taking a run over.

use holm_grants::{GrantSet, Mode};
use holm_kernel::{Budget, Input, MarkRule, Narrowing, Run};

/// Changes to a run's settings; see [`Agent::resume_with`](super::Agent::resume_with). A field that
/// is `None` leaves the run's value in place.
///
/// ```
/// use holm_grants::Mode;
/// use holm_runtime::Changes;
///
/// let changes = Changes { mode: Some(Mode::Plan), ..Changes::default() };
/// assert_ne!(changes, Changes::default());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// What is asked. What the model made of the mode before no longer counts.
    pub mode: Option<Mode>,
    /// The run's grants from now on; they replace all earlier ones.
    pub grants: Option<GrantSet>,
    /// What the run may spend, with what it has spent already.
    pub budget: Option<Budget>,
    /// What marks lead to: the stricter of this rule and the run's own. No change makes a run laxer in this.
    pub mark_rule: Option<MarkRule>,
}

impl Changes {
    /// The facts that say so to a run; a rule that it has already is no news.
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
        // First, so that what the others open is looked at under it.
        narrowed.into_iter().chain(mode).chain(grants).chain(budget).collect()
    }
}
