//! `holm config`: shows the effective settings and the origin of each, and trusts the project's
//! files. Settings are read and merged in `settings.rs` and `holm-config/src/layers.rs`; hooks,
//! tools and agents have their own trust commands (`hooks.rs`, `tool/trust.rs`).
//!
//! Trust covers exactly the bytes that were shown: the hash that is recorded comes from the same
//! read. A link is never trusted, and an invalid file cannot be trusted, because every run would
//! refuse it.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use holm_config::{ConfigSettings, SettingOrigin, SettingRow, read_plain};
use holm_tools::trust::{ContentHash, LinkedPathError, TrustLedger, TrustStatus};
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{
    consent::ConsentQuestion,
    exit::{CommandError, CommandExit},
    folder_trust::FolderAccess,
    holm_paths::HolmPaths,
    screen::TerminalOutput,
    settings::{BACK, FolderSettings, gone, named, no_run, of_project, refused},
};

/// Subcommands of `holm config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
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

pub(crate) fn execute(command: ConfigCommand, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let screen = TerminalOutput::default();
    match command {
        ConfigCommand::Schema => {
            screen.line(&serde_json::to_string_pretty(&holm_config::schema())?);
            Ok(CommandExit::Done)
        }
        ConfigCommand::Show { origin, json } => show(&HolmPaths::look(data)?, &screen, origin, json),
        ConfigCommand::Trust { yes } => trust(&yes.into_iter().collect(), &HolmPaths::find(data)?, &screen),
        ConfigCommand::Forget => forget(&HolmPaths::find(data)?, &screen),
    }
}

fn show(
    places: &HolmPaths,
    screen: &TerminalOutput,
    origin: bool,
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    let mut here = FolderSettings::find(places)?;
    let access = FolderAccess::of(places)?;
    here.loaded.layers = here.loaded.layers.with_folder(access.settings());
    let settings = match here.check(places) {
        Ok(()) => here.settle(ConfigSettings::default(), screen),
        Err(trouble) => {
            screen.note(&format!("holm: {}", no_run(&trouble)));
            here.loaded.layers.settle(ConfigSettings::default())
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
    Ok(CommandExit::Done)
}

/// A value as a program reads it.
fn object(row: &SettingRow) -> serde_json::Value {
    let (path, line) = match &row.origin {
        SettingOrigin::File { path, line, .. } => (json!(path.to_string_lossy()), json!(line)),
        SettingOrigin::Variable(_) | SettingOrigin::Flag(_) | SettingOrigin::FolderTrust => {
            (json!(null), json!(null))
        }
    };
    let layer = row.origin.layer().as_str();
    json!({
        "key": row.key, "value": row.value, "layer": layer, "origin": row.origin.to_string(), "path": path, "line": line,
    })
}

/// Shows files that were not reviewed yet, and records consent for exactly their content.
fn trust(
    yes: &BTreeSet<ContentHash>,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let mut ledger = TrustLedger::open(places.trust())?;
    let mut open = Vec::new();
    let projects: Vec<PathBuf> = of_project(places, &ledger).iter().map(|path| named(places, path)).collect();
    for path in files(places, &ledger)? {
        if path.is_symlink() {
            screen.note(&format!("holm: {}", LinkedPathError { path }));
            continue;
        }
        let bytes = read_plain(&path)
            .map_err(|error| CommandError::new(CommandExit::Failed, format!("{}: {error}", path.shown())))?;
        let hash = ContentHash::of(&bytes);
        let how = match ledger.standing(&path, &hash) {
            TrustStatus::Trusted => continue,
            TrustStatus::Changed => "changed",
            TrustStatus::Unknown => "new",
        };
        if projects.contains(&path) {
            // Otherwise the user would trust a file that every run refuses.
            ConfigSettings::of_project(&bytes, &path).map_err(|error| refused(&error))?;
        }
        screen.answer(&format!("{how}: {} ({hash})", path.shown()));
        screen.answer(&String::from_utf8_lossy(&bytes));
        open.push((path, hash));
    }
    if open.is_empty() {
        screen.note("holm: nothing new to trust");
        return Ok(CommandExit::Done);
    }
    let words = "May these settings apply, as they are now, whenever an agent works here?";
    let question = ConsentQuestion { command: &places.typed("config trust"), words };
    if !question.ask(yes, &open.iter().map(|(_, hash)| *hash).collect(), screen)? {
        screen.note("holm: not trusted; Holm ignores it");
        return Ok(CommandExit::NoAnswer);
    }
    for (path, hash) in &open {
        ledger.trust_file(path, *hash)?;
    }
    screen.note("holm: trusted as it is now");
    Ok(CommandExit::Done)
}

fn forget(places: &HolmPaths, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let mut ledger = TrustLedger::open(places.trust())?;
    let mut known = false;
    // If the user removed a file, only that file is forgotten; other trusted files stay trusted.
    let gone: Vec<PathBuf> = gone(places, &ledger).into_iter().map(|(path, _)| path).collect();
    let forgotten = if gone.is_empty() { files(places, &ledger)? } else { gone };
    for path in forgotten {
        known |= ledger.knows(&path);
        ledger.forget(&path)?;
    }
    screen.note(if known { "holm: it is no longer trusted" } else { "holm: it was not trusted" });
    Ok(CommandExit::Done)
}

/// The project's settings and what it tells agents, by the paths under which they are trusted.
fn files(places: &HolmPaths, ledger: &TrustLedger) -> anyhow::Result<Vec<PathBuf>> {
    // Invalid files are included: they are only shown, not used.
    let files: Vec<PathBuf> =
        of_project(places, ledger).into_iter().chain(holm_config::guides(&places.work)).collect();
    if files.is_empty() {
        if let Some((path, why)) = gone(places, ledger).first() {
            let message = format!("{}: {why}", path.shown());
            return Err(CommandError::new(CommandExit::Missing, message).hint(BACK).into());
        }
        let message = format!("found no holm.toml or AGENTS.md in {} or above it", places.work.shown());
        return Err(CommandError::new(CommandExit::Missing, message)
            .hint("`holm paths` shows where settings are")
            .into());
    }
    Ok(files.iter().map(|path| named(places, path)).collect())
}
