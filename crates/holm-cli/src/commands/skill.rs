//! `holm skill`: the skills that there are.

use std::{fs, path::Path};

use clap::Subcommand;
use holm_config::skills::{SKILL_FILE, Skill};
use serde_json::json;

use super::run;
use crate::{
    exit::{Exit, Trouble},
    places::Places,
    screen::Screen,
    skills::{Skills, everywhere},
};

/// What `holm skill` does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the skills that there are
    List {
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Show the text of a skill
    Show {
        /// Its name
        skill: String,
        /// What it should work on
        arguments: Vec<String>,
    },
    /// Check the folder of a skill against the rules of the format
    Validate {
        /// The folder
        folder: std::path::PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Give an agent a skill to work by
    Run(Box<Run>),
}

/// What `holm skill run` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// Its name
    skill: String,
    /// What it should work on
    arguments: Vec<String>,
    #[command(flatten)]
    run: run::Args,
}

/// Runs the command.
pub(crate) async fn execute(command: Command, data: Option<&Path>) -> anyhow::Result<Exit> {
    let screen = Screen::default();
    match command {
        Command::List { json } => list(&Places::find(data)?, &screen, json),
        Command::Show { skill, arguments } => {
            let text = filled(&skill, &arguments, &Places::find(data)?)?;
            screen.answer(&text);
            Ok(Exit::Done)
        }
        Command::Validate { folder, json } => validate(&folder, &screen, json),
        Command::Run(args) => {
            let text = filled(&args.skill, &args.arguments, &Places::find(data)?)?;
            run::execute(args.run.asked(text), data).await
        }
    }
}

/// The text of a skill that can be used.
fn filled(name: &str, arguments: &[String], places: &Places) -> Result<String, Trouble> {
    let skills = Skills::find(places, &[]);
    let found = skills.get(name).map(|usable| usable.skill.filled(&arguments.join(" ")));
    found.ok_or_else(|| {
        let folder = format!("/{name}/{SKILL_FILE} ");
        match skills.notes.iter().find(|note| note.contains(&folder)) {
            Some(note) => Trouble::new(Exit::NoAnswer, note.clone()),
            None => Trouble::new(Exit::Missing, format!("there is no skill `{name}`"))
                .hint("holm skill list shows which there are"),
        }
    })
}

fn list(places: &Places, screen: &Screen, as_json: bool) -> anyhow::Result<Exit> {
    let usable = Skills::find(places, &[]);
    for (name, found) in everywhere(places, &[]) {
        let path = found.folder.join(SKILL_FILE);
        let about = found.skill.as_ref().map(|skill| skill.description.clone());
        let problem = match (&about, usable.get(&name)) {
            (Err(why), _) => Some((*why).clone()),
            (Ok(_), None) => Some("nobody has trusted it as it is".to_owned()),
            (Ok(_), Some(_)) => None,
        };
        if as_json {
            let object = json!({ "name": name, "path": path, "about": about.ok(), "problem": problem });
            screen.line(&object.to_string());
            continue;
        }
        let words = match problem {
            Some(why) => format!("cannot be used: {why}"),
            None => about.unwrap_or_default(),
        };
        screen.answer(&format!("{name}  {words}  ({})", path.display()));
    }
    Ok(Exit::Done)
}

fn validate(folder: &Path, screen: &Screen, as_json: bool) -> anyhow::Result<Exit> {
    let path = if folder.ends_with(SKILL_FILE) { folder.to_owned() } else { folder.join(SKILL_FILE) };
    let text = fs::read_to_string(&path)
        .map_err(|error| Trouble::new(Exit::Missing, format!("{}: {error}", path.display())))?;
    let name = path
        .canonicalize()?
        .parent()
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let (usable, problems) = match Skill::parse(&text) {
        Ok(skill) => (true, skill.flaws(&name.unwrap_or_default())),
        Err(error) => (false, vec![error.to_string()]),
    };
    if as_json {
        screen.line(&json!({ "path": path, "usable": usable, "problems": problems }).to_string());
    } else if problems.is_empty() {
        screen.answer(&format!("{}: nothing is wrong with it", path.display()));
    } else {
        problems.iter().for_each(|problem| screen.answer(&format!("{}: {problem}", path.display())));
    }
    Ok(if usable && problems.is_empty() { Exit::Done } else { Exit::NoAnswer })
}
