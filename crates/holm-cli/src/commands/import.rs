//! `holm import`: what other programs have written down, written down again in Holm's forms. Nothing is overwritten.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use holm_config::{
    exe::{ExeAgent, ExeTree},
    import::{self, Converted},
};

use super::mcp;
use crate::{
    agents::Exe,
    exit::{Exit, Trouble},
    places::Places,
    screen::Screen,
    settings::refused,
};

/// What `holm import` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file or a folder: an agent.json of agents-exe; .mcp.json, config.toml of codex, opencode.json; agents/NAME.md or
    /// commands/NAME.md of Claude Code; or a folder such as .claude that holds them
    from: PathBuf,
    /// Put agents and skills among this project's in place of yours
    #[arg(long)]
    project: bool,
}

/// Where things go, and how it went.
struct Import<'a> {
    places: &'a Places,
    screen: &'a Screen,
    agents: PathBuf,
    skills: PathBuf,
    exit: Exit,
    count: usize,
}

/// Runs the command.
pub(crate) fn execute(args: &Args, data: Option<&Path>) -> anyhow::Result<Exit> {
    let (places, screen) = (Places::find(data)?, Screen::default());
    let (agents, skills) = if args.project {
        (places.project_agents(), places.work.join(".holm/skills"))
    } else {
        (places.agents(), own_skills()?)
    };
    let mut import = Import { places: &places, screen: &screen, agents, skills, exit: Exit::Done, count: 0 };
    if !args.from.exists() {
        return Err(Trouble::new(Exit::Missing, format!("there is no {}", args.from.display())).into());
    }
    import.take(&args.from)?;
    if import.count == 0 && import.exit == Exit::Done {
        let message = format!("nothing in {} is known here", args.from.display());
        let hint = "agents-exe, codex, Claude Code and opencode are; `holm import --help` names the files";
        return Err(Trouble::new(Exit::NoAnswer, message).hint(hint).into());
    }
    Ok(import.exit)
}

/// The user's own skills.
fn own_skills() -> Result<PathBuf, Trouble> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    let home = home.ok_or_else(|| Trouble::new(Exit::Usage, "HOME is not set").hint("or say --project"))?;
    Ok(PathBuf::from(home).join(".holm/skills"))
}

impl Import<'_> {
    fn take(&mut self, from: &Path) -> anyhow::Result<()> {
        if from.is_dir() {
            return self.folder(from);
        }
        let name = from.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let text = fs::read_to_string(from)?;
        let folder = from
            .canonicalize()?
            .parent()
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned());
        match (name, folder.as_deref()) {
            ("config.toml", _) => {
                self.servers(&import::codex_servers(&text, from).map_err(|error| refused(&error))?)
            }
            ("opencode.json" | "opencode.jsonc", _) => {
                self.servers(&import::opencode_servers(&text, from).map_err(|error| refused(&error))?)
            }
            (name, _) if name.ends_with(".json") && ExeAgent::is_one(&text) => self.exe(from),
            (name, _) if name.ends_with(".json") => {
                self.servers(&serde_json::from_str(&text).map_err(|error| {
                    let message = format!("{}:{}: {error}", from.display(), error.line());
                    Trouble::new(Exit::Usage, message).hint("mend the line")
                })?)
            }
            (name, Some("commands" | "command" | "prompts")) if name.ends_with(".md") => {
                let made = import::command_skill(name.trim_end_matches(".md"), &text);
                let path = self.skills.join(&made.name).join("SKILL.md");
                self.write(&made, &path)
            }
            (name, Some("agents" | "agent")) if name.ends_with(".md") => match import::claude_agent(&text) {
                Ok(made) => {
                    let path = self.agents.join(format!("{}.md", made.name));
                    self.write(&made, &path)
                }
                Err(why) => {
                    self.screen.note(&format!("holm: {} is left out: {why}", from.display()));
                    self.exit = Exit::NoAnswer;
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }

    /// What is known in a folder of another program: its own files, and those of its folders of agents and commands.
    fn folder(&mut self, from: &Path) -> anyhow::Result<()> {
        let known = ["agent.json", ".mcp.json", "mcp.json", "config.toml", "opencode.json"];
        for path in known.iter().map(|name| from.join(name)).filter(|path| path.is_file()) {
            self.take(&path)?;
        }
        let own = from.file_name().is_some_and(|name| name == "agents" || name == "commands");
        let folders = ["agents", "commands", "agent", "command", "prompts"].map(|name| from.join(name));
        for folder in folders.iter().map(PathBuf::as_path).chain(own.then_some(from)) {
            let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let mut files: Vec<PathBuf> =
                files.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
            files.sort();
            for file in files {
                self.take(&file)?;
            }
        }
        Ok(())
    }

    fn exe(&mut self, from: &Path) -> anyhow::Result<()> {
        // Whoever imports a file looks at it by that; nothing of it runs.
        let tree = ExeTree::load(from, &|_, _| Ok(())).map_err(|error| refused(&error))?;
        for agent in tree.agents() {
            let made = import::exe_agent(agent, &Exe::model(agent));
            let path = self.agents.join(format!("{}.md", made.name));
            self.write(&made, &path)?;
            if !agent.servers.is_empty() {
                self.servers(&import::exe_servers(agent))?;
            }
        }
        Ok(())
    }

    fn servers(&mut self, servers: &serde_json::Value) -> anyhow::Result<()> {
        let empty = servers
            .get("mcpServers")
            .and_then(serde_json::Value::as_object)
            .is_some_and(serde_json::Map::is_empty);
        if empty {
            return Ok(());
        }
        self.count += 1;
        if mcp::take_over_text(&servers.to_string(), self.places, self.screen)? != Exit::Done {
            self.exit = Exit::NoAnswer;
        }
        Ok(())
    }

    fn write(&mut self, made: &Converted, path: &Path) -> anyhow::Result<()> {
        self.count += 1;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(mut file) => {
                file.write_all(made.text.as_bytes())?;
                self.screen.answer(&format!("{} is there", path.display()));
                made.notes.iter().for_each(|note| self.screen.note(&format!("holm: {}: {note}", made.name)));
            }
            Err(error) => {
                self.screen.note(&format!("holm: {} is left as it is: {error}", path.display()));
                self.exit = Exit::NoAnswer;
            }
        }
        Ok(())
    }
}
