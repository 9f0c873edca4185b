//! A path beneath one of the opened directories, in normal form.
//!
//! It works on text alone: no link is followed and nothing is opened (`files/open_beneath.rs`
//! does). A path that leaves its directory is refused here. The policy sees a path in its own form,
//! which also comes from here, so both must name the same file.

use holm_grants::FilePath;
use rustix::io::Errno;

use super::access::RootDirectory;

/// A guest path: an opened directory, and the path in it without `.`, `..` and doubled slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GuestPath {
    pub(crate) root: usize,
    /// The components beneath it with slashes between; empty for the directory itself.
    path: String,
}

/// Why a path is not a valid guest path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuestPathError {
    /// It leads out of the directory.
    Outside,
    /// The text is not a valid path.
    Malformed(Errno),
}

/// The longest path: Linux's own limit.
const MAX_PATH: usize = 4096;

impl GuestPath {
    /// The opened directory itself.
    pub(crate) fn root(root: usize) -> Self {
        Self { root, path: String::new() }
    }

    /// A path known to be in normal form.
    pub(super) fn at(root: usize, path: String) -> Self {
        Self { root, path }
    }

    /// The path for the operating system, which has no empty paths.
    pub(super) fn os_path(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }

    pub(super) fn components(&self) -> impl Iterator<Item = &str> {
        self.path.split('/').filter(|name| !name.is_empty())
    }

    /// The path as written.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The directory and the name in it; the directory itself is the name `.` in itself.
    pub(super) fn split(&self) -> (Self, &str) {
        match self.path.rsplit_once('/') {
            Some((parent, name)) => (Self::at(self.root, parent.to_owned()), name),
            None if self.path.is_empty() => (self.clone(), "."),
            None => (Self::root(self.root), &self.path),
        }
    }

    /// Resolves `path` from here, by its text alone.
    pub(crate) fn join(&self, path: &str) -> Result<Self, GuestPathError> {
        if path.is_empty() {
            return Err(GuestPathError::Malformed(Errno::NOENT));
        }
        if path.len() + self.path.len() >= MAX_PATH {
            return Err(GuestPathError::Malformed(Errno::NAMETOOLONG));
        }
        if path.contains('\0') {
            return Err(GuestPathError::Malformed(Errno::INVAL));
        }
        if path.starts_with('/') {
            return Err(GuestPathError::Outside);
        }
        let mut joined = self.path.clone();
        for name in path.split('/') {
            match name {
                "" | "." => {}
                ".." => pop(&mut joined)?,
                name => push(&mut joined, name),
            }
        }
        Ok(Self::at(self.root, joined))
    }

    /// The path as the policy knows it.
    pub(super) fn policy_path(&self, root: &RootDirectory) -> Result<FilePath, Errno> {
        let base = root.base.as_str();
        let text = match (base, self.path.is_empty()) {
            ("", true) => return ".".parse().map_err(|_| Errno::INVAL),
            ("", false) => return self.path.parse().map_err(|_| Errno::INVAL),
            (base, true) => base.to_owned(),
            (base, false) => format!("{}/{}", base.trim_end_matches('/'), self.path),
        };
        text.parse().map_err(|_| Errno::INVAL)
    }
}

pub(super) fn push(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}

/// Removes the last component.
pub(super) fn pop(path: &mut String) -> Result<(), GuestPathError> {
    if path.is_empty() {
        return Err(GuestPathError::Outside);
    }
    path.truncate(path.rfind('/').unwrap_or(0));
    Ok(())
}
