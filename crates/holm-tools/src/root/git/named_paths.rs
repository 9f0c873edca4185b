//! Finds the files of a workspace that git would run or obey because its configuration names them:
//! hooks, included files, filters, helpers. It reads the configuration of the repository, of the
//! user and of the system.
//!
//! It parses no file format itself (`config.rs`) and no command line (`executed_files.rs`).
//! `HARMLESS` is a list of what is known to run nothing. A setting that is not in it counts as
//! dangerous, so add a setting only if it names nothing that git runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::config::{GitConfig, GitConfigEntry};
use super::executed_files::executed;
use super::layout::{GitFolder, plain_path};
use crate::plain_files::read_plain_within;

/// The most configuration files that are read for one repository, included ones counted.
const MAX_FILES: usize = 64;
/// The most hooks of a repository that are read.
const MAX_HOOKS: usize = 64;
/// The longest hook that is read; the calls of a longer one are unknown.
const MAX_HOOK_BYTES: u64 = 64 * 1024;

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

/// Hooks by name, for a configuration that looks for them in a folder full of other things.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-auto-gc",
    "post-rewrite",
    "fsmonitor-watchman",
    "post-index-change",
    "reference-transaction",
    "push-to-checkout",
    "sendemail-validate",
];

/// Settings that name nothing that is run; a star is a name that the user chooses.
const HARMLESS: &[&str] = &[
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.quotepath",
    "core.abbrev",
    "core.whitespace",
    "core.compression",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.untrackedcache",
    "core.longpaths",
    "core.hidedotfiles",
    "extensions.objectformat",
    "extensions.refstorage",
    "extensions.partialclone",
    "extensions.worktreeconfig",
    "extensions.noop",
    "extensions.preciousobjects",
    "extensions.relativeworktrees",
    "remote.*.url",
    "remote.*.pushurl",
    "remote.*.fetch",
    "remote.*.push",
    "remote.*.tagopt",
    "remote.*.prune",
    "remote.*.prunetags",
    "remote.*.mirror",
    "remote.*.promisor",
    "remote.*.partialclonefilter",
    "branch.*.remote",
    "branch.*.merge",
    "branch.*.rebase",
    "branch.*.pushremote",
    "branch.*.description",
    "submodule.*.url",
    "submodule.*.active",
    "submodule.*.branch",
    "submodule.*.ignore",
    "submodule.active",
    "submodule.recurse",
    "user.name",
    "user.email",
    "init.defaultbranch",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autosetupremote",
    "fetch.prune",
    "merge.ff",
    "merge.conflictstyle",
    "rebase.autosquash",
    "rebase.autostash",
    "rerere.enabled",
    "gc.auto",
    "maintenance.auto",
    "index.version",
    "index.threads",
    "feature.manyfiles",
    "lfs.repositoryformatversion",
    "color.ui",
    "advice.detachedhead",
];

/// Whether a setting of a repository cannot run anything.
pub(crate) fn is_harmless(entry: &GitConfigEntry) -> bool {
    let value = entry.value.as_deref().unwrap_or_default();
    let subsection = entry.subsection.as_ref().map(|_| "*.").unwrap_or_default();
    let name = format!("{}.{subsection}{}", entry.section, entry.key);
    match name.as_str() {
        "core.fsmonitor" | "commit.gpgsign" | "tag.gpgsign" => entry.is_boolean(),
        "submodule.*.update" => ["checkout", "rebase", "merge", "none"].contains(&value),
        // The name of a helper program comes before two colons.
        "remote.*.url" | "remote.*.pushurl" => !value.contains("::"),
        name => HARMLESS.contains(&name),
    }
}

/// The files and folders in a workspace that git would run or obey.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct GitNamedPaths(BTreeSet<PathBuf>);

impl GitNamedPaths {
    /// The paths inside `workspace` that these repositories and the user's own configuration name.
    pub(crate) fn find<'a>(workspace: &Path, repositories: impl IntoIterator<Item = &'a GitFolder>) -> Self {
        let personal = personal();
        let mut named = BTreeSet::new();
        let mut read = BTreeMap::new();
        for repository in repositories {
            let mut search = GitPathSearch { repository, named: BTreeSet::new(), files: 0, read: &mut read };
            search.named.extend(personal.iter().cloned());
            let own = [repository.common.join("config"), repository.own.join("config.worktree")];
            let mut open: Vec<PathBuf> = personal.iter().cloned().chain(own).collect();
            while let Some(file) = open.pop() {
                open.extend(search.read(&file));
            }
            search.hooks(&repository.common.join("hooks"));
            named.extend(search.named);
        }
        Self(named.into_iter().flat_map(|path| held(workspace, path)).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// The named path that equals or contains this one.
    pub(crate) fn holding(&self, path: &Path) -> Option<&Path> {
        self.iter().find(|named| path.starts_with(named))
    }
}

/// The places of a named path inside the workspace: where it is named, and where a link leads to.
fn held(workspace: &Path, path: PathBuf) -> Vec<PathBuf> {
    let real = path.canonicalize().ok();
    let all = std::iter::once(path).chain(real);
    let spread = all.flat_map(|path| {
        if workspace.starts_with(&path) {
            // A whole workspace cannot be protected only because git looks for hooks in it.
            HOOKS.iter().map(|hook| path.join(hook)).collect()
        } else {
            vec![path]
        }
    });
    spread.filter(|path| path.starts_with(workspace) && path != workspace).collect()
}

/// The configuration of the user and of the system. Tests have none: what the machine's user has
/// set is not theirs.
fn personal() -> Vec<PathBuf> {
    if cfg!(test) {
        return Vec::new();
    }
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    // Also where `HOME` is not set: the user's next shell sets it.
    let home = std::env::home_dir();
    let settings = variable("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
    let mut files = vec![variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into())];
    match variable("GIT_CONFIG_GLOBAL") {
        Some(global) => files.push(global),
        None => {
            files.extend(settings.map(|settings| settings.join("git/config")));
            files.extend(home.map(|home| home.join(".gitconfig")));
        }
    }
    files
}

/// Collects the paths that one repository's configuration names.
struct GitPathSearch<'a> {
    repository: &'a GitFolder,
    named: BTreeSet<PathBuf>,
    /// How many files were read.
    files: usize,
    /// The contents of files that were already read: all repositories share those of the user.
    read: &'a mut BTreeMap<PathBuf, Rc<Vec<GitConfigEntry>>>,
}

impl GitPathSearch<'_> {
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
            if entry.key == "path" && matches!(entry.section.as_str(), "include" | "includeif") {
                let path = resolved(file.parent().unwrap_or(Path::new("/")), value);
                self.named.insert(path.clone());
                included.push(path);
            } else if PATHS.contains(&entry.name().as_str()) {
                let path = resolved(&self.repository.work_tree, value);
                if entry.key == "hookspath" {
                    self.hooks(&path);
                }
                self.named.insert(path);
                self.run(value);
            } else if entry.section != "alias" || value.starts_with('!') {
                self.run(value.trim_start_matches('!'));
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

    /// Adds the link targets of the hooks in a folder, and the files that the hooks name.
    fn hooks(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_HOOKS);
        for hook in entries.map(|entry| entry.path()) {
            if hook.extension().is_some_and(|extension| extension == "sample") {
                continue;
            }
            if hook.is_symlink() {
                self.named.extend(hook.canonicalize());
            }
            if let Ok(bytes) = read_plain_within(&hook, MAX_HOOK_BYTES)
                && bytes.starts_with(b"#!")
            {
                let text = String::from_utf8_lossy(&bytes);
                let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
                let mut words = first.split(['/', ' ', '\t', '\r']);
                if words.any(|word| SHELLS.contains(&word)) {
                    self.run(rest);
                } else {
                    self.programs(rest);
                }
            }
        }
    }

    /// The files of the work tree that a command line runs.
    fn run(&mut self, command: &str) {
        for candidates in executed(command) {
            for candidate in candidates {
                if self.name(&candidate.word, |_| true) && !candidate.after_option {
                    break;
                }
            }
        }
    }

    /// The programs of the work tree that a text in any language names.
    fn programs(&mut self, text: &str) {
        const AROUND: [char; 14] = ['"', '\'', '`', ';', '&', '|', '(', ')', '{', '}', '<', '>', '=', ','];
        let is_around = |letter: char| letter.is_whitespace() || AROUND.contains(&letter);
        let is_program = |path: &Path| {
            let is_script =
                path.extension().and_then(|end| end.to_str()).is_some_and(|end| SCRIPTS.contains(&end));
            is_script || path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
        };
        for word in text.split(is_around).filter(|word| word.contains('/')) {
            self.name(word, is_program);
        }
    }

    /// Takes a word for a path, if there is such a file. Whether there is.
    fn name(&mut self, word: &str, fits: fn(&Path) -> bool) -> bool {
        let mut is_there = false;
        // A variable for the top of the work tree may come before a slash.
        let behind = word.find('/').and_then(|slash| word.get(slash + 1..));
        let behind = behind.filter(|_| word.starts_with(['$', '/']));
        for word in std::iter::once(word).chain(behind) {
            let path = resolved(&self.repository.work_tree, word);
            if path.is_file() && fits(&path) {
                is_there = true;
                self.named.insert(path);
            }
        }
        is_there
    }
}

/// How the names of scripts end that need no permission to be run.
const SCRIPTS: &[&str] =
    &["bash", "cjs", "js", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "rb", "sh", "tcl", "ts", "zsh"];

/// A path as git reads it in a configuration.
fn resolved(folder: &Path, text: &str) -> PathBuf {
    let home = std::env::home_dir;
    let path = match text.strip_prefix("~/").zip(home()) {
        Some((rest, home)) => home.join(rest),
        None => folder.join(text),
    };
    plain_path(&path)
}
