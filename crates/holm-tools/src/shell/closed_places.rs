//! Says that a command names a closed file: one that the deny list hides from commands, such as
//! `.env`. Without this, the command fails in the jail with "no such file", or reads nothing, and the
//! model tries other ways to the same file.
//!
//! It protects nothing: the jail does (`denied_paths.rs`). It judges only what the call itself
//! writes, never what a program prints, and so it may miss a name that is made at run time.
//!
//! The list itself is `root/deny_rules.rs`, and scripts are parsed in `script.rs`.
//! `approval_gate.rs` refuses the call.

use std::path::{Component, Path, PathBuf};

use holm_grants::{AccessRequest, DenialSet, FilePath};

use super::script::{ScriptWord, ShellScript};
use crate::root::{DenyRules, WorkspaceRoot};

/// Programs that do nothing but read the files that they name.
const READERS: &[&str] = &[
    ".",
    "base64",
    "bat",
    "cat",
    "cksum",
    "head",
    "hexdump",
    "less",
    "md5sum",
    "more",
    "nl",
    "od",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "source",
    "strings",
    "tac",
    "tail",
    "xxd",
];

/// Programs that read all files that they name but the last.
const COPIERS: &[&str] = &["cp", "install", "mv", "rsync", "scp"];

/// How a script writes the user's home folder.
const HOMES: [&str; 3] = ["~/", "$HOME/", "${HOME}/"];

/// Folders that a command has for itself: what lies there is its own.
const PRIVATE: [&str; 2] = ["/tmp", "/var/tmp"];

/// The files that the deny list hides from the commands of a workspace.
#[derive(Debug, Clone)]
pub struct ClosedPlaces {
    workspace: PathBuf,
    denials: DenialSet,
}

impl ClosedPlaces {
    pub(super) fn new(workspace: &Path, denials: &DenialSet) -> Self {
        Self { workspace: workspace.to_owned(), denials: denials.clone() }
    }

    /// The files that are hidden from commands in this root, for the questions about them.
    #[must_use]
    pub fn of(root: &WorkspaceRoot) -> Self {
        Self::new(Path::new(root.at().as_str()), &root.rules().for_commands())
    }

    /// Why a command is not worth running: it is a single program that only reads files, and all
    /// of these are closed.
    pub(super) fn refusal(&self, script: &ShellScript, folder: &str) -> Option<String> {
        let [command] = script.commands() else { return None };
        let words: Vec<&str> = command.words.iter().map(ScriptWord::value).collect::<Option<_>>()?;
        let files = read_files(&words)?;
        let folder = self.workspace.join(folder);
        let closed: Vec<ClosedPlace> =
            files.iter().map(|word| self.closed(word, &folder)).collect::<Option<_>>()?;
        closed.first().map(ClosedPlace::sentence)
    }

    /// What to say after a command that names closed files: all that it names if it failed, and
    /// otherwise those that it was told to read.
    pub(super) fn notes(&self, script: &ShellScript, text: &str, folder: &Path, failed: bool) -> Vec<String> {
        let ends = |letter: char| letter.is_whitespace() || "'\"`<>|;&()=,".contains(letter);
        let mut words: Vec<&str> = if failed { text.split(ends).collect() } else { Vec::new() };
        for command in script.commands() {
            let named: Vec<&str> = command.words.iter().filter_map(ScriptWord::value).collect();
            words.extend(read_files(&named).unwrap_or_default());
        }
        let mut notes: Vec<String> = Vec::new();
        for place in words.into_iter().filter_map(|word| self.closed(word, folder)) {
            let note = place.sentence();
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }

    /// The closed file that a word names. A file of the workspace must exist: a command may make
    /// one with such a name.
    fn closed(&self, word: &str, folder: &Path) -> Option<ClosedPlace> {
        let in_home = HOMES.iter().find_map(|home| word.strip_prefix(home));
        let path = match in_home {
            Some(rest) => PathBuf::from(rest),
            None => resolved(&folder.join(word)),
        };
        let inside = path.strip_prefix(&self.workspace).ok();
        let is_private = PRIVATE.iter().any(|private| path.starts_with(private));
        let may_be_closed = match (in_home, inside) {
            (Some(_), _) => true,
            (None, Some(_)) => path.symlink_metadata().is_ok(),
            (None, None) => !is_private,
        };
        if !may_be_closed {
            return None;
        }
        let name: FilePath =
            inside.or_else(|| path.strip_prefix("/").ok()).unwrap_or(&path).to_str()?.parse().ok()?;
        let request = AccessRequest::Read(name.clone());
        let rule = self.denials.iter().find(|rule| rule.hits(&request))?;
        let place = ClosedPlace { word: word.to_owned(), rule: rule.to_string() };
        (!DenyRules::is_example(rule, &name)).then_some(place)
    }
}

/// A closed file, as the command names it.
struct ClosedPlace {
    word: String,
    rule: String,
}

impl ClosedPlace {
    fn sentence(&self) -> String {
        let word = holm_kernel::visible_line(&self.word);
        format!(
            "`{word}` is closed to commands, because it may hold secrets (deny list: {}); no answer and no \
             grant opens it",
            self.rule
        )
    }
}

/// The files that a command of one of the known programs reads. `None` for other programs, and for
/// a command without files.
fn read_files<'a>(words: &[&'a str]) -> Option<Vec<&'a str>> {
    let (program, rest) = words.split_first()?;
    let name = program.rsplit('/').next()?;
    // The value of an option such as `-n 5` is not a file.
    let is_file = |word: &&&str| !word.starts_with('-') && !word.bytes().all(|byte| byte.is_ascii_digit());
    let mut files: Vec<&str> = rest.iter().filter(is_file).copied().collect();
    if COPIERS.contains(&name) {
        files.pop();
    } else if !READERS.contains(&name) {
        return None;
    }
    (!files.is_empty()).then_some(files)
}

/// A path with its dots resolved by their letters alone.
fn resolved(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other @ (Component::Prefix(_) | Component::RootDir | Component::Normal(_)) => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
