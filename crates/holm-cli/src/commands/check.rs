//! `holm check`: whether every file that a run would read can be used. Nothing runs and nothing is asked.

use std::{
    fs,
    path::{Path, PathBuf},
};

use holm::wire::services::Services;
use holm_config::{
    KeyFile, Settings,
    exe::{ExeProject, ExeTree, Unsupported},
    read_plain,
    skills::SKILL_FILE,
};
use holm_tools::agents::AgentFile;
use serde_json::json;

use super::run::parsed;
use crate::{
    circles::Circles,
    exit::{Exit, Trouble},
    hooks::Owner,
    places::Places,
    screen::Screen,
    servers,
    settings::{Here, refused},
    skills::everywhere,
};

/// What `holm check` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// What was found of one file.
struct Finding {
    path: PathBuf,
    /// What it is, in a word.
    what: &'static str,
    /// What is wrong with it.
    wrong: Option<String>,
    /// What it says and Holm cannot do.
    notes: Vec<String>,
    /// The agent that it is, if it is one of Holm's form.
    agent: Option<AgentFile>,
}

impl Finding {
    fn new(path: PathBuf, what: &'static str, wrong: Option<String>) -> Self {
        Self { path, what, wrong, notes: Vec::new(), agent: None }
    }

    /// A file that begins like an agent. Keys in it that mean nothing are named.
    fn of_agent(path: PathBuf, bytes: Result<Vec<u8>, String>) -> Self {
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match text.and_then(|text| AgentFile::parse(&text).map_err(|error| error.to_string())) {
            Ok(agent) => {
                let remarks = agent.remarks().into_iter();
                let notes = remarks.map(|remark| format!("{}: {remark}", path.display())).collect();
                Self { notes, agent: Some(agent), ..Self::new(path, "agent", None) }
            }
            Err(why) => Self::new(path, "agent", Some(why)),
        }
    }
}

/// Runs the command.
pub(crate) fn execute(args: &Args, data: Option<&Path>) -> anyhow::Result<Exit> {
    let (places, screen) = (Places::find(data)?, Screen::default());
    let mut findings = settings(&places, &screen);
    findings.extend(Owner::ALL.iter().filter_map(|owner| {
        let wrong = owner.read(&places).map(|file| file.map(|_| ())).map_err(|error| format!("{error:#}"));
        let path = owner.file(&places);
        match wrong {
            Ok(None) => None,
            Ok(Some(())) => Some(Finding::new(path, "hooks", None)),
            Err(why) => Some(Finding::new(path, "hooks", Some(why))),
        }
    }));
    let folders = [places.tools(), places.agents(), places.project_tools(), places.project_agents()];
    for folder in folders {
        findings.extend(described(&folder, &places));
    }
    blame_circles(&mut findings);
    findings.extend(everywhere(&places, &[]).into_values().flatten().map(|found| {
        let path = found.folder.join(SKILL_FILE);
        Finding::new(path, "skill", found.skill.err())
    }));
    findings.extend(KeyFile::load(&places.keys()).err().map(|error| {
        let wrong = format!("{} (hint: {})", error.problem, error.fix());
        Finding::new(places.keys(), "keys", Some(wrong))
    }));
    findings.extend(exe(&places));
    let mut exit = Exit::Done;
    for Finding { path, what, wrong, notes, agent: _ } in &findings {
        if wrong.is_some() {
            exit = Exit::NoAnswer;
        }
        if args.json {
            let (path, ok) = (path.to_string_lossy(), wrong.is_none());
            screen.line(
                &json!({ "path": path, "what": what, "ok": ok, "problem": wrong, "notes": notes })
                    .to_string(),
            );
            continue;
        }
        match wrong {
            None => screen.answer(&format!("ok   {what:8}  {}", path.display())),
            Some(why) => screen.answer(&format!("bad  {what:8}  {}", placed(path, &flat(why)))),
        }
        notes.iter().for_each(|note| screen.answer(&format!("note {what:8}  {}", flat(note))));
    }
    Ok(exit)
}

/// The files of settings. What is wrong with one is told with its line; a later one is looked at when it is mended.
fn settings(places: &Places, screen: &Screen) -> Vec<Finding> {
    let found = places.found();
    let policies = found.policies.iter().map(|(path, _)| path);
    let files = found.user.iter().chain(&found.project).chain(policies).filter(|path| path.is_file());
    let read: Result<Settings, Trouble> = Here::find(places).and_then(|here| {
        if let Some((path, _)) = &here.loaded.inert {
            // Nobody need trust it first to learn that it cannot be used.
            let bytes = read_plain(path)
                .map_err(|error| Trouble::new(Exit::Usage, format!("{}: {error}", path.display())))?;
            Settings::of_project(&bytes, path).map_err(|error| refused(&error))?;
        }
        let settings = here.settle(Settings::default(), screen);
        parsed(settings.allow.clone())?;
        parsed(settings.deny.clone())?;
        models(&settings)?;
        Ok(settings)
    });
    let wrong = read.err().map(|trouble| flat(&trouble.to_string()));
    // The message begins with the file and line; the other files are not to blame.
    let blamed = |path: &Path| {
        let why = wrong.as_ref()?.strip_prefix(&format!("{}:", path.display()))?;
        Some(why.trim_start().to_owned())
    };
    let mut findings: Vec<Finding> =
        files.map(|path| Finding::new(path.clone(), "settings", blamed(path))).collect();
    if let Some(why) = wrong.clone().filter(|_| findings.iter().all(|finding| finding.wrong.is_none())) {
        // A variable, or a file that was named and is not there.
        findings.push(Finding::new(places.work.clone(), "settings", Some(why)));
    }
    findings
}

/// Whether the models that settings name lead anywhere.
fn models(settings: &Settings) -> Result<(), Trouble> {
    let first = settings.model.iter().map(|model| (&model.value, &model.origin));
    let others =
        settings.step_up.iter().flat_map(|models| models.value.iter().map(|name| (name, &models.origin)));
    for (name, origin) in first.chain(others) {
        let provider = name.split('/').next().unwrap_or_default();
        let is_own = settings.providers.get(provider).is_some_and(|own| own.base_url.is_some());
        if is_own || matches!(provider, "local" | "scripted") {
            continue;
        }
        if let Err(error) = Services::stock().resolve(name) {
            return Err(Trouble::new(Exit::Usage, format!("{origin}: {error}")));
        }
    }
    Ok(())
}

/// The project of agents-exe that this folder belongs to, and its agents. What they say and Holm cannot do is named.
fn exe(places: &Places) -> Vec<Finding> {
    let project = match ExeProject::find(&places.work, |name| std::env::var(name).ok()) {
        Ok(project) => project,
        Err(error) => {
            let wrong = Some(format!("{error} (hint: {})", error.fix()));
            return vec![Finding::new(error.path, "agents", wrong)];
        }
    };
    let said = |unsupported: &[&Unsupported]| unsupported.iter().map(ToString::to_string).collect();
    let unsupported: Vec<&Unsupported> = project.unsupported.iter().collect();
    let cfg = project
        .cfg
        .clone()
        .map(|path| Finding { notes: said(&unsupported), ..Finding::new(path, "agents", None) });
    // Nothing of an agent runs by being looked at.
    let agents = project.agents.iter().map(|path| match ExeTree::load(path, &|_, _| Ok(())) {
        Ok(tree) => Finding { notes: said(&tree.unsupported()), ..Finding::new(path.clone(), "agent", None) },
        Err(error) => Finding::new(path.clone(), "agent", Some(format!("{error} (hint: {})", error.fix()))),
    });
    cfg.into_iter().chain(agents).collect()
}

/// The agents and servers of a folder of tools.
fn described(folder: &Path, places: &Places) -> Vec<Finding> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    let look = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let bytes = read_plain(&path).map_err(|error| error.to_string());
        let (what, wrong) = if name.ends_with(".mcp.json") {
            let loader = servers::loader(places, &path, holm_mcp::Means::new());
            let read = bytes.and_then(|bytes| loader.read(&path, &bytes).map_err(|error| error.to_string()));
            ("server", read.err())
        } else if name.ends_with(".md") && bytes.as_ref().is_ok_and(|bytes| bytes.starts_with(b"---")) {
            return Some(Finding::of_agent(path, bytes));
        } else {
            return None;
        };
        Some(Finding::new(path, what, wrong))
    };
    files.into_iter().filter_map(look).collect()
}

/// Agents that hand work on in a circle are left out of every run, so each of them is told here.
fn blame_circles(findings: &mut [Finding]) {
    let circles = Circles::among(findings.iter().filter_map(|finding| finding.agent.as_ref()));
    for finding in findings {
        let circle = finding.agent.as_ref().and_then(|agent| circles.through(&agent.name));
        finding.wrong = circle.map(|circle| circle.to_string()).or(finding.wrong.take());
    }
}

/// A problem at its file, and at its line where it begins with one: as every other message has it.
fn placed(path: &Path, why: &str) -> String {
    let path = path.display().to_string();
    let is_line = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    if why.starts_with(&format!("{path}:")) {
        return why.to_owned();
    }
    let blank = if why.split_once(": ").is_some_and(|(line, _)| is_line(line)) { "" } else { " " };
    format!("{path}:{blank}{why}")
}

/// What a file says must not look like a line of ours.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
