//! Says what an image covers, and what it leaves out: build output, the inside of repositories,
//! paths that the host excludes, and what is too large. Everything that is left out has a reason,
//! so that the user can be told.
//!
//! It walks no folder: `image_taker.rs` does and asks here. Which paths Holm excludes around its
//! commands is decided in `holm-tools/src/undo/coverage.rs`.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::TreePath;

/// Folders with what a program downloads or computes again. They are left out wherever they are.
const BUILD_FOLDERS: [&[u8]; 12] = [
    b"node_modules",
    b"__pycache__",
    b".mypy_cache",
    b".pytest_cache",
    b".ruff_cache",
    b".tox",
    b".gradle",
    b".next",
    b".nuxt",
    b".turbo",
    b".terraform",
    b".svelte-kit",
];
/// Folders whose names are often build output, and sometimes source. They are left out if git
/// ignores them, or if they say themselves that they are a cache.
const POSSIBLE_BUILD_FOLDERS: [&[u8]; 14] = [
    b"target",
    b"build",
    b"dist",
    b"out",
    b"bin",
    b"obj",
    b"vendor",
    b"coverage",
    b".cache",
    b".venv",
    b"venv",
    b"env",
    b"_build",
    b".build",
];
/// Folders of other version control.
const OTHER_VERSION_CONTROL: [&[u8]; 4] = [b".hg", b".jj", b".svn", b".bzr"];
/// What of a git folder is covered: where branches point, what is staged, and a merge in progress.
/// All of it is data that git reads; nothing in it names a program. The rest of a git folder is
/// never restored: settings and hooks can run programs, and objects only get more.
const GIT_FILES: [&[u8]; 12] = [
    b"HEAD",
    b"ORIG_HEAD",
    b"index",
    b"packed-refs",
    b"MERGE_HEAD",
    b"MERGE_MSG",
    b"MERGE_MODE",
    b"AUTO_MERGE",
    b"CHERRY_PICK_HEAD",
    b"REVERT_HEAD",
    b"SQUASH_MSG",
    b"COMMIT_EDITMSG",
];
/// The folders of a git folder that are covered.
const GIT_FOLDERS: [&[u8]; 2] = [b"refs", b"logs"];

/// Bounds of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoverageLimits {
    /// Files, links and folders. A workspace with more is not covered at all: the walk before each
    /// command would take too long.
    pub entries: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together. Small files come first.
    pub total_bytes: u64,
    /// The depth of folders within folders.
    pub depth: usize,
}

impl Default for CoverageLimits {
    fn default() -> Self {
        Self { entries: 100_000, file_bytes: 64 << 20, total_bytes: 1 << 30, depth: 128 }
    }
}

/// Decides for the host whether a path is excluded; the flag says whether it is a folder.
type Exclusion = Arc<dyn Fn(&TreePath, bool) -> bool + Send + Sync>;

/// What images of one workspace cover.
#[derive(Clone, Default)]
pub struct Coverage {
    limits: CoverageLimits,
    exclusion: Option<Exclusion>,
    outside: Vec<PathBuf>,
}

impl fmt::Debug for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limits, exclusion, outside } = self;
        let has_exclusion = exclusion.is_some();
        f.debug_struct("Coverage")
            .field("limits", limits)
            .field("has_exclusion", &has_exclusion)
            .field("outside", outside)
            .finish()
    }
}

impl Coverage {
    #[must_use]
    pub fn limits(mut self, limits: CoverageLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Leaves out every path for which this says so, with all that is beneath it.
    #[must_use]
    pub fn exclude(mut self, exclusion: impl Fn(&TreePath, bool) -> bool + Send + Sync + 'static) -> Self {
        self.exclusion = Some(Arc::new(exclusion));
        self
    }

    /// Leaves out a folder by its absolute path, such as Holm's own data.
    #[must_use]
    pub fn leave_out(mut self, folder: &Path) -> Self {
        self.outside.push(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        self
    }

    pub(crate) fn bounds(&self) -> CoverageLimits {
        self.limits
    }

    pub(crate) fn excludes(&self, root: &Path, path: &TreePath, is_folder: bool) -> bool {
        let is_outside = || {
            let whole = || root.join(path.as_path());
            is_folder && !self.outside.is_empty() && self.outside.contains(&whole())
        };
        is_outside() || self.exclusion.as_ref().is_some_and(|exclusion| exclusion(path, is_folder))
    }
}

/// A path that an image does not cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncoveredPath {
    pub path: TreePath,
    pub reason: UncoveredReason,
}

/// Why a path is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum UncoveredReason {
    #[error("build output")]
    BuildOutput,
    #[error("inside of a repository")]
    Repository,
    #[error("excluded")]
    Excluded,
    #[error("another file system")]
    Mount,
    #[error("cannot be read")]
    Unreadable,
    #[error("too many folders within each other")]
    TooDeep,
    #[error("too large")]
    TooLarge,
    #[error("a special file")]
    Special,
    #[error("kept changing while it was read")]
    Changing,
}

impl UncoveredReason {
    pub(crate) const ALL: [Self; 9] = [
        Self::BuildOutput,
        Self::Repository,
        Self::Excluded,
        Self::Mount,
        Self::Unreadable,
        Self::TooDeep,
        Self::TooLarge,
        Self::Special,
        Self::Changing,
    ];
}

/// Where a folder is in relation to a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GitPlace {
    /// It is not in a git folder.
    Outside,
    /// It is a git folder: only some names are covered.
    Top,
    /// It is a covered folder within one: all files are.
    Within,
}

impl GitPlace {
    /// Whether an entry of a folder at this place is covered, and the place of the entry.
    pub(crate) fn admits(self, name: &[u8], is_folder: bool, is_file: bool) -> Option<Self> {
        match self {
            Self::Outside if is_folder && name == b".git" => Some(Self::Top),
            Self::Outside => Some(Self::Outside),
            Self::Top if is_folder => GIT_FOLDERS.contains(&name).then_some(Self::Within),
            Self::Top => (is_file && GIT_FILES.contains(&name)).then_some(Self::Top),
            // A link in there could lead git to another file.
            Self::Within => (is_folder || is_file).then_some(Self::Within),
        }
    }
}

/// Whether a folder with these names is a repository that is not called `.git`.
pub(crate) fn is_bare_repository(has: impl Fn(&[u8]) -> bool) -> bool {
    has(b"HEAD") && has(b"objects") && has(b"refs")
}

pub(crate) fn is_other_version_control(name: &[u8]) -> bool {
    OTHER_VERSION_CONTROL.contains(&name)
}

/// Finds build output. It reads files of ignore rules, each once.
#[derive(Debug)]
pub(crate) struct BuildFolders<'a> {
    root: &'a Path,
    rules: HashMap<PathBuf, Gitignore>,
}

impl<'a> BuildFolders<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, rules: HashMap::new() }
    }

    /// Whether a folder is build output.
    pub(crate) fn has(&mut self, path: &TreePath) -> bool {
        let name = path.name();
        if BUILD_FOLDERS.contains(&name) {
            return true;
        }
        if !POSSIBLE_BUILD_FOLDERS.contains(&name) {
            return false;
        }
        let whole = self.root.join(path.as_path());
        // The mark of a cache, by which backup programs leave it out too.
        let is_cache = || {
            let mark = std::fs::read(whole.join("CACHEDIR.TAG"));
            mark.is_ok_and(|mark| mark.starts_with(b"Signature: 8a477f597d28d172789f06886806bc55"))
        };
        let is_environment = || whole.join("pyvenv.cfg").is_file();
        is_cache() || is_environment() || self.is_ignored(&whole)
    }

    /// Whether the rules of a `.gitignore` file above a folder ignore it. The nearest one decides.
    fn is_ignored(&mut self, folder: &Path) -> bool {
        let root = self.root;
        let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(root));
        for above in above {
            let rules = self.rules.entry(above.to_owned()).or_insert_with(|| rules_of(above));
            let found = rules.matched(folder, true);
            if !found.is_none() {
                return found.is_ignore();
            }
        }
        false
    }
}

fn rules_of(folder: &Path) -> Gitignore {
    let mut rules = GitignoreBuilder::new(folder);
    for file in [folder.join(".git/info/exclude"), folder.join(".gitignore")] {
        // A FIFO of this name would be waited for.
        if file.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() < 1 << 20) {
            // A rule that cannot be read ignores nothing.
            let _ = rules.add(file);
        }
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}
