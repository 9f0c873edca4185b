//! Walks everything beneath a folder, from handle to handle, without the files that git ignores.
//!
//! The rules of `.gitignore` are ripgrep's. The walk is our own, because a walk over paths could be
//! redirected between two steps.
//!
//! It does not search in files: `files/grep.rs`, `files/glob.rs` and `files/list.rs` do that with
//! what it finds. Every entry passes the deny rules and the permit of the call. The numbers of
//! entries and of nested folders are bounded.

use std::{fs::File, ops::ControlFlow, os::fd::AsFd, path::Path, vec};

use cap_std::fs::Dir;
use holm_grants::FilePath;
use holm_runtime::CancellationToken;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use rustix::fs::OFlags;

use super::{
    CallPermit, OpenedFile, WorkspaceRoot, WorkspaceRootError, file_location::DirEntryKind, handle::FOLDER,
};

/// Entries that one walk visits. More would take longer than a model waits, and means that the
/// wrong folder was chosen.
pub(crate) const MOST_LOOKED: usize = 200_000;

/// Folders within folders that are entered; each keeps a handle open.
const DEEPEST: usize = 128;

/// Bytes of one file of ignore rules that count: they are compiled, and hostile ones are large.
const MOST_RULES: u64 = 64 * 1024;

/// The folder of git, which no search enters and no note mentions.
pub(crate) const VERSION_CONTROL: &str = ".git";

/// Whether a walk shows files that git ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IgnoredFilePolicy {
    /// It is left out.
    Skipped,
    /// It is shown like everything else.
    Shown,
}

/// One walk for one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkspaceWalk<'a> {
    pub(crate) root: &'a WorkspaceRoot,
    pub(crate) permit: CallPermit<'a>,
    pub(crate) ignored: IgnoredFilePolicy,
    pub(crate) stop: &'a CancellationToken,
}

/// An entry that a walk visits.
pub(crate) struct WalkEntry<'a> {
    root: &'a WorkspaceRoot,
    dir: &'a Dir,
    name: &'a str,
    /// Its path from the root.
    pub(crate) path: &'a FilePath,
    pub(crate) kind: DirEntryKind,
}

/// How much a walk visited, and what it left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WalkSummary {
    /// Entries it looked at.
    pub(crate) looked: usize,
    /// Entries that rules keep from tools.
    pub(crate) denied: usize,
    /// Entries whose names no path can spell.
    pub(crate) unnamed: usize,
    /// Folders that could not be opened, or lie too deep.
    pub(crate) unopened: usize,
    /// Whether it ended before everything was seen.
    pub(crate) cut: bool,
}

impl WalkEntry<'_> {
    /// Opens the file in the handle of the folder where it was found.
    pub(crate) fn open(&self) -> Result<OpenedFile, WorkspaceRootError> {
        let handle = self.root.open_beneath(self.dir.as_fd(), self.name, OFlags::RDONLY);
        OpenedFile::new(
            handle.map_err(|errno| WorkspaceRootError::of(self.path.as_str(), errno))?,
            self.path.as_str(),
        )
    }
}

/// A folder that is being walked.
struct WalkFrame {
    dir: Dir,
    /// Its path with a trailing slash; empty for the root.
    prefix: String,
    names: vec::IntoIter<(String, DirEntryKind)>,
}

/// Ignore rules, and the length of the path prefix of the folder that contains them.
struct IgnoreRules {
    prefix: usize,
    rules: Gitignore,
}

impl WorkspaceWalk<'_> {
    /// Passes everything beneath a folder to `each`: a folder before its content, names in order.
    /// The caller can stop the walk.
    pub(crate) fn beneath(
        &self,
        start: &FilePath,
        mut each: impl FnMut(&WalkEntry<'_>) -> ControlFlow<()>,
    ) -> Result<WalkSummary, WorkspaceRootError> {
        let mut walked = WalkSummary::default();
        let mut rules = self.rules_above(start)?;
        let prefix = if start.as_str() == "." { String::new() } else { format!("{start}/") };
        let mut frames = vec![self.enter(self.root.folder(start)?, prefix, &mut rules, &mut walked)];
        while let Some(frame) = frames.last_mut() {
            let Some((name, kind)) = frame.names.next() else {
                frames.pop();
                rules.pop();
                continue;
            };
            walked.looked += 1;
            if walked.looked > MOST_LOOKED || self.stop.is_cancelled() {
                walked.cut = true;
                return Ok(walked);
            }
            let Some(path) = self.admitted(frame, &name, kind, &rules, &mut walked) else { continue };
            let entry = WalkEntry { root: self.root, dir: &frame.dir, name: &name, path: &path, kind };
            if each(&entry).is_break() {
                walked.cut = true;
                return Ok(walked);
            }
            if kind != DirEntryKind::Folder {
                continue;
            }
            match self.root.open_beneath(frame.dir.as_fd(), &name, FOLDER) {
                Ok(handle) if frames.len() < DEEPEST => {
                    let dir = Dir::from_std_file(File::from(handle));
                    frames.push(self.enter(dir, format!("{path}/"), &mut rules, &mut walked));
                }
                Ok(_) | Err(_) => walked.unopened += 1,
            }
        }
        Ok(walked)
    }

    /// The entry's path, if tools may see it and git does not ignore it.
    fn admitted(
        &self,
        frame: &WalkFrame,
        name: &str,
        kind: DirEntryKind,
        rules: &[IgnoreRules],
        walked: &mut WalkSummary,
    ) -> Option<FilePath> {
        let Ok(path) = format!("{}{name}", frame.prefix).parse::<FilePath>() else {
            walked.unnamed += 1;
            return None;
        };
        if self.root.rules().reading(&path).is_some() || !self.permit.may_read(&path) {
            // Every repository has one, and it holds no source files.
            walked.denied += usize::from(name != VERSION_CONTROL);
            return None;
        }
        let ignored = self.ignored == IgnoredFilePolicy::Skipped && is_ignored(rules, &path, kind);
        (!ignored).then_some(path)
    }

    fn enter(
        &self,
        dir: Dir,
        prefix: String,
        rules: &mut Vec<IgnoreRules>,
        walked: &mut WalkSummary,
    ) -> WalkFrame {
        let mut names = Vec::new();
        match dir.entries() {
            Ok(entries) => {
                for entry in entries.take(MOST_LOOKED) {
                    let Ok(entry) = entry else { continue };
                    match entry.file_name().into_string() {
                        Ok(name) => names.push((name, kind_of(&entry))),
                        Err(_) => walked.unnamed += 1,
                    }
                }
            }
            Err(_) => walked.unopened += 1,
        }
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        rules.push(self.rules_in(&dir, prefix.len()));
        WalkFrame { dir, prefix, names: names.into_iter() }
    }

    /// The rules of the folders above the one where the walk begins; they hold for it too.
    fn rules_above(&self, start: &FilePath) -> Result<Vec<IgnoreRules>, WorkspaceRootError> {
        let mut all = Vec::new();
        if start.as_str() == "." {
            return Ok(all);
        }
        let mut here: FilePath = ".".parse().map_err(|reason| WorkspaceRootError::Path { reason })?;
        for name in start.components() {
            let prefix = if here.as_str() == "." { String::new() } else { format!("{here}/") };
            all.push(self.rules_in(&self.root.folder(&here)?, prefix.len()));
            here = format!("{prefix}{name}").parse().map_err(|reason| WorkspaceRootError::Path { reason })?;
        }
        Ok(all)
    }

    fn rules_in(&self, dir: &Dir, prefix: usize) -> IgnoreRules {
        let mut builder = GitignoreBuilder::new(".");
        if self.ignored == IgnoredFilePolicy::Skipped {
            // The later files win: personal excludes, then the project's rules,
            // then rules for searching.
            let personal = (prefix == 0).then_some(".git/info/exclude");
            for file in personal.into_iter().chain([".gitignore", ".ignore"]) {
                for line in self.lines_of(dir, file) {
                    // An invalid rule is ignored, as by git.
                    let _ = builder.add_line(None, &line);
                }
            }
        }
        IgnoreRules { prefix, rules: builder.build().unwrap_or_else(|_| Gitignore::empty()) }
    }

    fn lines_of(&self, dir: &Dir, file: &str) -> Vec<String> {
        let Ok(handle) = self.root.open_beneath(dir.as_fd(), file, OFlags::RDONLY) else { return Vec::new() };
        let Ok(bytes) = OpenedFile::new(handle, file).and_then(|opened| opened.bytes(MOST_RULES)) else {
            return Vec::new();
        };
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}

fn is_ignored(rules: &[IgnoreRules], path: &FilePath, kind: DirEntryKind) -> bool {
    for level in rules.iter().rev() {
        let Some(inner) = path.as_str().get(level.prefix..) else { continue };
        match level.rules.matched(Path::new(inner), kind == DirEntryKind::Folder) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
    }
    false
}

fn kind_of(entry: &cap_std::fs::DirEntry) -> DirEntryKind {
    match entry.file_type() {
        Ok(kind) if kind.is_file() => DirEntryKind::File,
        Ok(kind) if kind.is_dir() => DirEntryKind::Folder,
        Ok(kind) if kind.is_symlink() => DirEntryKind::Link,
        Ok(_) | Err(_) => DirEntryKind::Device,
    }
}
