//! `holm session fork`: starts another session with the history of one.

use std::path::Path;

use super::SessionCommandContext;
use crate::{
    commands::run, exit::CommandExit, log::ActivityLog, session_fork::ForkContinuation,
    session_sidecar::SessionSidecar,
};

/// Arguments of `holm session fork`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionForkArgs {
    /// Session name, its beginning, or `last`
    pub(super) id: String,
    /// Options for the new session.
    #[command(flatten)]
    run: Box<run::RunArgs>,
}

/// Makes the session, and goes on with it if something is asked.
pub(super) async fn fork(
    opened: SessionCommandContext,
    args: SessionForkArgs,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    let forking = args.run.forking(args.id)?.logging(log);
    if forking.asks() {
        // The run opens the store for itself.
        drop(opened);
        return run::execute(forking, data).await;
    }
    let (branch, new) = forking.branch_and_name()?;
    // The new one works where the old one does, and never runs what that must not.
    let known = SessionSidecar::of(&opened.places, &branch.from)?;
    let shared = branch.grow(&opened.store, &new, ForkContinuation::Later).await?;
    if let Some(known) = known {
        known.forked(branch.from, shared).keep(&opened.places, &new)?;
    }
    opened.screen.line(&new);
    Ok(CommandExit::Done)
}
