//! The definition of a jail: a child may do nothing but what is added by name.
//!
//! It collects roots, protected and hidden paths, and turns them into an order (`order.rs`),
//! checked as far as that is possible here. Nothing is confined in this file: that happens in
//! `launcher_side/`. It does not search for files to protect or hide, except those of git beside a
//! writable root. Protection wins over every right to write, and hiding wins over everything. A new
//! right needs an entry in `order.rs` and an enforcement in both engines.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::engine::JailEngine;
use crate::error::JailError;
use crate::limits::JailLimits;
use crate::order::{
    FileId, JailOrder, JailRoot, KernelBounds, MAX_HELD, RootAccess, TemporaryFolder, is_plain,
};
use crate::path_set::PathSet;

/// Entries of a git folder that git runs or trusts the next time any program calls it. They are
/// read-only in every git folder that the jail knows, even where `.git` can be written.
const GIT: [&str; 6] = ["hooks", "config", "config.worktree", "commondir", "remotes", "branches"];

/// Whether a path is, or lies in, a file of a git folder that no
/// child writes: see [`Jail::repository`].
///
/// ```
/// use holm_jail::is_protected_in_git;
/// use std::path::Path;
///
/// assert!(is_protected_in_git(Path::new("/w/sub/.git/hooks/pre-commit")));
/// assert!(!is_protected_in_git(Path::new("/w/.git/index")));
/// ```
#[must_use]
pub fn is_protected_in_git(path: &Path) -> bool {
    path.ancestors().any(|place| {
        let is_named = place.file_name().is_some_and(|name| GIT.iter().any(|own| name == *own));
        is_named && place.parent().is_some_and(is_git)
    })
}

/// Folders in which the system keeps its programs, in the order of lookup.
pub(crate) const PROGRAMS: [&str; 7] = [
    "/usr/bin",
    "/usr/local/bin",
    "/bin",
    "/usr/lib",
    "/usr/libexec",
    "/usr/local/lib",
    "/usr/local/libexec",
];

/// The port of the listener of [`JailNetwork::Proxied`], on the child's own loopback address.
pub const PROXY_PORT: u16 = 3128;

/// Whether a child can reach the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum JailNetwork {
    /// It cannot open a socket.
    #[default]
    None,
    /// A network of its own that contains only a listener at [`PROXY_PORT`] of its loopback
    /// address. The process that accepts there ([`crate::JailJob::take_listener`]) decides about every
    /// connection. Needs a kernel that gives namespaces to every user: Landlock knows ports and no
    /// hosts, so without a namespace the job is refused.
    Proxied,
    /// All of it, this machine's own services included: no grant for single hosts can be held here.
    Open,
}

/// What a child may do. At first it may only read the system's own shared files.
///
/// All paths are absolute and lead through no symbolic link; otherwise the job is refused when it
/// starts. So a child that turns a folder into a link gains nothing in the next job.
///
/// ```
/// use holm_jail::{Jail, JailNetwork};
/// let jail = Jail::new().read("/srv/data").write("/srv/out");
/// let jail = jail.env("LANG", "C.UTF-8").network(JailNetwork::None);
/// # drop(jail);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Jail {
    roots: BTreeSet<JailRoot>,
    /// The file that was found at each path; `None` if there was none.
    hidden: BTreeMap<PathBuf, Option<FileId>>,
    fixed: BTreeMap<PathBuf, Vec<u8>>,
    env: BTreeMap<OsString, OsString>,
    cwd: Option<PathBuf>,
    temporary: Option<TemporaryFolder>,
    network: JailNetwork,
    limits: JailLimits,
}

/// A program with its arguments and input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JailTask {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) input: TaskInput,
    pub(crate) output: OutputStreams,
}

/// The standard input of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TaskInput {
    Empty,
    Bytes(Vec<u8>),
    Piped,
}

/// Whether a program's two output streams stay apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputStreams {
    Apart,
    Joined,
}

impl JailTask {
    /// A program by its absolute path, which nothing looks up again.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            input: TaskInput::Empty,
            output: OutputStreams::Apart,
        }
    }

    /// Adds these arguments after the others.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// With these bytes to read.
    #[must_use]
    pub fn input(self, bytes: impl Into<Vec<u8>>) -> Self {
        Self { input: TaskInput::Bytes(bytes.into()), ..self }
    }

    /// With one pipe for both output streams, so that lines stand in the order in which they were
    /// written. All of it is the outcome's `stdout`.
    #[must_use]
    pub fn joined_output(self) -> Self {
        Self { output: OutputStreams::Joined, ..self }
    }

    /// With an input that the caller writes to while the program
    /// runs; see [`crate::JailJob::take_stdin`].
    #[must_use]
    pub fn piped_input(self) -> Self {
        Self { input: TaskInput::Piped, ..self }
    }
}

impl Jail {
    /// A jail that can only read the files that all programs of the system share.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets the child read a file, or a folder with everything beneath.
    #[must_use]
    pub fn read(self, path: impl Into<PathBuf>) -> Self {
        self.root(path, RootAccess::Read)
    }

    /// Lets the child read and write a file, or a folder with everything beneath.
    ///
    /// In a folder, `.git` stays read-only unless a root of its own opens it. Files that git would
    /// run or trust (`.git/hooks`, `.git/config` and the like) stay read-only even then, also
    /// while they do not exist and if a root names them. Other git folders beneath are not
    /// searched for here; see [`Jail::repository`].
    #[must_use]
    pub fn write(self, path: impl Into<PathBuf>) -> Self {
        self.root(path, RootAccess::Write)
    }

    /// Lets the child read and start a program, or those beneath a folder. The task's own
    /// program needs no mention.
    #[must_use]
    pub fn exec(self, path: impl Into<PathBuf>) -> Self {
        self.root(path, RootAccess::Exec)
    }

    /// Lets the child start the system's programs, as scripts do.
    #[must_use]
    pub fn exec_system(self) -> Self {
        // The folders may be links to each other; their targets count.
        let real = PROGRAMS.iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        real.fold(self, |jail, folder| jail.root(folder, RootAccess::Exec))
    }

    /// Keeps a path read-only inside a folder that can be written. This wins over every write.
    ///
    /// A path that does not exist is not made for this: no engine can hold a name that is not
    /// there. What appears under it while the job runs is renamed aside at once, and a name that
    /// appears eight times ends the job; see [`crate::JailOutcome::appeared`].
    #[must_use]
    pub fn protect(self, path: impl Into<PathBuf>) -> Self {
        self.root(path, RootAccess::Protected)
    }

    /// Keeps the files that git would run or trust in this git folder read-only, as in `.git` of a
    /// root. If `.git` is a file, keeps that file read-only. For git folders deeper inside a root:
    /// nested ones, bare ones, those of submodules and worktrees.
    #[must_use]
    pub fn repository(self, git: impl AsRef<Path>) -> Self {
        let git = git.as_ref();
        let parts = || GIT.iter().map(|name| git.join(name));
        // A link cannot be held in its place, so the folder around it is.
        if git.is_file() || parts().any(|part| part.is_symlink()) {
            return self.protect(git);
        }
        parts().fold(self, Self::protect)
    }

    /// Hides a path inside a folder that can be read. This wins over everything else.
    ///
    /// A hidden file seems empty or cannot be opened, and a hidden folder seems empty. Neither can
    /// be removed or replaced, and the folders around it inside a writable root cannot be moved. So
    /// no job can move a hidden file out of the way of the next one. If another file has the name
    /// when the job starts, the start fails with [`crate::StartStage::Changed`]: scan again.
    ///
    /// For a link, the link is hidden and not its target, which has a name of its own. If no mount
    /// can hide the link, it stays visible. A path that does not exist now is not hidden, and
    /// neither is a hard link to the same file.
    #[must_use]
    pub fn hide(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let found = path.symlink_metadata().ok();
        self.hidden.insert(path, found.as_ref().map(FileId::of));
        self
    }

    /// Shows the child these bytes at a path inside a folder that it can read, even if the file
    /// there has changed. So the file that was reviewed is the file that runs. Another process
    /// cannot change that, unless the child may write there too; then the path is only kept
    /// read-only. Only bubblewrap can do this: elsewhere the child sees the file that lies there.
    #[must_use]
    pub fn fix(self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        let path = path.into();
        let mut jail = self.protect(&path);
        jail.fixed.insert(path, bytes.into());
        jail
    }

    /// Sets a variable. The child has no others: it does not inherit the environment of the parent.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Starts the child in this folder; otherwise in the root of the file system.
    #[must_use]
    pub fn cwd(self, path: impl Into<PathBuf>) -> Self {
        Self { cwd: Some(path.into()), ..self }
    }

    /// Gives the child this folder as its `/tmp`, so that its files outlive the job. Otherwise
    /// `/tmp` is a new folder in memory. Only bubblewrap can do this.
    ///
    /// If roots of the jail lie beneath `/tmp`, `ways` are the first folders there that lead to
    /// them. Folders of these names must exist in `folder`, and every job that gets the folder must
    /// name the same ones: a job cannot replace a way of its own. If a root lies elsewhere beneath
    /// `/tmp`, the job gets a new folder in memory.
    #[must_use]
    pub fn temporary(self, folder: impl Into<PathBuf>, ways: impl IntoIterator<Item = PathBuf>) -> Self {
        let temporary = TemporaryFolder { folder: folder.into(), ways: ways.into_iter().collect() };
        Self { temporary: Some(temporary), ..self }
    }

    /// Opens or closes the network.
    #[must_use]
    pub fn network(self, network: JailNetwork) -> Self {
        Self { network, ..self }
    }

    #[must_use]
    pub fn limits(self, limits: JailLimits) -> Self {
        Self { limits, ..self }
    }

    pub(crate) fn bounds(&self) -> &JailLimits {
        &self.limits
    }

    /// The order for a launcher, checked as far as that is possible from here.
    pub(crate) fn order(&self, engine: &JailEngine, task: &JailTask) -> Result<JailOrder, JailError> {
        let cwd = self.cwd.clone().unwrap_or_else(|| "/".into());
        let paths =
            self.roots.iter().map(|root| &root.path).chain(self.fixed.keys()).chain(self.hidden.keys());
        let temporary = self.temporary.iter().flat_map(|own| own.ways.iter().chain([&own.folder]));
        let paths = paths.chain([&cwd, &task.program]).chain(temporary);
        if let Some(path) = paths.into_iter().find(|path| !is_plain(path)) {
            return Err(JailError::Path(path.clone()));
        }
        self.check_texts(task)?;
        let roots = self.settled();
        if roots.len() > MAX_HELD {
            return Err(JailError::Crowded { found: roots.len(), most: MAX_HELD });
        }
        let temporary = self.temporary.clone().filter(|temporary| {
            let mut mounted = roots.iter().map(|root| &root.path).chain([&task.program]);
            matches!(engine, JailEngine::Bubblewrap(_)) && mounted.all(|path| temporary.holds(path))
        });
        Ok(JailOrder {
            engine: engine.clone(),
            program: task.program.clone(),
            args: task.args.clone(),
            env: self.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            cwd,
            roots,
            fixed: self.fixed.iter().map(|(path, bytes)| (path.clone(), bytes.clone())).collect(),
            temporary,
            network: self.network,
            bounds: KernelBounds {
                wall_ms: u64::try_from(self.limits.wall.as_millis()).unwrap_or(u64::MAX),
                cpu_s: self.limits.cpu.as_secs().max(1),
                memory: self.limits.memory,
                file_size: self.limits.file_size,
                files: self.limits.files,
                processes: self.limits.processes,
            },
        })
    }

    fn check_texts(&self, task: &JailTask) -> Result<(), JailError> {
        if task.args.iter().any(|arg| arg.as_bytes().contains(&0)) {
            return Err(JailError::Argument("an argument with a NUL"));
        }
        let odd = |(name, value): (&OsString, &OsString)| {
            let name = name.as_bytes();
            name.is_empty() || name.contains(&b'=') || name.contains(&0) || value.as_bytes().contains(&0)
        };
        if self.env.iter().any(odd) {
            return Err(JailError::Argument("a variable with a NUL or an invalid name"));
        }
        Ok(())
    }

    /// The roots with the protections that follow from them, each path once, outer before inner.
    pub(crate) fn settled(&self) -> Vec<JailRoot> {
        let protected = self.protected();
        let writes: PathSet = self.of(RootAccess::Write).collect();
        let mut settled: BTreeMap<PathBuf, JailRoot> = BTreeMap::new();
        for root in &self.roots {
            let access = match root.access {
                // A right to read takes no other right away: a mount of its own would pin the file.
                RootAccess::Read if writes.covers_parent(&root.path) && !protected.covers(&root.path) => {
                    continue;
                }
                RootAccess::Write if protected.covers(&root.path) => RootAccess::Read,
                RootAccess::Protected | RootAccess::Hidden => continue,
                other @ (RootAccess::Read | RootAccess::Exec | RootAccess::Write | RootAccess::Full) => other,
            };
            let entry =
                settled.entry(root.path.clone()).or_insert_with(|| JailRoot::new(root.path.clone(), access));
            entry.access = entry.access.and(access);
        }
        let writable: PathSet =
            settled.values().filter(|root| root.access.writes()).map(|root| root.path.clone()).collect();
        // The outermost protection also covers the paths inside.
        for path in protected.iter().filter(|path| !protected.covers_parent(path) && writable.covers(path)) {
            settled.insert(path.to_owned(), JailRoot::new(path, RootAccess::Protected));
        }
        self.take_hidden(&mut settled);
        settled.into_values().collect()
    }

    /// Adds the hidden paths to the roots, and removes the roots inside them.
    fn take_hidden(&self, settled: &mut BTreeMap<PathBuf, JailRoot>) {
        let visible: PathSet = settled.keys().cloned().collect();
        let mut hidden = PathSet::default();
        for (path, file) in &self.hidden {
            let Some(file) = file else { continue };
            if !visible.covers(path) || hidden.covers(path) {
                continue;
            }
            if visible.reaches_into(path) {
                let from = settled.range::<Path, _>((Bound::Included(path.as_path()), Bound::Unbounded));
                let inside = from.map(|(inner, _)| inner).take_while(|inner| inner.starts_with(path));
                for inner in inside.cloned().collect::<Vec<_>>() {
                    settled.remove(&inner);
                }
            }
            hidden.insert(path.clone());
            settled.insert(
                path.clone(),
                JailRoot { file: Some(*file), ..JailRoot::new(path, RootAccess::Hidden) },
            );
        }
    }

    /// The protected paths: those that were named, and those that follow from writable roots.
    fn protected(&self) -> PathSet {
        let mut protected: PathSet = self.of(RootAccess::Protected).collect();
        for path in self.of(RootAccess::Write) {
            protected.extend(git_around(path));
            if path.is_dir() {
                protected.extend(git_inside(path, self.of(RootAccess::Write)));
            }
        }
        protected
    }

    fn of(&self, access: RootAccess) -> impl Iterator<Item = &Path> {
        self.roots.iter().filter(move |root| root.access == access).map(|root| root.path.as_path())
    }

    fn root(mut self, path: impl Into<PathBuf>, access: RootAccess) -> Self {
        self.roots.insert(JailRoot::new(path, access));
        self
    }
}

/// The protected git files if a writable path is a git folder or lies in one.
fn git_around(path: &Path) -> Vec<PathBuf> {
    let around = path.ancestors().filter(|folder| is_git(folder));
    around.flat_map(|git| GIT.iter().map(|name| git.join(name))).collect()
}

/// Whether git would accept this as one of its folders, by its name or, for bare ones and those of
/// submodules, by its content.
pub(crate) fn is_git(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    folder.file_name().is_some_and(|name| name == ".git")
        || (has("HEAD") && (has("objects") || has("commondir")))
}

/// The protected git files inside a writable folder.
fn git_inside<'a>(folder: &Path, mut writes: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    if is_git(folder) {
        return Vec::new();
    }
    let git = folder.join(".git");
    if writes.any(|write| write.starts_with(&git)) {
        GIT.iter().map(|name| git.join(name)).collect()
    } else {
        vec![git]
    }
}

#[cfg(test)]
mod tests;
