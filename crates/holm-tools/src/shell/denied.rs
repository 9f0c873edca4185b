//! Keeps the deny list inside a jail: the kernel decides about names in a call, and a program finds files by itself. And
//! finds what git would run beneath the roots, so that no hook or setting is left there for the user's next git command.
//!
//! Files that are there when the command starts are hidden or kept read-only. What a command makes is looked at when it has
//! ended: see [`WorkspaceRecord`].

use std::fs::{self, FileType};
use std::path::{Component, Path, PathBuf};

use holm_grants::{Denial, Denials, FilePath, Grant, GrantSet, PathPattern, Request};
use holm_jail::Jail;

use super::changes::{WorkspaceRecord, is_called_git, is_repository};
use super::rule_index::RuleIndex;
use crate::root::Denies;
use crate::root::autorun;
use crate::root::git::{GitFolder, NamedPaths, gitlinks};

/// The most entries that are looked at for one command. What lies beyond is hidden whole, folder by folder, or kept
/// read-only where nothing is denied.
const MAX_LOOKED_AT: usize = 300_000;
/// The most repositories whose configuration and submodules are read for one command.
const MAX_REPOSITORIES_READ: usize = 256;
/// The most submodules without a repository that are held. What a command makes in others is found when it has ended.
const MAX_SUBMODULES_HELD: usize = 64;

/// The jail without what the deny list names beneath its roots, and with all held that git would run there. The record
/// tells later what the command has made.
pub(crate) fn hold(
    jail: Jail,
    workspace: &Path,
    grants: &GrantSet,
    denials: &Denials,
) -> (Jail, WorkspaceRecord) {
    let roots = roots(workspace, grants, denials);
    let record = WorkspaceRecord::new(workspace, &written(workspace, grants));
    let rules = RuleIndex::new(denials);
    let mut scan = Scan { workspace, rules, jail, record, looked_at: 0, repositories: Vec::new() };
    for root in &roots {
        scan.walk(root);
    }
    scan.hold_git(&roots);
    scan.hold_missing();
    scan.record.begin();
    (scan.jail, scan.record)
}

/// One look at everything beneath the roots.
struct Scan<'a> {
    workspace: &'a Path,
    rules: RuleIndex<'a>,
    jail: Jail,
    record: WorkspaceRecord,
    looked_at: usize,
    /// The repositories that were met.
    repositories: Vec<GitFolder>,
}

impl Scan<'_> {
    fn walk(&mut self, root: &Path) {
        let Ok(found) = root.symlink_metadata() else { return };
        let mut open = vec![(root.to_owned(), found.file_type())];
        while let Some((path, kind)) = open.pop() {
            self.looked_at += 1;
            match self.standing(&path, root) {
                Standing::Hidden | Standing::Fixed if kind.is_symlink() => self.hold_target(&path, root),
                Standing::Hidden => self.hide(&path),
                _ if self.looked_at > MAX_LOOKED_AT && self.rules.is_empty() => self.protect(&path),
                _ if self.looked_at > MAX_LOOKED_AT => self.hide(&path),
                Standing::Fixed => self.protect(&path),
                Standing::Free if kind.is_symlink() => self.meet_link(&path),
                Standing::Free if kind.is_dir() => open.extend(self.enter(&path)),
                Standing::Free => self.meet(&path),
            }
        }
    }

    /// Holds what a link leads to: a jail holds no link. That the link is another is told when the command has ended.
    fn hold_target(&mut self, link: &Path, root: &Path) {
        self.record.watch(link);
        let Some(real) = link.canonicalize().ok().filter(|real| *real != *root && real.starts_with(root))
        else {
            return;
        };
        match self.standing(link, root) {
            Standing::Hidden => self.hide(&real),
            Standing::Fixed => self.protect(&real),
            Standing::Free => {}
        }
    }

    /// Looks at a folder, and says what is in it.
    fn enter(&mut self, folder: &Path) -> Vec<(PathBuf, FileType)> {
        self.record.enter(folder);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let entries: Vec<(PathBuf, FileType)> =
            entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?))).collect();
        if is_repository(folder, &entries) {
            self.change(|jail| jail.repository(folder));
            self.record.know(folder);
            let work_tree = if is_called_git(folder) { folder.parent().unwrap_or(folder) } else { folder };
            self.repositories.push(GitFolder::at(work_tree, folder.to_owned()));
        }
        self.protect_settings(folder);
        entries
    }

    /// Holds settings of version control other than git. A jail holds no link in its place, so the folder around one is
    /// held, and the file that it names.
    fn protect_settings(&mut self, folder: &Path) {
        let settings = obeyed_in(folder);
        let links: Vec<&PathBuf> = settings.iter().filter(|setting| setting.is_symlink()).collect();
        if links.is_empty() {
            settings.iter().for_each(|setting| self.protect(setting));
            return;
        }
        self.protect(folder);
        for target in links.into_iter().filter_map(|link| link.canonicalize().ok()) {
            if target.is_file() && self.record.is_writable(&target) {
                self.protect(&target);
            }
        }
    }

    /// Looks at a link that a command may change.
    fn meet_link(&mut self, link: &Path) {
        self.record.watch(link);
        if is_called_git(link) {
            self.repositories.extend(link.parent().and_then(GitFolder::of));
        }
    }

    /// Looks at a file.
    fn meet(&mut self, file: &Path) {
        self.record.watch(file);
        if is_called_git(file) {
            // A submodule or a worktree says here where its git folder is.
            self.protect(file);
            self.repositories.extend(file.parent().and_then(GitFolder::of));
        }
    }

    /// Holds what configurations of git name, and the place of the repository in submodules that have none yet.
    fn hold_git(&mut self, roots: &[PathBuf]) {
        let mut repositories = std::mem::take(&mut self.repositories);
        repositories.truncate(MAX_REPOSITORIES_READ);
        repositories.extend(GitFolder::around(self.workspace));
        let workspace = self.workspace;
        let elsewhere = roots.iter().filter(|root| !root.starts_with(workspace));
        for place in std::iter::once(workspace).chain(elsewhere.map(PathBuf::as_path)) {
            let named = NamedPaths::find(place, &repositories);
            // A jail holds no link; where one leads to is among the paths too.
            named.iter().filter(|path| leads_through_no_link(path)).for_each(|path| self.protect(path));
        }
        let submodules = repositories.iter().flat_map(|repository| {
            let inside = |link: &PathBuf| link.components().all(|part| matches!(part, Component::Normal(_)));
            let links = gitlinks(&repository.own).into_iter().filter(inside);
            links.map(|link| repository.work_tree.join(link))
        });
        let is_held = |folder: &PathBuf| {
            roots.iter().any(|root| folder.starts_with(root))
                && folder.is_dir()
                && leads_through_no_link(folder)
                && folder.join(".git").symlink_metadata().is_err()
        };
        let held: Vec<PathBuf> = submodules.filter(is_held).take(MAX_SUBMODULES_HELD).collect();
        held.iter().for_each(|folder| self.protect(&folder.join(".git")));
    }

    /// Holds names at the top of the workspace that everyday tools would obey and that do not exist yet.
    fn hold_missing(&mut self) {
        let names = autorun::protected().filter(|pattern| !pattern.contains('*'));
        for name in names.map(|pattern| pattern.trim_end_matches('/')) {
            let path = self.workspace.join(name);
            let is_missing = path.symlink_metadata().is_err();
            // A jail passes no link, and holds no name behind one.
            let has_folder = path.parent().is_some_and(Path::is_dir) && leads_through_no_link(&path);
            if is_missing && has_folder && matches!(self.standing(&path, self.workspace), Standing::Fixed) {
                self.protect(&path);
            }
        }
    }

    fn standing(&self, path: &Path, root: &Path) -> Standing {
        if self.rules.is_empty() {
            return Standing::Free;
        }
        // What lies in a denied folder is not met on a walk: the folder is. A root may lie in one.
        let last = path.file_name().and_then(|name| name.to_str()).filter(|_| path != root);
        let rules = self.rules.about(last);
        if rules.is_empty() && is_short(path) && last.is_some_and(is_plain) {
            return Standing::Free;
        }
        // Inside the workspace both names of a file count.
        let inside = path.strip_prefix(self.workspace).ok().and_then(Path::to_str);
        let names = [path.to_str(), inside].into_iter().flatten();
        let names: Vec<FilePath> = names.filter_map(|name| name.parse().ok()).collect();
        // What has no name that a rule could be about is not shown.
        if names.is_empty() && path != self.workspace {
            return Standing::Hidden;
        }
        // What a rule finds anywhere in the workspace it finds in a folder elsewhere that was granted, too.
        let elsewhere = path.strip_prefix(root).ok().filter(|_| inside.is_none()).and_then(Path::to_str);
        let elsewhere: Option<FilePath> = elsewhere.and_then(|name| name.parse().ok());
        let hit = |request: fn(FilePath) -> Request| {
            let hits = |rule: &Denial, name: &FilePath| {
                rule.hits(&request(name.clone())) && !Denies::is_example(rule, name)
            };
            let is_anywhere = |rule: &Denial| rule.to_string().contains(":**/");
            rules.iter().any(|rule| {
                names.iter().any(|name| hits(rule, name))
                    || elsewhere.as_ref().is_some_and(|name| is_anywhere(rule) && hits(rule, name))
            })
        };
        if hit(Request::Read) {
            Standing::Hidden
        } else if hit(Request::Write) {
            Standing::Fixed
        } else {
            Standing::Free
        }
    }

    fn hide(&mut self, path: &Path) {
        self.record.hold(path);
        self.change(|jail| jail.hide(path));
    }

    fn protect(&mut self, path: &Path) {
        // What appears under a name that is missing now is new, should the jail not take it away.
        if path.symlink_metadata().is_ok() {
            self.record.hold(path);
        }
        self.change(|jail| jail.protect(path));
    }

    fn change(&mut self, change: impl FnOnce(Jail) -> Jail) {
        self.jail = change(std::mem::take(&mut self.jail));
    }
}

/// What a command may do to an entry.
enum Standing {
    Hidden,
    Fixed,
    Free,
}

/// Whether a path is surely no longer than one that rules can be about.
fn is_short(path: &Path) -> bool {
    const MAX_SURE_BYTES: usize = 512;
    const MAX_SURE_DEPTH: usize = 32;
    path.as_os_str().len() <= MAX_SURE_BYTES && path.components().count() <= MAX_SURE_DEPTH
}

/// Whether a name is surely one that rules can be about.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'@'))
}

/// Settings by which version control other than git runs programs, also those that do not exist yet.
fn obeyed_in(folder: &Path) -> Vec<PathBuf> {
    let names: &[&str] = match folder.file_name().and_then(|name| name.to_str()) {
        Some(".hg") => &["hgrc", "hgrc-not-shared", "sharedpath"],
        Some(".sl") => &["config"],
        Some(".jj") => &["workspace-config.toml"],
        Some("repo") if folder.parent().and_then(Path::file_name).is_some_and(|name| name == ".jj") => {
            &["config.toml"]
        }
        Some(_) | None => &[],
    };
    names.iter().map(|name| folder.join(name)).collect()
}

/// Whether no part of a path is a link; what does not exist is none.
fn leads_through_no_link(path: &Path) -> bool {
    path.ancestors().all(|part| !part.is_symlink())
}

/// The places that the grants open; where nothing is denied, only those for writing.
fn roots(workspace: &Path, grants: &GrantSet, denials: &Denials) -> Vec<PathBuf> {
    let mut roots = written(workspace, grants);
    if !denials.is_empty() {
        let read = grants.iter().filter_map(|grant| match grant {
            Grant::Read(pattern) => Some(root_of(workspace, pattern)),
            _ => None,
        });
        roots.extend(read);
    }
    outermost(roots)
}

/// The places that the grants open for writing.
fn written(workspace: &Path, grants: &GrantSet) -> Vec<PathBuf> {
    let written = grants.iter().filter_map(|grant| match grant {
        Grant::Write(pattern) => Some(root_of(workspace, pattern)),
        _ => None,
    });
    outermost(written.collect())
}

fn root_of(workspace: &Path, pattern: &PathPattern) -> PathBuf {
    match pattern.to_string().as_str() {
        "**" | "./" | "./**" => workspace.to_owned(),
        other => workspace.join(other.trim_end_matches("/**").trim_end_matches('/')),
    }
}

fn outermost(mut roots: Vec<PathBuf>) -> Vec<PathBuf> {
    roots.sort();
    roots.dedup();
    let all = roots.clone();
    roots.retain(|root| !all.iter().any(|other| other != root && root.starts_with(other)));
    roots
}
