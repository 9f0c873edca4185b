//! Chooses which of the command's own tools a run has.

use holm::runtime::Toolbox;
use holm_tools::{
    files::FileToolContext,
    info,
    root::{ProtectionLevel, WorkspaceRoot},
    shell::CommandRules,
    simple_tools,
};

use super::{BuiltinToolSet, OutsideTools, guests::guests};
use crate::{holm_paths::HolmPaths, screen::TerminalOutput};

/// The tools of a set: the native ones of `outside`, the guests, or a few plain ones.
/// Missing tools are reported.
pub(crate) fn own(
    set: BuiltinToolSet,
    outside: OutsideTools,
    places: &HolmPaths,
    rules: &CommandRules,
    screen: &TerminalOutput,
) -> Toolbox {
    if set != BuiltinToolSet::Few {
        return set.of(outside.tools, &guests(places, rules));
    }
    few(places).unwrap_or_else(|why| {
        screen.note(&format!("holm: the file tools are not available: {why}"));
        Toolbox::new()
    })
}

/// Look-ups that a small model can choose among. Holm's own data is out of their reach.
fn few(places: &HolmPaths) -> anyhow::Result<Toolbox> {
    let root = WorkspaceRoot::open(&places.work)?.protect(&places.data, ProtectionLevel::Everything)?;
    let date = info::tools().into_iter().filter(|tool| tool.declaration().name == "date");
    let mut tools = Toolbox::new();
    for tool in simple_tools::tools(FileToolContext::new(root)).into_iter().chain(date) {
        tools.add_shared(tool)?;
    }
    Ok(tools)
}
