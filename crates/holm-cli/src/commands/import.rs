//! `holm import`: converts the files of other programs into Holm's formats. Nothing is overwritten,
//! and nothing that is imported runs. The conversions are pure functions in
//! `holm-config/src/import.rs`; this file finds the inputs and writes the results. Server entries
//! are written by `mcp.rs`, and their paths made absolute by `import_paths.rs`.
//!
//! Imported hooks run only after the user has trusted them. Hooks of a project never become the
//! user's own, because those apply in every folder. With `--project`, no file is written outside of
//! the project, even through a link.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use holm_config::{
    agents_exe::{ExeAgent, ExeProject, ExeTree},
    import::{self, ExeNesting, ImportedFile, ImportedServers},
    read_plain_within,
    skills::SkillDocument,
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
const FILES: [&str; 17] = [
    "agent.json",
    "agents-exe.cfg.json",
    "cron.config.json",
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
const HOUSES: [&str; 4] = [".claude", ".codex", ".opencode", ".boxagnts"];

/// Folders of BoxAgnts, with its skills and its compiled tools.
const EXTENSIONS: [&str; 2] = ["extensions", "app/extensions"];

/// The largest compiled tool that is imported.
const MOST_TOOL_BYTES: u64 = 64 << 20;

/// Arguments of `holm import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// File or folder to import: an agent.json of agents-exe; .mcp.json, codex's config.toml,
    /// opencode.json or goose's config.yaml; agents/NAME.md, commands/NAME.md, prompts/NAME.md or
    /// recipes/NAME.yaml; Claude Code's settings.json or hooks.json; AGENTS.md, CLAUDE.md,
    /// .goosehints or rules/NAME.md; agents-exe.cfg.json; SKILL.md, a compiled tool (.wasm),
    /// settings.json and cron.config.json of BoxAgnts; or a folder with such files, such as .claude
    from: PathBuf,
    /// Import agents, skills, rules and hooks into this project instead of your own settings
    #[arg(long)]
    project: bool,
    /// Print one JSON object per line: each file written, each item left out and why, notes, and a
    /// summary
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
    /// What was written, by kind, and how much was changed and left out.
    summary: RefCell<ImportSummary>,
    /// The files of agents of agents-exe that were imported.
    agents_taken: BTreeSet<PathBuf>,
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
        summary: RefCell::default(),
        agents_taken: BTreeSet::new(),
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
    import.summarize();
    Ok(import.exit)
}

/// What an import did.
#[derive(Debug, Default)]
struct ImportSummary {
    /// How many files of each kind were written.
    taken: BTreeMap<&'static str, usize>,
    /// How many things differ from what the other program had.
    changed: usize,
    left: usize,
}

impl ImportSummary {
    fn take(&mut self, path: &Path) {
        let folder =
            path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let kind = match (name, folder) {
            ("SKILL.md", _) => "skills",
            ("AGENTS.md", _) => "rules",
            (_, "agents") => "agents",
            (name, _) if name.ends_with(".mcp.json") => "servers",
            (name, _) if name.ends_with(".wasm") => "tools",
            _ => "hook files",
        };
        *self.taken.entry(kind).or_default() += 1;
    }
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
    /// Says what was taken, changed and left.
    fn summarize(&self) {
        let ImportSummary { taken, changed, left } = &*self.summary.borrow();
        if self.as_json {
            self.screen.line(
                &json!({ "summary": { "taken": taken, "changed": changed, "left": left } }).to_string(),
            );
            return;
        }
        let kinds: Vec<String> = taken.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let kinds = if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") };
        self.note(&format!("taken: {kinds}; changed: {changed}; left out: {left}"));
    }

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
        if ending == "wasm" {
            return self.compiled_tool(from);
        }
        let text = read(from)?;
        match (name, folder, ending) {
            ("config.toml", _, _) => self.codex(from, &real, &text),
            ("agents-exe.cfg.json", _, _) => self.exe_project(from, &real),
            ("SKILL.md", _, _) => self.ready_skill(from, &real, text),
            ("settings.json", ".boxagnts", _) => {
                self.servers(&import::boxagnts_servers(&text, from).map_err(|error| refused(&error))?, from)
            }
            ("cron.config.json", _, _) => self.jobs(&text, from),
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
        self.extensions(from)?;
        for house in HOUSES.iter().map(|name| from.join(name)).filter(|path| path.is_dir()) {
            let house = house.shown();
            self.note(&format!("{house} was skipped; import it with `holm import {house}`"));
            self.left(&house, "it was skipped");
        }
        Ok(())
    }

    /// Imports skills and compiled tools, which need no conversion: of a folder of either, and of
    /// BoxAgnts' folder with both.
    fn extensions(&mut self, from: &Path) -> anyhow::Result<()> {
        let inner = EXTENSIONS.map(|name| from.join(name));
        let roots = [from.to_owned()].into_iter().chain(inner).filter(|root| root.is_dir());
        for root in roots {
            let is_own = |name: &str| root.file_name().is_some_and(|own| own == name);
            let skills = if is_own("skills") { root.clone() } else { root.join("skills") };
            let tools = if is_own("tools") { root.clone() } else { root.join("tools") };
            let of = |folder: &Path| {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
                paths.sort();
                paths
            };
            let skills = of(&skills).into_iter().map(|folder| folder.join("SKILL.md"));
            let is_wasm = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "wasm");
            let tools = of(&tools).into_iter().filter(is_wasm);
            for file in skills.chain(tools).filter(|file| file.is_file()) {
                self.take(&file)?;
            }
        }
        Ok(())
    }

    /// Imports a skill that Holm reads as it is.
    fn ready_skill(&mut self, from: &Path, real: &Path, text: String) -> anyhow::Result<()> {
        let skill = match SkillDocument::parse(&text) {
            Ok(skill) => skill,
            Err(error) => {
                self.leave_out(&from.shown(), &error.to_string());
                return Ok(());
            }
        };
        let beside = real.parent().into_iter().flat_map(fs::read_dir).flatten().flatten().count();
        let notes = match beside {
            0 | 1 => Vec::new(),
            _ => vec![format!("the files beside it were not copied from {}", from.shown())],
        };
        self.skill(&ImportedFile { name: skill.name, text, notes })
    }

    /// Imports a compiled tool. It gets nothing that a run was not granted.
    fn compiled_tool(&mut self, from: &Path) -> anyhow::Result<()> {
        let bytes = read_plain_within(from, MOST_TOOL_BYTES)?;
        let folder =
            if self.hooks == HookOwner::Project { self.places.project_tools() } else { self.places.tools() };
        let name = from.file_name().unwrap_or_default();
        let notes = ["`holm tool validate` shows what it asks for".to_owned()];
        self.write_bytes(&name.to_string_lossy(), &bytes, &notes, &folder.join(name)).map(drop)
    }

    /// Imports all agents of a project of agents-exe.
    fn exe_project(&mut self, from: &Path, real: &Path) -> anyhow::Result<()> {
        let folder = real.parent().unwrap_or(Path::new("/"));
        let project = ExeProject::find(folder, |_| None).map_err(|error| refused(&error))?;
        for feature in &project.unsupported {
            self.told(&from.shown(), &feature.to_string());
        }
        for agent in &project.agents {
            match ExeTree::load(agent, folder, &|_, _| Ok(())) {
                Ok(tree) => self.exe_tree(&tree)?,
                Err(error) => self.leave_out(&agent.shown(), &error.to_string()),
            }
        }
        Ok(())
    }

    fn exe(&mut self, from: &Path) -> anyhow::Result<()> {
        // Importing a file counts as reviewing it; nothing of it runs.
        let tree = ExeTree::load(from, &self.places.work, &|_, _| Ok(())).map_err(|error| refused(&error))?;
        self.exe_tree(&tree)
    }

    fn exe_tree(&mut self, tree: &ExeTree) -> anyhow::Result<()> {
        for agent in tree.agents() {
            // Agents of a project call each other, so one may have been imported with another.
            if !self.agents_taken.insert(agent.path.canonicalize().unwrap_or_else(|_| agent.path.clone())) {
                continue;
            }
            let nesting = if tree.recurses(&agent.slug) { ExeNesting::Recursive } else { ExeNesting::Plain };
            self.agent(&import::exe_agent(agent, &ExeAgentProject::model(agent), nesting))?;
            let servers = ImportedServers { entries: import::exe_servers(agent), notes: Vec::new() };
            // Wherever an agent lies, its files lie beside it: also in a hidden folder.
            self.servers_of(&servers, &agent.path, agent.path.parent())?;
        }
        Ok(())
    }

    /// Names the commands that make the jobs of BoxAgnts here.
    fn jobs(&mut self, text: &str, from: &Path) -> anyhow::Result<()> {
        for command in import::boxagnts_jobs(text, from).map_err(|error| refused(&error))? {
            self.count += 1;
            self.note(&format!("a job is not imported; to make it: {command}"));
            self.left(&from.shown(), &command);
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
        for path in &taken.written {
            if self.as_json {
                self.written(path);
            } else {
                self.summary.borrow_mut().take(path);
            }
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
        self.write_bytes(&made.name, made.text.as_bytes(), &made.notes, path)
    }

    fn write_bytes(
        &mut self,
        name: &str,
        bytes: &[u8],
        notes: &[String],
        path: &Path,
    ) -> anyhow::Result<ImportWriteResult> {
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
                file.write_all(bytes)?;
                self.written(path);
                notes.iter().for_each(|note| self.told(name, note));
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
        self.summary.borrow_mut().take(path);
        if self.as_json {
            self.screen.line(&json!({ "written": path.to_string_lossy() }).to_string());
        } else {
            self.screen.answer(&format!("created {}", path.shown()));
        }
    }

    /// Tells a program what was left out; people are told in a note.
    fn left(&self, what: &str, why: &str) {
        self.summary.borrow_mut().left += 1;
        if self.as_json {
            self.screen.line(&json!({ "left": what, "why": why }).to_string());
        }
    }

    /// Says what is to be known of something, to people and to a program.
    fn told(&self, what: &str, note: &str) {
        self.summary.borrow_mut().changed += 1;
        self.note(&format!("{what}: {note}"));
        if self.as_json {
            self.screen.line(&json!({ "note": note, "of": what }).to_string());
        }
    }

    fn note(&self, note: &str) {
        self.screen.note(&format!("holm: {note}"));
    }
}
