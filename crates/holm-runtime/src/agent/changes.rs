//! What people change as they take a run over.

use holm_grants::{GrantSet, Mode};
use holm_kernel::{Budget, Input};

/// What is another from now on; see [`Agent::resume_with`](super::Agent::resume_with). What is none stays as the run has
/// it.
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
    /// What the run may do: these grants and no others, whatever it had.
    pub grants: Option<GrantSet>,
    /// What the run may spend, with what it has spent already.
    pub budget: Option<Budget>,
}

impl Changes {
    /// The facts that say so.
    pub(super) fn facts(self) -> Vec<Input> {
        let mode = self.mode.map(Input::ModeChanged);
        let grants = self.grants.map(Input::GrantsChanged);
        let budget = self.budget.map(Input::BudgetChanged);
        mode.into_iter().chain(grants).chain(budget).collect()
    }
}
