//! `holm hooks`: lists, trusts and forgets the hooks that inspect runs. It executes no hook. Which
//! hooks a run uses is decided in `hooks.rs` beside this folder; files are parsed in
//! `holm-tools/src/hooks/file.rs`. Trust covers exactly the content that was shown, including every
//! script that the hooks start. Forgetting also covers scripts that are no longer named.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use holm_tools::trust::{ContentHash, TrustLedger, TrustStatus};
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{
    consent::ConsentQuestion,
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    hooks::{HookOwner, missing, open_files},
    screen::TerminalOutput,
};

/// Subcommands of `holm hooks`.
#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List the hooks that apply here, and whether their current content is trusted
    List {
        /// Print one JSON object per line, one for each hooks file
        #[arg(long)]
        json: bool,
    },
    /// Show what this project's hooks and your imported hooks run, and trust their current content
    Trust {
        /// Trust the file with this SHA-256 without asking; can be repeated
        #[arg(long, value_name = "HASH")]
        yes: Vec<ContentHash>,
    },
    /// Stop trusting this project's hooks and your imported hooks
    Forget,
}

pub(crate) fn execute(command: HooksCommand, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let is_looking = matches!(command, HooksCommand::List { .. });
    let places = if is_looking { HolmPaths::look(data)? } else { HolmPaths::find(data)? };
    let screen = TerminalOutput::default();
    match command {
        HooksCommand::List { json } => list(&places, &screen, json),
        HooksCommand::Trust { yes } => trust(&yes.into_iter().collect(), &places, &screen),
        HooksCommand::Forget => forget(&places, &screen),
    }
}

/// Shows every file of hooks, what it runs, and how it stands. Nothing is trusted by that.
fn list(places: &HolmPaths, screen: &TerminalOutput, as_json: bool) -> anyhow::Result<CommandExit> {
    let ledger = TrustLedger::open(places.trust())?;
    let mut found = false;
    for owner in HookOwner::ALL {
        let path = owner.file(places);
        let (standing, asks, why) = match owner.read(places) {
            Ok(None) => match owner.gone(places, &ledger) {
                Some(why) => ("gone", Vec::new(), Some(why)),
                None => continue,
            },
            Ok(Some(file)) => {
                let asks = file.asks();
                let open = match owner.admit(file, places, &ledger)? {
                    Ok(_) => Vec::new(),
                    Err(question) => open_files(&question, &ledger),
                };
                let standing = if open.is_empty() {
                    "trusted"
                } else if open.iter().any(|(.., standing)| *standing == TrustStatus::Changed) {
                    "changed"
                } else {
                    "new"
                };
                (standing, asks, None)
            }
            Err(error) => ("unreadable", Vec::new(), Some(format!("{error:#}"))),
        };
        found = true;
        if as_json {
            let told = json!({
                "owner": owner.name(), "path": path.to_string_lossy(), "standing": standing, "asks": asks, "problem": why,
            });
            screen.line(&told.to_string());
            continue;
        }
        let why = why.map(|why| format!(": {}", why.replace(['\n', '\r'], " "))).unwrap_or_default();
        screen.answer(&format!("{standing}: {}{why}", path.shown()));
        asks.iter().for_each(|line| screen.answer(&format!("  {line}")));
    }
    if !found {
        screen.note("holm: no hooks here");
    }
    Ok(CommandExit::Done)
}

/// Shows what would run, and remembers a yes for exactly that.
fn trust(
    yes: &BTreeSet<ContentHash>,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let mut ledger = TrustLedger::open(places.trust())?;
    let (mut open, mut leads, mut found, mut gone) = (Vec::new(), Vec::new(), false, Vec::new());
    for owner in HookOwner::ALL {
        let read = owner.read(places).map_err(|error| unfit(&owner.file(places), &error));
        let Some(file) = read? else {
            let note = owner.gone(places, &ledger);
            gone.extend(note.map(|why| format!("the hooks of {}: {why}", owner.file(places).shown())));
            continue;
        };
        found = true;
        let lead = file.path().to_owned();
        gone.extend(file.gone(&ledger).iter().map(|script| missing(script, &lead)));
        let Err(question) = owner.admit(file, places, &ledger)? else { continue };
        let reach = match owner {
            HookOwner::User => ", in every folder",
            HookOwner::Project => "",
        };
        screen.answer(&format!("{}{reach}:", owner.file(places).shown()));
        question.asks.iter().for_each(|line| screen.answer(&format!("  {line}")));
        open.extend(open_files(&question, &ledger));
        leads.push((lead, question.files));
    }
    gone.iter().for_each(|note| screen.note(&format!("holm: {note}")));
    if !found {
        let message = format!("there is no file {}", places.project_hooks().shown());
        let hint = "docs/hooks.md says what to write into this file";
        return Err(CommandError::new(CommandExit::Missing, message).hint(hint).into());
    }
    if open.is_empty() {
        screen.note("holm: nothing new to trust");
        return Ok(if gone.is_empty() { CommandExit::Done } else { CommandExit::NoAnswer });
    }
    for (path, hash, standing) in &open {
        let how = match standing {
            TrustStatus::Changed => "changed",
            TrustStatus::Unknown => "new",
            TrustStatus::Trusted => "trusted",
        };
        screen.answer(&format!("{how}: {} ({hash})", path.shown()));
    }
    let hashes: BTreeSet<ContentHash> = open.iter().map(|(_, hash, _)| *hash).collect();
    let words = "May these commands run, as they are now, whenever an agent works here?";
    let question = ConsentQuestion { command: &places.typed("hooks trust"), words };
    if !question.ask(yes, &hashes, screen)? {
        screen.note("holm: not trusted; Holm ignores them");
        return Ok(CommandExit::NoAnswer);
    }
    for (lead, files) in leads {
        ledger.trust_along(&lead, files)?;
    }
    screen.note(&format!("holm: trusted as they are now: {}", files(open.len())));
    Ok(CommandExit::Done)
}

/// Forgets the project's file, the user's file if it was imported, and every project script that
/// was trusted with them. This includes scripts that have changed or are no longer named: if they
/// come back, they are reviewed again.
fn forget(places: &HolmPaths, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let project = places.work.canonicalize()?;
    let mut ledger = TrustLedger::open(places.trust())?;
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    let mut own = None;
    for owner in HookOwner::ALL {
        let path = owner.file(places);
        // A file that is gone is still known by the place where it was.
        let place = match owner {
            HookOwner::User => path.clone(),
            HookOwner::Project => project.join(".holm/hooks.json"),
        };
        let lead = path.canonicalize().unwrap_or(place);
        known.extend(ledger.along(&lead).map(Path::to_owned));
        // A file that cannot be read names nothing.
        if let Ok(Some(file)) = owner.read(places) {
            known.extend(file.scripts());
        }
        match owner {
            HookOwner::User => own = Some(lead),
            HookOwner::Project => known.extend([lead]),
        }
    }
    known.retain(|path| path.starts_with(&project));
    // It was looked at only if it was imported.
    known.extend(own);
    known.retain(|path| ledger.knows(path));
    for path in &known {
        ledger.forget(path)?;
    }
    screen.note(&match known.len() {
        0 => "holm: no hooks were trusted".to_owned(),
        count => format!("holm: the hooks are no longer trusted: {}", files(count)),
    });
    Ok(CommandExit::Done)
}

/// A file that cannot be used.
fn unfit(path: &Path, error: &anyhow::Error) -> CommandError {
    let message = format!("{}: {error:#}", path.shown());
    CommandError::new(CommandExit::Usage, message).hint("fix the file, then run `holm check` again")
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".into() } else { format!("{count} files") }
}
