//! `holm config`: shows the effective settings and the origin of each, and
//! trusts the project's files.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use holm_config::{Origin, Row, Settings, read_plain};
use holm_tools::trust::{ContentHash, Ledger, Linked, Standing};
use serde_json::json;

use crate::screen::ShownPath as _;
use crate::{
    agreed::Question,
    exit::{Exit, Trouble},
    places::Places,
    screen::Screen,
    settings::{BACK, Here, gone, named, no_run, of_project, refused},
};

/// Subcommands of `holm config`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the settings in effect here
    Show {
        /// Show where each value comes from
        #[arg(long)]
        origin: bool,
        /// Print one JSON object per line, with origins
        #[arg(long)]
        json: bool,
    },
    /// Show this project's holm.toml and AGENTS.md, and trust their current content
    Trust {
        /// Trust the file with this SHA-256 without asking; can be repeated
        #[arg(long, value_name = "HASH")]
        yes: Vec<ContentHash>,
    },
    /// Stop trusting this project's holm.toml and AGENTS.md
    Forget,
    /// Print the JSON Schema of holm.toml, for editors
    Schema,
}

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
    let here = Here::find(places)?;
    let settings = match here.check(places) {
        Ok(()) => here.settle(Settings::default(), screen),
        Err(trouble) => {
            screen.note(&format!("holm: {}", no_run(&trouble)));
            here.loaded.layers.settle(Settings::default())
        }
    };
    let rows = settings.rows();
    if rows.is_empty() {
        screen.note(
            "holm: no settings found, so the defaults apply; `holm paths` shows where your \
                     settings would be",
        );
    }
    for row in rows {
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
        Origin::File { path, line, .. } => (json!(path.to_string_lossy()), json!(line)),
        Origin::Variable(_) | Origin::Flag(_) => (json!(null), json!(null)),
    };
    let layer = row.origin.layer().as_str();
    json!({
        "key": row.key, "value": row.value, "layer": layer, "origin": row.origin.to_string(), "path": path, "line": line,
    })
}

/// Shows files that were not reviewed yet, and records consent for exactly their content.
fn trust(yes: &BTreeSet<ContentHash>, places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let mut ledger = Ledger::open(places.trust())?;
    let mut open = Vec::new();
    let projects: Vec<PathBuf> = of_project(places, &ledger).iter().map(|path| named(places, path)).collect();
    for path in files(places, &ledger)? {
        if path.is_symlink() {
            screen.note(&format!("holm: {}", Linked { path }));
            continue;
        }
        let bytes = read_plain(&path)
            .map_err(|error| Trouble::new(Exit::Failed, format!("{}: {error}", path.shown())))?;
        let hash = ContentHash::of(&bytes);
        let how = match ledger.standing(&path, &hash) {
            Standing::Trusted => continue,
            Standing::Changed => "changed",
            Standing::Unknown => "new",
        };
        if projects.contains(&path) {
            // Otherwise the user would trust a file that every run refuses.
            Settings::of_project(&bytes, &path).map_err(|error| refused(&error))?;
        }
        screen.answer(&format!("{how}: {} ({hash})", path.shown()));
        screen.answer(&String::from_utf8_lossy(&bytes));
        open.push((path, hash));
    }
    if open.is_empty() {
        screen.note("holm: nothing new to trust");
        return Ok(Exit::Done);
    }
    let words = "May these settings apply, as they are now, whenever an agent works here?";
    let question = Question { command: &places.typed("config trust"), words };
    if !question.ask(yes, &open.iter().map(|(_, hash)| *hash).collect(), screen)? {
        screen.note("holm: not trusted; Holm ignores it");
        return Ok(Exit::NoAnswer);
    }
    for (path, hash) in &open {
        ledger.trust_file(path, *hash)?;
    }
    screen.note("holm: trusted as it is now");
    Ok(Exit::Done)
}

fn forget(places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let mut ledger = Ledger::open(places.trust())?;
    let mut known = false;
    // If the user removed a file, only that file is forgotten; other trusted files stay trusted.
    let gone: Vec<PathBuf> = gone(places, &ledger).into_iter().map(|(path, _)| path).collect();
    let forgotten = if gone.is_empty() { files(places, &ledger)? } else { gone };
    for path in forgotten {
        known |= ledger.knows(&path);
        ledger.forget(&path)?;
    }
    screen.note(if known { "holm: it is no longer trusted" } else { "holm: it was not trusted" });
    Ok(Exit::Done)
}

/// The project's settings and what it tells agents, by the paths under which they are trusted.
fn files(places: &Places, ledger: &Ledger) -> anyhow::Result<Vec<PathBuf>> {
    // Invalid files are included: they are only shown, not used.
    let files: Vec<PathBuf> =
        of_project(places, ledger).into_iter().chain(holm_config::guides(&places.work)).collect();
    if files.is_empty() {
        if let Some((path, why)) = gone(places, ledger).first() {
            let message = format!("{}: {why}", path.shown());
            return Err(Trouble::new(Exit::Missing, message).hint(BACK).into());
        }
        let message = format!("found no holm.toml or AGENTS.md in {} or above it", places.work.shown());
        return Err(Trouble::new(Exit::Missing, message)
            .hint("`holm paths` shows where settings are")
            .into());
    }
    Ok(files.iter().map(|path| named(places, path)).collect())
}
