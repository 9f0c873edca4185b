//! `holm session fork`: starts another session with the history of one, up to a record. It only has
//! the flags: a fork is defined in `commands/run/fork_args.rs`, and the journal is written by
//! `session_fork.rs`. The old session is not changed.

use std::path::Path;

use super::SessionCommandContext;
use crate::{
    commands::run,
    exit::{CommandError, CommandExit},
    log::ActivityLog,
    session_fork::ForkContinuation,
    session_sidecar::SessionSidecar,
};

/// Arguments of `holm session fork`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionForkArgs {
    /// Session name, a prefix of it, or `last`
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
    forking.check_without_prompt()?;
    let denied = forking.denied().to_vec();
    let (branch, new) = forking.branch_and_name()?;
    // The new one works where the old one does, and never runs what that must not.
    let known = SessionSidecar::of(&opened.places, &branch.from)?;
    if known.is_none() && !denied.is_empty() {
        let message = "--deny-command cannot be stored for this fork: the terms of its session are lost";
        return Err(CommandError::new(CommandExit::Usage, message)
            .hint("use it when you resume the fork")
            .into());
    }
    let shared = branch.grow(&opened.store, &new, ForkContinuation::Later).await?;
    // Without known terms, the fork has at most what a new session has when it is resumed.
    if let Some(mut known) = known {
        known.terms.deny(denied);
        known.forked(branch.from, shared).keep(&opened.places, &new)?;
    }
    opened.screen.line(&new);
    Ok(CommandExit::Done)
}
