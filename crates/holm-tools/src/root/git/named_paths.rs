//! Finds the files of a workspace that git would run or obey because its configuration names them:
//! hooks, included files, filters, helpers. It reads the configuration of the repository, of the
//! user and of the system.
//!
//! The files are read in `named_path_search.rs`. Here the names become places in the workspace, with
//! the links that lead to them.
//! `HARMLESS` is a list of what is known to run nothing. A setting that is not in it counts as
//! dangerous, so add a setting only if it names nothing that git runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::config::GitConfigEntry;
use super::layout::GitFolder;
use super::named_path_search::GitPathSearch;
use crate::root::link_way::LinkWay;

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

/// The files and folders in a workspace that git would run or obey, also missing ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct GitNamedPaths {
    paths: BTreeSet<PathBuf>,
    /// Links on the way to them.
    links: BTreeSet<PathBuf>,
}

impl GitNamedPaths {
    /// The paths inside `workspace` that these repositories and the user's own configuration name.
    pub(crate) fn find<'a>(workspace: &Path, repositories: impl IntoIterator<Item = &'a GitFolder>) -> Self {
        let personal = personal();
        let mut named = BTreeSet::new();
        let mut read = BTreeMap::new();
        for repository in repositories {
            named.extend(GitPathSearch::new(repository, &mut read).find(&personal));
        }
        let mut found = Self::default();
        named.into_iter().for_each(|path| found.add(workspace, path));
        found
    }

    /// Adds a named path: where it is named, where a link leads to, and the links.
    fn add(&mut self, workspace: &Path, path: PathBuf) {
        let way = LinkWay::of(&path);
        let is_inside = |path: &PathBuf| path.starts_with(workspace) && path != workspace;
        self.links.extend(way.links.into_iter().filter(is_inside));
        let all = std::iter::once(path).chain(way.end);
        let spread = all.flat_map(|path| {
            if workspace.starts_with(&path) {
                // A whole workspace cannot be protected only because git looks for hooks in it.
                HOOKS.iter().map(|hook| path.join(hook)).collect()
            } else {
                vec![path]
            }
        });
        self.paths.extend(spread.filter(is_inside));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    /// The links on the way to the named paths.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Path> {
        self.links.iter().map(PathBuf::as_path)
    }

    /// The named path that equals or contains this one, or the link to it that this is.
    pub(crate) fn holding(&self, path: &Path) -> Option<&Path> {
        let link = self.links.get(path).map(PathBuf::as_path);
        self.iter().find(|named| path.starts_with(named)).or(link)
    }
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
