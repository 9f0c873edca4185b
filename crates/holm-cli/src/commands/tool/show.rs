//! `holm tool list` and `show`: prints the tools. Loading them is done in `commands/tool.rs`; what
//! is printed is the declaration that the model gets.

use holm_tools::{agents::AgentBuildError, registry::RegistrySnapshot};
use serde_json::json;

use super::{find, no_such};
use crate::{exit::CommandExit, screen::TerminalOutput};

/// All of them, a line each.
pub(super) fn list(
    screen: &TerminalOutput,
    tools: &RegistrySnapshot,
    faults: &[AgentBuildError],
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    let declared = tools.toolbox().declarations();
    if as_json {
        screen.line(&serde_json::to_string(&declared)?);
        return Ok(CommandExit::Done);
    }
    let widest = declared.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
    for tool in &declared {
        let needs: Vec<String> = tool.needs.iter().map(ToString::to_string).collect();
        let needs = if needs.is_empty() { String::new() } else { format!(", needs {}", needs.join(" and ")) };
        let about = tool.description.lines().next().unwrap_or_default();
        let closed = faults.iter().any(|fault| fault.agent == tool.name);
        let closed = if closed { ", cannot be called now" } else { "" };
        screen.answer(&format!("{:widest$}  {about} ({}{needs}{closed})", tool.name, tool.level));
    }
    // A collision is reported where the tools are loaded.
    for renamed in tools.renamed().iter().filter(|renamed| !renamed.is_collision()) {
        screen.note(&format!("holm: {renamed}"));
    }
    Ok(CommandExit::Done)
}

/// One of them, whole.
pub(super) fn one(
    screen: &TerminalOutput,
    tools: &RegistrySnapshot,
    name: &str,
) -> anyhow::Result<CommandExit> {
    let mut all = tools.tools();
    let name = find(tools, name)?.declaration().name.as_str();
    let (tool, entry) = all.find(|(tool, _)| tool.declaration().name == name).ok_or_else(|| no_such(name))?;
    let declared = tool.declaration();
    let needs: Vec<String> = declared.needs.iter().map(ToString::to_string).collect();
    let shown = json!({
        "name": declared.name,
        "from": entry.origin,
        "description": declared.description,
        "keywords": entry.keywords,
        "level": declared.level,
        "needs": needs,
        "timeout_ms": declared.timeout_ms,
        "schema": declared.schema,
    });
    screen.line(&serde_json::to_string_pretty(&shown)?);
    Ok(CommandExit::Done)
}
