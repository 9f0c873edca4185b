//! `holm config`: the settings that hold here, and where each comes from.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use holm_config::{Origin, Row, Settings};
use holm_tools::trust::{ContentHash, Ledger, Standing};
use serde_json::json;

use crate::{
    agreed::Question,
    exit::{Exit, Trouble},
    places::Places,
    screen::Screen,
    settings::Here,
};

/// What `holm config` does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the settings that hold here
    Show {
        /// Say where each comes from
        #[arg(long)]
        origin: bool,
        /// Print one JSON object a line, with origins
        #[arg(long)]
        json: bool,
    },
    /// Show this project's holm.toml, and trust it as it is now
    Trust {
        /// Trust the file with this content (SHA-256) without being asked
        #[arg(long, value_name = "HASH")]
        yes: Vec<ContentHash>,
    },
    /// Trust this project's holm.toml no longer
    Forget,
    /// Print the JSON Schema of holm.toml, for editors
    Schema,
}

/// Runs the command.
pub(crate) fn execute(command: Command, data: Option<&Path>) -> anyhow::Result<Exit> {
    let screen = Screen::default();
    match command {
        Command::Schema => {
            screen.line(&serde_json::to_string_pretty(&holm_config::schema())?);
            Ok(Exit::Done)
        }
        Command::Show { origin, json } => show(&Places::find(data)?, &screen, origin, json),
        Command::Trust { yes } => trust(&yes.into_iter().collect(), &Places::find(data)?, &screen),
        Command::Forget => forget(&Places::find(data)?, &screen),
    }
}

fn show(places: &Places, screen: &Screen, origin: bool, as_json: bool) -> anyhow::Result<Exit> {
    let settings = Here::find(places)?.settle(Settings::default(), screen);
    for row in settings.rows() {
        if as_json {
            screen.line(&object(&row).to_string());
            continue;
        }
        let from = if origin { format!("  # {}", row.origin) } else { String::new() };
        screen.answer(&format!("{} = {}{from}", row.key, row.value));
    }
    Ok(Exit::Done)
}

/// A value as a program reads it.
fn object(row: &Row) -> serde_json::Value {
    let (path, line) = match &row.origin {
        Origin::File { path, line, .. } => (json!(path), json!(line)),
        Origin::Variable(_) | Origin::Flag(_) => (json!(null), json!(null)),
    };
    let layer = row.origin.layer().as_str();
    json!({
        "key": row.key, "value": row.value, "layer": layer, "origin": row.origin.to_string(), "path": path, "line": line,
    })
}

/// Shows the file, and remembers a yes for exactly that.
fn trust(yes: &BTreeSet<ContentHash>, places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let path = project(places)?;
    let text = std::fs::read(&path)?;
    let (hash, mut ledger) = (ContentHash::of(&text), Ledger::open(places.trust())?);
    let how = match ledger.standing(&path, &hash) {
        Standing::Trusted => {
            screen.note("holm: nothing here is new");
            return Ok(Exit::Done);
        }
        Standing::Changed => "changed",
        Standing::Unknown => "new",
    };
    screen.answer(&format!("{how}: {} ({hash})", path.display()));
    screen.answer(&String::from_utf8_lossy(&text));
    let words = "May these settings hold, as they are now, whenever an agent works here?";
    let question = Question { command: "holm config trust", words };
    if !question.ask(yes, &BTreeSet::from([hash]), screen)? {
        screen.note("holm: it does nothing");
        return Ok(Exit::NoAnswer);
    }
    ledger.trust_file(&path, hash)?;
    screen.note("holm: trusted as it is now");
    Ok(Exit::Done)
}

fn forget(places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let path = project(places)?;
    let mut ledger = Ledger::open(places.trust())?;
    let known = ledger.knows(&path);
    ledger.forget(&path)?;
    screen.note(if known { "holm: it is trusted no longer" } else { "holm: nobody had trusted it" });
    Ok(Exit::Done)
}

/// The project's file, by its real path.
fn project(places: &Places) -> anyhow::Result<PathBuf> {
    // Whatever is wrong with it or with others: it is looked at, not used.
    let found = holm_config::Found::from(&places.work, |name| std::env::var(name).ok());
    let Some(path) = found.project else {
        let message = format!("there is no holm.toml in {} and above it", places.work.display());
        return Err(Trouble::new(Exit::Missing, message)
            .hint("`holm paths` shows where settings are")
            .into());
    };
    Ok(path.canonicalize()?)
}
