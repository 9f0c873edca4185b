//! Finds the path of a file in a project, without following links.
//!
//! Trust is given to the content of a project. A link in a project leads to content elsewhere,
//! perhaps to a file that a person has trusted there. Such a link would borrow that trust in a
//! place that the person never reviewed.
//!
//! It reads no content and knows no record: `file.rs` and `ledger.rs` do.

use holm_kernel::visible_line;
use std::path::{Component, Path, PathBuf};

/// A file of a project is a link, or lies behind a link.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is a link; links are never trusted", visible_line(&.path.to_string_lossy()))]
pub struct LinkedPathError {
    pub path: PathBuf,
}

/// The end of every message about a link.
const NEVER: &str = "is a link; links are never trusted";

impl LinkedPathError {
    /// Whether a message is about a link, which no trust of a person could change.
    #[must_use]
    pub fn is_said_in(message: &str) -> bool {
        message.ends_with(NEVER)
    }
}

/// The path under which a file is trusted: the project's real path, followed by the names as they
/// are given. How the project itself is reached is up to the user who works in it. For a file
/// elsewhere, so is the way to its folder.
///
/// # Errors
///
/// The first link on the way, the file itself included.
pub fn place(project: &Path, path: &Path) -> Result<PathBuf, LinkedPathError> {
    let whole = project.join(path);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let root = real(project);
    // Names that lead out of the project may lead back into it.
    let straight = straight(&whole);
    let inside = below(&whole, project, &root).filter(|names| !leave(names));
    let inside = inside.or_else(|| below(&straight, project, &root));
    let (mut walked, names) = match (inside, whole.parent(), whole.file_name()) {
        (Some(names), ..) => (root, names),
        (None, Some(folder), Some(name)) => (real(folder), Path::new(name)),
        (None, ..) => (real(&whole), Path::new("")),
    };
    for name in names.components() {
        match name {
            Component::Normal(name) => {
                walked.push(name);
                if walked.is_symlink() {
                    return Err(LinkedPathError { path: walked });
                }
            }
            // No name before it was a link, so this is where the system would come to as well.
            Component::ParentDir => {
                walked.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Ok(walked)
}

/// The names of a path below a project, by either way to the project.
fn below<'p>(path: &'p Path, project: &Path, root: &Path) -> Option<&'p Path> {
    path.strip_prefix(project).or_else(|_| path.strip_prefix(root)).ok()
}

/// A path without steps back, by its names alone.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for name in path.components() {
        if name == Component::ParentDir {
            straight.pop();
        } else {
            straight.push(name);
        }
    }
    straight
}

/// Whether names lead out of the folder where they begin.
fn leave(names: &Path) -> bool {
    let mut depth = 0_usize;
    for name in names.components() {
        match name {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    false
}
