//! `holm check`: validates every file that a run would read. Nothing is run, and no question is
//! asked. Each file is parsed by the code that a run uses, so this file only collects findings; a
//! new rule belongs to the parser and not here. Problems of the machine, such as a missing jail,
//! are found by `doctor.rs`.
//!
//! A file that was never trusted is a note; a file that changed since it was trusted is a problem,
//! because no run would start. Text from a file is printed on one line, so that it cannot look like
//! a line of Holm.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
};

use holm::grants::escaped;
use holm_config::{
    ConfigError, KeyFile,
    agents_exe::{ExeKeys, ExeProject, ExeTree, UnsupportedFeature},
    read_plain,
    skills::SKILL_FILE,
};
use holm_tools::{agents::AgentFile, registry::ToolSidecar, trust::TrustLedger};
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{
    agent_validator::{AgentSetupProblem, AgentValidator},
    agents::is_meant,
    chat, checks,
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    hooks::HookOwner,
    mcp_entries::McpEntryFile,
    mcp_servers,
    screen::TerminalOutput,
    settings::FolderSettings,
    skills::everywhere,
};

/// Arguments of `holm check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// The result of checking one file.
struct FileFinding {
    path: PathBuf,
    /// The kind of the file, in a word.
    what: &'static str,
    /// The problem, if there is one.
    wrong: Option<FileProblem>,
    /// Parts of the file that Holm does not support.
    notes: Vec<String>,
    /// The agent, if the file is one in Holm's format.
    agent: Option<AgentFile>,
}

impl FileFinding {
    fn new(path: PathBuf, what: &'static str, wrong: Option<FileProblem>) -> Self {
        Self { path, what, wrong, notes: Vec::new(), agent: None }
    }

    /// A file of which its reader knows the place.
    fn of(error: ConfigError, what: &'static str) -> Self {
        let wrong = FileProblem {
            line: error.line,
            problem: flat(&error.problem.to_string()),
            hint: Some(flat(&error.fix())),
        };
        Self::new(error.path, what, Some(wrong))
    }

    /// A file that begins like an agent. Keys in it that mean nothing are named.
    fn of_agent(path: PathBuf, bytes: &[u8]) -> Self {
        match AgentFile::parse(&String::from_utf8_lossy(bytes)) {
            Ok(agent) => {
                let remarks = agent.remarks().into_iter();
                let notes = remarks.map(|remark| format!("{}: {remark}", path.shown())).collect();
                Self { notes, agent: Some(agent), ..Self::new(path, "agent", None) }
            }
            Err(error) => Self::new(path, "agent", Some(FileProblem::said(&error.to_string()))),
        }
    }

    fn object(&self) -> serde_json::Value {
        let (path, wrong) = (self.path.to_string_lossy(), self.wrong.as_ref());
        json!({
            "path": path, "what": self.what, "ok": wrong.is_none(), "line": wrong.and_then(|wrong| wrong.line),
            "problem": wrong.map(|wrong| &wrong.problem), "hint": wrong.and_then(|wrong| wrong.hint.as_ref()),
            "notes": self.notes,
        })
    }

    fn line(&self) -> String {
        let (what, path) = (self.what, self.path.shown());
        match &self.wrong {
            None => format!("ok   {what:8}  {path}"),
            Some(wrong) => format!("bad  {what:8}  {path}:{wrong}"),
        }
    }
}

/// The problem of a file in parts: its line, the sentence, and a hint.
struct FileProblem {
    line: Option<usize>,
    problem: String,
    hint: Option<String>,
}

impl FileProblem {
    /// In these words, which may begin with the line.
    fn said(text: &str) -> Self {
        let text = flat(text);
        let begins = text.split_once(": ").and_then(|(line, rest)| {
            let line = line.strip_prefix("line ").unwrap_or(line);
            Some((line.parse::<usize>().ok()?, rest.to_owned()))
        });
        let (line, problem) = begins.map_or((None, text), |(line, rest)| (Some(line), rest));
        Self { line, problem, hint: None }
    }

    /// With what to do about it.
    fn hint(self, hint: Option<&str>) -> Self {
        Self { hint: hint.map(flat), ..self }
    }
}

impl fmt::Display for FileProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(out, "{line}:")?;
        }
        write!(out, " {}", self.problem)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(out, "; {hint}"))
    }
}

pub(crate) fn execute(args: &CheckArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let (places, screen) = (HolmPaths::look(data)?, TerminalOutput::default());
    let mut findings = settings(&places);
    let ledger = TrustLedger::open(places.trust());
    findings.extend(HookOwner::ALL.iter().filter_map(|owner| hooks(*owner, &places, ledger.as_ref().ok())));
    findings.extend(ledger.err().map(|error| {
        let wrong = FileProblem::said(&error.to_string()).hint(Some(
            "fix it, or move it away and trust your \
                                                               files \
                                                               again",
        ));
        FileFinding::new(places.trust(), "trust", Some(wrong))
    }));
    let folders = [places.tools(), places.agents(), places.project_tools(), places.project_agents()];
    for folder in folders {
        findings.extend(described(&folder, &places));
    }
    blame_company(&mut findings, &places);
    findings.extend(everywhere(&places, &[]).into_values().flatten().map(|found| {
        let path = found.folder.join(SKILL_FILE);
        FileFinding::new(path, "skill", found.skill.err().map(|why| FileProblem::said(&why)))
    }));
    findings.extend(KeyFile::load(&places.keys()).err().map(|error| FileFinding::of(error, "keys")));
    findings.extend(exe(&places));
    findings.extend(chat(&places));
    let mut exit = CommandExit::Done;
    for finding in &findings {
        if finding.wrong.is_some() {
            exit = CommandExit::Usage;
        }
        if args.json {
            screen.line(&finding.object().to_string());
            continue;
        }
        screen.answer(&finding.line());
        let note = |note: &String| screen.answer(&format!("note {:8}  {}", finding.what, flat(note)));
        finding.notes.iter().for_each(note);
    }
    Ok(exit)
}

/// Checks the settings files. A problem is reported with its line; later files are checked
/// once it is fixed.
fn settings(places: &HolmPaths) -> Vec<FileFinding> {
    let found = places.found();
    let policies = found.policies.iter().map(|(path, _)| path);
    let files = found.user.iter().chain(found.projects()).chain(policies).filter(|path| path.is_file());
    let here = FolderSettings::find(places);
    // A file that has changed since it was trusted ends every run; a file that was
    // never trusted does not.
    let (stale, inert): (_, Vec<(PathBuf, String)>) = match &here {
        Ok(here) => (here.broken(places), here.inert().map(|(path, note)| (path.to_owned(), note)).collect()),
        Err(_) => (None, Vec::new()),
    };
    let wrong = here.and_then(|here| here.validate()).err();
    let parts = wrong.as_ref().map(CommandError::parts);
    // The message begins with the file, escaped, and its line; the other files are not to blame.
    let blamed = |path: &Path| {
        let (message, hint) = parts?;
        let why = message.strip_prefix(&format!("{}:", escaped(&path.display().to_string())))?;
        Some(FileProblem::said(why.trim_start()).hint(hint))
    };
    let mut findings: Vec<FileFinding> =
        files.map(|path| FileFinding::new(path.clone(), "settings", blamed(path))).collect();
    if let Some((message, hint)) = parts.filter(|_| findings.iter().all(|finding| finding.wrong.is_none())) {
        // A variable, or a file that was named and is not there.
        let (place, why) = message.split_once(": ").unwrap_or(("settings", message));
        let wrong = FileProblem::said(why).hint(hint);
        findings.push(FileFinding::new(PathBuf::from(place), "settings", Some(wrong)));
    }
    let Some((stale, trouble)) = stale else {
        for finding in &mut findings {
            let notes = inert.iter().filter(|(path, _)| *path == finding.path).map(|(_, note)| note.clone());
            finding.notes.extend(notes);
        }
        return findings;
    };
    // A ledger that cannot be read has a line of its own.
    if stale != places.trust() {
        let (message, hint) = trouble.parts();
        let wrong = FileProblem::said(message).hint(hint);
        if let Some(finding) = findings.iter_mut().find(|finding| finding.path == stale) {
            finding.wrong.get_or_insert(wrong);
        } else {
            findings.push(FileFinding::new(stale, "settings", Some(wrong)));
        }
    }
    findings
}

/// What a person says of keys and colours, if they say something.
fn chat(places: &HolmPaths) -> Option<FileFinding> {
    let path = places.data.join("chat.toml");
    let remarks = chat::remarks(places);
    let first = remarks.first().map(|why| FileProblem::said(why.strip_prefix("chat.toml: ").unwrap_or(why)));
    path.is_file().then(|| FileFinding::new(path, "chat", first))
}

/// A file of hooks, if there is one: whether it can be read, and whether a run would begin with it.
fn hooks(owner: HookOwner, places: &HolmPaths, ledger: Option<&TrustLedger>) -> Option<FileFinding> {
    let path = owner.file(places);
    let wrong = match owner.read(places) {
        Ok(Some(file)) => ledger.and_then(|ledger| owner.stale(file, places, ledger)),
        // A missing file is fine if none was ever trusted.
        Ok(None) => Some(ledger.and_then(|ledger| owner.gone(places, ledger))?),
        Err(error) => Some(format!("{error:#}")),
    };
    Some(FileFinding::new(path, "hooks", wrong.map(|why| FileProblem::said(&why))))
}

/// Checks the agents-exe project of this folder, its agents and their keys.
/// Unsupported parts are named.
fn exe(places: &HolmPaths) -> Vec<FileFinding> {
    let project = match ExeProject::find(&places.work, |name| std::env::var(name).ok()) {
        Ok(project) => project,
        Err(error) => return vec![FileFinding::of(error, "agents")],
    };
    let said = |unsupported: &[&UnsupportedFeature]| unsupported.iter().map(ToString::to_string).collect();
    let unsupported: Vec<&UnsupportedFeature> = project.unsupported.iter().collect();
    let cfg = project
        .cfg
        .clone()
        .map(|path| FileFinding { notes: said(&unsupported), ..FileFinding::new(path, "agents", None) });
    // Nothing of an agent runs by being looked at.
    let agents = project.agents.iter().map(|path| match ExeTree::load(path, &places.work, &|_, _| Ok(())) {
        Ok(tree) => {
            let mut notes = said(&tree.unsupported());
            notes.extend(tree.missing().iter().map(ToString::to_string));
            FileFinding { notes, ..FileFinding::new(path.clone(), "agent", None) }
        }
        Err(error) => FileFinding::of(error, "agent"),
    });
    let beside = project.agents.iter().filter_map(|path| Some(path.parent()?.join("agents-exe.keys")));
    let of_project = project.keys.iter().find(|file| file.is_file()).cloned();
    // The file of the project counts, and only without one that beside an agent.
    let keys: BTreeSet<PathBuf> = match of_project {
        Some(file) => BTreeSet::from([file]),
        None => beside.collect(),
    };
    let keys = keys.iter().filter_map(|file| ExeKeys::load(file).err());
    let keys = keys.map(|error| FileFinding::of(error, "keys"));
    cfg.into_iter().chain(agents).chain(keys).collect()
}

/// The agents, servers and sidecars of a folder of tools.
fn described(folder: &Path, places: &HolmPaths) -> Vec<FileFinding> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    let stems: Vec<PathBuf> = files.iter().filter(|path| !is_toml(path)).map(|path| bare(path)).collect();
    let look = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let bytes = match read_plain(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let is_agent = name.ends_with(".md") && is_meant(&path, "");
                let what = if is_agent { "agent" } else { "server" };
                let wrong = FileProblem::said(&error.to_string());
                let is_ours = is_agent || name.ends_with(".mcp.json");
                return is_ours.then(|| FileFinding::new(path, what, Some(wrong)));
            }
        };
        if name.ends_with(".mcp.json") {
            let loader = mcp_servers::loader(places, &path, holm_mcp::McpTransports::new());
            let entry = McpEntryFile { path, bytes };
            let wrong = loader.read(&entry.path, &entry.bytes).err().map(|error| error.to_string());
            let wrong = wrong.or_else(|| entry.stale(places)).map(|why| FileProblem::said(&why));
            return Some(FileFinding::new(entry.path, "server", wrong));
        }
        if name.ends_with(".md") {
            let is_agent = is_meant(&path, &String::from_utf8_lossy(&bytes));
            return is_agent.then(|| FileFinding::of_agent(path, &bytes));
        }
        // A TOML file without a tool of the same name is not a sidecar.
        let is_sidecar = is_toml(&path) && stems.contains(&bare(&path));
        is_sidecar.then(|| {
            let wrong = sidecar(&bytes, &places.work);
            FileFinding::new(path, "sidecar", wrong)
        })
    };
    files.into_iter().filter_map(look).collect()
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

/// A path without its last ending.
fn bare(path: &Path) -> PathBuf {
    path.with_extension("")
}

/// What is wrong with a sidecar, with its line.
fn sidecar(bytes: &[u8], work: &Path) -> Option<FileProblem> {
    let Ok(text) = str::from_utf8(bytes) else { return Some(FileProblem::said("it is not UTF-8 text")) };
    let error = match toml::from_str::<ToolSidecar>(text) {
        Ok(read) => {
            let problem = checks::cannot_be_made(&read.postconditions, work).into_iter().next()?;
            return Some(FileProblem::said(&problem).hint(Some("install the program, or remove the check")));
        }
        Err(error) => error,
    };
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = Some(before.matches('\n').count() + 1);
    let wrong = FileProblem { line, ..FileProblem::said(error.message()) };
    Some(wrong.hint(Some("fix or remove the line")))
}

/// Reports each agent that is in a delegation cycle or names a missing agent or tool: every
/// run leaves these out.
fn blame_company(findings: &mut [FileFinding], places: &HolmPaths) {
    let company = AgentValidator::of(findings.iter().filter_map(|finding| finding.agent.as_ref()), places);
    for finding in findings {
        let Some(agent) = &finding.agent else { continue };
        if let Some(AgentSetupProblem { line, why, fix }) = company.flaw(agent, &finding.path) {
            finding.wrong = Some(FileProblem { line: Some(line), problem: why, hint: Some(fix.to_owned()) });
        }
    }
}

/// What a file says must not look like a line of ours.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
