//! `holm acp`: an agent for editors that speak the Agent Client Protocol.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
};

use agent_client_protocol::Lines;
use tokio::io::BufReader;

use crate::{
    acp::{House, incoming, outgoing},
    exit::{Exit, Trouble},
    log::Log,
    screen::Screen,
};

/// Arguments of `holm acp`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Options of `holm run`, such as --model, --grant, --mode and --budget
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// Runs the command: the protocol on standard streams, and notes on standard error.
pub(crate) async fn execute(args: Args, data: Option<&Path>, log: &Log) -> anyhow::Result<Exit> {
    let house = House::new(args.options, data, log)?;
    if io::stdin().is_terminal() {
        Screen::default().note("holm: an editor starts this command and talks to it; see docs/acp.md");
    }
    let (read, write) = (BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    let transport = Lines::new(outgoing(write), incoming(read));
    match house.serve(transport).await {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(Trouble::new(Exit::Failed, format!("cannot read from the editor: {error}")).into()),
    }
}
