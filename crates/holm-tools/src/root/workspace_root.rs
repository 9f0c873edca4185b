//! The root folder, and the checks before a file in it is opened: relative paths, deny rules, files
//! that other programs run, and the inside of git repositories. The rules themselves are in
//! `deny_rules.rs`, `autorun.rs` and `git/mod.rs`; the system calls are in `handle.rs`. The grants
//! of a call are checked by its tool with `permit.rs`. A new way to open or write a file must go
//! through `place`, `place_to_write` or `folder`, because only these apply the rules.

use std::{
    fs::File,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
    sync::Arc,
};

use cap_std::fs::Dir;
use holm_grants::{AccessRequest, CallNeed, Denial, DenialSet, FilePath, GrantSet, PathPattern};
use rustix::{
    fs::{AtFlags, Mode, OFlags, mkdirat, statat},
    io::Errno,
};

use super::{
    CallPermit, DenyRules, FileLocation, LiveGrants, OpenedFile, SeenFiles, WorkspaceRootError, autorun,
    file_location::DirEntryKind,
    git,
    handle::{self, FOLDER, OpenMethod},
};

/// An open folder, and the rules for its content. Clones share the handle.
#[derive(Debug, Clone)]
pub struct WorkspaceRoot {
    dir: Arc<Dir>,
    /// Where it was when it was opened: for grants that are spelled out from the top,
    /// and for undo records.
    at: FilePath,
    denies: DenyRules,
    mounts: MountPolicy,
    way: OpenMethod,
    /// What was read in it.
    seen: SeenFiles,
}

/// Whether a walk enters other mounts. A bind mount can show any folder of the machine inside the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MountPolicy {
    #[default]
    Refused,
    /// It does, because a person says that the mounted files belong to the task.
    Entered,
}

/// The accesses from which a folder of Holm is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtectionLevel {
    /// No tool writes there: tool folders, agents, hooks, configuration.
    Writes,
    /// No tool looks or writes there: journals, keys, undo records.
    Everything,
}

impl WorkspaceRoot {
    /// Opens a folder, with the default denies. Only here is a path taken from the caller that
    /// starts Holm, and links in it are followed.
    ///
    /// # Errors
    /// [`WorkspaceRootError`] if it is not a folder, or has a name that no path can spell.
    pub fn open(folder: &Path) -> Result<Self, WorkspaceRootError> {
        let shown = folder.display().to_string();
        let failed = |error| WorkspaceRootError::io(&shown, &error);
        let real = folder.canonicalize().map_err(failed)?;
        let Some(text) = real.to_str() else {
            return Err(WorkspaceRootError::System { path: shown, reason: "its name is not UTF-8".into() });
        };
        let at = text.parse().map_err(|reason| WorkspaceRootError::Path { reason })?;
        let dir = Dir::open_ambient_dir(&real, cap_std::ambient_authority()).map_err(failed)?;
        let (denies, mounts) = (DenyRules::usual(), MountPolicy::Refused);
        Ok(Self {
            dir: Arc::new(dir),
            at,
            denies,
            mounts,
            way: OpenMethod::System,
            seen: SeenFiles::default(),
        })
    }

    /// The same root under other rules.
    #[must_use]
    pub fn denies(mut self, denies: DenyRules) -> Self {
        self.denies = denies;
        self
    }

    /// The same root under rules that heed what these grants name: see [`DenyRules::naming`].
    #[must_use]
    pub fn naming(mut self, grants: &GrantSet) -> Self {
        self.denies = self.denies.naming(grants);
        self
    }

    /// The same root under rules that also heed later grants: see [`DenyRules::heeding`].
    #[must_use]
    pub fn heeding(mut self, live: LiveGrants) -> Self {
        self.denies = self.denies.heeding(live);
        self
    }

    /// The same root, which remembers together with others what was read in it.
    #[must_use]
    pub fn remembering(mut self, seen: SeenFiles) -> Self {
        self.seen = seen;
        self
    }

    /// What the file tools of this root have shown or written.
    pub(crate) fn seen(&self) -> &SeenFiles {
        &self.seen
    }

    /// The same root that enters mounts, or does not.
    #[must_use]
    pub fn mounts(mut self, mounts: MountPolicy) -> Self {
        self.mounts = mounts;
        self
    }

    /// Protects a folder of Holm from the tools, if it is inside this root. It need not exist yet.
    ///
    /// # Errors
    /// [`WorkspaceRootError`] if the folder's place cannot be told.
    pub fn protect(self, folder: &Path, from: ProtectionLevel) -> Result<Self, WorkspaceRootError> {
        match self.inside(folder)? {
            Some(inside) => self.protect_inside(&inside, from),
            None => Ok(self),
        }
    }

    /// Protects a path of this root, which is not followed if it is a link.
    fn protect_inside(
        mut self,
        inside: &FilePath,
        from: ProtectionLevel,
    ) -> Result<Self, WorkspaceRootError> {
        let pattern = PathPattern::exactly(inside).map_err(|reason| WorkspaceRootError::Path { reason })?;
        let text = if inside.as_str() == "." { "path:**".into() } else { format!("path:{pattern}/") };
        let rule = |error: holm_grants::GrantError| WorkspaceRootError::System {
            path: inside.to_string(),
            reason: error.to_string(),
        };
        let denial: Denial = text.parse().map_err(rule)?;
        self.denies = match from {
            ProtectionLevel::Writes => self.denies.and_unwritten(&denial.to_string()),
            ProtectionLevel::Everything => self.denies.and(&denial.to_string()),
        }
        .map_err(rule)?;
        Ok(self)
    }

    /// The denials of this root, for the sandbox: see [`DenyRules::denials`]. The paths that the
    /// configuration of git names are read now.
    ///
    /// # Errors
    /// [`WorkspaceRootError`] if a rule cannot be expressed with absolute paths.
    pub fn denials(&self) -> Result<DenialSet, WorkspaceRootError> {
        self.with_git_paths()?.denies.denials(&self.at).map_err(|error| WorkspaceRootError::System {
            path: self.at.to_string(),
            reason: error.to_string(),
        })
    }

    /// The rule that keeps a file of this root closed to tools, no matter what was granted. The
    /// file itself is not looked at, so links are not followed.
    ///
    /// # Errors
    /// [`WorkspaceRootError`] if the place of a path that git names cannot be told.
    pub fn closed_by(&self, request: &AccessRequest) -> Result<Option<String>, WorkspaceRootError> {
        let denies = self.with_git_paths()?.denies;
        Ok(match request.rebased(&self.at) {
            AccessRequest::Read(path) => denies.reading(&path),
            AccessRequest::Write(path) => denies.writing(&path),
            _ => None,
        })
    }

    /// Refuses an access that the tools of this root refuse no matter what a person says, in their
    /// words. Files outside of this root are not judged.
    ///
    /// # Errors
    /// [`WorkspaceRootError`] with the reason.
    pub fn check(&self, request: &AccessRequest) -> Result<(), WorkspaceRootError> {
        match request.rebased(&self.at) {
            AccessRequest::Read(path) if !path.is_absolute() => match self.denies.reading(&path) {
                Some(rule) => Err(WorkspaceRootError::Denied { path: path.to_string(), rule }),
                None => Ok(()),
            },
            AccessRequest::Write(path) if !path.is_absolute() => self.check_write(&path),
            _ => Ok(()),
        }
    }

    /// Refuses to read or write a file outside of this root, in the words of the file tools.
    ///
    /// # Errors
    /// [`WorkspaceRootError::Outside`] if it is outside.
    pub fn check_inside(&self, request: &AccessRequest) -> Result<(), WorkspaceRootError> {
        match request.rebased(&self.at) {
            AccessRequest::Read(path) | AccessRequest::Write(path) if path.is_absolute() => {
                Err(WorkspaceRootError::Outside { path: path.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// The same root, with the paths protected that the configuration of git names now.
    fn with_git_paths(&self) -> Result<Self, WorkspaceRootError> {
        let at = Path::new(self.at.as_str());
        let named = git::GitNamedPaths::find(at, &git::GitFolder::around(at));
        let root =
            named.iter().try_fold(self.clone(), |root, path| root.protect(path, ProtectionLevel::Writes));
        // A link stands for what it leads to, so nothing may replace it.
        let links = named.links().filter_map(|link| link.strip_prefix(at).ok()?.to_str()?.parse().ok());
        links.into_iter().try_fold(root?, |root, link| root.protect_inside(&link, ProtectionLevel::Writes))
    }

    /// Reads a text as a path of this root. Absolute texts are taken if they lead into the root.
    ///
    /// # Errors
    /// [`WorkspaceRootError::Path`] for an invalid path, [`WorkspaceRootError::Outside`] for a
    /// path outside the root.
    pub fn path(&self, text: &str) -> Result<FilePath, WorkspaceRootError> {
        let path: FilePath = text.parse().map_err(|reason| WorkspaceRootError::Path { reason })?;
        let path = path.rebased(&self.at);
        if path.is_absolute() {
            return Err(WorkspaceRootError::Outside { path: path.to_string() });
        }
        Ok(path)
    }

    /// Opens a file for reading. A pipe, a socket or a device is refused and not waited for.
    ///
    /// # Errors
    /// [`WorkspaceRootError`].
    pub fn read(&self, path: &FilePath) -> Result<OpenedFile, WorkspaceRootError> {
        self.place(path)?.read()
    }

    /// The permit of a call in this root.
    pub(crate) fn permit<'a>(&'a self, needs: &'a [CallNeed]) -> CallPermit<'a> {
        CallPermit::new(needs, &self.at)
    }

    /// Where the root was when it was opened.
    #[must_use]
    pub fn at(&self) -> &FilePath {
        &self.at
    }

    pub(crate) fn rules(&self) -> &DenyRules {
        &self.denies
    }

    /// The location of an existing file, or of a file in an existing folder, for reading.
    pub(crate) fn place(&self, path: &FilePath) -> Result<FileLocation, WorkspaceRootError> {
        check_relative(path)?;
        if let Some(rule) = self.denies.reading(path) {
            return Err(WorkspaceRootError::Denied { path: path.to_string(), rule });
        }
        self.place_unchecked(path)
    }

    /// The place of a file that is to be written. Missing folders are made if asked for.
    pub(crate) fn place_to_write(
        &self,
        path: &FilePath,
        folders: MissingFolderPolicy,
    ) -> Result<FileLocation, WorkspaceRootError> {
        check_relative(path)?;
        self.check_write(path)?;
        if folders == MissingFolderPolicy::Made {
            self.make_folders(path)?;
        }
        self.place_unchecked(path)
    }

    /// Refuses to write a file that a rule or git protects.
    fn check_write(&self, path: &FilePath) -> Result<(), WorkspaceRootError> {
        if let Some(row) = self.denies.autorun(path) {
            let folder = if row.pattern.ends_with('/') { "/**" } else { "" };
            let names = path.as_str().split('/').take(folder_depth(path, row.pattern));
            let grant = format!("{}{folder}", names.collect::<Vec<_>>().join("/"));
            return Err(WorkspaceRootError::Autorun { path: path.to_string(), runner: row.runner, grant });
        }
        if let Some(rule) = self.denies.writing(path) {
            return Err(WorkspaceRootError::Denied { path: path.to_string(), rule });
        }
        self.keep_out_of_git(path)?;
        self.keep_what_git_names(path)
    }

    pub(crate) fn folder(&self, path: &FilePath) -> Result<Dir, WorkspaceRootError> {
        check_relative(path)?;
        if let Some(rule) = self.denies.reading(path) {
            return Err(WorkspaceRootError::Denied { path: path.to_string(), rule });
        }
        self.folder_unchecked(path)
    }

    /// The kind of entry at a path: a file, a folder, or something that tools do not touch.
    pub(crate) fn kind(&self, path: &FilePath) -> Result<DirEntryKind, WorkspaceRootError> {
        if path.as_str() == "." {
            return Ok(DirEntryKind::Folder);
        }
        let place = self.place(path)?;
        place.kind()?.ok_or_else(|| WorkspaceRootError::Missing { path: path.to_string() })
    }

    /// Opens beneath a handle of this root, by its rules for links and mounts.
    pub(super) fn open_beneath(
        &self,
        start: BorrowedFd<'_>,
        name: &str,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        handle::open(start, name, flags, self.mounts, self.way)
    }

    /// Explains a system error about a path. A link's target is named in the
    /// message but never opened.
    pub(super) fn explain(&self, path: &FilePath, errno: Errno) -> WorkspaceRootError {
        if !matches!(errno, Errno::LOOP | Errno::NOTDIR | Errno::MLINK) {
            return WorkspaceRootError::of(path.as_str(), errno);
        }
        let Some((before, says, behind)) = handle::first_link(self.dir.as_fd(), path.as_str()) else {
            return WorkspaceRootError::of(path.as_str(), errno);
        };
        let text = if says.starts_with('/') { says } else { format!("{before}{says}") };
        let text = if behind.is_empty() { text } else { format!("{text}/{behind}") };
        let to = self.path(&text).ok().filter(|to| to != path && self.denies.reading(to).is_none());
        WorkspaceRootError::Link { path: path.to_string(), to: to.map(|to| to.to_string()) }
    }

    fn place_unchecked(&self, path: &FilePath) -> Result<FileLocation, WorkspaceRootError> {
        let (folder, name) = match path.as_str().rsplit_once('/') {
            Some((folder, name)) => (folder, name),
            None if path.as_str() == "." => {
                return Err(WorkspaceRootError::Kind {
                    path: ".".into(),
                    found: "a folder",
                    wanted: "a file",
                });
            }
            None => (".", path.as_str()),
        };
        let dir = self.open_folder(folder).map_err(|errno| self.explain(path, errno))?;
        Ok(FileLocation::new(self.clone(), dir, name, path.clone()))
    }

    fn folder_unchecked(&self, path: &FilePath) -> Result<Dir, WorkspaceRootError> {
        self.open_folder(path.as_str()).map_err(|errno| match self.explain(path, errno) {
            WorkspaceRootError::Kind { path, .. } => {
                WorkspaceRootError::Kind { path, found: "a file or beneath one", wanted: "a folder" }
            }
            other => other,
        })
    }

    fn open_folder(&self, path: &str) -> Result<Dir, Errno> {
        let handle = self.open_beneath(self.dir.as_fd(), path, FOLDER)?;
        Ok(Dir::from_std_file(File::from(handle)))
    }

    /// Makes the folders above a path, one by one, each in the handle of the one before.
    fn make_folders(&self, path: &FilePath) -> Result<(), WorkspaceRootError> {
        let Some((folders, _)) = path.as_str().rsplit_once('/') else { return Ok(()) };
        let explain = |errno| self.explain(path, errno);
        let mut here = self.open_folder(".").map_err(explain)?;
        let first = folders.split('/').next().unwrap_or_default();
        if is_shell_variable(first) && statat(here.as_fd(), first, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            let reason = format!("only commands know `{first}`; give a path relative to the workspace");
            return Err(WorkspaceRootError::System { path: path.to_string(), reason });
        }
        for name in folders.split('/') {
            match mkdirat(here.as_fd(), name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(explain(errno)),
            }
            let next = self.open_beneath(here.as_fd(), name, FOLDER).map_err(explain)?;
            here = Dir::from_std_file(File::from(next));
        }
        Ok(())
    }

    /// Refuses to write where git would find a repository, under any folder name.
    fn keep_out_of_git(&self, path: &FilePath) -> Result<(), WorkspaceRootError> {
        let mut here = self.open_folder(".").map_err(|errno| self.explain(path, errno))?;
        let mut names = path.as_str().split('/').peekable();
        while let Some(name) = names.next() {
            if git::is_inside(here.as_fd()) || git::is_part(here.as_fd(), name) {
                let reason =
                    "it is inside a git repository's own folder, whose files name programs that git runs";
                return Err(WorkspaceRootError::Protected { path: path.to_string(), reason });
            }
            if names.peek().is_none() || statat(here.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
                return Ok(());
            }
            let next = self.open_beneath(here.as_fd(), name, FOLDER);
            here = Dir::from_std_file(File::from(next.map_err(|errno| self.explain(path, errno))?));
        }
        Ok(())
    }

    /// Refuses to write what git would run because its configuration names
    /// it, as with `core.hooksPath`.
    fn keep_what_git_names(&self, path: &FilePath) -> Result<(), WorkspaceRootError> {
        let at = Path::new(self.at.as_str());
        let whole = at.join(path.as_str());
        let nested = whole.ancestors().skip(1).take_while(|folder| folder.starts_with(at));
        let nested = nested.filter_map(git::GitFolder::of);
        let repositories: Vec<git::GitFolder> = nested.chain(git::GitFolder::around(at)).collect();
        if git::GitNamedPaths::find(at, &repositories).holding(&whole).is_some() {
            let reason = "the git configuration or a hook names it, so git would run or obey it";
            return Err(WorkspaceRootError::Protected { path: path.to_string(), reason });
        }
        Ok(())
    }

    /// The path of a folder within this root, if it is inside. A folder that does not exist yet has
    /// the path that it would get.
    fn inside(&self, folder: &Path) -> Result<Option<FilePath>, WorkspaceRootError> {
        let shown = folder.display().to_string();
        let mut tail = Vec::new();
        let mut there =
            std::path::absolute(folder).map_err(|error| WorkspaceRootError::io(&shown, &error))?;
        let real = loop {
            match there.canonicalize() {
                Ok(real) => break real,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    tail.extend(there.file_name().map(ToOwned::to_owned));
                    if !there.pop() {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(WorkspaceRootError::io(&shown, &error)),
            }
        };
        let whole = tail.iter().rev().fold(real, |path, name| path.join(name));
        let Some(text) = whole.to_str() else {
            return Err(WorkspaceRootError::System { path: shown, reason: "its name is not UTF-8".into() });
        };
        let path: FilePath = text.parse().map_err(|reason| WorkspaceRootError::Path { reason })?;
        Ok(Some(path.rebased(&self.at)).filter(|path| !path.is_absolute()))
    }

    /// The same root that walks in steps, as where the system has no call for it.
    #[doc(hidden)]
    #[must_use]
    pub fn in_steps(mut self) -> Self {
        self.way = OpenMethod::Steps;
        self
    }
}

/// Whether missing folders are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingFolderPolicy {
    Wanted,
    Made,
}

/// Whether a shell would put the path of a folder in the place of a name. A folder with that name
/// would be a mistake.
fn is_shell_variable(name: &str) -> bool {
    ["$HOME", "${HOME}", "$TMPDIR", "${TMPDIR}", "$PWD", "${PWD}"].contains(&name)
}

/// How many components of a path lead to the match of a pattern of the table.
fn folder_depth(path: &FilePath, pattern: &str) -> usize {
    let all = path.as_str().split('/').count();
    let found = |end: &usize| {
        let names: Vec<&str> = path.as_str().split('/').take(*end).collect();
        autorun::find(&names.join("/")).is_some_and(|row| row.pattern == pattern)
    };
    (1..=all).find(found).unwrap_or(all)
}

fn check_relative(path: &FilePath) -> Result<(), WorkspaceRootError> {
    if path.is_absolute() {
        return Err(WorkspaceRootError::Outside { path: path.to_string() });
    }
    Ok(())
}
