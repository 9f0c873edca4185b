//! `holm trust --explain CALL`: what would happen to a call in this folder, and why. The kernel
//! decides as in a run, with the same settings and command rules; the tool itself never runs. The
//! file tools may refuse a call later, so their rules are checked too.
//!
//! It decides nothing and grants nothing. The call is prepared in `manual_call.rs`, settings are
//! read in `settings.rs`, the rules for commands and files are in `holm-tools`, and levels are
//! stored in `folder_trust.rs`. Grants for past questions are suggested in `suggest.rs`.

use std::sync::{Arc, Mutex, PoisonError};

use holm::{
    grants::{AccessRequest, Grant, GrantSet, Level},
    guards::json::Json,
    kernel::{AskReason, Outcome, Proposal, ToolOutput, ToolSpec},
    runtime::{self, BoxFuture, ToolInvocation},
};
use holm_config::ConfigSettings;
use holm_tools::{
    files::is_file_tool,
    root::{ProtectionLevel, WorkspaceRoot},
    shell::{
        ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, ClosedPlaces, CommandRules,
        CommandRuling, RUN_PROGRAM, SHELL,
    },
};
use serde::Serialize;

use crate::{
    agents::AgentDefinition,
    approve, command_rule,
    commands::run,
    exit::{CommandError, CommandExit},
    folder_trust::FolderAccess,
    holm_paths::{HolmPaths, quoted},
    manual_call::ManualToolCall,
    protected_paths::ProtectedPaths,
    screen::TerminalOutput,
    settings::FolderSettings,
};

/// What would happen to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CallDecision {
    Runs,
    Asked,
    Refused,
}

/// A call, what would happen to it, and why.
#[derive(Debug, Serialize)]
struct CallExplanation<'a> {
    tool: &'a str,
    decision: CallDecision,
    reasons: Vec<String>,
    /// What the call needs, as grants.
    needs: Vec<String>,
}

impl CallExplanation<'_> {
    fn lines(&self) -> Vec<String> {
        let Self { tool, decision, reasons, .. } = self;
        let (first, below) = match decision {
            CallDecision::Refused => {
                return vec![format!("`{tool}`: it would not run: {}", reasons.join("; "))];
            }
            CallDecision::Asked => (format!("`{tool}`: Holm would ask you."), reasons),
            CallDecision::Runs => (format!("`{tool}`: it would run without a question."), reasons),
        };
        std::iter::once(first).chain(below.iter().map(|reason| format!("  {reason}"))).collect()
    }
}

/// Explains a call that is written as the name of a tool and its arguments as JSON. The names that
/// models use for tools and arguments are understood as in a run.
pub(super) async fn execute(
    call: &str,
    tools: &[Arc<dyn runtime::Tool>],
    places: &HolmPaths,
    screen: &TerminalOutput,
    json: bool,
) -> anyhow::Result<CommandExit> {
    let (name, arguments) = call.trim().split_once(char::is_whitespace).unwrap_or((call.trim(), "{}"));
    let spec = declared(name, tools)?;
    if name == call.trim() && !spec.needs.is_empty() {
        let message = format!("the arguments of `{name}` are missing");
        let hint = "write the call as: holm trust --explain 'write {\"path\": \"a.txt\", \"content\": \"\"}'";
        return Err(CommandError::new(CommandExit::Usage, message).hint(hint).into());
    }
    let explanation = explained(spec, arguments, places, screen).await?;
    if json {
        screen.line(&serde_json::to_string_pretty(&explanation)?);
    } else {
        explanation.lines().iter().for_each(|line| screen.line(line));
    }
    Ok(CommandExit::Done)
}

/// Tries the call with a tool that does nothing.
async fn explained<'a>(
    spec: &'a ToolSpec,
    written: &str,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<CallExplanation<'a>> {
    let name = spec.name.as_str();
    let settings = run_settings(places, screen)?;
    let grants: GrantSet = settings.grants.into_iter().flatten().map(|grant| grant.value).collect();
    let rules = run::rules_of(&run::parsed(settings.allow)?, &run::parsed(settings.deny)?);
    let root = root(&grants, places)?;
    let seen = Arc::new(Mutex::new(SeenCall::default()));
    let gate = ApprovalGate::new(QuestionRecorder(Arc::clone(&seen)), rules.clone());
    let trial = ManualToolCall {
        tool: Arc::new(UnrunTool { spec: spec.clone(), seen: Arc::clone(&seen) }),
        arguments: written.to_owned(),
        grants,
        mode: settings.mode.map_or_else(Default::default, |mode| mode.value),
    };
    let workspace = places.workspace();
    let gate = gate.hiding(ClosedPlaces::of(&root));
    let came = trial.run(gate, |builder| builder.config(|config| config.workspace = workspace)).await?;
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    let asked = seen.question.as_ref();
    let needs = asked.map_or(&seen.needs, |question| &question.needs).clone();
    let arguments = asked.map(|question| &question.arguments).or(seen.arguments.as_ref());
    let arguments = arguments.map_or(written, String::as_str);
    let is_command = [SHELL, RUN_PROGRAM].contains(&name);
    let refusal = if is_command {
        command_rule_refusal(name, arguments, &rules)
    } else {
        file_tool_refusal(name, &needs, &root)?
    };
    let (decision, reasons) = match (refusal.or_else(|| missing_arguments(spec, arguments, &needs)), asked) {
        (Some(why), _) => (CallDecision::Refused, vec![why]),
        (None, Some(question)) => (CallDecision::Asked, why(question)),
        (None, None) if came.outcome == Outcome::Succeeded => (CallDecision::Runs, vec![granted(&needs)]),
        (None, None) => {
            let why = came.said.strip_prefix("not run: ").unwrap_or(&came.said);
            (CallDecision::Refused, vec![why.to_owned()])
        }
    };
    Ok(CallExplanation { tool: name, decision, reasons, needs })
}

fn declared<'a>(name: &str, tools: &'a [Arc<dyn runtime::Tool>]) -> Result<&'a ToolSpec, CommandError> {
    let find = |name: &str| tools.iter().map(|tool| tool.declaration()).find(|spec| spec.name == name);
    // A tool that has the name is never taken for another one.
    let meant = || holm_tools::aliases().into_iter().find(|alias| alias.name == name);
    find(name).or_else(|| find(&meant()?.tool)).ok_or_else(|| {
        CommandError::new(CommandExit::Missing, format!("there is no tool `{name}` here"))
            .hint("`holm tool list` shows the tools")
    })
}

/// What is missing in a call without arguments that needs nothing only because of that. Some tools
/// take one argument or another, so that their schema requires none.
fn missing_arguments(spec: &ToolSpec, arguments: &str, needs: &[String]) -> Option<String> {
    let is_empty = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments)
        .is_ok_and(|arguments| arguments.is_empty());
    if !is_empty || !needs.is_empty() {
        return None;
    }
    let mut names: Vec<String> = match spec.schema.get("required") {
        Some(Json::Array(required)) => required.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    if names.is_empty() {
        let needs = spec.needs.iter().map(ToString::to_string);
        let named = |need: String| {
            let names = need.split('{').skip(1).filter_map(|part| part.split(['}', '?']).next());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        names = needs.flat_map(named).collect();
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let what = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| format!("the arguments are invalid: {} {what} missing", names.join(" and ")))
}

/// The settings of a run that is started here without flags.
fn run_settings(places: &HolmPaths, screen: &TerminalOutput) -> Result<ConfigSettings, CommandError> {
    let mut here = FolderSettings::find(places)?;
    here.check(places)?;
    here.loaded.layers = here.loaded.layers.with_folder(FolderAccess::of(places)?.settings());
    if let Some(agent) = AgentDefinition::in_place_of_default(places)? {
        let (says, owner) = agent.says();
        here.loaded.layers = here.loaded.layers.with_agent(says, owner);
    }
    Ok(here.settle(ConfigSettings::default(), screen))
}

/// The folder of the file tools, with its rules.
fn root(grants: &GrantSet, places: &HolmPaths) -> anyhow::Result<WorkspaceRoot> {
    let root = WorkspaceRoot::open(&places.work)?.protect(&places.data, ProtectionLevel::Everything)?;
    Ok(ProtectedPaths::find(places).granted(grants.iter()).over(root)?)
}

/// Why the file tools would refuse one of these needs, even if it is granted and approved.
fn file_tool_refusal(tool: &str, needs: &[String], root: &WorkspaceRoot) -> anyhow::Result<Option<String>> {
    for need in needs.iter().filter_map(|need| need.parse::<AccessRequest>().ok()) {
        if let Err(outside) = root.check_inside(&need)
            && is_file_tool(tool)
        {
            return Ok(Some(outside.to_string()));
        }
        let Some(rule) = root.closed_by(&need)? else { continue };
        let named = Grant::exactly(&need).ok();
        let opens = |grant: &Grant| -> anyhow::Result<bool> {
            let named = std::iter::once(grant.clone()).collect();
            Ok(root.clone().naming(&named).closed_by(&need)?.is_none())
        };
        let advice = match named {
            Some(grant) if opens(&grant)? => {
                format!("; a grant that names it opens it: --grant {}", quoted(&grant.to_string()))
            }
            _ => String::new(),
        };
        return Ok(Some(format!("{need} is closed to tools (deny list: {rule}){advice}")));
    }
    Ok(None)
}

/// Why the rules about commands forbid a command, at every level.
fn command_rule_refusal(tool: &str, arguments: &str, rules: &CommandRules) -> Option<String> {
    match rules.judge(&command_rule::script_of(tool, arguments)?) {
        CommandRuling::Denied(rule) => Some(format!("the rule `{rule}` forbids it")),
        CommandRuling::Unclear(why) => Some(why.into()),
        CommandRuling::Allowed | CommandRuling::Ask => None,
    }
}

/// The reasons of a question, and the level that would spare it.
fn why(proposal: &Proposal) -> Vec<String> {
    let mut lines: Vec<String> =
        proposal.missing.iter().map(|need| format!("{need} is not granted")).collect();
    if proposal.reasons.contains(&AskReason::Level) {
        lines.push(level_reason(proposal).to_owned());
    }
    lines.extend(
        approve::lowest_trust(proposal).map(|level| format!("`holm trust {}` would allow it", level.name())),
    );
    lines
}

/// What Holm asks about at this level, in words.
fn level_reason(proposal: &Proposal) -> &'static str {
    match proposal.level {
        Level::Execute if [SHELL, RUN_PROGRAM].contains(&proposal.tool.as_str()) => {
            "Holm asks before every command here"
        }
        Level::Execute => "Holm asks before every call that can run programs",
        Level::None | Level::ReadOnly | Level::Write => "Holm asks before every change here",
    }
}

/// That these needs are granted, in words.
fn granted(needs: &[String]) -> String {
    match needs {
        [] => "it needs no grant".into(),
        [need] => format!("it needs {need}, which is granted"),
        needs => format!("it needs {}, which are granted", needs.join(", ")),
    }
}

/// What a trial of the call showed.
#[derive(Debug, Default)]
struct SeenCall {
    /// The question, if there was one.
    question: Option<Proposal>,
    /// The needs of the call, if it passed.
    needs: Vec<String>,
    /// Its arguments then, under the names of the tool.
    arguments: Option<String>,
}

/// Records the question and says no.
struct QuestionRecorder(Arc<Mutex<SeenCall>>);

impl ApprovalAsker for QuestionRecorder {
    fn ask(&self, proposal: Proposal, _: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).question = Some(proposal);
        Box::pin(async { ApprovalAnswer::No { reason: "it is only explained".into() } })
    }
}

/// A tool that is declared like another one and does nothing but record what the call needs.
struct UnrunTool {
    spec: ToolSpec,
    seen: Arc<Mutex<SeenCall>>,
}

impl runtime::Tool for UnrunTool {
    fn declaration(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, call: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let needs = call.needs.iter().map(ToString::to_string).collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.needs = needs;
        seen.arguments = Some(call.arguments.to_string());
        drop(seen);
        Box::pin(async { ToolOutput::text("it would run") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_need_is_granted_and_several_are() {
        let needs = |needs: &[&str]| granted(&needs.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(needs(&[]), "it needs no grant");
        assert_eq!(needs(&["read:a"]), "it needs read:a, which is granted");
        assert_eq!(needs(&["read:a", "write:a"]), "it needs read:a, write:a, which are granted");
    }
}
