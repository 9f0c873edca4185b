//! `holm agent`: lists, shows and creates agent files. Finding and trusting them is done in
//! `agents.rs`, the format is parsed in `holm-tools/src/agents/file.rs`, and the prompts of the
//! default agent are in `default_prompt/`. It runs no agent; `holm run --agent` does. A new file
//! must be valid before it is written and never overwrites one.

use std::{fs, path::Path};

use clap::Subcommand;
use holm::grants::Mode;
use holm_tools::{
    agents::{AgentFile, AgentToolNames},
    trust::ContentHash,
};
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{
    agents::{AgentDefinition, company},
    default_prompt::{ABOUT, DEFAULT_AGENT, PromptDialect},
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    screen::TerminalOutput,
};

/// Subcommands of `holm agent`.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// List the agents available to `holm run --agent`
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Show an agent and any problems in its file
    Show {
        /// Agent name, or an agent.json of agents-exe
        agent: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Create an agent
    New {
        /// Name of the new agent
        name: String,
        /// Create it in this project instead of your data folder
        #[arg(long)]
        project: bool,
    },
}

pub(crate) fn execute(command: AgentCommand, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let is_looking = matches!(command, AgentCommand::List { .. } | AgentCommand::Show { .. });
    let places = if is_looking { HolmPaths::look(data)? } else { HolmPaths::find(data)? };
    let screen = TerminalOutput::default();
    match command {
        AgentCommand::List { json } => list(&places, &screen, json),
        AgentCommand::Show { agent, json } => show(&agent, &places, &screen, json),
        AgentCommand::New { name, project } => {
            let folder = if project { places.project_agents() } else { places.agents() };
            new(&name, &folder, &screen)
        }
    }
}

fn list(places: &HolmPaths, screen: &TerminalOutput, as_json: bool) -> anyhow::Result<CommandExit> {
    let agents = AgentDefinition::list(places);
    if agents.is_empty() {
        screen.note("holm: no agents yet; `holm agent new NAME` creates one");
    }
    for agent in agents {
        let flaw = agent.flaw.as_ref().map(ToString::to_string);
        let about = agent.about.as_ref().ok();
        let problem = agent.about.as_ref().err().cloned().or(flaw);
        if as_json {
            let object = json!({
                "name": agent.name, "path": agent.path.to_string_lossy(), "form": agent.form, "about": about,
                "problem": problem, "lacks": agent.lacks,
            });
            screen.line(&object.to_string());
            continue;
        }
        let words = match problem {
            None => about.cloned().unwrap_or_default(),
            Some(why) => format!("cannot be used: {}", why.replace("\n  hint: ", "; ")),
        };
        screen.answer(&format!("{}  {words}  ({})", agent.name, agent.path.shown()));
        agent.lacks.iter().for_each(|lack| screen.answer(&format!("    lacks: {lack}")));
    }
    Ok(CommandExit::Done)
}

fn show(
    name: &str,
    places: &HolmPaths,
    screen: &TerminalOutput,
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    if name == DEFAULT_AGENT && AgentDefinition::in_place_of_default(places)?.is_none() {
        return Ok(show_default(screen, as_json));
    }
    let chosen = AgentDefinition::find(name, places)?;
    let shown = match &chosen {
        AgentDefinition::Native { file, path, .. } => {
            let tools = match &file.tools {
                AgentToolNames::All => vec!["*".to_owned()],
                AgentToolNames::These(names) => names.clone(),
            };
            json!({
                "name": file.name, "path": path.to_string_lossy(), "form": "holm", "about": file.description, "model": file.model,
                "tools": tools, "manages": file.manages, "grants": file.grants, "mode": file.mode.map(Mode::as_str),
                "turns": file.limits.turns, "system": file.system,
                "problem": company(places).flaw(file, path).map(|flaw| flaw.to_string()),
                "ignored": file.ignored.iter().map(|key| format!("{} at line {}", key.key, key.line)).collect::<Vec<_>>(),
            })
        }
        AgentDefinition::Exe(exe) => {
            let agent = &exe.tree.agent;
            let folders: Vec<_> = agent.tools.iter().map(|tools| tools.path.to_string_lossy()).collect();
            let servers: Vec<_> = agent.servers.iter().map(|server| &server.name).collect();
            let helpers: Vec<_> = exe.tree.helpers().collect();
            json!({
                "name": agent.slug, "path": agent.path.to_string_lossy(), "form": "agents-exe", "about": agent.announce,
                "model": exe.model_of(agent), "address": agent.model_url, "key": agent.api_key_id, "tools": folders,
                "servers": servers, "helpers": helpers, "system": agent.system,
                "unsupported": exe.tree.unsupported().iter().map(ToString::to_string).collect::<Vec<_>>(),
                "missing": exe.tree.missing().iter().map(ToString::to_string).collect::<Vec<_>>(),
            })
        }
    };
    if as_json {
        screen.line(&shown.to_string());
        return Ok(CommandExit::Done);
    }
    for (key, value) in shown.as_object().into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !value.is_null() && text != "[]" {
            screen.answer(&format!("{key:11}  {}", text.replace('\n', "\n             ")));
        }
    }
    Ok(CommandExit::Done)
}

/// Prints what the default agent tells each family of models. The part about a session's own
/// circumstances comes after it.
fn show_default(screen: &TerminalOutput, as_json: bool) -> CommandExit {
    let prompts = PromptDialect::ALL.map(|dialect| {
        let hash = ContentHash::of(dialect.text().as_bytes()).to_string();
        (dialect.name(), hash, dialect.text())
    });
    if as_json {
        let member = |(name, hash, text): (&str, String, &str)| {
            (name.to_owned(), json!({ "sha256": hash, "system": text }))
        };
        let dialects: serde_json::Map<_, _> = prompts.into_iter().map(member).collect();
        let object =
            json!({ "name": DEFAULT_AGENT, "form": "built in", "about": ABOUT, "dialects": dialects });
        screen.line(&object.to_string());
        return CommandExit::Done;
    }
    screen.answer(&format!("name         {DEFAULT_AGENT}\nform         built in\nabout        {ABOUT}"));
    for (name, hash, text) in prompts {
        screen.answer(&format!("\n--- {name} (sha256 {hash})\n{text}"));
    }
    CommandExit::Done
}

/// Writes a file that works as it is.
fn new(name: &str, folder: &Path, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let text = format!(
        "---\nname: {name}\ndescription: One line about its purpose; other agents read it before they \
        delegate.\ntools: [read, grep, glob]\ngrants: [\"read:**\"]\nmode: plan\nlimits:\n  turns: \
        20\n---\nYou are careful and brief. Say what you looked at, and what you could not find.\n"
    );
    if AgentFile::parse(&text).is_err() {
        let message = format!("`{name}` is not a valid agent name");
        let hint = "use letters, digits, - and _, at most 64, and start with a letter";
        return Err(CommandError::new(CommandExit::Usage, message).hint(hint).into());
    }
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{name}.md"));
    let mut file = holm_paths::readable_file(&path).map_err(|error| {
        let message = format!("cannot create {}: {}", path.shown(), holm_paths::why_unmade(&error));
        CommandError::new(CommandExit::Usage, message).hint("choose another name")
    })?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    screen.answer(&format!("created {}; next: holm run --agent {name} -p \"…\"", path.shown()));
    Ok(CommandExit::Done)
}
