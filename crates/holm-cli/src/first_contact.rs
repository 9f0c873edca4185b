//! The first question in a folder: what agents may do there without asking.
//!
//! It is asked once, at a terminal, before a run or a chat starts, and the answer is stored by
//! [`crate::folder_trust`]. It is not asked if flags already say what is allowed.

use crate::{
    exit::CommandError,
    folder_trust::{FolderAccess, FolderTrustFile, TrustLevel},
    holm_paths::HolmPaths,
    screen::{DisplayablePath as _, TerminalOutput},
};

/// How often an unclear answer is asked again before the run starts with reading alone.
const MOST_TRIES: u32 = 3;

/// The choices of the question: name, meaning and level. The strictest level is not among them;
/// `holm trust ask` chooses it.
const CHOICES: [(&str, &str, TrustLevel); 3] = [
    ("Look", "read files; I approve every change and every command", TrustLevel::Look),
    ("Edit", "read and write files; I approve every command", TrustLevel::Edit),
    (
        "Work in the jail",
        "also run commands, without network and without access outside this folder",
        TrustLevel::Jail,
    ),
];

/// Whether the user can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstQuestion {
    Ask,
    /// No user is at the terminal, or flags say what is allowed.
    Skip,
}

/// These paths with what applies in their folder. Asks the user if they have not chosen yet.
///
/// # Errors
/// If the stored levels cannot be read.
pub(crate) fn at_folder(
    places: HolmPaths,
    question: FirstQuestion,
    screen: &TerminalOutput,
) -> Result<HolmPaths, CommandError> {
    let mut folder_access = FolderAccess::of(&places)?;
    let is_chosen = matches!(folder_access, FolderAccess::Trusted(_));
    if question == FirstQuestion::Ask
        && !is_chosen
        && let Some(level) = ask(&places, screen)
    {
        folder_access = FolderAccess::Trusted(level);
        store(&places, level, screen);
    }
    Ok(HolmPaths { folder_access, ..places })
}

/// Stores an answer. If that fails, it still holds for this run.
fn store(places: &HolmPaths, level: TrustLevel, screen: &TerminalOutput) {
    let stored = FolderTrustFile::open(places).and_then(|mut file| file.set(&places.work, Some(level)));
    if let Err(error) = stored {
        screen.note(&format!("holm: your answer holds for this run only: {error}"));
    }
}

fn ask(places: &HolmPaths, screen: &TerminalOutput) -> Option<TrustLevel> {
    for line in question(places) {
        screen.note(&line);
    }
    for _ in 0..MOST_TRIES {
        let line = screen.question("Your choice [1]: ")?;
        match answer(&line) {
            Some(level) => return Some(level),
            None => screen.note("Type 1, 2 or 3."),
        }
    }
    None
}

/// The lines of the question.
fn question(places: &HolmPaths) -> Vec<String> {
    let mut lines =
        vec![format!("What may agents do in {} without asking you?", places.work.shown()), String::new()];
    for (number, (name, means, _)) in CHOICES.iter().enumerate() {
        lines.push(format!("  {}  {name:<17} {means}", number + 1));
    }
    lines.push(String::new());
    lines.push("Keys and secrets such as .env stay closed. `holm trust` changes your answer.".into());
    lines
}

/// What a line means, if it is clear. An empty line is the first choice.
fn answer(line: &str) -> Option<TrustLevel> {
    let line = line.trim().to_lowercase();
    let is_meant = |(at, (_, _, level)): &(usize, &(&str, &str, TrustLevel))| {
        line == (at + 1).to_string() || line == level.name() || (line.is_empty() && *at == 0)
    };
    CHOICES.iter().enumerate().find(is_meant).map(|(_, (_, _, level))| *level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_number_a_name_or_nothing() {
        assert_eq!(answer("\n"), Some(TrustLevel::Look));
        assert_eq!(answer(" 2 \n"), Some(TrustLevel::Edit));
        assert_eq!(answer("JAIL\n"), Some(TrustLevel::Jail));
        assert_eq!(answer("yes\n"), None);
    }

    #[test]
    fn the_question_fits_on_a_small_screen() {
        let lines = question(&HolmPaths::at("/data", "/home/me/project"));
        assert!(lines.len() <= 8 && lines.iter().all(|line| line.len() <= 100), "{lines:#?}");
    }
}
