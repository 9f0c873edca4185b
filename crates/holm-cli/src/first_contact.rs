//! The first question in a folder: what agents may do there without asking. It is asked once, at a
//! terminal, before a run or a chat starts.
//!
//! It is not asked if flags already say what is allowed, nor in folders that stay closed. In the
//! home folder and above it, the answer is not stored, because it would cover every project of the
//! user.
//!
//! The levels, and the file that stores them, are in `folder_trust.rs`, and `settings.rs` merges a
//! level with the settings. Later changes are made by `holm trust` (`commands/trust.rs`). Questions
//! about single calls are asked in `approve/`.

use crate::{
    approve,
    exit::CommandError,
    folder_state::FolderState,
    folder_trust::{AnswerScope, FolderAccess, FolderTrustFile, TrustLevel},
    holm_paths::HolmPaths,
    screen::{DisplayablePath as _, TerminalOutput},
};

/// How often an unclear answer is asked again before the run starts with reading alone.
const MOST_TRIES: u32 = 3;

/// The choices of the question. The strictest level is not among them; `holm trust ask` chooses it.
const CHOICES: [(&str, TrustLevel); 3] =
    [("Look", TrustLevel::Look), ("Edit", TrustLevel::Edit), ("Work in the jail", TrustLevel::Jail)];

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
    // Nothing starts where nothing can be saved, so nothing is asked before that is said.
    let can_save = || FolderState::of(&places.data).problem(&places.data).is_none();
    if question == FirstQuestion::Ask && !is_chosen && can_save() {
        let scope = AnswerScope::of(&places);
        if let Some(level) = ask(&places, &scope, screen) {
            folder_access = FolderAccess::Trusted(level);
            store(&places, &scope, level, screen);
        }
    }
    Ok(HolmPaths { folder_access, ..places })
}

/// Stores an answer for the folder that the question named. If that fails, it
/// still holds for this run.
fn store(places: &HolmPaths, scope: &AnswerScope, level: TrustLevel, screen: &TerminalOutput) {
    let AnswerScope::Folder(folder) = scope else { return };
    let stored = FolderTrustFile::open(places).and_then(|mut file| file.set(folder, Some(level)));
    if let Err(error) = stored {
        screen.note(&format!("holm: your answer holds for this run only: {error}"));
    }
}

fn ask(places: &HolmPaths, scope: &AnswerScope, screen: &TerminalOutput) -> Option<TrustLevel> {
    if let AnswerScope::Closed(why) = scope {
        screen.note(&format!("holm: Holm asks before every call here, because {}", why.reason()));
        return None;
    }
    for line in question(places, scope) {
        screen.note(&line);
    }
    for _ in 0..MOST_TRIES {
        approve::forget_typed();
        let line = screen.question("Your choice [1]: ")?;
        match answer(&line) {
            Some(level) => return Some(level),
            None => screen.note("Type 1, 2 or 3."),
        }
    }
    None
}

/// The lines of the question.
fn question(places: &HolmPaths, scope: &AnswerScope) -> Vec<String> {
    let (place, last) = match scope {
        AnswerScope::Folder(folder) => (
            format!("{} and the folders in it", folder.shown()),
            "`holm trust` changes your answer.".to_owned(),
        ),
        AnswerScope::Run(why) => {
            (places.work.shown(), format!("Your answer holds for this run only, because {why}."))
        }
        AnswerScope::Closed(_) => (places.work.shown(), String::new()),
    };
    let mut lines = vec![format!("What may agents do in {place} without asking you?"), String::new()];
    for (number, (name, level)) in CHOICES.iter().enumerate() {
        lines.push(format!("  {}  {name:<17} {}", number + 1, level.short()));
    }
    lines.push(String::new());
    lines.push(
        "Secrets such as .env and .ssh stay closed. Commands in the jail can read *.pem, *.key and .npmrc."
            .into(),
    );
    lines.push(last);
    lines
}

/// What a line means, if it is clear. An empty line is the first choice.
fn answer(line: &str) -> Option<TrustLevel> {
    let line = line.trim().to_lowercase();
    let is_meant = |(at, (_, level)): &(usize, &(&str, TrustLevel))| {
        line == (at + 1).to_string() || line == level.name() || (line.is_empty() && *at == 0)
    };
    CHOICES.iter().enumerate().find(is_meant).map(|(_, (_, level))| *level)
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
    fn the_question_fits_on_a_small_screen_and_says_where_the_answer_counts() {
        let places = HolmPaths::at("/data", "/home/me/project/src");
        let folder = AnswerScope::Folder("/home/me/project".into());
        let run = AnswerScope::Run("this folder holds more than one project");
        for (scope, place, last) in [
            (folder, "in /home/me/project and the folders in it without", "`holm trust` changes"),
            (run, "in /home/me/project/src without", "for this run only, because this folder holds more"),
        ] {
            let lines = question(&places, &scope);
            assert!(lines.len() <= 8 && lines.iter().all(|line| line.len() <= 100), "{lines:#?}");
            assert!(lines[0].contains(place) && lines[7].contains(last), "{lines:#?}");
        }
    }
}
