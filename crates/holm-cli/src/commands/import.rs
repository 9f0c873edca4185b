//! `holm import`: converts the files of other programs into Holm's formats. Nothing is overwritten,
//! and nothing that is imported runs. The conversions are pure functions in
//! `holm-config/src/import.rs`; this file finds the inputs and writes the results. Server entries
//! are written by `mcp.rs`, and their paths made absolute by `import_paths.rs`.
//!
//! Imported hooks run only after the user has trusted them. Hooks of a project never become the
//! user's own, because those apply in every folder. With `--project`, no file is written outside of
//! the project, even through a link.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use holm_config::{
    agents_exe::{ExeAgent, ExeTree},
    import::{self, ImportedFile, ImportedServers},
    read_plain_within,
};
use holm_tools::agents::AgentFile;
use serde_json::json;

use super::{import_paths, mcp};
use crate::screen::DisplayablePath as _;
use crate::{
    agents::ExeAgentProject,
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    hooks::HookOwner,
    screen::TerminalOutput,
    settings::refused,
};

/// The largest file that is taken over: more than anybody writes by hand.
const MOST_BYTES: u64 = 4 << 20;

/// Files of other programs that are known in a folder.
const FILES: [&str; 15] = [
    "agent.json",
    ".mcp.json",
    "mcp.json",
    "config.toml",
    "config.yaml",
    "opencode.json",
    "opencode.jsonc",
    "settings.json",
    "settings.local.json",
    "hooks.json",
    "hooks/hooks.json",
    "AGENTS.md",
    "CLAUDE.md",
    ".goosehints",
    "goosehints",
];

/// Folders of other programs that are known in a folder.
const FOLDERS: [&str; 7] = ["agents", "commands", "agent", "command", "prompts", "recipes", "rules"];

/// Folders in which other programs keep files of a project. They are imported only when they are
/// named themselves: a user who names the project may mean only its rules.
const HOUSES: [&str; 3] = [".claude", ".codex", ".opencode"];

/// Arguments of `holm import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// File or folder to import: an agent.json of agents-exe; .mcp.json, codex's config.toml,
    /// opencode.json or goose's config.yaml; agents/NAME.md, commands/NAME.md, prompts/NAME.md or
    /// recipes/NAME.yaml; Claude Code's settings.json or hooks.json; AGENTS.md, CLAUDE.md,
    /// .goosehints or rules/NAME.md; or a folder with such files, such as .claude
    from: PathBuf,
    /// Import agents, skills, rules and hooks into this project instead of your own settings
    #[arg(long)]
    project: bool,
    /// Print one JSON object per line: each file written, each item left out and why, and notes
    #[arg(long)]
    json: bool,
}

/// The destinations of an import, and its progress.
struct ConfigImporter<'a> {
    places: &'a HolmPaths,
    screen: &'a TerminalOutput,
    agents: PathBuf,
    skills: PathBuf,
    guide: PathBuf,
    /// The owner of imported hooks.
    hooks: HookOwner,
    /// Rules that were found, by the names of their files.
    rules: Vec<(String, String)>,
    /// Whether everything was imported that has a counterpart in Holm. Parts without one are
    /// reported, and do not change this.
    exit: CommandExit,
    count: usize,
    /// Whether the result is printed as JSON.
    as_json: bool,
}

/// Whether a file was written.
#[derive(Debug, PartialEq, Eq)]
enum ImportWriteResult {
    Written,
    Left,
}

pub(crate) fn execute(args: &ImportArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let (places, screen) = (HolmPaths::find(data)?, TerminalOutput::default());
    let (agents, skills, guide) = if args.project {
        (places.project_agents(), places.work.join(".holm/skills"), places.work.join("AGENTS.md"))
    } else {
        (places.agents(), own_skills()?, own_guide()?)
    };
    let hooks = if args.project { HookOwner::Project } else { HookOwner::User };
    let rules = Vec::new();
    let mut import = ConfigImporter {
        places: &places,
        screen: &screen,
        agents,
        skills,
        guide,
        hooks,
        rules,
        exit: CommandExit::Done,
        count: 0,
        as_json: args.json,
    };
    if !args.from.exists() {
        return Err(CommandError::new(
            CommandExit::Missing,
            format!("there is no file or folder {}", args.from.shown()),
        )
        .into());
    }
    import.take(&args.from)?;
    import.write_rules()?;
    if import.count == 0 && import.exit == CommandExit::Done {
        let message = format!("nothing in {} can be imported", args.from.shown());
        let hint = "Holm imports from agents-exe, codex, Claude Code, opencode and goose; `holm import --help` \
             lists the files";
        return Err(CommandError::new(CommandExit::NoAnswer, message).hint(hint).into());
    }
    Ok(import.exit)
}

/// The text of a file that a person names.
fn read(from: &Path) -> anyhow::Result<String> {
    let wrong =
        |why: &str| CommandError::new(CommandExit::Usage, format!("cannot import {}: {why}", from.shown()));
    let bytes = read_plain_within(from, MOST_BYTES).map_err(|error| wrong(&error.to_string()))?;
    Ok(String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text"))?)
}

/// Whether a file belongs to a project: it is in the working folder or above, and not in the user's
/// own folders, such as `~/.claude`.
fn is_of_project(real: &Path, work: &Path) -> bool {
    let is_within = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with('.') || name == "hooks"
    };
    // The folder that has it, without those that programs keep their own things in.
    let Some(owner) = real.ancestors().skip(1).find(|folder| !is_within(folder)) else { return true };
    let home = std::env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
    let (own, at_home) = (home.as_deref() == Some(owner), home.as_deref() == Some(work));
    (real.starts_with(work) && !(own && at_home)) || (work.starts_with(owner) && !own)
}

/// The user's own skills.
fn own_skills() -> Result<PathBuf, CommandError> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    home.map(|home| PathBuf::from(home).join(".holm/skills")).ok_or_else(homeless)
}

/// What the user tells all agents.
fn own_guide() -> Result<PathBuf, CommandError> {
    holm_config::own_guide(|name| std::env::var(name).ok()).ok_or_else(homeless)
}

fn homeless() -> CommandError {
    CommandError::new(CommandExit::Usage, "HOME is not set").hint("or use --project")
}

impl ConfigImporter<'_> {
    fn take(&mut self, from: &Path) -> anyhow::Result<()> {
        if from.is_dir() {
            return self.folder(from);
        }
        let name = from.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let stem = from.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let ending = from.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let real = from.canonicalize()?;
        let folder =
            real.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
        let text = read(from)?;
        match (name, folder, ending) {
            ("config.toml", _, _) => self.codex(from, &real, &text),
            ("opencode.json" | "opencode.jsonc", _, _) => self.opencode(&text, from),
            ("AGENTS.md" | "CLAUDE.md" | ".goosehints" | "goosehints", _, _) | (_, "rules", "md") => {
                self.rule(from, &real, text);
                Ok(())
            }
            ("settings.json" | "settings.local.json", ".claude", _) | ("hooks.json", _, _) => {
                let hooks = import::hooks(&text, from).map_err(|error| refused(&error))?;
                self.hooks(from, &real, hooks)
            }
            (_, "recipes", "yaml" | "yml" | "json") => self.recipe(stem, &text, from),
            ("config.yaml", _, _) => {
                self.servers(&import::goose_servers(&text, from).map_err(|error| refused(&error))?, from)
            }
            // A recipe may be in any folder.
            (_, _, "yaml" | "yml") => self.recipe(stem, &text, from),
            (_, _, "json") if ExeAgent::is_one(&text) => self.exe(from),
            (_, _, "json") => self.plain_servers(&text, from),
            (_, "commands" | "command" | "prompts", "md") => self.skill(&import::command_skill(stem, &text)),
            (_, "agents" | "agent", "md") => match import::markdown_agent(stem, &text) {
                Ok(made) => self.agent(&made),
                Err(why) => {
                    self.leave_out(&from.shown(), &why);
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }

    /// Imports the known files in a folder of another program: its own, and those of its folders of
    /// agents, commands, recipes and rules.
    fn folder(&mut self, from: &Path) -> anyhow::Result<()> {
        for path in FILES.iter().map(|name| from.join(name)).filter(|path| path.is_file()) {
            self.take(&path)?;
        }
        let is_own = from.file_name().is_some_and(|name| FOLDERS.iter().any(|known| name == *known));
        let folders = FOLDERS.map(|name| from.join(name));
        for folder in folders.iter().map(PathBuf::as_path).chain(is_own.then_some(from)) {
            let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let is_known = |path: &PathBuf| {
                path.extension().is_some_and(|ending| ending == "md" || ending == "yaml" || ending == "yml")
            };
            let mut files: Vec<PathBuf> = files.filter(is_known).collect();
            files.sort();
            for file in files {
                self.take(&file)?;
            }
        }
        for house in HOUSES.iter().map(|name| from.join(name)).filter(|path| path.is_dir()) {
            let house = house.shown();
            self.note(&format!("{house} was skipped; import it with `holm import {house}`"));
            self.left(&house, "it was skipped");
        }
        Ok(())
    }

    fn exe(&mut self, from: &Path) -> anyhow::Result<()> {
        // Importing a file counts as reviewing it; nothing of it runs.
        let tree = ExeTree::load(from, &|_, _| Ok(())).map_err(|error| refused(&error))?;
        for agent in tree.agents() {
            self.agent(&import::exe_agent(agent, &ExeAgentProject::model(agent)))?;
            let servers = ImportedServers { entries: import::exe_servers(agent), notes: Vec::new() };
            // Wherever an agent lies, its files lie beside it: also in a hidden folder.
            self.servers_of(&servers, &agent.path, agent.path.parent())?;
        }
        Ok(())
    }

    fn codex(&mut self, from: &Path, real: &Path, text: &str) -> anyhow::Result<()> {
        let hooks = import::codex_hooks(text, from).map_err(|error| refused(&error))?;
        self.servers(&import::codex_servers(text, from).map_err(|error| refused(&error))?, from)?;
        // Most have none there, and nothing need be said of that.
        if hooks == (None, Vec::new()) { Ok(()) } else { self.hooks(from, real, hooks) }
    }

    fn opencode(&mut self, text: &str, from: &Path) -> anyhow::Result<()> {
        let found = import::opencode(text, from).map_err(|error| refused(&error))?;
        found.agents.iter().try_for_each(|made| self.agent(made))?;
        found.commands.iter().try_for_each(|made| self.skill(made))?;
        self.servers(&found.servers, from)
    }

    fn recipe(&mut self, name: &str, text: &str, from: &Path) -> anyhow::Result<()> {
        let (made, servers) = import::goose_recipe(name, text, from).map_err(|error| refused(&error))?;
        self.skill(&made)?;
        self.servers(&servers, from)
    }

    /// Imports hooks. The user's hooks apply in every folder, so hooks of a project are
    /// only imported as the project's. In both cases nothing of them runs before the
    /// user has reviewed it.
    fn hooks(
        &mut self,
        from: &Path,
        real: &Path,
        (made, notes): (Option<ImportedFile>, Vec<String>),
    ) -> anyhow::Result<()> {
        notes.iter().for_each(|note| self.told(&from.shown(), note));
        let Some(made) = made else {
            self.count += 1;
            self.note(&format!("{} has no hooks that Holm can run", from.shown()));
            self.left(&from.shown(), "it has no hooks that Holm can run");
            return Ok(());
        };
        let work = self.places.work.canonicalize()?;
        if self.hooks == HookOwner::User && is_of_project(real, &work) {
            let what = format!("the hooks of {}", from.shown());
            let why = "they belong to this project; import them with --project, then review them with \
                       `holm hooks trust`";
            self.note(&format!("{what} are left out: {why}"));
            self.left(&what, why);
            self.exit = CommandExit::NoAnswer;
            return Ok(());
        }
        if self.write(&made, &self.hooks.file(self.places))? == ImportWriteResult::Left {
            return Ok(());
        }
        match self.hooks {
            HookOwner::Project => self.note("no hook runs before you trust it with `holm hooks trust`"),
            HookOwner::User => {
                self.note(
                    "the hooks apply in every folder, but only after you trust them; `holm hooks \
                           trust` shows what they run and asks you",
                );
            }
        }
        Ok(())
    }

    fn plain_servers(&mut self, text: &str, from: &Path) -> anyhow::Result<()> {
        let entries = serde_json::from_str(text).map_err(|error| {
            let message = format!("{}:{}: {error}", from.shown(), error.line());
            CommandError::new(CommandExit::Usage, message).hint("fix the line")
        })?;
        self.servers(&ImportedServers { entries, notes: Vec::new() }, from)
    }

    fn servers(&mut self, servers: &ImportedServers, from: &Path) -> anyhow::Result<()> {
        self.servers_of(servers, from, import_paths::base(from).as_deref())
    }

    /// Those of a file, which name theirs from a folder.
    fn servers_of(
        &mut self,
        servers: &ImportedServers,
        from: &Path,
        folder: Option<&Path>,
    ) -> anyhow::Result<()> {
        servers.notes.iter().for_each(|note| self.told(&from.shown(), note));
        let is_none = servers.entries.get("mcpServers").is_some() && servers.is_empty();
        if is_none {
            // What was said about the file is what came of it.
            self.count += servers.notes.len();
            return Ok(());
        }
        self.count += 1;
        let taken = mcp::take_over_text(&servers.entries.to_string(), folder, self.places, self.screen)?;
        if taken.exit != CommandExit::Done {
            self.exit = CommandExit::NoAnswer;
        }
        if self.as_json {
            taken.written.iter().for_each(|path| self.written(path));
        }
        taken.left.iter().for_each(|(what, why)| self.left(what, why));
        Ok(())
    }

    /// Rules that are heard from where they lie need not be taken over.
    fn rule(&mut self, from: &Path, real: &Path, text: String) {
        let heard = holm_config::guides(&self.places.work);
        if heard.iter().any(|path| path.canonicalize().is_ok_and(|path| path == real)) {
            self.count += 1;
            self.note(&format!(
                "Holm uses {} as it is, once you trust it with `holm config trust`",
                from.shown()
            ));
            self.left(&from.shown(), "Holm uses it as it is");
            return;
        }
        self.rules.push((from.shown(), text));
    }

    fn write_rules(&mut self) -> anyhow::Result<()> {
        if self.rules.is_empty() {
            return Ok(());
        }
        let text = import::rules(&self.rules);
        let made = ImportedFile { name: "rules".into(), text, notes: Vec::new() };
        self.write(&made, &self.guide.clone()).map(drop)
    }

    fn skill(&mut self, made: &ImportedFile) -> anyhow::Result<()> {
        let path = self.skills.join(&made.name).join("SKILL.md");
        self.write(made, &path).map(drop)
    }

    /// Imports an agent, if its name is a valid file name here.
    fn agent(&mut self, made: &ImportedFile) -> anyhow::Result<()> {
        let is_name = made.name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let read = AgentFile::parse(&made.text).map_err(|error| error.to_string());
        let read = read.and_then(|_| {
            let fits = is_name && !made.name.starts_with('.');
            if fits { Ok(()) } else { Err("its name is not a valid file name".to_owned()) }
        });
        if let Err(why) = read {
            self.leave_out(&format!("the agent `{}`", made.name), &why);
            return Ok(());
        }
        let path = self.agents.join(format!("{}.md", made.name));
        self.write(made, &path).map(drop)
    }

    fn write(&mut self, made: &ImportedFile, path: &Path) -> anyhow::Result<ImportWriteResult> {
        self.count += 1;
        if self.hooks == HookOwner::Project && !self.is_in_project(path)? {
            self.leave_out(&path.shown(), "a link in its path leads out of this project");
            return Ok(ImportWriteResult::Left);
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Only the user may write their own files: hooks in a file that others can write
        // would not be trusted.
        match holm_paths::readable_file(path) {
            Ok(mut file) => {
                file.write_all(made.text.as_bytes())?;
                self.written(path);
                made.notes.iter().for_each(|note| self.told(&made.name, note));
                Ok(ImportWriteResult::Written)
            }
            Err(error) => {
                let why = holm_paths::why_unmade(&error);
                self.note(&format!("{} is left as it is: {why}", path.shown()));
                self.left(&path.shown(), &why);
                self.exit = CommandExit::NoAnswer;
                Ok(ImportWriteResult::Left)
            }
        }
    }

    /// Whether a path is in this project after all links on the way are resolved: the
    /// project may contain links.
    fn is_in_project(&self, path: &Path) -> anyhow::Result<bool> {
        let work = self.places.work.canonicalize()?;
        let there = path.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
        Ok(there.is_some_and(|folder| folder.starts_with(&work)))
    }

    fn leave_out(&mut self, what: &str, why: &str) {
        self.note(&format!("{what} is left out: {why}"));
        self.left(what, why);
        self.exit = CommandExit::NoAnswer;
    }

    /// Says that a file was written.
    fn written(&self, path: &Path) {
        if self.as_json {
            self.screen.line(&json!({ "written": path.to_string_lossy() }).to_string());
        } else {
            self.screen.answer(&format!("created {}", path.shown()));
        }
    }

    /// Tells a program what was left out; people are told in a note.
    fn left(&self, what: &str, why: &str) {
        if self.as_json {
            self.screen.line(&json!({ "left": what, "why": why }).to_string());
        }
    }

    /// Says what is to be known of something, to people and to a program.
    fn told(&self, what: &str, note: &str) {
        self.note(&format!("{what}: {note}"));
        if self.as_json {
            self.screen.line(&json!({ "note": note, "of": what }).to_string());
        }
    }

    fn note(&self, note: &str) {
        self.screen.note(&format!("holm: {note}"));
    }
}
