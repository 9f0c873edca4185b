//! Updates the tools of a run when its host's tools differ from those in its journal. It only makes
//! the input for the kernel, which decides when the new tools count
//! (`holm-kernel/src/run/changes.rs`). Tools are registered in `tool/toolbox.rs`.

use std::sync::Arc;

use holm_kernel::{Input, Run, ToolKind, ToolSpec};

use super::Driver;
use crate::{DriveError, Toolbox};

impl Driver {
    /// The input that lists the host's tools for the run; `None` if it knows them. A run must not
    /// judge a call by an outdated declaration.
    pub(super) fn other_tools(&self, now: Vec<ToolSpec>) -> Option<Input> {
        let mut fact = Input::ToolsChanged(now);
        // Stored declarations contain no secrets.
        self.host.secrets.input(&mut fact);
        let Input::ToolsChanged(now) = &fact else { return None };
        let knows = |tool: &ToolSpec| self.run.tools().any(|known| **known == *tool);
        let same = self.run.tools().count() == now.len() && now.iter().all(knows);
        (!same).then_some(fact)
    }

    /// Replaces the run's tools. They are used once the run has accepted them, and not at all
    /// if it does not.
    pub(super) async fn change_tools(&mut self, tools: Toolbox) -> Result<(), DriveError> {
        let fact = Input::ToolsChanged(in_place_of(&self.host.tools, &self.run, &tools));
        let before = std::mem::replace(&mut self.host.tools, Arc::new(tools));
        let taken = self.take(fact).await;
        if taken.is_err() {
            self.host.tools = before;
        }
        taken
    }
}

/// The run's tools, with those of the old toolbox replaced by those of the new one. Tools that came
/// from no toolbox stay: helpers, skills, and those that the kernel answers itself.
pub(super) fn in_place_of(before: &Toolbox, run: &Run, tools: &Toolbox) -> Vec<ToolSpec> {
    let stays = |tool: &&Arc<ToolSpec>| {
        let name = &tool.name;
        tool.kind != ToolKind::Host && before.find(name).is_none() && tools.find(name).is_none()
    };
    let mut all = tools.declarations();
    all.extend(run.tools().filter(stays).map(|tool| ToolSpec::clone(tool)));
    all
}
