//! `holm acp`: an agent for editors that speak the Agent Client Protocol. This file has only the
//! flags; connections and sessions are handled in `acp/`.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use agent_client_protocol::Lines;
use tokio::io::BufReader;

use crate::{
    acp::{AcpSessionManager, incoming, outgoing},
    exit::{CommandError, CommandExit},
    log::ActivityLog,
    screen::TerminalOutput,
    stop_signals::first_signal,
};

/// Arguments of `holm acp`.
#[derive(Debug, clap::Args)]
pub(crate) struct AcpArgs {
    /// Options of `holm run`, such as --model, --grant, --mode and --budget
    #[arg(last = true, value_name = "RUN_OPTIONS")]
    options: Vec<String>,
}

/// Runs the command: the protocol on standard streams, and notes on standard error.
pub(crate) async fn execute(
    args: AcpArgs,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    let house = AcpSessionManager::new(args.options, data, log)?;
    if io::stdin().is_terminal() {
        TerminalOutput::default()
            .note("holm: an editor starts this command and talks to it; see docs/acp.md");
    }
    let (read, write) = (BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    let transport = Lines::new(outgoing(write), incoming(read));
    let stopped = AtomicBool::new(false);
    let stop = async {
        first_signal().await;
        stopped.store(true, Ordering::Relaxed);
    };
    match house.serve(transport, stop).await {
        Ok(()) if stopped.load(Ordering::Relaxed) => Ok(CommandExit::Cancelled),
        Ok(()) => Ok(CommandExit::Done),
        Err(error) => {
            Err(CommandError::new(CommandExit::Failed, format!("cannot read from the editor: {error}"))
                .into())
        }
    }
}
