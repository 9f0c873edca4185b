//! Brings paths beneath one folder into their target states. These are the changes that an undo
//! makes to files.
//!
//! A file is replaced by a rename, so it is the old one or the new one at every instant. New files
//! are all written and synced before the first rename. Removals come last, so that nothing is
//! removed before its replacement is in place. Every step can be repeated, so an interrupted run is
//! simply run again.
//!
//! It decides nothing: the target states come from `plan.rs`, and `restore.rs` checks the paths,
//! writes the operation and calls this file. Paths are opened in `tree.rs`, without following
//! links, and contents are read from `content_store.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs::File,
    io,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
};

use rustix::{
    fs::{self, AtFlags, FileType, Mode, OFlags},
    io::Errno,
};

use crate::{
    PathState, TreePath, UndoArchive, UndoError, UndoOutcome,
    content_store::sync_all_of,
    path_state::{FILE_MODE, FOLDER_MODE},
    plan::largest,
    tree::{Stamp, Tree, stamp_at},
};

/// How many new files are synced one by one.
const SINGLE_SYNCS: usize = 64;
/// The mode bits that the owner needs to work in a folder.
const OWNER: u32 = 0o700;

/// A path and the state that it gets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal<'a> {
    pub(crate) path: &'a TreePath,
    pub(crate) target: &'a PathState,
    /// The stamp that it must still have; not known when an interrupted undo is completed.
    pub(crate) stamp: Option<Option<Stamp>>,
}

/// Brings all paths into their target states. The goals are sorted by path.
pub(crate) fn apply(
    store: &UndoArchive,
    id: u64,
    tree: &Tree,
    goals: &[Goal<'_>],
    hard_links: &[&[TreePath]],
    outcome: &mut UndoOutcome,
) -> Result<(), UndoError> {
    let mut run = ApplyRun { store, id, tree, goals, current: Vec::new(), opened: BTreeMap::new(), outcome };
    let result = run.all(hard_links);
    let restored = run.outcome.restored.len();
    result.map_err(|(path, error)| match error {
        UndoStepError::System(error) => UndoError::Stopped { restored, reason: format!("{path}: {error}") },
        UndoStepError::Changed => {
            UndoError::Stopped { restored, reason: format!("{path}: changed meanwhile") }
        }
        UndoStepError::Undo(error) => error,
    })
}

enum UndoStepError {
    System(io::Error),
    Changed,
    Undo(UndoError),
}

impl From<Errno> for UndoStepError {
    fn from(errno: Errno) -> Self {
        Self::System(errno.into())
    }
}

impl From<io::Error> for UndoStepError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<UndoError> for UndoStepError {
    fn from(error: UndoError) -> Self {
        Self::Undo(error)
    }
}

type Stepped<T> = Result<T, UndoStepError>;
type Phase = Result<(), (TreePath, UndoStepError)>;

struct ApplyRun<'a> {
    store: &'a UndoArchive,
    id: u64,
    tree: &'a Tree,
    goals: &'a [Goal<'a>],
    /// The state of each goal's path now.
    current: Vec<PathState>,
    /// Folders whose owner got write access for the time of the undo, and their earlier modes.
    opened: BTreeMap<TreePath, u32>,
    outcome: &'a mut UndoOutcome,
}

impl ApplyRun<'_> {
    /// Runs all phases in their order.
    fn all(&mut self, hard_links: &[&[TreePath]]) -> Phase {
        for goal in self.goals {
            let (state, _) =
                self.tree.look(goal.path, largest()).map_err(|error| with_path(goal.path, error))?;
            self.current.push(state);
        }
        self.open_folders()?;
        self.clear_places()?;
        self.make_folders()?;
        self.place_files()?;
        self.remove_rest()?;
        for names in hard_links {
            self.restore_hard_links(names)?;
        }
        self.split_hard_links(hard_links)?;
        self.set_modes()?;
        self.sync()
    }

    /// The goals that are not reached, with their places in the list.
    fn unreached_goals(&self) -> Vec<(usize, Goal<'_>, &PathState)> {
        let all = self.goals.iter().zip(&self.current).enumerate();
        let open = all.filter(|(_, (goal, state))| !state.is_same(goal.target));
        open.map(|(at, (goal, state))| (at, *goal, state)).collect()
    }

    /// Lets the owner write in the folders that have something to change, also in those that are
    /// read-only. They get their modes back at the end.
    fn open_folders(&mut self) -> Phase {
        let parents = self.goals.iter().filter_map(|goal| goal.path.parent());
        let parents: BTreeSet<TreePath> = parents.collect();
        for folder in parents {
            let Ok(Some(stamp)) = self.tree.stamp(&folder) else { continue };
            if let Some(mode) = closed_mode(&stamp) {
                self.set_folder_mode(&folder, mode | OWNER).map_err(|error| (folder.clone(), error))?;
                self.opened.insert(folder, mode);
            }
        }
        Ok(())
    }

    /// Removes entries that are in the way: a file where a folder belongs, and the reverse.
    fn clear_places(&mut self) -> Phase {
        let mut gone = Vec::new();
        for (at, goal, state) in self.unreached_goals() {
            let has_entry = *state != PathState::Absent;
            if goal.target.is_folder() && has_entry && !state.is_folder() {
                self.unlink(&goal).map_err(|error| (goal.path.clone(), error))?;
                gone.push(at);
            } else if !goal.target.is_folder() && *goal.target != PathState::Absent && state.is_folder() {
                gone.extend(self.remove_beneath(goal.path)?);
                self.remove_folder(goal.path).map_err(|error| (goal.path.clone(), error))?;
                gone.push(at);
            }
        }
        for at in gone {
            if let Some(state) = self.current.get_mut(at) {
                *state = PathState::Absent;
            }
        }
        Ok(())
    }

    /// Removes the goals beneath a folder, the deepest first.
    fn remove_beneath(&self, folder: &TreePath) -> Result<Vec<usize>, (TreePath, UndoStepError)> {
        let mut gone = Vec::new();
        for (at, goal, state) in self.unreached_goals().into_iter().rev() {
            let is_beneath = goal.path.ancestors().any(|above| above == *folder);
            if !is_beneath || *goal.target != PathState::Absent {
                continue;
            }
            let removed = if state.is_folder() { self.remove_folder(goal.path) } else { self.unlink(&goal) };
            removed.map_err(|error| (goal.path.clone(), error))?;
            gone.push(at);
        }
        Ok(gone)
    }

    fn make_folders(&mut self) -> Phase {
        for goal in self.goals {
            let PathState::Folder { mode } = goal.target else { continue };
            let make = || {
                let parent = self.parent(goal.path)?;
                self.store.step();
                let name = OsStr::from_bytes(goal.path.name());
                match fs::mkdirat(&parent, name, Mode::from_raw_mode(mode & FOLDER_MODE | OWNER)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno.into()),
                }
                Ok(())
            };
            make().map_err(|error| (goal.path.clone(), error))?;
            let stamp = self.tree.stamp(goal.path).map_err(|errno| with_path(goal.path, errno))?;
            // The kernel takes bits away from a new folder, and an old one may be closed.
            if stamp.is_some_and(|stamp| stamp.mode & OWNER != OWNER) {
                self.set_folder_mode(goal.path, mode & FOLDER_MODE | OWNER)
                    .map_err(|error| (goal.path.clone(), error))?;
            }
        }
        Ok(())
    }

    /// Writes all new files and links beside their places, syncs them, and renames them.
    fn place_files(&mut self) -> Phase {
        let mut drafts = Vec::new();
        let mut done = Vec::new();
        for (at, goal, state) in self.unreached_goals() {
            let error = |error| (goal.path.clone(), error);
            match (goal.target, state) {
                (PathState::File { sha256, mode: Some(mode), .. }, PathState::File { sha256: now, .. })
                    if sha256 == now =>
                {
                    self.set_file_mode(&goal, *mode).map_err(error)?;
                    done.push(goal.path.clone());
                }
                (PathState::File { sha256, mode, .. }, _) => {
                    let mode = mode.or_else(|| mode_of(state)).unwrap_or(0o644);
                    drafts.push((goal, self.draft_file(at, &goal, sha256, mode).map_err(error)?));
                }
                (PathState::Link { target }, _) => {
                    drafts.push((goal, self.draft_link(at, &goal, &target.0).map_err(error)?));
                }
                (PathState::Absent | PathState::Folder { .. } | PathState::Unkept { .. }, _) => {}
            }
        }
        self.sync_drafts(&drafts)?;
        for (goal, Draft { folder, name, .. }) in &drafts {
            let place = || {
                self.check(goal)?;
                self.store.step();
                fs::renameat(folder, name.as_str(), folder, OsStr::from_bytes(goal.path.name()))?;
                Ok(())
            };
            place().map_err(|error| (goal.path.clone(), error))?;
            done.push(goal.path.clone());
        }
        self.outcome.restored.extend(done);
        Ok(())
    }

    fn sync_drafts(&self, drafts: &[(Goal<'_>, Draft)]) -> Phase {
        let files = || drafts.iter().filter_map(|(goal, draft)| Some((goal, draft.file.as_ref()?)));
        if files().count() > SINGLE_SYNCS {
            let sync = || sync_all_of(&File::from(self.tree.root().try_clone_to_owned()?));
            return match drafts.first() {
                Some((goal, _)) => sync().map_err(|error| with_path(goal.path, error)),
                None => Ok(()),
            };
        }
        for (goal, file) in files() {
            file.sync_all().map_err(|error| with_path(goal.path, error))?;
        }
        Ok(())
    }

    fn draft_file(&self, at: usize, goal: &Goal<'_>, sha256: &str, mode: u32) -> Stepped<Draft> {
        let (folder, name) = self.draft_place(at, goal.path)?;
        let mut content = self.store.contents.open(&goal.path.to_string(), sha256)?;
        self.store.step();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(&folder, name.as_str(), flags, Mode::from_raw_mode(0o600))?;
        let mut file = File::from(file);
        self.store.step();
        copy_content(&mut content, &mut file)?;
        self.store.step();
        fs::fchmod(&file, Mode::from_raw_mode(mode & FILE_MODE))?;
        Ok(Draft { folder, name, file: Some(file) })
    }

    fn draft_link(&self, at: usize, goal: &Goal<'_>, target: &[u8]) -> Stepped<Draft> {
        let (folder, name) = self.draft_place(at, goal.path)?;
        self.store.step();
        fs::symlinkat(OsStr::from_bytes(target), &folder, name.as_str())?;
        Ok(Draft { folder, name, file: None })
    }

    /// The folder and the name of a draft. The name is the same when an interrupted undo runs again,
    /// so that nothing is left behind.
    fn draft_place(&self, at: usize, path: &TreePath) -> Stepped<(OwnedFd, String)> {
        let folder = self.parent(path)?;
        let name = format!(".holm-undo-{:x}-{at}.tmp", self.id);
        match fs::unlinkat(&folder, name.as_str(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok((folder, name)),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The folder of a path; those that are missing are made.
    fn parent(&self, path: &TreePath) -> Stepped<OwnedFd> {
        match self.tree.parent(path) {
            Err(Errno::NOENT) => {}
            folder => return Ok(folder?),
        }
        let above: Vec<TreePath> = path.ancestors().collect();
        for folder in above.iter().rev() {
            self.store.step();
            match fs::mkdirat(
                self.tree.parent(folder)?,
                OsStr::from_bytes(folder.name()),
                Mode::from_raw_mode(0o777),
            ) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(self.tree.parent(path)?)
    }

    /// Removes paths that must be absent, the deepest first.
    fn remove_rest(&mut self) -> Phase {
        let mut removed = Vec::new();
        let mut kept = Vec::new();
        for (_, goal, state) in self.unreached_goals().into_iter().rev() {
            if *goal.target != PathState::Absent {
                continue;
            }
            if !state.is_folder() {
                self.unlink(&goal).map_err(|error| (goal.path.clone(), error))?;
                removed.push(goal.path.clone());
                continue;
            }
            match self.remove_folder(goal.path) {
                Ok(()) => removed.push(goal.path.clone()),
                Err(UndoStepError::System(error)) if error.raw_os_error().is_some_and(is_not_empty) => {
                    kept.push(goal.path.clone());
                }
                Err(error) => return Err((goal.path.clone(), error)),
            }
        }
        for path in removed.iter().chain(&kept) {
            self.opened.remove(path);
        }
        let folders = self.unreached_goals().into_iter().filter(|(_, goal, _)| goal.target.is_folder());
        removed.extend(folders.map(|(_, goal, _)| goal.path.clone()));
        self.outcome.restored.extend(removed);
        self.outcome.restored.sort();
        self.outcome.restored.dedup();
        self.outcome.kept.extend(kept);
        Ok(())
    }

    fn unlink(&self, goal: &Goal<'_>) -> Stepped<()> {
        self.check(goal)?;
        self.store.step();
        let folder = match self.tree.parent(goal.path) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(()),
            folder => folder?,
        };
        match fs::unlinkat(folder, OsStr::from_bytes(goal.path.name()), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn remove_folder(&self, path: &TreePath) -> Stepped<()> {
        self.store.step();
        let folder = match self.tree.parent(path) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(()),
            folder => folder?,
        };
        match fs::unlinkat(folder, OsStr::from_bytes(path.name()), AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Refuses to replace or remove a file that changed after it was looked at.
    fn check(&self, goal: &Goal<'_>) -> Stepped<()> {
        let Some(expected) = goal.stamp else { return Ok(()) };
        let found = self.tree.stamp(goal.path)?;
        let is_same = match (expected, found) {
            // Another name of the same file may be gone by now, which changes its other time.
            (Some(expected), Some(found)) => {
                let part = |stamp: Stamp| (stamp.device, stamp.inode, stamp.size, stamp.modified);
                part(expected) == part(found)
            }
            // What was in its place was removed before.
            (_, None) => true,
            (None, Some(_)) => false,
        };
        if is_same { Ok(()) } else { Err(UndoStepError::Changed) }
    }

    fn set_file_mode(&self, goal: &Goal<'_>, mode: u32) -> Stepped<()> {
        self.check(goal)?;
        let (file, _) = self.tree.read(goal.path)?;
        self.store.step();
        Ok(fs::fchmod(file, Mode::from_raw_mode(mode & FILE_MODE))?)
    }

    fn set_folder_mode(&self, path: &TreePath, mode: u32) -> Stepped<()> {
        self.store.step();
        let name = OsStr::from_bytes(path.name());
        let folder = self.tree.parent(path)?;
        // Only a folder: a link that takes its name meanwhile must not lead elsewhere.
        match fs::openat(&folder, name, crate::tree::FOLDER, Mode::empty()) {
            Ok(open) => Ok(fs::fchmod(open, Mode::from_raw_mode(mode))?),
            // A folder that its owner cannot read cannot be opened either.
            Err(Errno::ACCESS) if stamp_at(&folder, path.name())?.kind() == FileType::Directory => {
                Ok(fs::chmodat(&folder, name, Mode::from_raw_mode(mode), AtFlags::SYMLINK_NOFOLLOW)?)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    /// Makes these names one file again, if all have the same content and mode now.
    fn restore_hard_links(&self, names: &[TreePath]) -> Phase {
        let is_goal = |path: &TreePath| self.goals.binary_search_by(|goal| goal.path.cmp(path)).is_ok();
        // One that was not replaced is the original file, which may have names elsewhere too.
        let Some(leader) = names.iter().find(|path| !is_goal(path)).or(names.first()) else { return Ok(()) };
        let look = |path: &TreePath| self.tree.look(path, largest()).map_err(|error| with_path(path, error));
        let (wanted, Some(first)) = look(leader)? else { return Ok(()) };
        for (at, path) in names.iter().enumerate().filter(|(_, path)| *path != leader) {
            let (state, Some(stamp)) = look(path)? else { continue };
            let is_file = state.sha256().is_some() && state.is_same(&wanted);
            if !is_file || (stamp.device, stamp.inode) == (first.device, first.inode) {
                continue;
            }
            let link = || {
                let (folder, name) = self.draft_place(self.goals.len() + at, path)?;
                let from = self.tree.parent(leader)?;
                self.store.step();
                fs::linkat(from, OsStr::from_bytes(leader.name()), &folder, name.as_str(), AtFlags::empty())?;
                self.store.step();
                fs::renameat(&folder, name.as_str(), &folder, OsStr::from_bytes(path.name()))?;
                Ok(())
            };
            link().map_err(|error| (path.clone(), error))?;
        }
        Ok(())
    }

    /// Makes several files of names that became one file.
    fn split_hard_links(&self, groups: &[&[TreePath]]) -> Phase {
        let mut seen = BTreeSet::new();
        for (at, names) in groups.iter().enumerate() {
            let Some(first) = names.first() else { continue };
            let Ok(Some(stamp)) = self.tree.stamp(first) else { continue };
            if stamp.kind() != FileType::RegularFile || seen.insert((stamp.device, stamp.inode)) {
                continue;
            }
            for path in *names {
                self.replace_by_copy(self.goals.len() + at, path).map_err(|error| (path.clone(), error))?;
            }
            self.restore_hard_links(names)?;
        }
        Ok(())
    }

    fn replace_by_copy(&self, at: usize, path: &TreePath) -> Stepped<()> {
        let (mut content, stamp) = self.tree.read(path)?;
        let (folder, name) = self.draft_place(at, path)?;
        self.store.step();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(fs::openat(&folder, name.as_str(), flags, Mode::from_raw_mode(0o600))?);
        copy_content(&mut content, &mut file)?;
        fs::fchmod(&file, Mode::from_raw_mode(stamp.mode & FILE_MODE))?;
        file.sync_all()?;
        self.store.step();
        Ok(fs::renameat(&folder, name.as_str(), &folder, OsStr::from_bytes(path.name()))?)
    }

    /// Gives folders their modes, the deepest first: a closed one hides those beneath it.
    fn set_modes(&self) -> Phase {
        let mut modes = self.opened.clone();
        for goal in self.goals {
            if let PathState::Folder { mode } = goal.target {
                modes.insert(goal.path.clone(), mode & FOLDER_MODE);
            }
        }
        for (path, mode) in modes.into_iter().rev() {
            let found = self.tree.stamp(&path).map_err(|errno| with_path(&path, errno))?;
            let Some(stamp) = found.filter(|stamp| stamp.kind() == FileType::Directory) else { continue };
            if stamp.mode & FOLDER_MODE != mode {
                self.set_folder_mode(&path, mode).map_err(|error| (path.clone(), error))?;
            }
        }
        Ok(())
    }

    /// The names are on disk too, not only the bytes.
    fn sync(&self) -> Phase {
        let Some(goal) = self.goals.first() else { return Ok(()) };
        let parents: BTreeSet<Option<TreePath>> = self.goals.iter().map(|goal| goal.path.parent()).collect();
        let all = || {
            if parents.len() > SINGLE_SYNCS {
                return sync_all_of(&File::from(self.tree.root().try_clone_to_owned()?));
            }
            for parent in parents.iter().flatten() {
                let Ok(folder) = self.tree.folder(parent) else { continue };
                sync_folder(&folder)?;
            }
            sync_folder(&self.tree.root().try_clone_to_owned()?)
        };
        all().map_err(|error| with_path(goal.path, error))
    }
}

/// The mode of a folder in which its owner cannot work.
pub(crate) fn closed_mode(stamp: &Stamp) -> Option<u32> {
    let mode = stamp.mode & FOLDER_MODE;
    (stamp.kind() == FileType::Directory && mode & OWNER != OWNER).then_some(mode)
}

struct Draft {
    folder: OwnedFd,
    name: String,
    /// None for a link.
    file: Option<File>,
}

fn copy_content(from: &mut File, to: &mut File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if fs::ioctl_ficlone(&*to, &*from).is_ok() {
        return Ok(());
    }
    io::copy(from, to).map(drop)
}

fn mode_of(state: &PathState) -> Option<u32> {
    match state {
        PathState::File { mode, .. } => *mode,
        PathState::Absent | PathState::Link { .. } | PathState::Folder { .. } | PathState::Unkept { .. } => {
            None
        }
    }
}

fn sync_folder(folder: &OwnedFd) -> io::Result<()> {
    match fs::fsync(folder.as_fd()) {
        // Some file systems cannot sync a folder; the bytes are safe, and the name follows.
        Ok(()) | Err(Errno::INVAL | Errno::BADF) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

fn is_not_empty(code: i32) -> bool {
    [Errno::NOTEMPTY.raw_os_error(), Errno::EXIST.raw_os_error()].contains(&code)
}

fn with_path(path: &TreePath, error: impl Into<io::Error>) -> (TreePath, UndoStepError) {
    (path.clone(), UndoStepError::System(error.into()))
}
