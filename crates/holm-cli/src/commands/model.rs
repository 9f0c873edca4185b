//! `holm model`: shows the track record of models, and manages local models. Which model a run uses
//! is decided in `model.rs` beside this folder; the record is computed from journals by
//! `holm-store`.
//!
//! Where things are:
//! - `model/local_models.rs`: lists, tests, measures and removes local models.
//! - `model/pull.rs`: downloads one.

#[cfg(feature = "local")]
mod local_models;
#[cfg(feature = "local")]
mod pull;

use std::path::Path;

use clap::Subcommand;
use holm::{
    kernel::TaskKind,
    runtime::{ModelStanding, TaskFailure},
};

use crate::{exit::CommandExit, holm_paths, screen::TerminalOutput};

/// What a table shows of a reason, in characters; `--json` has all of it.
const REASON_CHARS: usize = 80;

/// Subcommands of `holm model`.
#[derive(Debug, Subcommand)]
#[cfg_attr(feature = "local", command(after_help = local_models::HELP))]
pub(crate) enum ModelCommand {
    /// Show how models have performed by kind of task, from the journals of all sessions
    Ledger {
        /// Show only this kind of task
        #[arg(long)]
        kind: Option<String>,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    #[cfg(feature = "local")]
    #[command(flatten)]
    Here(local_models::LocalModelCommand),
}

pub(crate) async fn execute(command: ModelCommand, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let (kind, json) = match command {
        ModelCommand::Ledger { kind, json } => (kind, json),
        #[cfg(feature = "local")]
        ModelCommand::Here(command) => return local_models::execute(command).await,
    };
    let store = holm_paths::store_to_read(&holm_paths::data_here(data)?).await?;
    let screen = TerminalOutput::default();
    let known = store.model_ledger(kind.map(TaskKind::new).as_ref()).await?;
    if json {
        for standing in &known {
            screen.line(&serde_json::to_string(standing)?);
        }
    } else if known.is_empty() {
        screen.note("holm: no session of this kind used a model");
    } else {
        screen.answer(&table(&known));
    }
    Ok(CommandExit::Done)
}

/// One line a model and kind, and below it why its last task failed.
fn table(known: &[ModelStanding]) -> String {
    let width = |text: fn(&ModelStanding) -> &str, head: &str| {
        known.iter().map(|standing| text(standing).chars().count()).fold(head.len(), usize::max)
    };
    let kinds = width(|standing| standing.kind.as_str(), "kind");
    let models = width(|standing| &standing.model, "model");
    let mut lines = vec![format!(
        "{:<kinds$}  {:<models$}  {:>6}  {:>8}  {:>8}  {:>7}  {:>10}",
        "kind", "model", "tasks", "answered", "rejected", "invalid", "taken over"
    )];
    for ModelStanding { model, kind, score } in known {
        let kind = kind.as_str();
        lines.push(format!(
            "{kind:<kinds$}  {model:<models$}  {:>6}  {:>8}  {:>8}  {:>7}  {:>10}",
            score.tasks, score.successes, score.rejections, score.invalid_calls, score.step_ups
        ));
        lines.extend(score.whys.last().map(reason));
    }
    lines.join("\n")
}

fn reason(why: &TaskFailure) -> String {
    let flat = why.reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = flat.chars().take(REASON_CHARS).collect();
    let cut = if short.len() < flat.len() { "…" } else { "" };
    match &why.to {
        Some(to) => format!("    {to} took over: {short}{cut}"),
        None => format!("    failed: {short}{cut}"),
    }
}

#[cfg(test)]
mod tests;
