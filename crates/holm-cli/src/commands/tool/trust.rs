//! What a person says about files that others wrote.

use std::{fs, path::PathBuf, sync::Arc, time::SystemTime};

use holm_tools::{
    registry::{PinFile, Pins},
    trust::{ContentHash, Ledger, Standing, Survey},
};

use crate::{
    exit::{Exit, Trouble},
    places::Places,
    screen::Screen,
};

/// What `holm tool trust` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Trust {
    /// The folder [default: .holm/tools]
    folder: Option<PathBuf>,
    /// Trust what is shown; without this it is only shown
    #[arg(long)]
    yes: bool,
}

/// What `holm tool confirm` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Confirm {
    /// A file of your tools folder, by its name
    file: String,
}

/// Shows what nobody has looked at yet, and with `--yes` trusts it.
pub(super) fn trust(args: &Trust, places: &Places, screen: &Arc<Screen>) -> anyhow::Result<Exit> {
    let folder = args.folder.clone().unwrap_or_else(|| places.project_tools());
    if !folder.is_dir() {
        return Err(Trouble::new(Exit::Missing, format!("there is no folder {}", folder.display())).into());
    }
    let survey = Survey::of(&folder.canonicalize()?)?;
    let mut ledger = Ledger::open(places.trust())?;
    let questions = survey.questions(&ledger);
    for question in &questions {
        let how = match question.standing {
            Standing::Changed => "changed",
            Standing::Unknown => "new",
            Standing::Trusted => "trusted",
        };
        screen.answer(&format!(
            "{how}: {} ({} bytes, {})",
            question.path.display(),
            question.size,
            question.hash
        ));
    }
    for skipped in survey.skipped() {
        screen.answer(&format!("passed over: {} ({})", skipped.path.display(), skipped.why));
    }
    if questions.is_empty() {
        screen.note("holm: nothing here is new");
        return Ok(Exit::Done);
    }
    if !args.yes {
        screen.note("holm: look at these files; `holm tool trust --yes` trusts them as they are now");
        return Ok(Exit::NoAnswer);
    }
    ledger.trust(&survey)?;
    screen.note(&format!("holm: {} files are trusted as they are now", questions.len()));
    Ok(Exit::Done)
}

/// Confirms the code that lies there now.
pub(super) fn confirm(args: &Confirm, places: &Places, screen: &Arc<Screen>) -> anyhow::Result<Exit> {
    let path = places.tools().join(&args.file);
    let missing = |_| Trouble::new(Exit::Missing, format!("there is no file {}", path.display()));
    let hash = ContentHash::of(&fs::read(&path).map_err(missing)?);
    PinFile::new(places.pins()).confirm(&path, hash.as_bytes())?;
    // Programs that watch the folder look again when its times change.
    let file = fs::File::open(&path)?;
    let _ = file.set_modified(SystemTime::now());
    screen.answer(&format!("{} is confirmed as {hash}", args.file));
    Ok(Exit::Done)
}
