//! The `holm` command: agents from a terminal. This file declares the subcommands, starts the one
//! that was chosen, and turns its result into an exit code. Each subcommand is one file in
//! `commands/`; a new flag belongs there, and a new exit code in `exit.rs`.
//!
//! The command parses arguments, asks questions and prints results; the library decides what
//! happens. The first lines of `main` must stay first: Holm starts itself again as launcher, local
//! model or compiler, and such a process must do nothing else.
//!
//! Where things are:
//! - `commands/`: one file for each subcommand; `commands/run.rs` starts every session.
//! - `chat/`: the full-screen chat. `acp/`: sessions for editors.
//! - `approve.rs`, `helper_terminal.rs`, `consent.rs`, `content_preview.rs`, `remote_user.rs`:
//!   questions to the user.
//! - `screen.rs`, `draw.rs`, `written_calls.rs`, `stream.rs`: output for people and for programs.
//! - `agents.rs`, `skills.rs`, `hooks.rs`, `mcp_entries.rs`, `settings.rs`: files that count only
//!   if they are trusted.
//! - `tools/`, `tool_sources.rs`, `mcp_servers.rs`, `helper_factory.rs`: the tools of a run.
//! - `model.rs`, `local.rs`, `provider_access.rs`, `keyring.rs`: models and keys.
//! - `holm_paths.rs`, `folder_state.rs`, `archive.rs`, `session_sidecar.rs`, `session_fork.rs`:
//!   what is stored.
//! - `log.rs`, `otlp/`: what operators get.
//! - `evaluation_parent.rs`: an attempt ends with its evaluation.

mod acp;
mod agent_validator;
mod agents;
mod approve;
mod archive;
mod cache_rate;
mod chat;
mod checks;
mod children;
mod command_rule;
mod commands;
mod consent;
mod content_preview;
mod contract;
mod default_prompt;
mod delegation_graph;
mod draw;
mod editor;
mod evaluation_parent;
mod exe_api_tools;
mod exe_tree_loader;
mod exit;
mod first_contact;
mod folder_state;
mod folder_trust;
mod help;
mod helper_factory;
mod helper_terminal;
mod holm_paths;
mod hooks;
mod keyboard;
mod keyring;
#[cfg(feature = "local")]
mod local;
mod log;
mod manual_call;
mod mcp_entries;
mod mcp_resources;
mod mcp_servers;
mod model;
mod money;
mod network_scope;
mod openapi_documents;
mod otlp;
mod prompt;
mod protected_paths;
mod provider_access;
mod remote_user;
mod screen;
mod session_fork;
mod session_name;
mod session_rewind;
mod session_sidecar;
mod session_terms;
mod settings;
mod skills;
mod stop_signals;
mod stream;
mod tool_sources;
mod tools;
mod withheld_prompts;
mod work_watch;
mod worktrees;
mod written_calls;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use holm::grants::GrantSet;

use commands::run;
use exit::{CommandError, CommandExit};
use log::ActivityLog;
use network_scope::NetworkScope;
use screen::TerminalOutput;

/// A static binary takes its memory from here: the allocator of musl makes threads wait for each other.
#[cfg(target_env = "musl")]
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Run agents that can do only what you grant them, and keep a journal of everything.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, Parser)]
#[command(name = "holm", version, after_help = exit::HELP, max_term_width = 100)]
struct Cli {
    /// Data folder [default: $HOLM_DATA, else $XDG_DATA_HOME/holm, else ~/.local/share/holm]
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Global options")]
    data: Option<PathBuf>,
    #[command(flatten)]
    log: log::LogFlags,
    #[command(subcommand)]
    command: Option<TopLevelCommand>,
}

/// The subcommands, in the order of the help.
#[derive(Debug, Subcommand)]
enum TopLevelCommand {
    /// Create a settings file
    Init(commands::init::InitArgs),
    /// Chat with agents in the terminal; `holm` alone does the same
    Chat(Box<commands::chat::ChatArgs>),
    /// Run an agent on a prompt
    Run(Box<commands::run::RunArgs>),
    /// List, check, run and create tools
    Tool(commands::tool::ToolArgs),
    /// List, show and create agents
    #[command(subcommand)]
    Agent(commands::agent::AgentCommand),
    /// List, show, check and run skills
    #[command(subcommand)]
    Skill(commands::skill::SkillCommand),
    /// Manage MCP servers
    #[command(subcommand)]
    Mcp(commands::mcp::McpCommand),
    /// Serve agents and tools to MCP clients
    McpServer(commands::mcp_server::McpServerArgs),
    /// Serve editors over the Agent Client Protocol (ACP)
    Acp(commands::acp::AcpArgs),
    /// Start a server for browsers, API clients and OpenAI-compatible clients
    Serve(commands::serve::ServeArgs),
    /// Manage scheduled jobs
    #[command(subcommand)]
    Job(commands::job::JobCommand),
    /// Back up all data to a new folder, even while a server runs
    Backup(commands::backup::BackupArgs),
    /// Restore a backup into a new data folder
    Restore(commands::restore::RestoreArgs),
    /// List, search, replay, fork and edit sessions
    #[command(subcommand)]
    Session(commands::session::SessionCommand),
    /// Print a session's events as a log, or write them to --log-json-file or --log-http
    Log(commands::log::LogArgs),
    /// List and trust hooks
    #[command(subcommand)]
    Hooks(commands::hooks::HooksCommand),
    /// Manage API keys of providers
    #[command(subcommand)]
    Keys(commands::keys::KeysCommand),
    /// Show and change what agents may do in a folder without asking
    Trust(commands::trust::TrustArgs),
    /// Show settings and trust this project's files
    #[command(subcommand)]
    Config(commands::config::ConfigCommand),
    /// Check all settings, agents, skills, hooks and servers without running them
    Check(commands::check::CheckArgs),
    /// Diagnose this machine's setup
    Doctor(commands::doctor::DoctorArgs),
    /// Show where Holm stores its files
    Paths(commands::paths::PathsArgs),
    /// Show how models have performed, and manage local models
    #[command(subcommand)]
    Model(commands::model::ModelCommand),
    /// Show tokens, cost and cache hit rates by model, session, tool, day or agent
    Usage(commands::usage::UsageArgs),
    /// Extract email addresses, URLs, dates or names from text
    #[cfg(feature = "local")]
    Extract(commands::extract::ExtractArgs),
    /// Take a one-minute tour: a lookup, an extraction, a hostile tool and a replay
    #[cfg(feature = "local")]
    Tour(commands::tour::TourArgs),
    /// Undo the file changes of a turn
    Undo(commands::undo::UndoArgs),
    /// Run evaluation cases, make them from sessions, and compare the results
    Eval(commands::eval::EvalArgs),
    /// Import agents, servers, skills, rules and hooks from other programs
    Import(commands::import::ImportArgs),
    /// Describe Holm as a tool, in the format of agents-exe
    Describe(commands::describe::DescribeArgs),
    /// Generate shell completions
    Completions(commands::completions::CompletionsArgs),
    /// Print a manual page
    Man(commands::completions::ManArgs),
}

/// How long the end of the process waits for the check of what commands left. Cancelled commands end
/// within a second or two.
const LAST_CHECK: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    // Commands are started by a small process, which is this program again.
    holm_jail::launch_if_asked();
    // A model on this machine runs in a process of its own, which is this program too.
    #[cfg(feature = "local")]
    holm_local::serve_if_asked();
    // Compiling WASM starts this program again; then it does nothing else.
    holm_sandbox::compiler_main();
    let screen = TerminalOutput::default();
    if let Err(why) = evaluation_parent::end_with_evaluation() {
        screen.note(&format!("error: {why}"));
        return CommandExit::Failed.into();
    }
    let given = match help::command(Cli::command()).try_get_matches() {
        Ok(given) => given,
        Err(said) => {
            let words: Vec<String> = std::env::args().skip(1).collect();
            commands::run::print_usage_error(&words, &said);
            return told(&said, &screen);
        }
    };
    let cli = Cli::from_arg_matches(&given).unwrap_or_else(|error| error.exit());
    let data = cli.data.clone();
    let ended = execute(cli, given.subcommand_name().unwrap_or_default());
    // Tasks that were still under way may hold a shell.
    holm_tools::shell::remove_shell_homes();
    match ended {
        Ok(exit) => match TerminalOutput::lost() {
            Some(why) if exit == CommandExit::Done => {
                screen.note(&format!("error: could not write everything to standard output: {why}"));
                CommandExit::Failed.into()
            }
            Some(_) | None => exit.into(),
        },
        Err(error) => {
            screen.end_line();
            screen.note(&format!("error: {error:#}"));
            unsaved(&error, data.as_deref()).iter().for_each(|hint| screen.note(&format!("  hint: {hint}")));
            error.downcast_ref::<CommandError>().map_or(CommandExit::Failed, |trouble| trouble.exit).into()
        }
    }
}

/// What to do about a failure that has no hint of its own, if nothing can be
/// saved in the data folder.
fn unsaved(error: &anyhow::Error, data: Option<&Path>) -> Option<String> {
    let (exit, hint) = match error.downcast_ref::<CommandError>() {
        Some(trouble) => (trouble.exit, trouble.parts().1),
        None => (CommandExit::Failed, None),
    };
    if exit != CommandExit::Failed || hint.is_some() {
        return None;
    }
    let folder = holm_paths::data_here(data).ok()?;
    folder_state::FolderState::of(&folder).problem(&folder)
}

/// Prints a usage error, or the requested help. Help that was not printed completely is a failure.
fn told(said: &clap::Error, screen: &TerminalOutput) -> ExitCode {
    let printed = help::print(said).and_then(|()| io::stdout().flush());
    match printed {
        Err(lost) if !said.use_stderr() && lost.kind() != io::ErrorKind::BrokenPipe => {
            screen.note(&format!("error: could not write everything to standard output: {lost}"));
            CommandExit::Failed.into()
        }
        Ok(()) | Err(_) => {
            ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(CommandExit::Usage.code()))
        }
    }
}

fn execute(cli: Cli, name: &str) -> anyhow::Result<CommandExit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let Some(command) = cli.command.or_else(commands::chat::at_a_terminal) else {
        TerminalOutput::default().note(&Cli::command().render_help().to_string());
        return Ok(CommandExit::Usage);
    };
    let exit = runtime.block_on(async {
        let log = ActivityLog::open(&cli.log, &command.granted(), command.bounds())?;
        log.put(&log::began(name));
        let ended = match command {
            TopLevelCommand::Chat(args) => commands::chat::execute(*args, cli.data.as_deref(), &log).await,
            TopLevelCommand::Init(args) => commands::init::execute(&args, cli.data.as_deref()),
            TopLevelCommand::Skill(command) => {
                commands::skill::execute(command, cli.data.as_deref(), &log).await
            }
            TopLevelCommand::Keys(command) => commands::keys::execute(command, cli.data.as_deref()).await,
            TopLevelCommand::Import(args) => commands::import::execute(&args, cli.data.as_deref()),
            TopLevelCommand::Describe(args) => Ok(commands::describe::execute(&args)),
            TopLevelCommand::Completions(args) => commands::completions::execute(&args),
            TopLevelCommand::Man(page) => commands::completions::manual(&page),
            TopLevelCommand::Run(args) => {
                commands::run::execute(args.logging(&log), cli.data.as_deref()).await
            }
            TopLevelCommand::Tool(args) => commands::tool::execute(args, cli.data.as_deref()).await,
            TopLevelCommand::Agent(command) => commands::agent::execute(command, cli.data.as_deref()),
            TopLevelCommand::Mcp(command) => commands::mcp::execute(command, cli.data.as_deref()).await,
            TopLevelCommand::McpServer(args) => {
                commands::mcp_server::execute(args, cli.data.as_deref(), &log).await
            }
            TopLevelCommand::Acp(args) => commands::acp::execute(args, cli.data.as_deref(), &log).await,
            TopLevelCommand::Serve(args) => commands::serve::execute(args, cli.data.as_deref(), &log).await,
            TopLevelCommand::Job(command) => commands::job::execute(command, cli.data.as_deref()).await,
            TopLevelCommand::Backup(args) => commands::backup::execute(&args, cli.data.as_deref()).await,
            TopLevelCommand::Restore(args) => commands::restore::execute(&args, cli.data.as_deref()),
            TopLevelCommand::Hooks(command) => commands::hooks::execute(command, cli.data.as_deref()),
            TopLevelCommand::Trust(args) => commands::trust::execute(&args, cli.data.as_deref()).await,
            TopLevelCommand::Config(command) => commands::config::execute(command, cli.data.as_deref()),
            TopLevelCommand::Check(args) => commands::check::execute(&args, cli.data.as_deref()),
            TopLevelCommand::Doctor(args) => commands::doctor::execute(&args, cli.data.as_deref()).await,
            TopLevelCommand::Paths(args) => commands::paths::execute(&args, cli.data.as_deref()),
            TopLevelCommand::Session(command) => {
                commands::session::execute(command, cli.data.as_deref(), &log).await
            }
            TopLevelCommand::Log(args) => commands::log::execute(args, cli.data.as_deref(), &log).await,
            TopLevelCommand::Model(command) => commands::model::execute(command, cli.data.as_deref()).await,
            TopLevelCommand::Usage(args) => commands::usage::execute(args, cli.data.as_deref()).await,
            #[cfg(feature = "local")]
            TopLevelCommand::Extract(args) => commands::extract::execute(&args, cli.data.as_deref()).await,
            #[cfg(feature = "local")]
            TopLevelCommand::Tour(args) => commands::tour::execute(args, cli.data.as_deref()).await,
            TopLevelCommand::Eval(args) => commands::eval::execute(args, cli.data.as_deref()).await,
            TopLevelCommand::Undo(args) => commands::undo::execute(args, cli.data.as_deref()).await,
        };
        log.put(&log::ended(name, &ended));
        let screen = TerminalOutput::default();
        log.finish().await.iter().for_each(|note| screen.note(&format!("holm: {note}")));
        ended
    });
    // A question may still be open on its own thread, but its answer is no longer needed.
    // What a stopped command left is checked before the process ends.
    holm_tools::shell::wait_for_commands(LAST_CHECK);
    runtime.shutdown_background();
    exit
}

impl TopLevelCommand {
    /// What the person has granted on the command line.
    fn granted(&self) -> GrantSet {
        self.run().map(run::RunArgs::granted).unwrap_or_default()
    }

    /// How far connections may go.
    fn bounds(&self) -> NetworkScope {
        self.run().map_or(NetworkScope::Anywhere, run::RunArgs::bounds)
    }

    /// The flags of a run, where the command has them as its own.
    fn run(&self) -> Option<&run::RunArgs> {
        match self {
            Self::Run(args) => Some(args),
            Self::Chat(args) => Some(args.run()),
            _ => None,
        }
    }
}
