//! A manual call of a tool under the rules of a run: arguments, grants, approvals and guards apply
//! as for a model. `holm tool execute` (`commands/tool.rs`) makes it at a terminal, the server for
//! a user in a browser.
//!
//! It does not call the tool directly: a scripted model calls it in a real run, so that no rule can
//! be forgotten here. Grants and mode never exceed the administrator's policy. An invalid deny rule
//! is an error, because the other rules would seem to be all.
//!
//! The approvals are asked in `approve.rs`, and `holm trust --explain` uses the same call without
//! running the tool (`commands/trust/explain.rs`).

use std::sync::{Arc, Mutex, PoisonError};

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::{
        Approvals, Block, Ending, Event, Message, ModelResult, Numbered, Outcome, Reply, StopReason,
        ToolCall, ToolOutput, ToolSpec,
    },
    models::ScriptedModel,
    runtime::{self, Agent, AgentBuilder, BoxFuture, RunHandle, ToolInvocation},
};
use holm_config::{ConfigLayers, ConfigSettings, SettingValue};
use holm_tools::shell::{ApprovalGate, CommandRules};

use crate::{
    checks::JailCheckRunner, commands::run, exit::CommandError, holm_paths::HolmPaths,
    screen::TerminalOutput, settings::FolderSettings, stop_signals::cancel_on_signal,
    tools::CommandConfinement,
};

/// A manual call of a tool.
pub(crate) struct ManualToolCall {
    pub(crate) tool: Arc<dyn runtime::Tool>,
    /// Its arguments as JSON.
    pub(crate) arguments: String,
    /// The grants of the call.
    pub(crate) grants: GrantSet,
    pub(crate) mode: Mode,
}

/// The result of a manual call.
pub(crate) struct ManualCallResult {
    /// What it came to.
    pub(crate) outcome: Outcome,
    /// The text that a model would get.
    pub(crate) said: String,
    /// Its whole output; `None` if it did not run.
    pub(crate) output: Option<ToolOutput>,
    /// Whether it was stopped before it had ended.
    pub(crate) is_cancelled: bool,
}

impl ManualToolCall {
    /// Runs the call by a script. `equip` adds what a run here has besides: secrets, hooks.
    pub(crate) async fn run(
        self,
        gate: ApprovalGate,
        equip: impl FnOnce(AgentBuilder) -> AgentBuilder,
    ) -> anyhow::Result<ManualCallResult> {
        self.run_watched(gate, equip, |_| ()).await
    }

    /// As [`run`](Self::run), for a command of the user: Ctrl-C and the other signals that end
    /// commands stop the call.
    pub(crate) async fn run_at_terminal(
        self,
        gate: ApprovalGate,
        screen: &Arc<TerminalOutput>,
        equip: impl FnOnce(AgentBuilder) -> AgentBuilder,
    ) -> anyhow::Result<ManualCallResult> {
        let screen = Arc::clone(screen);
        self.run_watched(gate, equip, |handle| drop(tokio::spawn(cancel_on_signal(handle, screen)))).await
    }

    async fn run_watched(
        self,
        gate: ApprovalGate,
        equip: impl FnOnce(AgentBuilder) -> AgentBuilder,
        watch_run: impl FnOnce(RunHandle),
    ) -> anyhow::Result<ManualCallResult> {
        let name = self.tool.declaration().name.clone();
        let output = Arc::new(Mutex::new(None));
        let kept = RecordingTool { tool: self.tool, output: Arc::clone(&output) };
        let outcome = Arc::new(Mutex::new((Outcome::Refused, String::new())));
        let watched = Arc::clone(&outcome);
        let builder = Agent::builder("scripted/by-hand", script(&name, &self.arguments))
            .tool(kept)
            .grants(self.grants)
            .mode(self.mode)
            .approvals(Approvals::Ask)
            .approver(gate)
            .config(|config| config.policy.aliases = holm_tools::aliases())
            .checks(JailCheckRunner::in_folder(std::env::current_dir()?, CommandConfinement::Required))
            .events(move |event: &Numbered| watch(&watched, &event.event));
        let mut session = equip(builder).build()?.start().await?;
        watch_run(session.handle());
        let report = session.prompt("Run the tool once.").await?;
        let is_cancelled = matches!(report.ending, Ending::Cancelled { .. });
        let (outcome, said) = outcome.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let output = output.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(ManualCallResult { outcome, said, output, is_cancelled })
    }
}

/// What was given, as far as an administrator of the machine lets anybody go.
pub(crate) fn bound(
    grants: &[Grant],
    mode: Mode,
    places: &HolmPaths,
) -> Result<(Vec<Grant>, Mode), CommandError> {
    let here = FolderSettings::find(places)?;
    here.check(places)?;
    let given = grants.iter().map(|grant| SettingValue::flag("--grant", grant.clone())).collect();
    let flags = ConfigSettings {
        mode: Some(SettingValue::flag("--mode", mode)),
        grants: (!grants.is_empty()).then_some(given),
        ..ConfigSettings::default()
    };
    let bound = ConfigLayers { policy: here.loaded.layers.policy, ..ConfigLayers::default() }.settle(flags);
    let mode = bound.mode.map_or(mode, |mode| mode.value);
    Ok((bound.grants.into_iter().flatten().map(|grant| grant.value).collect(), mode))
}

/// Adds the commands that the settings forbid. An invalid rule is an error: the others would
/// seem to be all.
pub(crate) fn denied(places: &HolmPaths, mut rules: CommandRules) -> Result<CommandRules, CommandError> {
    let settings = FolderSettings::find(places)?.loaded.layers.settle(ConfigSettings::default());
    run::parsed(settings.deny)?.into_iter().for_each(|rule| rules.deny(rule));
    Ok(rules)
}

/// A model that calls one tool and says no more.
fn script(tool: &str, arguments: &str) -> ScriptedModel {
    let (id, name, arguments) = ("by-hand".into(), tool.into(), arguments.into());
    let call = Block::ToolCall(ToolCall { id, name, arguments, replay: None });
    let calls = Reply { blocks: vec![call], stop: StopReason::ToolUse, ..Reply::default() };
    let done = Reply { blocks: vec![Block::Text("done".into())], ..Reply::default() };
    ScriptedModel::new([calls, done].map(ModelResult::Replied))
}

/// Remembers what the call came to, and what the model would have been told.
fn watch(outcome: &Mutex<(Outcome, String)>, event: &Event) {
    let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
    match event {
        Event::CallFinished { outcome: came_to, .. } => outcome.0 = *came_to,
        Event::MessageAdded { message } => outcome.1.extend(told(message)),
        _ => {}
    }
}

/// The inside of the envelope in which the model reads a result.
fn told(message: &Message) -> Option<String> {
    message.blocks.iter().find_map(|block| match block {
        Block::ToolResult(result) => Some(result.said().trim().to_owned()),
        _ => None,
    })
}

/// A tool whose output is recorded for the user who called it.
struct RecordingTool {
    tool: Arc<dyn runtime::Tool>,
    output: Arc<Mutex<Option<ToolOutput>>>,
}

impl runtime::Tool for RecordingTool {
    fn declaration(&self) -> &ToolSpec {
        self.tool.declaration()
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let (running, kept) = (self.tool.run(job), Arc::clone(&self.output));
        Box::pin(async move {
            let output = running.await;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(output.clone());
            output
        })
    }
}
