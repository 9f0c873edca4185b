//! Enforces the deny list inside a jail. The kernel only judges names in a call, and a program
//! finds files by itself. It also finds what git would run beneath the roots, so that a command
//! leaves no hook or setting for the user's next git command.
//!
//! Files that exist when the command starts are hidden or kept read-only. Files that a command
//! makes are checked when it has ended: see [`WorkspaceRecord`].
//!
//! The rules come from `root/deny_rules.rs` and `root/autorun.rs`, indexed by `rule_index.rs`; file
//! tools apply them in `root/workspace_root.rs` instead. Beyond its limits it hides whole folders:
//! it never leaves a denied file visible because there are too many.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, FileType};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use holm_grants::{AccessRequest, Denial, DenialSet, FilePath, Grant, GrantSet, PathPattern, ProgramPattern};
use holm_jail::Jail;

use super::changes::{WorkspaceRecord, is_called_git, is_of_other_control, is_repository};
use super::git_object_check::protected_packs;
use super::rule_index::RuleIndex;
use crate::root::DenyRules;
use crate::root::autorun;
use crate::root::git::{GitFolder, GitNamedPaths, gitlinks};
use crate::root::link_way::LinkWay;

/// The most entries that are checked for one command. Beyond it, whole folders are hidden, or kept
/// read-only if nothing is denied.
const MAX_LOOKED_AT: usize = 300_000;

/// The most files that are hidden one by one. Of more, whole folders at the top of a root are
/// hidden, those with the most of them first: a command that makes very many must not keep the
/// next one from starting.
const MAX_HIDDEN: usize = 10_000;

/// The jail without what the deny list names beneath its roots, and with all held that git would
/// run there. The record tells later what the command has made.
pub(crate) fn hold(
    jail: Jail,
    workspace: &Path,
    grants: &GrantSet,
    denials: &DenialSet,
) -> (Jail, WorkspaceRecord) {
    held(jail, workspace, grants, denials, &[], HeldProcess::Command)
}

/// How long what is confined runs beside the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldProcess {
    /// It ends soon. What git records meanwhile is the command's.
    Command,
    /// It runs for as long as a session. The user works in the same repositories meanwhile, so
    /// nothing that git records is undone.
    Service,
}

impl HeldProcess {
    /// The time between two looks at what must not wait for its end.
    fn pause(self) -> Duration {
        match self {
            Self::Command => Duration::from_millis(20),
            // It runs for hours, and must not keep the machine awake.
            Self::Service => Duration::from_secs(1),
        }
    }
}

/// The jail without the denied files beneath its roots, and with everything protected that git
/// would run there, as for commands. The `open` files are shown although the list names them,
/// because the user has named each of them. The record later shows what was made. This reads the
/// file system, so it blocks.
#[must_use]
pub fn hold_with(
    jail: Jail,
    workspace: &Path,
    grants: &GrantSet,
    denials: &DenialSet,
    open: &[PathBuf],
) -> (Jail, WorkspaceRecord) {
    held(jail, workspace, grants, denials, open, HeldProcess::Service)
}

fn held(
    jail: Jail,
    workspace: &Path,
    grants: &GrantSet,
    denials: &DenialSet,
    open: &[PathBuf],
    process: HeldProcess,
) -> (Jail, WorkspaceRecord) {
    let mut roots = roots(workspace, grants, denials);
    if !denials.is_empty() {
        // Programs come last: beyond the limit, folders of the workspace must not be hidden because
        // of them.
        roots.extend(started(workspace, grants, &roots));
    }
    let record = WorkspaceRecord::new(workspace, &written(workspace, grants));
    let rules = RuleIndex::new(denials);
    let (hidden, repositories, met) = (Vec::new(), Vec::new(), Vec::new());
    let mut scan = DeniedPathScan {
        workspace,
        roots: &roots,
        rules,
        open,
        jail,
        record,
        looked_at: 0,
        hidden,
        repositories,
        met,
    };
    for root in &roots {
        scan.walk(root);
    }
    for path in fewer(std::mem::take(&mut scan.hidden), &roots, MAX_HIDDEN) {
        scan.record.hold(&path);
        scan.change(|jail| jail.hide(path));
    }
    scan.hold_git(&roots);
    scan.hold_missing(&written(workspace, grants));
    if process == HeldProcess::Command {
        scan.guard(grants);
    }
    scan.record.begin(process.pause());
    (scan.jail, scan.record)
}

/// One scan of everything beneath the roots.
struct DeniedPathScan<'a> {
    workspace: &'a Path,
    /// The folders that are walked.
    roots: &'a [PathBuf],
    rules: RuleIndex,
    /// Files that are shown despite the rules.
    open: &'a [PathBuf],
    jail: Jail,
    record: WorkspaceRecord,
    looked_at: usize,
    /// The paths to hide.
    hidden: Vec<PathBuf>,
    /// The repositories that were met.
    repositories: Vec<GitFolder>,
    met: Vec<PathBuf>,
}

impl DeniedPathScan<'_> {
    fn walk(&mut self, root: &Path) {
        let Ok(found) = root.symlink_metadata() else { return };
        let mut open = vec![(root.to_owned(), found.file_type())];
        while let Some((path, kind)) = open.pop() {
            self.looked_at += 1;
            match self.standing(&path, root) {
                EntryAccess::Hidden | EntryAccess::Fixed if kind.is_symlink() => {
                    self.hold_target(&path, root);
                }
                EntryAccess::Hidden => self.hide(&path),
                _ if self.looked_at > MAX_LOOKED_AT && self.rules.is_empty() => self.protect(&path),
                _ if self.looked_at > MAX_LOOKED_AT => self.hide(&path),
                EntryAccess::Fixed => self.protect(&path),
                EntryAccess::Free if kind.is_symlink() => self.meet_link(&path),
                EntryAccess::Free if kind.is_dir() => open.extend(self.enter(&path)),
                EntryAccess::Free => self.meet(&path),
            }
        }
    }

    /// Protects a link and its target, also a missing one. A jail cannot protect a link itself, so
    /// a replaced link is put back. A link with the name of a secret is hidden, and
    /// so is the file that is its target. A folder as a target has its own name, under which
    /// the walk finds it.
    fn hold_target(&mut self, link: &Path, root: &Path) {
        self.record.watch(link);
        let way = LinkWay::of(link);
        match self.standing(link, root) {
            EntryAccess::Hidden => self.hide(link),
            EntryAccess::Fixed => way.links.iter().for_each(|link| self.record.hold_link(link)),
            EntryAccess::Free => {}
        }
        let Some(real) = way.end.filter(|end| self.is_inside(end)) else { return };
        match self.standing(link, root) {
            EntryAccess::Hidden if real.is_file() => self.hide(&real),
            EntryAccess::Fixed => self.protect(&real),
            EntryAccess::Hidden | EntryAccess::Free => {}
        }
    }

    /// Whether the walk meets a path, also in another root: under Landlock
    /// alone nothing can hide a link itself.
    fn is_inside(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path != root && path.starts_with(root))
    }

    /// Visits a folder, and returns its entries.
    fn enter(&mut self, folder: &Path) -> Vec<(PathBuf, FileType)> {
        self.record.enter(folder);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let entries: Vec<(PathBuf, FileType)> =
            entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?))).collect();
        if is_repository(folder, &entries) {
            self.change(|jail| jail.repository(folder));
            self.record.know_repository(folder);
            self.met.push(folder.to_owned());
            let work_tree = if is_called_git(folder) { folder.parent().unwrap_or(folder) } else { folder };
            self.repositories.push(GitFolder::at(work_tree, folder.to_owned()));
        }
        self.protect_settings(folder, &obeyed_in(folder, folder));
        entries
    }

    /// Holds settings of version control other than git. A jail holds no link in its place, so the
    /// folder around one is held, and the file that it names.
    fn protect_settings(&mut self, folder: &Path, settings: &[PathBuf]) {
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

    /// Records a link that a command may change, and protects the version
    /// control settings behind it.
    fn meet_link(&mut self, link: &Path) {
        self.record.watch(link);
        if is_called_git(link) {
            self.repositories.extend(link.parent().and_then(GitFolder::of));
        } else if is_of_other_control(link)
            && let Ok(real) = link.canonicalize()
            && self.record.is_writable(&real)
        {
            self.protect_settings(&real, &obeyed_in(link, &real));
            self.protect_settings(&real.join("repo"), &obeyed_in(&link.join("repo"), &real.join("repo")));
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

    /// Holds what configurations of git name, and the place of the repository in submodules
    /// that have none yet.
    fn hold_git(&mut self, roots: &[PathBuf]) {
        // All of them, without a limit: a repository that is left out would be unprotected.
        let mut repositories = std::mem::take(&mut self.repositories);
        repositories.extend(GitFolder::around(self.workspace));
        let workspace = self.workspace;
        let elsewhere = roots.iter().filter(|root| !root.starts_with(workspace));
        for place in std::iter::once(workspace).chain(elsewhere.map(PathBuf::as_path)) {
            let named = GitNamedPaths::find(place, &repositories);
            // A jail holds no link, so links are put back; where they lead to is among the paths.
            named.iter().filter(|path| leads_through_no_link(path)).for_each(|path| self.protect(path));
            named.links().for_each(|link| self.record.hold_link(link));
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
        let held: Vec<PathBuf> = submodules.filter(is_held).collect();
        held.iter().for_each(|folder| self.protect(&folder.join(".git")));
    }

    /// Holds names at the top of the workspace that everyday tools would obey and that do not exist
    /// yet. In a home, and in a granted folder elsewhere, which may be one, also those
    /// that a login obeys.
    fn hold_missing(&mut self, written: &[PathBuf]) {
        let workspace = self.workspace;
        // As few as possible: each of them costs every command a little.
        for name in autorun::protected_in_projects().filter(|pattern| !pattern.contains('*')) {
            let name = name.trim_end_matches('/');
            if workspace.join(name).parent().is_some_and(Path::is_dir) {
                self.hold_missing_name(workspace, name);
            }
        }
        for (pattern, example) in autorun::starred_in_projects() {
            if !matches!(self.standing(&workspace.join(example), workspace), EntryAccess::Free) {
                self.record.protect_pattern(pattern);
            }
        }
        // With this file beside `objects`, git takes the workspace itself for a repository.
        let (git, head) = (workspace.join(".git"), workspace.join("HEAD"));
        if git.symlink_metadata().is_err() && head.symlink_metadata().is_err() && !self.rules.is_empty() {
            self.protect(&head);
        }
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        let home = home.filter(|home| written.iter().any(|root| home.starts_with(root)));
        let elsewhere = written.iter().filter(|root| !root.starts_with(workspace) && root.is_dir());
        let homes: BTreeSet<PathBuf> = elsewhere.cloned().chain(home).collect();
        for folder in &homes {
            let names = autorun::protected().filter(|pattern| !pattern.contains('*'));
            for name in names.map(|pattern| pattern.trim_end_matches('/')).chain(DenyRules::startup()) {
                self.hold_missing_name(folder, name);
            }
        }
    }

    /// Tells the record which git folders the command may write, and which names of the table hold.
    /// The folder `.git` of a writable root is open only if a grant names it.
    fn guard(&mut self, grants: &GrantSet) {
        let workspace = self.workspace;
        let opened: Vec<PathBuf> = grants
            .iter()
            .filter_map(|grant| match grant {
                Grant::Write(pattern) => Some(root_of(workspace, pattern)),
                _ => None,
            })
            .collect();
        let is_shut = |git: &Path| {
            let is_of_root = |root: &PathBuf| git.starts_with(root.join(".git"));
            let is_named = |root: &PathBuf| root.iter().any(|part| part == ".git") && git.starts_with(root);
            opened.iter().any(is_of_root) && !opened.iter().any(is_named)
        };
        let is_open = |git: &&PathBuf| !is_shut(git) && self.record.is_writable(git);
        let open: Vec<PathBuf> = self.met.iter().filter(is_open).cloned().collect();
        for git in &open {
            self.record.open_repository(git);
            protected_packs(git).iter().for_each(|pack| self.protect(pack));
        }
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        let patterns: Vec<&'static str> = if home.is_some_and(|home| home == workspace) {
            autorun::protected().collect()
        } else {
            autorun::protected_in_projects().collect()
        };
        for pattern in patterns {
            let example = pattern.replace('*', "x");
            let example = workspace.join(example.trim_end_matches('/'));
            if !matches!(self.standing(&example, workspace), EntryAccess::Free) {
                self.record.guard_pattern(pattern);
            }
        }
    }

    fn hold_missing_name(&mut self, folder: &Path, name: &str) {
        let path = folder.join(name);
        let is_plain = leads_through_no_link(&path);
        // What exists, and a link of this name, is met by the walk.
        if path.is_symlink() || (is_plain && path.symlink_metadata().is_ok()) {
            return;
        }
        if matches!(self.standing(&path, folder), EntryAccess::Free) {
            return;
        }
        if is_plain {
            return self.protect(&path);
        }
        // A jail cannot protect a name behind a link, so the link is put back, and the place is
        // protected that the name stands for.
        let way = LinkWay::of(&path);
        way.links.iter().for_each(|link| self.record.hold_link(link));
        if let Some(end) = way.end.filter(|end| self.is_inside(end)) {
            self.protect(&end);
        }
    }

    fn standing(&self, path: &Path, root: &Path) -> EntryAccess {
        if self.rules.is_empty() {
            return EntryAccess::Free;
        }
        // A walk meets a denied folder, not its content. A root may be inside such a folder.
        let last = path.file_name().and_then(|name| name.to_str()).filter(|_| path != root);
        let rules = self.rules.about(last);
        if rules.is_empty() && is_short(path) && last.is_some_and(is_plain) {
            return EntryAccess::Free;
        }
        // Inside the workspace both names of a file count.
        let inside = path.strip_prefix(self.workspace).ok().and_then(Path::to_str);
        let names = [path.to_str(), inside].into_iter().flatten();
        let names: Vec<FilePath> = names.filter_map(|name| name.parse().ok()).collect();
        // An entry whose name no rule can express is hidden.
        if names.is_empty() && path != self.workspace {
            return EntryAccess::Hidden;
        }
        // A rule that applies anywhere in the workspace also applies in a granted folder elsewhere.
        let elsewhere = path.strip_prefix(root).ok().filter(|_| inside.is_none()).and_then(Path::to_str);
        let elsewhere: Option<FilePath> = elsewhere.and_then(|name| name.parse().ok());
        let hit = |request: fn(FilePath) -> AccessRequest| {
            let hits = |rule: &Denial, name: &FilePath| {
                rule.hits(&request(name.clone())) && !DenyRules::is_example(rule, name)
            };
            let is_anywhere = |rule: &Denial| rule.to_string().contains(":**/");
            rules.iter().any(|rule| {
                names.iter().any(|name| hits(rule, name))
                    || elsewhere.as_ref().is_some_and(|name| is_anywhere(rule) && hits(rule, name))
            })
        };
        let is_open = || self.open.iter().any(|open| open == path);
        if hit(AccessRequest::Read) && !is_open() {
            EntryAccess::Hidden
        } else if hit(AccessRequest::Write) {
            EntryAccess::Fixed
        } else {
            EntryAccess::Free
        }
    }

    fn hide(&mut self, path: &Path) {
        self.hidden.push(path.to_owned());
    }

    fn protect(&mut self, path: &Path) {
        // If the path is missing now, a file that appears there counts as new, in case the jail
        // does not remove it.
        if path.symlink_metadata().is_ok() {
            self.record.hold(path);
        }
        self.record.guard(path);
        self.change(|jail| jail.protect(path));
    }

    fn change(&mut self, change: impl FnOnce(Jail) -> Jail) {
        self.jail = change(std::mem::take(&mut self.jail));
    }
}

/// The hidden paths, at most `most` of them if possible: folders at the top of a root stand for
/// all of their content.
fn fewer(hidden: Vec<PathBuf>, roots: &[PathBuf], most: usize) -> BTreeSet<PathBuf> {
    let mut left = hidden.len();
    if left <= most {
        return hidden.into_iter().collect();
    }
    let top = |path: &PathBuf| {
        let root = roots.iter().find(|root| path.starts_with(root))?;
        let first = path.strip_prefix(root).ok()?.iter().next()?;
        Some(root.join(first)).filter(|top| top != path)
    };
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for folder in hidden.iter().filter_map(top) {
        *counts.entry(folder).or_default() += 1;
    }
    let mut counts: Vec<(PathBuf, usize)> = counts.into_iter().collect();
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let mut whole = BTreeSet::new();
    for (folder, count) in counts {
        if left <= most {
            break;
        }
        left -= count - 1;
        whole.insert(folder);
    }
    let is_within = |path: &PathBuf| top(path).is_some_and(|folder| whole.contains(&folder));
    let single: Vec<PathBuf> = hidden.into_iter().filter(|path| !is_within(path)).collect();
    whole.into_iter().chain(single).collect()
}

/// The access that a command has to an entry.
enum EntryAccess {
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

/// Settings by which version control other than git runs programs, including those that do not
/// exist yet. `name` is the name of the folder or of a link to it.
fn obeyed_in(name: &Path, folder: &Path) -> Vec<PathBuf> {
    let names: &[&str] = match name.file_name().and_then(|name| name.to_str()) {
        Some(".hg") => &["hgrc", "hgrc-not-shared", "sharedpath"],
        Some(".sl") => &["config"],
        // Sapling in a repository of git.
        Some("sl") if name.parent().is_some_and(is_called_git) => &["config"],
        Some(".jj") => &["workspace-config.toml"],
        Some("repo") if name.parent().and_then(Path::file_name).is_some_and(|name| name == ".jj") => {
            &["config.toml"]
        }
        Some(_) | None => &[],
    };
    names.iter().map(|name| folder.join(name)).collect()
}

/// Whether no part of a path is a link. A part that does not exist is not a link.
fn leads_through_no_link(path: &Path) -> bool {
    path.ancestors().all(|part| !part.is_symlink())
}

/// The paths that the grants open; if nothing is denied, only the writable ones.
fn roots(workspace: &Path, grants: &GrantSet, denials: &DenialSet) -> Vec<PathBuf> {
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

/// The folders that grants open for programs alone.
fn started(workspace: &Path, grants: &GrantSet, roots: &[PathBuf]) -> Vec<PathBuf> {
    let started = grants.iter().filter_map(|grant| match grant {
        Grant::Exec(ProgramPattern::Path(pattern)) => Some(root_of(workspace, pattern)),
        _ => None,
    });
    let is_apart = |folder: &PathBuf| !roots.iter().any(|root| folder.starts_with(root));
    outermost(started.filter(is_apart).collect())
}

/// The places that the grants open for writing.
fn written(workspace: &Path, grants: &GrantSet) -> Vec<PathBuf> {
    let written = grants.iter().filter_map(|grant| match grant {
        Grant::Write(pattern) => Some(root_of(workspace, pattern)),
        _ => None,
    });
    outermost(written.collect())
}

pub(super) fn root_of(workspace: &Path, pattern: &PathPattern) -> PathBuf {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Whether the jail of a command that may write everything names a path in any way but as its root.
    fn holder(work: &Path) -> impl Fn(&str) -> bool {
        let grants = GrantSet::parse(["read:**", "write:**"]).unwrap();
        let (jail, record) = hold(Jail::new(), work, &grants, &DenyRules::of_commands());
        record.dismiss();
        let (text, work) = (format!("{jail:?}"), work.to_owned());
        move |name| text.contains(&format!("{:?}", work.join(name)))
    }

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap();
        (folder, work)
    }

    #[test]
    fn a_link_named_like_a_secret_hides_itself_and_no_folder() {
        let (_folder, work) = workspace();
        fs::create_dir_all(work.join("config/.ssh")).unwrap();
        fs::write(work.join("settings"), "").unwrap();
        symlink("config", work.join(".aws")).unwrap();
        symlink("settings", work.join(".env")).unwrap();
        let holds = holder(&work);
        assert!(holds(".aws") && holds(".env") && holds("settings"));
        assert!(!holds("config"), "it has a name of its own");
        assert!(holds("config/.ssh"), "this is a secret by its own name");
    }

    #[test]
    fn secrets_beneath_a_folder_that_is_opened_for_programs_are_hidden() {
        let (_folder, base) = workspace();
        let work = base.join("work");
        for name in ["work", "tools/bin", "tools/lib/.ssh"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        for name in ["tools/.env", "tools/bin/run", "tools/lib/.env.example"] {
            fs::write(base.join(name), "").unwrap();
        }
        let exec = format!("exec:{}/**", base.join("tools").display());
        let grants = GrantSet::parse(["read:**", "write:**", &exec]).unwrap();
        let (jail, record) = hold(Jail::new(), &work, &grants, &DenyRules::of_commands());
        record.dismiss();
        let text = format!("{jail:?}");
        let holds = |name: &str| text.contains(&format!("{:?}", base.join(name)));
        assert!(holds("tools/.env") && holds("tools/lib/.ssh"), "{text}");
        assert!(!holds("tools/bin/run") && !holds("tools/lib/.env.example"), "{text}");
    }

    #[test]
    fn a_grant_for_a_home_does_not_open_what_a_login_obeys_also_where_it_is_missing() {
        let (_folder, base) = workspace();
        let (work, home) = (base.join("work"), base.join("home"));
        for folder in [&work, &home.join(".config/systemd")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(home.join(".profile"), "").unwrap();
        let held = |grants: &[String]| {
            let grants = GrantSet::parse(grants.iter().map(String::as_str)).unwrap();
            let denials = DenyRules::usual().naming(&grants).for_commands();
            let (jail, record) = hold(Jail::new(), &work, &grants, &denials);
            record.dismiss();
            format!("{jail:?}")
        };
        let whole = ["read", "write"].map(|kind| format!("{kind}:{}/**", home.display()));
        let text = held(&whole);
        let names = [
            ".bashrc",
            ".profile",
            ".zshrc",
            ".gitconfig",
            ".ssh",
            ".config/fish",
            ".config/autostart",
            ".config/systemd",
            ".config/holm",
            ".config/environment.d",
            ".xprofile",
            ".local/bin",
        ];
        for name in names {
            assert!(text.contains(&format!("{:?}", home.join(name))), "{name}: {text}");
        }
        assert!(!text.contains(&format!("{:?}", home.join("notes"))));
        for name in [".bashrc", ".xprofile", ".emacs"] {
            assert!(!text.contains(&format!("{:?}", work.join(name))), "{name}: a project is no home");
        }
        let named = format!("write:{}/.config/autostart/**", home.display());
        let text = held(&[&whole[..], &[named]].concat());
        assert!(!text.contains(&format!("{:?}", home.join(".config/autostart"))), "{text}");
        assert!(text.contains(&format!("{:?}", home.join(".config/systemd"))), "{text}");
    }

    #[test]
    fn settings_of_other_version_control_are_held_behind_a_link() {
        let (_folder, work) = workspace();
        for (link, folder) in [(".hg", "store/hg"), (".sl", "store/sl"), (".jj", "store/jj")] {
            fs::create_dir_all(work.join(folder).join("repo")).unwrap();
            symlink(work.join(folder), work.join(link)).unwrap();
        }
        let holds = holder(&work);
        for name in ["hg/hgrc", "sl/config", "jj/workspace-config.toml", "jj/repo/config.toml"] {
            assert!(holds(&format!("store/{name}")), "{name}");
        }
        assert!(!holds("store/hg/config"));
    }

    #[test]
    fn a_link_that_a_command_makes_for_other_version_control_is_disabled() {
        let (_folder, work) = workspace();
        fs::create_dir(work.join("evil")).unwrap();
        fs::write(work.join("evil/hgrc"), "[hooks]").unwrap();
        fs::create_dir(work.join("mine")).unwrap();
        symlink("mine", work.join(".sl")).unwrap();
        let grants = GrantSet::parse(["read:**", "write:**"]).unwrap();
        let record = hold(Jail::new(), &work, &grants, &DenyRules::of_commands()).1;
        symlink("evil", work.join(".hg")).unwrap();
        let lines = record.settle();
        assert!(!work.join(".hg").is_symlink() && work.join(".hg.disabled").is_symlink(), "{lines:?}");
        assert!(work.join(".sl").is_symlink(), "it was the user's: {lines:?}");
    }

    #[test]
    fn of_too_many_hidden_files_whole_folders_are_hidden_and_nothing_is_left_out() {
        let roots = [PathBuf::from("/w")];
        let many = |folder: &str, count: usize| {
            (0..count).map(|number| PathBuf::from(format!("/w/{folder}/d{number}/.env"))).collect::<Vec<_>>()
        };
        let few = || [many("a", 3), many("b", 40), many("c", 5), vec!["/w/.env".into()]].concat();
        assert_eq!(fewer(few(), &roots, 49).len(), 49);
        let hidden = fewer(few(), &roots, 12);
        let expect: BTreeSet<PathBuf> =
            [many("a", 3), vec!["/w/b".into()], many("c", 5), vec!["/w/.env".into()]]
                .concat()
                .into_iter()
                .collect();
        assert_eq!(hidden, expect);
        let covered = |path: &PathBuf| path.ancestors().any(|place| hidden.contains(place));
        assert!(few().iter().all(covered));
        assert_eq!(fewer(few(), &roots, 1).len(), 4, "no fewer are possible");
    }

    #[test]
    fn every_repository_is_read_however_many_there_are() {
        const REPOSITORIES: usize = 300;
        let (_folder, work) = workspace();
        for number in 0..REPOSITORIES {
            let git = work.join(format!("r{number}/.git"));
            fs::create_dir_all(&git).unwrap();
            fs::write(git.join("config"), "[core]\n\thooksPath = own-hooks\n").unwrap();
        }
        let holds = holder(&work);
        for number in 0..REPOSITORIES {
            assert!(holds(&format!("r{number}/own-hooks")), "{number}");
        }
    }

    #[test]
    fn git_holds_what_it_runs_and_not_what_a_command_only_reads() {
        let (_folder, work) = workspace();
        fs::create_dir_all(work.join(".git/hooks")).unwrap();
        fs::create_dir(work.join("tools")).unwrap();
        for name in ["tools/run.sh", "tools/filter.py", "tools/lint", "tools/data.json", "README.md", "notes"]
        {
            fs::write(work.join(name), "").unwrap();
        }
        let config = "[alias]\n\tshow = !cat README.md tools/data.json\n\tgo = !sh tools/run.sh notes\n\
                      [filter \"x\"]\n\tclean = python3 tools/filter.py tools/data.json\n\
                      [commit]\n\ttemplate = tools/data.json\n";
        fs::write(work.join(".git/config"), config).unwrap();
        let hook = "#!/bin/sh\ncat README.md\n\"$(git rev-parse --show-toplevel)/tools/lint\" notes\n";
        fs::write(work.join(".git/hooks/pre-commit"), hook).unwrap();
        let holds = holder(&work);
        for name in ["tools/run.sh", "tools/filter.py", "tools/lint"] {
            assert!(holds(name), "{name}");
        }
        for name in ["README.md", "tools/data.json", "notes"] {
            assert!(!holds(name), "{name}");
        }
    }
}
