//! `holm hooks`: what a person says about the commands that look at runs.

use std::{collections::BTreeSet, path::Path};

use clap::Subcommand;
use holm_tools::trust::{ContentHash, Ledger, Standing};

use crate::{
    approve::read_answer,
    exit::{Exit, Trouble},
    hooks::{Owner, open_files},
    places::Places,
    screen::Screen,
};

/// What `holm hooks` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
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
pub(crate) fn execute(args: Args, data: Option<&Path>) -> anyhow::Result<Exit> {
    let (places, screen) = (Places::find(data)?, Screen::default());
    match args.command {
        Command::Trust { yes } => trust(&yes.into_iter().collect(), &places, &screen),
        Command::Forget => forget(&places, &screen),
    }
}

/// Shows what would run, and remembers a yes for exactly that.
fn trust(yes: &BTreeSet<ContentHash>, places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let mut ledger = Ledger::open(places.trust())?;
    let (mut open, mut found) = (Vec::new(), false);
    for owner in Owner::ALL {
        let Some(file) = owner.read(places)? else { continue };
        found = true;
        let Err(question) = owner.admit(file, places, &ledger)? else { continue };
        screen.answer(&format!("{}:", owner.file(places).display()));
        question.asks.iter().for_each(|line| screen.answer(&format!("  {line}")));
        open.extend(open_files(&question, &ledger));
    }
    if !found {
        let message = format!("there is no file {}", places.project_hooks().display());
        return Err(Trouble::new(Exit::Missing, message).into());
    }
    if open.is_empty() {
        screen.note("holm: nothing here is new");
        return Ok(Exit::Done);
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
    if !agreed(yes, &hashes, screen)? {
        screen.note("holm: they do nothing");
        return Ok(Exit::NoAnswer);
    }
    for (path, hash, _) in &open {
        ledger.trust_file(path, *hash)?;
    }
    screen.note(&format!("holm: trusted as they are now: {}", files(open.len())));
    Ok(Exit::Done)
}

/// Whether a person says yes: by naming everything that was shown, or at the terminal.
fn agreed(
    yes: &BTreeSet<ContentHash>,
    hashes: &BTreeSet<ContentHash>,
    screen: &Screen,
) -> anyhow::Result<bool> {
    if hashes.is_subset(yes) {
        return Ok(true);
    }
    if let Some(other) = hashes.difference(yes).next().filter(|_| !yes.is_empty()) {
        // Something else lies there than what the person has seen.
        let message = format!("{other} was not named; nothing is trusted");
        return Err(Trouble::new(Exit::Usage, message).hint("look again, and name what you see").into());
    }
    if !Screen::can_ask() {
        let words: Vec<String> = hashes.iter().map(|hash| format!("--yes {hash}")).collect();
        screen.note(&format!("holm: if you agree: holm hooks trust {}", words.join(" ")));
        return Ok(false);
    }
    screen.ask("May these commands run, as they are now, whenever an agent works here? [y]es, [n]o: ");
    let answer = read_answer().unwrap_or_default();
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn forget(places: &Places, screen: &Screen) -> anyhow::Result<Exit> {
    let path = places.project_hooks();
    // A file that is gone is still known by the place where it was.
    let path = path
        .canonicalize()
        .or_else(|_| Ok::<_, std::io::Error>(places.work.canonicalize()?.join(".holm/hooks.json")))?;
    let mut ledger = Ledger::open(places.trust())?;
    let known = ledger.iter().any(|(known, _)| known == path);
    ledger.forget(&path)?;
    screen.note(if known {
        "holm: the hooks are trusted no longer"
    } else {
        "holm: nobody had trusted them"
    });
    Ok(Exit::Done)
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".into() } else { format!("{count} files") }
}
