//! Finds what a command has made or changed that the user's everyday tools would run: repositories,
//! and files of the table in [`autorun`](crate::root::autorun).
//!
//! Before a command, the walk that prepares its jail records a stamp of each folder here. After the
//! command, only folders with a different stamp are read again. So the cost grows with the number
//! of folders and of changes, not with the number of files.
//!
//! It does not disable anything itself (`new_repository.rs`), and does not know the inside of git
//! folders (`git_folder_record.rs`). What must be kept read-only while a command runs is found in
//! `denied_paths.rs`. A record that is dropped without [`settle`](WorkspaceRecord::settle) still
//! checks, so that an abandoned call leaves nothing armed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use holm_jail::{JailError, StartStage};
use holm_kernel::visible_line;
use holm_runtime::CancellationToken;

use super::command_record_file::{RecordWriter, StoredCommandRecord};
use super::entry_stamp::{EntryStamp, LinkState};
use super::git_folder_record::{GitFolderRecord, all_in};
use super::git_history_record::{CommandEnd, GitHistoryRecord};
use super::git_watch::GitWatch;
use super::guarded_paths::CommandGuards;
use super::held_links::{HeldLinkState, HeldLinks};
use super::new_repository::{DisarmedRepository, NewRepositories, beneath, disable_file};
use super::running_commands::{RunningCommand, RunningCommandGuard};
use crate::root::autorun::{self, AutorunFile};
use crate::root::git::is_named_git;

/// The most folders that are read after one command. Files are not counted: a command that makes
/// many must not end the search before it reaches a repository.
const MAX_NEW_FOLDERS: usize = 300_000;
/// Lines of one kind in a result; the rest is counted.
const MAX_LINES: usize = 8;
/// A folder that changed so shortly before the walk may change again without a new time stamp. Some
/// file systems count in steps of two seconds.
const COARSEST_CLOCK_SECONDS: i64 = 2;

/// The state beneath the writable roots when a command began. If it is dropped before
/// [`settle`](Self::settle) or [`dismiss`](Self::dismiss), it checks for changes
/// itself and reports nothing.
#[derive(Debug)]
pub struct WorkspaceRecord {
    workspace: PathBuf,
    roots: Vec<PathBuf>,
    folders: HashMap<PathBuf, EntryStamp>,
    /// Files of the table that a command may change.
    watched: BTreeMap<PathBuf, EntryStamp>,
    /// Links called `.git`, or as other version control calls its folder, that were there, and
    /// where they led to.
    links: BTreeMap<PathBuf, LinkState>,
    /// The inside of git folders.
    git: GitFolderRecord,
    /// Folders of the table, and their content.
    listed: HashSet<PathBuf>,
    /// Entries that existed and are protected, and the repositories that existed.
    known: HashSet<PathBuf>,
    /// Entries that the command cannot write.
    held: HashSet<PathBuf>,
    /// Existing repositories that a command may have made that was running then.
    /// They are checked again.
    unsettled: HashSet<PathBuf>,
    /// Git folders that the command may write.
    written: BTreeSet<PathBuf>,
    /// Paths that the command cannot write, and that git must not write for it.
    guards: CommandGuards,
    /// What the repositories held.
    history: GitHistoryRecord,
    /// Links on the way to protected paths.
    held_links: HeldLinks,
    /// Looks at the repositories and the links while the command runs.
    watch: Option<GitWatch>,
    /// Patterns with a star of protected files at the top of the workspace. A jail cannot watch for
    /// them, so new ones are disabled.
    protected_patterns: Vec<&'static str>,
    /// Tells commands that start meanwhile that this one runs.
    mark: Option<RunningCommandGuard>,
    began: i64,
    is_done: bool,
}

impl WorkspaceRecord {
    pub(super) fn new(workspace: &Path, roots: &[PathBuf]) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            workspace: workspace.to_owned(),
            roots: roots.to_vec(),
            folders: HashMap::new(),
            watched: BTreeMap::new(),
            links: BTreeMap::new(),
            git: GitFolderRecord::default(),
            listed: HashSet::new(),
            known: HashSet::new(),
            held: HashSet::new(),
            unsettled: HashSet::new(),
            written: BTreeSet::new(),
            guards: CommandGuards::default(),
            history: GitHistoryRecord::default(),
            held_links: HeldLinks::default(),
            watch: None,
            protected_patterns: Vec::new(),
            mark: None,
            began: i64::try_from(now.as_secs()).unwrap_or(i64::MAX),
            is_done: false,
        }
    }

    /// Remembers a folder that a command may change.
    pub(super) fn enter(&mut self, folder: &Path) {
        if !self.is_writable(folder) {
            return;
        }
        if let Ok(found) = folder.symlink_metadata() {
            self.folders.insert(folder.to_owned(), EntryStamp::of(&found));
        }
        self.git.enter(folder);
        if self.row(folder).is_some() {
            self.listed.insert(folder.to_owned());
        }
    }

    /// Remembers a file or a link, if the table lists it or git would follow it.
    pub(super) fn watch(&mut self, path: &Path) {
        if (is_called_git(path) || is_of_other_control(path))
            && self.is_writable(path)
            && let Some(state) = LinkState::of(path)
        {
            self.links.insert(path.to_owned(), state);
        }
        self.git.watch(path);
        if self.row(path).is_some()
            && let Ok(found) = path.symlink_metadata()
        {
            self.watched.insert(path.to_owned(), EntryStamp::of(&found));
        }
    }

    pub(super) fn know(&mut self, path: &Path) {
        self.known.insert(path.to_owned());
    }

    /// Remembers a git folder.
    pub(super) fn know_repository(&mut self, git: &Path) {
        self.know(git);
        if self.is_writable(git) {
            self.git.know(git);
        }
    }

    /// Remembers that the command may write a git folder.
    pub(super) fn open_repository(&mut self, git: &Path) {
        if self.is_writable(git) {
            self.written.insert(git.to_owned());
        }
    }

    /// Remembers a path that the command cannot write, also a missing one.
    pub(super) fn guard(&mut self, path: &Path) {
        self.guards.paths.insert(path.to_owned());
    }

    /// Remembers a pattern of protected files that no grant opens.
    pub(super) fn guard_pattern(&mut self, pattern: &'static str) {
        self.guards.patterns.insert(pattern);
    }

    /// Remembers an existing entry that the command cannot write.
    pub(super) fn hold(&mut self, path: &Path) {
        self.know(path);
        self.held.insert(path.to_owned());
    }

    /// Remembers a link on the way to a protected path.
    pub(super) fn hold_link(&mut self, link: &Path) {
        if self.is_writable(link) {
            self.held_links.add(link);
        }
    }

    /// Remembers that a command may not create files at the top that fit this pattern of the table.
    pub(super) fn protect_pattern(&mut self, pattern: &'static str) {
        self.protected_patterns.push(pattern);
    }

    /// Ends the walk before a command. What other commands may have made that still run is not
    /// known. While it runs, some things are looked at with this pause in between.
    pub(super) fn begin(&mut self, pause: Duration) {
        let others = self.folders.keys().filter(|folder| is_of_other_control(folder));
        let pointers = self.known.iter().filter(|path| is_called_git(path) || !self.held.contains(*path));
        let known = others.chain(pointers).chain(self.links.keys()).cloned().collect();
        let (workspace, roots, held) = (self.workspace.clone(), self.roots.clone(), self.held.clone());
        let command = RunningCommand { workspace, roots, known, held };
        let (mark, unsettled) = RunningCommandGuard::begin(command);
        self.known.retain(|path| !unsettled.contains(path));
        self.links.retain(|path, _| !unsettled.contains(path));
        self.unsettled = unsettled;
        self.mark = Some(mark);
        self.history = GitHistoryRecord::begin(&self.written, &self.guards, &self.roots);
        if !self.written.is_empty() || !self.held_links.is_empty() {
            self.mark.iter().for_each(|mark| mark.keep(|| self.stored()));
        }
        let watched = (&self.written, &self.held_links);
        self.watch = GitWatch::begin(watched, &self.known, &self.roots, pause);
    }

    /// What the check needs if the process is killed.
    fn stored(&self) -> Vec<u8> {
        RecordWriter::write(self.began, (&self.guards, &self.written), &self.held_links, &self.history)
    }

    /// Ends the command by this token if it brings back what version control
    /// would run, again and again.
    pub(crate) fn end_by(&self, stop: CancellationToken) {
        if let Some(watch) = &self.watch {
            watch.end_by(stop);
        }
    }

    /// Checks what has changed, disables what git would run in new repositories, and reports it in
    /// lines for the user and the model. Blocks.
    #[must_use]
    pub fn settle(mut self) -> Vec<String> {
        self.look()
    }

    /// Whether the command can write in the workspace.
    pub(crate) fn can_write_in_workspace(&self) -> bool {
        self.roots.iter().any(|root| root.starts_with(&self.workspace) || self.workspace.starts_with(root))
    }

    /// Nothing has run, so nothing has changed.
    pub fn dismiss(mut self) {
        self.is_done = true;
    }

    /// Ends the record after a start that failed. Nothing has run then, unless the message about
    /// the start was lost.
    ///
    /// Dropping the record would read folders on a thread that must not block.
    pub async fn end_unstarted(self, error: &JailError) {
        match error {
            JailError::Start { stage, .. } if *stage != StartStage::Order => self.dismiss(),
            _ => drop(tokio::task::spawn_blocking(move || self.settle()).await),
        }
    }

    /// Checks what a command left whose process was killed, like after a command. The stamps of its
    /// folders are lost, so all folders are read, and what changed since it began counts as its own.
    /// New files of the table are not reported: which ones are new is lost too.
    pub(super) fn settle_killed(
        command: &RunningCommand,
        before: Option<StoredCommandRecord>,
    ) -> Vec<String> {
        let mut record = Self::new(&command.workspace, &command.roots);
        record.is_done = true;
        record.known.clone_from(&command.known);
        let before = before.unwrap_or_default();
        let links = before.links.restore(&record.roots);
        let mut lines = record.tell_links(&links);
        let mut found = WorkspaceChanges::default();
        record.read_all(&command.roots, MAX_NEW_FOLDERS, &mut found);
        found.unsettle(command);
        let recently = before.began - COARSEST_CLOCK_SECONDS;
        let is_recent = |path: &PathBuf| {
            path.symlink_metadata().is_ok_and(|now| EntryStamp::of(&now).changed_second() >= recently)
        };
        for git in &before.written {
            let mut paths = all_in(&record.roots, git).unwrap_or_default();
            paths.retain(is_recent);
            found.repositories.changes.insert(git.clone(), paths);
        }
        (record.guards, record.history, record.began) = (before.guards, before.history, before.began);
        lines.extend(record.tell(&mut found));
        lines
    }

    fn look(&mut self) -> Vec<String> {
        self.is_done = true;
        let watched = self.watch.take().map(GitWatch::settle).unwrap_or_default();
        // The links come first: other checks follow them.
        let mut links = self.held_links.restore(&self.roots);
        let is_back = |path: &PathBuf| !matches!(links.get(path), Some(HeldLinkState::Replaced { .. }));
        let restored: Vec<_> = watched.restored.into_iter().filter(|(path, _)| is_back(path)).collect();
        links.extend(restored);
        let mut found = self.find();
        found.files.retain(|path, _| !links.contains_key(path));
        let mut lines = self.tell_links(&links);
        lines.extend(self.disable_protected(&mut found));
        if watched.has_ended {
            lines.push("stopped: it brought back again and again what other programs would run".into());
        }
        lines.extend(self.tell_disarmed(&watched.disarmed));
        lines.extend(self.tell(&mut found));
        // The present state is checked now, also for commands that start from here on.
        drop(self.mark.take());
        lines
    }

    /// Finds the changes of the command, and modifies nothing.
    fn find(&self) -> WorkspaceChanges {
        let mut found = WorkspaceChanges::default();
        found.repositories.changes = self.git.changed(self.began - COARSEST_CLOCK_SECONDS);
        let changed = self.folders.iter().filter(|(path, stamp)| self.has_changed(path, stamp));
        let changed: Vec<PathBuf> = changed.map(|(path, _)| path.clone()).collect();
        self.read_all(&changed, MAX_NEW_FOLDERS, &mut found);
        for (path, stamp) in &self.watched {
            let now = path.symlink_metadata().ok();
            if now.is_some_and(|now| EntryStamp::of(&now) != *stamp) {
                found.files.insert(path.clone(), FileChangeState::Changed);
            }
        }
        self.unsettled.iter().for_each(|path| found.meet_unsettled(path));
        // The user's own links stay as long as they lead where they did. One that is a folder
        // now was met above.
        for (path, state) in &self.links {
            let is_folder = path.symlink_metadata().is_ok_and(|now| now.is_dir());
            if !is_folder && LinkState::of(path).as_ref() != Some(state) {
                found.repositories.pointers.insert(path.clone());
            }
        }
        found
    }

    /// Reads these folders and the new ones in them. The given ones come first, then git folders,
    /// then the others by their depth: a command that makes very many folders must not keep Holm
    /// from reading those that a user meets first.
    fn read_all(&self, given: &[PathBuf], most_new: usize, found: &mut WorkspaceChanges) {
        let rank = |folder: PathBuf| {
            let is_other = !is_called_git(&folder) && !is_of_other_control(&folder);
            Reverse((is_other, folder.components().count(), folder))
        };
        let mut open = BinaryHeap::new();
        // The walk before the command bounds their number.
        for folder in given {
            open.extend(self.read_again(folder, found).into_iter().map(rank));
        }
        let most = found.read.saturating_add(most_new);
        while let Some(Reverse((_, _, folder))) = open.pop() {
            if found.read >= most {
                found.is_cut = true;
                break;
            }
            open.extend(self.read_again(&folder, found).into_iter().map(rank));
        }
    }

    fn has_changed(&self, folder: &Path, stamp: &EntryStamp) -> bool {
        let Ok(now) = folder.symlink_metadata() else { return false };
        let is_recent = stamp.changed_second() + COARSEST_CLOCK_SECONDS >= self.began;
        now.is_dir() && (is_recent || EntryStamp::of(&now) != *stamp)
    }

    /// Reads a folder that is new or has changed, and says which new folders are in it.
    fn read_again(&self, folder: &Path, found: &mut WorkspaceChanges) -> Vec<PathBuf> {
        let entries = self.entries(folder).unwrap_or_else(|| {
            found.unread.insert(folder.to_owned());
            Vec::new()
        });
        found.read += 1;
        if is_repository(folder, &entries) && !self.known.contains(folder) {
            found.repositories.folders.insert(folder.to_owned());
        }
        let mut new = Vec::new();
        let git = self.git.around(folder);
        for (path, kind) in entries {
            if let Some(git) = git.filter(|git| self.git.is_new(git, &path, kind)) {
                found.repositories.changes.entry(git.to_owned()).or_default().insert(path.clone());
            }
            if self.known.contains(&path) || self.watched.contains_key(&path) {
                continue;
            }
            if kind.is_dir() {
                if !self.folders.contains_key(&path) {
                    found.meet_folder(&path, self.row(&path));
                    new.push(path);
                }
            } else if is_called_git(&path) || (kind.is_symlink() && is_of_other_control(&path)) {
                if !self.links.contains_key(&path) {
                    found.repositories.pointers.insert(path);
                }
            } else if self.row(&path).is_some() && !found.is_within_listed(&path) {
                found.files.insert(path, FileChangeState::New);
            }
        }
        new
    }

    /// The entries of a folder, also of one that a command made unreadable: git opens files there
    /// that cannot be listed.
    fn entries(&self, folder: &Path) -> Option<Vec<(PathBuf, FileType)>> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(Vec::new()),
            Err(_) => {
                beneath(&self.roots, folder)?;
                fs::read_dir(folder).ok()?
            }
        };
        Some(entries.flatten().filter_map(|entry| Some((entry.path(), entry.file_type().ok()?))).collect())
    }

    /// The row of the table about a path, with as little work as most paths deserve.
    fn row(&self, path: &Path) -> Option<AutorunFile> {
        let name = path.file_name()?.to_str()?;
        let is_in_listed = path.parent().is_some_and(|parent| self.listed.contains(parent));
        if is_set_aside(name) || (!is_in_listed && !autorun::may_list(name)) {
            return None;
        }
        autorun::find(path.strip_prefix(&self.workspace).unwrap_or(path).to_str()?)
    }

    pub(super) fn is_writable(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Reports the links on the way to protected paths that were replaced or removed.
    fn tell_links(&self, links: &BTreeMap<PathBuf, HeldLinkState>) -> Vec<String> {
        limited(links.iter().map(|(path, state)| {
            let place = self.shown(path);
            match state {
                HeldLinkState::Gone => format!("{place}: this link to a protected path is gone"),
                HeldLinkState::Replaced { fate, is_back: true } => format!(
                    "{place} leads to a protected path: commands cannot replace this link. Holm put it back; \
                     as for the replacement, {fate}"
                ),
                HeldLinkState::Replaced { fate, is_back: false } => {
                    format!("{place} is on the way to a protected path: commands cannot replace it; {fate}")
                }
            }
        }))
    }

    /// Disables new files at the top that only a pattern protects, and reports them.
    fn disable_protected(&self, found: &mut WorkspaceChanges) -> Vec<String> {
        let is_top = |folder: &Path| {
            let is_elsewhere = || !folder.starts_with(&self.workspace);
            folder == self.workspace || (self.roots.iter().any(|root| root == folder) && is_elsewhere())
        };
        let row = |path: &Path| {
            let name = path.file_name()?.to_str().filter(|_| path.parent().is_some_and(is_top))?;
            autorun::find_all(name).into_iter().find(|row| self.protected_patterns.contains(&row.pattern))
        };
        let is_disabled =
            |path: &Path, state: FileChangeState| state == FileChangeState::New && row(path).is_some();
        let new = found.files.extract_if(.., |path, state| is_disabled(path, *state));
        let new: Vec<PathBuf> = new.map(|(path, _)| path).collect();
        limited(new.iter().map(|path| {
            let runner = row(path).map_or("", |row| row.runner);
            let fate = disable_file(&self.roots, path);
            format!("{} is protected ({runner}): commands cannot create it; {fate}", self.shown(path))
        }))
    }

    /// Disables what git would run in repositories, and reports the findings.
    fn tell(&self, found: &mut WorkspaceChanges) -> Vec<String> {
        let looked_at = found.repositories.disarm(&self.roots, &self.known, &self.git);
        let shown = |path: &Path| self.shown(path);
        let recently = self.began - COARSEST_CLOCK_SECONDS;
        let end = CommandEnd { guards: &self.guards, roots: &self.roots, recently, shown: &shown };
        let mut lines = self.history.settle(&end, &found.repositories.places());
        // What was disabled above is not there any more.
        found.files.retain(|path, _| path.symlink_metadata().is_ok());
        lines.extend(self.tell_disarmed(&looked_at));
        // Changes by another command are reported by that command.
        let is_own = |path: &Path| !self.unsettled.contains(path);
        let plain =
            looked_at.iter().filter(|repository| repository.findings.is_empty() && is_own(&repository.path));
        lines
            .extend(limited(plain.map(|repository| format!("new repository: {}", shown(&repository.place)))));
        lines.extend(limited(found.files.iter().filter_map(|(path, state)| {
            let row = self.row(path)?;
            Some(format!("{}: {} ({})", state.in_words(), shown(path), row.runner))
        })));
        lines.extend(limited(found.unread.iter().map(|folder| {
            format!("{}: Holm cannot read this folder; do not call git there", shown(folder))
        })));
        if found.is_cut {
            lines.push(format!(
                "more than {MAX_NEW_FOLDERS} new folders: Holm did not check all of them; look for git \
                repositories in them before you call git there"
            ));
        }
        lines
    }

    /// Reports what was disabled in repositories.
    fn tell_disarmed(&self, looked_at: &[DisarmedRepository]) -> Vec<String> {
        let shown = |path: &Path| self.shown(path);
        let mut lines = Vec::new();
        let armed = looked_at.iter().filter(|repository| !repository.findings.armed.is_empty());
        lines.extend(limited(armed.map(|repository| {
            format!(
                "{}: what version control would run there could NOT be disabled; do not call git there: {}",
                shown(&repository.place),
                visible_line(&repository.findings.armed.join(", "))
            )
        })));
        let disabled = looked_at.iter().filter(|repository| !repository.findings.disabled.is_empty());
        lines.extend(limited(disabled.map(|repository| {
            format!(
                "{}: Holm disabled what version control would run there: {}; the originals are beside it, with \
                 .disabled in their names",
                shown(&repository.place),
                visible_line(&repository.findings.disabled.join(", "))
            )
        })));
        let linked = looked_at.iter().filter(|repository| !repository.findings.links.is_empty());
        lines.extend(limited(linked.map(|repository| {
            format!(
                "{}: Holm removed links inside the git folder, because git would write where they lead: {}",
                shown(&repository.place),
                visible_line(&repository.findings.links.join(", "))
            )
        })));
        lines
    }

    /// A path for display: relative to the workspace if it is inside.
    fn shown(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.workspace).unwrap_or(path);
        let text = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
        visible_line(&text.to_string_lossy())
    }
}

/// A call that is abandoned while its command runs leaves nothing armed either.
impl Drop for WorkspaceRecord {
    fn drop(&mut self) {
        if !self.is_done {
            self.look();
        }
    }
}

/// The changes that a command has left.
#[derive(Debug, Default)]
struct WorkspaceChanges {
    repositories: NewRepositories,
    /// Files and folders of the table.
    files: BTreeMap<PathBuf, FileChangeState>,
    /// New folders of the table: their content is not reported entry by entry.
    listed: BTreeSet<PathBuf>,
    /// Folders that cannot be read.
    unread: BTreeSet<PathBuf>,
    /// How many folders were read.
    read: usize,
    is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileChangeState {
    New,
    Changed,
}

impl FileChangeState {
    fn in_words(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
        }
    }
}

impl WorkspaceChanges {
    fn meet_folder(&mut self, path: &Path, row: Option<AutorunFile>) {
        if is_of_other_control(path) {
            self.repositories.others.insert(path.to_owned());
        }
        if row.is_some_and(|row| row.pattern.ends_with('/')) && !self.is_within_listed(path) {
            self.listed.insert(path.to_owned());
            self.files.insert(path.to_owned(), FileChangeState::New);
        }
    }

    /// Adds a repository that another command may have made, if it still exists.
    fn meet_unsettled(&mut self, path: &Path) {
        let Ok(now) = path.symlink_metadata() else { return };
        let kind = if !now.is_dir() {
            &mut self.repositories.pointers
        } else if is_of_other_control(path) {
            &mut self.repositories.others
        } else {
            &mut self.repositories.folders
        };
        kind.insert(path.to_owned());
    }

    /// Leaves only repositories that a command may have made.
    fn unsettle(&mut self, command: &RunningCommand) {
        let Self { repositories, files, listed, unread, .. } = self;
        let kinds = [&mut repositories.folders, &mut repositories.pointers, &mut repositories.others];
        kinds.into_iter().for_each(|paths| paths.retain(|path| command.may_have_made(path)));
        files.clear();
        listed.clear();
        unread.clear();
    }

    fn is_within_listed(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|folder| self.listed.contains(folder))
    }
}

/// Whether git would take a folder for a git folder: by its name, or as a bare
/// repository, a submodule's or a worktree's. A partial one counts too, because the next
/// command could add the rest.
pub(super) fn is_repository(folder: &Path, entries: &[(PathBuf, FileType)]) -> bool {
    let has = |wanted: &str, fits: fn(FileType) -> bool| {
        entries.iter().any(|(entry, kind)| {
            let name = entry.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if name == wanted {
                return fits(*kind);
            }
            // On a file system that ignores case, git finds this by the name that it looks for.
            let found = || folder.join(wanted).symlink_metadata();
            name.eq_ignore_ascii_case(wanted) && found().is_ok_and(|found| fits(found.file_type()))
        })
    };
    let is_file = |kind: FileType| !kind.is_dir();
    let is_folder = |kind: FileType| kind.is_dir() || kind.is_symlink();
    is_called_git(folder)
        || (has("HEAD", is_file) && (has("objects", is_folder) || has("commondir", is_file)))
}

/// Whether a folder belongs to version control other than git.
pub(super) fn is_of_other_control(path: &Path) -> bool {
    matches!(path.file_name().and_then(OsStr::to_str), Some(".hg" | ".sl" | ".jj"))
}

pub(super) fn is_called_git(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(is_named_git)
}

/// The first lines, and how many there are beside them.
fn limited(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if more > 0 {
        lines.push(format!("{more} more of this kind"));
    }
    lines
}

/// Whether the jail has renamed an entry like this. No program knows such an ending, so the entry
/// needs no second name.
fn is_set_aside(name: &str) -> bool {
    let number = name.rsplit_once(".set-aside-").map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use holm_grants::GrantSet;
    use holm_jail::Jail;

    use super::super::denied_paths::hold;
    use super::*;
    use crate::root::DenyRules;

    /// A workspace with many folders, and the record of it.
    fn recorded(folders: usize) -> (tempfile::TempDir, PathBuf, WorkspaceRecord) {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap();
        for number in 0..folders {
            let inner = work.join(format!("f{number}"));
            fs::create_dir(&inner).unwrap();
            for file in 0..20 {
                fs::write(inner.join(format!("{file}.txt")), "").unwrap();
            }
        }
        let record = record_of(&work);
        (folder, work, record)
    }

    fn record_of(work: &Path) -> WorkspaceRecord {
        let grants = GrantSet::parse(["read:**", "write:**"]).unwrap();
        hold(Jail::new(), work, &grants, &DenyRules::of_commands()).1
    }

    #[test]
    fn only_folders_that_changed_are_read_again() {
        let (_folder, work, mut record) = recorded(50);
        // As if everything had existed for a long time.
        record.began += 10;
        assert_eq!(record.find().read, 0);
        fs::write(work.join("f7/new.txt"), "").unwrap();
        fs::create_dir_all(work.join("f7/deep/down")).unwrap();
        fs::write(work.join("f8/1.txt"), "longer").unwrap();
        assert_eq!(record.find().read, 1 + 2, "one folder, and those that are new in it; no files");
        record.dismiss();
    }

    #[test]
    fn a_call_that_is_given_up_leaves_no_repository_that_runs_something() {
        let (_folder, work, record) = recorded(1);
        fs::create_dir(work.join("f0/.git")).unwrap();
        fs::write(work.join("f0/.git/config"), "[core]\n\tfsmonitor = ./evil\n").unwrap();
        drop(record);
        assert_eq!(fs::read_to_string(work.join("f0/.git/config")).unwrap(), "");
        assert!(work.join("f0/.git/config.disabled").exists());
    }

    #[test]
    fn a_link_of_the_users_to_a_repository_stays_until_it_leads_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (work, library) = (base.join("work"), base.join("elsewhere/lib.git"));
        for part in [work.join("vendor/lib"), work.join("vendor/other"), library.clone()] {
            fs::create_dir_all(part).unwrap();
        }
        symlink(base.join("elsewhere"), work.join("way")).unwrap();
        symlink(&library, work.join("vendor/lib/.git")).unwrap();
        symlink(work.join("way/lib.git"), work.join("vendor/other/.git")).unwrap();
        let is_link = |name: &str| work.join(name).is_symlink();
        let lines = record_of(&work).settle();
        assert_eq!(lines, [""; 0]);
        assert!(is_link("vendor/lib/.git") && is_link("vendor/other/.git"));
        let record = record_of(&work);
        fs::create_dir_all(base.join("evil/lib.git")).unwrap();
        fs::remove_file(work.join("way")).unwrap();
        symlink(base.join("evil"), work.join("way")).unwrap();
        let lines = record.settle();
        assert!(is_link("vendor/lib/.git"), "{lines:?}");
        assert!(!is_link("vendor/other/.git") && is_link("vendor/other/.git.disabled"), "{lines:?}");
        let record = record_of(&work);
        fs::remove_file(work.join("vendor/lib/.git")).unwrap();
        symlink(base.join("evil/lib.git"), work.join("vendor/lib/.git")).unwrap();
        let lines = record.settle();
        assert!(!is_link("vendor/lib/.git"), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("vendor/lib: Holm disabled")), "{lines:?}");
    }

    #[test]
    fn a_folder_with_names_like_those_of_a_repository_is_none() {
        let (_folder, work, record) = recorded(0);
        for name in ["src/head", "src/objects", "src/hooks", "folders/HEAD", "folders/objects", "files"] {
            fs::create_dir_all(work.join(name)).unwrap();
        }
        for name in ["src/config", "src/hooks/pre-commit", "files/HEAD", "files/objects"] {
            fs::write(work.join(name), "mine").unwrap();
        }
        assert_eq!(record.find().repositories.folders, BTreeSet::new());
        fs::create_dir_all(work.join("bare/objects")).unwrap();
        fs::write(work.join("bare/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(record.find().repositories.folders, BTreeSet::from([work.join("bare")]));
        record.dismiss();
    }

    #[test]
    fn a_held_name_that_was_missing_is_told_where_the_jail_leaves_it() {
        let (_folder, work, record) = recorded(0);
        fs::create_dir(work.join(".vscode")).unwrap();
        let lines = record.settle();
        assert_eq!(lines, ["new: .vscode (editors obey it when they open the folder)"]);
    }

    #[tokio::test]
    async fn a_start_that_failed_is_looked_at_only_where_the_command_may_have_run() {
        for (stage, is_seen) in
            [(StartStage::Changed, false), (StartStage::Protect, false), (StartStage::Order, true)]
        {
            let (_folder, work, record) = recorded(1);
            fs::create_dir(work.join("f0/.git")).unwrap();
            fs::write(work.join("f0/.git/config"), "[core]\n\tfsmonitor = ./evil\n").unwrap();
            record.end_unstarted(&JailError::Start { stage, path: None, why: String::new() }).await;
            assert_eq!(work.join("f0/.git/config.disabled").exists(), is_seen, "{stage:?}");
        }
    }

    #[test]
    fn a_repository_of_a_command_that_still_runs_is_known_to_no_other() {
        let (_folder, work, first) = recorded(1);
        let arm = || fs::write(work.join("f0/.git/config"), "[core]\n\tfsmonitor = ./evil\n").unwrap();
        let is_armed = || fs::read_to_string(work.join("f0/.git/config")).unwrap().contains("evil");
        fs::create_dir_all(work.join("f0/.git")).unwrap();
        fs::create_dir_all(work.join("f0/.hg")).unwrap();
        arm();
        let second = record_of(&work);
        let lines = first.settle();
        assert!(!is_armed(), "{lines:?}");
        // The second jail protects what existed before the first command ended.
        arm();
        fs::write(work.join("f0/.hg/hgrc"), "[hooks]\npre-status = ./evil\n").unwrap();
        let lines = second.settle();
        assert!(!is_armed() && !work.join("f0/.hg/hgrc").exists(), "{lines:?}");
        arm();
        drop(record_of(&work).settle());
        assert!(is_armed(), "nothing runs any more that could have made it");
    }

    fn git(folder: &Path, script: &str) -> String {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]).current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("HOME", folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for (name, value) in [("NAME", "u"), ("EMAIL", "u@h")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn what_a_killed_command_recorded_or_replaced_is_undone_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap();
        let setup = "git init -q -b main . && mkdir -p ci/hooks && echo '#!/bin/sh' > ci/hooks/pre-commit && \
                     ln -s ci/hooks .githooks && git config core.hooksPath .githooks && git add -A && \
                     git -c core.hooksPath=/dev/null commit -q -m first";
        git(&work, setup);
        let grants = ["read:**", "write:**", "read:.git/**", "write:.git/**"];
        let grants = GrantSet::parse(grants).unwrap();
        let record = hold(Jail::new(), &work, &grants, &DenyRules::of_commands()).1;
        let stored = record.stored();
        let (workspace, roots) = (work.clone(), vec![work.clone()]);
        let (known, held) = (record.known.clone(), record.held.clone());
        let command = RunningCommand { workspace, roots, known, held };
        // As if the process had been killed: nothing is checked.
        record.dismiss();
        let attack = "B=$(echo 'touch ran' | git hash-object -w --stdin) && export GIT_INDEX_FILE=.git/other && \
                      git read-tree HEAD && git update-index --add --cacheinfo 100755,$B,ci/hooks/pre-commit && \
                      git branch feature $(git commit-tree -p HEAD -m evil $(git write-tree)) && \
                      git branch plain $(git commit-tree -p HEAD -m plain HEAD^{tree}) && unset GIT_INDEX_FILE && \
                      git update-index --add --cacheinfo 100755,$B,ci/hooks/post-commit && \
                      rm .githooks && mkdir .githooks && echo evil > .githooks/pre-commit";
        git(&work, attack);
        let lines = WorkspaceRecord::settle_killed(&command, StoredCommandRecord::read(&stored));
        let refs = git(&work, "git for-each-ref --format='%(refname) %(subject)'");
        assert!(!refs.contains("refs/heads/feature"), "{refs}{lines:?}");
        assert!(refs.contains("refs/heads/plain plain") && refs.contains("refs/heads/main first"), "{refs}");
        assert!(refs.contains("refs/holm/held/") && refs.contains("evil"), "no work is lost: {refs}");
        assert_eq!(git(&work, "git ls-files ci/hooks/post-commit"), "", "{lines:?}");
        assert!(work.join(".githooks").is_symlink(), "{lines:?}");
        for word in ["ci/hooks/pre-commit", "ci/hooks/post-commit was staged", ".githooks leads to"] {
            assert!(lines.iter().any(|line| line.contains(word)), "{word}: {lines:?}");
        }
        let again = WorkspaceRecord::settle_killed(&command, StoredCommandRecord::read(&stored));
        assert_eq!(again, [""; 0]);
    }

    #[test]
    fn a_new_file_that_only_a_pattern_protects_is_disabled_at_the_top_unless_a_grant_names_it() {
        let (_folder, work, record) = recorded(1);
        let aside = "lefthook-local.yml.set-aside-7";
        for name in ["x.code-workspace", "mise.test.toml", "f0/y.code-workspace", aside] {
            fs::write(work.join(name), "evil").unwrap();
        }
        let lines = record.settle();
        for name in ["x.code-workspace", "mise.test.toml"] {
            assert!(!work.join(name).exists(), "{lines:?}");
            assert!(work.join(format!("{name}.disabled")).exists(), "{lines:?}");
            assert!(lines.iter().any(|line| line.starts_with(&format!("{name} is protected"))), "{lines:?}");
        }
        assert!(work.join("f0/y.code-workspace").exists(), "{lines:?}");
        assert!(work.join("lefthook-local.yml.set-aside-7").exists(), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("new: f0/y.code-workspace")), "{lines:?}");
        let named = DenyRules::usual().naming(&GrantSet::parse(["write:z.code-workspace"]).unwrap());
        let grants = GrantSet::parse(["read:**", "write:**"]).unwrap();
        let record = hold(Jail::new(), &work, &grants, &named.for_commands()).1;
        fs::write(work.join("z.code-workspace"), "asked for").unwrap();
        let lines = record.settle();
        assert!(work.join("z.code-workspace").exists(), "{lines:?}");
    }

    #[test]
    fn a_repository_where_the_user_works_is_found_before_many_new_folders_elsewhere() {
        let (_folder, work, mut record) = recorded(2);
        record.began += 10;
        for number in 0..50 {
            fs::create_dir_all(work.join(format!("f0/!{number}/deep"))).unwrap();
            fs::create_dir_all(work.join(format!("f1/!{number}/deep"))).unwrap();
        }
        fs::create_dir_all(work.join("objects")).unwrap();
        fs::create_dir_all(work.join("f1/.git")).unwrap();
        fs::create_dir_all(work.join("new/objects")).unwrap();
        for name in ["HEAD", "new/HEAD"] {
            fs::write(work.join(name), "ref: refs/heads/main\n").unwrap();
        }
        let mut found = WorkspaceChanges::default();
        // The git folder, and the two new folders at the top.
        record.read_all(&[work.join("f0"), work.join("f1"), work.clone()], 3, &mut found);
        assert!(found.is_cut);
        let expect = BTreeSet::from([work.clone(), work.join("f1/.git"), work.join("new")]);
        assert_eq!(found.repositories.folders, expect);
        record.dismiss();
    }

    #[test]
    fn what_a_name_holds_is_written_out_and_many_lines_are_counted() {
        let (_folder, work, record) = recorded(0);
        for number in 0..20 {
            fs::create_dir_all(work.join(format!("r{number:02}\n[forged]/.git"))).unwrap();
        }
        let lines = record.settle();
        assert_eq!(lines.len(), MAX_LINES + 1, "{lines:?}");
        assert_eq!(lines.first().unwrap(), "new repository: r00\\u{a}[forged]");
        assert_eq!(lines.last().unwrap(), "12 more of this kind");
    }
}
