//! `holm trust --explain CALL`: what would happen to a call in this folder, and why. The kernel
//! decides as in a run; the tool itself never runs.

use std::sync::{Arc, Mutex, PoisonError};

use holm::{
    grants::Mode,
    kernel::{AskReason, Outcome, Proposal, ToolOutput, ToolSpec},
    runtime::{self, BoxFuture, ToolInvocation},
};
use holm_tools::shell::{ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, CommandRules};

use crate::{
    approve,
    exit::{CommandError, CommandExit},
    folder_trust::FolderAccess,
    holm_paths::HolmPaths,
    manual_call::ManualToolCall,
    screen::TerminalOutput,
};

/// Explains a call that is written as the name of a tool and its arguments as JSON.
pub(super) async fn execute(
    call: &str,
    tools: &[Arc<dyn runtime::Tool>],
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let (name, arguments) = call.trim().split_once(char::is_whitespace).unwrap_or((call.trim(), "{}"));
    let tool = tools.iter().find(|tool| tool.declaration().name == name).ok_or_else(|| {
        let message = format!("there is no tool `{name}` of Holm");
        CommandError::new(CommandExit::Missing, message)
            .hint("write a call as: write '{\"path\": \"a.txt\"}'")
    })?;
    let settings = FolderAccess::of(places)?.settings();
    let grants = settings.grants.into_iter().flatten().map(|grant| grant.value).collect();
    let mode = settings.mode.map_or_else(Mode::default, |mode| mode.value);
    let asked = Arc::new(Mutex::new(None));
    let gate = ApprovalGate::new(QuestionRecorder(Arc::clone(&asked)), CommandRules::default());
    let trial = ManualToolCall {
        tool: Arc::new(UnrunTool(tool.declaration().clone())),
        arguments: arguments.to_owned(),
        grants,
        mode,
    };
    let workspace = places.workspace();
    let came = trial.run(gate, |builder| builder.config(|config| config.workspace = workspace)).await?;
    let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
    match asked {
        Some(proposal) => {
            screen.line(&format!("`{name}`: Holm would ask you."));
            why(&proposal).iter().for_each(|line| screen.line(&format!("  {line}")));
        }
        None if came.outcome == Outcome::Succeeded => {
            screen.line(&format!("`{name}`: it would run without a question."));
            came.output.iter().for_each(|output| screen.line(&format!("  {}", output.text)));
        }
        None => screen.line(&format!("`{name}`: it would not run: {}", came.said)),
    }
    Ok(CommandExit::Done)
}

/// The reasons of a question, and the level that would spare it.
fn why(proposal: &Proposal) -> Vec<String> {
    let mut lines: Vec<String> =
        proposal.missing.iter().map(|need| format!("{need} is not granted")).collect();
    if proposal.reasons.contains(&AskReason::Level) {
        lines.push(format!("the mode asks about calls of this level ({})", proposal.level));
    }
    lines.extend(
        approve::lowest_trust(proposal).map(|level| format!("`holm trust {}` would allow it", level.name())),
    );
    lines
}

/// Records the question and says no.
struct QuestionRecorder(Arc<Mutex<Option<Proposal>>>);

impl ApprovalAsker for QuestionRecorder {
    fn ask(&self, proposal: Proposal, _: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(proposal);
        Box::pin(async { ApprovalAnswer::No { reason: "it is only explained".into() } })
    }
}

/// A tool that is declared like another one and does nothing but say what the call needs.
struct UnrunTool(ToolSpec);

impl runtime::Tool for UnrunTool {
    fn declaration(&self) -> &ToolSpec {
        &self.0
    }

    fn run(&self, call: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let needs: Vec<String> = call.needs.iter().map(ToString::to_string).collect();
        let text = match needs.as_slice() {
            [] => "it needs no grant".into(),
            needs => format!("it needs {}, which is granted", needs.join(" and ")),
        };
        Box::pin(async { ToolOutput::text(text) })
    }
}
