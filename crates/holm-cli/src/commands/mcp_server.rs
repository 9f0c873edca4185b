//! `holm mcp-server`: serves Holm's agents and tools to MCP clients. The protocol is in
//! `holm-mcp/src/server/`; sessions and skills for clients are in `mcp_resources.rs`; servers whose
//! tools Holm uses are managed by `mcp.rs`.
//!
//! A client's call has the rights that the flags of this command give, and hooks, budget and
//! journal apply as to a model's call. Over HTTP, it listens only on this machine and only with a
//! token.

use std::{net::Ipv4Addr, path::Path, sync::Arc};

use holm::runtime::{CancellationToken, SecretString};
use holm_mcp::server::{
    AgentStarter, AnsweringAgent, CallRights, HttpAccessPolicy, McpServerHandler, RegistryExposure, RunSetup,
    serve_http, serve_stdio,
};
use tokio::net::TcpListener;

use super::run;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    log::ActivityLog,
    mcp_resources::{SessionResources, SkillPrompts},
    screen::TerminalOutput,
    stop_signals::first_signal,
};

/// Holds the token that clients over HTTP must know.
const TOKEN: &str = "HOLM_MCP_TOKEN";

/// Arguments of `holm mcp-server`.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, clap::Args)]
pub(crate) struct McpServerArgs {
    /// Serve the tools too, not only the agents
    #[arg(long)]
    tools: bool,
    /// Let clients read all your sessions, as resources
    #[arg(long)]
    sessions: bool,
    /// Serve over HTTP on this local port, to clients with the token in $HOLM_MCP_TOKEN [default:
    /// standard input and output]
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
    /// Options of `holm run`, such as --model, --grant, --mode and --budget
    #[arg(last = true, value_name = "RUN_OPTIONS")]
    options: Vec<String>,
}

pub(crate) async fn execute(
    args: McpServerArgs,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    let run = run::RunArgs::behind("holm mcp-server --", args.options.iter().map(String::as_str))?;
    let screen = Arc::new(TerminalOutput::default());
    let (run, places) = run.logging(log).settle(HolmPaths::find(data)?, &screen)?;
    let made = run::unattended(&run, &places, &screen).await?;
    let shows = if args.tools { RegistryExposure::Everything } else { RegistryExposure::Agents };
    let exposed = exposed(&made, &run, &HolmPaths::find(data)?, shows);
    let exposed = if args.sessions { exposed.library(SessionResources::new(&made.store)) } else { exposed };
    let stop = CancellationToken::new();
    let exposed = exposed.until(stop.clone());
    let served = async {
        match args.http {
            None => {
                let (read, write) = (tokio::io::stdin(), tokio::io::stdout());
                serve_stdio(exposed, read, write)
                    .await
                    .map_err(|why| CommandError::new(CommandExit::Failed, why))?;
                Ok(CommandExit::Done)
            }
            Some(port) => over_http(exposed, port, &screen).await,
        }
    };
    tokio::select! {
        served = served => served,
        () = first_signal() => {
            // The calls end by themselves now, and the end of the process waits for the check of
            // their commands.
            stop.cancel();
            Ok(CommandExit::Cancelled)
        }
    }
}

/// What clients can use of an assembled agent: itself, the agent files, and skills as prompts.
pub(crate) fn exposed(
    made: &run::AssembledAgent,
    run: &run::RunArgs,
    places: &HolmPaths,
    shows: RegistryExposure,
) -> McpServerHandler {
    let (hooks, store, budget) = (made.hooks.clone(), made.store.clone(), run.budget());
    // What a client calls is looked at, paid for and remembered like what a model calls.
    let outfit = RunSetup::new(move |builder| {
        let builder = builder.hooks(hooks.clone()).journals(store.clone()).blobs(store.clone());
        builder.config(|config| config.limits.budget.usd = budget)
    });
    let rights = CallRights {
        grants: run.granted(),
        mode: run.mode(),
        secrets: made.secrets.clone(),
        spawner: Some(AgentStarter::new(made.crew.clone())),
        outfit,
    };
    let agent: Arc<dyn AnsweringAgent> = Arc::new(Arc::new(made.agent.clone()));
    McpServerHandler::new()
        .agents([("holm", "An agent that works in this folder, with the tools that it was given.", agent)])
        .registry(made.tools.registry().clone(), shows, rights)
        .prompts(SkillPrompts::new(places))
}

/// Skills as prompts, and nothing else.
pub(crate) fn prompts(places: &HolmPaths) -> McpServerHandler {
    McpServerHandler::new().prompts(SkillPrompts::new(places))
}

async fn over_http(
    exposed: McpServerHandler,
    port: u16,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    let Some(token) = token else {
        let message = format!("{TOKEN} is not set, so the server cannot authenticate clients");
        return Err(CommandError::new(CommandExit::Usage, message)
            .hint("set it to a long random string")
            .into());
    };
    let address = (Ipv4Addr::LOCALHOST, port);
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let message = format!("cannot listen on {}:{port}: {error}", address.0);
        CommandError::new(CommandExit::Failed, message).hint("choose another port with --http")
    })?;
    screen.line(&format!("http://{}/mcp", listener.local_addr()?));
    match serve_http(listener, exposed, HttpAccessPolicy::new(SecretString::from(token))).await? {}
}
