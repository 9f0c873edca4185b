//! Copies the workspace of a case for an attempt, within bounds: a large workspace is an error, not
//! a slow evaluation.

use std::fs;
use std::path::{Path, PathBuf};

use crate::EvalError;

/// The largest workspace of a case, in bytes.
pub const MAX_WORKSPACE_BYTES: u64 = 256 << 20;
/// The most files of a case.
const MAX_FILES: usize = 50_000;

/// The files and links below a folder by their relative names, sorted. Links are not followed.
pub(crate) fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, EvalError> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    walk(folder, "", folder, &mut found, &mut bytes)?;
    found.sort();
    Ok(found)
}

fn walk(
    folder: &Path,
    below: &str,
    top: &Path,
    found: &mut Vec<(String, PathBuf)>,
    bytes: &mut u64,
) -> Result<(), EvalError> {
    let too_large = |why: String| EvalError::Workspace { path: top.to_owned(), why };
    for entry in fs::read_dir(folder).map_err(EvalError::file(folder))? {
        let entry = entry.map_err(EvalError::file(folder))?;
        let kind = entry.file_type().map_err(EvalError::file(entry.path()))?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            walk(&entry.path(), &format!("{name}/"), top, found, bytes)?;
            continue;
        }
        if !kind.is_file() && !kind.is_symlink() {
            return Err(EvalError::case(
                entry.path(),
                "a case can only hold files, folders and links; remove this",
            ));
        }
        *bytes += entry.metadata().map_or(0, |data| data.len());
        if *bytes > MAX_WORKSPACE_BYTES {
            return Err(too_large(format!("more than {} MiB", MAX_WORKSPACE_BYTES >> 20)));
        }
        if found.len() == MAX_FILES {
            return Err(too_large(format!("more than {MAX_FILES} files")));
        }
        found.push((name, entry.path()));
    }
    Ok(())
}

/// Copies a folder with its modes and links to a new one.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), EvalError> {
    fs::create_dir_all(to).map_err(EvalError::file(to))?;
    for entry in fs::read_dir(from).map_err(EvalError::file(from))? {
        let entry = entry.map_err(EvalError::file(from))?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(EvalError::file(&old))?;
        if kind.is_dir() {
            copy(&old, &new)?;
        } else if kind.is_symlink() {
            let target = fs::read_link(&old).map_err(EvalError::file(&old))?;
            std::os::unix::fs::symlink(target, &new).map_err(EvalError::file(&new))?;
        } else if kind.is_file() {
            fs::copy(&old, &new).map_err(EvalError::file(&new))?;
        }
    }
    Ok(())
}

/// Copies the files of a workspace that git would see, without secrets, and returns what was left
/// out because it is one.
pub(crate) fn copy_visible(
    from: &Path,
    to: &Path,
    is_secret: impl Fn(&str) -> bool,
) -> Result<Vec<String>, EvalError> {
    let wrong = |why: String| EvalError::Workspace { path: from.to_owned(), why };
    fs::create_dir_all(to).map_err(EvalError::file(to))?;
    let (mut bytes, mut files, mut left_out) = (0, 0, Vec::new());
    let walk = ignore::WalkBuilder::new(from).hidden(false).require_git(false).follow_links(false).build();
    for entry in walk {
        let entry = entry.map_err(|error| EvalError::case(from, error.to_string()))?;
        let Ok(below) = entry.path().strip_prefix(from) else { continue };
        let name = below.to_string_lossy().into_owned();
        let is_own = below.components().next().is_some_and(|first| first.as_os_str() == ".git");
        if name.is_empty() || is_own || !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        if is_secret(&name) {
            left_out.push(name);
            continue;
        }
        bytes += entry.metadata().map_or(0, |data| data.len());
        files += 1;
        if bytes > MAX_WORKSPACE_BYTES || files > MAX_FILES {
            return Err(wrong(format!("more than {} MiB or {MAX_FILES} files", MAX_WORKSPACE_BYTES >> 20)));
        }
        let new = to.join(below);
        let parent = new.parent().unwrap_or(to);
        fs::create_dir_all(parent).map_err(EvalError::file(parent))?;
        fs::copy(entry.path(), &new).map_err(EvalError::file(&new))?;
    }
    Ok(left_out)
}
