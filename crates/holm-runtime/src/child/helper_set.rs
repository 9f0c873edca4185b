//! The set of helpers of an agent: their declarations, their introduction for the model, and the
//! start of their children.
//!
//! One child is run in `child/child_execution.rs`, the list of running children is in
//! `child/live_children.rs`. How many children may work at once is limited per parent. Permissions
//! and budgets are not decided here but in the kernel.

use std::{collections::BTreeMap, fmt, fmt::Write as _, sync::Arc};

use holm_grants::Grant;
use holm_kernel::{Background, CHILDREN, ChildResult, ChildrenAtEnd, ToolSpec};
use tokio::sync::Semaphore;

use super::{HelperAgent, LiveChild, child_execution::ChildExecution, live_children::ChildRegistry};
use crate::{BoxFuture, ChildLaunch, ChildSpawner};

/// The helpers that an agent can delegate to; add them with
/// [`AgentBuilder::helpers`](crate::AgentBuilder::helpers). Clones share state: keep one to list
/// and reach the running children.
#[derive(Clone, Default)]
pub struct HelperSet {
    helpers: BTreeMap<String, HelperAgent>,
    most: Option<usize>,
    at_end: Option<ChildrenAtEnd>,
    shared: Arc<ChildRegistry>,
}

impl HelperSet {
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty set whose children are listed and reachable together with those of `others`. For
    /// the helpers of helpers.
    #[must_use]
    pub fn beside(others: &Self) -> Self {
        Self { shared: Arc::clone(&others.shared), ..Self::default() }
    }

    /// Adds a helper; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, helper: HelperAgent) -> Self {
        self.helpers.insert(helper.name().to_owned(), helper);
        self
    }

    /// Sets how many children of one run may work at the same time; the others wait.
    #[must_use]
    pub fn at_most(mut self, children: usize) -> Self {
        self.most = Some(children.max(1));
        self
    }

    /// Sets what happens to children in the background at a natural end of their parent; by default
    /// it waits for them.
    #[must_use]
    pub fn at_end(mut self, policy: ChildrenAtEnd) -> Self {
        self.at_end = Some(policy);
        self
    }

    /// The running children, and their children if [`beside`](Self::beside) made those helpers.
    pub fn live(&self) -> Vec<LiveChild> {
        self.shared.live()
    }

    /// A running child, by its id in the parent's journal.
    pub fn find(&self, child: &str) -> Option<LiveChild> {
        self.shared.find(child)
    }

    /// The declarations of the helpers, and of the tool that manages children in the background
    /// if one is needed.
    pub fn declarations(&self) -> Vec<ToolSpec> {
        let mut all: Vec<_> = self.helpers.values().map(|helper| helper.declaration.clone()).collect();
        if all.iter().any(|declaration| declaration.background != Background::Never) {
            all.push(ToolSpec::children(CHILDREN));
        }
        all
    }

    /// The policy for children in the background at the end.
    pub(crate) fn policy(&self) -> Option<ChildrenAtEnd> {
        self.at_end
    }

    /// The grants that are required to call these helpers.
    pub(crate) fn callings(&self) -> impl Iterator<Item = Grant> {
        self.helpers.values().filter_map(HelperAgent::calling)
    }

    /// The introduction of the helpers for the model.
    pub(crate) fn introduction(&self) -> String {
        let mut text = String::new();
        for helper in self.helpers.values() {
            let lead = if text.is_empty() { "Helpers you can delegate to; each is a tool:" } else { "" };
            let _ = write!(text, "{lead}\n- {}: {}", helper.name(), helper.declaration.description);
        }
        text
    }
}

impl ChildSpawner for HelperSet {
    fn spawn(&self, child: ChildLaunch) -> BoxFuture<'static, ChildResult> {
        let Some(helper) = self.helpers.get(&*child.request.tool).cloned() else {
            let reason = format!("the helper `{}` no longer exists", child.request.tool);
            return Box::pin(async move { child.not_run(reason).await });
        };
        let places = self.shared.places(&child.parent, self.most.unwrap_or(Semaphore::MAX_PERMITS));
        let work = ChildExecution { helper, places, shared: Arc::clone(&self.shared), child };
        Box::pin(work.run())
    }
}

impl fmt::Debug for HelperSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.helpers.keys()).finish()
    }
}
