//! `holm hooks`: what a person says about the commands that look at runs.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::Subcommand;
use holm_tools::trust::{ContentHash, Ledger, Standing};

use crate::{
    agreed::Question,
    exit::{Exit, Trouble},
    hooks::{Owner, missing, open_files},
    places::Places,
    screen::Screen,
};

/// What `holm hooks` does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what this project's hooks run, and trust them as they are now
    Trust {
        /// Trust the file with this content (SHA-256) without being asked; may be given more than once
        #[arg(long, value_name = "HASH")]
        yes: Vec<ContentHash>,
    },
    /// Trust this project's hooks no longer
    Forget,
}

/// Runs the command.
pub(crate) fn execute(command: Command, data: Option<&Path>) -> anyhow::Result<Exit> {
    let (places, screen) = (Places::find(data)?, Screen::default());
    match command {
        Command::Trust { yes } => trust(&yes.into_iter().collect(), &places, &screen),
        Command::Forget => forget(&places, &screen),
    }
}

/// Shows what would run, and remembers a yes for exactly that.
fn trust(yes: &BTreeSet<ContentHash>, places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let mut ledger = Ledger::open(places.trust())?;
    let (mut open, mut leads, mut found, mut gone) = (Vec::new(), Vec::new(), false, Vec::new());
    for owner in Owner::ALL {
        let read = owner.read(places).with_context(|| owner.file(places).display().to_string());
        let Some(file) = read? else { continue };
        found = true;
        let lead = file.path().to_owned();
        gone.extend(file.gone(&ledger).iter().map(|script| missing(script, &lead)));
        let Err(question) = owner.admit(file, places, &ledger)? else { continue };
        screen.answer(&format!("{}:", owner.file(places).display()));
        question.asks.iter().for_each(|line| screen.answer(&format!("  {line}")));
        open.extend(open_files(&question, &ledger));
        leads.push((lead, question.files));
    }
    if !found {
        let message = format!("there is no file {}", places.project_hooks().display());
        return Err(Trouble::new(Exit::Missing, message).into());
    }
    gone.iter().for_each(|note| screen.note(&format!("holm: {note}")));
    if open.is_empty() {
        screen.note("holm: nothing here is new");
        return Ok(if gone.is_empty() { Exit::Done } else { Exit::NoAnswer });
    }
    for (path, hash, standing) in &open {
        let how = match standing {
            Standing::Changed => "changed",
            Standing::Unknown => "new",
            Standing::Trusted => "trusted",
        };
        screen.answer(&format!("{how}: {} ({hash})", path.display()));
    }
    let hashes: BTreeSet<ContentHash> = open.iter().map(|(_, hash, _)| *hash).collect();
    let words = "May these commands run, as they are now, whenever an agent works here?";
    let question = Question { command: "holm hooks trust", words };
    if !question.ask(yes, &hashes, screen)? {
        screen.note("holm: they do nothing");
        return Ok(Exit::NoAnswer);
    }
    for (lead, files) in leads {
        ledger.trust_along(&lead, files)?;
    }
    screen.note(&format!("holm: trusted as they are now: {}", files(open.len())));
    Ok(Exit::Done)
}

/// Forgets the project's file and every script of the project that was trusted with it or with the user's own, also one that
/// has changed or that nobody names any more: what comes back is looked at again.
fn forget(places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let project = places.work.canonicalize()?;
    let mut ledger = Ledger::open(places.trust())?;
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
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
        if owner == Owner::Project {
            known.insert(lead);
        }
    }
    known.retain(|path| path.starts_with(&project) && ledger.knows(path));
    for path in &known {
        ledger.forget(path)?;
    }
    screen.note(&match known.len() {
        0 => "holm: nobody had trusted them".to_owned(),
        count => format!("holm: the hooks are trusted no longer: {}", files(count)),
    });
    Ok(Exit::Done)
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".into() } else { format!("{count} files") }
}
