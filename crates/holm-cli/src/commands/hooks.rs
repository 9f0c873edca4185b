//! `holm hooks`: lists, trusts and forgets the hooks that inspect runs.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use holm_tools::trust::{ContentHash, Ledger, Standing};
use serde_json::json;

use crate::screen::ShownPath as _;
use crate::{
    agreed::Question,
    exit::{Exit, Trouble},
    hooks::{Owner, missing, open_files},
    places::Places,
    screen::Screen,
};

/// Subcommands of `holm hooks`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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

pub(crate) fn execute(command: Command, data: Option<&Path>) -> anyhow::Result<Exit> {
    let (places, screen) = (Places::find(data)?, Screen::default());
    match command {
        Command::List { json } => list(&places, &screen, json),
        Command::Trust { yes } => trust(&yes.into_iter().collect(), &places, &screen),
        Command::Forget => forget(&places, &screen),
    }
}

/// Shows every file of hooks, what it runs, and how it stands. Nothing is trusted by that.
fn list(places: &Places, screen: &Screen, as_json: bool) -> anyhow::Result<Exit> {
    let ledger = Ledger::open(places.trust())?;
    let mut found = false;
    for owner in Owner::ALL {
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
                } else if open.iter().any(|(.., standing)| *standing == Standing::Changed) {
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
    Ok(Exit::Done)
}

/// Shows what would run, and remembers a yes for exactly that.
fn trust(yes: &BTreeSet<ContentHash>, places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let mut ledger = Ledger::open(places.trust())?;
    let (mut open, mut leads, mut found, mut gone) = (Vec::new(), Vec::new(), false, Vec::new());
    for owner in Owner::ALL {
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
            Owner::User => ", in every folder",
            Owner::Project => "",
        };
        screen.answer(&format!("{}{reach}:", owner.file(places).shown()));
        question.asks.iter().for_each(|line| screen.answer(&format!("  {line}")));
        open.extend(open_files(&question, &ledger));
        leads.push((lead, question.files));
    }
    gone.iter().for_each(|note| screen.note(&format!("holm: {note}")));
    if !found {
        let message = format!("there is no file {}", places.project_hooks().shown());
        return Err(Trouble::new(Exit::Missing, message).into());
    }
    if open.is_empty() {
        screen.note("holm: nothing new to trust");
        return Ok(if gone.is_empty() { Exit::Done } else { Exit::NoAnswer });
    }
    for (path, hash, standing) in &open {
        let how = match standing {
            Standing::Changed => "changed",
            Standing::Unknown => "new",
            Standing::Trusted => "trusted",
        };
        screen.answer(&format!("{how}: {} ({hash})", path.shown()));
    }
    let hashes: BTreeSet<ContentHash> = open.iter().map(|(_, hash, _)| *hash).collect();
    let words = "May these commands run, as they are now, whenever an agent works here?";
    let question = Question { command: &places.typed("hooks trust"), words };
    if !question.ask(yes, &hashes, screen)? {
        screen.note("holm: not trusted; Holm ignores them");
        return Ok(Exit::NoAnswer);
    }
    for (lead, files) in leads {
        ledger.trust_along(&lead, files)?;
    }
    screen.note(&format!("holm: trusted as they are now: {}", files(open.len())));
    Ok(Exit::Done)
}

/// Forgets the project's file, the user's file if it was imported, and every project script that
/// was trusted with them. This includes scripts that have changed or are no longer named: if they
/// come back, they are reviewed again.
fn forget(places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let project = places.work.canonicalize()?;
    let mut ledger = Ledger::open(places.trust())?;
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    let mut own = None;
    for owner in Owner::ALL {
        let path = owner.file(places);
        // A file that is gone is still known by the place where it was.
        let place = match owner {
            Owner::User => path.clone(),
            Owner::Project => project.join(".holm/hooks.json"),
        };
        let lead = path.canonicalize().unwrap_or(place);
        known.extend(ledger.along(&lead).map(Path::to_owned));
        // A file that cannot be read names nothing.
        if let Ok(Some(file)) = owner.read(places) {
            known.extend(file.scripts());
        }
        match owner {
            Owner::User => own = Some(lead),
            Owner::Project => known.extend([lead]),
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
        0 => "holm: they were not trusted".to_owned(),
        count => format!("holm: the hooks are no longer trusted: {}", files(count)),
    });
    Ok(Exit::Done)
}

/// A file that cannot be used.
fn unfit(path: &Path, error: &anyhow::Error) -> Trouble {
    let message = format!("{}: {error:#}", path.shown());
    Trouble::new(Exit::Usage, message).hint("fix the file, then run `holm check` again")
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".into() } else { format!("{count} files") }
}
