//! The changes that a child made, as a patch against the commit where it began. Worktrees are made
//! and removed in `worktrees.rs`, and git is called through `git.rs` alone. Nothing that a child
//! staged or hid in the index counts, and repositories inside the worktree are left out, because
//! reading them would run what they configure.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use super::{
    WorktreeError,
    git::{GitLocation, GitRepository},
};

/// How much of a patch is shown; the whole of it is in its file.
const MOST_SHOWN: usize = 48 * 1024;

/// How many folders of a worktree are searched for repositories. A child that makes
/// more is probably attacking.
const MOST_FOLDERS: usize = 200_000;

/// The text before the commit in a file of changes. Git ignores lines before the first patch.
const BASE: &str = "base ";

/// Changes against a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WorktreeChanges {
    pub(super) base: String,
    pub(super) diff: Vec<u8>,
    /// Repositories that were made inside the worktree, which no patch holds.
    left_out: Vec<String>,
}

impl WorktreeChanges {
    /// Reads a file of changes; returns `None` if it does not exist.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, WorktreeError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let base = std::str::from_utf8(first).ok().and_then(|line| line.strip_prefix(BASE));
        let base = base.filter(|base| !base.is_empty() && base.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(base) = base else {
            let reason = format!("{} does not begin with the commit it is based on", path.display());
            return Err(WorktreeError::System { reason });
        };
        let diff = text.get(first.len() + 1..).unwrap_or_default().to_vec();
        Ok(Some(Self { base: base.to_owned(), diff, left_out: Vec::new() }))
    }

    /// Writes a file of changes atomically.
    pub(super) fn write(&self, path: &Path) -> Result<(), WorktreeError> {
        let draft = path.with_extension("diff-draft");
        let mut file = fs::File::create(&draft)?;
        file.write_all(format!("{BASE}{}\n", self.base).as_bytes())?;
        file.write_all(&self.diff)?;
        file.sync_all()?;
        fs::rename(draft, path)?;
        Ok(())
    }

    /// The changes as the parent reads them.
    pub(super) fn shown(&self, path: &Path) -> String {
        let text = String::from_utf8_lossy(&self.diff);
        let shown = text.get(..text.floor_char_boundary(MOST_SHOWN)).unwrap_or_default();
        let mut told = shown.to_owned();
        if shown.len() < text.len() {
            told = format!("{told}\n[the whole patch: {}]", path.display());
        }
        if !self.left_out.is_empty() {
            told = format!("{told}\n[repositories inside, not in the patch: {}]", self.left_out.join(", "));
        }
        told
    }
}

/// Everything in a worktree that differs from a commit, including new files;
/// `None` if nothing differs.
///
/// The index is made anew from the commit, so nothing that a child staged or hid there
/// counts. Repositories inside the worktree are left out, because reading their state would
/// run what they configure.
pub(super) async fn collect(
    git: &GitRepository,
    at: GitLocation<'_>,
    place: &Path,
    base: &str,
) -> Result<Option<WorktreeChanges>, WorktreeError> {
    let folder = place.to_owned();
    aside(move || tidy(&folder)).await?;
    git.run(at, &["read-tree", base], b"").await?;
    let links = links(&git.run(at, &["ls-tree", "-r", "-z", "--full-tree", base], b"").await?);
    if !links.is_empty() {
        git.run(at, &["update-index", "--force-remove", "-z", "--stdin"], &links).await?;
    }
    let folder = place.to_owned();
    let left_out = aside(move || repositories(&folder)).await?;
    // A path that begins with `:(` is a pattern; all others are literal names.
    let mut paths = b".\0".to_vec();
    for folder in &left_out {
        paths.extend_from_slice(format!(":(exclude,literal){folder}\0").as_bytes());
    }
    git.run(at, &["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"], &paths).await?;
    let args = [
        "diff",
        "--cached",
        "--binary",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--no-renames",
        "--ignore-submodules=all",
        base,
    ];
    let diff = git.run(at, &args, b"").await?;
    let nothing = diff.is_empty() && left_out.is_empty();
    Ok((!nothing).then(|| WorktreeChanges { base: base.to_owned(), diff, left_out }))
}

/// Runs slow disk work on a thread where blocking is allowed.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WorktreeError> + Send + 'static,
) -> Result<T, WorktreeError> {
    // Behind a pointer it is one task for each answer, not one for each caller.
    let work: Box<dyn FnOnce() -> Result<T, WorktreeError> + Send> = Box::new(work);
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(WorktreeError::System { reason: error.to_string() }))
}

/// The paths of other repositories that a tree names, each ended by a zero byte.
fn links(tree: &[u8]) -> Vec<u8> {
    let mut found = Vec::new();
    for entry in tree.split(|byte| *byte == 0) {
        let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { continue };
        if entry.starts_with(b"160000 ") {
            found.extend_from_slice(entry.get(tab + 1..).unwrap_or_default());
            found.push(0);
        }
    }
    found
}

/// Makes a worktree readable and removable: restores permissions that a child removed, and
/// deletes what is not a file, folder or link. A pipe is deleted because opening it would
/// wait for a writer.
pub(super) fn tidy(place: &Path) -> Result<(), WorktreeError> {
    let (mut seen, mut open) = (0_usize, vec![place.to_owned()]);
    while let Some(folder) = open.pop() {
        seen += 1;
        if seen > MOST_FOLDERS {
            return Err(too_many());
        }
        own(&folder, 0o700)?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                own(&entry.path(), 0o600)?;
            } else if !kind.is_symlink() {
                fs::remove_file(entry.path())?;
            }
        }
    }
    Ok(())
}

/// Gives its owner these rights, if they are not there.
fn own(path: &Path, rights: u32) -> io::Result<()> {
    let mode = fs::symlink_metadata(path)?.permissions().mode();
    if mode & rights == rights {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode | rights))
}

fn too_many() -> WorktreeError {
    WorktreeError::System { reason: format!("it has more than {MOST_FOLDERS} folders") }
}

/// The folders below a worktree that are repositories, as paths with `/`. Links are not followed.
fn repositories(place: &Path) -> Result<Vec<String>, WorktreeError> {
    let (mut found, mut seen, mut open) = (Vec::new(), 0_usize, vec![place.to_owned()]);
    while let Some(folder) = open.pop() {
        seen += 1;
        if seen > MOST_FOLDERS {
            return Err(too_many());
        }
        let mut below = Vec::new();
        let mut is_repository = false;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let is_git = entry.file_name().to_string_lossy().eq_ignore_ascii_case(".git");
            is_repository |= is_git && folder != place;
            if entry.file_type()?.is_dir() && !is_git {
                below.push(entry.path());
            }
        }
        match folder.strip_prefix(place) {
            Ok(inside) if is_repository => found.push(inside.to_string_lossy().into_owned()),
            Ok(_) | Err(_) => open.extend(below),
        }
    }
    found.sort();
    Ok(found)
}
