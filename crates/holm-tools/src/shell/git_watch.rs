//! Watches repositories while a command may write them. The user's editor and prompt call git by
//! themselves, so some things cannot wait for the end of the command: a submodule that it adds, with
//! settings that run programs, steps of a rebase that run commands, and a link on the way to a
//! protected path that it replaces.
//!
//! It looks at a few files again and again, because that needs no limit of the system and misses
//! nothing for longer than one look. What it finds is disabled as after the command
//! (`new_repository.rs`). A command that brings it back again and again is ended. What it does not
//! hold is in `docs/threat-model.md`.
//!
//! Which files of a git folder run programs is decided in `git_state_file.rs`, and links on the way
//! to protected paths are restored in `held_links.rs`. History is checked after the command, in
//! `git_history_check.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use holm_runtime::CancellationToken;

use super::entry_stamp::EntryStamp;
use super::git_state_file::GitStateFile;
use super::held_links::{HeldLinkState, HeldLinks};
use super::new_repository::{DisarmedRepository, RepositoryFindings, disarm_entry, disarm_state};
use crate::plain_files::read_plain_within;
use crate::root::git::{GitFolder, gitlinks};

/// A pause is at least this many times as long as a look.
const MIN_REST: u32 = 5;
/// How often something may be disabled at one place before the command is ended.
const MAX_APPEARANCES: usize = 8;
/// The most new submodules that are watched.
const MAX_LINKS: usize = 256;
/// How long to leave the steps of an operation that git itself is running.
const PATIENCE: Duration = Duration::from_millis(250);
/// Commands of git that work through steps.
const STEPPING: [&str; 6] = ["rebase", "am", "cherry-pick", "revert", "pull", "merge"];
/// Files with such steps, and options for them.
const STEPS: [&str; 9] = [
    "rebase-merge/git-rebase-todo",
    "sequencer/todo",
    "sequencer/opts",
    "rebase-merge/strategy",
    "rebase-merge/strategy_opts",
    "rebase-merge/gpg_sign_opt",
    "rebase-apply/strategy",
    "rebase-apply/strategy_opts",
    "rebase-apply/apply-opt",
];

/// A thread that watches repositories until this is dropped.
#[derive(Debug)]
pub(super) struct GitWatch {
    state: Arc<WatchState>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread shares with the command.
#[derive(Debug, Default)]
struct WatchState {
    is_over: AtomicBool,
    stop: Mutex<Option<CancellationToken>>,
    found: Mutex<BTreeMap<PathBuf, DisarmedRepository>>,
    restored: Mutex<BTreeMap<PathBuf, HeldLinkState>>,
    has_ended: AtomicBool,
}

/// What a watch has done.
#[derive(Debug, Default)]
pub(super) struct WatchReport {
    pub(super) disarmed: Vec<DisarmedRepository>,
    /// Links that were put back.
    pub(super) restored: BTreeMap<PathBuf, HeldLinkState>,
    /// The command was ended for it.
    pub(super) has_ended: bool,
}

impl GitWatch {
    /// Begins to watch these git folders and links. `known` are the repositories that existed. A
    /// look that takes long is followed by a longer pause than this.
    pub(super) fn begin(
        (folders, held): (&BTreeSet<PathBuf>, &HeldLinks),
        known: &HashSet<PathBuf>,
        roots: &[PathBuf],
        pause: Duration,
    ) -> Option<Self> {
        if folders.is_empty() && held.is_empty() {
            return None;
        }
        let state = Arc::new(WatchState::default());
        let mut look = GitLook {
            folders: folders.iter().map(|git| WatchedFolder::begin(git)).collect(),
            held: held.clone(),
            pause,
            known: known.clone(),
            roots: roots.to_vec(),
            links: BTreeSet::new(),
            seen: HashMap::new(),
            appearances: HashMap::new(),
            state: Arc::clone(&state),
        };
        let builder = thread::Builder::new().name("git-watch".into());
        let thread = builder.spawn(move || look.run()).ok()?;
        Some(Self { state, thread: Some(thread) })
    }

    /// Ends a command by this token if it brings back what was disabled.
    pub(super) fn end_by(&self, stop: CancellationToken) {
        *self.state.stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
    }

    /// Stops, and tells what was done.
    pub(super) fn settle(mut self) -> WatchReport {
        self.join();
        let found = std::mem::take(&mut *self.state.found.lock().unwrap_or_else(PoisonError::into_inner));
        let restored = &mut *self.state.restored.lock().unwrap_or_else(PoisonError::into_inner);
        WatchReport {
            disarmed: found.into_values().collect(),
            restored: std::mem::take(restored),
            has_ended: self.state.has_ended.load(Ordering::Relaxed),
        }
    }

    fn join(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Drop for GitWatch {
    fn drop(&mut self) {
        self.join();
    }
}

/// One git folder that existed before the command.
#[derive(Debug)]
struct WatchedFolder {
    git: PathBuf,
    work_tree: PathBuf,
    index: Option<EntryStamp>,
    /// The submodules that it had.
    links: BTreeSet<PathBuf>,
    /// What the steps were before the command.
    steps: HashMap<PathBuf, Vec<u8>>,
}

impl WatchedFolder {
    fn begin(git: &Path) -> Self {
        let work_tree = if git.ends_with(".git") { git.parent().unwrap_or(git) } else { git };
        let read = |name: &&str| {
            let file = git.join(name);
            let kind = GitStateFile::of(Path::new(name))?;
            let bytes = read_plain_within(&file, kind.max_bytes()).ok()?;
            Some((file, bytes))
        };
        Self {
            git: git.to_owned(),
            work_tree: work_tree.to_owned(),
            index: stamp(&git.join("index")),
            links: gitlinks(git).into_iter().collect(),
            steps: STEPS.iter().filter_map(read).collect(),
        }
    }
}

/// What the thread looks at.
struct GitLook {
    folders: Vec<WatchedFolder>,
    held: HeldLinks,
    pause: Duration,
    known: HashSet<PathBuf>,
    roots: Vec<PathBuf>,
    /// Folders of new submodules.
    links: BTreeSet<PathBuf>,
    /// The state in which a place was looked at last.
    seen: HashMap<PathBuf, Vec<Option<EntryStamp>>>,
    appearances: HashMap<PathBuf, usize>,
    state: Arc<WatchState>,
}

impl GitLook {
    fn run(&mut self) {
        let mut patience = Instant::now();
        while !self.state.is_over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            self.look_at_held();
            self.find_links();
            self.look_at_links();
            if begun >= patience && self.look_at_steps() == StepsLook::GitIsAtWork {
                patience = begun + PATIENCE;
            }
            thread::park_timeout(self.pause.max(begun.elapsed() * MIN_REST));
        }
    }

    /// Puts links back that were replaced.
    fn look_at_held(&mut self) {
        for (path, state) in self.held.restore(&self.roots) {
            if matches!(state, HeldLinkState::Replaced { .. }) {
                self.count(&path);
                let mut all = self.state.restored.lock().unwrap_or_else(PoisonError::into_inner);
                all.insert(path, state);
            }
        }
    }

    /// Adds the submodules that an index has gained, also those of new submodules.
    fn find_links(&mut self) {
        let mut new = Vec::new();
        for folder in &mut self.folders {
            let now = stamp(&folder.git.join("index"));
            if now != folder.index {
                folder.index = now;
                let links = gitlinks(&folder.git).into_iter().filter(|link| !folder.links.contains(link));
                new.extend(links.filter(|link| is_inside(link)).map(|link| folder.work_tree.join(link)));
            }
        }
        for place in self.links.iter().filter(|place| !self.known.contains(&place.join(".git"))) {
            let Some(folder) = GitFolder::of(place) else { continue };
            let index = folder.own.join("index");
            let now = vec![stamp(&index)];
            if self.seen.get(&index) != Some(&now) {
                self.seen.insert(index, now);
                let links = gitlinks(&folder.own).into_iter().filter(|link| is_inside(link));
                new.extend(links.map(|link| place.join(link)));
            }
        }
        new.retain(|place| self.roots.iter().any(|root| place.starts_with(root)));
        let room = MAX_LINKS.saturating_sub(self.links.len());
        self.links.extend(new.into_iter().take(room));
    }

    /// Disarms the repositories of new submodules.
    fn look_at_links(&mut self) {
        for place in self.links.clone() {
            let entry = place.join(".git");
            if self.known.contains(&entry) {
                continue;
            }
            let git = GitFolder::of(&place).map_or_else(|| entry.clone(), |folder| folder.own);
            let names = ["config", "config.worktree", "hooks", "commondir", "remotes", "branches"];
            let files = names.iter().map(|name| git.join(name)).chain([entry.clone()]);
            let now: Vec<Option<EntryStamp>> = files.map(|file| stamp(&file)).collect();
            if self.seen.get(&entry) == Some(&now) {
                continue;
            }
            self.seen.insert(entry.clone(), now);
            let modules: Vec<PathBuf> =
                self.folders.iter().map(|folder| folder.git.join("modules")).collect();
            let known = &self.known;
            let is_looked_at =
                |path: &Path| known.contains(path) || modules.iter().any(|modules| path.starts_with(modules));
            let findings = disarm_entry(&self.roots, &entry, &git, &is_looked_at);
            self.note(entry, place, findings);
        }
    }

    /// Disables steps that run commands, unless git itself is working through them.
    fn look_at_steps(&mut self) -> StepsLook {
        let mut all = Vec::new();
        for folder in &self.folders {
            for name in STEPS {
                let file = folder.git.join(name);
                let now = vec![stamp(&file)];
                if now == [None] || self.seen.get(&file) == Some(&now) {
                    continue;
                }
                let before = folder.steps.get(&file).map_or(&[][..], Vec::as_slice);
                let is_dangerous = GitStateFile::of(Path::new(name)).is_some_and(|kind| {
                    let bytes = read_plain_within(&file, kind.max_bytes()).unwrap_or_default();
                    kind.danger_of_steps(&bytes, before).is_some()
                });
                if !is_dangerous {
                    self.seen.insert(file, now);
                } else if git_is_at_work() {
                    return StepsLook::GitIsAtWork;
                } else {
                    all.push((folder.git.clone(), folder.work_tree.clone(), file));
                }
            }
        }
        for (git, place, file) in all {
            let findings = disarm_state(&self.roots, &git, &file);
            self.note(git, place, findings);
        }
        StepsLook::Done
    }

    /// Keeps what was disabled.
    fn note(&mut self, path: PathBuf, place: PathBuf, findings: RepositoryFindings) {
        if findings.is_empty() {
            return;
        }
        self.count(&path);
        let mut found = self.state.found.lock().unwrap_or_else(PoisonError::into_inner);
        let none = DisarmedRepository { path: path.clone(), place, findings: RepositoryFindings::default() };
        found.entry(path).or_insert(none).findings.join(findings);
    }
}

impl GitLook {
    /// Counts what was brought back, and ends a command that does so too often.
    fn count(&mut self, path: &Path) {
        let times = self.appearances.entry(path.to_owned()).or_default();
        *times += 1;
        if *times >= MAX_APPEARANCES
            && let Some(stop) = &*self.state.stop.lock().unwrap_or_else(PoisonError::into_inner)
        {
            self.state.has_ended.store(true, Ordering::Relaxed);
            stop.cancel();
        }
    }
}

/// What a look at steps has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepsLook {
    Done,
    /// Steps that run commands belong to a process of git.
    GitIsAtWork,
}

fn stamp(path: &Path) -> Option<EntryStamp> {
    path.symlink_metadata().ok().map(|found| EntryStamp::of(&found))
}

fn is_inside(link: &Path) -> bool {
    link.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a process of git works through steps. Any such process counts: a command that wants to
/// hide behind one can also start git itself.
fn git_is_at_work() -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| {
        let mut words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let program = words.next().unwrap_or_default();
        program.rsplit('/').next() == Some("git") && words.take(16).any(|word| STEPPING.contains(&&*word))
    })
}
