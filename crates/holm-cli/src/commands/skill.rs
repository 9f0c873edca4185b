//! `holm skill`: lists, shows, validates and runs skills. Files are parsed in
//! `holm-config/src/skills/`, and which skills are usable is decided in `skills.rs` beside this
//! folder. `skill/trust.rs` trusts those of a project, and
//! `skill/answer.rs` checks an answer. A skill with a contract is run by
//! `skill/contract_skills.rs`, every other by `run.rs`. Validating checks a folder and runs
//! nothing.

mod answer;
mod contract_skills;
mod trust;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use holm::guards::skill::CompiledSkill;
use holm_config::{
    read_plain_text,
    skills::{SKILL_FILE, SkillDocument},
};
use serde_json::json;

use super::run;
use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    log::ActivityLog,
    screen::TerminalOutput,
    skills::{RunSkills, UsableSkill, everywhere},
};

/// Subcommands of `holm skill`.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List skills
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Show the text of a skill
    Show {
        /// Skill name
        skill: String,
        /// Arguments of the skill; without them, the text is shown unchanged
        arguments: Vec<String>,
    },
    /// Check a skill's folder against the rules of the format, or an answer against its contract
    Validate {
        /// Folder of the skill
        folder: PathBuf,
        /// Check the answer in this file, without a model; the skill must have an output schema
        #[arg(long, value_name = "FILE")]
        answer: Option<PathBuf>,
        /// File with the arguments that led to the answer, as a JSON object
        #[arg(long, value_name = "FILE", requires = "answer")]
        input: Option<PathBuf>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show and trust the current content of this project's skills
    Trust(trust::SkillTrustArgs),
    /// Run an agent with a skill; if the skill has a schema, check the result and print it as JSON
    Run(Box<SkillRunArgs>),
}

/// Arguments of `holm skill run`.
#[derive(Debug, clap::Args)]
pub(crate) struct SkillRunArgs {
    /// Skill name
    skill: String,
    /// Arguments of the skill
    arguments: Vec<String>,
    #[command(flatten)]
    run: run::RunArgs,
}

pub(crate) async fn execute(
    command: SkillCommand,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    let screen = TerminalOutput::default();
    match command {
        SkillCommand::List { json } => list(&HolmPaths::look(data)?, &screen, json),
        SkillCommand::Show { skill, arguments } => {
            let skills = RunSkills::find(&HolmPaths::look(data)?, &[]);
            let usable = usable(&skills, &skill)?;
            // Without arguments the placeholders are shown: a gap would not show
            // that something belongs there.
            let text = match arguments.as_slice() {
                [] => usable.skill.body.clone(),
                given => filled(&usable.skill, given)?,
            };
            screen.answer(&text);
            let compiled = compiled(&skills, usable)?;
            compiled.iter().flat_map(contract_skills::shown).for_each(|line| screen.answer(&line));
            Ok(CommandExit::Done)
        }
        SkillCommand::Validate { folder, answer: Some(answer), input, json } => {
            answer::execute(&folder, &answer, input.as_deref(), &screen, json)
        }
        SkillCommand::Validate { folder, json, .. } => validate(&folder, &screen, json),
        SkillCommand::Trust(args) => trust::execute(&args, &HolmPaths::find(data)?, &screen),
        SkillCommand::Run(args) => work(*args, data, log).await,
    }
}

async fn work(args: SkillRunArgs, data: Option<&Path>, log: &ActivityLog) -> anyhow::Result<CommandExit> {
    let skills = RunSkills::find(&HolmPaths::find(data)?, &[]);
    let usable = usable(&skills, &args.skill)?;
    let compiled = compiled(&skills, usable)?;
    match compiled {
        Some(compiled) => {
            contract_skills::execute(&compiled, &usable.skill, &args.arguments, args.run, data).await
        }
        None => {
            let text = filled(&usable.skill, &args.arguments)?;
            run::execute(args.run.asked(text).logging(log), data).await
        }
    }
}

/// The text of a skill with what was given.
fn filled(skill: &SkillDocument, given: &[String]) -> Result<String, CommandError> {
    let filled = skill.filled(&given.join(" "));
    filled.map_err(|error| {
        CommandError::new(CommandExit::Usage, format!("the skill `{}`: {error}", skill.name))
    })
}

/// What a skill promises, ready to be checked.
fn compiled(skills: &RunSkills, usable: &UsableSkill) -> Result<Option<CompiledSkill>, CommandError> {
    contract_skills::compiled(&usable.skill, |file| skills.file(usable, file)).map_err(|why| {
        let message =
            format!("the skill `{}` makes a promise that cannot be checked: {why}", usable.skill.name);
        CommandError::new(CommandExit::Usage, message).hint("`holm skill validate FOLDER` lists the problems")
    })
}

/// A skill that can be used; why not, if it is there and cannot.
fn usable<'s>(skills: &'s RunSkills, name: &str) -> Result<&'s UsableSkill, CommandError> {
    skills.get(name).ok_or_else(|| {
        let folder = format!("/{name}/{SKILL_FILE} ");
        match skills.notes.iter().find(|note| note.contains(&folder)) {
            Some(note) if skills.is_faulty(name) => CommandError::new(CommandExit::Usage, note.clone()),
            Some(note) => CommandError::new(CommandExit::NoAnswer, note.clone()),
            None => CommandError::new(CommandExit::Missing, format!("there is no skill `{name}`"))
                .hint("`holm skill list` shows the skills"),
        }
    })
}

fn list(places: &HolmPaths, screen: &TerminalOutput, as_json: bool) -> anyhow::Result<CommandExit> {
    let usable = RunSkills::find(places, &[]);
    let skills = everywhere(places, &[]);
    if skills.is_empty() {
        screen.note("holm: no skills yet; a skill is a folder with a SKILL.md, such as ~/.holm/skills/NAME");
    }
    let named = skills.into_iter().flat_map(|(name, all)| {
        let used = usable.get(&name).map(|usable| usable.folder.clone());
        let first = all.iter().rposition(|found| Some(&found.folder) == used.as_ref()).unwrap_or(0);
        // Those before the one that is used are hidden by it; those behind it cannot be used.
        let shown = all.into_iter().skip(first);
        shown.map(move |found| (name.clone(), used.as_ref() == Some(&found.folder), found))
    });
    for (name, is_used, found) in named {
        let path = found.folder.join(SKILL_FILE);
        let about = found.skill.as_ref().map(|skill| skill.description.clone());
        let problem = match &about {
            Err(why) => Some((*why).clone()),
            Ok(_) if !is_used => Some("you have not trusted it yet, or it changed since".to_owned()),
            Ok(_) => None,
        };
        if as_json {
            let object = json!({ "name": name, "path": path.to_string_lossy(), "about": about.ok(), "problem": problem });
            screen.line(&object.to_string());
            continue;
        }
        let words = match problem {
            Some(why) => format!("cannot be used: {why}"),
            None => about.unwrap_or_default(),
        };
        screen.answer(&format!("{name}  {words}  ({})", path.shown()));
    }
    Ok(CommandExit::Done)
}

/// The path and the text of the skill in a folder.
fn skill_text(folder: &Path) -> Result<(PathBuf, String), CommandError> {
    let path = if folder.ends_with(SKILL_FILE) { folder.to_owned() } else { folder.join(SKILL_FILE) };
    if !path.exists() {
        return Err(CommandError::new(CommandExit::Missing, format!("there is no file {}", path.shown()))
            .hint("name the folder of a skill; `holm skill list` shows the folders"));
    }
    let text = read_plain_text(&path).map_err(|error| {
        CommandError::new(CommandExit::Missing, format!("{} cannot be read: {error}", path.shown()))
    })?;
    Ok((path, text))
}

/// The text of a file beside a skill.
fn beside(skill: &Path, file: &str) -> Result<String, String> {
    let path = skill.parent().unwrap_or(Path::new("")).join(file);
    read_plain_text(&path).map_err(|error| format!("{file}: {error}"))
}

fn validate(folder: &Path, screen: &TerminalOutput, as_json: bool) -> anyhow::Result<CommandExit> {
    let (path, text) = skill_text(folder)?;
    let name = path
        .canonicalize()?
        .parent()
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let (usable, problems) = match SkillDocument::parse(&text) {
        Ok(skill) => {
            let broken = contract_skills::compiled(&skill, |file| beside(&path, file)).err();
            let flaws = skill.flaws(&name.unwrap_or_default());
            (broken.is_none(), broken.into_iter().chain(flaws).collect())
        }
        Err(error) => (false, vec![error.to_string()]),
    };
    if as_json {
        let path = path.to_string_lossy();
        screen.line(&json!({ "path": path, "usable": usable, "problems": problems }).to_string());
    } else if problems.is_empty() {
        screen.answer(&format!("{}: no problems found", path.shown()));
    } else {
        problems.iter().for_each(|problem| screen.answer(&format!("{}: {problem}", path.shown())));
    }
    Ok(if usable && problems.is_empty() { CommandExit::Done } else { CommandExit::NoAnswer })
}
