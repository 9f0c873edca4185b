//! Tools that a run has and does not offer, because what they are for is not there.

use std::collections::BTreeSet;
use std::sync::Arc;

use holm_runtime::{BoxFuture, Hook, HookSet, ToolGate};

/// The tools that only make sense where a person can answer: without one, a model that calls them
/// has lost a turn.
pub const PERSON_TOOLS: [&str; 2] = [ASK_USER, "brief"];

/// The tool with which a model asks the user.
pub const ASK_USER: &str = "ask_user";

/// Keeps tools from a model. They stay in the run, so that agents which name them are still whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithheldTools(BTreeSet<String>);

impl WithheldTools {
    /// Keeps these tools from a model.
    #[must_use]
    pub fn named(names: &[&str]) -> Self {
        Self(names.iter().copied().map(String::from).collect())
    }
}

impl ToolGate for WithheldTools {
    fn tools<'a>(&'a self, offered: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        let is_withheld = |name: &String| self.0.contains(name);
        let left = offered
            .iter()
            .any(is_withheld)
            .then(|| offered.iter().filter(|name| !is_withheld(name)).cloned().collect());
        Box::pin(async move { left })
    }
}

impl Hook for WithheldTools {
    fn join(self: Arc<Self>, hooks: HookSet) -> HookSet {
        hooks.tool_gate(self)
    }
}
