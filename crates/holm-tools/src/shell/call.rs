//! The things that a call itself names. Advice after the call may be about these only.
//!
//! It gives no advice itself: `report.rs` does. It never looks at what a program printed, because a
//! program could print advice that helps itself.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use holm_grants::GrantSet;
use holm_jail::JailEnding;

use super::closed_places::ClosedPlaces;
use super::script::ShellScript;

/// The text of a call itself, independent of what its programs print.
#[derive(Debug, Clone)]
pub(super) struct ShellCall {
    /// The script, or the words of the program.
    text: String,
    /// The folder in which it starts.
    folder: PathBuf,
    script: ShellScript,
    /// The grants of its run.
    granted: Arc<GrantSet>,
    /// How long it may take, where that is known.
    wall: Option<Duration>,
}

impl ShellCall {
    pub(super) fn new(text: String, folder: PathBuf, script: ShellScript, granted: Arc<GrantSet>) -> Self {
        Self { text, folder, script, granted, wall: None }
    }

    /// With the time that it was given.
    pub(super) fn within(self, wall: Duration) -> Self {
        Self { wall: Some(wall), ..self }
    }

    /// The time that it was given.
    pub(super) fn wall(&self) -> Option<Duration> {
        self.wall
    }

    /// What its run holds, beyond what it names.
    pub(super) fn granted(&self) -> &GrantSet {
        &self.granted
    }

    /// The programs that it calls by a literal name.
    pub(super) fn programs(&self) -> impl Iterator<Item = &str> {
        self.script.commands().iter().filter_map(|command| command.words.first()?.value())
    }

    /// The file of a program that it names by a path.
    pub(super) fn file_of(&self, program: &str) -> PathBuf {
        resolved(&self.folder, program)
    }

    /// Whether git is among its programs.
    pub(super) fn calls_git(&self) -> bool {
        self.programs().any(|program| program.rsplit('/').next() == Some("git"))
    }

    /// The longest path in the call that equals, contains or is inside this one; never one that
    /// contains the call's folder.
    pub(super) fn names_path(&self, path: &Path) -> Option<PathBuf> {
        let ends = |letter: char| letter.is_whitespace() || "'\"`<>|;&(){}=:,".contains(letter);
        let words = self.text.split(ends).filter(|word| word.contains(['/', '.']));
        let named = words.map(|word| resolved(&self.folder, word));
        let inner = |named: &PathBuf| named.starts_with(path) && !self.folder.starts_with(path);
        let holds = |named: &PathBuf| path.starts_with(named) && !self.folder.starts_with(named);
        named.filter(|named| inner(named) || holds(named)).max_by_key(|named| named.as_os_str().len())
    }

    /// What to say of the hidden files that it names.
    pub(super) fn closed_names(&self, closed: &ClosedPlaces, ending: JailEnding) -> Vec<String> {
        closed.notes(&self.script, &self.text, &self.folder, ending != JailEnding::Exited(0))
    }

    /// Whether it names this host.
    pub(super) fn names_host(&self, host: &str) -> bool {
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-');
        self.text.split(|letter| !is_part(letter)).any(|word| word.eq_ignore_ascii_case(host))
    }
}

/// The path from the root, with dots resolved by their letters alone.
fn resolved(folder: &Path, word: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(word).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            other @ (Component::Prefix(_) | Component::RootDir | Component::Normal(_)) => path.push(other),
        }
    }
    path
}

#[cfg(test)]
mod tests;
