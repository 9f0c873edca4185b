//! Reads the configuration and the hooks of one repository, and collects the paths that they name.
//!
//! Shell scripts that a hook or a setting runs are read too, a few steps deep, because they run
//! outside of the jail as well. A program that does not exist yet counts if it is surely run. What
//! other languages import, and what `make` or a package manager runs, is not followed:
//! `docs/threat-model.md` says so.
//!
//! It parses no file format itself (`config.rs`) and no command line (`executed_files.rs`). What the
//! names mean in a workspace is decided in `named_paths.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::config::{GitConfig, GitConfigEntry};
use super::executed_files::{ExecutableCandidate, executed};
use super::layout::{GitFolder, plain_path};
use super::named_paths::is_harmless;
use crate::plain_files::read_plain_within;

/// The most configuration files that are read for one repository, included ones counted.
const MAX_FILES: usize = 64;
/// The most hooks of a folder that are read.
const MAX_HOOKS: usize = 64;
/// The longest hook or script that is read; the calls of a longer one are unknown.
const MAX_HOOK_BYTES: u64 = 64 * 1024;
/// The most scripts of a repository that are read because a hook or a setting runs them.
const MAX_SCRIPTS: usize = 64;
/// How many steps such scripts are away from a hook.
const MAX_STEPS: usize = 3;
/// The most folders that one text enters.
const MAX_FOLDERS: usize = 8;

/// Settings that name a file or a folder, also one that does not exist yet.
const PATHS: &[&str] = &["core.hookspath", "core.attributesfile", "core.fsmonitor", "init.templatedir"];

/// Settings that name a file which git reads and never runs.
const ONLY_READ: &[&str] = &[
    "blame.ignorerevsfile",
    "commit.template",
    "core.excludesfile",
    "diff.orderfile",
    "format.signaturefile",
    "gpg.ssh.allowedsignersfile",
    "gpg.ssh.revocationfile",
    "http.cookiefile",
    "http.sslcainfo",
    "http.sslcert",
    "http.sslkey",
    "mailmap.file",
    "user.signingkey",
];

/// Shells, by whose rules a hook is read.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// How the names of scripts end that need no permission to be run.
const SCRIPTS: &[&str] = &[
    "bash", "cjs", "js", "ksh", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "rb", "sh", "tcl", "ts", "zsh",
];

/// How the names of files end that are no hooks, even in a folder of hooks.
const TEXTS: &[&str] = &["json", "md", "sample", "toml", "txt", "yaml", "yml"];

/// Folders of what is installed or built. A missing program in them is not held, because an
/// installation must be able to make it.
const MADE: &[&str] = &["node_modules", ".venv", "venv", "target", "vendor", ".tox", "dist", "build"];

/// Collects the paths that one repository's configuration and hooks name.
pub(super) struct GitPathSearch<'a> {
    repository: &'a GitFolder,
    named: BTreeSet<PathBuf>,
    /// How many files were read.
    files: usize,
    /// The contents of files that were already read: all repositories share those of the user.
    read: &'a mut BTreeMap<PathBuf, Rc<Vec<GitConfigEntry>>>,
    /// Scripts that are run, and how many steps they are away.
    scripts: Vec<(PathBuf, usize)>,
    /// Scripts that were added to the list at some time.
    known: BTreeSet<PathBuf>,
}

/// A text that is searched for programs.
struct SearchedText<'t> {
    text: &'t str,
    /// The folder of the file that it is from.
    folder: Option<&'t Path>,
    /// How many steps it is away from a hook or a setting.
    steps: usize,
    missing: MissingPrograms,
}

/// Whether programs are held that do not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingPrograms {
    Held,
    Ignored,
}

impl<'a> GitPathSearch<'a> {
    pub(super) fn new(
        repository: &'a GitFolder,
        read: &'a mut BTreeMap<PathBuf, Rc<Vec<GitConfigEntry>>>,
    ) -> Self {
        let (named, known) = (BTreeSet::new(), BTreeSet::new());
        Self { repository, named, files: 0, read, scripts: Vec::new(), known }
    }

    /// All paths that the repository and these files of the user name. Links are not resolved.
    pub(super) fn find(mut self, personal: &[PathBuf]) -> BTreeSet<PathBuf> {
        self.named.extend(personal.iter().cloned());
        let own = [self.repository.common.join("config"), self.repository.own.join("config.worktree")];
        let mut open: Vec<PathBuf> = personal.iter().cloned().chain(own).collect();
        while let Some(file) = open.pop() {
            open.extend(self.read(&file));
        }
        self.hooks(&self.repository.common.join("hooks"));
        // Also before an installation has told git of them.
        self.hooks(&self.repository.work_tree.join(".husky"));
        let mut read = 0;
        while let Some((script, steps)) = self.scripts.pop() {
            if read < MAX_SCRIPTS {
                read += 1;
                self.read_script(&script, steps);
            }
        }
        self.named
    }

    /// Reads one file, and returns the files that it includes. Conditions are ignored, because
    /// they may hold tomorrow.
    fn read(&mut self, file: &Path) -> Vec<PathBuf> {
        self.files += 1;
        if self.files > MAX_FILES {
            return Vec::new();
        }
        let mut included = Vec::new();
        for entry in self.entries(file).iter() {
            let value = entry.value.as_deref().unwrap_or_default();
            if value.is_empty() || is_harmless(entry) || ONLY_READ.contains(&entry.name().as_str()) {
                continue;
            }
            // Settings of a branch name refs, which look like paths, and a work tree is a folder.
            let runs_nothing = entry.section == "branch" || entry.name() == "core.worktree";
            let missing = if runs_nothing { MissingPrograms::Ignored } else { MissingPrograms::Held };
            let text = |text| SearchedText { text, folder: None, steps: 0, missing };
            if entry.key == "path" && matches!(entry.section.as_str(), "include" | "includeif") {
                let path = resolved(file.parent().unwrap_or(Path::new("/")), value);
                self.named.insert(path.clone());
                included.push(path);
            } else if PATHS.contains(&entry.name().as_str()) {
                let path = resolved(&self.repository.work_tree, value);
                if entry.key == "hookspath" {
                    self.hooks_of_setting(&path);
                }
                self.named.insert(path);
                self.run(&text(value));
            } else if entry.section != "alias" || value.starts_with('!') {
                self.run(&text(value.trim_start_matches('!')));
            }
        }
        included
    }

    fn entries(&mut self, file: &Path) -> Rc<Vec<GitConfigEntry>> {
        if let Some(known) = self.read.get(file) {
            return Rc::clone(known);
        }
        let entries = Rc::new(GitConfig::read(file).unwrap_or_default().entries);
        self.read.insert(file.to_owned(), Rc::clone(&entries));
        entries
    }

    /// Reads the hooks of a folder that a setting names. Husky keeps its own there, in a folder `_`
    /// beside the hooks of the user.
    fn hooks_of_setting(&mut self, folder: &Path) {
        self.hooks(folder);
        if folder.ends_with("_")
            && let Some(around) = folder.parent()
        {
            self.named.insert(around.to_owned());
            self.hooks(around);
        }
    }

    /// Adds the hooks in a folder that are links, and the files that the hooks name.
    fn hooks(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_HOOKS);
        for hook in entries.map(|entry| entry.path()) {
            let name = hook.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let ending = hook.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if name.starts_with('.') || ending == "sample" {
                continue;
            }
            if hook.is_symlink() {
                self.named.insert(hook.clone());
            }
            let Some((first, rest)) = script(&hook) else { continue };
            match interpreter(&first) {
                Interpreter::Other => self.programs(&rest),
                Interpreter::Unnamed if TEXTS.contains(&ending) => {}
                // Git and husky start such a hook by a shell.
                Interpreter::Shell | Interpreter::Unnamed => {
                    let missing = MissingPrograms::Held;
                    self.run(&SearchedText { text: &rest, folder: Some(folder), steps: 0, missing });
                }
            }
        }
    }

    /// Reads a script that a hook or a setting runs, if it is one for a shell.
    fn read_script(&mut self, file: &Path, steps: usize) {
        let Some((first, rest)) = script(file) else { return };
        let ending = file.extension().and_then(|ending| ending.to_str());
        let is_shell = match interpreter(&first) {
            Interpreter::Shell => true,
            Interpreter::Other => false,
            Interpreter::Unnamed => ending.is_none_or(|ending| SHELLS.contains(&ending)),
        };
        if is_shell {
            let missing = MissingPrograms::Held;
            self.run(&SearchedText { text: &rest, folder: file.parent(), steps, missing });
        }
    }

    /// The files of the work tree that a shell's text runs.
    fn run(&mut self, searched: &SearchedText<'_>) {
        let found = executed(searched.text);
        let bases = self.bases(&found.folders, searched.folder);
        for candidates in found.commands {
            for candidate in candidates {
                if self.take(&candidate, &bases, searched) && !candidate.after_option {
                    break;
                }
            }
        }
    }

    /// The folders from which a text may name files: the top of the work
    /// tree, and the folders that it enters.
    fn bases(&self, entered: &[String], folder: Option<&Path>) -> Vec<PathBuf> {
        let top = &self.repository.work_tree;
        let mut bases = vec![top.clone()];
        for word in entered.iter().take(MAX_FOLDERS) {
            let after_value = word.strip_prefix('$').map(|rest| rest.trim_start_matches('/'));
            let places: Vec<PathBuf> = match after_value {
                Some(rest) => [Some(top.as_path()), folder]
                    .into_iter()
                    .flatten()
                    .map(|base| resolved(base, rest))
                    .collect(),
                None => vec![resolved(top, word)],
            };
            bases.extend(places.into_iter().filter(|place| place.is_dir()));
        }
        bases.dedup();
        bases
    }

    /// Takes a word for a path, if there is such a file, or if it is surely run. Whether it was taken.
    fn take(
        &mut self,
        candidate: &ExecutableCandidate,
        bases: &[PathBuf],
        searched: &SearchedText<'_>,
    ) -> bool {
        let word = candidate.word.as_str();
        // A variable for the top of the work tree, or for the folder of a hook, may come before a slash.
        let behind = word.find('/').and_then(|slash| word.get(slash + 1..));
        let behind = behind.filter(|_| word.starts_with(['$', '/']));
        let top = &self.repository.work_tree;
        let after_value = behind.filter(|_| word.starts_with('$'));
        let own = bases.iter().map(|base| resolved(base, word));
        let others = behind.map(|behind| resolved(top, behind));
        let beside = after_value.zip(searched.folder).map(|(behind, folder)| resolved(folder, behind));
        let all: BTreeSet<PathBuf> = own.chain(others).chain(beside).collect();
        let there: Vec<&PathBuf> = all.iter().filter(|path| path.is_file()).collect();
        if !there.is_empty() {
            there.into_iter().for_each(|path| self.add(path, searched.steps + 1));
            return true;
        }
        let name = after_value.unwrap_or(word);
        let is_held =
            searched.missing == MissingPrograms::Held && candidate.is_run && may_be_missing(name, true);
        if !is_held || (after_value.is_some() && !name.contains('/')) {
            return false;
        }
        // A path from the top of the file system is only that. A name with a variable in it is not a path.
        let is_meant = |path: &PathBuf| {
            let is_itself = !word.starts_with('/') || path == Path::new(word);
            is_itself && is_missing(path) && !path.to_string_lossy().contains('$')
        };
        let missing: Vec<PathBuf> = all.into_iter().filter(is_meant).collect();
        let is_taken = !missing.is_empty();
        self.named.extend(missing);
        is_taken
    }

    /// Adds a file that is run, and reads it later.
    fn add(&mut self, path: &Path, steps: usize) {
        self.named.insert(path.to_owned());
        if steps <= MAX_STEPS
            && path.starts_with(&self.repository.work_tree)
            && self.known.insert(path.to_owned())
        {
            self.scripts.push((path.to_owned(), steps));
        }
    }

    /// The programs of the work tree that a text in any language names.
    fn programs(&mut self, text: &str) {
        const AROUND: [char; 14] = ['"', '\'', '`', ';', '&', '|', '(', ')', '{', '}', '<', '>', '=', ','];
        let is_around = |letter: char| letter.is_whitespace() || AROUND.contains(&letter);
        let is_program = |path: &Path| {
            is_script(path) || path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
        };
        for word in text.split(is_around).filter(|word| word.contains('/')) {
            let behind = word.find('/').and_then(|slash| word.get(slash + 1..));
            let behind = behind.filter(|_| word.starts_with(['$', '/']));
            for word in std::iter::once(word).chain(behind) {
                let path = resolved(&self.repository.work_tree, word);
                let is_held = || is_missing(&path) && may_be_missing(word, false);
                if (path.is_file() && is_program(&path)) || is_held() {
                    self.named.insert(path);
                }
            }
        }
    }
}

/// Whether there is nothing at a path, and something could be made there.
fn is_missing(path: &Path) -> bool {
    path.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether a word names a program that git would run once it exists. A word that is not surely run
/// must look like the path of a script.
fn may_be_missing(word: &str, is_run: bool) -> bool {
    let is_plain = word.chars().all(|letter| letter.is_alphanumeric() || "._-+@~/".contains(letter));
    let path = Path::new(word);
    let is_made = path.iter().any(|part| MADE.iter().any(|made| part == *made));
    let (is_script, is_path) = (is_script(path), word.contains('/'));
    let is_program = if is_run { is_script || is_path } else { is_script && is_path };
    is_plain && !is_made && is_program && !word.ends_with('/') && path.file_name().is_some()
}

fn is_script(path: &Path) -> bool {
    path.extension().and_then(|end| end.to_str()).is_some_and(|end| SCRIPTS.contains(&end))
}

/// What runs a script, by its first line.
enum Interpreter {
    Shell,
    Other,
    Unnamed,
}

fn interpreter(first: &str) -> Interpreter {
    let Some(named) = first.strip_prefix("#!") else { return Interpreter::Unnamed };
    let mut words = named.split(['/', ' ', '\t', '\r']);
    if words.any(|word| SHELLS.contains(&word)) { Interpreter::Shell } else { Interpreter::Other }
}

/// The first line of a script if it says what runs it, and the rest. `None` if the file is not a
/// text, or too long.
fn script(file: &Path) -> Option<(String, String)> {
    let bytes = read_plain_within(file, MAX_HOOK_BYTES).ok().filter(|bytes| !bytes.contains(&0))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !text.starts_with("#!") {
        return Some((String::new(), text));
    }
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Some((first.to_owned(), rest.to_owned()))
}

/// A path as git reads it in a configuration.
fn resolved(folder: &Path, text: &str) -> PathBuf {
    let home = std::env::home_dir;
    let path = match text.strip_prefix("~/").zip(home()) {
        Some((rest, home)) => home.join(rest),
        None => folder.join(text),
    };
    plain_path(&path)
}
