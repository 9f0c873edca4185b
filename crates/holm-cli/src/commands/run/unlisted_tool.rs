//! Wraps a tool so that the model does not see it, because none of its calls could pass. If a model
//! calls it anyway, the kernel refuses the call with the reason. Which tools are unlisted is
//! decided in `default_prompt/permissions.rs`, and `agent_parts.rs` wraps them.

use std::sync::Arc;

use holm::{
    kernel::{Listing, ToolOutput, ToolSpec},
    runtime::{BoxFuture, SecretReveal, Tool, ToolInvocation, Toolbox},
};

/// These tools, of which those with these names are not listed for the model.
pub(super) fn unlisted(names: &[&str], tools: Toolbox) -> Toolbox {
    if names.is_empty() {
        return tools;
    }
    tools.iter().fold(Toolbox::new(), |mut all, tool| {
        let tool = Arc::clone(tool);
        let is_named = names.contains(&tool.declaration().name.as_str());
        // Names of a toolbox are unique.
        let _ = all.add_shared(if is_named { UnlistedTool::of(tool) } else { tool });
        all
    })
}

/// A tool that no request lists.
struct UnlistedTool {
    declaration: ToolSpec,
    tool: Arc<dyn Tool>,
}

impl UnlistedTool {
    fn of(tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        let declaration = ToolSpec { listing: Listing::Unlisted, ..tool.declaration().clone() };
        Arc::new(Self { declaration, tool })
    }
}

impl Tool for UnlistedTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        self.tool.run(job)
    }

    fn reveal(&self) -> SecretReveal {
        self.tool.reveal()
    }
}
