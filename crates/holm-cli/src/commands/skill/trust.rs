//! `holm skill trust`: shows the files of a project's skills and records that the user trusts them.
//! The review itself is that of tools (`commands/tool/trust.rs`).

use std::path::{Path, PathBuf};

use holm_config::ConfigLayer;
use holm_tools::trust::{ContentHash, FolderSurvey, TrustLedger};

use super::super::tool::TrustReview;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{HolmPaths, quoted},
    screen::TerminalOutput,
    skills::everywhere,
};

/// Arguments of `holm skill trust`.
#[derive(Debug, clap::Args)]
pub(crate) struct SkillTrustArgs {
    /// Name or folder of a skill of this project [default: all that you have not trusted]
    skill: Option<String>,
    /// Print the files in full, without asking
    #[arg(long, conflicts_with = "yes")]
    show: bool,
    /// Trust the file with this SHA-256 without asking; can be repeated
    #[arg(long, value_name = "HASH")]
    yes: Vec<ContentHash>,
}

/// Reviews the skills one after the other.
pub(super) fn execute(
    args: &SkillTrustArgs,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let all = project_skills(places);
    let chosen: Vec<&(String, PathBuf)> = match &args.skill {
        Some(which) => all.iter().filter(|(name, folder)| is_meant(name, folder, which)).collect(),
        None => all.iter().filter(|(_, folder)| has_news(folder, places)).collect(),
    };
    if let (Some(which), true) = (&args.skill, chosen.is_empty()) {
        let message = format!("this project has no skill `{which}`");
        return Err(CommandError::new(CommandExit::Missing, message)
            .hint("`holm skill list` shows the skills; your own need no trust")
            .into());
    }
    if chosen.is_empty() {
        screen.note("holm: nothing new to trust");
    }
    let mut exit = CommandExit::Done;
    for (name, folder) in chosen {
        // Two folders of a project may hold a skill of the same name.
        let is_only = all.iter().filter(|(other, folder)| is_meant(other, folder, name)).count() == 1;
        let which = if is_only { quoted(name) } else { quoted(&folder.to_string_lossy()) };
        let command = places.typed(&format!("skill trust {which}"));
        let review = TrustReview { folder, command: &command, yes: &args.yes, show: args.show };
        let came = review.run(places, screen)?;
        if came != CommandExit::Done {
            exit = came;
        }
    }
    Ok(exit)
}

/// The names and folders of the project's skills.
fn project_skills(places: &HolmPaths) -> Vec<(String, PathBuf)> {
    let all = everywhere(places, &[]).into_iter().flat_map(|(name, found)| {
        let theirs = found.into_iter().filter(|found| found.owner == ConfigLayer::Project);
        theirs.map(move |found| (name.clone(), found.folder))
    });
    all.collect()
}

fn is_meant(name: &str, folder: &Path, which: &str) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let is_folder = || real(Path::new(which)).is_some_and(|path| real(folder) == Some(path));
    name == which || folder.file_name().is_some_and(|folder| folder == which) || is_folder()
}

/// Whether a file of the folder is not trusted as it is. What cannot be read
/// is reported by the review.
fn has_news(folder: &Path, places: &HolmPaths) -> bool {
    match (FolderSurvey::of(folder), TrustLedger::open(places.trust())) {
        (Ok(survey), Ok(ledger)) => !survey.questions(&ledger).is_empty(),
        _ => true,
    }
}
